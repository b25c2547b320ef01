//! Runs a plan: nested loops without recursion, one frame of words, no allocation for a match.
#![expect(
    clippy::indexing_slicing,
    reason = "hot: slots, columns and steps are in range by construction of the plan"
)]

use std::ops::Range;

use crate::backend::Bound;
use crate::backend::budget::Budget;
use crate::backend::report::Reports;
use crate::builtins::expr::NoResult;
use crate::builtins::generator::Generator;
use crate::ir::Rule;
use crate::value::Word;

use smallvec::SmallVec;

use super::code::Code;
use super::index::Content;
use super::known::Known;
use super::plan::{Origin, Plan, Resume, Search, Sign, Step};
use super::store::Fresh;
use super::undefined::Inquiry;

/// Where a rule works: what it reads, what it adds to, and what it may spend.
pub(super) struct Site<'a, 'p> {
    /// The facts of closed rounds.
    pub(super) known: &'a [Known],
    /// The open round.
    pub(super) fresh: &'a mut [Fresh],
    /// The limits.
    pub(super) budget: &'a mut Budget,
    /// Operations without a result.
    pub(super) reports: &'a mut Reports<'p>,
    /// The values of the parameters.
    pub(super) params: &'a [Word],
}

/// What becomes of the matches of a body.
pub(super) trait Sink {
    /// Takes in one match: the values of the head's expressions, as [`Plan::head`] lists them.
    fn take(&mut self, row: &[Word], site: &mut Site<'_, '_>) -> Result<(), Bound>;

    /// Where rows may be put directly, and how many words of them before [`Sink::flush`] is due.
    fn batch(&mut self) -> Option<(&mut Vec<Word>, usize)> {
        None
    }

    /// Takes in what was put into the batch.
    fn flush(&mut self, _site: &mut Site<'_, '_>) -> Result<(), Bound> {
        Ok(())
    }
}

/// A plan at work.
pub(super) struct Machine<'a, 'p, 's, S> {
    plan: &'a Plan,
    rule: &'a Rule,
    site: &'s mut Site<'a, 'p>,
    sink: &'s mut S,
    frame: Vec<Word>,
    cursors: Vec<Cursor<'a>>,
    row: Vec<Word>,
    matches: u64,
}

