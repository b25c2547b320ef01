//! Relations that hence itself keeps in a ledger, beside those of rules: no rule can name or declare them.

use hence_core::symbol::Symbol;

/// What their names begin with.
const PREFIX: &str = "hence.";

/// Whether a relation is one that hence itself keeps.
pub fn is_reserved(relation: Symbol) -> bool {
    relation.as_str().starts_with(PREFIX)
}
