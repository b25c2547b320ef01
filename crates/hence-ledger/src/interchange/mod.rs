//! Facts in and out: JSON Lines, CSV, TSV and Soufflé's `.facts`, read against the schemas of a rule set and all or
//! nothing.
//!
//! ```text
//!  file ──► load ──► lines (json_lines) or records (table) ──► field: text to value by type ──► facts
//!                         └──────────► faults: diagnostics with their places ◄──┘
//! ```

pub mod codes;
mod convert;
mod faults;
mod field;
mod folder;
mod format;
mod json_lines;
mod load;
mod parts;
mod plain;
mod reader;
mod records;
mod scanner;
mod schemas;
mod table;

pub use faults::Unread;
pub use folder::{FactFile, expand};
pub use format::FactFormat;
pub use load::{read, read_into, read_rule_file, read_stream, read_text};
pub use load::{read_records_into, read_records_stream, read_records_text};
pub use plain::Mapping;
pub use schemas::{CLOCK, Schemas, clock_as_fact};
