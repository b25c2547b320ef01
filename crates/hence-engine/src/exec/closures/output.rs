//! What becomes of a match, and the innermost loops that only write facts down.
#![expect(clippy::indexing_slicing, reason = "hot: slots are in range by construction of the plan")]

use super::joins::common_of;
use super::loops::{entries_of, rows_between, rows_of};
use super::{Next, Run, STEPS, Step};
use crate::cells::{Cell, Slice};
use crate::exec::context::{ExecContext, Sink};
use crate::plan::expr::CompiledExpr;
use crate::plan::steps::{HeadWord, PlanStep};
use crate::storage::content::Content;
use hence_core::fault::broken;
use hence_core::meter::Bound;
use hence_core::value::Word;

use smallvec::SmallVec;

/// The rows that a run has found, in a batch of its sink.
#[derive(Default)]
pub(super) struct Batch {
    words: Vec<Word>,
    /// How many words make it full.
    full: usize,
    partition: usize,
}

impl Batch {
    /// The batch of a partition.
    #[inline]
    pub(super) fn of(sink: &mut (impl Sink + ?Sized), partition: usize) -> Self {
        let mut words = Vec::new();
        let full = sink.swap_batch(partition, &mut words);
        Self { words, full, partition }
    }

    /// Leaves to the sink what isn't taken in yet.
    #[inline]
    pub(super) fn give_back(&mut self, sink: &mut (impl Sink + ?Sized)) {
        sink.swap_batch(self.partition, &mut self.words);
    }

    /// Goes on in the batch of another partition.
    fn go_to(&mut self, partition: usize, sink: &mut dyn Sink) {
        if self.partition != partition {
            self.give_back(sink);
            *self = Self::of(sink, partition);
        }
    }

    #[cold]
    fn take_in(&mut self, sink: &mut dyn Sink, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.give_back(sink);
        let taken = sink.flush(context);
        *self = Self::of(sink, self.partition);
        taken
    }
}

/// A match of the whole body: evaluates the head and hands it on.
pub(super) fn emit(head: Vec<CompiledExpr>, after_match: Next) -> Step {
    match *head.as_slice() {
        [] => Box::new(move |run| {
            run.matches += 1;
            match run.sink.take(&[], run.context) {
                Ok(()) => after_match,
                Err(bound) => run.halt(bound),
            }
        }),
        [CompiledExpr::Slot(a)] => Box::new(move |run| {
            run.batch.words.push(run.frame[a]);
            emitted(run, after_match)
        }),
        [CompiledExpr::Slot(a), CompiledExpr::Slot(b)] => Box::new(move |run| {
            run.batch.words.extend_from_slice(&[run.frame[a], run.frame[b]]);
            emitted(run, after_match)
        }),
        _ => Box::new(move |run| {
            let before = run.batch.words.len();
            for code in &head {
                match run.eval(code) {
                    Ok(word) => run.batch.words.push(word),
                    Err(none) => {
                        run.batch.words.truncate(before);
                        run.matches += 1;
                        let remainder = &run.plan.remainder;
                        return run.report(none, remainder).min(after_match);
                    }
                }
            }
            emitted(run, after_match)
        }),
    }
}

#[inline]
fn emitted(run: &mut Run<'_, '_, '_>, after_match: Next) -> Next {
    run.matches += 1;
    if run.batch.words.len() < run.batch.full {
        return after_match;
    }
    match run.batch.take_in(run.sink, run.context) {
        Ok(()) => after_match,
        Err(bound) => run.halt(bound),
    }
}

