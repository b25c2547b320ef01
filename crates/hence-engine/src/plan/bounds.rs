//! Comparisons that bound a column of an atom by what is known before it: where the rows are in the order of that column, a
//! search finds those that pass (the band joins of DeWitt, Naughton and Schneider, "An evaluation of non-equijoin
//! algorithms", VLDB 1991). Of two columns bounded from one side each, as where intervals overlap, the rows are in the order
//! of the one, and it is known of each place how far the other reaches until there.

use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::op::Op;
use hence_lang::ir::{Arg, Atom, Literal, Rule};

use super::shape::{VarSet, mirrored};

/// Which part of the rows bounds on both sides of a column are expected to leave, those of two columns, and one alone.
const LEFT: [f64; 3] = [0.02, 0.1, 0.5];
/// What it costs to go through a row that comparisons may reject, in about a nanosecond each.
const ROW: f64 = 18.0;
/// What it costs to copy a row, and to compare two while they are sorted.
const TAKE_IN: (f64, f64) = (35.0, 6.0);
/// What it costs to search for bounds.
const SEARCH: f64 = 80.0;

/// A comparison of a column with what is known: true of its words up to one, or from one on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison<'r> {
    /// The literal.
    pub(super) literal: usize,
    pub(super) column: u32,
    /// Whether it is true from some word on.
    pub(super) rises: bool,
    /// The operator, with the column on its left.
    pub(super) op: Op,
    /// What the column's word is added to or taken from before.
    pub(super) shift: Option<Shift<'r>>,
    /// What is known.
    pub(super) other: &'r Expr,
    /// Whether it may be undefined.
    pub(super) may_fail: bool,
}

/// An addition or subtraction with the word of a column and what is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift<'r> {
    pub(super) op: Op,
    pub(super) by: &'r Expr,
    /// Whether the column is on its right.
    pub(super) is_right: bool,
}

impl Comparison<'_> {
    /// Whether it compares a column with the same one of another row, so that of two rows only one order counts: other
    /// comparisons say more of what is left.
    fn breaks_ties(&self, rule: &Rule, atom: &Atom) -> bool {
        let (ExprKind::Var(var), None) = (&self.other.kind, self.shift) else { return false };
        let has_it = |other: &Atom| {
            let arg = other.args.get(self.column as usize);
            other.relation == atom.relation && arg == Some(&Arg::Var(*var))
        };
        rule.body.iter().filter_map(Literal::atom).any(has_it)
    }

    /// Whether what is known are not only constants.
    fn reads_variables(&self) -> bool {
        let mut reads = false;
        self.other.for_each_var(&mut |_| reads = true);
        self.shift.iter().for_each(|shift| shift.by.for_each_var(&mut |_| reads = true));
        reads
    }
}

/// The comparisons that bound the rows of an atom.
pub(super) struct Bounds<'r> {
    /// The column in whose order the rows are.
    pub(super) column: u32,
    /// The column that is bounded from below beside it, and only from there.
    pub(super) reach: Option<u32>,
    /// The comparisons of the two.
    pub(super) comparisons: Vec<Comparison<'r>>,
    /// Which part of the rows they are expected to leave.
    pub(super) share: f64,
    /// Whether one of them is with variables.
    pub(super) joins: bool,
}

