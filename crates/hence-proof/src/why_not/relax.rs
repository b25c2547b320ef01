//! Matches of a rule's body in which some literals fail: bindings, the rows taken, and what fails.

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::value::Word;
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::{Arg, Atom, Literal, Rule};

use super::super::context::Context;
use super::super::store::FactRef;
use super::Asked;
use super::want::Want;

use smallvec::SmallVec;

/// How many rows of one atom are taken.
const ROWS: usize = 24;

/// How many bindings are looked at for one rule.
const STEPS: usize = 1_000;

/// How many matches are handed out for one rule.
const MATCHES: usize = 32;

/// A match of a body in which the literals of `failed` don't hold.
#[derive(Clone, Debug)]
pub(super) struct Relaxed {
    pub(super) vars: SmallVec<[Option<Word>; 16]>,
    /// The facts that were taken, with the literals that take them.
    pub(super) rows: SmallVec<[(usize, FactRef); 8]>,
    pub(super) failed: SmallVec<[usize; 4]>,
    left: SmallVec<[usize; 16]>,
}

/// What is known before a body is matched.
pub(super) struct Known<'w> {
    /// The words that the head gives variables.
    pub(super) vars: Vec<Option<Word>>,
    /// What else is wanted of variables.
    pub(super) wants: &'w [Want],
}

impl Relaxed {
    /// A match in which nothing fails.
    pub(super) fn whole(
        vars: impl IntoIterator<Item = Option<Word>>,
        rows: impl IntoIterator<Item = (usize, FactRef)>,
    ) -> Self {
        Self {
            vars: vars.into_iter().collect(),
            rows: rows.into_iter().collect(),
            failed: SmallVec::new(),
            left: SmallVec::new(),
        }
    }

    /// The words of the variables; those that are open have none that means anything.
    pub(super) fn words(&self) -> SmallVec<[Word; 16]> {
        self.vars.iter().map(|word| word.unwrap_or_default()).collect()
    }

    pub(super) fn word(&self, var: VarId) -> Option<Word> {
        *self.vars.get(var.0 as usize).or_broken(VarId::INVARIANT)
    }

    /// Whether all variables of a literal are known.
    fn knows(&self, literal: &Literal) -> bool {
        literal.is_ready(|var| self.word(var).is_some())
    }

    /// What an atom looks for.
    pub(super) fn key(&self, atom: &Atom, params: &[Word]) -> Asked {
        let word = |arg: &Arg| match arg {
            Arg::Any => None,
            Arg::Var(var) => self.word(*var),
            Arg::Const(value) => Some(value.word()),
            Arg::Param(param) => params.get(param.0 as usize).copied(),
        };
        atom.args.iter().map(word).collect()
    }

    fn set(&mut self, var: VarId, word: Word) -> bool {
        let slot = self.vars.get_mut(var.0 as usize).or_broken(VarId::INVARIANT);
        slot.replace(word).is_none_or(|other| other == word)
    }

    fn take(&mut self, atom: &Atom, row: &[Word], rule: &Rule, wants: &[Want]) -> bool {
        atom.args.iter().zip(row).all(|(arg, word)| match arg {
            Arg::Var(var) => {
                let want = wants.get(var.0 as usize).copied().unwrap_or(Want::Any);
                want.admits(rule[*var].ty.ty, *word) && self.set(*var, *word)
            }
            _ => true,
        })
    }
}

/// The matches of a body in which exactly `failing` literals don't hold.
pub(super) fn matches(
    context: &Context<'_>,
    rule: &Rule,
    known: &Known<'_>,
    failing: usize,
    fuel: &mut usize,
) -> Vec<Relaxed> {
    let left = (0..rule.body.len()).collect();
    let start = Relaxed { left, ..Relaxed::whole(known.vars.iter().copied(), []) };
    let (mut stack, mut found) = (vec![start], Vec::new());
    let mut steps = STEPS.min(*fuel);
    while let Some(mut state) = stack.pop() {
        if steps == 0 || found.len() >= MATCHES || !context.interrupt.step() {
            break;
        }
        steps -= 1;
        *fuel -= 1;
        let Some(at) = next(&state, rule, context) else {
            // What is still left can't be evaluated before something else is there.
            if state.failed.len() == failing {
                found.push(state);
            }
            continue;
        };
        let literal = state.left.remove(at);
        advance(context, rule, known, (state, literal), failing, &mut stack);
    }
    found
}

/// The place among the literals left of the one to go on with: one that only decides, else the atom of which most is
/// known.
fn next(state: &Relaxed, rule: &Rule, context: &Context<'_>) -> Option<usize> {
    let ready = |at: &usize| {
        let literal = rule.literal(*at);
        literal.positive().is_none() && state.knows(literal)
    };
    state.left.iter().position(ready).or_else(|| {
        let known = |at: &usize| {
            let atom = rule.literal(*at).positive()?;
            let key = state.key(atom, &context.params);
            let open = key.iter().filter(|word| word.is_none()).count();
            Some((open > 0, std::cmp::Reverse(key.len() - open)))
        };
        let all = state.left.iter().enumerate().filter_map(|(place, at)| Some((known(at)?, place)));
        all.min().map(|(_, place)| place)
    })
}

fn advance(
    context: &Context<'_>,
    rule: &Rule,
    known: &Known<'_>,
    (state, at): (Relaxed, usize),
    failing: usize,
    stack: &mut Vec<Relaxed>,
) {
    let may_fail = state.failed.len() < failing;
    let mut fail = |mut state: Relaxed| {
        if may_fail {
            state.failed.push(at);
            stack.push(state);
        }
    };
    match rule.literal(at) {
        Literal::Atom(atom) => {
            let key = state.key(atom, &context.params);
            let rows = rows(context, atom, &key);
            // One that holds and binds nothing needs no other fact in its place.
            if rows.is_empty() || key.iter().any(Option::is_none) {
                fail(state.clone());
            }
            for row in rows.into_iter().rev() {
                let mut next = state.clone();
                if next.take(atom, &context.store.row(row), rule, known.wants) {
                    next.rows.push((at, row));
                    stack.push(next);
                }
            }
        }
        Literal::Not(atom) => {
            let key = state.key(atom, &context.params);
            match context.store.any(atom.relation, &key, usize::MAX) {
                Some(_) => fail(state),
                None => stack.push(state),
            }
        }
        computing => {
            let words = state.words();
            let values: Result<SmallVec<[Word; 4]>, _> =
                computing.exprs().iter().map(|expr| expr.eval(&words, &context.params)).collect();
            let with = |word| {
                let mut next = state.clone();
                computing.computed().is_none_or(|var| next.set(var, word)).then_some(next)
            };
            let values = values.into_iter().flat_map(|values| computing.outcomes(&values).take(ROWS));
            let next: Vec<Relaxed> = values.filter_map(with).collect();
            if next.is_empty() && !computing.chooses() {
                fail(state);
            } else {
                stack.extend(next.into_iter().rev());
            }
        }
    }
}

/// The first rows that an atom finds, by their values.
pub(super) fn rows(context: &Context<'_>, atom: &Atom, key: &Asked) -> Vec<FactRef> {
    let mut rows = Vec::new();
    context.store.each(atom.relation, key, usize::MAX, &mut |row| {
        rows.push(FactRef { relation: atom.relation, row });
        rows.len() < ROWS * 8
    });
    rows.sort_by(|a, b| context.compare(atom.relation, &context.store.row(*a), &context.store.row(*b)));
    rows.truncate(ROWS);
    rows
}
