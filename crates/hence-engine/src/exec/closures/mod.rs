//! A plan as nested closures, each a step that calls the one after it: what a step is and where its words are is decided
//! where the plan is made and not for every row (Feeley and Lapalme, "Using closures for code generation", Computer
//! Languages 12:1, 1987).
#![expect(clippy::indexing_slicing, reason = "hot: slots are in range by construction of the plan")]

mod ahead;
mod filters;
mod joins;
mod loops;
mod output;
mod semi_join;

use crate::exec::context::{ANY, ExecContext, Sink};
use crate::exec::cursor::LoopCursor;
use crate::exec::undefined::UndefinedSearch;
use crate::plan::distinct::Passed;
use crate::plan::expr::CompiledExpr;
use crate::plan::frame::Slot;
use crate::plan::steps::{Plan, PlanStep, Remainder};
use crate::storage::stable::Stable;
use crate::storage::view::View;
use hence_core::fault::{self, OrBroken, broken};
use hence_core::index_vec::IndexSlice;
use hence_core::meter::Bound;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::NoResult;
use hence_lang::ir::Rule;
use output::Batch;
use semi_join::{JoinRoom, SemiJoin};
use smallvec::SmallVec;
use std::fmt;
use std::ops::{Index, IndexMut};
use std::thread;

/// An invariant of plans.
const STEPS: &str =
    "the loops of a plan go through rows, keys, elements and multiway joins, and its other steps are filters";

/// How many closures own one another at most: they are dropped one inside the other.
const SEGMENT: usize = 64;
/// How many closures may call one another on the stack of the caller.
const FEW_STEPS: usize = 128;
/// Room for one of them on a stack of their own, in bytes; the least takes a tenth of it.
const STEP_BYTES: usize = 1 << 12;
/// Room for what the last of them calls.
const LAST_BYTES: usize = 1 << 20;

/// Where to go on: at the next row of the loop with this number, counted from 1; 0 is the end of the plan.
type Next = usize;
/// At the next row of the innermost loop that is at work.
const ON: Next = Next::MAX;

/// A step with all that come after it.
type Step = Box<dyn Fn(&mut Run<'_, '_, '_>) -> Next + Send + Sync>;

/// The closures of a plan.
pub(crate) struct Closures {
    /// The last steps first; each segment but the first calls the one before it.
    segments: Vec<Step>,
}

/// What runs work with, kept from one to the next.
#[derive(Default)]
pub(crate) struct Scratch {
    passed: Vec<Passed>,
    rooms: Vec<JoinRoom>,
    /// Facts on their way into a relation.
    pub(crate) batch: Vec<Word>,
}

/// The words of a plan at work.
struct Frame<'r>(&'r mut [Word]);

impl Frame<'_> {
    #[inline(always)]
    fn view(&self) -> IndexSlice<'_, Slot, Word> {
        IndexSlice::from(&*self.0)
    }
}

impl Index<Slot> for Frame<'_> {
    type Output = Word;

    #[inline(always)]
    fn index(&self, slot: Slot) -> &Word {
        &self.0[slot.0 as usize]
    }
}

impl IndexMut<Slot> for Frame<'_> {
    #[inline(always)]
    fn index_mut(&mut self, slot: Slot) -> &mut Word {
        &mut self.0[slot.0 as usize]
    }
}

/// A run of the closures.
struct Run<'r, 'a, 'p> {
    closures: &'r Closures,
    plan: &'a Plan,
    rule: &'a Rule,
    frame: Frame<'r>,
    /// What filters have let pass, by their number.
    passed: &'r mut Vec<Passed>,
    /// By step what a multiway join works with.
    rooms: &'r mut Vec<JoinRoom>,
    context: &'r mut ExecContext<'a, 'p>,
    sink: &'r mut dyn Sink,
    batch: Batch,
    /// What the outermost loop goes through, where that isn't everything.
    morsel: Option<LoopCursor<'a>>,
    matches: u64,
    /// Why it ends early.
    halt: Option<Bound>,
    /// The searches after undefined operations, once there is one.
    undefined: Option<Box<UndefinedSearch<'a>>>,
}

impl Closures {
    /// The closures of a plan.
    pub(crate) fn new(plan: &Plan) -> Self {
        let mut segments = Vec::new();
        let after_match = plan.after_match.map_or(0, |at| at + 1);
        let (mut then, mut steps) = (output::emit(plan.head.clone(), after_match), plan.steps.as_slice());
        if let (Some(tail), [before @ .., last]) = (&plan.tail, steps) {
            then = output::emit_all(steps.len(), last, tail, then);
            steps = before;
        }
        for (at, step) in steps.iter().enumerate().rev() {
            if at % SEGMENT == SEGMENT - 1 {
                let segment = segments.len();
                segments.push(then);
                then = Box::new(move |run| run.segment(segment));
            }
            then = compile(at + 1, step, plan, then);
        }
        segments.push(then);
        Self { segments }
    }

    /// Finds all matches, or those of a part of what the outermost loop goes through; how many there were. What a run
    /// leaves in the words of variables means nothing to the next one.
    pub(crate) fn run<'a>(
        &self,
        (plan, rule): (&'a Plan, &'a Rule),
        frame: &mut [Word],
        morsel: Option<LoopCursor<'a>>,
        sink: &mut impl Sink,
        context: &mut ExecContext<'a, '_>,
        scratch: &mut Scratch,
    ) -> Result<u64, Bound> {
        let first = self.segments.last().or_broken("the closures of a plan begin with the last segment");
        scratch.passed.iter_mut().for_each(Passed::restart);
        scratch.rooms.iter_mut().for_each(JoinRoom::restart);
        let mut run = Run {
            closures: self,
            plan,
            rule,
            frame: Frame(frame),
            passed: &mut scratch.passed,
            rooms: &mut scratch.rooms,
            context,
            batch: Batch::of(sink, ANY),
            sink,
            morsel,
            matches: 0,
            halt: None,
            undefined: None,
        };
        if plan.steps.len() <= FEW_STEPS {
            first(&mut run);
        } else {
            on_a_large_stack(first, &mut run);
        }
        let Run { mut batch, halt, matches, .. } = run;
        batch.give_back(sink);
        halt.map_or(Ok(matches), Err)
    }
}

