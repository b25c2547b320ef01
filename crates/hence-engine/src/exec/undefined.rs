//! What is reported where an operation has no result: the rare, slow path beside the plans.

use crate::exec::context::ExecContext;
use crate::plan::frame::Slot;
use crate::plan::shape::{head_exprs, variables};
use crate::plan::steps::Remainder;
use crate::storage::stable::Stable;
use crate::storage::view::View;
use hence_core::fault::OrBroken;
use hence_core::index_vec::{Id, IndexSlice, IndexVec};
use hence_core::meter::Bound;
use hence_core::span::Span;
use hence_core::value::Word;
use hence_lang::builtins::expr::{Expr, NoResult, ParamId, VarId};
use hence_lang::ir::{Arg, Atom, Literal, Rule, RuleId};

/// A match that met an operation without a result. Its variable stays unbound, so literals that depend on it never
/// become ready; once all others hold, the operation is reported.
///
/// It reads all that is known, whatever part of it the plan reads: reports are a set, and what holds now holds in
/// the end.
pub(crate) struct UndefinedSearch<'r> {
    id: RuleId,
    rule: &'r Rule,
    computed: Vec<VarId>,
    branches: Vec<Branch>,
}

/// What is still to be followed.
enum Branch {
    One(Partial),
    Elements(Partial, VarId, Box<dyn Iterator<Item = Word>>),
}

#[derive(Clone)]
struct Partial {
    bindings: IndexVec<VarId, Option<Word>>,
    open: Vec<usize>,
    failed: Vec<Span>,
}

impl<'r> UndefinedSearch<'r> {
    /// The inquiry into an operation of the body or of the head.
    pub(crate) fn new(
        id: RuleId,
        rule: &'r Rule,
        frame: IndexSlice<'_, Slot, Word>,
        remainder: &Remainder,
        none: NoResult,
    ) -> Self {
        let mut bindings = IndexVec::filled(None, rule.variables.len());
        for var in &remainder.bound {
            bindings[*var] = Some(frame[(*var).into()]);
        }
        let computed = rule.body.iter().filter_map(|literal| match literal {
            Literal::Bind { var, .. } | Literal::Each { var, .. } => Some(*var),
            _ => None,
        });
        let failed = if remainder.in_head { Vec::new() } else { vec![none.0] };
        let first = Partial { bindings, open: remainder.literals.clone(), failed };
        Self { id, rule, computed: computed.collect(), branches: vec![Branch::One(first)] }
    }

    /// Follows the match through all literals that are left.
    pub(crate) fn run(mut self, site: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        while let Some(branch) = self.branches.pop() {
            site.budget.step()?;
            match branch {
                Branch::One(partial) => match self.ready(&partial) {
                    Some(at) => self.extend(partial, at, site)?,
                    None => self.report(&partial, site),
                },
                Branch::Elements(partial, var, mut elements) => {
                    let Some(word) = elements.next() else { continue };
                    site.budget.spend(1)?;
                    let mut longer = partial.clone();
                    longer.bind(var, word);
                    self.branches.extend([Branch::Elements(partial, var, elements), Branch::One(longer)]);
                }
            }
        }
        Ok(())
    }

    fn report(&self, partial: &Partial, site: &mut ExecContext<'_, '_>) {
        let head = head_exprs(self.rule).filter(|expr| expr.may_fail());
        let head = head.filter_map(|expr| eval(partial, expr, site.params).err());
        let spans: Vec<Span> = match partial.failed.as_slice() {
            [] => head.map(|none| none.0).collect(),
            failed => failed.to_vec(),
        };
        spans.into_iter().for_each(|span| site.reports.add(self.id, span, partial.bindings.as_slice()));
    }

    fn ready(&self, partial: &Partial) -> Option<usize> {
        let is_bound = |var: VarId| partial.bindings[var].is_some();
        let exprs_bound = |exprs: &[Expr]| {
            let mut bound = true;
            exprs.iter().for_each(|expr| expr.for_each_var(&mut |var| bound &= is_bound(var)));
            bound
        };
        partial.open.iter().copied().find(|at| match self.rule.literal(*at) {
            Literal::Atom(atom) => variables(atom).all(|var| is_bound(var) || !self.computed.contains(&var)),
            Literal::Not(atom) => variables(atom).all(is_bound),
            Literal::Bind { expr, .. } | Literal::Test { expr, .. } => {
                exprs_bound(std::slice::from_ref(expr))
            }
            Literal::Each { args, .. } => exprs_bound(args),
        })
    }

