//! Which relations a fact file may speak of.

use std::collections::HashMap;

use hence_core::diagnostic::{self, Diagnostic};
use hence_core::schema::{Kind, Relation};

use super::codes;

/// The relation that holds the clock of a run.
pub const CLOCK: &str = "now";

/// The relations of a rule set as the readers look them up.
#[derive(Clone, Debug)]
pub struct Schemas<'a> {
    relations: HashMap<&'static str, &'a Relation>,
    clock: bool,
    threads: usize,
}

impl<'a> Schemas<'a> {
    /// The schemas of these relations. Facts of inputs alone are accepted.
    pub fn new(relations: &'a [Relation]) -> Self {
        let relations = relations.iter().map(|relation| (relation.name.as_str(), relation)).collect();
        Self { relations, clock: false, threads: 1 }
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
        let known = self.relations.values().filter(|relation| relation.kind == Kind::Input);
        match diagnostic::nearest(name, known.map(|relation| relation.name.as_str())) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help("declare it in a rule file: `input NAME(column: type, …).`"),
        }
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