/// The innermost loop, the `number`th step, that writes a fact down for each of its rows; `then` does so for one match.
pub(super) fn emit_all(number: Next, step: &PlanStep, tail: &[HeadWord], then: Step) -> Step {
    let tail: SmallVec<[HeadWord; 4]> = tail.iter().copied().collect();
    match step {
        PlanStep::Every(path) => {
            let path = path.clone();
            match path.index {
                Some(index) => Box::new(move |run| {
                    let stable = run.stable(path.relation);
                    let entries = entries_of(run, number, &path, index);
                    let done = match (stable.index(index).content(), stable.words()) {
                        (Content::Words(_), _) => emit_words(run, &tail, entries),
                        (Content::Numbers, Slice::Narrow(cells)) => {
                            emit_numbered(run, &tail, entries, (cells, stable.arity()))
                        }
                        (Content::Numbers, Slice::Wide(words)) => {
                            emit_numbered(run, &tail, entries, (words, stable.arity()))
                        }
                    };
                    run.on(done)
                }),
                None => Box::new(move |run| {
                    let arity = run.stable(path.relation).arity();
                    let done = match rows_of(run, number, &path) {
                        Slice::Narrow(cells) => emit_scanned(run, &tail, (cells, arity)),
                        Slice::Wide(words) => emit_scanned(run, &tail, (words, arity)),
                    };
                    run.on(done)
                }),
            }
        }
        PlanStep::Between(bounded) => {
            let bounded = bounded.clone();
            Box::new(move |run| {
                let arity = run.stable(bounded.path.relation).arity();
                let done = match rows_between(run, &bounded) {
                    Slice::Narrow(cells) => emit_scanned(run, &tail, (cells, arity)),
                    Slice::Wide(words) => emit_scanned(run, &tail, (words, arity)),
                };
                run.on(done)
            })
        }
        PlanStep::MultiwayJoin(inputs) => {
            let inputs = inputs.clone();
            Box::new(move |run| match common_of(run, number, &inputs, usize::MAX) {
                Ok(Some(common)) => {
                    let done = emit_words(run, &tail, &common);
                    run.room(number).common = common;
                    run.on(done)
                }
                Ok(None) => super::joins::fewest_first(run, number, &inputs, &then),
                Err(bound) => run.halt(bound),
            })
        }
        _ => broken(STEPS),
    }
}

/// A fact for each word of the only open column.
fn emit_words(run: &mut Run<'_, '_, '_>, tail: &[HeadWord], words: &[u32]) -> Result<(), Bound> {
    emit_rows(run, tail, words.iter(), |word, _| Word(u64::from(*word)))
}

/// A fact for each of the rows with these numbers.
fn emit_numbered<C: Cell>(
    run: &mut Run<'_, '_, '_>,
    tail: &[HeadWord],
    numbers: &[u32],
    (cells, arity): (&[C], usize),
) -> Result<(), Bound> {
    let rows = numbers.iter().map(|number| *number as usize * arity);
    emit_rows(run, tail, rows, |row, column| cells[row + column].word())
}

/// A fact for each of these rows.
fn emit_scanned<C: Cell>(
    run: &mut Run<'_, '_, '_>,
    tail: &[HeadWord],
    (cells, arity): (&[C], usize),
) -> Result<(), Bound> {
    let rows = (0..cells.len()).step_by(arity.max(1));
    emit_rows(run, tail, rows, |row, column| cells[row + column].word())
}

#[inline]
fn emit_rows<R: Copy>(
    run: &mut Run<'_, '_, '_>,
    tail: &[HeadWord],
    rows: impl Iterator<Item = R>,
    column: impl Fn(R, usize) -> Word,
) -> Result<(), Bound> {
    let Run { frame, batch, sink, context, matches, .. } = run;
    if sink.is_partitioned() {
        let common = tail.iter().map(|origin| match origin {
            HeadWord::Slot(slot) => frame[*slot],
            HeadWord::Column(_) => Word::default(),
        });
        let common: SmallVec<[Word; 8]> = common.collect();
        batch.go_to(sink.partition(&common), *sink);
    }
    let word = |origin: &HeadWord, row: R| match origin {
        HeadWord::Slot(slot) => frame[*slot],
        HeadWord::Column(at) => column(row, *at as usize),
    };
    let mut count = 0;
    for row in rows {
        match tail {
            [a, b] => batch.words.extend_from_slice(&[word(a, row), word(b, row)]),
            tail => batch.words.extend(tail.iter().map(|origin| word(origin, row))),
        }
        count += 1;
        if batch.words.len() >= batch.full {
            batch.take_in(*sink, context)?;
        }
    }
    *matches += count;
    context.budget.steps(count)
}
