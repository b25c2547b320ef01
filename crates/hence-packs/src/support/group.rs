//! Aggregates between `crepe!` programs: from the matches of a body to a fact for each group.

use std::collections::HashMap;

use smallvec::SmallVec;

use hence_core::fault::OrBroken;
use hence_core::value::Word;
use hence_lang::builtins::aggregate::Accumulator;

use super::eval::{At, Eval};
use super::pack::Report;
use super::rule::{Match, Rule, Term, VARIABLES};
use super::table::Tables;
use super::watch;

/// An invariant of matches.
const ARGS: &str = "each aggregate has its state, and a match the arguments of all of them";

type Row = SmallVec<[Word; 4]>;
type Groups = HashMap<Row, Vec<Accumulator>, ahash::RandomState>;

/// Adds to the head of `rule` a fact for each group of its matches, which `table` holds: a row holds the values
/// of the rule's variables, and after them what makes matches distinct.
pub fn aggregate(tables: &mut Tables, table: usize, rule: &Rule, params: &[Word]) {
    let mut groups = Groups::default();
    for row in tables.get(table).iter() {
        if !watch::go() {
            return;
        }
        let at = Match { vars: row, params };
        if take(rule, &at, &mut groups).is_err() {
            watch::tried(rule.number, Err(0));
        }
    }
    for (group, accumulators) in &groups {
        if let Some(row) = finish(rule, group, accumulators) {
            tables.push(rule.head, &row);
        }
    }
    tables.distinct(rule.head);
}

/// Takes one match in, unless some expression of it has no value.
fn take(rule: &Rule, at: &Match<'_>, groups: &mut Groups) -> Result<(), At> {
    let group: Row = rule.terms.iter().filter_map(|term| term.value(at)).collect::<Result<_, At>>()?;
    let mut args: SmallVec<[Word; 8]> = SmallVec::new();
    for term in rule.terms {
        if let Term::Of(_, computes, _) = term {
            for (_, compute) in *computes {
                args.push(compute(at)?);
            }
        }
    }
    let accumulators = groups.entry(group).or_insert_with(|| rule.terms.iter().filter_map(empty).collect());
    let aggregates = rule.terms.iter().filter_map(|term| match term {
        Term::Of(_, computes, _) => Some(computes.len()),
        _ => None,
    });
    let mut rest = args.as_slice();
    for (accumulator, count) in accumulators.iter_mut().zip(aggregates) {
        let (own, after) = rest.split_at_checked(count).or_broken(ARGS);
        accumulator.add(own);
        rest = after;
    }
    Ok(())
}

fn empty(term: &Term) -> Option<Accumulator> {
    match term {
        Term::Of(aggregate, computes, _) => {
            let types: SmallVec<[_; 2]> = computes.iter().map(|(ty, _)| *ty).collect();
            Some(Accumulator::new(*aggregate, &types))
        }
        _ => None,
    }
}

/// The fact of a group; where an aggregate has no value, each is reported.
fn finish(rule: &Rule, group: &Row, accumulators: &[Accumulator]) -> Option<Row> {
    let (mut columns, mut accumulators) = (group.iter().copied(), accumulators.iter());
    let value = |term: &Term| -> Eval {
        match term {
            Term::Of(.., at) => accumulators.next().or_broken(ARGS).finish().ok_or(*at),
            _ => Ok(columns.next().or_broken("a group has a word for each plain column of the head")),
        }
    };
    let (row, failed): (Vec<Eval>, Vec<Eval>) = rule.terms.iter().map(value).partition(Eval::is_ok);
    for at in failed.iter().filter_map(|none| none.err()) {
        watch::report(Report { rule: rule.number, at, bindings: bindings(rule, group) });
    }
    failed.is_empty().then(|| row.into_iter().flatten().collect())
}

/// The variables that a group determines: those that are themselves a column of it.
fn bindings(rule: &Rule, group: &Row) -> Vec<Option<Word>> {
    let mut bindings = vec![None; rule.variables.len()];
    let plain = rule.terms.iter().filter(|term| !matches!(term, Term::Of(..)));
    for (term, word) in plain.zip(group) {
        if let Term::Var(var) = term {
            *bindings.get_mut(*var as usize).or_broken(VARIABLES) = Some(*word);
        }
    }
    bindings
}