/// What is left of a loop.
enum Cursor<'a> {
    Rows(Range<u32>),
    /// Numbers of rows, from an index.
    Numbers(std::slice::Iter<'a, u32>),
    /// Words of the only column that is open, from an index.
    Words(std::slice::Iter<'a, u32>),
    Ints(Range<i64>),
    Elements(Box<dyn Iterator<Item = Word>>),
}

/// Where a machine goes on.
enum Move {
    Enter(usize),
    Resume(usize),
}

impl<'a, 'p, 's, S: Sink> Machine<'a, 'p, 's, S> {
    /// A machine for one run of `plan`.
    pub(super) fn new(plan: &'a Plan, rule: &'a Rule, site: &'s mut Site<'a, 'p>, sink: &'s mut S) -> Self {
        let cursors = plan.steps.iter().map(|_| Cursor::Rows(0..0)).collect();
        Self { plan, rule, site, sink, frame: plan.frame.words.clone(), cursors, row: Vec::new(), matches: 0 }
    }

    /// Finds all matches; how many there were.
    pub(super) fn run(mut self) -> Result<u64, Bound> {
        let empty = |(relation, part): &(usize, _)| self.site.known[*relation].part(*part).is_empty();
        if self.plan.reads.iter().any(empty) {
            return Ok(0);
        }
        let end = self.plan.steps.len();
        let innermost = self.plan.back[end];
        let mut next = Some(Move::Enter(0));
        while let Some(place) = next {
            let (passed, at) = match place {
                Move::Enter(at) if at == end => {
                    self.hit()?;
                    next = self.plan.after_match.map(Move::Resume);
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
        self.sink.flush(self.site)?;
        Ok(self.matches)
    }

    /// Comes to a step from before it; whether a match passes.
    fn enter(&mut self, at: usize) -> Result<bool, Bound> {
        match &self.plan.steps[at] {
            step @ (Step::Every(_) | Step::Each(..)) => match self.start(step)? {
                Some(cursor) => {
                    self.cursors[at] = cursor;
                    self.advance(at)
                }
                None => Ok(false),
            },
            filter => self.filter(filter),
        }
    }

    /// The beginning of a loop; none where an operation has no result.
    fn start(&mut self, step: &'a Step) -> Result<Option<Cursor<'a>>, Bound> {
        match step {
            Step::Every(search) => Ok(Some(self.candidates(search))),
            Step::Each(_, generator, args, resume) => self.elements(generator, args, resume),
            _ => Ok(None),
        }
    }

    fn candidates(&self, search: &'a Search) -> Cursor<'a> {
        let known = &self.site.known[search.relation];
        match &search.by {
            None => Cursor::Rows(known.part(search.part)),
            Some((index, key)) => {
                let (index, slot) = (known.index(*index), |slot: &u32| self.frame[*slot as usize]);
                let entries = match key.as_slice() {
                    [a] => index.get(&[slot(a)], search.part),
                    [a, b] => index.get(&[slot(a), slot(b)], search.part),
                    key => index.get(&key.iter().map(slot).collect::<SmallVec<[Word; 8]>>(), search.part),
                };
                match index.content() {
                    Content::Numbers => Cursor::Numbers(entries.iter()),
                    Content::Words(_) => Cursor::Words(entries.iter()),
                }
            }
        }
    }

    fn elements(
        &mut self,
        generator: &Generator,
        args: &[Code],
        resume: &Resume,
    ) -> Result<Option<Cursor<'a>>, Bound> {
        let words: Result<SmallVec<[Word; 4]>, NoResult> =
            args.iter().map(|arg| arg.eval(&self.frame, self.site.params)).collect();
        match (words, generator) {
            (Ok(words), Generator::Range) => match *words {
                [from, to] => Ok(Some(Cursor::Ints(from.as_int()..to.as_int()))),
                _ => Ok(None),
            },
            (Ok(words), _) => Ok(Some(Cursor::Elements(generator.elements(&words)))),
            (Err(none), _) => self.fail(none, resume).map(|()| None),
        }
    }

    /// The next match of a loop, if there is one.
    fn advance(&mut self, at: usize) -> Result<bool, Bound> {
        match &self.plan.steps[at] {
            Step::Every(search) => self.next_row(at, search),
            Step::Each(slot, ..) => self.next_element(at, *slot),
            _ => Ok(false),
        }
    }

    fn next_row(&mut self, at: usize, search: &Search) -> Result<bool, Bound> {
        let known = &self.site.known[search.relation];
        loop {
            let number = match &mut self.cursors[at] {
                Cursor::Rows(rows) => rows.next(),
                Cursor::Numbers(numbers) => numbers.next().copied(),
                Cursor::Words(words) => {
                    let word = words.next().copied();
                    word.into_iter().for_each(|word| self.bind_word(search, word));
                    return Ok(word.is_some());
                }
                _ => None,
            };
            let Some(number) = number else { return Ok(false) };
            self.site.budget.step()?;
            if self.fits(search, known.row(number)) {
                return Ok(true);
            }
        }
    }

    /// Binds the only column that an index leaves open.
    #[inline]
    fn bind_word(&mut self, search: &Search, word: u32) {
        if let [(_, slot)] = *search.binds {
            self.frame[slot as usize] = Word(u64::from(word));
        }
    }

    fn next_element(&mut self, at: usize, slot: u32) -> Result<bool, Bound> {
        let word = match &mut self.cursors[at] {
            Cursor::Ints(ints) => ints.next().map(Word::from_int),
            Cursor::Elements(elements) => elements.next(),
            _ => None,
        };
        let Some(word) = word else { return Ok(false) };
        self.site.budget.spend(1)?;
        self.site.budget.step()?;
        self.frame[slot as usize] = word;
        Ok(true)
    }

    /// Binds what a row binds; whether it fits.
    #[inline]
    fn fits(&mut self, search: &Search, row: &[Word]) -> bool {
        for (column, slot) in &search.binds {
            self.frame[*slot as usize] = row[*column as usize];
        }
        search.checks.iter().all(|(column, slot)| self.frame[*slot as usize] == row[*column as usize])
    }

    /// Runs the innermost loop to its end, or to a match that makes the rest of it needless; where to go on.
    fn sweep(&mut self, at: usize) -> Result<Option<usize>, Bound> {
        let plan = self.plan;
        let Some(cursor) = self.start(&plan.steps[at])? else { return Ok(plan.back[at]) };
        if let (Some(tail), Step::Every(search)) = (&plan.tail, &plan.steps[at]) {
            let known = &self.site.known[search.relation];
            match cursor {
                Cursor::Numbers(list) => {
                    self.pour(tail, list.map(|number| known.row(*number)), |row, at| row[at])?
                }
                Cursor::Words(list) => self.pour(tail, list, |word, _| Word(u64::from(*word)))?,
                Cursor::Rows(rows) => {
                    self.pour(tail, rows.map(|number| known.row(number)), |row, at| row[at])?
                }
                _ => {}
            }
            return Ok(plan.back[at]);
        }
        self.cursors[at] = cursor;
        while self.advance(at)? {
            if self.filters(at + 1)? {
                self.hit()?;
                if plan.after_match != Some(at) {
                    return Ok(plan.after_match);
                }
            }
        }
        Ok(plan.back[at])
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
            Origin::Slot(slot) => frame[*slot as usize],
            Origin::Column(at) => column(row, *at as usize),
        };
        let before = self.matches;
        for row in rows {
            let Some((batch, full)) = self.sink.batch() else { return Ok(()) };
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

    /// Whether a match passes all steps from `from` on, which are filters.
    #[inline]
    fn filters(&mut self, from: usize) -> Result<bool, Bound> {
        for step in &self.plan.steps[from..] {
            if !self.filter(step)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn filter(&mut self, step: &'a Step) -> Result<bool, Bound> {
        match step {
            Step::Test(code, resume) => match code.eval(&self.frame, self.site.params) {
                Ok(word) => Ok(word.as_bool()),
                Err(none) => self.fail(none, resume).map(|()| false),
            },
            Step::Let(slot, code, resume) => match code.eval(&self.frame, self.site.params) {
                Ok(word) => {
                    self.frame[*slot as usize] = word;
                    Ok(true)
                }
                Err(none) => self.fail(none, resume).map(|()| false),
            },
            Step::Member { relation, part, row, sign } => {
                self.row.clear();
                self.row.extend(row.iter().map(|slot| self.frame[*slot as usize]));
                let known = &self.site.known[*relation];
                let present = self.site.fresh[*relation].holds(known, &self.row, *part);
                Ok(present == (*sign == Sign::Present))
            }
            Step::Some(search, sign) => Ok(self.some(search)? == (*sign == Sign::Present)),
            Step::Every(_) | Step::Each(..) => Ok(false),
        }
    }

    /// Whether some row fits.
    fn some(&mut self, search: &'a Search) -> Result<bool, Bound> {
        let known = &self.site.known[search.relation];
        let found = match self.candidates(search) {
            Cursor::Words(words) => !words.as_slice().is_empty(),
            cursor if search.checks.is_empty() => match cursor {
                Cursor::Rows(rows) => !rows.is_empty(),
                Cursor::Numbers(numbers) => !numbers.as_slice().is_empty(),
                _ => false,
            },
            Cursor::Rows(mut rows) => rows.any(|number| self.fits(search, known.row(number))),
            Cursor::Numbers(mut numbers) => numbers.any(|number| self.fits(search, known.row(*number))),
            _ => false,
        };
        self.site.budget.step().map(|()| found)
    }

    /// A match of the whole body: evaluates the head and hands it on.
    #[inline]
    fn hit(&mut self) -> Result<(), Bound> {
        self.matches += 1;
        self.row.clear();
        for code in &self.plan.head {
            match code.eval(&self.frame, self.site.params) {
                Ok(word) => self.row.push(word),
                Err(none) => return self.fail(none, &self.plan.resume),
            }
        }
        self.sink.take(&self.row, self.site)
    }

    /// Reports an operation without a result, if everything that doesn't depend on it holds.
    #[cold]
    fn fail(&mut self, none: NoResult, resume: &Resume) -> Result<(), Bound> {
        Inquiry::new(self.plan.rule, self.rule, &self.frame, resume, none).run(self.site)
    }
}
