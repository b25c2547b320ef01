//! The matches of a body as collections that are kept up to date: those that are whole, and those in which an operation
//! has no result.

use std::collections::BTreeSet;
use std::sync::Arc;

use differential_dataflow::VecCollection;
use differential_dataflow::lattice::Lattice;
use hence_core::index_vec::Id;
use hence_core::value::Word;
use hence_lang::builtins::expr::{Expr, NoResult, VarId};
use hence_lang::builtins::generator::Generator;
use hence_lang::ir::{Arg, Atom, Literal};
use timely::progress::Timestamp;

use crate::cell::{Cell, Row};
use crate::context::Context;
use crate::rest::Rest;

/// Rows with how often each is there.
pub(crate) type Rows<'s, T> = VecCollection<'s, T, Row, isize>;

/// The facts of the relation of an atom.
pub(crate) type Read<'r, 's, T> = &'r dyn Fn(&Atom) -> Rows<'s, T>;

/// The matches of a body: a value for each variable of the rule that is still needed.
pub(crate) struct Matches<'s, T: Timestamp + Lattice> {
    pub(crate) whole: Rows<'s, T>,
    /// After the variables come the operations that have no result.
    pub(crate) failed: Vec<Rows<'s, T>>,
    /// A row for each element that is generated.
    pub(crate) elements: Vec<Rows<'s, T>>,
}

