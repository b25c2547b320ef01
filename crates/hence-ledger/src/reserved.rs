//! Relations that hence itself keeps in a ledger, beside those of rules: no rule can name or declare them.

use hence_core::literal::is_identifier;
use hence_core::symbol::Symbol;

/// What their names begin with.
const PREFIX: &str = "hence.";

/// Whether a relation is one that hence itself keeps.
pub fn is_reserved(relation: Symbol) -> bool {
    relation.as_str().starts_with(PREFIX)
}

/// Whether a relation may be called so: as rules call theirs, or as hence calls its own.
pub(super) fn is_relation(name: Symbol) -> bool {
    is_identifier(name.as_str().strip_prefix(PREFIX).unwrap_or(name.as_str()))
}
