//! What certainly and what possibly follows where operations have no result, row by row. It is rare, so it needs no
//! code of its own: the rules are read from their text and evaluated by the semi-naive engine.

use std::fmt;
use std::time::Instant;

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::span::Sources;
use hence_core::value::{Value, Word};
use hence_engine::{Database, Engine, Limits, Model, SemiNaive};
use hence_lang::analysis;
use hence_lang::ir::{Program, RuleId};
use hence_lang::lower::lower;
use hence_lang::lower::unknown::unknown;

use super::pack::{Pack, Report, RunError};
use super::table::Tables;
use super::watch::Bounds;

/// A row of a decision that follows possibly and not certainly: it is not drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Undetermined {
    /// The decision.
    pub relation: &'static str,
    /// Its values; `None` for one that is unknown.
    pub values: Vec<Option<Value>>,
}

impl fmt::Display for Undetermined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<Value>| value.map_or(String::from("_"), |value| value.to_string());
        let values: Vec<String> = self.values.iter().map(value).collect();
        write!(f, "{}({})", self.relation, values.join(", "))
    }
}

impl Pack {
    /// Puts what certainly follows from the facts in `tables` in their place, and gives the rows of decisions that
    /// follow possibly and not certainly; `reports` are the operations without a result.
    pub(super) fn three_valued(
        &self,
        tables: &mut Tables,
        reports: &[Report],
        params: &[Word],
        bounds: &Bounds,
    ) -> Result<Vec<Undetermined>, RunError> {
        let program = self.program(params);
        let of = unknown(&program, reports.iter().map(|report| program[RuleId(report.rule)].head));
        let mut input = Database::new(&of.program);
        for (id, arity) in relations(&program) {
            let table = tables.take(id.0 as usize);
            table.iter().for_each(|row| input.push(id, row.get(..arity).or_broken(ROW)));
        }
        let model = SemiNaive.evaluate(&of.program, input, &limits(bounds)).map_err(|_| RunError::Bounds)?;
        *tables = self.tables();
        for (id, _) in relations(&program) {
            model[id].rows.iter().for_each(|row| tables.push(id.0 as usize, row));
        }
        let open = of.undetermined(&program, |id| rows(&model, id));
        let named = self.decisions.iter().filter_map(|name| {
            let id = program.relations.iter().position(|relation| relation.name.as_str() == *name);
            Some((*name, open.get(&RelationId(id? as u32))?))
        });
        let row = |relation, values: &Vec<Option<Value>>| Undetermined { relation, values: values.clone() };
        Ok(named.flat_map(|(name, rows)| rows.iter().map(move |values| row(name, values))).collect())
    }

    /// The rules as the engine evaluates them, under these values of the parameters.
    fn program(&self, params: &[Word]) -> Program {
        let mut sources = Sources::default();
        let mut files = Vec::new();
        for text in self.texts {
            let file = sources.add(self.name, *text);
            files.push(hence_syntax::parse(file, text).0);
        }
        let (checked, _) = analysis::check(&files, &sources, &[]);
        let mut program = lower(&checked).ok().or_broken("rules that were compiled have no fault");
        let ids = program.rules.iter().map(|rule| rule.id.as_str());
        assert!(ids.eq(self.rule_ids.iter().copied()), "the text of `{}` has other rules", self.name);
        for (param, word) in program.params.iter_mut().zip(params) {
            param.value = Value::from_word(param.ty.ty, *word);
        }
        program
    }
}

/// An invariant of tables.
const ROW: &str = "a row of a table has its relation's columns";

/// The relations of a program and how many columns each has.
fn relations(program: &Program) -> impl Iterator<Item = (RelationId, usize)> {
    (0..).map(RelationId).zip(program.relations.iter().map(|relation| relation.columns.len()))
}

fn rows(model: &Model, id: RelationId) -> Vec<Vec<Word>> {
    model[id].rows.iter().map(<[Word]>::to_vec).collect()
}

fn limits(bounds: &Bounds) -> Limits {
    let time = bounds.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    Limits { facts: bounds.matches, time, ..Limits::default() }
}
