//! A plan as nested closures, each a step that calls the one after it: what a step is and where its words are is decided
//! where the plan is made and not for every row (Feeley and Lapalme, "Using closures for code generation", Computer
//! Languages 12:1, 1987). A run needs no preparation, so this is for plans that run often over few rows.
//! [`Machine`](super::machine::Machine) runs every other plan.
#![expect(clippy::indexing_slicing, reason = "hot: columns are in range by construction of the plan")]

use crate::cells::{Cell, Slice};
use crate::exec::bounds::places;
use crate::exec::context::{ExecContext, Sink};
use crate::exec::cursor::{LoopCursor, candidates, entries};
use crate::exec::emit::Emitter;
use crate::plan::expr::CompiledExpr;
use crate::plan::frame::Slot;
use crate::plan::steps::{AccessPath, BoundedPath, Plan, PlanStep, RowPattern, Sign};
use crate::storage::index::{Content, IndexId};
use crate::storage::stable::Stable;
use crate::storage::view::View;
use hence_core::fault::broken;
use hence_core::index_vec::IndexVec;
use hence_core::meter::Bound;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::op::Op;
use hence_lang::ir::Rule;
use std::fmt;

use smallvec::SmallVec;

/// An invariant of [`candidates`].
const ROWS: &str = "the rows that may fit an atom are a scan, or entries of an index";

/// How many closures call one another at most: each takes a piece of the stack.
const MOST_STEPS: usize = 128;

/// Where to go on: at the next row of the loop with this number, counted from 1; 0 is the end of the plan.
type Next = usize;
/// At the next row of the innermost loop that is at work.
const ON: Next = Next::MAX;

/// A step with all that come after it.
type Code = Box<dyn Fn(&mut Run<'_, '_, '_, '_>) -> Next + Send + Sync>;

/// The closures of a plan.
pub(crate) struct Closures {
    /// The words of the plan; what a run leaves in those of variables means nothing to the next one.
    frame: IndexVec<Slot, Word>,
    code: Code,
}

/// A run of them.
struct Run<'r, 'a, 'p, 's> {
    frame: &'r mut IndexVec<Slot, Word>,
    context: &'r mut ExecContext<'a, 'p>,
    facts: &'r mut Emitter<'s>,
    matches: u64,
    halt: Option<Halt>,
}

/// Why a run ends early.
enum Halt {
    Bound(Bound),
    /// An operation has no result.
    Undefined,
}

impl Closures {
    /// The closures of a plan whose matches are facts, if there are some for all of its steps.
    pub(crate) fn new(rule: &Rule, plan: &Plan) -> Option<Self> {
        if rule.is_aggregate() || rule.limit.is_some() || plan.steps.len() > MOST_STEPS {
            return None;
        }
        let mut code = emit(plan.head.clone(), plan.after_match.map_or(0, |at| at + 1));
        for (at, step) in plan.steps.iter().enumerate().rev() {
            code = compile(at + 1, step, code)?;
        }
        Some(Self { frame: plan.frame.words.clone(), code })
    }

    /// Finds all matches; how many there were. None where an operation is undefined, which somebody else has to report:
    /// the facts until then are facts anyway.
    pub(crate) fn run(
        &mut self,
        facts: &mut Emitter<'_>,
        context: &mut ExecContext<'_, '_>,
    ) -> Result<Option<u64>, Bound> {
        let mut run = Run { frame: &mut self.frame, context, facts, matches: 0, halt: None };
        (self.code)(&mut run);
        match run.halt {
            None => Ok(Some(run.matches)),
            Some(Halt::Undefined) => Ok(None),
            Some(Halt::Bound(bound)) => Err(bound),
        }
    }
}

impl fmt::Debug for Closures {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Closures").finish_non_exhaustive()
    }
}

impl<'a> Run<'_, 'a, '_, '_> {
    #[cold]
    fn halt(&mut self, halt: Halt) -> Next {
        self.halt = Some(halt);
        0
    }

    #[inline]
    fn stable(&self, relation: RelationId) -> &'a Stable {
        self.context.stable.get(relation)
    }

    #[inline(always)]
    fn holds(&self, relation: RelationId, row: &[Word], view: View) -> bool {
        self.context.pending[relation].holds(self.stable(relation), row, view)
    }

    #[inline]
    fn eval(&self, code: &CompiledExpr) -> Option<Word> {
        code.eval(self.frame.view(), self.context.params).ok()
    }
}

