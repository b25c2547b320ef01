//! All matches of a rule's body: literal by literal, in the order of the text as far as variables allow.

use crate::Bound;
use hence_core::fault::OrBroken;
use hence_core::index_vec::{Id, IndexVec};
use hence_core::span::Span;
use hence_core::value::Word;
use hence_lang::builtins::expr::{Expr, NoResult, ParamId, VarId};
use hence_lang::ir::{Arg, Atom, Literal, Rule, RuleId};

use super::Run;
use super::state::State;

/// The values of a rule's variables under one match, as far as they are bound.
pub(super) type Bindings = IndexVec<VarId, Option<Word>>;

/// A match of a part of the body. A variable whose operation had no result is never bound, so what depends on it is
/// never evaluated: it can neither save nor refute the match.
#[derive(Clone)]
struct Partial {
    bindings: Bindings,
    pending: Vec<usize>,
    failed: Vec<Span>,
}

/// What a rule's body is matched against.
#[derive(Clone, Copy)]
struct Body<'a> {
    rule: &'a Rule,
    state: &'a State,
    params: &'a [Word],
}

type Extensions<'a> = Box<dyn Iterator<Item = Partial> + 'a>;

impl Run<'_> {
    /// The matches of the body over all closed rounds: one for each choice of a fact for every positive atom and an
    /// element for every generator. Matches with an undefined operation are reported instead.
    pub(super) fn matches(&mut self, id: RuleId, rule: &Rule) -> Result<Vec<Bindings>, Bound> {
        let body = Body { rule, state: &self.state, params: &self.params };
        let mut found = Vec::new();
        let held = size_of::<Bindings>() + rule.variables.len() * size_of::<Option<Word>>();
        // Nested loops, the outermost first; a stack of its own because a body may be long.
        let mut loops: Vec<(bool, Extensions<'_>)> = vec![(false, Box::new(std::iter::once(body.start())))];
        while let Some((generates, extensions)) = loops.last_mut() {
            let Some(partial) = extensions.next() else {
                loops.pop();
                continue;
            };
            self.budget.spend(u64::from(*generates))?;
            self.budget.step()?;
            match body.ready(&partial) {
                Some(at) => loops.push((body.generates(at), body.extend(partial, at))),
                None if partial.failed.is_empty() => {
                    found.push(partial.bindings);
                    self.budget.memory(found.len().saturating_mul(held))?;
                }
                None => partial
                    .failed
                    .iter()
                    .for_each(|span| self.reports.add(id, *span, partial.bindings.as_slice())),
            }
        }
        Ok(found)
    }
}

impl<'a> Body<'a> {
    fn start(self) -> Partial {
        Partial {
            bindings: IndexVec::filled(None, self.rule.variables.len()),
            pending: (0..self.rule.body.len()).collect(),
            failed: Vec::new(),
        }
    }

    /// The first pending literal that can be evaluated: all variables that it doesn't bind itself are bound.
    fn ready(self, partial: &Partial) -> Option<usize> {
        let is_ready = |at: &usize| {
            let mut ready = true;
            self.needs(*at, &mut |var| ready &= partial.bindings[var].is_some());
            ready
        };
        partial.pending.iter().copied().find(is_ready)
    }

    /// The variables that must be bound before a literal is evaluated. Of a positive atom these are the variables
    /// that an operation or a generator binds.
    fn needs(self, at: usize, visit: &mut impl FnMut(VarId)) {
        let literal = self.rule.literal(at);
        let found = literal.positive().into_iter().flat_map(Atom::vars);
        found.filter(|var| self.rule.computed().any(|computed| computed == *var)).for_each(&mut *visit);
        literal.for_each_needed(visit);
    }

    fn generates(self, at: usize) -> bool {
        self.rule.literal(at).generates()
    }

    /// The matches of one literal more.
    fn extend(self, mut partial: Partial, at: usize) -> Extensions<'a> {
        partial.pending.retain(|pending| *pending != at);
        match self.rule.literal(at) {
            Literal::Atom(atom) => {
                let rows = self.state.rows(atom.relation);
                Box::new(rows.filter_map(move |row| self.unify(partial.clone(), atom, row)))
            }
            Literal::Not(atom) => {
                let mut rows = self.state.rows(atom.relation);
                let refuted = rows.any(|row| self.unify(partial.clone(), atom, row).is_some());
                Box::new((!refuted).then_some(partial).into_iter())
            }
            computing => {
                let values: Result<Vec<Word>, NoResult> =
                    computing.exprs().iter().map(|expr| self.eval(&partial, expr)).collect();
                match values {
                    Ok(values) => Box::new(computing.outcomes(&values).map(move |word| {
                        let mut partial = partial.clone();
                        computing.computed().into_iter().for_each(|var| partial.bind(var, word));
                        partial
                    })),
                    Err(NoResult(span)) => {
                        partial.failed.push(span);
                        Box::new(std::iter::once(partial))
                    }
                }
            }
        }
    }

    fn eval(self, partial: &Partial, expr: &Expr) -> Result<Word, NoResult> {
        expr.eval_bound(partial.bindings.as_slice(), self.params)
    }

    /// The match with a row for an atom, if the row fits.
    fn unify(self, mut partial: Partial, atom: &Atom, row: &[Word]) -> Option<Partial> {
        for (arg, &word) in atom.args.iter().zip(row) {
            let wanted = match arg {
                Arg::Any => continue,
                Arg::Const(value) => Some(value.word()),
                Arg::Param(param) => Some(*self.params.get(param.at()).or_broken(ParamId::INVARIANT)),
                Arg::Var(var) => partial.bindings[*var],
            };
            match (wanted, arg) {
                (Some(wanted), _) if wanted != word => return None,
                (None, Arg::Var(var)) => partial.bind(*var, word),
                _ => {}
            }
        }
        Some(partial)
    }
}

impl Partial {
    fn bind(&mut self, var: VarId, word: Word) {
        self.bindings[var] = Some(word);
    }
}
