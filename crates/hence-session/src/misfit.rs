//! What is said of recorded facts that can't be read under the columns that rules declare.

use hence_core::diagnostic::Diagnostic;
use hence_core::fact::Fact;
use hence_core::schema::{Column, ColumnType, Relation};
use hence_core::symbol::Symbol;
use hence_core::value::Type;
use hence_ledger::ColumnDifference;

use super::codes::OTHER_COLUMNS;

/// A relation whose recorded facts can't be read.
#[derive(Clone, Debug)]
pub(super) struct Misfit {
    /// The columns that facts were recorded with, where they are known.
    pub(super) recorded: Option<Vec<Column>>,
    pub(super) trouble: Trouble,
    /// How many facts can't be read.
    pub(super) facts: u64,
    /// The transaction that asserted the first of them, where one stands.
    pub(super) since: Option<u64>,
}

/// What keeps them from being read.
#[derive(Clone, Debug)]
pub(super) enum Trouble {
    /// The columns differ.
    Columns(Vec<ColumnDifference>),
    /// Facts such as this one hold something that the columns don't take.
    Values(Fact),
    /// The relation isn't an input.
    Kind,
}

impl Misfit {
    /// The fault, at the declaration of the relation.
    pub(super) fn diagnostic(&self, relation: &Relation) -> Diagnostic {
        let facts = if self.facts == 1 {
            String::from("1 recorded fact")
        } else {
            format!("{} recorded facts", self.facts)
        };
        let name = relation.name;
        let message = match &self.trouble {
            Trouble::Columns(_) => {
                format!("`{name}` has {facts} whose columns differ from its declaration")
            }
            Trouble::Values(_) => format!("`{name}` has {facts} not matching its declared columns"),
            Trouble::Kind => {
                format!("`{name}` has {facts} but is declared as `{}`", relation.kind.keyword())
            }
        };
        let declared = format!("declared as `{} {relation}`", relation.kind.keyword());
        let mut fault = Diagnostic::new(OTHER_COLUMNS, message).at(relation.span, declared);
        let columns = match &self.recorded {
            Some(columns) => format!("recorded as `{}`", form(name, columns)),
            None => String::from("recorded"),
        };
        let since = self.since.map(|since| format!(" since transaction {since}")).unwrap_or_default();
        fault = fault.note(format!("{columns}{since}"));
        for note in self.notes() {
            fault = fault.note(note);
        }
        for help in self.help(relation) {
            fault = fault.help(help);
        }
        fault
    }

    fn notes(&self) -> Vec<String> {
        match &self.trouble {
            Trouble::Columns(found) => found.iter().map(difference).collect(),
            Trouble::Values(fact) => vec![format!("one of them is `{fact}`")],
            Trouble::Kind => {
                vec![String::from("only facts of inputs are asserted, so no rule would read them")]
            }
        }
    }

    fn help(&self, relation: &Relation) -> Vec<String> {
        let mut help = Vec::new();
        if let Trouble::Kind = self.trouble {
            help.push(String::from("give the derived relation another name"));
        }
        if let Trouble::Columns(found) = &self.trouble {
            for column in found.iter().filter_map(|difference| match difference {
                ColumnDifference::New(column) if found.len() == 1 => Some(column),
                _ => None,
            }) {
                let default = literal(&column.ty);
                help.push(format!("give earlier facts a default: `{column} = {default}`"));
            }
        }
        match &self.recorded {
            Some(columns) => help.push(format!(
                "or carry them over with `hence migrate FILE.dl` and a rule such as `{}`",
                rule(relation, columns)
            )),
            None => {
                let width = match &self.trouble {
                    Trouble::Values(fact) => fact.values.len(),
                    Trouble::Columns(_) | Trouble::Kind => 0,
                };
                let columns: Vec<String> = (1..=width).map(|at| format!("C{at}")).collect();
                let read = format!("old.{}({})", relation.name, columns.join(", "));
                help.push(format!(
                    "carry them over with `hence migrate FILE.dl` and rules that read `{read}`"
                ));
            }
        }
        if let [only] = help.as_mut_slice() {
            *only = only.trim_start_matches("or ").to_owned();
        }
        help
    }
}

