//! Runs a plan: nested loops without recursion, one frame of words, no allocation for a match.
#![expect(
    clippy::indexing_slicing,
    reason = "hot: steps and what is left of entries are in range by construction of the plan"
)]

use crate::Bound;
use crate::cells::Slice;
use hence_core::fault::{OrBroken, broken};
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::NoResult;
use hence_lang::builtins::generator::Generator;
use hence_lang::ir::Rule;

use smallvec::SmallVec;

use super::code::Code;
use super::cursor::{Cursor, candidates};
use super::index::Content;
use super::known::IndexId;
use super::plan::{Origin, Plan, Resume, Search, Side, Sign, Slot, Step};
use super::site::{Sink, Site};
use super::store::Part;
use super::undefined::Inquiry;

/// An invariant of plans and of what the machine keeps of them.
const LOOPS: &str =
    "the loops of a plan go through rows, keys, elements and meetings, and its other steps are filters";

/// A plan at work.
pub(super) struct Machine<'a, 'p, 's, S> {
    plan: &'a Plan,
    rule: &'a Rule,
    site: &'s mut Site<'a, 'p>,
    sink: &'s mut S,
    frame: IndexVec<Slot, Word>,
    cursors: SmallVec<[Cursor<'a>; 12]>,
    elements: Vec<Option<Elements>>,
    row: Vec<Word>,
    matches: u64,
    /// What the outermost loop goes through, where that isn't everything.
    portion: Option<Cursor<'a>>,
}

/// What machines work with, kept from one to the next.
#[derive(Default)]
pub(super) struct Scratch {
    frame: IndexVec<Slot, Word>,
    elements: Vec<Option<Elements>>,
    row: Vec<Word>,
    /// Facts on their way into a relation.
    pub(super) batch: Vec<Word>,
}

type Elements = Box<dyn Iterator<Item = Word>>;

/// Where a machine goes on.
enum Move {
    Enter(usize),
    Resume(usize),
}

impl<'a, 'p, 's, S: Sink> Machine<'a, 'p, 's, S> {
    /// A machine for one run of `plan`.
    pub(super) fn new(
        plan: &'a Plan,
        rule: &'a Rule,
        site: &'s mut Site<'a, 'p>,
        sink: &'s mut S,
        scratch: &mut Scratch,
    ) -> Self {
        let cursors = SmallVec::from_elem(Cursor::Rows(0, 0), plan.steps.len());
        let mut frame = std::mem::take(&mut scratch.frame);
        frame.clone_from(&plan.frame.words);
        let elements = std::mem::take(&mut scratch.elements);
        let row = std::mem::take(&mut scratch.row);
        Self { plan, rule, site, sink, frame, cursors, elements, row, matches: 0, portion: None }
    }

    /// Only a part of what the outermost loop has to go through.
    pub(super) fn over(mut self, portion: Cursor<'a>) -> Self {
        self.portion = Some(portion);
        self
    }

    /// Finds all matches; how many there were.
    pub(super) fn run(mut self, scratch: &mut Scratch) -> Result<u64, Bound> {
        let matches = self.find();
        self.elements.clear();
        (scratch.frame, scratch.elements, scratch.row) = (self.frame, self.elements, self.row);
        matches
    }

    fn find(&mut self) -> Result<u64, Bound> {
        let end = self.plan.steps.len();
        let innermost = self.plan.back[end];
        let last_but_one = innermost.and_then(|at| self.plan.back[at]);
        let mut next = Some(Move::Enter(0));
        while let Some(place) = next {
            let (passed, at) = match place {
                Move::Enter(at) if at == end => {
                    self.hit()?;
                    next = self.plan.after_match.map(Move::Resume);
                    continue;
                }
                Move::Enter(at) if last_but_one == Some(at) => {
                    next = self.nest(at, innermost.unwrap_or(end))?.map(Move::Resume);
                    continue;
                }
                Move::Enter(at) if innermost == Some(at) => {
                    next = self.sweep(at)?.map(Move::Resume);
                    continue;
                }
                Move::Enter(at) => (self.enter(at)?, at),
                Move::Resume(at) => (self.advance(at)?, at),
            };
            next = if passed { Some(Move::Enter(at + 1)) } else { self.plan.back[at].map(Move::Resume) };
        }
        Ok(self.matches)
    }

    /// Comes to a step from before it; whether a match passes.
    fn enter(&mut self, at: usize) -> Result<bool, Bound> {
        let step = &self.plan.steps[at];
        if !step.is_loop() {
            return self.filter(step);
        }
        match self.start(at)? {
            Some(cursor) => {
                self.cursors[at] = cursor;
                self.advance(at)
            }
            None => Ok(false),
        }
    }

