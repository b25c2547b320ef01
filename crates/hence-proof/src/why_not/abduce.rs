//! Searches backwards for sets of changes that might derive a fact, fewest changes first. Each is only a guess that
//! an evaluation must confirm.

use hence_core::fault::OrBroken;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::time::Instant;

use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_core::value::{Value, Word};
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Atom, Literal, Rule, RuleId};

use super::super::derive::given_words;
use super::super::group::Tally;
use super::super::matches::BodyMatches;
use super::super::plans::Begin;
use super::super::proof::{Premise, StepKind};
use super::super::store::{FactRef, Key};
use super::change::{Change, adjustments};
use super::fill::Templates;
use super::state::{Hypothesis, Queued, RuleAttempt};
use super::{Asked, FUEL, Finder, fill};

/// How many states are looked at.
const STATES: usize = 20_000;

/// How many of them in one turn.
const TURN: usize = 200;

/// The most rules between the fact asked for and a change.
const DEPTH: usize = 8;

/// How many changes a set has at most.
const CHANGES: usize = 4;

/// How many facts are tried for one atom.
const CHOICES: usize = 12;

/// A search for guesses.
pub(super) struct Abduction<'f, 'a> {
    finder: &'f Finder<'a>,
    queue: BinaryHeap<Reverse<(usize, usize, Queued)>>,
    added: usize,
    seen: usize,
    until: Instant,
    templates: &'f Templates<'f, 'a>,
}

