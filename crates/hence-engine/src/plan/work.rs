//! What a join order is expected to cost as a whole: a relation that is only gone through needs no index, so the first atom is
//! better a large one whose rows few filters leave than a small one by which the large one is looked up.

use hence_core::schema::RelationId;
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::builtins::op::Op;
use hence_lang::ir::{Atom, Literal};

use super::bounds::Bounds;
use super::order::{ELEMENTS, RuleBody};
use super::roles::{Role, for_each_bound};
use super::shape::VarSet;

/// What it costs to go through a row, in about a nanosecond each.
const ROW: f64 = 8.0;
/// What it costs to look a key or a fact up, and a row that it has, in a small relation and in one that no cache holds.
const LOOK_UP: [(f64, f64); 2] = [(15.0, 4.0), (80.0, 15.0)];
/// From how many rows on a relation is no small one.
const LARGE: f64 = 32768.0;
/// What a key of several columns costs beside one of one column.
const SEVERAL: f64 = 30.0;
/// What it costs to take a row into an index.
const TAKE_IN: f64 = 35.0;
/// What it costs to evaluate an expression.
const EXPRESSION: f64 = 10.0;
/// Which part of the matches other comparisons are expected to leave.
const COMPARED: f64 = 0.3;
/// Which part of the matches an equality is expected to leave.
const EQUAL: f64 = 0.05;
/// Which part of the matches a negation is expected to leave.
const ABSENT: f64 = 0.5;

/// What is known of the rows of an atom.
pub(super) struct AtomRows {
    /// How many there are.
    pub(super) all: f64,
    /// How many agree with the columns that are bound.
    pub(super) agreeing: f64,
    /// Whether there is an index on these.
    pub(super) indexed: bool,
}

/// The rows of an atom where some of its columns are bound.
pub(super) type RowStatistics<'e> = &'e mut dyn FnMut(&Atom, &[u32]) -> AtomRows;

/// What an order is expected to take.
pub(super) struct Work {
    /// What it costs until the last match, in about a nanosecond each.
    cost: f64,
    /// What the indexes cost that are made for it.
    indexes: f64,
    /// How many matches there are.
    pub(super) matches: f64,
}

impl Work {
    /// What all costs.
    pub(super) fn total(&self) -> f64 {
        self.indexes + self.cost + ROW * self.matches
    }

    /// Whether it needs no index that isn't there.
    pub(super) fn has_its_indexes(&self) -> bool {
        self.indexes == 0.0
    }

    /// What it costs beside the matches, which every order has, and the rows that they are found in.
    pub(super) fn on_the_way(&self) -> f64 {
        let [_, (_, row)] = LOOK_UP;
        self.cost - row * self.matches
    }
}

/// What an order takes where nothing is bound before.
pub(super) fn work(body: RuleBody<'_>, order: &[usize], rows: RowStatistics<'_>) -> Work {
    let mut estimate = Estimate {
        known: VarSet::default(),
        matches: 1.0,
        cost: 0.0,
        indexes: 0.0,
        looped: false,
        made: Vec::new(),
    };
    for &at in order {
        estimate.literal(body, at, rows);
        for_each_bound(body.rule, body.roles, at, |var| {
            estimate.known.insert(var);
        });
    }
    let Estimate { matches, cost, indexes, .. } = estimate;
    Work { cost, indexes, matches }
}

struct Estimate {
    known: VarSet,
    /// How many matches of the literals before there are.
    matches: f64,
    cost: f64,
    indexes: f64,
    /// Whether there was a loop over rows.
    looped: bool,
    /// The indexes that are made on the way, and the sets, without columns.
    made: Vec<(RelationId, Vec<u32>)>,
}

impl Estimate {
    fn literal(&mut self, body: RuleBody<'_>, at: usize, rows: RowStatistics<'_>) {
        match (body.rule.literal(at), Role::of(body.roles, at)) {
            (Literal::Atom(atom), Role::Each) => self.atom(body, atom, rows),
            (Literal::Atom(_) | Literal::Not(_), _) => {
                self.cost += self.matches * LOOK_UP[0].0;
                self.matches *= ABSENT;
            }
            (Literal::Test { expr, .. }, _) => {
                self.cost += self.matches * EXPRESSION;
                self.matches *= share(expr);
            }
            (Literal::Bind { var, .. }, _) => {
                self.cost += self.matches * EXPRESSION;
                self.matches *= if self.known.contains(*var) { EQUAL } else { 1.0 };
            }
            (Literal::Each { .. }, _) => {
                self.matches *= ELEMENTS;
                self.cost += self.matches * EXPRESSION;
            }
        }
    }

    fn atom(&mut self, body: RuleBody<'_>, atom: &Atom, rows: RowStatistics<'_>) {
        let bound: Vec<u32> = (0u32..)
            .zip(&atom.args)
            .filter(|(_, arg)| self.known.binds(arg))
            .map(|(column, _)| column)
            .collect();
        let AtomRows { all, agreeing, indexed } = rows(atom, &bound);
        if self.looped && bound.len() == atom.args.len() {
            self.fact(atom, all);
            self.matches *= agreeing;
            return;
        }
        let bounds =
            if self.looped { Bounds::new(body.rule, &body.shape.comparing, atom, &self.known) } else { None };
        let group = if bound.is_empty() { all } else { agreeing };
        if let Some(bounds) = bounds.filter(|bounds| bounds.pay(self.matches, all, group)) {
            self.cost += bounds.cost(self.matches, all, group);
            self.matches *= agreeing;
            return;
        }
        let scans = bound.is_empty() || (!self.looped && !indexed);
        if scans {
            self.cost += self.matches * all * ROW;
        } else {
            let several = if bound.len() > 1 { SEVERAL } else { 0.0 };
            let index = (atom.relation, bound);
            if !indexed && !self.made.contains(&index) {
                self.indexes += all * (TAKE_IN + several);
                self.made.push(index);
            }
            let [small, large] = LOOK_UP;
            let (key, row) = if all < LARGE { small } else { large };
            self.cost += self.matches * (key + several + row * agreeing);
        }
        self.looped = true;
        self.matches *= agreeing;
    }

    /// A fact is looked up in the set of all of its relation, which is a table where there are more than two columns.
    fn fact(&mut self, atom: &Atom, all: f64) {
        let set = (atom.relation, Vec::new());
        if !self.made.contains(&set) {
            self.indexes += all * TAKE_IN;
            self.made.push(set);
        }
        let [(small, _), (large, _)] = LOOK_UP;
        self.cost += self.matches * if all < LARGE || atom.args.len() < 3 { small } else { large };
    }
}

/// Which part of the matches a comparison is expected to leave.
fn share(expr: &Expr) -> f64 {
    match &expr.kind {
        ExprKind::Call(Op::Equal, _) => EQUAL,
        ExprKind::Call(Op::NotEqual, _) => 1.0,
        _ => COMPARED,
    }
}
