//! One rule that doesn't derive what was asked for: its farthest match, and what fails there.

use std::collections::BTreeSet;
use std::sync::Arc;

use hence_core::fact::Fact;
use hence_core::fault::{self, OrBroken};
use hence_core::index_vec::Id;
use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::term::{Limit, Term};
use hence_lang::ir::{Literal, Rule, RuleId};

use super::super::derive::{Entry, Match, given_words};
use super::super::group::Tally;
use super::super::plan::{Move, Plan};
use super::super::ranking::Ranking;
use super::super::walk::{Stuck, Walk};
use super::{Asked, Attempt, FUEL, Failure, Finder, SHOWN, literals, nearest};

/// What holds of a plan.
const PLANNED: &str = "a plan moves along the literals of its own rule";

/// Looks into one rule.
pub(super) struct Explorer<'f, 'a> {
    pub(super) finder: &'f Finder<'a>,
    pub(super) id: RuleId,
    pub(super) rule: &'a Rule,
    pub(super) asked: &'f Asked,
}

/// A missing fact that could be explained in turn.
type Missing = Option<(RelationId, Asked)>;

impl<'a> Explorer<'_, 'a> {
    pub(super) fn attempt(&self) -> (Attempt, Missing) {
        let Some(given) = given_words(self.rule, self.asked) else {
            return (self.made(0, Vec::new(), 0, self.twice()), None);
        };
        let bound: BTreeSet<VarId> = (0..given.len())
            .filter(|at| matches!(given.get(*at), Some(Some(_))))
            .map(|at| VarId(at as u32))
            .collect();
        let plan = Arc::new(Plan::reading(self.rule, bound.clone()));
        let vars: Vec<Word> = given.into_iter().map(Option::unwrap_or_default).collect();
        let context = &self.finder.context;
        let mut target = self.asked.clone();
        self.open_rank(&mut target);
        let walk = Walk::new(context, (self.rule, Arc::clone(&plan)), vars, target, None);
        let mut walk = walk.sorted().remembering(FUEL);
        let mut tally = Tally::new(self.rule);
        let (mut matches, mut first) = (0, None);
        while walk.next() {
            matches += usize::from(tally.add(&walk.vars, &context.params));
            first.get_or_insert_with(|| walk.vars.clone());
            if !self.rule.is_aggregate() {
                break;
            }
        }
        if let Some(vars) = first {
            let failure = match &self.rule.limit {
                Some(limit) => self.limited(limit, vars.clone()),
                None if self.rule.is_aggregate() => self.grouped(&tally, matches),
                None => Failure::Stopped,
            };
            let shown = |var| !self.rule.is_aggregate() || bound.contains(&var);
            return (self.made(literals(self.rule), self.named(&vars, shown), 0, failure), None);
        }
        match walk.stuck.take().filter(|stuck| walk.fuel > 0 && !stuck.found.is_empty()) {
            Some(stuck) => self.stuck(&plan, bound, stuck),
            None => (self.made(0, Vec::new(), 0, Failure::Stopped), None),
        }
    }

    fn made(&self, held: usize, bindings: Vec<(Symbol, Value)>, others: usize, failure: Failure) -> Attempt {
        Attempt {
            rule: self.rule.id,
            span: self.rule.span,
            place: self.finder.sources().place(self.rule.span),
            doc: self.rule.doc.clone(),
            held,
            of: literals(self.rule),
            bindings,
            others,
            failure,
        }
    }

    /// A variable stands in two columns for which different values are asked.
    fn twice(&self) -> Failure {
        let mut seen: Vec<(VarId, Word)> = Vec::new();
        for (column, (term, word)) in self.rule.terms.iter().zip(self.asked).enumerate() {
            let (Term::Expr(Expr { kind: ExprKind::Var(var), ty, .. }), Some(word)) = (term, word) else {
                continue;
            };
            match seen.iter().find(|(other, _)| other == var) {
                Some((_, other)) if other != word => {
                    return Failure::Head {
                        column: self.column(column),
                        gives: Some(Value::from_word(*ty, *other)),
                        asked: Value::from_word(*ty, *word),
                    };
                }
                _ => seen.push((*var, *word)),
            }
        }
        Failure::Stopped
    }

    fn column(&self, column: usize) -> Symbol {
        let relation = &self.finder.context.program[self.rule.head];
        relation.columns.get(column).or_broken("a head has a term for each column of its relation").name
    }

    fn open_rank(&self, target: &mut Asked) {
        let rank = self.rule.limit.as_ref().and_then(|limit| limit.rank);
        for (term, slot) in self.rule.terms.iter().zip(target) {
            if matches!(term, Term::Expr(expr) if rank.is_some_and(|rank| expr.kind == ExprKind::Var(rank))) {
                *slot = None;
            }
        }
    }

    fn named(&self, vars: &[Word], known: impl Fn(VarId) -> bool) -> Vec<(Symbol, Value)> {
        let rank = self.rule.limit.as_ref().and_then(|limit| limit.rank);
        let all = self.rule.variables.iter().zip(vars).enumerate();
        all.filter(|(at, _)| known(VarId(*at as u32)) && Some(VarId(*at as u32)) != rank)
            .map(|(_, (variable, word))| (variable.name, Value::from_word(variable.ty.ty, *word)))
            .collect()
    }

    fn stuck(&self, plan: &Plan, mut bound: BTreeSet<VarId>, stuck: Stuck) -> (Attempt, Missing) {
        let before = plan.moves.get(..stuck.at).unwrap_or(&[]);
        before.iter().for_each(|step| self.bind(*step, &mut bound));
        let held = before.iter().filter(|step| !matches!(step, Move::Head(_) | Move::Bind { .. })).count();
        let others = stuck.found.len().saturating_sub(1);
        let Some(step) = plan.moves.get(stuck.at).copied() else {
            return (self.made(held, Vec::new(), 0, Failure::Stopped), None);
        };
        let Some(found) = self.closest(step, stuck) else {
            return (self.made(held, Vec::new(), 0, Failure::Stopped), None);
        };
        let (failure, missing) = self.failure(step, &found.vars, &bound);
        let known = |var| bound.contains(&var);
        (self.made(held, self.named(&found.vars, known), others, failure), missing)
    }

    fn bind(&self, step: Move, bound: &mut BTreeSet<VarId>) {
        let literal = match step {
            Move::Match(at) | Move::Bind { literal: at, .. } | Move::Each { literal: at, .. } => at,
            _ => return,
        };
        bound.extend(self.rule.body.get(literal).into_iter().flat_map(Literal::binds));
    }

    /// Of the bindings that got equally far, the one that misses a comparison by the least; else the first.
    fn closest(&self, step: Move, stuck: Stuck) -> Option<Match> {
        let missed = |found: &Match| -> f64 {
            let Move::Test(at) = step else { return 0.0 };
            let Some(Literal::Test { expr, .. }) = self.rule.body.get(at) else { return 0.0 };
            self.missed_by(expr, &found.vars).unwrap_or(f64::INFINITY)
        };
        let found = stuck.found.into_iter().map(|found| (missed(&found), found));
        found
            .reduce(|best, next| if next.0.total_cmp(&best.0).is_lt() { next } else { best })
            .map(|(_, found)| found)
    }

    fn missed_by(&self, expr: &Expr, vars: &[Word]) -> Option<f64> {
        let ExprKind::Call(_, args) = &expr.kind else { return None };
        let [left, right] = args.as_slice() else { return None };
        let word = |side: &Expr| side.eval(vars, &self.finder.context.params).ok();
        let (one, other) = nearest::numbers(left.ty, word(left)?, word(right)?)?;
        Some((one - other).abs())
    }

    fn failure(&self, step: Move, vars: &[Word], bound: &BTreeSet<VarId>) -> (Failure, Missing) {
        let params = &self.finder.context.params;
        let phrase = self.finder.phrase(self.rule);
        let none = |expr: &Expr| Failure::NoResult {
            text: phrase.valued(expr, vars, params),
            written: phrase.written(expr),
        };
        let literal = |at: usize| self.rule.body.get(at);
        let failure = match step {
            Move::Match(at) => return self.missing(at, vars, bound),
            Move::Absent(at) => self.in_the_way(at, vars),
            Move::Test(at) => match literal(at) {
                Some(Literal::Test { expr, .. }) if expr.eval(vars, params).is_err() => none(expr),
                Some(Literal::Test { expr, .. }) => Failure::Test {
                    text: phrase.condition(expr, vars, params),
                    written: phrase.written(expr),
                },
                _ => fault::broken(PLANNED),
            },
            Move::Bind { literal: at, .. } => match literal(at) {
                Some(Literal::Bind { expr, .. }) if expr.eval(vars, params).is_err() => none(expr),
                Some(Literal::Bind { var, expr, .. }) => {
                    self.differs(*var, phrase.valued(expr, vars, params), phrase.written(expr), vars, true)
                }
                _ => fault::broken(PLANNED),
            },
            Move::Each { literal: at, bound } => match literal(at) {
                Some(Literal::Each { var, generator, args, .. }) => {
                    let text = phrase.generator(generator, args, Some((vars, params)));
                    self.differs(*var, text, phrase.generator(generator, args, None), vars, bound)
                }
                _ => fault::broken(PLANNED),
            },
            Move::Head(column) => self.head(column, vars),
        };
        (failure, None)
    }

    fn differs(&self, var: VarId, text: String, written: String, vars: &[Word], bound: bool) -> Failure {
        let variable = &self.rule[var];
        let word = *vars.get(var.0 as usize).or_broken(VarId::INVARIANT);
        Failure::Differs {
            var: variable.name,
            has: bound.then(|| Value::from_word(variable.ty.ty, word)),
            text,
            written,
        }
    }

    fn head(&self, column: usize, vars: &[Word]) -> Failure {
        let context = &self.finder.context;
        let (Some(Term::Expr(expr)), Some(Some(asked))) =
            (self.rule.terms.get(column), self.asked.get(column))
        else {
            return Failure::Stopped;
        };
        let gives = expr.eval(vars, &context.params).ok();
        Failure::Head {
            column: self.column(column),
            gives: gives.map(|word| Value::from_word(expr.ty, word)),
            asked: Value::from_word(expr.ty, *asked),
        }
    }

    fn missing(&self, at: usize, vars: &[Word], bound: &BTreeSet<VarId>) -> (Failure, Missing) {
        let Some(Literal::Atom(atom)) = self.rule.body.get(at) else { fault::broken(PLANNED) };
        let context = &self.finder.context;
        let known = |at: usize| match atom.args.get(at) {
            Some(hence_lang::ir::Arg::Var(var)) => bound.contains(var),
            _ => true,
        };
        let key: Asked = context.key(atom, vars, known).into_iter().collect();
        let failure = Failure::Missing {
            atom: self.finder.pattern_of(atom.relation, &key),
            among: context.store.len(atom.relation),
            nearest: nearest::nearest(context, atom.relation, &key, SHOWN),
            below: None,
        };
        (failure, Some((atom.relation, key)))
    }

    fn in_the_way(&self, at: usize, vars: &[Word]) -> Failure {
        let Some(Literal::Not(atom)) = self.rule.body.get(at) else { fault::broken(PLANNED) };
        let key: Asked = self.finder.context.key(atom, vars, |_| true).into_iter().collect();
        let (facts, count) = self.finder.matching(atom.relation, &key, SHOWN);
        let why = facts.first().and_then(|fact| self.finder.why_or_end(fact));
        let atom = self.finder.pattern_of(atom.relation, &key);
        Failure::InTheWay { atom, facts, count, why: why.map(Box::new) }
    }

    fn grouped(&self, tally: &Tally<'_>, matches: usize) -> Failure {
        let values = tally.finish().unwrap_or_default();
        let phrase = self.finder.phrase(self.rule);
        let types = self.finder.context.types(self.rule.head);
        let terms = self.rule.terms.iter().zip(types).enumerate();
        let results = terms.filter_map(|(column, (term, ty))| {
            let Term::Aggregate { aggregate, args, span } = term else { return None };
            let value = |word: Word| Value::from_word(*ty, word);
            let gives = values.iter().find(|(other, _)| *other == column).map(|(_, word)| value(*word));
            let asked = self.asked.get(column).copied().flatten().map(value);
            Some((self.column(column), phrase.aggregate(*aggregate, args, *span), gives, asked))
        });
        Failure::Aggregate { results: results.collect(), matches }
    }

    fn limited(&self, limit: &'a Limit, vars: Vec<Word>) -> Failure {
        let finder = self.finder;
        let group = finder.plans().get(&finder.context, self.id, self.rule, Entry::Per);
        let ranking = Ranking { context: &finder.context, id: self.id, rule: self.rule, limit, group };
        let rank_column = ranking.rank_column();
        let heads = ranking.heads(vars);
        let fits = |head: &[Word]| {
            let mut columns = head.iter().zip(self.asked).enumerate();
            columns.all(|(at, (word, asked))| {
                Some(at) == rank_column || asked.is_none_or(|asked| asked == *word)
            })
        };
        let found = heads.iter().position(|(head, _)| fits(head));
        let (Some(keep), Some(at)) = (ranking.keep(), found) else { return Failure::Stopped };
        let value = |words: &[Word]| -> Vec<Value> {
            limit.by.iter().zip(words).map(|((key, _), word)| Value::from_word(key.ty, *word)).collect()
        };
        let written = limit.by.iter().map(|(key, _)| finder.phrase(self.rule).written(key));
        let keys =
            heads.get(at).map(|(_, keys)| value(keys)).or_broken("the place of a head is one of the ranking");
        let last_kept = keep.checked_sub(1).and_then(|last| heads.get(last)).map(|(head, keys)| {
            let mut head = head.clone();
            if let Some(slot) = rank_column.and_then(|column| head.get_mut(column)) {
                *slot = Word::from_int(keep as i64);
            }
            let values = finder.context.values(self.rule.head, &head);
            (Fact::new(finder.context.name(self.rule.head), values), value(keys))
        });
        Failure::Limit { rank: at + 1, keep, of: heads.len(), keys: written.zip(keys).collect(), last_kept }
    }
}
