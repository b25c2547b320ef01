//! Proofs as text for people and as data for programs: tree, JSON, DOT, Mermaid, HTML.

mod graph;
mod html;
mod json;
mod refusal;
mod text;
mod tree;

pub use graph::{dot, mermaid};
pub use html::html;
pub use json::{FORMAT, json, moment_json};
pub(super) use refusal::failure_line;
pub use refusal::{
    change_text, remedies_json, remedies_text, why_line, why_not_json, why_not_line, why_not_text,
};
pub use text::{fact_text, ways_text};
pub use tree::{Layout, tree};