fn difference(difference: &ColumnDifference) -> String {
    match difference {
        ColumnDifference::Removed(column) => format!("the recorded column `{column}` isn't declared"),
        ColumnDifference::Retyped(column, ty) => {
            format!("the recorded column `{column}` is declared as `{}: {ty}`", column.name)
        }
        ColumnDifference::New(column) => {
            format!("the declared column `{column}` isn't recorded and has no default")
        }
    }
}

/// A relation with these columns.
pub(super) fn form(relation: Symbol, columns: &[Column]) -> String {
    let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
    format!("{relation}({})", columns.join(", "))
}

/// A rule that carries facts over, as far as that can be guessed.
pub(super) fn rule(relation: &Relation, recorded: &[Column]) -> String {
    let same = |name: Symbol| recorded.iter().find(|column| column.name == name);
    let gone: Vec<&Column> =
        recorded.iter().filter(|column| relation.column(column.name).is_none()).collect();
    let new: Vec<&Column> = relation.columns.iter().filter(|column| same(column.name).is_none()).collect();
    let renamed = match (gone.as_slice(), new.as_slice()) {
        ([gone], [new]) if gone.ty.ty == new.ty.ty => Some((*gone, new.name)),
        _ => None,
    };
    let (mut terms, mut read) = (Vec::new(), Vec::new());
    for column in &relation.columns {
        let from = renamed.filter(|(_, to)| *to == column.name).map(|(from, _)| from);
        let found = same(column.name).or(from);
        let term = found.and_then(|found| converted(&variable(found.name), found, column));
        if let (Some(found), Some(_)) = (found, &term) {
            read.push(format!("{}: {}", found.name, variable(found.name)));
        }
        let default = column.default.map(|default| default.to_string());
        terms.push(term.or(default).unwrap_or_else(|| literal(&column.ty)));
    }
    if read.is_empty() {
        read.extend(recorded.iter().map(|_| String::from("_")));
    }
    format!("{}({}) :- old.{}({}).", relation.name, terms.join(", "), relation.name, read.join(", "))
}

/// The variable for a column.
fn variable(column: Symbol) -> String {
    let words = column.as_str().split('_').filter(|word| !word.is_empty());
    words
        .filter_map(|word| word.split_at_checked(1))
        .map(|(first, rest)| first.to_uppercase() + rest)
        .collect()
}

/// A recorded value as a declared column takes it.
fn converted(variable: &str, from: &Column, to: &Column) -> Option<String> {
    let function = match (from.ty.ty, to.ty.ty) {
        (then, now) if then == now => return Some(kept(variable, from, to)),
        (Type::Int, Type::Float) => "float",
        (Type::Float, Type::Int) => "int",
        (Type::String, Type::Name) => "name",
        (_, Type::String) => "string",
        _ => return None,
    };
    Some(format!("{function}({variable})"))
}

/// A value of the same type; a name that the column lost becomes one that it has.
fn kept(variable: &str, from: &Column, to: &Column) -> String {
    let (Some(then), Some(now)) = (&from.ty.set, &to.ty.set) else { return variable.to_owned() };
    let lost = then.members.iter().filter(|member| !now.members.contains(member));
    lost.fold(variable.to_owned(), |term, member| {
        format!("if({variable} = {member}, {}, {term})", literal(&to.ty))
    })
}

/// A literal that a column of this type may hold.
fn literal(ty: &ColumnType) -> String {
    if let Some(member) = ty.set.as_ref().and_then(|set| set.members.first()) {
        return member.to_string();
    }
    String::from(match ty.ty {
        Type::Bool => "false",
        Type::Int => "0",
        Type::Float => "0.0",
        Type::String => "\"\"",
        Type::Name => "/unknown",
        Type::Time => "@1970-01-01T00:00:00Z",
        Type::Duration => "0s",
        Type::List(_) => "[]",
    })
}
