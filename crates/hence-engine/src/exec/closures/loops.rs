//! Loops over rows, keys and elements.
#![expect(clippy::indexing_slicing, reason = "hot: columns are in range by construction of the plan")]

use super::ahead::{AHEAD, Ahead};
use super::{Frame, Next, ON, Run, STEPS, Step};
use crate::cells::{Cell, Slice};
use crate::exec::bounds::places;
use crate::exec::cursor::{LoopCursor, entries, keys as keys_of};
use crate::plan::expr::{CompiledExpr, eval_all};
use crate::plan::frame::Slot;
use crate::plan::steps::{AccessPath, BoundedPath, PlanStep, RowPattern};
use crate::storage::content::Content;
use crate::storage::index::IndexId;
use crate::storage::view::View;
use hence_core::fault::broken;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::generator::Generator;

/// The rows that a loop without an index goes through, of the outermost one those of its morsel.
#[inline(always)]
pub(super) fn rows_of<'a>(run: &Run<'_, 'a, '_>, number: Next, path: &AccessPath) -> Slice<'a> {
    let stable = run.stable(path.relation);
    match run.morsel {
        Some(LoopCursor::Rows(from, to)) if number == 1 => {
            let arity = stable.arity();
            stable.words().part(from as usize * arity, to as usize * arity)
        }
        _ => stable.part(path.view),
    }
}

/// The entries of an index that a loop goes through, of the outermost one those of its morsel.
#[inline(always)]
pub(super) fn entries_of<'a>(
    run: &Run<'_, 'a, '_>,
    number: Next,
    path: &AccessPath,
    index: IndexId,
) -> &'a [u32] {
    match run.morsel {
        Some(LoopCursor::Numbers(entries) | LoopCursor::Words(entries)) if number == 1 => entries,
        _ => entries(path, run.stable(path.relation).index(index), run.frame.view()),
    }
}

/// A loop over rows one after the other, with the step after it.
pub(super) fn scan(number: Next, path: AccessPath, after: Option<&PlanStep>, then: Step) -> Step {
    let ahead = Ahead::of(&path.row.binds, after);
    match (path.row.binds.as_slice(), path.row.checks.as_slice()) {
        (&[bind], []) => scan_for(number, path, [bind], ahead, then),
        (&[a, b], []) => scan_for(number, path, [a, b], ahead, then),
        _ => {
            let row = path.row.clone();
            scan_for(number, path, row, ahead, then)
        }
    }
}

fn scan_for(number: Next, path: AccessPath, pattern: impl Pattern, ahead: Option<Ahead>, then: Step) -> Step {
    Box::new(move |run| {
        let arity = run.stable(path.relation).arity();
        match rows_of(run, number, &path) {
            Slice::Narrow(cells) => scan_parts(run, number, &pattern, ahead.as_ref(), (cells, arity), &then),
            Slice::Wide(words) => scan_parts(run, number, &pattern, ahead.as_ref(), (words, arity), &then),
        }
    })
}

/// A loop over rows; what the step after it looks up in a large index is looked at for many rows at once before.
#[inline]
fn scan_parts<C: Cell>(
    run: &mut Run<'_, '_, '_>,
    number: Next,
    pattern: &impl Pattern,
    ahead: Option<&Ahead>,
    (rows, arity): (&[C], usize),
    then: &Step,
) -> Next {
    let Some((ahead, index)) = ahead.and_then(|ahead| ahead.far(run)) else {
        return scan_rows(run, number, pattern, (rows, arity), then);
    };
    for rows in rows.chunks(AHEAD * arity.max(1)) {
        ahead.look(index, run.frame.view(), (rows, arity));
        let next = scan_rows(run, number, pattern, (rows, arity), then);
        if next < number {
            return next;
        }
    }
    ON
}

#[inline]
fn scan_rows<C: Cell>(
    run: &mut Run<'_, '_, '_>,
    number: Next,
    pattern: &impl Pattern,
    (mut rows, arity): (&[C], usize),
    then: &Step,
) -> Next {
    if let Err(bound) = run.context.budget.steps(rows.len() as u64) {
        return run.halt(bound);
    }
    // Not by `chunks_exact`, whose division takes as long as a row.
    while !rows.is_empty() {
        let (row, rest) = rows.split_at(arity);
        rows = rest;
        if pattern.fits(&mut run.frame, row) {
            let next = then(run);
            if next < number {
                return next;
            }
        }
    }
    ON
}

/// What a row binds and must equal.
trait Pattern: Send + Sync + 'static {
    /// Binds what a row binds; whether it fits.
    fn fits<C: Cell>(&self, frame: &mut Frame<'_>, row: &[C]) -> bool;
}

