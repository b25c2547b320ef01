//! Which relations a fact file may speak of.

use std::collections::HashMap;

use hence_core::diagnostic::{self, Diagnostic};
use hence_core::schema::{Column, Kind, Relation};
use hence_core::value::Type;

use super::codes;

/// The relation that holds the clock of a run.
pub const CLOCK: &str = "now";

/// The relations of a rule set as the readers look them up.
#[derive(Clone, Debug)]
pub struct Schemas<'a> {
    relations: HashMap<&'static str, &'a Relation>,
    /// The same in their order.
    all: &'a [Relation],
    clock: bool,
    threads: usize,
}

impl<'a> Schemas<'a> {
    /// The schemas of these relations. Facts of inputs alone are accepted.
    pub fn new(relations: &'a [Relation]) -> Self {
        let all = relations;
        let relations = all.iter().map(|relation| (relation.name.as_str(), relation)).collect();
        Self { relations, all, clock: false, threads: 1 }
    }

    /// Accepts `now` too, for those who set the clock by it.
    #[must_use]
    pub fn with_clock(self) -> Self {
        Self { clock: true, ..self }
    }

    /// Large files of lines are read on up to so many threads.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }

    /// On how many threads large files are read.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// The relation called `name`, or what is wrong with facts of it; the diagnostic has no place yet.
    pub(super) fn find(&self, name: &str) -> Result<&'a Relation, Diagnostic> {
        match self.relations.get(name).copied() {
            Some(_) if name == CLOCK && !self.clock => Err(clock_as_fact()),
            Some(relation) if relation.kind == Kind::Input => Ok(relation),
            Some(relation) => Err(not_input(relation)),
            None => Err(self.unknown(name)),
        }
    }

    fn unknown(&self, name: &str) -> Diagnostic {
        let fault = Diagnostic::new(codes::UNKNOWN_RELATION, format!("unknown relation `{name}`"));
        match self.nearest(name) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help("declare it in a rule file: `input NAME(column: type, …).`"),
        }
    }

    /// The relations whose facts are accepted.
    fn accepted(&self) -> impl Iterator<Item = &'a Relation> {
        self.all.iter().filter(|relation| relation.kind == Kind::Input)
    }

    /// Whether there is none of that name.
    pub(super) fn lacks(&self, name: &str) -> bool {
        !self.relations.contains_key(name)
    }

    /// The name that was probably meant.
    pub(super) fn nearest(&self, name: &str) -> Option<&'a str> {
        diagnostic::nearest(name, self.accepted().map(|relation| relation.name.as_str()))
    }

    /// Whether a column of any of them is called so.
    pub(super) fn has_column(&self, name: &str) -> bool {
        self.accepted().flat_map(|relation| &relation.columns).any(|column| column.name.as_str() == name)
    }

    /// The relations that people bring facts of: the clock is given.
    fn brought(&self) -> impl Iterator<Item = &'a Relation> {
        self.accepted().filter(|relation| relation.name.as_str() != CLOCK && !relation.columns.is_empty())
    }

    /// The relation that records with these fields are probably of: the one with most columns called so, else the only one.
    pub(super) fn of_fields(&self, fields: &[impl AsRef<str>]) -> Option<&'a Relation> {
        let is_field = |column: &&Column| fields.iter().any(|field| field.as_ref() == column.name.as_str());
        let shared = |relation: &Relation| relation.columns.iter().filter(is_field).count();
        let most = self.brought().map(shared).max().filter(|most| *most > 0);
        match most {
            Some(most) => self.brought().find(|relation| shared(relation) == most),
            None => self.brought().next().filter(|_| self.brought().count() == 1),
        }
    }

    /// A fact on a line, such as `{"tool_run": [1, "web_search"]}`, of the first relation that people bring facts of.
    pub(super) fn example(&self) -> String {
        let fact = self.brought().next().map_or_else(
            || String::from("{\"tool_run\": [1, \"web_search\"]}"),
            |relation| {
                let values: Vec<String> = relation.columns.iter().map(value).collect();
                format!("{{\"{}\": [{}]}}", relation.name, values.join(", "))
            },
        );
        format!("write a fact on one line: `{fact}`")
    }
}

/// A value that a column takes, as JSON.
fn value(column: &Column) -> String {
    let of_set = column.ty.set.as_ref().and_then(|set| set.members.first());
    match column.ty.ty {
        Type::Bool => String::from("true"),
        Type::Int | Type::List(_) => String::from("1"),
        Type::Float => String::from("0.5"),
        Type::String => format!("\"{}\"", column.name),
        Type::Name => of_set.map_or_else(|| format!("\"/{}\"", column.name), |name| format!("\"{name}\"")),
        Type::Time => String::from("\"2026-02-09T09:00:00Z\""),
        Type::Duration => String::from("\"5s\""),
    }
}

/// The error for `now` among facts; it has no place yet.
pub fn clock_as_fact() -> Diagnostic {
    Diagnostic::new(codes::CLOCK, "`now` is the clock of the run, not a fact to assert")
        .help("set it with `--now TIME`; in a stream of `decide --follow`, the line sets it")
}

fn not_input(relation: &Relation) -> Diagnostic {
    let message = format!("`{}` is derived, not an input", relation.name);
    Diagnostic::new(codes::NOT_INPUT, message)
        .note(format!("its facts follow from rules; it is declared `{}`", relation.kind.keyword()))
        .help(format!("assert facts of the inputs that derive `{}`", relation.name))
}
