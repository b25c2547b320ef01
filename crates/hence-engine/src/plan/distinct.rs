//! Duplicates that loops would hand on to those inside them, left out before: where a variable is needed no more, what
//! remains of a match may come again and again. So `p(X, Y) :- a(X, Z), b(Z, W), c(W, Y)` goes through the rows of each `W`
//! once for an `X`, however many `Z` lead there.

use super::expr::CompiledExpr;
use super::frame::Slot;
use super::source::Catalog;
use super::steps::{AccessPath, BoundedPath, ColumnSlots, PlanStep, RowPattern, StepOrigin};
use crate::storage::view::View;
use hence_lang::builtins::expr::{ExprKind, VarId};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Arg, Literal, Rule};
use smallvec::smallvec;

/// In how many steps it is looked for loops that hand duplicates on: that takes the third power of it.
const MOST_STEPS: usize = 64;

/// Steps with what each evaluates.
pub(super) type Steps = (Vec<PlanStep>, Vec<StepOrigin>);

/// The steps with filters that let each word of a variable pass once; `head` are the slots of the head. A match more or
/// less must make no difference.
pub(super) fn without_duplicates(steps: Steps, head: &[Slot], catalog: &mut dyn Catalog) -> Steps {
    let is_large = |step: &PlanStep| match step {
        PlanStep::Every(path) | PlanStep::Between(BoundedPath { path, .. }) => {
            catalog.has_many(path.relation)
        }
        _ => false,
    };
    if steps.0.len() > MOST_STEPS || !steps.0.iter().any(is_large) {
        return steps;
    }
    for split in [split_first(&steps, head, catalog, false), split_first(&steps, head, catalog, true)] {
        let Some(split) = split else { continue };
        let passes = passes(&split.0, head);
        if passes.iter().any(|pass| pass.first == 1) {
            return with_passes(split, passes);
        }
    }
    let passes = passes(&steps.0, head);
    with_passes(steps, passes)
}

/// A filter to be put before a loop.
struct Pass {
    /// The step that begins anew with each match of the loops around.
    first: usize,
    /// The loop that the filter comes before.
    before: usize,
    slot: Slot,
}

/// Where only one variable is needed of those that several loops bind, one after the other.
fn passes(steps: &[PlanStep], head: &[Slot]) -> Vec<Pass> {
    let loops: Vec<usize> =
        steps.iter().enumerate().filter(|(_, step)| step.is_loop()).map(|(at, _)| at).collect();
    let mut passes: Vec<Pass> = Vec::new();
    for (number, before) in loops.iter().enumerate().skip(2) {
        let needed = needed_from(steps, *before, head);
        let binds = |first: usize| -> Vec<Slot> {
            let bound = steps.iter().take(*before).skip(first).flat_map(PlanStep::binds);
            bound.filter(|slot| needed.contains(slot)).collect()
        };
        let firsts = loops.iter().take(number - 1).rev();
        let found = firsts.take_while(|first| binds(**first).len() == 1).filter(|first| **first > 0).last();
        if let Some(first) = found
            && let [slot] = *binds(*first)
        {
            passes.push(Pass { first: *first, before: *before, slot });
        }
    }
    passes
}

/// What steps from a place on read, and the head.
fn needed_from(steps: &[PlanStep], at: usize, head: &[Slot]) -> Vec<Slot> {
    let mut needed = head.to_vec();
    steps.iter().skip(at).for_each(|step| step.for_each_read(&mut |slot| needed.push(slot)));
    needed
}

fn with_passes((steps, origins): Steps, passes: Vec<Pass>) -> Steps {
    let mut made: Steps = Default::default();
    for (at, (step, origin)) in steps.into_iter().zip(origins).enumerate() {
        let numbered = || (0u32..).zip(&passes);
        let ends = numbered().filter(|(_, pass)| pass.before == at);
        let ends = ends.map(|(set, pass)| PlanStep::Once { set, slot: pass.slot });
        let begins = numbered().filter(|(_, pass)| pass.first == at).map(|(set, _)| PlanStep::Anew { set });
        for filter in ends.chain(begins) {
            made.0.push(filter);
            made.1.push(origin);
        }
        made.0.push(step);
        made.1.push(origin);
    }
    made
}