impl Pattern for RowPattern {
    #[inline]
    fn fits<C: Cell>(&self, frame: &mut Frame<'_>, row: &[C]) -> bool {
        self.fits(frame, |column| row[column].word())
    }
}

impl<const N: usize> Pattern for [(u32, Slot); N] {
    #[inline]
    fn fits<C: Cell>(&self, frame: &mut Frame<'_>, row: &[C]) -> bool {
        for (column, slot) in self {
            frame[*slot] = row[*column as usize].word();
        }
        true
    }
}

/// A loop over rows that an index finds.
pub(super) fn look_up(number: Next, path: AccessPath, index: IndexId, then: Step) -> Step {
    let word = path.row.binds.first().map(|(_, slot)| *slot);
    Box::new(move |run| {
        let stable = run.stable(path.relation);
        let entries = entries_of(run, number, &path, index);
        if let Err(bound) = run.context.budget.steps(entries.len() as u64) {
            return run.halt(bound);
        }
        let are_words = stable.index(index).content() != Content::Numbers;
        for entry in entries {
            let fits = match word {
                Some(slot) if are_words => {
                    run.frame[slot] = Word(u64::from(*entry));
                    true
                }
                None if are_words => true,
                _ => {
                    let row = stable.row(*entry);
                    path.row.fits(&mut run.frame, |column| row.at(column))
                }
            };
            if fits {
                let next = then(run);
                if next < number {
                    return next;
                }
            }
        }
        ON
    })
}

/// The rows that comparisons leave in an ordered index.
#[inline]
pub(super) fn rows_between<'a>(run: &Run<'_, 'a, '_>, bounded: &BoundedPath) -> Slice<'a> {
    let stable = run.stable(bounded.path.relation);
    let places = places(bounded, stable, run.frame.view(), run.context.params);
    let arity = stable.arity();
    stable.ordered(bounded.index).rows().part(places.start as usize * arity, places.end as usize * arity)
}

/// A loop over the rows that comparisons leave in an ordered index.
pub(super) fn between(number: Next, bounded: BoundedPath, then: Step) -> Step {
    Box::new(move |run| {
        let arity = run.stable(bounded.path.relation).arity();
        match rows_between(run, &bounded) {
            Slice::Narrow(cells) => scan_rows(run, number, &bounded.path.row, (cells, arity), &then),
            Slice::Wide(words) => scan_rows(run, number, &bounded.path.row, (words, arity), &then),
        }
    })
}

/// A loop over the keys of an index.
pub(super) fn keys(
    number: Next,
    (relation, index, view): (RelationId, IndexId, View),
    slots: Vec<(u32, Slot)>,
    then: Step,
) -> Step {
    Box::new(move |run| {
        let stable = run.stable(relation);
        let index = stable.index(index);
        let all = run.morsel.filter(|_| number == 1).unwrap_or_else(|| keys_of(index, view));
        match (all, slots.as_slice()) {
            (LoopCursor::Rows(from, to), [(_, slot)]) => {
                for group in (from..to).filter(|group| index.has_rows(*group)) {
                    run.frame[*slot] = index.key(group);
                    let next = then(run);
                    if next < number {
                        return next;
                    }
                }
            }
            (LoopCursor::Numbers(rows), slots) => {
                for at in rows {
                    let row = stable.row(*at);
                    for (column, slot) in slots {
                        run.frame[*slot] = row.at(*column as usize);
                    }
                    let next = then(run);
                    if next < number {
                        return next;
                    }
                }
            }
            _ => broken(STEPS),
        }
        ON
    })
}

/// A loop over what a generator gives.
pub(super) fn elements(
    number: Next,
    slot: Slot,
    generator: Generator,
    args: Vec<CompiledExpr>,
    then: Step,
) -> Step {
    Box::new(move |run| {
        let words = match eval_all(&args, run.frame.view(), run.context.params) {
            Ok(words) => words,
            Err(none) => return run.report_step(none, number),
        };
        match (&generator, words.as_slice()) {
            (Generator::Range, [from, to]) => {
                let ints = (from.as_int()..to.as_int()).map(Word::from_int);
                each_element(run, number, slot, ints, &then)
            }
            _ => each_element(run, number, slot, generator.elements(&words), &then),
        }
    })
}

fn each_element(
    run: &mut Run<'_, '_, '_>,
    number: Next,
    slot: Slot,
    words: impl Iterator<Item = Word>,
    then: &Step,
) -> Next {
    for word in words {
        let spent = run.context.budget.spend(1).and_then(|()| run.context.budget.step());
        if let Err(bound) = spent {
            return run.halt(bound);
        }
        run.frame[slot] = word;
        let next = then(run);
        if next < number {
            return next;
        }
    }
    ON
}