impl Context {
    /// The matches; `unit` holds one empty row.
    pub(crate) fn matches<'s, T: Timestamp + Lattice>(
        &self,
        unit: &Rows<'s, T>,
        read: Read<'_, 's, T>,
    ) -> Matches<'s, T> {
        let (mut whole, mut failed, mut bound) = (None, Vec::new(), BTreeSet::new());
        let mut elements = Vec::new();
        for (done, at) in self.order.iter().enumerate() {
            let literal = self.rule.literal(*at);
            let after = self.order.get(done + 1..).unwrap_or_default();
            let rows = match (literal, whole) {
                (Literal::Atom(atom), None) => self.first(read(atom), atom),
                (Literal::Atom(atom), Some(rows)) => self.join(rows, read(atom), atom, &bound),
                (Literal::Not(atom), rows) => self.without(self.begun(rows, unit), read(atom), atom),
                (_, rows) => {
                    let mut rows = self.compute(self.begun(rows, unit), *at);
                    if self.may_fail(literal) {
                        let width = self.width();
                        let lost = rows.clone().filter(move |row| row.len() > width);
                        let rest = Rest::new(self, bound.clone(), literal.computed());
                        failed.push(rest.rows(lost, after, read));
                        rows = rows.filter(move |row| row.len() == width);
                    }
                    if literal.chooses() {
                        elements.push(rows.clone());
                    }
                    rows
                }
            };
            bound.extend(literal.binds());
            whole = Some(self.forget(rows, &bound, after));
        }
        Matches { whole: self.begun(whole, unit), failed, elements }
    }

    fn begun<'s, T: Timestamp + Lattice>(
        &self,
        rows: Option<Rows<'s, T>>,
        unit: &Rows<'s, T>,
    ) -> Rows<'s, T> {
        let width = self.width();
        rows.unwrap_or_else(|| unit.clone().map(move |_| vec![Cell::Open; width]))
    }

    /// The rows without what neither the head nor a literal after these needs, so that they are fewer; reports hold all.
    fn forget<'s, T: Timestamp + Lattice>(
        &self,
        rows: Rows<'s, T>,
        bound: &BTreeSet<VarId>,
        after: &[usize],
    ) -> Rows<'s, T> {
        if self.reports {
            return rows;
        }
        let mut needed = BTreeSet::new();
        let mut note = |var: VarId| needed.extend([var]);
        self.rule.head_exprs().for_each(|expr| expr.for_each_var(&mut note));
        if let Some(limit) = &self.rule.limit {
            limit.per.iter().copied().for_each(&mut note);
            limit.keys().for_each(|key| key.for_each_var(&mut note));
        }
        after.iter().for_each(|at| self.rule.literal(*at).for_each_var(&mut note));
        let idle: Vec<usize> = bound.difference(&needed).map(|var| var.at()).collect();
        if idle.is_empty() {
            return rows;
        }
        rows.map(move |mut row| {
            idle.iter().for_each(|at| put(&mut row, *at, Cell::Open));
            row
        })
    }

    /// The matches of the first atom by itself.
    fn first<'s, T: Timestamp + Lattice>(&self, facts: Rows<'s, T>, atom: &Atom) -> Rows<'s, T> {
        let (fits, columns, width) = (self.fits(atom), columns(atom), self.width());
        facts.flat_map(move |fact| {
            fits(&fact).then(|| {
                let mut row = vec![Cell::Open; width];
                for (column, target) in &columns {
                    put(&mut row, *target, at(&fact, *column));
                }
                row
            })
        })
    }

    /// The matches with each fact that fits. Variables out of `key` have a value in some of the rows at most.
    pub(crate) fn join<'s, T: Timestamp + Lattice>(
        &self,
        rows: Rows<'s, T>,
        facts: Rows<'s, T>,
        atom: &Atom,
        key: &BTreeSet<VarId>,
    ) -> Rows<'s, T> {
        let fits = self.fits(atom);
        let (known, new): (Vec<_>, Vec<_>) =
            columns(atom).into_iter().partition(|(_, var)| key.contains(&VarId(*var as u32)));
        let vars: Vec<usize> = known.iter().map(|(_, var)| *var).collect();
        let keys: Vec<usize> = known.iter().map(|(column, _)| *column).collect();
        let others: Vec<usize> = new.iter().map(|(column, _)| *column).collect();
        let targets: Vec<usize> = new.iter().map(|(_, var)| *var).collect();
        let left = rows.map(move |row| (picked(&row, &vars), row));
        let right =
            facts.flat_map(move |fact| fits(&fact).then(|| (picked(&fact, &keys), picked(&fact, &others))));
        let joined = left.join_map(right, move |_, row, values| {
            let mut row = row.clone();
            let mut agrees = true;
            for (target, value) in targets.iter().zip(values) {
                let known = at(&row, *target);
                agrees &= known == Cell::Open || known == *value;
                put(&mut row, *target, *value);
            }
            agrees.then_some(row)
        });
        joined.flat_map(|row| row)
    }

    /// The matches that no fact refutes; all variables of the atom have values.
    pub(crate) fn without<'s, T: Timestamp + Lattice>(
        &self,
        rows: Rows<'s, T>,
        facts: Rows<'s, T>,
        atom: &Atom,
    ) -> Rows<'s, T> {
        let (fits, columns) = (self.fits(atom), columns(atom));
        let vars: Vec<usize> = columns.iter().map(|(_, var)| *var).collect();
        let keys: Vec<usize> = columns.iter().map(|(column, _)| *column).collect();
        let there = facts.flat_map(move |fact| fits(&fact).then(|| picked(&fact, &keys))).distinct();
        rows.map(move |row| (picked(&row, &vars), row)).antijoin(there).map(|(_, row)| row)
    }

    /// Whether a fact has the literals and parameters of an atom, and one value where a variable stands twice.
    fn fits(&self, atom: &Atom) -> impl Fn(&Row) -> bool + use<> {
        let mut fixed = Vec::new();
        let mut first: Vec<(VarId, usize)> = Vec::new();
        let mut equal: Vec<(usize, usize)> = Vec::new();
        for (column, arg) in atom.args.iter().enumerate() {
            match arg {
                Arg::Any => {}
                Arg::Const(value) => fixed.push((column, value.word())),
                Arg::Param(param) => fixed.extend(self.params.get(param.at()).map(|word| (column, *word))),
                Arg::Var(var) => match first.iter().find(|(known, _)| known == var) {
                    Some((_, other)) => equal.push((*other, column)),
                    None => first.push((*var, column)),
                },
            }
        }
        move |row| {
            fixed.iter().all(|(column, word)| at(row, *column).word() == *word)
                && equal.iter().all(|(one, other)| row.get(*one) == row.get(*other))
        }
    }

    /// The matches with what a literal computes; where an operation has no result, it is added at the end of the row.
    pub(crate) fn compute<'s, T: Timestamp + Lattice>(&self, rows: Rows<'s, T>, at: usize) -> Rows<'s, T> {
        let context = Arc::new(self.clone());
        rows.flat_map(move |row| context.extended(row, at))
    }

    fn extended(&self, mut row: Row, at: usize) -> Vec<Row> {
        self.outcomes(&row, self.rule.literal(at)).unwrap_or_else(|lost| {
            row.push(lost);
            vec![row]
        })
    }

    fn outcomes(&self, row: &Row, literal: &Literal) -> Result<Vec<Row>, Cell> {
        let vars = words(row);
        let values = literal.exprs().iter().map(|expr| self.eval(expr, &vars));
        let values = values.collect::<Result<Vec<Word>, _>>()?;
        if let (Literal::Each { generator: Generator::Range, .. }, [from, to]) = (literal, values.as_slice())
            && i128::from(to.as_int()) - i128::from(from.as_int()) > i128::from(self.most)
        {
            return Err(Self::TOO_MANY);
        }
        let with = |word| {
            let mut row = row.clone();
            if let Some(var) = literal.computed() {
                put(&mut row, var.at(), self.cell(var, word));
            }
            row
        };
        Ok(literal.outcomes(&values).map(with).collect())
    }

    /// The value of an expression under a match, or the operation that has none.
    pub(crate) fn eval(&self, expr: &Expr, vars: &[Word]) -> Result<Word, Cell> {
        expr.eval(vars, &self.params).map_err(|NoResult(span)| self.operation(span))
    }

    fn cell(&self, var: VarId, word: Word) -> Cell {
        Cell::new(self.rule[var].ty.ty, word)
    }
}

/// The words of a match, by variable.
pub(crate) fn words(row: &Row) -> Vec<Word> {
    row.iter().map(|cell| cell.word()).collect()
}

/// The columns of an atom at which a variable stands first, and the place of the variable.
fn columns(atom: &Atom) -> Vec<(usize, usize)> {
    let mut columns: Vec<(usize, usize)> = Vec::new();
    for (column, arg) in atom.args.iter().enumerate() {
        if let Arg::Var(var) = arg
            && columns.iter().all(|(_, known)| *known != var.at())
        {
            columns.push((column, var.at()));
        }
    }
    columns
}

fn at(row: &Row, column: usize) -> Cell {
    row.get(column).copied().unwrap_or(Cell::Open)
}

fn put(row: &mut Row, column: usize, value: Cell) {
    if let Some(cell) = row.get_mut(column) {
        *cell = value;
    }
}

fn picked(row: &Row, columns: &[usize]) -> Row {
    columns.iter().map(|column| at(row, *column)).collect()
}