    /// Evaluates one literal and keeps what becomes of the match.
    fn extend(
        &mut self,
        mut partial: Partial,
        at: usize,
        site: &mut ExecContext<'_, '_>,
    ) -> Result<(), Bound> {
        partial.open.retain(|open| *open != at);
        match self.rule.literal(at) {
            Literal::Atom(atom) => return self.join(&partial, atom, site),
            Literal::Not(atom) => {
                let mut found = false;
                each_row(&partial, atom, site, |_| found = true)?;
                if found {
                    return Ok(());
                }
            }
            Literal::Bind { var, expr, .. } => match eval(&partial, expr, site.params) {
                Ok(word) => partial.bind(*var, word),
                Err(none) => partial.failed.push(none.0),
            },
            Literal::Test { expr, .. } => match eval(&partial, expr, site.params) {
                Ok(word) if !word.as_bool() => return Ok(()),
                Ok(_) => {}
                Err(none) => partial.failed.push(none.0),
            },
            Literal::Each { var, generator, args, .. } => {
                let words: Result<Vec<Word>, NoResult> =
                    args.iter().map(|arg| eval(&partial, arg, site.params)).collect();
                match words {
                    Ok(words) => {
                        self.branches.push(Branch::Elements(partial, *var, generator.elements(&words)));
                        return Ok(());
                    }
                    Err(none) => partial.failed.push(none.0),
                }
            }
        }
        self.branches.push(Branch::One(partial));
        Ok(())
    }

    fn join(&mut self, partial: &Partial, atom: &Atom, site: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        each_row(partial, atom, site, |longer| self.branches.push(Branch::One(longer)))
    }
}

/// Calls `take` with the match for each row that fits.
fn each_row(
    partial: &Partial,
    atom: &Atom,
    site: &mut ExecContext<'_, '_>,
    mut take: impl FnMut(Partial),
) -> Result<(), Bound> {
    let stable = site.stable.get(atom.relation);
    let wanted: Vec<Option<Word>> = atom.args.iter().map(|arg| wanted(partial, arg, site.params)).collect();
    if let Some(row) = wanted.iter().copied().collect::<Option<Vec<Word>>>() {
        if site.pending[atom.relation].holds(stable, &row, View::All) {
            take(partial.clone());
        }
        return Ok(());
    }
    let mut visit = |number: u32| {
        site.budget.step()?;
        if let Some(longer) = unify(partial, atom, &wanted, &stable.row(number).iter().collect::<Vec<_>>()) {
            take(longer);
        }
        Ok(())
    };
    match listed(stable, &wanted) {
        Some(numbers) => numbers.iter().copied().try_for_each(&mut visit),
        None => (0..stable.len()).try_for_each(&mut visit),
    }
}

/// The rows that an index lists, if there is one for some of the wanted columns.
fn listed<'k>(stable: &'k Stable, wanted: &[Option<Word>]) -> Option<&'k [u32]> {
    stable.numbering().find_map(|index| {
        let word =
            |column: &u32| *wanted.get(*column as usize).or_broken("the columns of a key lie in its rows");
        let key = index.columns().iter().map(word);
        key.collect::<Option<Vec<Word>>>().map(|key| index.get(&key, View::All))
    })
}

fn wanted(partial: &Partial, arg: &Arg, params: &[Word]) -> Option<Word> {
    match arg {
        Arg::Any => None,
        Arg::Var(var) => partial.bindings[*var],
        Arg::Const(value) => Some(value.word()),
        Arg::Param(param) => Some(*params.get(param.at()).or_broken(ParamId::INVARIANT)),
    }
}

/// The match with a row, if the row fits.
fn unify(partial: &Partial, atom: &Atom, wanted: &[Option<Word>], row: &[Word]) -> Option<Partial> {
    if wanted.iter().zip(row).any(|(wanted, word)| wanted.is_some_and(|wanted| wanted != *word)) {
        return None;
    }
    let mut longer = partial.clone();
    for (arg, word) in atom.args.iter().zip(row) {
        if let Arg::Var(var) = arg {
            if longer.bindings[*var].is_some_and(|bound| bound != *word) {
                return None;
            }
            longer.bind(*var, *word);
        }
    }
    Some(longer)
}

impl Partial {
    fn bind(&mut self, var: VarId, word: Word) {
        self.bindings[var] = Some(word);
    }
}

fn eval(partial: &Partial, expr: &Expr, params: &[Word]) -> Result<Word, NoResult> {
    expr.eval_bound(partial.bindings.as_slice(), params)
}