/// The rows of a first loop by the column that is needed longer, if there is an index: first its values, then the rows of
/// each. `swapped` changes the two loops after it first, where that makes no difference but for the time.
fn split_first(steps: &Steps, head: &[Slot], catalog: &mut dyn Catalog, swapped: bool) -> Option<Steps> {
    let (mut steps, mut origins) = steps.clone();
    if swapped {
        let [_, second @ PlanStep::Every(_), PlanStep::Every(path), ..] = steps.as_slice() else {
            return None;
        };
        let bound = second.binds();
        if path.key.iter().any(|(_, slot)| bound.contains(slot)) || path.index.is_none() {
            return None;
        }
        steps.swap(1, 2);
        origins.swap(1, 2);
    }
    let PlanStep::Every(AccessPath { relation, view, key, index: None, row }) = steps.first()? else {
        return None;
    };
    let (relation, view) = (*relation, *view);
    let [(_, first), (_, second)] = *row.binds.as_slice() else { return None };
    let is_plain = key.is_empty() && row.checks.is_empty() && matches!(view, View::Delta | View::All);
    if !is_plain || catalog.arity(relation) != Some(2) {
        return None;
    }
    let last_read =
        |slot: Slot| (0..=steps.len()).rev().find(|at| needed_from(&steps, *at, head).contains(&slot));
    let kept = if last_read(first) > last_read(second) { first } else { second };
    let (kept, gone): (ColumnSlots, ColumnSlots) =
        row.binds.iter().copied().partition(|(_, slot)| *slot == kept);
    let [(column, slot)] = *kept.as_slice() else { return None };
    let index = catalog.find_index(relation, &[column])?;
    let row = RowPattern { binds: gone, checks: ColumnSlots::new() };
    let rows = AccessPath { relation, view, key: smallvec![(column, slot)], index: Some(index), row };
    let origin = *origins.first()?;
    steps.splice(
        ..1,
        [PlanStep::Keys { relation, index, view, slots: vec![(column, slot)] }, PlanStep::Every(rows)],
    );
    origins.insert(0, origin);
    Some((steps, origins))
}

impl PlanStep {
    /// Visits the slots that the step reads; of a multiway join also those that it binds.
    fn for_each_read(&self, visit: &mut impl FnMut(Slot)) {
        let of_path = |path: &AccessPath, visit: &mut dyn FnMut(Slot)| {
            path.key.iter().chain(&path.row.checks).for_each(|(_, slot)| visit(*slot));
        };
        match self {
            Self::Every(path) | Self::Some(path, _) => of_path(path, visit),
            Self::Between(bounded) => {
                of_path(&bounded.path, visit);
                bounded.for_each_bound_slot(visit);
            }
            Self::Fewer { next, other, .. } => {
                [next, other].into_iter().for_each(|path| of_path(path, visit))
            }
            Self::Probe { row, .. } => row.iter().copied().for_each(visit),
            Self::Test(code, _) | Self::Let(_, code, _) => code.for_each_slot(visit),
            Self::Same(slot, code) => {
                visit(*slot);
                code.for_each_slot(visit);
            }
            Self::Each(_, _, args, _) => args.iter().for_each(|code| code.for_each_slot(visit)),
            Self::Among(slot, _, args) => {
                visit(*slot);
                args.iter().for_each(|code| code.for_each_slot(visit));
            }
            Self::MultiwayJoin(inputs) => inputs.iter().flat_map(|input| &input.row).copied().for_each(visit),
            Self::Once { slot, .. } => visit(*slot),
            Self::Keys { .. } | Self::Anew { .. } => {}
        }
    }
}

/// Whether no two matches of a rule give the same fact: nothing is left out of its atoms, and all that they bind is a term of
/// the head, from which the rest is computed.
pub(super) fn gives_each_once(rule: &Rule) -> bool {
    let is_term = |var: &VarId| {
        rule.terms.iter().any(|term| matches!(term, Term::Expr(expr) if expr.kind == ExprKind::Var(*var)))
    };
    rule.limit.is_none()
        && !rule.is_aggregate()
        && rule.body.iter().all(|literal| match literal {
            Literal::Atom(atom) => atom.args.iter().all(|arg| match arg {
                Arg::Any => false,
                Arg::Var(var) => is_term(var),
                Arg::Const(_) | Arg::Param(_) => true,
            }),
            Literal::Each { .. } => false,
            Literal::Not(_) | Literal::Test { .. } | Literal::Bind { .. } => true,
        })
}

/// The slots of expressions.
pub(super) fn slots_of(head: &[CompiledExpr]) -> Vec<Slot> {
    let mut slots = Vec::new();
    head.iter().for_each(|code| code.for_each_slot(&mut |slot| slots.push(slot)));
    slots
}

/// The words that a filter has let pass, since it began anew.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    /// By word when it passed last.
    last: Vec<u32>,
    /// How often it began anew.
    now: u32,
    looked_at: u32,
    left_out: u32,
}

/// Words from here on always pass.
const MOST_WORDS: u64 = 1 << 22;
/// After how many words it is decided whether it is worth while.
const TRIED: u32 = 1 << 12;
/// Which part of the words has to be left out for that.
const WORTH_WHILE: u32 = 8;

impl Passed {
    /// Another plan begins.
    pub(crate) fn restart(&mut self) {
        (self.looked_at, self.left_out) = (0, 0);
        self.anew();
    }

    /// Forgets what passed.
    #[inline]
    pub(crate) fn anew(&mut self) {
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.last.clear();
            self.now = 1;
        }
    }

    /// Whether a word passes, which it does the first time.
    #[inline]
    pub(crate) fn passes(&mut self, word: u64) -> bool {
        if word >= MOST_WORDS || (self.looked_at > TRIED && self.left_out < self.looked_at / WORTH_WHILE) {
            return true;
        }
        self.looked_at = self.looked_at.saturating_add(1);
        let at = word as usize;
        if self.last.len() <= at {
            self.last.resize((at + 1).next_power_of_two(), 0);
        }
        let is_first = self.last.get_mut(at).is_none_or(|last| std::mem::replace(last, self.now) != self.now);
        self.left_out = self.left_out.saturating_add(u32::from(!is_first));
        is_first
    }
}
