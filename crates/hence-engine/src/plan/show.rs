//! Plans as text, for `hence bench --show plan`.

use crate::limits::LimitReached;
use crate::model::Database;
use crate::plan::steps::{AccessPath, JoinInput, Plan, PlanStep, Sign, StepOrigin};
use crate::plan::stratum::stratum_plans;
use crate::storage::relations::Relations;
use crate::storage::view::View;
use std::fmt::{self, Write};

use hence_core::fault::broken;
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::text::ShownRule;
use hence_lang::ir::{Literal, Program, Rule, RuleId};

/// The plans of all rules for this input, stratum by stratum, as text. Relations that are yet to be derived count as
/// empty, so an evaluation may order some loops differently.
///
/// # Errors
/// A limit that the input reaches.
pub fn plans(program: &Program, input: Database) -> Result<String, LimitReached> {
    let loaded = Relations::load(program, input);
    let mut relations = loaded.map_err(|bound| LimitReached::at(bound, program, RuleId(0)))?;
    let params = program.param_words();
    let mut text = String::new();
    // Some strata hold facts of rule files alone.
    for (number, stratum) in
        program.strata.iter().enumerate().filter(|(_, stratum)| !stratum.rules.is_empty())
    {
        let _ = writeln!(text, "stratum {number}{}", if stratum.recursive { ", to a fixpoint" } else { "" });
        for first in [true, false] {
            for plan in stratum_plans(program, stratum, &mut relations.stable, &params, first) {
                let _ = write!(text, "{}", Shown { plan: &plan, rule: &program[plan.rule], program });
            }
        }
    }
    Ok(text)
}

struct Shown<'a> {
    plan: &'a Plan,
    rule: &'a Rule,
    program: &'a Program,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {}", self.rule.id)?;
        if let Some(delta) = self.plan.delta {
            write!(f, ", new facts of literal {}", delta + 1)?;
        }
        writeln!(f)?;
        for (step, origin) in self.plan.steps.iter().zip(&self.plan.order) {
            let StepOrigin::Literal(at) = *origin else { broken("the plans of a stratum compare no heads") };
            if matches!(step, PlanStep::Anew { .. }) {
                continue;
            }
            write!(f, "    ")?;
            self.step(f, step, at)?;
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Shown<'_> {
    fn step(&self, f: &mut fmt::Formatter<'_>, step: &PlanStep, at: usize) -> fmt::Result {
        let what = match step {
            PlanStep::Every(_) | PlanStep::Between(_) | PlanStep::Each(..) => "each",
            PlanStep::MultiwayJoin(inputs) => return self.multiway_join(f, inputs),
            PlanStep::Keys { .. } => "each key of",
            PlanStep::Some(_, Sign::Present) => "some",
            PlanStep::Some(_, Sign::Absent) | PlanStep::Probe { sign: Sign::Absent, .. } => "no",
            PlanStep::Probe { .. } => "is",
            PlanStep::Test(..) => "test",
            PlanStep::Let(..) | PlanStep::Same(..) => "let",
            PlanStep::Among(..) => "among",
            PlanStep::Once { slot, .. } => return write!(f, "once for each {}", self.name(VarId(slot.0))),
            PlanStep::Anew { .. } => return Ok(()),
            PlanStep::Fewer { next, other, takes_ties } => return self.fewer(f, next, other, *takes_ties),
        };
        write!(f, "{what} ")?;
        let literal = self.rule.literal(at);
        match literal.atom() {
            Some(atom) => self.text().atom(f, atom)?,
            None => self.text().literal(f, literal)?,
        }
        match step {
            PlanStep::Every(path) | PlanStep::Some(path, _) => access(f, path.view, columns(path)),
            PlanStep::Between(bounded) => {
                let columns = bounded.path.key.len();
                access(f, bounded.path.view, Some(columns).filter(|columns| *columns > 0))?;
                f.write_str(" within bounds")
            }
            PlanStep::Probe { view, .. } => access(f, *view, None),
            PlanStep::Keys { view, .. } => access(f, *view, None),
            _ => Ok(()),
        }
    }

    /// A step that leaves facts to another plan.
    fn fewer(
        &self,
        f: &mut fmt::Formatter<'_>,
        next: &AccessPath,
        other: &AccessPath,
        takes_ties: bool,
    ) -> fmt::Result {
        let [next, other] = [next, other].map(|path| self.program[path.relation].name);
        let ties = if takes_ties { "not more" } else { "fewer" };
        write!(f, "where {ties} rows of {next} than of {other} fit")
    }

    /// A step that goes through the shortest of several lists.
    fn multiway_join(&self, f: &mut fmt::Formatter<'_>, inputs: &[JoinInput]) -> fmt::Result {
        f.write_str("each of the fewest: ")?;
        for (at, input) in inputs.iter().enumerate() {
            f.write_str(if at > 0 { ", or " } else { "" })?;
            if let Literal::Atom(atom) = self.rule.literal(input.literal) {
                self.text().atom(f, atom)?;
            }
            access(f, input.path.view, columns(&input.path))?;
        }
        Ok(())
    }

    /// The rule as text.
    fn text(&self) -> ShownRule<'_> {
        ShownRule { program: self.program, rule: self.rule }
    }

    fn name(&self, var: VarId) -> &str {
        self.rule[var].name.as_str()
    }
}

/// Which facts a step reads, and by how many columns of a key.
fn access(f: &mut fmt::Formatter<'_>, view: View, columns: Option<usize>) -> fmt::Result {
    f.write_str(match view {
        View::All => "",
        View::Delta => " among the new",
        View::Old => " among the old",
        View::Ranked => " among the ranked",
    })?;
    match columns {
        Some(columns) => write!(f, " by {columns} column{}", if columns == 1 { "" } else { "s" }),
        None => Ok(()),
    }
}

/// By how many columns an index finds the rows of a path.
fn columns(path: &AccessPath) -> Option<usize> {
    path.index.map(|_| path.key.len())
}