    /// The beginning of a loop; none where an operation has no result.
    #[inline]
    fn start(&mut self, at: usize) -> Result<Option<Cursor<'a>>, Bound> {
        if at == 0 && self.portion.is_some() {
            return Ok(self.portion);
        }
        match &self.plan.steps[at] {
            Step::Every(search) => Ok(Some(candidates(search, self.site.known, self.frame.view()))),
            Step::Keys { relation, index, .. } => {
                Ok(Some(Cursor::Words(self.site.known.get(*relation).index(*index).touched())))
            }
            Step::Each(_, generator, args, resume) => self.generate(at, generator, args, resume),
            Step::Meet(sides) => Ok(Some(self.fewest(sides))),
            Step::Some(..) | Step::Member { .. } | Step::Test(..) | Step::Let(..) => broken(LOOPS),
        }
    }

    /// The entries of the side that has the fewest.
    fn fewest(&self, sides: &'a [Side]) -> Cursor<'a> {
        let entries = |(side, at): (&'a Side, u32)| match candidates(
            &side.search,
            self.site.known,
            self.frame.view(),
        ) {
            Cursor::Numbers(entries) | Cursor::Words(entries) => (at, entries),
            _ => broken("the sides of a meeting are found by indexes"),
        };
        let fewest = sides.iter().zip(0..).map(entries).min_by_key(|(_, entries)| entries.len());
        let (at, entries) = fewest.or_broken("a meeting has sides");
        Cursor::Met(at, entries)
    }

    fn generate(
        &mut self,
        at: usize,
        generator: &Generator,
        args: &[Code],
        resume: &Resume,
    ) -> Result<Option<Cursor<'a>>, Bound> {
        let words: Result<SmallVec<[Word; 4]>, NoResult> =
            args.iter().map(|arg| arg.eval(self.frame.view(), self.site.params)).collect();
        match (words, generator) {
            (Ok(words), Generator::Range) => match *words {
                [from, to] => Ok(Some(Cursor::Ints(from.as_int(), to.as_int()))),
                _ => broken("a range has a beginning and an end"),
            },
            (Ok(words), _) => {
                if self.elements.len() <= at {
                    self.elements.resize_with(at + 1, || None);
                }
                self.elements[at] = Some(generator.elements(&words));
                Ok(Some(Cursor::Elements))
            }
            (Err(none), _) => self.fail(none, resume).map(|()| None),
        }
    }

    /// The next match of a loop, if there is one.
    fn advance(&mut self, at: usize) -> Result<bool, Bound> {
        let mut found = false;
        let rest = self.each(at, self.cursors[at], |_| {
            found = true;
            Ok(true)
        })?;
        self.cursors[at] = rest;
        Ok(found)
    }

    /// Runs a loop from `cursor` until `body` has enough; what is left of it.
    #[inline]
    fn each(
        &mut self,
        at: usize,
        cursor: Cursor<'a>,
        mut body: impl FnMut(&mut Self) -> Result<bool, Bound>,
    ) -> Result<Cursor<'a>, Bound> {
        let step = &self.plan.steps[at];
        match (step, cursor) {
            (Step::Every(search), Cursor::Rows(from, to)) => {
                let known = self.site.known.get(search.relation);
                for number in from..to {
                    self.site.budget.step()?;
                    if self.fits(search, known.row(number)) && body(self)? {
                        return Ok(Cursor::Rows(number + 1, to));
                    }
                }
            }
            (Step::Every(search), Cursor::Numbers(numbers)) => {
                let known = self.site.known.get(search.relation);
                for (done, number) in (1..).zip(numbers) {
                    self.site.budget.step()?;
                    if self.fits(search, known.row(*number)) && body(self)? {
                        return Ok(Cursor::Numbers(&numbers[done..]));
                    }
                }
            }
            (Step::Every(search), Cursor::Words(words)) => {
                let slot = search.binds.first().map(|(_, slot)| *slot);
                for (done, word) in (1..).zip(words) {
                    if let Some(slot) = slot {
                        self.frame[slot] = Word(u64::from(*word));
                    }
                    if body(self)? {
                        return Ok(Cursor::Words(&words[done..]));
                    }
                }
                self.site.budget.steps(words.len() as u64)?;
            }
            (Step::Keys { relation, index, slot }, Cursor::Words(groups)) => {
                let index = self.site.known.get(*relation).index(*index);
                for (done, group) in (1..).zip(groups) {
                    self.frame[*slot] = index.key(*group);
                    if body(self)? {
                        return Ok(Cursor::Words(&groups[done..]));
                    }
                }
            }
            (Step::Each(..) | Step::Meet(_), mut drawn) => {
                while self.draw(at, &mut drawn)? {
                    if body(self)? {
                        return Ok(drawn);
                    }
                }
            }
            // It has come to its end before.
            (_, Cursor::Rows(0, 0)) => {}
            _ => broken(LOOPS),
        }
        Ok(Cursor::Rows(0, 0))
    }

    /// Draws the next match of a loop over a generator or a meeting; whether there is one.
    fn draw(&mut self, at: usize, cursor: &mut Cursor<'a>) -> Result<bool, Bound> {
        let word = match (&self.plan.steps[at], cursor) {
            (Step::Meet(sides), Cursor::Met(chosen, entries)) => {
                return self.draw_met(sides, *chosen, entries);
            }
            (_, Cursor::Ints(from, to)) if *from < *to => {
                *from += 1;
                Some(Word::from_int(*from - 1))
            }
            (_, Cursor::Elements) => {
                self.elements[at].as_mut().or_broken("elements are drawn of a generator at work").next()
            }
            (_, Cursor::Ints(..) | Cursor::Rows(0, 0)) => None,
            _ => broken(LOOPS),
        };
        let Some(word) = word else { return Ok(false) };
        let Step::Each(slot, ..) = &self.plan.steps[at] else { broken(LOOPS) };
        self.site.budget.spend(1)?;
        self.site.budget.step()?;
        self.frame[*slot] = word;
        Ok(true)
    }

    /// Goes on in the entries of the chosen side to the next row that the others have too.
    fn draw_met(&mut self, sides: &'a [Side], chosen: u32, entries: &mut &'a [u32]) -> Result<bool, Bound> {
        let search = &sides[chosen as usize].search;
        let known = self.site.known.get(search.relation);
        let is_word = |index: IndexId| known.index(index).content() != Content::Numbers;
        let word = search.by.as_ref().is_some_and(|(index, _)| is_word(*index));
        while let [entry, rest @ ..] = *entries {
            *entries = rest;
            self.site.budget.step()?;
            match search.binds.first() {
                Some((_, slot)) if word => self.frame[*slot] = Word(u64::from(*entry)),
                _ => drop(self.fits(search, known.row(*entry))),
            }
            let mut others = (0..).zip(sides).filter(|(at, _)| *at != chosen);
            if others.all(|(_, side)| self.holds(side.search.relation, &side.row, side.search.part)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Binds what a row binds; whether it fits.
    #[inline]
    fn fits(&mut self, search: &Search, row: Slice<'_>) -> bool {
        for (column, slot) in &search.binds {
            self.frame[*slot] = row.at(*column as usize);
        }
        search.checks.iter().all(|(column, slot)| self.frame[*slot] == row.at(*column as usize))
    }

    /// Runs the last loop but one, with the innermost one inside; where to go on.
    fn nest(&mut self, at: usize, innermost: usize) -> Result<Option<usize>, Bound> {
        let mut place = self.plan.back[at];
        if let Some(cursor) = self.start(at)? {
            let rest = self.each(at, cursor, |this| {
                if !this.filters(at + 1, innermost)? {
                    return Ok(false);
                }
                let next = this.sweep(innermost)?;
                let leave = next != Some(at);
                if leave {
                    place = next;
                }
                Ok(leave)
            })?;
            self.cursors[at] = rest;
        }
        Ok(place)
    }

    /// Runs the innermost loop to its end, or to a match that makes the rest of it needless; where to go on.
    #[inline]
    fn sweep(&mut self, at: usize) -> Result<Option<usize>, Bound> {
        let plan = self.plan;
        let Some(cursor) = self.start(at)? else { return Ok(plan.back[at]) };
        if let (Some(tail), Step::Every(search)) = (&plan.tail, &plan.steps[at]) {
            let known = self.site.known.get(search.relation);
            let rows = |numbers: &'a [u32]| numbers.iter().map(|number| known.row(*number));
            match cursor {
                Cursor::Words(words) => self.pour(tail, words.iter(), |word, _| Word(u64::from(*word)))?,
                Cursor::Numbers(numbers) => self.pour(tail, rows(numbers), |row, at| row.at(at))?,
                Cursor::Rows(from, to) => {
                    self.pour(tail, (from..to).map(|number| known.row(number)), |row, at| row.at(at))?;
                }
                Cursor::Ints(..) | Cursor::Elements | Cursor::Met(..) => broken(LOOPS),
            }
            return Ok(plan.back[at]);
        }
        let mut place = plan.back[at];
        let end = plan.steps.len();
        self.each(at, cursor, |this| {
            if !this.filters(at + 1, end)? {
                return Ok(false);
            }
            this.hit()?;
            let leave = plan.after_match != Some(at);
            if leave {
                place = plan.after_match;
            }
            Ok(leave)
        })?;
        Ok(place)
    }

    /// Writes down a fact for each row of the innermost loop.
    fn pour<R: Copy>(
        &mut self,
        tail: &[Origin],
        rows: impl Iterator<Item = R>,
        column: impl Fn(R, usize) -> Word,
    ) -> Result<(), Bound> {
        let frame = &self.frame;
        let word = |origin: &Origin, row: R| match origin {
            Origin::Slot(slot) => frame[*slot],
            Origin::Column(at) => column(row, *at as usize),
        };
        let mut lane = 0;
        if S::HAS_LANES {
            self.row.clear();
            self.row.extend(tail.iter().map(|origin| match origin {
                Origin::Slot(slot) => frame[*slot],
                Origin::Column(_) => Word::default(),
            }));
            lane = self.sink.lane(&self.row);
        }
        let before = self.matches;
        for row in rows {
            let (batch, full) = self.sink.batch(lane).or_broken("what a plan pours out is facts");
            match tail {
                [a, b] => batch.extend_from_slice(&[word(a, row), word(b, row)]),
                tail => batch.extend(tail.iter().map(|origin| word(origin, row))),
            }
            self.matches += 1;
            if batch.len() >= full {
                self.sink.flush(self.site)?;
            }
        }
        self.site.budget.steps(self.matches - before)
    }

    /// Whether a match passes the steps from `from` to before `to`, which are filters.
    #[inline]
    fn filters(&mut self, from: usize, to: usize) -> Result<bool, Bound> {
        for step in &self.plan.steps[from..to] {
            if !self.filter(step)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn filter(&mut self, step: &'a Step) -> Result<bool, Bound> {
        match step {
            Step::Test(code, resume) => match code.eval(self.frame.view(), self.site.params) {
                Ok(word) => Ok(word.as_bool()),
                Err(none) => self.fail(none, resume).map(|()| false),
            },
            Step::Let(slot, code, resume) => match code.eval(self.frame.view(), self.site.params) {
                Ok(word) => {
                    self.frame[*slot] = word;
                    Ok(true)
                }
                Err(none) => self.fail(none, resume).map(|()| false),
            },
            Step::Member { relation, part, row, sign } => {
                Ok(self.holds(*relation, row, *part) == (*sign == Sign::Present))
            }
            Step::Some(search, sign) => Ok(self.some(search)? == (*sign == Sign::Present)),
            Step::Every(_) | Step::Keys { .. } | Step::Each(..) | Step::Meet(_) => broken(LOOPS),
        }
    }

    /// Whether a part of a relation has the row of these slots.
    #[inline(always)]
    fn holds(&mut self, relation: RelationId, row: &[Slot], part: Part) -> bool {
        self.row.clear();
        self.row.extend(row.iter().map(|slot| self.frame[*slot]));
        self.site.fresh[relation].holds(self.site.known.get(relation), &self.row, part)
    }

    /// Whether some row fits.
    fn some(&mut self, search: &'a Search) -> Result<bool, Bound> {
        let known = self.site.known.get(search.relation);
        let checked = !search.checks.is_empty();
        let found = match candidates(search, self.site.known, self.frame.view()) {
            Cursor::Rows(from, to) if checked => {
                (from..to).any(|number| self.fits(search, known.row(number)))
            }
            Cursor::Rows(from, to) => from < to,
            Cursor::Numbers(numbers) if checked => {
                numbers.iter().any(|number| self.fits(search, known.row(*number)))
            }
            Cursor::Numbers(entries) | Cursor::Words(entries) => !entries.is_empty(),
            Cursor::Ints(..) | Cursor::Elements | Cursor::Met(..) => broken(LOOPS),
        };
        self.site.budget.step().map(|()| found)
    }

    /// A match of the whole body: evaluates the head and hands it on.
    #[inline]
    fn hit(&mut self) -> Result<(), Bound> {
        self.matches += 1;
        self.row.clear();
        for code in &self.plan.head {
            match code.eval(self.frame.view(), self.site.params) {
                Ok(word) => self.row.push(word),
                Err(none) => return self.fail(none, &self.plan.resume),
            }
        }
        self.sink.take(&self.row, self.site)
    }

    /// Reports an operation without a result, if everything that doesn't depend on it holds.
    #[cold]
    fn fail(&mut self, none: NoResult, resume: &Resume) -> Result<(), Bound> {
        Inquiry::new(self.plan.rule, self.rule, self.frame.view(), resume, none).run(self.site)
    }
}
