//! Mutants: rule sets with one small fault each, to see whether the tests notice.
//!
//! A mutant is made of the checked rules, as they stand in the text, and lowered as they are, so it is always a valid
//! program, and what an aggregate in a body is made of follows:
//! - a comparison is shifted (`<` and `<=`, `>` and `>=`, exchanged) or turned round (`<` and `>=`, `=` and `!=`);
//! - a literal is dropped where the rule stays safe, a negation is dropped;
//! - a constant or a parameter becomes its neighbour: an int by 1, a float by one in its last written place, a
//!   duration by one of its unit, a bool the other one, a name of a closed set the next one, other texts another;
//! - an aggregate is exchanged for another of the same type;
//! - a rule or a fact of a rule file is removed;
//! - a limit keeps one more or one less, or orders by a key the other way round.
//!
//! Left out, for no test could notice them: a mutant that is provably the same as the original or as another one
//! (a dropped literal that another literal of the body implies, through all rules of its relation; a count of
//! values where no two matches have the same), and one that a guard (`requires`) refuses at load.

mod equivalent;
mod exprs;
mod neighbour;
mod run;
mod variants;

use std::time::Duration;

use hence_core::span::{Place, Span};
use hence_core::value::Value;
use hence_lang::analysis::checked::Rule;

pub use run::mutate;

/// What became of all mutants.
#[derive(Clone, Debug, Default)]
pub struct Mutation {
    /// By file, in order.
    pub files: Vec<FileMutation>,
    /// Wall time.
    pub elapsed: Duration,
}

/// What became of the mutants of one file.
#[derive(Clone, Debug, Default)]
pub struct FileMutation {
    /// The file's name.
    pub name: String,
    /// How many a test noticed.
    pub killed: usize,
    /// Those that no test noticed, in the order of the text.
    pub survivors: Vec<Survivor>,
    /// How many the budget left no time for.
    pub not_run: usize,
    /// How many were left out, being provably equivalent or refused by a guard.
    pub equivalent: usize,
}

/// A mutant that no test noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survivor {
    /// Where the change is.
    pub place: Place,
    /// The rule, fact or parameter that was changed.
    pub rule: String,
    /// What was changed.
    pub change: String,
    /// How many tests ran that reach it.
    pub tests: usize,
}

impl FileMutation {
    /// The percentage of the mutants run that were noticed; 100 of none.
    pub fn score(&self) -> f64 {
        score(self.killed, self.survivors.len())
    }
}

impl Mutation {
    /// The percentage over all files.
    pub fn score(&self) -> f64 {
        score(
            self.files.iter().map(|file| file.killed).sum(),
            self.files.iter().map(|file| file.survivors.len()).sum(),
        )
    }
}

fn score(killed: usize, survived: usize) -> f64 {
    if killed + survived == 0 { 100.0 } else { killed as f64 * 100.0 / (killed + survived) as f64 }
}

/// One change of a program.
#[derive(Clone, Debug)]
enum MutantChange {
    /// A rule, or a fact of a rule file, is another one.
    Rule(usize, Box<Rule>),
    /// A parameter has another value.
    Param(usize, Value),
}

/// A change, and what to say of it.
#[derive(Clone, Debug)]
struct Mutant {
    change: MutantChange,
    place: Place,
    rule: String,
    says: String,
    /// Whether it is known to change nothing.
    equivalent: bool,
    /// The positive atom that was dropped, if that is the change.
    dropped: Option<Span>,
}
