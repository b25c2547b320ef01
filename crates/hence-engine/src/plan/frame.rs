//! The words that a plan works on: variables, then constants and parameters.

use hence_core::index_vec::{IndexVec, id};
use hence_core::value::Word;
use hence_lang::builtins::expr::{ParamId, VarId};

id! {
    /// A place in the frame of a plan: that of a variable, or of a constant or parameter behind them.
    pub(crate) struct Slot(pub(crate) u32): "the slots of a plan lie in its frame";
}

impl From<VarId> for Slot {
    fn from(var: VarId) -> Self {
        Self(var.0)
    }
}

/// The words that a plan works on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// The variables, then constants.
    pub(crate) words: IndexVec<Slot, Word>,
    variables: usize,
    params: IndexVec<ParamId, Word>,
}

impl Frame {
    /// A frame for `variables`.
    pub(crate) fn new(variables: usize, params: &[Word]) -> Self {
        Self {
            words: IndexVec::filled(Word::default(), variables),
            variables,
            params: params.to_vec().into(),
        }
    }

    /// The slot of a constant.
    pub(crate) fn constant(&mut self, word: Word) -> Slot {
        let known = self.words.numbered().skip(self.variables).find(|(_, known)| **known == word);
        match known {
            Some((slot, _)) => slot,
            None => self.words.push(word),
        }
    }

    /// The slot of a parameter.
    pub(crate) fn param(&mut self, param: ParamId) -> Slot {
        self.constant(self.params[param])
    }
}
