//! `hence gate`: tool calls of coding agents decided by rules, in the words of each host.
//!
//! ```text
//!  host ─► hook.rs: an event on standard input ─► socket ─► calls.rs: facts, one commit for all that wait ─► verdict
//!             └─ starts the owner where none runs; any error denies        ids.rs: which call an event is about
//! ```
//!
//! `install` writes hosts' settings, `selftest` shows that a denied call does not run, `report` tells of a day, `approve`
//! lifts a rule. `between` decides on the calls of a server of tools, which `child` runs; `numbers` finds numbers that
//! would change on the way.

mod approve;
mod between;
mod calls;
mod child;
mod hook;
mod ids;
mod install;
mod numbers;
mod report;
mod selftest;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use hence_gate::Host;

use super::Outcome;

pub(super) use between::McpGate;
#[cfg(feature = "server")]
pub(super) use calls::refused;
pub(super) use calls::{Calls, judged};
pub(super) use report::{call_of, is_verdict, lapsed_in};

/// Decide a tool call of a coding agent: one event of a host on standard input, its answer on standard output
///
/// The host runs this as a hook before each tool. Where no process owns the ledger, one is started, which ends after half
/// an hour without a call. Whatever goes wrong denies the call, with exit status 2.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = "Example: hence gate install --host claude")]
pub(super) struct Gate {
    #[command(flatten)]
    hook: hook::HookOptions,
    #[command(subcommand)]
    command: Option<GateCommand>,
}

#[derive(Debug, Subcommand)]
enum GateCommand {
    Install(install::Install),
    Selftest(selftest::SelfTest),
    Report(report::GateReport),
    Approve(approve::Approve),
}

impl Gate {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            None => hook::run(&self.hook),
            Some(GateCommand::Install(command)) => command.run(),
            Some(GateCommand::Selftest(command)) => command.run(),
            Some(GateCommand::Report(command)) => command.run(),
            Some(GateCommand::Approve(command)) => command.run(),
        }
    }
}

/// The folder of the ledger: the one named, else the one set.
fn store(named: Option<&PathBuf>) -> PathBuf {
    named.cloned().unwrap_or_else(|| super::config::get().store())
}

/// Reads the name of a host.
fn host(text: &str) -> Result<Host, String> {
    text.parse()
}
