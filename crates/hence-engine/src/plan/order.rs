//! The join order: filters as early as possible, then the atom with the fewest rows to expect.

use hence_lang::ir::{Atom, Rule};
use smallvec::SmallVec;

use super::roles::{Role, for_each_bound, is_ready};
use super::shape::{Shape, VarSet};

/// How many elements a generator is expected to give.
pub(super) const ELEMENTS: f64 = 16.0;

/// What a loop costs beside its matches: more than any filter.
const LOOP: f64 = 0.5;

/// How much worse all rows of an atom without anything bound are than as many that agree with what is: those have to be
/// gone through each time, these are often far fewer.
pub(crate) const UNBOUND: f64 = 8.0;

/// From how many facts a key on it pays to loop over the new keys before their facts.
pub(super) const SHARED: f64 = 1.25;

/// About how many rows of the literal at a place agree with its columns that are bound, where these variables are known.
pub(crate) type RowEstimate<'e> = &'e mut dyn FnMut(usize, &Atom, &[u32], &VarSet) -> f64;

/// A rule to be ordered.
#[derive(Clone, Copy)]
pub(crate) struct RuleBody<'a> {
    /// The rule.
    pub(crate) rule: &'a Rule,
    /// What its literals require.
    pub(crate) shape: &'a Shape,
    /// What counts of its literals.
    pub(crate) roles: &'a [Role],
}

/// The literals of `open` in the order of evaluation, those of `first` before the others, where the variables `known` are bound before; without those that
/// never become ready. Without `rows`, the order of the text decides.
pub(crate) fn order(
    body: RuleBody<'_>,
    first: &[usize],
    mut open: Vec<usize>,
    mut known: VarSet,
    mut rows: Option<RowEstimate<'_>>,
) -> Vec<usize> {
    let mut order = Vec::with_capacity(open.len());
    for &at in first {
        open.retain(|other| *other != at);
        order.push(at);
        for_each_bound(body.rule, body.roles, at, |var| {
            known.insert(var);
        });
    }
    loop {
        let places = open.iter().enumerate();
        let ready = places.filter(|(_, at)| is_ready(body.rule, body.shape, body.roles, **at, &known));
        let mut cost = |at: usize| rows.as_mut().map_or(0.0, |rows| cost(body, at, &known, rows));
        let costs = ready.map(|(place, at)| (cost(*at), place));
        // The earlier one of two that cost the same.
        let Some((_, place)) = costs.min_by(|(a, _), (b, _)| a.total_cmp(b)) else { break };
        let at = open.remove(place);
        order.push(at);
        for_each_bound(body.rule, body.roles, at, |var| {
            known.insert(var);
        });
    }
    order
}

/// How many matches a literal makes of one. Below 1 are the filters, those that may be undefined after the others; a
/// binding costs nothing by itself, so it comes between filters and loops.
fn cost(body: RuleBody<'_>, at: usize, known: &VarSet, rows: RowEstimate<'_>) -> f64 {
    let (literal, fails) = (body.rule.literal(at), body.shape.literal(at).may_fail);
    match (literal.atom(), Role::of(body.roles, at)) {
        (Some(_), Role::Some(_)) if literal.chooses() => 0.13,
        (Some(_), Role::Some(_)) => 0.12,
        (Some(atom), _) => {
            let columns = (0u32..).zip(&atom.args).filter(|(_, arg)| known.binds(arg));
            let columns: SmallVec<[u32; 8]> = columns.map(|(column, _)| column).collect();
            if columns.len() == atom.args.len() { 0.13 } else { LOOP + rows(at, atom, &columns, known) }
        }
        (None, _) => match literal.computed() {
            Some(var) if !known.contains(var) => match (literal.chooses(), fails) {
                (true, _) => LOOP + ELEMENTS,
                (false, true) => 0.9,
                (false, false) => 0.0,
            },
            _ if literal.chooses() => 0.2,
            _ if fails => 0.15,
            _ => 0.1,
        },
    }
}

/// How many of so many rows agree with some of their columns, guessed as if columns were independent and alike.
pub(crate) fn guess(rows: f64, bound: usize, columns: usize) -> f64 {
    rows.powf((columns - bound) as f64 / columns as f64)
}
