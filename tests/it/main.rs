//! The tests that are code, a line a module; those that are files are in `tests/cases`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may fail"
)]

mod actuators;
mod agent_week;
mod aggregates;
mod batches;
mod benches;
mod book;
mod bounds;
mod broken;
mod builtins;
mod bulk;
mod cards;
#[cfg(unix)]
mod carry_out;
mod cases;
mod check;
mod clients;
mod codebase;
#[path = "../cases/command.rs"]
mod command;
mod commits;
mod compiled;
mod contamination;
mod contradicts;
mod covered;
mod cross_check;
#[cfg(feature = "dataflow")]
mod dataflow;
mod decision_log;
mod demand;
mod diffs;
mod doors;
mod due;
mod edit;
mod effects;
mod engines;
mod erased_forgeries;
mod erased_orders;
mod erasure;
mod error_text;
mod event;
mod exact_sentences;
mod explain;
mod fact_faults;
mod fact_files;
#[cfg(all(feature = "scan", feature = "sandbox", target_os = "linux"))]
mod factory;
mod features;
#[cfg(target_os = "linux")]
mod few_threads;
#[path = "../cases/files.rs"]
mod files;
mod folders;
mod follows;
mod forger;
mod formatted;
mod fuzz;
#[cfg(all(feature = "gate", unix))]
mod gate;
mod generators;
mod git;
mod golden;
mod helps;
#[cfg(unix)]
mod hostile;
#[cfg(all(feature = "server", unix))]
mod http;
mod inputs;
mod language;
#[path = "../cases/layout.rs"]
mod layout;
mod ledger;
mod lent;
mod limits;
mod lints;
mod logs;
mod lowering;
mod mails;
mod mcp;
#[cfg(all(feature = "gate", unix))]
mod mcp_gate;
mod memory;
mod model;
#[cfg(unix)]
mod narrow;
mod outbox;
mod outbox_entries;
#[cfg(unix)]
mod owner;
mod patterns;
mod plain_records;
#[cfg(all(feature = "scan", unix))]
mod plans;
mod principals;
mod prompt;
mod provenance;
mod quality;
mod random;
mod records;
mod recursive_groups;
mod redact;
mod reference;
mod replay;
mod reports;
mod ruletest;
mod ruletest_depth;
mod schemas;
#[cfg(all(feature = "sandbox", target_os = "linux"))]
mod script;
mod sensors;
mod settings;
mod similarity;
#[cfg(unix)]
mod slow;
mod small_disk;
mod source;
mod sql;
mod syntax_fuzz;
mod syntax_print;
mod systems;
mod test_files;
mod test_output;
mod tidy;
#[cfg(feature = "tls")]
mod tls;
mod tool_run;
mod unknown;
mod unsaid;
mod what_if;
#[cfg(unix)]
mod whole_files;
mod witnesses;
