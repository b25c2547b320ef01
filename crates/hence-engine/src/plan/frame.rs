//! The words that a plan works on: variables, then constants and parameters.

use hence_core::index_vec::{Id, IndexVec, id};
use hence_core::value::Word;
use hence_lang::builtins::expr::{ParamId, VarId};

id! {
    /// A place in the frame of a plan: that of a variable, or of a constant or parameter after them.
    pub(crate) struct Slot(pub(crate) u32): "a frame has every slot of its plan";
}

impl From<VarId> for Slot {
    fn from(var: VarId) -> Self {
        Self(var.0)
    }
}

/// The words that a plan works on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// The variables, then what the plan begins with beside them, then constants.
    pub(crate) words: IndexVec<Slot, Word>,
    /// How many of them are no constants.
    varying: usize,
    params: IndexVec<ParamId, Word>,
    /// The first parameter that is no constant.
    moving: usize,
}

impl Frame {
    /// A frame for `varying` words before the constants; parameters from number `moving` on are none.
    pub(crate) fn new(varying: usize, params: &[Word], moving: usize) -> Self {
        let words = IndexVec::filled(Word::default(), varying);
        Self { words, varying, params: params.to_vec().into(), moving }
    }

    /// Whether a parameter is no constant of the plan.
    pub(crate) fn moves(&self, param: ParamId) -> bool {
        param.at() >= self.moving
    }

    /// The slot of a constant.
    pub(crate) fn constant(&mut self, word: Word) -> Slot {
        let known = self.words.numbered().skip(self.varying).find(|(_, found)| **found == word);
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
