//! Relations as they are declared: names, kinds, columns, closed sets of names.

use std::fmt;
use std::sync::Arc;

use crate::index_vec::id;
use crate::list;
use crate::literal;
use crate::span::Span;
use crate::symbol::Symbol;
use crate::value::{Type, Value};

id! {
    /// A relation of a rule set, by its place in the set's table of relations.
    pub struct RelationId(pub u32): "the number of a relation is that of one of its program's relations";
}

/// What a relation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Asserted from outside; nothing derives it.
    Input,
    /// Derived by rules.
    Derived,
    /// Derived by rules, and recorded each time it is drawn or lapses.
    Decision,
}

impl Kind {
    /// The keyword of a declaration of this kind.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Derived => "relation",
            Self::Decision => "decision",
        }
    }
}

/// A closed set of names: `/low | /medium | /high`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameSet {
    /// The name given by `type NAME = …`, if any.
    pub name: Option<Symbol>,
    /// The names, with their slashes, in the order of the declaration.
    pub members: Vec<Symbol>,
}

/// The type of a column: a type, and for names perhaps a closed set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnType {
    /// The type of the values.
    pub ty: Type,
    /// The only names allowed, where the type is a closed set.
    pub set: Option<Arc<NameSet>>,
}

impl ColumnType {
    /// A column of a plain type.
    pub fn plain(ty: Type) -> Self {
        Self { ty, set: None }
    }

    /// The type of the elements of a list.
    pub fn element(&self) -> Option<Self> {
        match self.ty {
            Type::List(element) => Some(Self { ty: *element, set: self.set.clone() }),
            _ => None,
        }
    }

    /// Whether the column accepts `value`.
    pub fn admits(&self, value: Value) -> bool {
        match (&self.set, value) {
            (_, Value::List(text)) => match self.element() {
                Some(element) => list::elements(text).iter().all(|value| element.admits(*value)),
                None => false,
            },
            (Some(set), Value::Name(name)) => self.ty == Type::Name && set.members.contains(&name),
            (_, value) => value.ty() == self.ty,
        }
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(element), Some(_)) = (self.element(), &self.set) {
            return write!(f, "[{element}]");
        }
        match &self.set {
            Some(set) => match set.name {
                Some(name) => write!(f, "{name}"),
                None => {
                    write!(f, "{}", set.members.iter().map(|m| m.as_str()).collect::<Vec<_>>().join(" | "))
                }
            },
            None => write!(f, "{}", self.ty),
        }
    }
}

/// One column of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name; columns of an undeclared relation are called `c1`, `c2`, ….
    pub name: Symbol,
    /// Its type.
    pub ty: ColumnType,
    /// The value of facts that leave the column out; only columns of inputs have one.
    pub default: Option<Value>,
}

impl Column {
    /// A column that every fact has a value in.
    pub fn new(name: impl Into<Symbol>, ty: ColumnType) -> Self {
        Self { name: name.into(), ty, default: None }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.ty)?;
        self.default.map_or(Ok(()), |default| write!(f, " = {}", default_text(default)))
    }
}

/// The value of facts that leave a column out, as messages show it. A time that has no literal stands for the instant of
/// the transaction, which is filled in later.
pub fn default_text(default: Value) -> String {
    match default {
        Value::Time(micros) if !literal::is_time(micros) => String::from("the instant of the transaction"),
        default => default.to_string(),
    }
}

/// A named constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: Symbol,
    /// Its type.
    pub ty: ColumnType,
    /// Its value in this run.
    pub value: Value,
    /// Its value as declared.
    pub default: Value,
    /// The roles that may change its recorded value; anyone where there is none.
    pub roles: Vec<Symbol>,
    /// Its doc comment.
    pub doc: String,
    /// Where it is declared.
    pub span: Span,
}

/// A relation: its name, kind, columns and documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The name, one for all loaded files.
    pub name: Symbol,
    /// What it is for.
    pub kind: Kind,
    /// The columns in their order.
    pub columns: Vec<Column>,
    /// The doc comment, without the `##`, lines joined by newlines; empty without one.
    pub doc: String,
    /// The relation that each derivation of a guarded decision needs.
    pub requires: Option<Symbol>,
    /// Who may assert and retract facts of an input; anyone where that isn't said.
    pub authors: Option<Authors>,
    /// The columns that hold personal values.
    pub personal: Vec<Personal>,
    /// Where it is declared, or first derived.
    pub span: Span,
}

/// A column that holds personal values, and the one of the same relation that says whose they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Personal {
    /// The column, of strings.
    pub column: usize,
    /// The column of whose they are.
    pub subject: usize,
}

/// The role that the rules themselves have: an input or a parameter that lists it takes effects.
pub const RULES: &str = "rules";

/// Who may assert and retract facts of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authors {
    /// The roles, one of which the author has.
    pub roles: Vec<Symbol>,
    /// The column that names the author.
    pub column: Option<usize>,
    /// The column that holds the instant of the transaction.
    pub time: Option<usize>,
}

impl Relation {
    /// The position of the column called `name`.
    pub fn column(&self, name: Symbol) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The types of the columns.
    pub fn types(&self) -> impl Iterator<Item = Type> + '_ {
        self.columns.iter().map(|column| column.ty.ty)
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        for (at, column) in self.columns.iter().enumerate() {
            write!(f, "{}{column}", if at > 0 { ", " } else { "" })?;
        }
        f.write_str(")")
    }
}
