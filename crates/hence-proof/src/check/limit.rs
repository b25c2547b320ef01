//! The standing of a fact under a limit: its keys and, where the facts are known, its rank among all of its group.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use hence_core::value::Word;
use hence_lang::builtins::expr::ExprKind;
use hence_lang::builtins::term::{Limit, Term};
use hence_lang::ir::Rule;

use super::matches::{Matches, words};
use super::read::{self, Head};
use super::{Checker, Verdict};

/// A head without its rank, and its best keys.
type RankedHead = (Vec<Word>, Vec<Word>);

impl Checker<'_> {
    pub(super) fn limit(
        &mut self,
        at: usize,
        rule: &Rule,
        limit: &Limit,
        head: &Head,
        vars: &[Word],
        premise: &Json,
    ) -> Verdict {
        let premise = read::object(premise, "a premise")?;
        let shown = read::object(read::member(premise, "limit")?, "the ranking")?;
        self.per(rule, limit, vars, shown)?;
        let keys = self.keys(limit, vars)?;
        self.shown_keys(limit, &keys, read::array(shown, "keys")?)?;
        let (rank, keep) = (read::number(shown, "rank")?, read::number(shown, "keep")?);
        let of = read::number(shown, "of")?;
        if self.keep(limit) != Some(keep) || rank == 0 || rank > keep || rank > of {
            return Err(format!("rank {rank} of {of} is not among the first {keep}"));
        }
        let column = rank_column(rule, limit);
        if column.is_some_and(|column| head.row.get(column) != Some(&Word::from_int(rank as i64))) {
            return Err(format!("the head does not contain rank {rank}"));
        }
        let left_out = self.left_out(rule, limit, head, read::member(shown, "left_out")?)?;
        match &left_out {
            Some((_, other)) if of > keep && self.order(limit, &keys, other).is_le() => {}
            None if of <= keep => {}
            _ => return Err(String::from("the first fact left out is wrong")),
        }
        self.whole_group(at, rule, limit, head, vars, &ClaimedRank { keys, rank, of, keep, left_out })
    }

    fn keep(&self, limit: &Limit) -> Option<usize> {
        limit.count.eval(&[], &self.params).ok().map(|count| count.as_int().max(0) as usize)
    }

    fn per(&self, rule: &Rule, limit: &Limit, vars: &[Word], shown: &Map<String, Json>) -> Verdict {
        let per = read::bindings(rule, read::member(shown, "per")?)?;
        for (at, word) in per.iter().enumerate() {
            let grouped = limit.per.iter().any(|var| var.0 as usize == at);
            if *word != vars.get(at).copied().filter(|_| grouped) {
                return Err(String::from("the group is wrong"));
            }
        }
        Ok(())
    }

    fn keys(&self, limit: &Limit, vars: &[Word]) -> Verdict<Vec<Word>> {
        let keys = limit.by.iter().map(|(key, _)| key.eval(vars, &self.params));
        keys.collect::<Result<_, _>>().map_err(|_| String::from("a key has no value"))
    }

    fn shown_keys(&self, limit: &Limit, keys: &[Word], shown: &[Json]) -> Verdict {
        if shown.len() != keys.len() {
            return Err(String::from("the keys are not those of the rule"));
        }
        for (((key, _), word), json) in limit.by.iter().zip(keys).zip(shown) {
            let map = read::object(json, "a key")?;
            self.written(read::text(map, "written")?, key.span)?;
            let given =
                read::word(&hence_core::schema::ColumnType::plain(key.ty), read::member(map, "value")?)?;
            if given != *word {
                return Err(String::from("a key has another value"));
            }
        }
        Ok(())
    }

    fn left_out(&self, rule: &Rule, limit: &Limit, head: &Head, json: &Json) -> Verdict<Option<RankedHead>> {
        if json.is_null() {
            return Ok(None);
        }
        let map = read::object(json, "the fact left out")?;
        let fact = read::head(self.program, read::member(map, "fact")?)?;
        if fact.relation != head.relation {
            return Err(String::from("the fact left out is of another relation"));
        }
        let next = self.keep(limit).map(|keep| Word::from_int(keep as i64 + 1));
        if rank_column(rule, limit).is_some_and(|column| fact.row.get(column).copied() != next) {
            return Err(String::from("the fact left out has another rank"));
        }
        let shown = read::array(map, "keys")?;
        if shown.len() != limit.by.len() {
            return Err(String::from("the keys are not those of the rule"));
        }
        let types = limit.by.iter().map(|(key, _)| hence_core::schema::ColumnType::plain(key.ty));
        let keys: Verdict<Vec<_>> = types.zip(shown).map(|(ty, json)| read::word(&ty, json)).collect();
        Ok(Some((unranked(rule, limit, &fact.row), keys?)))
    }

    fn order(&self, limit: &Limit, left: &[Word], right: &[Word]) -> Ordering {
        for ((key, descending), (a, b)) in limit.by.iter().zip(left.iter().zip(right)) {
            let order = if *descending { key.ty.compare(*b, *a) } else { key.ty.compare(*a, *b) };
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }

    /// Ranks the whole group again, where the facts are known.
    fn whole_group(
        &mut self,
        at: usize,
        rule: &Rule,
        limit: &Limit,
        head: &Head,
        vars: &[Word],
        claimed: &ClaimedRank,
    ) -> Verdict {
        let mut start = vec![None; rule.variables.len()];
        for var in &limit.per {
            if let (Some(slot), Some(word)) = (start.get_mut(var.0 as usize), vars.get(var.0 as usize)) {
                *slot = Some(*word);
            }
        }
        if let Some(slot) = limit.rank.and_then(|rank| start.get_mut(rank.0 as usize)) {
            *slot = Some(Word::default());
        }
        let Some(matches) = Matches::new(self, rule).all(start) else {
            self.trust(at, "the rank");
            return Ok(());
        };
        let ranked = self.ranked(rule, limit, matches.iter().map(words));
        let own = unranked(rule, limit, &head.row);
        let rank = ranked.iter().position(|(other, _)| *other == own).map(|at| at + 1);
        let best = ranked.get(claimed.rank - 1).is_some_and(|(_, keys)| *keys == claimed.keys);
        let right = rank == Some(claimed.rank)
            && best
            && ranked.len() == claimed.of
            && ranked.get(claimed.keep) == claimed.left_out.as_ref();
        if right { Ok(()) } else { Err(String::from("the facts give another ranking")) }
    }

    fn ranked(
        &self,
        rule: &Rule,
        limit: &Limit,
        matches: impl Iterator<Item = Vec<Word>>,
    ) -> Vec<RankedHead> {
        let mut best: BTreeMap<Vec<Word>, Vec<Word>> = BTreeMap::new();
        for vars in matches {
            let (Some(head), Ok(keys)) = (self.head_of(rule, &vars), self.keys(limit, &vars)) else {
                continue;
            };
            let head = unranked(rule, limit, &head);
            let known = best.entry(head).or_insert_with(|| keys.clone());
            if self.order(limit, &keys, known).is_lt() {
                *known = keys;
            }
        }
        let types: Vec<_> =
            self.program.relation(rule.head).into_iter().flat_map(|found| found.types()).collect();
        let mut ranked: Vec<_> = best.into_iter().collect();
        ranked.sort_by(|(a, a_keys), (b, b_keys)| {
            let columns = types.iter().zip(a.iter().zip(b)).map(|(ty, (a, b))| ty.compare(*a, *b));
            let columns = columns.fold(Ordering::Equal, Ordering::then);
            self.order(limit, a_keys, b_keys).then(columns)
        });
        ranked
    }

    fn head_of(&self, rule: &Rule, vars: &[Word]) -> Option<Vec<Word>> {
        let columns = rule.terms.iter().map(|term| match term {
            Term::Expr(expr) => expr.eval(vars, &self.params).ok(),
            Term::Aggregate { .. } => None,
        });
        columns.collect()
    }
}

/// What a proof tells of a standing.
struct ClaimedRank {
    keys: Vec<Word>,
    rank: usize,
    of: usize,
    keep: usize,
    left_out: Option<RankedHead>,
}

fn rank_column(rule: &Rule, limit: &Limit) -> Option<usize> {
    let rank = limit.rank?;
    rule.terms.iter().position(|term| match term {
        Term::Expr(expr) => expr.kind == ExprKind::Var(rank),
        Term::Aggregate { .. } => false,
    })
}

/// A head with nothing in the column of the rank.
fn unranked(rule: &Rule, limit: &Limit, row: &[Word]) -> Vec<Word> {
    let column = rank_column(rule, limit);
    let word = |(at, word): (usize, &Word)| if Some(at) == column { Word::default() } else { *word };
    row.iter().enumerate().map(word).collect()
}
