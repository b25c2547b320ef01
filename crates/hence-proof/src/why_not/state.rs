//! A hypothetical derivation: rules whose bodies are being satisfied, and the changes that it takes so far.

use std::collections::BTreeSet;

use hence_core::value::{Value, Word};
use hence_lang::builtins::expr::{Expr, VarId};
use hence_lang::ir::{Arg, Atom, Rule, RuleId};

use super::super::store::FactRef;
use super::Asked;
use super::change::Change;

/// A state in the queue; only cost and number order it.
pub(super) struct Queued(pub(super) Hypothesis);

/// A hypothetical derivation, and the changes that it takes so far.
#[derive(Clone)]
pub(super) struct Hypothesis {
    pub(super) frames: Vec<RuleAttempt>,
    pub(super) changes: Vec<Change>,
    pub(super) params: Vec<Word>,
    /// Facts that the changes are meant to remove.
    pub(super) removed: BTreeSet<FactRef>,
    /// How many rules it goes through.
    pub(super) rules: usize,
}

/// A rule whose body is being satisfied.
#[derive(Clone)]
pub(super) struct RuleAttempt {
    pub(super) rule: RuleId,
    pub(super) vars: Vec<Option<Word>>,
    /// For a variable that a made-up fact brought in: the change and the column that hold its value, and whether
    /// another fact has settled it.
    pub(super) made_up: Vec<Option<MadeUp>>,
    pub(super) left: Vec<usize>,
    pub(super) target: Asked,
    /// The atom of the frame below that waits for the head.
    pub(super) waiting: usize,
}

/// Where the value of a made-up variable is kept.
#[derive(Clone, Copy)]
pub(super) struct MadeUp {
    pub(super) change: usize,
    pub(super) column: usize,
    pub(super) settled: bool,
}

impl Hypothesis {
    /// Gives a made-up variable another value, in the fact that was made up too.
    pub(super) fn adjust(&mut self, var: VarId, word: Word, side: &Expr) -> bool {
        let Some(frame) = self.frames.last_mut() else { return false };
        let at = var.0 as usize;
        let Some(place) = frame.made_up.get(at).copied().flatten().filter(|place| !place.settled) else {
            return false;
        };
        let Some(Change::Assert(fact, _)) = self.changes.get_mut(place.change) else { return false };
        let (Some(value), Some(slot)) = (fact.values.get_mut(place.column), frame.vars.get_mut(at)) else {
            return false;
        };
        *value = Value::from_word(side.ty, word);
        *slot = Some(word);
        true
    }

    /// Writes the values that made-up variables have got into their facts.
    pub(super) fn write_back(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        for (place, word) in frame.made_up.iter().zip(&frame.vars) {
            let (Some(place), Some(word)) = (place, word) else { continue };
            let Some(Change::Assert(fact, _)) = self.changes.get_mut(place.change) else { continue };
            if let Some(value) = fact.values.get_mut(place.column) {
                *value = Value::from_word(value.ty(), *word);
            }
        }
    }

    /// Gives the first open variable the value that its fact holds; false where none is open.
    pub(super) fn close(&mut self) -> bool {
        let Some(frame) = self.frames.last_mut() else { return false };
        let mut open = frame
            .made_up
            .iter()
            .zip(&mut frame.vars)
            .filter(|(place, word)| place.is_some() && word.is_none());
        let Some((Some(place), slot)) = open.next() else { return false };
        let Some(Change::Assert(fact, _)) = self.changes.get(place.change) else { return false };
        *slot = fact.values.get(place.column).map(|value| value.word());
        slot.is_some()
    }

    /// Sets a parameter that no change has set yet.
    pub(super) fn set(&mut self, param: &hence_core::schema::Param, at: usize, value: Value) -> bool {
        let known =
            self.changes.iter().any(|change| matches!(change, Change::Set(name, ..) if *name == param.name));
        if known || !param.ty.admits(value) {
            return false;
        }
        if let Some(slot) = self.params.get_mut(at) {
            *slot = value.word();
        }
        self.changes.push(Change::Set(param.name, param.value, value));
        true
    }
}

impl RuleAttempt {
    pub(super) fn words(&self) -> Vec<Word> {
        self.vars.iter().map(|word| word.unwrap_or_default()).collect()
    }

    pub(super) fn word(&self, var: VarId) -> Option<Word> {
        self.vars.get(var.0 as usize).copied().flatten()
    }

    pub(super) fn ready(&self, rule: &Rule, literal: usize) -> bool {
        rule.body.get(literal).is_some_and(|literal| literal.is_ready(|var| self.word(var).is_some()))
    }

    pub(super) fn key(&self, atom: &Atom, params: &[Word]) -> Asked {
        let word = |arg: &Arg| match arg {
            Arg::Any => None,
            Arg::Var(var) => self.word(*var),
            Arg::Const(value) => Some(value.word()),
            Arg::Param(param) => params.get(param.0 as usize).copied(),
        };
        atom.args.iter().map(word).collect()
    }

    pub(super) fn set(&mut self, var: VarId, word: Word) -> bool {
        let Some(slot) = self.vars.get_mut(var.0 as usize) else { return false };
        slot.replace(word).is_none_or(|other| other == word)
    }

    /// Binds the variables of an atom to a row.
    pub(super) fn take(&mut self, atom: &Atom, row: &Asked) -> bool {
        for (arg, word) in atom.args.iter().zip(row) {
            let (Arg::Var(var), Some(word)) = (arg, word) else { continue };
            if !self.set(*var, *word) {
                return false;
            }
            if let Some(Some(place)) = self.made_up.get_mut(var.0 as usize) {
                place.settled = true;
            }
        }
        true
    }

    /// Leaves the variables of a made-up fact open, to be settled by others.
    pub(super) fn open(&mut self, atom: &Atom, change: usize) {
        for (column, arg) in atom.args.iter().enumerate() {
            let Arg::Var(var) = arg else { continue };
            let unbound = self.word(*var).is_none();
            if let (true, Some(slot)) = (unbound, self.made_up.get_mut(var.0 as usize)) {
                slot.get_or_insert(MadeUp { change, column, settled: false });
            }
        }
    }
}

impl PartialEq for Queued {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Queued {}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Queued {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}
