//! The evaluator of a rule body: a cursor over the matches of a plan, one after the other, without recursion and without
//! an allocation for a match. What it reads is a [`TupleSource`]; who counts, bounds or watches its work is a
//! [`Monitor`]. Incremental maintenance, reports of undefined operations, proofs and `why_not` run on it.
#![expect(clippy::indexing_slicing, reason = "hot: steps and loops are in range by construction of the plan")]

use crate::plan::expr::{CompiledExpr, Words, eval_all};
use crate::plan::frame::Slot;
use crate::plan::steps::{AccessPath, Plan, PlanStep, Sign};
use crate::storage::view::View;

use hence_core::fault::broken;
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::NoResult;
use hence_lang::builtins::generator::Generator;

/// An invariant of plans and of what the cursor keeps of them.
const LOOPS: &str = "the loops of a plan that wants every match go through tuples and elements, and its other steps are filters";

/// The number of no tuple.
pub const NO_TUPLE: u32 = u32::MAX;

/// The tuples that a body reads.
pub trait TupleSource {
    /// What is left of a loop over tuples.
    type Candidates;

    /// The tuples that may fit an atom, with these words bound.
    fn candidates(&self, path: &AccessPath, words: &[Word]) -> Self::Candidates;

    /// The next of them.
    fn next(&self, path: &AccessPath, candidates: &mut Self::Candidates) -> Option<u32>;

    /// The words of a tuple by column.
    fn tuple(&self, relation: RelationId, number: u32) -> impl Fn(usize) -> Word;

    /// The number of the tuple with these words; any number where nobody asks for it.
    fn find(&self, relation: RelationId, row: &[Word]) -> Option<u32>;

    /// Whether a view of a relation has a tuple that [`TupleSource::next`] or [`TupleSource::find`] gave.
    #[inline]
    fn sees(&self, _relation: RelationId, _number: u32, _view: View) -> bool {
        true
    }

    /// The elements of a generator other than a range, in the order in which they are wanted.
    fn elements(&self, generator: &Generator, args: &[Word]) -> Vec<Word> {
        generator.elements(args).collect()
    }
}

/// Who counts and bounds the work of a cursor, and hears of what it finds on its way.
pub trait Monitor {
    /// Why the work ends early.
    type Stop;

    /// Another tuple or element is looked at.
    ///
    /// # Errors
    /// Where that was one too many.
    fn step(&mut self) -> Result<(), Self::Stop>;

    /// An element is generated, and looked at.
    ///
    /// # Errors
    /// Where that was one too many.
    fn generate(&mut self) -> Result<(), Self::Stop> {
        self.step()
    }

    /// An operation of a step is undefined with these words.
    #[inline]
    fn undefined(&mut self, _step: usize, _none: NoResult, _words: &[Word]) {}

    /// A step finds nothing at all with these words.
    #[inline]
    fn dead_end(&mut self, _step: usize, _words: &[Word]) {}
}

/// What is left of a loop.
#[derive(Debug)]
enum Loop<C> {
    /// Nothing.
    Over,
    /// Tuples.
    Tuples(C),
    /// Ints from the first to before the second.
    Ints(i64, i64),
    /// Elements in their order.
    Elements(std::vec::IntoIter<Word>),
}

/// The position of a cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Before the first match.
    Begin,
    /// At a match.
    Match,
    /// After the last one.
    #[default]
    End,
}

/// A cursor over the matches of a plan; kept, so that its room is there for the next one.
#[derive(Debug)]
pub struct MatchCursor<C> {
    frame: IndexVec<Slot, Word>,
    loops: Vec<Loop<C>>,
    /// For each step the number of the tuple that it is at.
    tuples: Vec<u32>,
    row: Vec<Word>,
    place: Place,
}

impl<C> Default for MatchCursor<C> {
    fn default() -> Self {
        Self {
            frame: IndexVec::default(),
            loops: Vec::new(),
            tuples: Vec::new(),
            row: Vec::new(),
            place: Place::End,
        }
    }
}

