//! The standing of a fact under a rule with a limit: the heads of its group, each by its best key, in order.

use std::cmp::Ordering;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::value::{Type, Word};
use hence_engine::matches::Plan;
use hence_lang::builtins::expr::VarId;
use hence_lang::builtins::term::{Limit, Term};
use hence_lang::ir::{Rule, RuleId};

use super::context::Context;
use super::derive::{Derivation, Extra, Match, head_variable};
use super::matches::BodyMatches;

/// The standing of a fact in its group.
#[derive(Clone, Debug)]
pub(super) struct GroupRank {
    /// The words of the variables of `per`.
    pub(super) per: Vec<Word>,
    /// The best keys of the fact.
    pub(super) keys: Vec<Word>,
    /// The rank, from 1.
    pub(super) rank: usize,
    /// How many are kept.
    pub(super) keep: usize,
    /// How many heads the group has.
    pub(super) of: usize,
    /// The first head that is left out, with its keys.
    pub(super) left_out: Option<(Vec<Word>, Vec<Word>)>,
}

/// A rule with a limit, ready to rank.
pub(super) struct Ranking<'c, 'a> {
    pub(super) context: &'c Context<'a>,
    pub(super) id: RuleId,
    pub(super) rule: &'a Rule,
    pub(super) limit: &'a Limit,
    /// The body entered with the variables of `per`.
    pub(super) group: Arc<Plan>,
}

/// A match with its keys.
type Keyed = (Vec<Word>, Match);

/// A head of a group with its best keys.
pub(super) type RankedHead = (Vec<Word>, Vec<Word>);

impl<'c, 'a> Ranking<'c, 'a> {
    /// The matches that give the head of `row` its best key in a group where it is kept, in the order of `all`.
    pub(super) fn derivations(&self, mut all: BodyMatches<'c, 'a>, row: &[Word]) -> VecDeque<Derivation> {
        let mut groups: Vec<(Vec<Word>, Vec<Keyed>)> = Vec::new();
        while all.next() {
            let Some(keys) = self.keys(all.vars()) else { continue };
            let per = self.per(all.vars());
            let found = (keys, all.found());
            match groups.iter_mut().find(|(other, _)| *other == per) {
                Some((_, matches)) => matches.push(found),
                None => groups.push((per, vec![found])),
            }
        }
        let ranked = groups.into_iter().flat_map(|(per, matches)| self.in_group(per, matches, row));
        ranked.collect()
    }

    fn in_group(&self, per: Vec<Word>, matches: Vec<Keyed>, row: &[Word]) -> Vec<Derivation> {
        let Some(standing) = self.group_rank(per, row) else { return Vec::new() };
        let standing = Rc::new(standing);
        let best = matches.into_iter().filter(|(keys, _)| *keys == standing.keys);
        let derivation =
            |(_, found)| Derivation { rule: self.id, found, extra: Extra::Ranked(Rc::clone(&standing)) };
        best.map(derivation).collect()
    }

    /// The standing of `row` among the heads of the group, if it is kept and its rank column says so.
    fn group_rank(&self, per: Vec<Word>, row: &[Word]) -> Option<GroupRank> {
        let keep = self.keep()?;
        let heads = self.heads(&per);
        let mut wanted = row.to_vec();
        self.blank_rank(&mut wanted);
        let at = heads.iter().position(|(head, _)| *head == wanted)?;
        let stated = self.rank_column().and_then(|column| row.get(column));
        let agrees = at < keep && stated.is_none_or(|stated| *stated == Word::from_int(at as i64 + 1));
        let left_out = heads.get(keep).map(|(head, keys)| {
            let mut head = head.clone();
            self.set_rank(&mut head, keep + 1);
            (head, keys.clone())
        });
        let keys = heads.get(at)?.1.clone();
        agrees.then(|| GroupRank { per, keys, rank: at + 1, keep, of: heads.len(), left_out })
    }

    /// How many facts of a group are kept.
    pub(super) fn keep(&self) -> Option<usize> {
        let count = self.limit.count.eval(&[], &self.context.params).ok()?;
        Some(usize::try_from(count.as_int()).unwrap_or(0))
    }

    /// The heads of the group of `per`, ranked; the rank's column holds nothing.
    pub(super) fn heads(&self, per: &[Word]) -> Vec<RankedHead> {
        let mut best: HashMap<Vec<Word>, Vec<Word>, ahash::RandomState> =
            HashMap::with_hasher(ahash::RandomState::with_seeds(5, 6, 7, 8));
        let mut all = BodyMatches::new(self.context, (self.rule, Arc::clone(&self.group)), per, None);
        while all.next() {
            let (Some(keys), Some(head)) = (self.keys(all.vars()), self.head(all.vars())) else { continue };
            let known = best.entry(head).or_insert_with(|| keys.clone());
            if self.compare_keys(&keys, known).is_lt() {
                *known = keys;
            }
        }
        let mut heads: Vec<_> = best.into_iter().collect();
        heads.sort_unstable_by(|(a, a_keys), (b, b_keys)| {
            self.compare_keys(a_keys, b_keys).then_with(|| self.context.compare(self.rule.head, a, b))
        });
        heads
    }

    pub(super) fn per(&self, vars: &[Word]) -> Vec<Word> {
        let word = |var: &VarId| *vars.get(var.0 as usize).or_broken(VarId::INVARIANT);
        self.limit.per.iter().map(word).collect()
    }

    pub(super) fn keys(&self, vars: &[Word]) -> Option<Vec<Word>> {
        self.limit.by.iter().map(|(key, _)| key.eval(vars, &self.context.params).ok()).collect()
    }

    fn compare_keys(&self, left: &[Word], right: &[Word]) -> Ordering {
        let keys = self.limit.by.iter().zip(left.iter().zip(right)).map(|((key, descending), (a, b))| {
            let order = Type::compare(key.ty, *a, *b);
            if *descending { order.reverse() } else { order }
        });
        keys.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// The columns of the head but for the rank.
    pub(super) fn head(&self, vars: &[Word]) -> Option<Vec<Word>> {
        let rank = self.rank_column();
        let columns = self.rule.terms.iter().enumerate().map(|(column, term)| match term {
            _ if Some(column) == rank => Some(Word::default()),
            Term::Expr(expr) => expr.eval(vars, &self.context.params).ok(),
            Term::Aggregate { .. } => None,
        });
        columns.collect()
    }

    /// The column of the head that holds the rank.
    pub(super) fn rank_column(&self) -> Option<usize> {
        let rank = self.limit.rank?;
        self.rule
            .terms
            .iter()
            .position(|term| matches!(term, Term::Expr(expr) if head_variable(expr) == Some(rank)))
    }

    fn blank_rank(&self, row: &mut [Word]) {
        if let Some(slot) = self.rank_column().and_then(|column| row.get_mut(column)) {
            *slot = Word::default();
        }
    }

    fn set_rank(&self, row: &mut [Word], rank: usize) {
        if let Some(slot) = self.rank_column().and_then(|column| row.get_mut(column)) {
            *slot = Word::from_int(rank as i64);
        }
    }
}
