//! Single steps towards a fact that doesn't hold, read off the rules over one model: what could be asserted, retracted
//! or set next, each with how many steps more its way takes at least.
//!
//! A step needs no proof that it helps: whoever asks evaluates it, and asks again over the model that it gives.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::{Kind, RelationId};
use hence_core::value::Word;
use hence_engine::Undefined;
use hence_lang::builtins::expr::{Expr, VarId};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Arg, Atom, Literal, Rule, RuleId};

use super::super::derive::{Derivation, Derivations, Extra, head_variable};
use super::super::store::FactRef;
use super::change::Change;
use super::fill::{self, Templates};
use super::relax::{self, Known, Relaxed};
use super::want::Want;
use super::{Finder, Map};

/// The most rules between what is asked for and a change.
const DEPTH: usize = 12;

/// How many bindings are looked at for all steps from one model.
const FUEL: usize = 10_000;

/// How many derivations of a fact that has to go are looked at.
const DERIVATIONS: usize = 4;

/// How many inputs of a group that has to go are looked at.
const INPUTS: usize = 24;

/// How many facts of one kind are tried in one place.
pub(super) const TRIED: usize = 6;

/// A step: changes to make together, and how many more its way takes at least.
pub(super) struct Idea {
    pub(super) changes: Vec<Change>,
    pub(super) left: usize,
    /// By how many literals of rules it is asked for.
    pub(super) votes: usize,
}

/// Collects steps over one model.
pub(super) struct Ideas<'f, 'a> {
    pub(super) finder: &'f Finder<'a>,
    pub(super) templates: &'f Templates<'f, 'a>,
    /// How many changes there may be in all.
    pub(super) budget: usize,
    pub(super) fuel: usize,
    /// What is still to be looked at: its depth, how many other steps its way takes, its number.
    waiting: BinaryHeap<Reverse<(usize, usize, usize)>>,
    tasks: Vec<Option<(Task, usize)>>,
    wanted: Map<(RelationId, Vec<Want>), Wanted>,
    /// How many other steps the ways of facts take that have to go.
    unwanted: Map<FactRef, usize>,
    /// What each step that asserts answers.
    answers: Vec<(usize, (RelationId, Vec<Want>))>,
    found: Vec<Idea>,
    known: Map<Vec<Change>, usize>,
    /// What the clock would have to be, where that is all.
    pub(super) instants: Vec<Want>,
    /// Facts that were made up before.
    made: Vec<Fact>,
}

/// What was wanted of a relation.
struct Wanted {
    /// How many other steps its way takes.
    left: usize,
    /// How many literals ask for it.
    votes: usize,
}

/// What is to be brought about.
enum Task {
    /// A fact of a relation.
    Make(RelationId, Vec<Want>),
    /// That a fact doesn't hold.
    Unmake(FactRef),
}

/// A rule with a match of it at hand.
#[derive(Clone, Copy)]
pub(super) struct At<'r> {
    pub(super) id: RuleId,
    pub(super) rule: &'r Rule,
    pub(super) found: &'r Relaxed,
    /// What is wanted of variables that the match leaves open.
    pub(super) wants: &'r [Want],
    /// How many more steps the way takes.
    pub(super) left: usize,
    /// How many rules are between what is asked for and this one.
    pub(super) depth: usize,
}