/// What a cursor works with.
struct At<'r, S, M> {
    plan: &'r Plan,
    source: &'r S,
    params: &'r [Word],
    monitor: &'r mut M,
}

impl<C> MatchCursor<C> {
    /// Goes before the first match of a plan that begins with `row`.
    pub fn begin(&mut self, plan: &Plan, row: &[Word]) {
        self.frame.clone_from(&plan.frame.words);
        let fits = plan.start.fits(&mut self.frame, |column| row[column]);
        self.place = if fits { Place::Begin } else { Place::End };
        let steps = plan.steps.len();
        if self.loops.len() < steps {
            self.loops.resize_with(steps, || Loop::Over);
            self.tuples.resize(steps, NO_TUPLE);
        }
    }

    /// The words of the variables at a match, with others after them; those of variables that aren't bound mean nothing.
    #[inline]
    pub fn words(&self) -> &[Word] {
        self.frame.as_slice()
    }

    /// The number of the tuple that a step over an atom is at.
    #[inline]
    pub fn tuple(&self, step: usize) -> u32 {
        self.tuples[step]
    }

    /// Goes on to the next match; whether there is one. `plan` is the one that the cursor began with.
    ///
    /// # Errors
    /// What the monitor says; then the cursor is at its end.
    #[inline]
    pub fn next<S: TupleSource<Candidates = C>, M: Monitor>(
        &mut self,
        plan: &Plan,
        source: &S,
        params: &[Word],
        monitor: &mut M,
    ) -> Result<bool, M::Stop> {
        let end = plan.steps.len();
        let (mut step, mut entering) = match std::mem::replace(&mut self.place, Place::End) {
            Place::Begin => (0, true),
            Place::Match => match plan.back[end] {
                Some(back) => (back, false),
                None => return Ok(false),
            },
            Place::End => return Ok(false),
        };
        let mut at = At { plan, source, params, monitor };
        while step < end {
            let passed = if entering { self.enter(step, &mut at)? } else { self.advance(step, &mut at)? };
            if entering && !passed {
                at.monitor.dead_end(step, self.frame.as_slice());
            }
            entering = passed;
            match (passed, plan.back[step]) {
                (true, _) => step += 1,
                (false, Some(back)) => step = back,
                (false, None) => return Ok(false),
            }
        }
        self.place = Place::Match;
        Ok(true)
    }

    /// Comes to a step from before it; whether a match passes.
    fn enter<S: TupleSource<Candidates = C>, M: Monitor>(
        &mut self,
        step: usize,
        at: &mut At<'_, S, M>,
    ) -> Result<bool, M::Stop> {
        match &at.plan.steps[step] {
            PlanStep::Every(path) => {
                self.loops[step] = Loop::Tuples(at.source.candidates(path, self.frame.as_slice()));
                self.advance(step, at)
            }
            PlanStep::Each(_, generator, args, _) => {
                let Some(words) = self.eval_all(step, args, at) else { return Ok(false) };
                self.loops[step] = match (generator, words.as_slice()) {
                    (Generator::Range, [from, to]) => Loop::Ints(from.as_int(), to.as_int()),
                    _ => Loop::Elements(at.source.elements(generator, &words).into_iter()),
                };
                self.advance(step, at)
            }
            _ => self.filter(step, at),
        }
    }

    /// The next match of a loop, if there is one.
    fn advance<S: TupleSource<Candidates = C>, M: Monitor>(
        &mut self,
        step: usize,
        at: &mut At<'_, S, M>,
    ) -> Result<bool, M::Stop> {
        let word = match (&at.plan.steps[step], &mut self.loops[step]) {
            (PlanStep::Every(path), Loop::Tuples(candidates)) => {
                while let Some(number) = at.source.next(path, candidates) {
                    at.monitor.step()?;
                    if fits(path, number, &mut self.frame, at.source) {
                        self.tuples[step] = number;
                        return Ok(true);
                    }
                }
                return Ok(false);
            }
            (PlanStep::Each(..), Loop::Ints(from, to)) if *from < *to => {
                *from += 1;
                Word::from_int(*from - 1)
            }
            (PlanStep::Each(..), Loop::Ints(..)) => return Ok(false),
            (PlanStep::Each(..), Loop::Elements(elements)) => match elements.next() {
                Some(word) => word,
                None => return Ok(false),
            },
            _ => broken(LOOPS),
        };
        let PlanStep::Each(slot, ..) = &at.plan.steps[step] else { broken(LOOPS) };
        at.monitor.generate()?;
        self.frame[*slot] = word;
        Ok(true)
    }

