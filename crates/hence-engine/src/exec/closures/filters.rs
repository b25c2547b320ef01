//! Filters: comparisons, bindings, and whether facts are there.
#![expect(clippy::indexing_slicing, reason = "hot: slots and sets are in range by construction of the plan")]

use super::{Next, ON, Run, Step};
use crate::exec::cursor::{LoopCursor, candidate_count, candidates};
use crate::plan::distinct::Passed;
use crate::plan::expr::CompiledExpr;
use crate::plan::frame::Slot;
use crate::plan::steps::{AccessPath, Sign};
use crate::storage::view::View;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::op::Op;

/// Whether some row fits.
pub(super) fn exists(path: AccessPath, sign: Sign, then: Step) -> Step {
    Box::new(move |run| {
        let stable = run.stable(path.relation);
        let fits = |run: &mut Run<'_, '_, '_>, at: u32| {
            let row = stable.row(at);
            path.row.fits(&mut run.frame, |column| row.at(column))
        };
        let checked = !path.row.checks.is_empty();
        let found = match candidates(&path, run.context.stable, run.frame.view()) {
            LoopCursor::Rows(from, to) if checked => (from..to).any(|at| fits(run, at)),
            LoopCursor::Rows(from, to) => from < to,
            LoopCursor::Numbers(numbers) if checked => numbers.iter().any(|at| fits(run, *at)),
            LoopCursor::Numbers(entries) | LoopCursor::Words(entries) => !entries.is_empty(),
        };
        if let Err(bound) = run.context.budget.step() {
            return run.halt(bound);
        }
        if sign.passes(found) { then(run) } else { ON }
    })
}

/// Whether a fact is there.
pub(super) fn probe((relation, view): (RelationId, View), row: &[Slot], sign: Sign, then: Step) -> Step {
    match *row {
        [a] => Box::new(move |run| {
            let found = run.holds(relation, &[run.frame[a]], view);
            if sign.passes(found) { then(run) } else { ON }
        }),
        [a, b] => Box::new(move |run| {
            let found = run.holds(relation, &[run.frame[a], run.frame[b]], view);
            if sign.passes(found) { then(run) } else { ON }
        }),
        _ => {
            let row = row.to_vec();
            Box::new(
                move |run| {
                    if sign.passes(run.holds_slots(relation, &row, view)) { then(run) } else { ON }
                },
            )
        }
    }
}

/// Whether an expression is true.
pub(super) fn test(number: Next, code: CompiledExpr, then: Step) -> Step {
    let (op, operands) = match &code {
        CompiledExpr::Flat(op, _, a, b) => (*op, [CompiledExpr::Slot(*a), CompiledExpr::Slot(*b)]),
        CompiledExpr::Two(op, _, operands) => (*op, *operands.clone()),
        _ => return truth(number, code, then),
    };
    match op {
        Op::Equal => compare(number, operands, |a, b| a == b, then),
        Op::NotEqual => compare(number, operands, |a, b| a != b, then),
        Op::Less => compare(number, operands, |a, b| a.as_int() < b.as_int(), then),
        Op::LessEqual => compare(number, operands, |a, b| a.as_int() <= b.as_int(), then),
        Op::Greater => compare(number, operands, |a, b| a.as_int() > b.as_int(), then),
        Op::GreaterEqual => compare(number, operands, |a, b| a.as_int() >= b.as_int(), then),
        _ => truth(number, code, then),
    }
}

fn truth(number: Next, code: CompiledExpr, then: Step) -> Step {
    Box::new(move |run| match run.eval(&code) {
        Ok(word) if word.as_bool() => then(run),
        Ok(_) => ON,
        Err(none) => run.report_step(none, number),
    })
}

fn compare(
    number: Next,
    operands: [CompiledExpr; 2],
    holds: impl Fn(Word, Word) -> bool + Send + Sync + 'static,
    then: Step,
) -> Step {
    match operands {
        [CompiledExpr::Slot(a), CompiledExpr::Slot(b)] => {
            Box::new(move |run| if holds(run.frame[a], run.frame[b]) { then(run) } else { ON })
        }
        [a, b] => Box::new(move |run| match run.eval(&a).and_then(|a| Ok((a, run.eval(&b)?))) {
            Ok((a, b)) if holds(a, b) => then(run),
            Ok(_) => ON,
            Err(none) => run.report_step(none, number),
        }),
    }
}

/// Binds a slot.
pub(super) fn bind(number: Next, slot: Slot, code: CompiledExpr, then: Step) -> Step {
    Box::new(move |run| match run.eval(&code) {
        Ok(word) => {
            run.frame[slot] = word;
            then(run)
        }
        Err(none) => run.report_step(none, number),
    })
}

/// Whether one literal has fewer candidates than another.
pub(super) fn fewer(next: AccessPath, other: AccessPath, takes_ties: bool, then: Step) -> Step {
    Box::new(move |run| {
        let count = |path| candidate_count(path, run.context.stable, run.frame.view());
        // The same literal is looked up first in both plans; where it has none or one, the other's need not be known.
        let passes = if takes_ties {
            let next = count(&next);
            next == 1 || next > 1 && next <= count(&other)
        } else {
            let other = count(&other);
            other > 1 && count(&next) < other
        };
        if passes { then(run) } else { ON }
    })
}

/// The words of a set may pass once more.
pub(super) fn begin_anew(set: usize, then: Step) -> Step {
    Box::new(move |run| {
        if run.passed.len() <= set {
            run.passed.resize_with(set + 1, Passed::default);
        }
        run.passed[set].anew();
        then(run)
    })
}

/// Whether a word didn't pass yet since its set began anew.
pub(super) fn once(set: usize, slot: Slot, then: Step) -> Step {
    Box::new(move |run| {
        if let Err(bound) = run.context.budget.step() {
            return run.halt(bound);
        }
        let word = run.frame[slot];
        if run.passed[set].passes(word.0) { then(run) } else { ON }
    })
}
