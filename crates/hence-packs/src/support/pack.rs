//! A compiled rule set: what it holds, and how it is run.

use thiserror::Error;

use hence_core::fault::OrBroken;
use hence_core::value::{Value, Word};

use super::convert::{BadFact, BadParam};
use super::possible::Undetermined;
use super::rule::Rule;
use super::table::Tables;
use super::undefined::undefined_operations;
use super::watch::{self, Bounds};

/// A compiled rule set.
#[derive(Debug)]
pub struct Pack {
    /// Its name.
    pub name: &'static str,
    /// Of the rules that were compiled.
    pub fingerprint: &'static str,
    /// The relations, by number.
    pub relations: &'static [&'static str],
    /// The parameters, by number.
    pub params: &'static [&'static str],
    /// The identities of the rules, by number.
    pub rule_ids: &'static [&'static str],
    /// How many columns each relation has, and after them each table of matches.
    pub arities: &'static [usize],
    /// The rules that a `crepe!` program can't evaluate alone: aggregates, limits, operations that may have no
    /// result.
    pub rules: &'static [&'static Rule],
    /// The names of the decisions, ascending.
    pub decisions: &'static [&'static str],
    /// The rules of each file as text, for what follows possibly.
    pub texts: &'static [&'static str],
    /// Adds the facts of the rule files.
    pub facts: fn(&mut Tables),
    /// Evaluates the rules under these values of the parameters.
    pub run: fn(&mut Tables, &[Word]),
}

/// An undefined operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The rule.
    pub rule: u32,
    /// The operation, by its place in the order of its rule's text.
    pub at: u32,
    /// The values of the rule's variables; `None` for those that depend on the operation.
    pub bindings: Vec<Option<Word>>,
}

/// What follows from facts.
#[derive(Clone, Debug)]
pub struct Decided {
    /// What certainly follows.
    pub tables: Tables,
    /// The rows of decisions that follow possibly and not certainly, ascending.
    pub undetermined: Vec<Undetermined>,
    /// Undefined operations, one line each.
    pub reports: Vec<String>,
}

/// Why a compiled rule set gave no decisions.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RunError {
    /// A fact has a value that its column can't hold.
    #[error(transparent)]
    BadFact(#[from] BadFact),
    /// A parameter has a value that it can't have.
    #[error(transparent)]
    BadParam(#[from] BadParam),
    /// The bounds were reached.
    #[error("a limit of the evaluation was reached")]
    Bounds,
}

impl Pack {
    /// No facts yet.
    pub fn tables(&self) -> Tables {
        Tables::new(self.arities)
    }

    /// Decides over the facts that `fill` puts into tables.
    ///
    /// # Errors
    /// A fact with a value that its column can't hold, and bounds that were reached.
    pub fn decide(
        &self,
        fill: impl Fn(&mut Tables) -> Result<(), BadFact>,
        params: &[Word],
        bounds: &Bounds,
    ) -> Result<Decided, RunError> {
        let mut tables = self.tables();
        fill(&mut tables)?;
        let reports = self.evaluate(&mut tables, params, bounds)?;
        if reports.is_empty() {
            return Ok(Decided { tables, undetermined: Vec::new(), reports: Vec::new() });
        }
        let mut tables = self.tables();
        fill(&mut tables)?;
        let undetermined = self.three_valued(&mut tables, &reports, params, bounds)?;
        Ok(Decided { tables, undetermined, reports: self.lines(&reports) })
    }

    /// Evaluates the rules over the facts in `tables` and leaves there what follows; gives the operations without
    /// a result, rule by rule, each rule's in no order that means anything.
    ///
    /// # Errors
    /// The bounds were reached; `tables` then holds only a part.
    pub fn evaluate(
        &self,
        tables: &mut Tables,
        params: &[Word],
        bounds: &Bounds,
    ) -> Result<Vec<Report>, RunError> {
        watch::begin(bounds);
        (self.facts)(tables);
        (self.run)(tables, params);
        let noted = watch::end();
        if noted.stopped {
            return Err(RunError::Bounds);
        }
        let mut reports = noted.reports;
        for rule in self.rules.iter().filter(|rule| noted.failed.contains(&rule.number)) {
            reports.extend(undefined_operations(tables, rule, params));
        }
        reports.sort_by_key(|report| report.rule);
        Ok(reports)
    }

    /// The rule of a report.
    pub fn rule(&self, report: &Report) -> &'static Rule {
        let rule = self.rules.iter().find(|rule| rule.number == report.rule);
        rule.or_broken("rules with operations that may have no result are described")
    }

    /// A report as a line for people: where, in which rule, with which values.
    pub fn line(&self, report: &Report) -> String {
        let rule = self.rule(report);
        let (place, text) = rule.places.get(report.at as usize).or_broken("each operation has its place");
        let bindings: Vec<String> = rule
            .variables
            .iter()
            .zip(&report.bindings)
            .filter(|((name, _), _)| !name.starts_with(|c: char| c.is_ascii_digit()))
            .filter_map(|((name, ty), word)| {
                word.map(|word| format!("{name} = {}", Value::from_word(*ty, word)))
            })
            .collect();
        let with = if bindings.is_empty() { "" } else { " with " };
        format!("{place}: `{text}` is undefined in `{}`{with}{}", rule.id, bindings.join(", "))
    }

    /// Reports as lines, the smallest few of each rule.
    fn lines(&self, reports: &[Report]) -> Vec<String> {
        let mut lines: Vec<String> = reports.iter().map(|report| self.line(report)).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}