    fn filter<S: TupleSource<Candidates = C>, M: Monitor>(
        &mut self,
        step: usize,
        at: &mut At<'_, S, M>,
    ) -> Result<bool, M::Stop> {
        match &at.plan.steps[step] {
            PlanStep::Some(path, sign) => self.exists(path, *sign, at),
            PlanStep::Probe { relation, view, row, sign } => {
                self.row.clear();
                self.row.extend(row.iter().map(|slot| self.frame[*slot]));
                let found = at.source.find(*relation, &self.row);
                self.tuples[step] = found.unwrap_or(NO_TUPLE);
                at.monitor.step()?;
                Ok(sign.passes(found.is_some_and(|number| at.source.sees(*relation, number, *view))))
            }
            PlanStep::Test(expr, _) => Ok(self.eval(step, expr, at).is_some_and(Word::as_bool)),
            PlanStep::Let(slot, expr, _) => {
                let word = self.eval(step, expr, at);
                if let Some(word) = word {
                    self.frame[*slot] = word;
                }
                Ok(word.is_some())
            }
            PlanStep::Same(slot, expr) => Ok(self.eval(step, expr, at) == Some(self.frame[*slot])),
            PlanStep::Among(slot, generator, args) => {
                let words = self.eval_all(step, args, at);
                Ok(words.is_some_and(|words| generator.contains(&words, self.frame[*slot])))
            }
            PlanStep::Every(_)
            | PlanStep::Between(_)
            | PlanStep::Each(..)
            | PlanStep::Keys { .. }
            | PlanStep::MultiwayJoin(_)
            | PlanStep::Anew { .. }
            | PlanStep::Once { .. }
            | PlanStep::Fewer { .. } => broken(LOOPS),
        }
    }

    /// Whether a tuple that fits is there, as a filter wants it.
    fn exists<S: TupleSource<Candidates = C>, M: Monitor>(
        &mut self,
        path: &AccessPath,
        sign: Sign,
        at: &mut At<'_, S, M>,
    ) -> Result<bool, M::Stop> {
        let mut candidates = at.source.candidates(path, self.frame.as_slice());
        while let Some(number) = at.source.next(path, &mut candidates) {
            at.monitor.step()?;
            if fits(path, number, &mut self.frame, at.source) {
                return Ok(sign.passes(true));
            }
        }
        Ok(sign.passes(false))
    }

    fn eval<S, M: Monitor>(&self, step: usize, expr: &CompiledExpr, at: &mut At<'_, S, M>) -> Option<Word> {
        let word = expr.eval(self.frame.view(), at.params);
        word.map_err(|none| at.monitor.undefined(step, none, self.frame.as_slice())).ok()
    }

    fn eval_all<S, M: Monitor>(
        &self,
        step: usize,
        exprs: &[CompiledExpr],
        at: &mut At<'_, S, M>,
    ) -> Option<Words> {
        let words = eval_all(exprs, self.frame.view(), at.params);
        words.map_err(|none| at.monitor.undefined(step, none, self.frame.as_slice())).ok()
    }
}

/// Binds what a tuple binds; whether it is seen and fits.
#[inline]
fn fits(path: &AccessPath, number: u32, frame: &mut IndexVec<Slot, Word>, source: &impl TupleSource) -> bool {
    source.sees(path.relation, number, path.view) && path.row.fits(frame, source.tuple(path.relation, number))
}
