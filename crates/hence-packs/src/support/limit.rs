//! Limits between `crepe!` programs: of each group the first few distinct heads, each by its best key.

use std::cmp::Ordering;
use std::collections::HashMap;

use smallvec::SmallVec;

use hence_core::fault::OrBroken;
use hence_core::value::Word;

use super::eval::At;
use super::rule::{Limited, Match, Rule, Term};
use super::table::Tables;
use super::watch;

type Row = SmallVec<[Word; 4]>;
/// The best key of each head of a group.
type Heads = HashMap<Row, Row, ahash::RandomState>;
type Groups = HashMap<Row, Heads, ahash::RandomState>;

/// Adds to the head of `rule` what its limit keeps of its matches, which `table` holds as [`super::aggregate`]
/// takes them.
pub fn limit(tables: &mut Tables, table: usize, rule: &Rule, params: &[Word]) {
    let limit = rule.limit.as_ref().or_broken("only the matches of a rule with a limit are limited");
    let mut groups = Groups::default();
    let mut count = 0;
    for row in tables.get(table).iter() {
        if !watch::go() {
            return;
        }
        match take(rule, limit, &Match { vars: row, params }, &mut groups) {
            Ok(kept) => count = kept,
            Err(_) => drop(watch::tried(rule.number, Err(0))),
        }
    }
    for heads in groups.into_values() {
        for (head, rank) in first_few(rule, limit, count, heads).iter().zip(1..) {
            tables.push(rule.head, &with_rank(rule, limit, head, rank));
        }
    }
    tables.distinct(rule.head);
}

/// Takes one match in, unless some expression of it has no value; gives how many heads are kept.
fn take(rule: &Rule, limit: &Limited, at: &Match<'_>, groups: &mut Groups) -> Result<i64, At> {
    let count = (limit.count)(at)?.as_int();
    let key: Row = limit.by.iter().map(|(key, ..)| key(at)).collect::<Result<_, At>>()?;
    let unranked = rule.terms.iter().filter(|term| !term.is_rank(Some(limit)));
    let head: Row = unranked.filter_map(|term| term.value(at)).collect::<Result<_, At>>()?;
    let group: Row = limit.per.iter().map(|var| at.var(*var as usize)).collect();
    let best = groups.entry(group).or_default().entry(head).or_insert_with(|| key.clone());
    if compare_keys(limit, &key, best).is_lt() {
        *best = key;
    }
    Ok(count)
}

/// The best heads of one group, in their order.
fn first_few(rule: &Rule, limit: &Limited, count: i64, heads: Heads) -> Vec<Row> {
    let columns = rule.terms.iter().zip(limit.types).filter(|(term, _)| !term.is_rank(Some(limit)));
    let types: SmallVec<[_; 4]> = columns.map(|(_, ty)| *ty).collect();
    let mut heads: Vec<(Row, Row)> = heads.into_iter().collect();
    heads.sort_unstable_by(|(head, key), (other, other_key)| {
        let columns = types.iter().zip(head.iter().zip(other));
        let by_columns = || first_difference(columns.map(|(ty, (left, right))| ty.compare(*left, *right)));
        compare_keys(limit, key, other_key).then_with(by_columns)
    });
    heads.truncate(usize::try_from(count).unwrap_or(0));
    heads.into_iter().map(|(head, _)| head).collect()
}

fn compare_keys(limit: &Limited, left: &Row, right: &Row) -> Ordering {
    let keys = limit.by.iter().zip(left.iter().zip(right));
    first_difference(keys.map(|((_, ty, descending), (left, right))| {
        let order = ty.compare(*left, *right);
        if *descending { order.reverse() } else { order }
    }))
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn with_rank(rule: &Rule, limit: &Limited, head: &Row, rank: i64) -> Row {
    let mut columns = head.iter().copied();
    let column = |term: &Term| match term.is_rank(Some(limit)) {
        true => Word::from_int(rank),
        false => columns.next().or_broken("a head has a word for each term but the rank"),
    };
    rule.terms.iter().map(column).collect()
}
