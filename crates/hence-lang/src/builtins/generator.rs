//! Generators: the right sides of `X in …`, each a finite set of values.

use std::collections::HashSet;
use std::sync::LazyLock;

use hence_core::list;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Word};

use super::op::Signature;
use super::pattern::Pattern;
use super::reference::{self, WordKind};
use super::text;

/// A generator at fixed types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Generator {
    /// `range(a, b)`: the ints from `a` to below `b`.
    Range,
    /// `words(s)`: what is between white space.
    Words,
    /// `split(s, separator)`: what is between the separators; the whole text for an empty one.
    Split,
    /// `lines(s)`: without their line ends.
    Lines,
    /// `chars(s)`: Unicode scalar values.
    Chars,
    /// `captures(s, pattern, group)`: the text of a group at each match.
    Captures(Pattern, usize),
    /// `[a, b]`: the arguments, of this type.
    List(Type),
    /// The elements, of this type, of the list that is its argument.
    Elements(Type),
}

/// Elements in the order of their first place.
pub type Elements = Box<dyn Iterator<Item = Word>>;

impl Generator {
    /// The type of the elements.
    pub fn element(&self) -> Type {
        match self {
            Self::Range => Type::Int,
            Self::List(element) | Self::Elements(element) => *element,
            _ => Type::String,
        }
    }

    /// The elements for these arguments, each once, lazily, in order of their first place. Never undefined.
    pub fn elements(&self, args: &[Word]) -> Elements {
        match (self, args) {
            (Self::Range, [from, to]) => Box::new((from.as_int()..to.as_int()).map(Word::from_int)),
            (Self::Words, [text]) => distinct(text::words(text::of(*text))),
            (Self::Split, [text, separator]) => split(text::of(*text), text::of(*separator)),
            (Self::Lines, [text]) => distinct(text::of(*text).lines()),
            (Self::Chars, [text]) => distinct(text::of(*text).split("").filter(|part| !part.is_empty())),
            (Self::Captures(pattern, group), [text]) => distinct(pattern.captures(text::of(*text), *group)),
            (Self::List(_), elements) => {
                let mut seen = HashSet::new();
                let distinct: Vec<Word> =
                    elements.iter().copied().filter(|element| seen.insert(*element)).collect();
                Box::new(distinct.into_iter())
            }
            (Self::Elements(_), [of]) => {
                Box::new(list::elements(of.as_symbol()).iter().map(|element| element.word()))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    /// Whether `element` is among the elements for these arguments; takes no time for a range.
    pub fn contains(&self, args: &[Word], element: Word) -> bool {
        match (self, args) {
            (Self::Range, [from, to]) => (from.as_int()..to.as_int()).contains(&element.as_int()),
            _ => self.elements(args).any(|candidate| candidate == element),
        }
    }
}

fn split(text: &'static str, separator: &'static str) -> Elements {
    if separator.is_empty() { distinct(std::iter::once(text)) } else { distinct(text.split(separator)) }
}

fn distinct(parts: impl Iterator<Item = &'static str> + 'static) -> Elements {
    let mut seen = HashSet::new();
    Box::new(parts.filter(move |part| seen.insert(*part)).map(|part| Word::from_symbol(Symbol::new(part))))
}

/// The generator that `name` means at these argument types; `captures` takes a pattern and a group beside its
/// text, so the checker makes it itself.
pub fn resolve(name: &str, args: &[Type]) -> Option<Generator> {
    match (name, args) {
        ("range", [Type::Int, Type::Int]) => Some(Generator::Range),
        ("words", [Type::String]) => Some(Generator::Words),
        ("split", [Type::String, Type::String]) => Some(Generator::Split),
        ("lines", [Type::String]) => Some(Generator::Lines),
        ("chars", [Type::String]) => Some(Generator::Chars),
        _ => None,
    }
}

/// Every signature of a generator, `captures` included, for messages; the result is the type of the elements.
pub fn signatures(name: &str) -> Vec<Signature> {
    let (args, element): (&[Type], _) = match name {
        "range" => (&[Type::Int, Type::Int], Type::Int),
        "words" | "lines" | "chars" => (&[Type::String], Type::String),
        "split" => (&[Type::String, Type::String], Type::String),
        "captures" => (&[Type::String, Type::String, Type::Int], Type::String),
        _ => return Vec::new(),
    };
    vec![Signature::new(args, element)]
}

/// The names of all generators, in order.
pub fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| reference::names(WordKind::Generator));
    &NAMES
}