/// The closure of a step, the `number`th, with `then` after it.
fn compile(number: Next, step: &PlanStep, then: Code) -> Option<Code> {
    Some(match step {
        PlanStep::Every(path) => match path.index {
            Some(index) => look_up(number, path.clone(), index, then),
            None => scan(number, path.clone(), then),
        },
        PlanStep::Between(bounded) => between(number, bounded.clone(), then),
        PlanStep::Some(path, sign) => exists(path.clone(), *sign, then),
        PlanStep::Probe { relation, view, row, sign } => probe((*relation, *view), row, *sign, then),
        PlanStep::Test(code, _) => test(code.clone(), then),
        PlanStep::Let(slot, code, _) => bind(*slot, code.clone(), then),
        PlanStep::Keys { .. }
        | PlanStep::Each(..)
        | PlanStep::MultiwayJoin(_)
        | PlanStep::Same(..)
        | PlanStep::Among(..)
        | PlanStep::Anew { .. }
        | PlanStep::Once { .. }
        | PlanStep::Fewer { .. } => return None,
    })
}

/// A loop over rows one after the other.
fn scan(number: Next, path: AccessPath, then: Code) -> Code {
    match (path.row.binds.as_slice(), path.row.checks.as_slice()) {
        (&[bind], []) => scan_for(number, path, [bind], then),
        (&[a, b], []) => scan_for(number, path, [a, b], then),
        _ => {
            let row = path.row.clone();
            scan_for(number, path, row, then)
        }
    }
}

fn scan_for(number: Next, path: AccessPath, pattern: impl Pattern, then: Code) -> Code {
    let (relation, view) = (path.relation, path.view);
    Box::new(move |run| {
        let stable = run.stable(relation);
        let (rows, arity) = (stable.part(view), stable.arity());
        match rows {
            Slice::Narrow(cells) => scan_rows(run, number, &pattern, (cells, arity), &then),
            Slice::Wide(words) => scan_rows(run, number, &pattern, (words, arity), &then),
        }
    })
}

/// A loop over the rows that comparisons leave in an ordered index.
fn between(number: Next, bounded: BoundedPath, then: Code) -> Code {
    Box::new(move |run| {
        let stable = run.stable(bounded.path.relation);
        let LoopCursor::Rows(from, to) = places(&bounded, stable, run.frame.view(), run.context.params)
        else {
            broken(ROWS)
        };
        let arity = stable.arity();
        let rows = stable.ordered(bounded.index).rows().part(from as usize * arity, to as usize * arity);
        match rows {
            Slice::Narrow(cells) => scan_rows(run, number, &bounded.path.row, (cells, arity), &then),
            Slice::Wide(words) => scan_rows(run, number, &bounded.path.row, (words, arity), &then),
        }
    })
}