#[cold]
fn on_a_large_stack(first: &Step, run: &mut Run<'_, '_, '_>) {
    let stack = run.plan.steps.len().saturating_mul(STEP_BYTES).saturating_add(LAST_BYTES);
    let halted = thread::scope(|scope| {
        let deep = thread::Builder::new().stack_size(stack).spawn_scoped(scope, || first(&mut *run));
        deep.map(|deep| fault::joined(deep.join())).is_err().then_some(Bound::Memory(stack as u64))
    });
    run.halt = run.halt.or(halted);
}

impl fmt::Debug for Closures {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Closures").finish_non_exhaustive()
    }
}

impl<'a> Run<'_, 'a, '_> {
    /// Goes on with another segment.
    fn segment(&mut self, number: usize) -> Next {
        self.closures.segments.get(number).or_broken("closures call segments that there are")(self)
    }

    /// What the step with a number works with, which joins.
    #[inline]
    fn room(&mut self, number: Next) -> &mut JoinRoom {
        if self.rooms.len() < number {
            self.rooms.resize_with(number, JoinRoom::default);
        }
        &mut self.rooms[number - 1]
    }

    /// The end of the run, where a limit is reached.
    #[cold]
    fn halt(&mut self, bound: Bound) -> Next {
        self.halt = Some(bound);
        0
    }

    /// Where to go on after work within the limits.
    #[inline]
    fn on(&mut self, done: Result<(), Bound>) -> Next {
        match done {
            Ok(()) => ON,
            Err(bound) => self.halt(bound),
        }
    }

    /// Reports an undefined operation, if everything that doesn't depend on it holds.
    #[cold]
    fn report(&mut self, none: NoResult, remainder: &Remainder) -> Next {
        let (id, rule) = (self.plan.rule, self.rule);
        let search = self.undefined.get_or_insert_with(|| Box::new(UndefinedSearch::new(id, rule)));
        let reported = search.run(self.frame.0, remainder, none, self.context);
        self.on(reported)
    }

    /// Reports an undefined operation of the step with a number.
    #[cold]
    fn report_step(&mut self, none: NoResult, number: Next) -> Next {
        let plan = self.plan;
        let remainder = plan.remainder_of(number - 1);
        self.report(none, remainder.or_broken("an operation of a plan says what is left after it"))
    }

    #[inline]
    fn stable(&self, relation: RelationId) -> &'a Stable {
        self.context.stable.get(relation)
    }

    /// Whether a part of a relation has a row.
    #[inline(always)]
    fn holds(&self, relation: RelationId, row: &[Word], view: View) -> bool {
        self.context.pending[relation].holds(self.stable(relation), row, view)
    }

    /// The same for the row of these slots.
    #[inline]
    fn holds_slots(&self, relation: RelationId, row: &[Slot], view: View) -> bool {
        match *row {
            [a, b] => self.holds(relation, &[self.frame[a], self.frame[b]], view),
            ref row => {
                let words: SmallVec<[Word; 8]> = row.iter().map(|slot| self.frame[*slot]).collect();
                self.holds(relation, &words, view)
            }
        }
    }

    #[inline]
    fn eval(&self, code: &CompiledExpr) -> Result<Word, NoResult> {
        code.eval(self.frame.view(), self.context.params)
    }
}

/// The closure of a step, the `number`th of its plan, with `then` after it.
fn compile(number: Next, step: &PlanStep, plan: &Plan, then: Step) -> Step {
    match step {
        PlanStep::Every(path) => match path.index {
            Some(index) => loops::look_up(number, path.clone(), index, then),
            None => loops::scan(number, path.clone(), plan.steps.get(number), then),
        },
        PlanStep::Between(bounded) => loops::between(number, bounded.clone(), then),
        PlanStep::Keys { relation, index, view, slots } => {
            loops::keys(number, (*relation, *index, *view), slots.clone(), then)
        }
        PlanStep::Each(slot, generator, args, _) => {
            loops::elements(number, *slot, generator.clone(), args.clone(), then)
        }
        PlanStep::MultiwayJoin(inputs) => {
            // Of matches that give the same fact the first is enough.
            let is_last = number == plan.steps.len();
            let is_one_enough = is_last && plan.after_match < Some(number - 1);
            let semi_join = is_one_enough.then(|| SemiJoin::of(inputs, plan)).flatten();
            joins::join(number, inputs.clone(), (is_one_enough, semi_join), then)
        }
        PlanStep::Some(path, sign) => filters::exists(path.clone(), *sign, then),
        PlanStep::Probe { relation, view, row, sign } => filters::probe((*relation, *view), row, *sign, then),
        PlanStep::Test(code, _) => filters::test(number, code.clone(), then),
        PlanStep::Let(slot, code, _) => filters::bind(number, *slot, code.clone(), then),
        PlanStep::Fewer { next, other, takes_ties } => {
            filters::fewer(next.clone(), other.clone(), *takes_ties, then)
        }
        PlanStep::Anew { set } => filters::begin_anew(*set as usize, then),
        PlanStep::Once { set, slot } => filters::once(*set as usize, *slot, then),
        PlanStep::Same(..) | PlanStep::Among(..) => {
            broken("only plans that begin with a row have bound what an operation binds")
        }
    }
}
