//! Facts: a relation's name and its values.

use std::fmt;

use crate::symbol::Symbol;
use crate::value::Value;

/// A ground fact, as the edges of the program handle it. `Display` writes it as a rule file would.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fact {
    /// The relation's name.
    pub relation: Symbol,
    /// A value for each column.
    pub values: Vec<Value>,
}

impl Fact {
    /// A fact of `relation`.
    pub fn new(relation: impl Into<Symbol>, values: impl Into<Vec<Value>>) -> Self {
        Self { relation: relation.into(), values: values.into() }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.relation)?;
        for (at, value) in self.values.iter().enumerate() {
            write!(f, "{}{value}", if at > 0 { ", " } else { "" })?;
        }
        f.write_str(")")
    }
}