#[inline]
fn scan_rows<C: Cell>(
    run: &mut Run<'_, '_, '_, '_>,
    number: Next,
    pattern: &impl Pattern,
    (mut rows, arity): (&[C], usize),
    then: &Code,
) -> Next {
    if let Err(bound) = run.context.budget.steps(rows.len() as u64) {
        return run.halt(Halt::Bound(bound));
    }
    // Not by `chunks_exact`, whose division takes as long as a row.
    while !rows.is_empty() {
        let (row, rest) = rows.split_at(arity);
        rows = rest;
        if pattern.fits(run.frame, row) {
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
    fn fits<C: Cell>(&self, frame: &mut IndexVec<Slot, Word>, row: &[C]) -> bool;
}

impl Pattern for RowPattern {
    #[inline]
    fn fits<C: Cell>(&self, frame: &mut IndexVec<Slot, Word>, row: &[C]) -> bool {
        self.fits(frame, |column| row[column].word())
    }
}

impl<const N: usize> Pattern for [(u32, Slot); N] {
    #[inline]
    fn fits<C: Cell>(&self, frame: &mut IndexVec<Slot, Word>, row: &[C]) -> bool {
        for (column, slot) in self {
            frame[*slot] = row[*column as usize].word();
        }
        true
    }
}

/// A loop over rows that an index finds.
fn look_up(number: Next, path: AccessPath, index: IndexId, then: Code) -> Code {
    let word = path.row.binds.first().map(|(_, slot)| *slot);
    Box::new(move |run| {
        let stable = run.stable(path.relation);
        let index = stable.index(index);
        let entries = entries(&path, index, run.frame.view());
        if let Err(bound) = run.context.budget.steps(entries.len() as u64) {
            return run.halt(Halt::Bound(bound));
        }
        let are_words = index.content() != Content::Numbers;
        for entry in entries {
            let fits = match word {
                Some(slot) if are_words => {
                    run.frame[slot] = Word(u64::from(*entry));
                    true
                }
                None if are_words => true,
                _ => {
                    let row = stable.row(*entry);
                    path.row.fits(run.frame, |column| row.at(column))
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

/// Whether some row fits.
fn exists(path: AccessPath, sign: Sign, then: Code) -> Code {
    Box::new(move |run| {
        let stable = run.stable(path.relation);
        let fits = |run: &mut Run<'_, '_, '_, '_>, at: u32| {
            let row = stable.row(at);
            path.row.fits(run.frame, |column| row.at(column))
        };
        let checked = !path.row.checks.is_empty();
        let found = match candidates(&path, run.context.stable, run.frame.view()) {
            LoopCursor::Rows(from, to) if checked => (from..to).any(|at| fits(run, at)),
            LoopCursor::Rows(from, to) => from < to,
            LoopCursor::Numbers(numbers) if checked => numbers.iter().any(|at| fits(run, *at)),
            LoopCursor::Numbers(entries) | LoopCursor::Words(entries) => !entries.is_empty(),
            _ => broken(ROWS),
        };
        if sign.passes(found) { then(run) } else { ON }
    })
}

/// Whether a fact is there.
fn probe((relation, view): (RelationId, View), row: &[Slot], sign: Sign, then: Code) -> Code {
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
            Box::new(move |run| {
                let words: SmallVec<[Word; 8]> = row.iter().map(|slot| run.frame[*slot]).collect();
                if sign.passes(run.holds(relation, &words, view)) { then(run) } else { ON }
            })
        }
    }
}

/// Whether an expression is true.
fn test(code: CompiledExpr, then: Code) -> Code {
    let (op, operands) = match &code {
        CompiledExpr::Flat(op, _, a, b) => (*op, [CompiledExpr::Slot(*a), CompiledExpr::Slot(*b)]),
        CompiledExpr::Two(op, _, operands) => (*op, *operands.clone()),
        _ => return truth(code, then),
    };
    match op {
        Op::Equal => compare(operands, |a, b| a == b, then),
        Op::NotEqual => compare(operands, |a, b| a != b, then),
        Op::Less => compare(operands, |a, b| a.as_int() < b.as_int(), then),
        Op::LessEqual => compare(operands, |a, b| a.as_int() <= b.as_int(), then),
        Op::Greater => compare(operands, |a, b| a.as_int() > b.as_int(), then),
        Op::GreaterEqual => compare(operands, |a, b| a.as_int() >= b.as_int(), then),
        _ => truth(code, then),
    }
}

fn truth(code: CompiledExpr, then: Code) -> Code {
    Box::new(move |run| match run.eval(&code) {
        Some(word) if word.as_bool() => then(run),
        Some(_) => ON,
        None => run.halt(Halt::Undefined),
    })
}

fn compare(
    operands: [CompiledExpr; 2],
    holds: impl Fn(Word, Word) -> bool + Send + Sync + 'static,
    then: Code,
) -> Code {
    match operands {
        [CompiledExpr::Slot(a), CompiledExpr::Slot(b)] => {
            Box::new(move |run| if holds(run.frame[a], run.frame[b]) { then(run) } else { ON })
        }
        [a, b] => Box::new(move |run| match (run.eval(&a), run.eval(&b)) {
            (Some(a), Some(b)) if holds(a, b) => then(run),
            (Some(_), Some(_)) => ON,
            _ => run.halt(Halt::Undefined),
        }),
    }
}

/// Binds a slot.
fn bind(slot: Slot, code: CompiledExpr, then: Code) -> Code {
    Box::new(move |run| match run.eval(&code) {
        Some(word) => {
            run.frame[slot] = word;
            then(run)
        }
        None => run.halt(Halt::Undefined),
    })
}

/// A match of the whole body.
fn emit(head: Vec<CompiledExpr>, after_match: Next) -> Code {
    if let [CompiledExpr::Slot(a)] = *head.as_slice() {
        return Box::new(move |run| {
            let row = [run.frame[a]];
            take(run, &row, after_match)
        });
    }
    Box::new(move |run| {
        let row: Option<SmallVec<[Word; 8]>> = head.iter().map(|code| run.eval(code)).collect();
        match row {
            Some(row) => take(run, &row, after_match),
            None => run.halt(Halt::Undefined),
        }
    })
}

#[inline]
fn take(run: &mut Run<'_, '_, '_, '_>, row: &[Word], after_match: Next) -> Next {
    run.matches += 1;
    match run.facts.take(row, run.context) {
        Ok(()) => after_match,
        Err(bound) => run.halt(Halt::Bound(bound)),
    }
}
