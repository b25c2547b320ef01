//! Regular expressions of rules: literals compiled once, when the rule set is loaded; values on their first use.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use regex::{Captures, Regex};

use hence_core::pattern::{PatternFault, compile, compile_value};
use hence_core::symbol::Symbol;

/// How many bytes the patterns that are values may take together before all are let go.
const ROOM: usize = 128 << 20;

/// How many groups without text a replacement may put in: they take time and don't make the text longer.
const EMPTY_GROUPS: usize = 4 << 20;

/// A compiled pattern; equal to another one of the same text.
#[derive(Clone)]
pub struct Pattern {
    source: Symbol,
    regex: Arc<Regex>,
}

impl Pattern {
    /// Compiles `source`.
    ///
    /// # Errors
    /// As [`compile`].
    pub fn new(source: Symbol) -> Result<Self, PatternFault> {
        let regex = compile(source.as_str())?;
        Ok(Self { source, regex: Arc::new(regex) })
    }

    /// The text of the pattern.
    pub fn source(&self) -> Symbol {
        self.source
    }

    /// Whether the pattern is found anywhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// How many groups the pattern has; group 0 is the whole match.
    pub fn groups(&self) -> usize {
        self.regex.captures_len()
    }

    /// The text of a group at each match that it takes part in, lazily, in order. Matches don't overlap, and an
    /// empty one doesn't touch the one before, as in the regex crate.
    pub fn captures(&self, text: &'static str, group: usize) -> impl Iterator<Item = &'static str> + use<> {
        let regex = Arc::clone(&self.regex);
        let (mut at, mut last_end) = (0, None);
        std::iter::from_fn(move || {
            while at <= text.len() {
                let found = regex.captures_at(text, at)?;
                let whole = found.get(0)?;
                let touches = whole.is_empty() && last_end == Some(whole.end());
                at = if whole.is_empty() { next_char(text, whole.end()) } else { whole.end() };
                last_end = Some(whole.end());
                if !touches {
                    return Some(found.get(group).map(|part| part.as_str()));
                }
            }
            None
        })
        .flatten()
    }

    /// The text with each match replaced, `$1` and `$name` in the replacement being groups; `None` where it would be
    /// longer than `longest` bytes, or more than [`EMPTY_GROUPS`] groups have no text.
    pub(super) fn replace_all(&self, text: &str, replacement: &str, longest: usize) -> Option<String> {
        let (mut out, mut at, mut empty) = (String::new(), 0, 0);
        for found in self.regex.captures_iter(text) {
            let whole = found.get(0)?;
            out.push_str(text.get(at..whole.start())?);
            for piece in pieces(replacement) {
                let part = match piece {
                    Piece::Text(text) => text,
                    Piece::Group(name) => group(&found, name),
                };
                out.push_str(part);
                empty += usize::from(part.is_empty());
                (out.len() <= longest && empty <= EMPTY_GROUPS).then_some(())?;
            }
            at = whole.end();
        }
        out.push_str(text.get(at..)?);
        (out.len() <= longest).then_some(out)
    }

    /// Whether the pattern has a group of this name or number.
    pub fn has_group(&self, name: &str) -> bool {
        let named = || self.regex.capture_names().flatten().any(|group| group == name);
        name.parse::<usize>().map_or_else(|_| named(), |number| number < self.groups())
    }

    /// The compiled pattern.
    pub fn regex(&self) -> &Regex {
        &self.regex
    }
}

/// The pattern that a string value is; `None` for one that is none or takes more room than a value may. Compiled on its
/// first use, and again after so many others that their room ran out.
pub(super) fn of_value(source: Symbol) -> Option<Pattern> {
    static USED: RwLock<Option<Used>> = RwLock::new(None);
    if let Some(used) = &*USED.read().unwrap_or_else(PoisonError::into_inner)
        && let Some(known) = used.patterns.get(&source)
    {
        return known.clone();
    }
    let (pattern, size) = match compile_value(source.as_str()) {
        Some((regex, size)) => (Some(Pattern { source, regex: Arc::new(regex) }), size),
        None => (None, source.as_str().len()),
    };
    let mut used = USED.write().unwrap_or_else(PoisonError::into_inner);
    let used = used.get_or_insert_default();
    if used.size + size > ROOM {
        *used = Used::default();
    }
    used.size += size;
    used.patterns.insert(source, pattern.clone());
    pattern
}

/// Patterns that are values and what they take, as far as it is known.
#[derive(Default)]
struct Used {
    patterns: HashMap<Symbol, Option<Pattern>>,
    size: usize,
}

/// A piece of a replacement.
enum Piece<'a> {
    Text(&'a str),
    Group(&'a str),
}

/// The first piece of a replacement, as the regex crate reads `$1`, `$name`, `${name}` and `$$`, and what follows.
fn first_piece(rest: &str) -> Option<(Piece<'_>, &str)> {
    let Some(after) = rest.strip_prefix('$') else {
        let (text, rest) = rest.split_at(rest.find('$').unwrap_or(rest.len()));
        return (!text.is_empty()).then_some((Piece::Text(text), rest));
    };
    if let Some((name, rest)) = after.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
        return Some((Piece::Group(name), rest));
    }
    if let Some(rest) = after.strip_prefix('$') {
        return Some((Piece::Text("$"), rest));
    }
    let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
    let (name, rest) = after.split_at(end);
    Some((if name.is_empty() { Piece::Text("$") } else { Piece::Group(name) }, rest))
}

fn pieces(replacement: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = replacement;
    std::iter::from_fn(move || {
        let (piece, after) = first_piece(rest)?;
        rest = after;
        Some(piece)
    })
}

/// The groups that a replacement names.
pub fn groups_named(replacement: &str) -> impl Iterator<Item = &str> {
    pieces(replacement).filter_map(|piece| match piece {
        Piece::Group(name) => Some(name),
        Piece::Text(_) => None,
    })
}

/// What a group of a match is; nothing for one that there is not or that took no part.
fn group<'t>(found: &Captures<'t>, name: &str) -> &'t str {
    let group = name.parse().map_or_else(|_| found.name(name), |number: usize| found.get(number));
    group.map_or("", |part| part.as_str())
}

/// Where the character after the one at `at` begins; beyond the end at the end.
fn next_char(text: &str, at: usize) -> usize {
    at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Pattern {}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({:?})", self.source)
    }
}