impl<'f, 'a> Ideas<'f, 'a> {
    /// The steps towards a fact of `target` with `wants`, at most `budget` in all; some changes were made before.
    pub(super) fn towards(
        (finder, templates): (&'f Finder<'a>, &'f Templates<'f, 'a>),
        target: RelationId,
        wants: Vec<Want>,
        (budget, before): (usize, &[Change]),
    ) -> (Vec<Idea>, Vec<Want>) {
        let mut ideas = Self::new((finder, templates), budget, before);
        ideas.make(target, wants, 0, 0);
        ideas.work();
        for (at, wanted) in std::mem::take(&mut ideas.answers) {
            if let (Some(idea), Some(wanted)) = (ideas.found.get_mut(at), ideas.wanted.get(&wanted)) {
                idea.votes = wanted.votes;
            }
        }
        (ideas.found, ideas.instants)
    }

    /// The steps that take away matches in which an operation is undefined.
    pub(super) fn against_doubts(
        (finder, templates): (&'f Finder<'a>, &'f Templates<'f, 'a>),
        undefined: &[Undefined],
        (budget, before): (usize, &[Change]),
    ) -> Vec<Idea> {
        let mut ideas = Self::new((finder, templates), budget, before);
        for Undefined { rule: id, bindings, .. } in undefined {
            let rule = &finder.context.program[*id];
            let wants = vec![Want::Any; rule.variables.len()];
            let known = Known { vars: bindings.clone(), wants: &wants };
            for failing in 0..=budget {
                for found in relax::matches(&finder.context, rule, &known, failing, &mut ideas.fuel) {
                    found.rows.iter().for_each(|(_, fact)| ideas.unmake(*fact, 0, 1));
                }
            }
        }
        ideas.work();
        ideas.found
    }

    fn new(
        (finder, templates): (&'f Finder<'a>, &'f Templates<'f, 'a>),
        budget: usize,
        before: &[Change],
    ) -> Self {
        let made = before.iter().filter_map(|change| match change {
            Change::Assert(fact, _) => Some(fact.clone()),
            _ => None,
        });
        Self {
            finder,
            templates,
            budget,
            fuel: FUEL,
            waiting: BinaryHeap::new(),
            tasks: Vec::new(),
            wanted: Map::default(),
            unwanted: Map::default(),
            answers: Vec::new(),
            found: Vec::new(),
            known: Map::default(),
            instants: Vec::new(),
            made: made.collect(),
        }
    }

    pub(super) fn push(&mut self, mut changes: Vec<Change>, left: usize) -> usize {
        changes.sort();
        // What no fact is like comes after what some are.
        let left = left + changes.iter().filter(|change| self.templates.is_unlikely(change)).count();
        let at = *self.known.entry(changes.clone()).or_insert(self.found.len());
        match self.found.get_mut(at) {
            Some(known) => known.left = known.left.min(left),
            None => self.found.push(Idea { changes, left, votes: 1 }),
        }
        at
    }

    /// The same for a step that so many literals ask for.
    pub(super) fn push_for(&mut self, changes: Vec<Change>, left: usize, votes: usize) {
        let at = self.push(changes, left);
        self.found.iter_mut().skip(at).take(1).for_each(|idea| idea.votes = idea.votes.max(votes));
    }

    /// Whether a way is too long. How many steps it takes doesn't count: one step may do for several.
    pub(super) fn ends(&self, depth: usize) -> bool {
        depth > DEPTH || self.fuel == 0
    }

    /// Steps towards a fact of a relation.
    pub(super) fn make(&mut self, relation: RelationId, wants: Vec<Want>, left: usize, depth: usize) {
        self.put_off(Task::Make(relation, wants), left, depth);
    }

    /// Steps after which a fact doesn't hold any more.
    pub(super) fn unmake(&mut self, fact: FactRef, left: usize, depth: usize) {
        self.put_off(Task::Unmake(fact), left, depth);
    }

    fn put_off(&mut self, task: Task, left: usize, depth: usize) {
        if depth <= DEPTH {
            let number = self.tasks.len();
            self.tasks.push(Some((task, left.min(self.budget))));
            self.waiting.push(Reverse((depth, left, number)));
        }
    }

    /// Does what was put off, what is nearest to the question first: where the fuel ends, each way was begun.
    fn work(&mut self) {
        while let Some(Reverse((depth, _, number))) = self.waiting.pop() {
            if self.fuel == 0 {
                return;
            }
            match self.tasks.get_mut(number).and_then(Option::take) {
                Some((Task::Make(relation, wants), left)) => self.make_now(relation, wants, left, depth),
                Some((Task::Unmake(fact), left)) => self.unmake_now(fact, left, depth),
                None => {}
            }
        }
    }

    fn make_now(&mut self, relation: RelationId, wants: Vec<Want>, left: usize, depth: usize) {
        let finder = self.finder;
        let first = Wanted { left: usize::MAX, votes: 0 };
        let known = self.wanted.entry((relation, wants.clone())).or_insert(first);
        known.votes += 1;
        if known.left <= left {
            return;
        }
        known.left = left;
        if finder.context.program[relation].kind == Kind::Input {
            return self.assert(relation, &wants, left);
        }
        for id in finder.context.rules_of(relation) {
            let rule = &finder.context.program[*id];
            self.by_rule((*id, rule), &wants, left, depth);
        }
    }

    fn by_rule(&mut self, (id, rule): (RuleId, &'a Rule), wants: &[Want], left: usize, depth: usize) {
        let Some((vars, var_wants)) = given(rule, wants) else { return };
        let known = Known { vars, wants: &var_wants };
        if rule.is_aggregate() {
            return self.by_aggregate((id, rule), wants, &known, left, depth);
        }
        let mut met = 0;
        for failing in 0..=self.budget {
            let found = relax::matches(&self.finder.context, rule, &known, failing, &mut self.fuel);
            for found in &found {
                let found = &self.completed(rule, found, wants);
                let failed_head = self.failed_head(rule, found, wants);
                let others = (failing + usize::from(failed_head.is_some())).saturating_sub(1);
                let at = At { id, rule, found, wants: &var_wants, left: left + others, depth };
                self.repair(at);
                match failed_head {
                    Some((expr, name, limit)) => self.fix_side(at, expr, name, limit),
                    None if failing == 0 && rule.limit.is_some() => self.by_limit(at),
                    None => {}
                }
                let whole = |expr: &&Expr| knows(expr, found);
                rule.head_exprs().filter(whole).for_each(|expr| self.define(at, expr));
            }
            met += usize::from(!found.is_empty());
            if met == 2 {
                break;
            }
        }
        self.together(rule, &known, left);
    }

    /// The first term of a head that doesn't give what is wanted.
    fn failed_head<'r>(
        &self,
        rule: &'r Rule,
        found: &Relaxed,
        wants: &[Want],
    ) -> Option<(&'r Expr, &'static str, Word)> {
        let rank = rule.limit.as_ref().and_then(|limit| limit.rank);
        rule.terms.iter().zip(wants).find_map(|(term, want)| {
            let Term::Expr(expr) = term else { return None };
            let var = head_variable(expr);
            if var.is_some_and(|var| Some(var) == rank || found.word(var).is_none()) || !knows(expr, found) {
                return None;
            }
            let word = expr.eval(&found.words(), &self.finder.context.params).ok()?;
            match want {
                Want::Is(wanted) if *wanted != word => Some((expr, "=", *wanted)),
                Want::Than(name, limit) if !want.admits(expr.ty, word) => Some((expr, *name, *limit)),
                _ => None,
            }
        })
    }

    /// Steps that mend what fails in a match.
    pub(super) fn repair(&mut self, at: At<'_>) {
        for literal in &at.found.failed {
            let context = &self.finder.context;
            match at.rule.literal(*literal) {
                Literal::Atom(atom) => {
                    let key = at.found.key(atom, &context.params);
                    let wants = wanted_by(atom, &key, at.wants);
                    self.make(atom.relation, wants, at.left, at.depth + 1);
                }
                Literal::Not(atom) => {
                    let rows = relax::rows(context, atom, &at.found.key(atom, &context.params));
                    let more = usize::from(rows.len() > 1);
                    rows.into_iter().take(2).for_each(|row| self.unmake(row, at.left + more, at.depth + 1));
                }
                Literal::Test { expr, .. } => self.fix_condition(at, expr, true),
                Literal::Bind { var, expr, .. } => match at.found.word(*var) {
                    Some(word) => self.fix_side(at, expr, "=", word),
                    None => self.define(at, expr),
                },
                _ => {}
            }
        }
    }

    fn unmake_now(&mut self, fact: FactRef, left: usize, depth: usize) {
        let known = self.unwanted.entry(fact).or_insert(usize::MAX);
        if *known <= left {
            return;
        }
        *known = left;
        self.fuel = self.fuel.saturating_sub(1);
        let (finder, context) = (self.finder, &self.finder.context);
        if context.program[fact.relation].kind == Kind::Input {
            if finder.may_be_said(fact.relation) {
                self.push(vec![Change::Retract(context.fact(fact))], left);
            }
            return;
        }
        let mut all = Derivations::new(finder.search(), fact, None);
        for _ in 0..DERIVATIONS {
            let Some(derivation) = all.next(|_, _| true) else { return };
            self.break_up(&derivation, left, depth);
        }
    }

    /// Steps after which a derivation is none any more.
    fn break_up(&mut self, derivation: &Derivation, left: usize, depth: usize) {
        let finder = self.finder;
        let rule = &finder.context.program[derivation.rule];
        if let Extra::Group(group) = &derivation.extra {
            let facts = group.inputs.iter().flat_map(|input| input.facts(rule));
            let facts: Vec<FactRef> = facts.take(INPUTS).collect();
            return facts.into_iter().for_each(|fact| self.unmake(fact, left, depth + 1));
        }
        let vars = derivation.found.vars.iter().copied().map(Some);
        let found = Relaxed::whole(vars, derivation.found.taken(rule));
        let at = At { id: derivation.rule, rule, found: &found, wants: &[], left, depth };
        for literal in &rule.body {
            match literal {
                Literal::Not(atom) => {
                    let wants = wants_of(&found.key(atom, &finder.context.params));
                    self.make(atom.relation, wants, left, depth + 1);
                }
                Literal::Test { expr, .. } => self.fix_condition(at, expr, false),
                _ => {}
            }
        }
        for (_, fact) in &found.rows {
            self.unmake(*fact, left, depth + 1);
        }
    }

    /// Asserts so many facts more than one, each with an id of its own, where one that is wanted would take the place of
    /// another.
    fn assert_several(&mut self, relation: RelationId, wants: &[Want], left: usize) {
        let [Want::Is(_), others @ ..] = wants else { return };
        if !self.templates.has_id(relation) {
            return;
        }
        let wants: Vec<Want> = std::iter::once(Want::Any).chain(others.iter().copied()).collect();
        for changes in fill::assertions((self.finder, self.templates), relation, &wants) {
            self.push_several(relation, &wants, &changes, left, None);
        }
    }

    /// Changes that assert a fact, with so many facts more; in the place of one that was made before, if there is any.
    fn push_several(
        &mut self,
        relation: RelationId,
        wants: &[Want],
        changes: &[Change],
        left: usize,
        instead: Option<Fact>,
    ) {
        let count = self.budget.min(left + 1);
        let mut several = fill::several((self.finder, self.templates), relation, wants, changes, count);
        if several.len() > changes.len() {
            several.extend(instead.map(Change::Retract));
            self.push(several, 0);
        }
    }

    /// Asserts a fact.
    fn assert(&mut self, relation: RelationId, wants: &[Want], left: usize) {
        if self.finder.context.name(relation).as_str() == "now" {
            if let (Some(wanted), 0) = (wants.first(), left) {
                self.instants.push(*wanted);
            }
            return;
        }
        if !self.finder.may_be_said(relation) {
            return;
        }
        if left > 0 {
            self.assert_several(relation, wants, left);
        }
        let facts = fill::assertions((self.finder, self.templates), relation, wants);
        let name = self.finder.context.name(relation);
        let made: Vec<Fact> = self.made.iter().filter(|made| made.relation == name).cloned().collect();
        for changes in facts {
            for made in &made {
                let own = self.templates.has_id(relation) && wants.first() == Some(&Want::Any);
                let changes = changes.iter().cloned().map(|change| match change {
                    Change::Assert(mut fact, open) => {
                        if let (Some(slot), Some(id), true) =
                            (fact.values.first_mut(), made.values.first(), own)
                        {
                            *slot = *id;
                        }
                        Change::Assert(fact, open)
                    }
                    other => other,
                });
                let instead = std::iter::once(Change::Retract(made.clone()));
                self.push(changes.chain(instead).collect(), left);
            }
            if left > 0 {
                self.push_several(relation, wants, &changes, left, made.first().cloned());
            }
            let at = self.push(changes, left);
            self.answers.push((at, (relation, wants.to_vec())));
        }
    }
}

/// What the head of a rule says of its variables; nothing where one would need two values.
pub(super) fn given(rule: &Rule, wants: &[Want]) -> Option<(Vec<Option<Word>>, Vec<Want>)> {
    let rank = rule.limit.as_ref().and_then(|limit| limit.rank);
    let (mut vars, mut all) = (vec![None; rule.variables.len()], vec![Want::Any; rule.variables.len()]);
    for (term, want) in rule.terms.iter().zip(wants) {
        let Term::Expr(expr) = term else { continue };
        let Some(var) = head_variable(expr).filter(|var| Some(*var) != rank) else { continue };
        let (slot, open) = (vars.get_mut(var.at()), all.get_mut(var.at()));
        let (slot, open) = slot.zip(open).or_broken(VarId::INVARIANT);
        match want {
            Want::Is(word) if slot.is_some_and(|other| other != *word) => return None,
            Want::Is(word) => *slot = Some(*word),
            Want::Than(..) => *open = *want,
            Want::Any => {}
        }
    }
    Some((vars, all))
}

/// What is wanted of the columns of an atom: the words that are known, else what is wanted of its variables.
pub(super) fn wanted_by(atom: &Atom, key: &[Option<Word>], wants: &[Want]) -> Vec<Want> {
    let wanted = atom.args.iter().zip(key).map(|(arg, word)| match (arg, word) {
        (_, Some(word)) => Want::Is(*word),
        (Arg::Var(var), None) => wants.get(var.at()).copied().unwrap_or(Want::Any),
        _ => Want::Any,
    });
    wanted.collect()
}

/// Whether all variables of an expression are known.
fn knows(expr: &Expr, found: &Relaxed) -> bool {
    let mut known = true;
    expr.for_each_var(&mut |var| known &= found.word(var).is_some());
    known
}

/// A fact with these words.
pub(super) fn wants_of(key: &[Option<Word>]) -> Vec<Want> {
    key.iter().map(|word| word.map_or(Want::Any, Want::Is)).collect()
}

/// A fact of a relation with these words.
pub(super) fn fact_with(finder: &Finder<'_>, relation: RelationId, row: &[Word]) -> Fact {
    Fact::new(finder.context.name(relation), finder.context.values(relation, row))
}
