//! One rule that doesn't derive what was asked for: its farthest match, and what fails there.

use std::collections::BTreeSet;
use std::sync::Arc;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_engine::matches::{BodySearch, Entry, JoinOrder, Plan, StepOrigin};
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::term::{Limit, Term};
use hence_lang::ir::{Atom, Literal, Rule, RuleId};

use super::super::derive::given_words;
use super::super::group::Tally;
use super::super::matches::{BodyMatches, Stuck};
use super::super::plans::Begin;
use super::super::ranking::Ranking;
use super::{Asked, Attempt, FUEL, Failure, Finder, SHOWN, literals, nearest};

/// What holds of a plan.
const PLANNED: &str = "a search gets stuck at a step of its plan";

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
        let context = &self.finder.context;
        let plan = Arc::new(self.plan());
        let row: Vec<Word> = self.asked.iter().copied().map(Option::unwrap_or_default).collect();
        let all = BodyMatches::new(context, (self.rule, Arc::clone(&plan)), &row, None);
        let mut all = all.sorted().with_fuel(FUEL).remembering();
        let mut tally = Tally::new(self.rule);
        let (mut matches, mut first) = (0, None);
        while all.next() {
            matches += usize::from(tally.add(all.vars(), &context.params));
            first.get_or_insert_with(|| all.vars().to_vec());
            if !self.rule.is_aggregate() {
                break;
            }
        }
        if let Some(vars) = first {
            let failure = match &self.rule.limit {
                Some(limit) => self.limited(limit, &vars),
                None if self.rule.is_aggregate() => self.grouped(&tally, matches),
                None => Failure::Stopped,
            };
            let shown = |var| !self.rule.is_aggregate() || bound.contains(&var);
            return (self.made(literals(self.rule), self.named(&vars, shown), 0, failure), None);
        }
        let spent = all.is_spent();
        let (attempt, missing) = match all.into_stuck() {
            Some(stuck) => self.stuck(&plan, bound, stuck),
            None => (self.made(0, Vec::new(), 0, Failure::Stopped), None),
        };
        (Attempt { spent, ..attempt }, missing)
    }

    /// The body in the order in which a reader follows it.
    fn plan(&self) -> Plan {
        let known: Vec<bool> = self.asked.iter().map(Option::is_some).collect();
        let (rule, id, entry) = (self.rule, self.id, Entry::Columns(&known));
        let search = BodySearch { rule, id, entry, order: JoinOrder::Text };
        search.plan(&self.finder.context.params, &|_, _| 0.0)
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
            spent: false,
            failure,
        }
    }

    /// A variable is in two columns for which different values are asked.
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

    fn named(&self, vars: &[Word], known: impl Fn(VarId) -> bool) -> Vec<(Symbol, Value)> {
        let rank = self.rule.limit.as_ref().and_then(|limit| limit.rank);
        let all = self.rule.variables.iter().zip(vars).enumerate();
        all.filter(|(at, _)| known(VarId(*at as u32)) && Some(VarId(*at as u32)) != rank)
            .map(|(_, (variable, word))| (variable.name, Value::from_word(variable.ty.ty, *word)))
            .collect()
    }

    fn stuck(&self, plan: &Plan, mut bound: BTreeSet<VarId>, stuck: Stuck) -> (Attempt, Missing) {
        let (before, from) = plan.origins().split_at_checked(stuck.at).or_broken(PLANNED);
        let before = before.iter().filter_map(|origin| self.literal(*origin));
        before.clone().for_each(|literal| bound.extend(literal.binds()));
        let held = before.filter(|literal| !matches!(literal, Literal::Bind { .. })).count();
        let others = stuck.found.len().saturating_sub(1);
        let origin = *from.first().or_broken(PLANNED);
        let Some(vars) = self.closest(origin, stuck) else {
            return (self.made(held, Vec::new(), 0, Failure::Stopped), None);
        };
        let (failure, missing) = self.failure(origin, &vars, &bound);
        let known = |var| bound.contains(&var);
        (self.made(held, self.named(&vars, known), others, failure), missing)
    }

    /// The literal that a step evaluates, where it is one of the body.
    fn literal(&self, origin: StepOrigin) -> Option<&'a Literal> {
        match origin {
            StepOrigin::Literal(at) => Some(self.rule.literal(at)),
            StepOrigin::Head(_) => None,
        }
    }

    /// Of the bindings that got equally far, the one that misses a comparison by the least; else the first.
    fn closest(&self, origin: StepOrigin, stuck: Stuck) -> Option<Vec<Word>> {
        let missed = |vars: &Vec<Word>| -> f64 {
            let Some(Literal::Test { expr, .. }) = self.literal(origin) else { return 0.0 };
            self.missed_by(expr, vars).unwrap_or(f64::INFINITY)
        };
        let found = stuck.found.into_iter().map(|found| (missed(&found), found));
        found
            .reduce(|best, next| if next.0.total_cmp(&best.0).is_lt() { next } else { best })
            .map(|(_, vars)| vars)
    }

    fn missed_by(&self, expr: &Expr, vars: &[Word]) -> Option<f64> {
        let ExprKind::Call(_, args) = &expr.kind else { return None };
        let [left, right] = args.as_slice() else { return None };
        let word = |side: &Expr| side.eval(vars, &self.finder.context.params).ok();
        let (one, other) = nearest::numbers(left.ty, word(left)?, word(right)?)?;
        Some((one - other).abs())
    }

    fn failure(&self, origin: StepOrigin, vars: &[Word], bound: &BTreeSet<VarId>) -> (Failure, Missing) {
        let params = &self.finder.context.params;
        let phrase = self.finder.phrase(self.rule);
        let none = |expr: &Expr| Failure::NoResult {
            text: phrase.valued(expr, vars, params),
            written: phrase.written(expr),
        };
        let literal = match origin {
            StepOrigin::Literal(at) => self.rule.literal(at),
            StepOrigin::Head(column) => return (self.head(column, vars), None),
        };
        let failure = match literal {
            Literal::Atom(atom) => return self.missing(atom, vars, bound),
            Literal::Not(atom) => self.in_the_way(atom, vars),
            Literal::Test { expr, .. } | Literal::Bind { expr, .. } if expr.eval(vars, params).is_err() => {
                none(expr)
            }
            Literal::Test { expr, .. } => {
                Failure::Test { text: phrase.condition(expr, vars, params), written: phrase.written(expr) }
            }
            Literal::Bind { var, expr, .. } => {
                self.differs(*var, phrase.valued(expr, vars, params), phrase.written(expr), vars, true)
            }
            Literal::Each { var, generator, args, .. } => {
                let text = phrase.generator(generator, args, Some((vars, params)));
                let written = phrase.generator(generator, args, None);
                self.differs(*var, text, written, vars, bound.contains(var))
            }
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

    fn missing(&self, atom: &Atom, vars: &[Word], bound: &BTreeSet<VarId>) -> (Failure, Missing) {
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

    fn in_the_way(&self, atom: &Atom, vars: &[Word]) -> Failure {
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

    /// A match that has no place among others, since the number of those that are kept or a key is undefined.
    fn unranked(&self, limit: &Limit, vars: &[Word]) -> Failure {
        let params = &self.finder.context.params;
        let keys = limit.by.iter().map(|(key, _)| key);
        let undefined =
            std::iter::once(&limit.count).chain(keys).find(|expr| expr.eval(vars, params).is_err());
        let phrase = self.finder.phrase(self.rule);
        undefined.map_or(Failure::Stopped, |expr| Failure::NoResult {
            text: phrase.valued(expr, vars, params),
            written: phrase.written(expr),
        })
    }

    fn limited(&self, limit: &'a Limit, vars: &[Word]) -> Failure {
        let finder = self.finder;
        let group = finder.plans().get(&finder.context, self.id, self.rule, Begin::Per);
        let ranking = Ranking { context: &finder.context, id: self.id, rule: self.rule, limit, group };
        let rank_column = ranking.rank_column();
        let heads = ranking.heads(&ranking.per(vars));
        let fits = |head: &[Word]| {
            let mut columns = head.iter().zip(self.asked).enumerate();
            columns.all(|(at, (word, asked))| {
                Some(at) == rank_column || asked.is_none_or(|asked| asked == *word)
            })
        };
        let found = heads.iter().position(|(head, _)| fits(head));
        let (Some(keep), Some(at)) = (ranking.keep(), found) else { return self.unranked(limit, vars) };
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
