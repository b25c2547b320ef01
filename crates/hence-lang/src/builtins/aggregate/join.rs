//! `join(s, separator)`: the distinct texts, in order, with a separator between them.

use hence_core::symbol::Symbol;
use hence_core::value::{Type, Word};

use super::super::op::Signature;
use super::super::reference::WordEntry;
use super::super::text;
use super::distinct::Distinct;
use super::state::{first, states};
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct Join;

impl AggregateFunction for Join {
    fn name(&self) -> &'static str {
        "join"
    }

    fn section(&self) -> &'static str {
        "Strings"
    }

    fn entry(&self) -> WordEntry {
        WordEntry {
            name: self.name(),
            form: "join(s, separator)",
            meaning: "The distinct strings in order, with the separator between them.",
            examples: &[("join(Tool, \", \")", "\"grep, pytest, ruff\"")],
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        vec![Signature::new(&[Type::String, Type::String], Type::String)]
    }

    fn may_fail(&self) -> bool {
        true
    }

    fn constant_argument(&self) -> Option<&'static str> {
        Some("the separator of `join`")
    }

    fn value(&self, _: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        let separators = matches.iter().filter_map(|args| args.get(1).map(|word| word.as_symbol()));
        join(matches.iter().map(|args| first(args)).collect(), separators.min()?)
    }

    fn states(&self, _: &[Type]) -> Box<dyn GroupStates> {
        states::<Distinct>(|tally, separator| join(tally.keys().copied().collect(), separator?))
    }
}

fn join(words: Vec<Word>, separator: Symbol) -> Option<Word> {
    let mut parts: Vec<_> = words.into_iter().map(text::of).collect();
    parts.sort_unstable();
    parts.dedup();
    text::join(parts.into_iter(), separator.as_str())
}
