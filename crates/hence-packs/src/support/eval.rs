//! Operations as generated code calls them: each with its place among the operations of its rule.

use std::sync::OnceLock;

use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;
use hence_core::value::Word;
use hence_lang::builtins::generator::Generator;
use hence_lang::builtins::op::Op;
use hence_lang::builtins::pattern::Pattern;

use super::watch;

/// An invariant of generated code.
const CONSTANTS: &str = "generated code names texts and patterns that it lists";

/// An operation, by its place in the order of its rule's text.
pub type At = u32;

/// A value, or the operation that had none.
pub type Eval = Result<Word, At>;

/// The word of an int, a time or a duration.
pub fn int(value: i64) -> Word {
    Word::from_int(value)
}

/// The word of a finite float.
pub fn float(value: f64) -> Word {
    Word::from_float(value).or_broken("a float that a rule writes down is finite")
}

/// An operation with one operand.
#[inline]
pub fn one(op: Op, at: At, a: Word) -> Eval {
    op.apply_one(a).ok_or(at)
}

/// An operation with two operands.
#[inline]
pub fn two(op: Op, at: At, a: Word, b: Word) -> Eval {
    op.apply_two(a, b).ok_or(at)
}

/// An operation with more operands.
#[inline]
pub fn more(op: Op, at: At, args: &[Word]) -> Eval {
    op.apply(args).ok_or(at)
}

/// An operation that always has a result.
#[inline]
pub fn sure(op: Op, args: &[Word]) -> Word {
    op.apply(args).or_broken("an operation that can't fail has a result")
}

/// `if` whose branches always have a result.
#[inline]
pub fn pick(condition: Word, then: Word, otherwise: Word) -> Word {
    if condition.as_bool() { then } else { otherwise }
}

/// `and`: false where either is false, without a result only where neither decides.
pub fn both(left: Eval, right: Eval) -> Eval {
    decide(left, right, false)
}

/// `or`: true where either is true, without a result only where neither decides.
pub fn either(left: Eval, right: Eval) -> Eval {
    decide(left, right, true)
}

fn decide(left: Eval, right: Eval, deciding: bool) -> Eval {
    let decides = |side: &Eval| side.is_ok_and(|word| word.as_bool() == deciding);
    if decides(&left) {
        left
    } else if decides(&right) {
        right
    } else {
        left.and(right)
    }
}

/// The texts of a rule set, interned on first use.
#[derive(Debug)]
pub struct Texts {
    texts: &'static [&'static str],
    words: OnceLock<Vec<Word>>,
}

impl Texts {
    /// These texts.
    pub const fn new(texts: &'static [&'static str]) -> Self {
        Self { texts, words: OnceLock::new() }
    }

    /// The word of the text at `at`.
    #[inline]
    pub fn word(&self, at: usize) -> Word {
        let intern = || self.texts.iter().map(|text| Word::from_symbol(Symbol::new(text))).collect();
        *self.words.get_or_init(intern).get(at).or_broken(CONSTANTS)
    }
}

/// The patterns of a rule set, compiled on first use.
#[derive(Debug)]
pub struct Patterns {
    sources: &'static [&'static str],
    patterns: OnceLock<Vec<Pattern>>,
}

impl Patterns {
    /// These patterns.
    pub const fn new(sources: &'static [&'static str]) -> Self {
        Self { sources, patterns: OnceLock::new() }
    }

    /// The pattern at `at`.
    pub fn get(&self, at: usize) -> &Pattern {
        let pattern = |source: &&str| {
            let pattern = Pattern::new(Symbol::new(source)).ok();
            pattern.or_broken("the patterns of rules were checked before the rules were compiled")
        };
        let compile = || self.sources.iter().map(pattern).collect();
        self.patterns.get_or_init(compile).get(at).or_broken(CONSTANTS)
    }
}

/// Whether the pattern at `at` is found in `text`.
pub fn matches(patterns: &Patterns, at: usize, text: Word) -> Word {
    Word::from_bool(patterns.get(at).is_match(text.as_symbol().as_str()))
}

/// The generator of the texts of a group at each match of the pattern at `at`.
pub fn captures(patterns: &Patterns, at: usize, group: usize) -> Generator {
    Generator::Captures(patterns.get(at).clone(), group)
}

/// The elements of a generator, which count towards the limits.
pub fn each(generator: Generator, args: &[Word]) -> impl Iterator<Item = Word> + use<> {
    generator.elements(args).take_while(|_| watch::go())
}