impl<'f, 'a> Abduction<'f, 'a> {
    pub(super) fn new(
        (finder, templates): (&'f Finder<'a>, &'f Templates<'f, 'a>),
        relation: RelationId,
        asked: &Asked,
        until: Instant,
    ) -> Self {
        let mut search = Self { finder, queue: BinaryHeap::new(), added: 0, seen: 0, until, templates };
        let params = finder.context.params.clone();
        let start = Hypothesis {
            frames: Vec::new(),
            changes: Vec::new(),
            params,
            removed: BTreeSet::new(),
            rules: 0,
        };
        search.derive(&start, relation, asked, 0);
        search
    }

    /// Whether the search stopped before its end.
    pub(super) fn stopped(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Whether it may find more.
    pub(super) fn goes_on(&self) -> bool {
        self.stopped() && self.seen < STATES && Instant::now() < self.until
    }

    /// The next guess, of those found in one turn; nothing says nothing of later turns.
    pub(super) fn turn(&mut self) -> Option<Vec<Change>> {
        for _ in 0..TURN {
            if !self.goes_on() {
                return None;
            }
            self.seen += 1;
            let Reverse((_, _, Queued(state))) = self.queue.pop()?;
            if let Some(changes) = self.expand(state) {
                return Some(changes);
            }
        }
        None
    }

    fn push(&mut self, mut state: Hypothesis) {
        state.write_back();
        if state.changes.len() <= CHANGES {
            self.added += 1;
            // A rule more costs less than a change more. Deep in a body is nearer to an answer, so of equal cost the
            // youngest state goes first.
            let cost = state.changes.len() * 2 + state.rules;
            self.queue.push(Reverse((cost, usize::MAX - self.added, Queued(state))));
        }
    }

    /// Adds a state for each rule that could derive the relation.
    fn derive(&mut self, state: &Hypothesis, relation: RelationId, target: &Asked, waiting: usize) {
        if state.frames.len() >= DEPTH {
            return;
        }
        for id in self.finder.context.rules_of(relation).iter().rev() {
            let rule = &self.finder.context.program[*id];
            let Some(vars) = given_words(rule, target) else { continue };
            let made_up = vec![None; vars.len()];
            let left = (0..rule.body.len()).collect();
            let mut next = state.clone();
            next.rules += 1;
            next.frames.push(RuleAttempt { rule: *id, vars, made_up, left, target: target.clone(), waiting });
            self.push(next);
        }
    }

    fn expand(&mut self, mut state: Hypothesis) -> Option<Vec<Change>> {
        let frame = state.frames.last_mut()?;
        let rule = self.finder.context.program.rule(frame.rule)?;
        let Some(at) = frame.left.iter().position(|literal| frame.ready(rule, *literal)) else {
            // What is still open takes the value that its made-up fact has for the time being.
            return match (state.close(), state.frames.last().is_some_and(|frame| frame.left.is_empty())) {
                (true, _) => {
                    self.push(state);
                    None
                }
                (false, true) => self.finish(state, rule),
                (false, false) => None,
            };
        };
        if frame.left.is_empty() {
            return None;
        }
        let literal = frame.left.remove(at);
        match rule.body.get(literal)? {
            Literal::Atom(atom) => self.atom(state, atom, literal),
            Literal::Not(atom) => self.not(state, atom, literal),
            Literal::Test { expr, .. } => self.test(state, expr),
            computing => {
                let var = computing.computed()?;
                let words = frame.words();
                let values = computing.exprs().iter().map(|expr| expr.eval(&words, &state.params).ok());
                let values: Vec<Word> = values.collect::<Option<_>>()?;
                for word in computing.outcomes(&values).take(CHOICES) {
                    let mut next = state.clone();
                    if next.frames.last_mut().is_some_and(|frame| frame.set(var, word)) {
                        self.push(next);
                    }
                }
            }
        }
        None
    }

    fn atom(&mut self, state: Hypothesis, atom: &Atom, literal: usize) {
        let Some(frame) = state.frames.last() else { return };
        let key = frame.key(atom, &state.params);
        let context = &self.finder.context;
        let input = context.program.relation(atom.relation).is_some_and(|found| found.kind == Kind::Input);
        let assumable = input && self.finder.may_be_said(atom.relation);
        if assumable && !self.reuse(&state, atom, &key) {
            self.assume(&state, atom, &key);
        }
        self.derive(&state, atom.relation, &key, literal);
        let mut rows = Vec::new();
        context.store.each(atom.relation, &key, usize::MAX, &mut |row| {
            rows.push(FactRef { relation: atom.relation, row });
            rows.len() < CHOICES * 8
        });
        rows.sort_by(|a, b| context.compare(atom.relation, &context.store.row(*a), &context.store.row(*b)));
        for fact in rows.into_iter().take(CHOICES).rev().filter(|fact| !state.removed.contains(fact)) {
            let mut next = state.clone();
            let row: Asked = context.store.row(fact).iter().copied().map(Some).collect();
            if next.frames.last_mut().is_some_and(|frame| frame.take(atom, &row)) {
                self.push(next);
            }
        }
    }

    /// Takes a fact that was made up before, if one fits.
    fn reuse(&mut self, state: &Hypothesis, atom: &Atom, key: &Asked) -> bool {
        let name = self.finder.context.name(atom.relation);
        let rows = state.changes.iter().filter_map(|change| match change {
            Change::Assert(fact, _) if fact.relation == name => {
                Some(fact.values.iter().map(|value| Some(value.word())).collect::<Asked>())
            }
            _ => None,
        });
        let fits = |row: &Asked| row.iter().zip(key).all(|(word, asked)| asked.is_none() || word == asked);
        let Some(row) = rows.into_iter().find(fits) else { return false };
        let mut next = state.clone();
        if next.frames.last_mut().is_some_and(|frame| frame.take(atom, &row)) {
            self.push(next);
        }
        true
    }

    /// Makes a fact up: the columns known, the others as the nearest fact has them.
    fn assume(&mut self, state: &Hypothesis, atom: &Atom, key: &Asked) {
        let context = &self.finder.context;
        let Some(like) = self.templates.like(atom.relation, key) else { return };
        let mut row: Vec<Word> =
            key.iter().zip(&like.values).map(|(word, value)| word.unwrap_or(value.word())).collect();
        let instant = self.finder.instant(atom.relation);
        if let Some((slot, now)) = instant.and_then(|(column, now)| Some((row.get_mut(column)?, now))) {
            *slot = now;
        }
        let mut fact = Fact::new(context.name(atom.relation), context.values(atom.relation, &row));
        if self.templates.has_id(atom.relation) {
            match key.first() {
                // Its id is that of another fact: two would contradict each other.
                Some(Some(_)) if fill::conflict(self.finder, atom.relation, &fact).is_some() => return,
                Some(None) => fill::new_id(self.finder, atom.relation, &mut fact),
                _ => {}
            }
        }
        let unread = self.unread(atom.relation).into_iter().zip(key);
        let mut open: Vec<bool> = unread.map(|(unread, word)| unread && word.is_none()).collect();
        let free = (0..key.len()).filter(|at| open.get(*at) == Some(&true));
        let free = free.chain((0..key.len()).filter(|at| key.get(*at) == Some(&None)));
        let author = self.finder.author_column(atom.relation);
        let filled = [author, instant.map(|(column, _)| column)];
        let free: Vec<usize> = free.filter(|at| !filled.contains(&Some(*at))).collect();
        let first = fact.clone();
        self.renew(&mut fact, free);
        for (open, (one, other)) in open.iter_mut().zip(fact.values.iter().zip(&first.values)) {
            *open &= one == other;
        }
        // Only a new fact adds anything: where one holds that is like it, its values matter.
        let closed = fact.values.iter().zip(&open).map(|(value, open)| (!open).then(|| value.word()));
        if self.finder.context.store.any(atom.relation, &closed.collect::<Key>(), usize::MAX).is_some() {
            open.fill(false);
        }
        for column in filled.into_iter().flatten() {
            let known = key.get(column).is_some_and(Option::is_some) && Some(column) == author;
            open.iter_mut().skip(column).take(1).for_each(|open| *open = !known);
        }
        let mut next = state.clone();
        let change = next.changes.len();
        next.changes.push(Change::Assert(fact, open));
        if let Some(frame) = next.frames.last_mut() {
            frame.open(atom, change);
        }
        self.push(next);
    }

    /// Makes a made-up fact differ from those that hold, in the first column that can: only a new one adds anything.
    fn renew(&self, fact: &mut Fact, free: Vec<usize>) {
        let program = self.finder.context.program;
        let columns = program.find(fact.relation).map_or(&[][..], |id| &program[id].columns);
        for at in free {
            for _ in 0..CHOICES {
                if !self.finder.holds(fact) {
                    return;
                }
                let (Some(value), Some(column)) = (fact.values.get_mut(at), columns.get(at)) else { break };
                let Some(other) = fill::another(column, *value) else { break };
                *value = other;
            }
        }
    }

    /// For each column of a relation, whether no rule after what is asked for looks at it.
    fn unread(&self, relation: RelationId) -> Vec<bool> {
        self.templates.read(relation).into_iter().map(|read| !read).collect()
    }

    fn test(&mut self, state: Hypothesis, expr: &Expr) {
        let Some(frame) = state.frames.last() else { return };
        let words = frame.words();
        if expr.eval(&words, &state.params).is_ok_and(Word::as_bool) {
            return self.push(state);
        }
        for adjustment in adjustments(expr, &words, &state.params) {
            let mut next = state.clone();
            let adjusted = match adjustment.side.kind {
                ExprKind::Var(var) => next.adjust(var, adjustment.word, adjustment.side),
                ExprKind::Param(param) => {
                    let program = self.finder.context.program;
                    program.params.get(param.0 as usize).is_some_and(|known| {
                        next.set(
                            known,
                            param.0 as usize,
                            Value::from_word(adjustment.side.ty, adjustment.word),
                        )
                    })
                }
                _ => false,
            };
            let words = next.frames.last().map(RuleAttempt::words).or_broken("a search has a frame");
            if adjusted && expr.eval(&words, &next.params).is_ok_and(Word::as_bool) {
                self.push(next);
            }
        }
    }

    fn not(&mut self, state: Hypothesis, atom: &Atom, literal: usize) {
        let Some(frame) = state.frames.last() else { return };
        let key = frame.key(atom, &state.params);
        let mut rows = Vec::new();
        self.finder.context.store.each(atom.relation, &key, usize::MAX, &mut |row| {
            rows.push(FactRef { relation: atom.relation, row });
            rows.len() <= CHANGES + state.removed.len()
        });
        let context = &self.finder.context;
        rows.retain(|fact| !state.removed.contains(fact));
        rows.sort_by(|a, b| context.compare(atom.relation, &context.store.row(*a), &context.store.row(*b)));
        let Some(first) = rows.first().copied() else { return self.push(state) };
        for change in self.removals(first) {
            let mut next = state.clone();
            if let Change::Set(name, _, value) = &change {
                let at = context.program.params.iter().position(|param| param.name == *name);
                if let Some(slot) = at.and_then(|at| next.params.get_mut(at)) {
                    *slot = value.word();
                }
            }
            next.removed.insert(first);
            if !next.changes.contains(&change) {
                next.changes.push(change);
            }
            if let Some(frame) = next.frames.last_mut() {
                frame.left.insert(0, literal);
            }
            self.push(next);
        }
    }

    /// Single changes that take away something that the proof of a fact rests on.
    fn removals(&mut self, fact: FactRef) -> Vec<Change> {
        let program = self.finder.context.program;
        let Some(proof) = self.finder.why_or_end(&self.finder.context.fact(fact)) else { return Vec::new() };
        let mut found = Vec::new();
        for step in &proof.steps {
            match &step.kind {
                StepKind::Asserted { .. } if step.fact.relation.as_str() != "now" => {
                    found.push(Change::Retract(step.fact.clone()));
                }
                StepKind::Derived(derived) => found.extend(derived.premises.iter().filter_map(|premise| {
                    let Premise::Absent { atom, .. } = premise else { return None };
                    let id = program.find(atom.relation)?;
                    let input = program.relation(id)?.kind == Kind::Input;
                    let blank = fill::blank(self.finder, id).filter(|_| input)?;
                    let values = atom.args.iter().zip(blank.values).map(|(arg, value)| arg.unwrap_or(value));
                    let unread = self.unread(id);
                    let open = atom.args.iter().zip(unread).map(|(arg, unread)| arg.is_none() && unread);
                    let open = open.collect();
                    Some(Change::Assert(Fact::new(atom.relation, values.collect::<Vec<_>>()), open))
                })),
                _ => {}
            }
        }
        found.truncate(CHOICES);
        found.reverse();
        found
    }

    /// The body of the innermost rule is satisfied: its head answers the atom that waits, or the search has a guess.
    fn finish(&mut self, mut state: Hypothesis, rule: &Rule) -> Option<Vec<Change>> {
        let frame = state.frames.pop()?;
        // Without any change it gives nothing that doesn't hold anyway.
        if state.changes.is_empty() {
            return None;
        }
        let words = frame.words();
        let row = if rule.is_aggregate() {
            self.group_with(frame.rule, rule, &words, &state.params)?
        } else {
            rule.terms.iter().map(|term| plain(term, &words, &state.params)).collect()
        };
        let mut columns = row.iter().zip(&frame.target);
        let fits = columns.all(|(word, asked)| word.is_none() || asked.is_none() || word == asked);
        if !fits {
            return None;
        }
        let Some(below) = state.frames.last_mut() else {
            return Some(state.changes);
        };
        let rule = self.finder.context.program.rule(below.rule)?;
        let Some(Literal::Atom(atom)) = rule.body.get(frame.waiting) else { return None };
        if below.take(atom, &row) {
            self.push(state);
        }
        None
    }

    /// The head of an aggregate rule over the matches that its group has and one more.
    fn group_with(&self, id: RuleId, rule: &Rule, words: &[Word], params: &[Word]) -> Option<Asked> {
        let finder = self.finder;
        let row: Asked = rule.terms.iter().map(|term| plain(term, words, params)).collect();
        let is_known =
            |(term, word): (&Term, &Option<Word>)| matches!(term, Term::Aggregate { .. }) || word.is_some();
        if !rule.terms.iter().zip(&row).all(is_known) {
            return None;
        }
        let rule = finder.context.program.rule(id)?;
        let plan = finder.plans().get(&finder.context, id, rule, Begin::Head);
        let head: Vec<Word> = row.iter().copied().map(Option::unwrap_or_default).collect();
        let mut all = BodyMatches::new(&finder.context, (rule, plan), &head, None).with_fuel(FUEL);
        let mut tally = Tally::new(rule);
        while all.next() {
            tally.add(all.vars(), &finder.context.params);
        }
        tally.add(words, params);
        let mut row = row;
        for (column, word) in tally.finish()? {
            *row.get_mut(column)? = Some(word);
        }
        Some(row)
    }
}

/// The value of a head term that is no aggregate.
fn plain(term: &Term, vars: &[Word], params: &[Word]) -> Option<Word> {
    match term {
        Term::Expr(expr) => expr.eval(vars, params).ok(),
        Term::Aggregate { .. } => None,
    }
}