impl<'r> Bounds<'r> {
    /// What bounds the rows of an atom where these variables are known before it.
    pub(super) fn new(rule: &'r Rule, comparing: &[usize], atom: &Atom, known: &VarSet) -> Option<Self> {
        let sides = Sides { atom, known };
        let tests = comparing.iter().filter_map(|at| sides.comparison(*at, test(rule.literal(*at))?));
        let mut found: Vec<Comparison<'_>> = tests.collect();
        found.sort_by_key(|one| one.breaks_ties(rule, atom));
        let of = |column: u32, rises: bool| {
            move |other: &&Comparison<'_>| other.column == column && other.rises == rises
        };
        let one = found.first()?;
        let both = found.iter().find(|one| found.iter().any(|other| of(one.column, !one.rises)(&other)));
        let falling = found.iter().find(|one| !one.rises);
        let rising = found.iter().find(|one| one.rises && one.shift.is_none());
        let [share_of_both, share_of_two, share_of_one] = LEFT;
        let (column, reach, share) = match (both, falling, rising) {
            (Some(one), ..) => (one.column, None, share_of_both),
            (None, Some(falling), Some(rising)) => (falling.column, Some(rising.column), share_of_two),
            _ => (one.column, None, share_of_one),
        };
        found.retain(|one| one.column == column || (Some(one.column) == reach && one.shift.is_none()));
        // Where rows end is searched from where they begin.
        found.sort_by_key(|one| !one.rises);
        let joins = found.iter().any(Comparison::reads_variables);
        Some(Self { column, reach, comparisons: found, share, joins })
    }

    /// Whether a search is expected to cost less than to go through all rows of a key, `group` of `rows`, for each of so many
    /// matches before.
    pub(super) fn pay(&self, matches: f64, rows: f64, group: f64) -> bool {
        self.cost(matches, rows, group) < matches * group * ROW
    }

    /// What an index and the searches cost, and the rows that are left.
    pub(super) fn cost(&self, matches: f64, rows: f64, group: f64) -> f64 {
        let (copy, compare) = TAKE_IN;
        rows * (copy + compare * group.max(1.0).log2()) + matches * (SEARCH + self.share * group * ROW)
    }
}

fn test(literal: &Literal) -> Option<&Expr> {
    match literal {
        Literal::Test { expr, .. } => Some(expr),
        _ => None,
    }
}

struct Sides<'a> {
    atom: &'a Atom,
    known: &'a VarSet,
}

impl Sides<'_> {
    fn comparison<'r>(&self, literal: usize, expr: &'r Expr) -> Option<Comparison<'r>> {
        let ExprKind::Call(op, operands) = &expr.kind else { return None };
        let [left, right] = operands.as_slice() else { return None };
        let mirrored = mirrored(*op)?;
        let (op, (column, shift, other)) = match self.of(left, right) {
            Some(found) => (*op, found),
            None => (mirrored, self.of(right, left)?),
        };
        let falls = shift.is_some_and(|shift: Shift<'_>| shift.is_right && !is_sum(shift.op));
        let rises = matches!(op, Op::Greater | Op::GreaterEqual) != falls;
        Some(Comparison { literal, column, rises, op, shift, other, may_fail: expr.may_fail() })
    }

    /// A column on one side, and what it goes through, with what is known on the other.
    fn of<'r>(&self, side: &'r Expr, other: &'r Expr) -> Option<(u32, Option<Shift<'r>>, &'r Expr)> {
        if !self.is_known(other) {
            return None;
        }
        let ExprKind::Call(op, operands) = &side.kind else {
            return Some((self.column(side)?, None, other));
        };
        let [left, right] = operands.as_slice() else { return None };
        let shift = |by, is_right| Some(Shift { op: *op, by, is_right });
        match (self.column(left), self.column(right)) {
            _ if !is_sum(*op) && !matches!(op, Op::SubInt | Op::SubTime) => None,
            (Some(column), None) if self.is_known(right) => Some((column, shift(right, false), other)),
            (None, Some(column)) if self.is_known(left) => Some((column, shift(left, true), other)),
            _ => None,
        }
    }

    fn column(&self, expr: &Expr) -> Option<u32> {
        let ExprKind::Var(var) = expr.kind else { return None };
        let is_it = |(_, arg): &(u32, &Arg)| **arg == Arg::Var(var);
        let found = (0u32..).zip(&self.atom.args).find(is_it).map(|(column, _)| column);
        found.filter(|_| !self.known.contains(var))
    }

    fn is_known(&self, expr: &Expr) -> bool {
        let mut all = true;
        expr.for_each_var(&mut |var: VarId| all &= self.known.contains(var));
        all
    }
}

fn is_sum(op: Op) -> bool {
    matches!(op, Op::AddInt | Op::AddTime)
}
