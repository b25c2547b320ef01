//! Words: quotes removed, what is known of variables put in, braces, tildes and blanks expanded as a shell does.

use super::glob;

/// How many words one word becomes at most.
const MOST: usize = 64;

/// How many parts the words have that one becomes.
const MOST_PIECES: usize = 64 << 10;

/// How a character came into a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    /// As it is written.
    Text,
    /// In quotes, or after a backslash.
    Quotes,
    /// Out of a variable, outside of quotes: blanks in it separate words.
    Variable,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A character.
    Char(char, From),
    /// Something whose value isn't known, as it is written.
    Unknown(String),
}

/// A word as a program gets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// Its text; what isn't known in it stands there as it is written.
    pub(super) text: String,
    /// What isn't known, as it is written; the word is known where there is none.
    pub(super) unknown: Option<String>,
    /// Whether it stands for files, too.
    pub(super) is_pattern: bool,
}

impl Word {
    /// A word that is known.
    pub(super) fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), unknown: None, is_pattern: false }
    }

    /// A part of this one.
    pub(super) fn part(&self, text: &str) -> Self {
        let unknown = self.unknown.clone().filter(|unknown| text.contains(unknown.as_str()));
        Self { text: text.to_owned(), unknown, is_pattern: self.is_pattern && glob::is_pattern(text) }
    }

    /// The text, where it is known.
    pub(super) fn as_known(&self) -> Option<&str> {
        self.unknown.is_none().then_some(self.text.as_str())
    }
}

/// The words that the pieces of one become, without files for patterns; `home` and `cwd` are for tildes.
pub(super) fn words(pieces: Vec<Piece>, home: Option<&str>, cwd: Option<&str>) -> Vec<Word> {
    let mut all = vec![pieces];
    braces(&mut all);
    all.into_iter().flat_map(|pieces| split(tilde(pieces, home, cwd))).collect()
}

/// The one word that the pieces of a value become.
pub(super) fn value(pieces: Vec<Piece>, home: Option<&str>, cwd: Option<&str>) -> Word {
    join(&tilde(pieces, home, cwd))
}

/// The patterns that one with braces stands for.
pub(crate) fn alternatives_of(pattern: &str) -> Vec<String> {
    let pieces = pattern.chars().map(|c| Piece::Char(c, From::Text)).collect();
    words(pieces, None, None).into_iter().map(|word| word.text).collect()
}

/// Puts in the alternatives of braces until there are none, or too many.
fn braces(all: &mut Vec<Vec<Piece>>) {
    let mut at = 0;
    while let Some(pieces) = all.get(at) {
        match alternatives(pieces) {
            Some(found) if all.len() + found.len() <= MOST && all.len() * pieces.len() <= MOST_PIECES => {
                all.splice(at..=at, found);
            }
            Some(_) => {
                let unknown = Piece::Unknown(join(pieces).text);
                all.splice(at..=at, [vec![unknown]]);
                at += 1;
            }
            None => at += 1,
        }
    }
}

/// What a word with braces stands for: each alternative of the first pair that has any.
fn alternatives(pieces: &[Piece]) -> Option<Vec<Vec<Piece>>> {
    let is = |piece: &Piece, wanted: char| *piece == Piece::Char(wanted, From::Text);
    for (open, _) in pieces.iter().enumerate().filter(|(_, piece)| is(piece, '{')) {
        let (mut depth, mut commas) = (0, Vec::new());
        for (at, piece) in pieces.iter().enumerate().skip(open + 1) {
            match piece {
                piece if is(piece, '{') => depth += 1,
                piece if is(piece, '}') && depth > 0 => depth -= 1,
                piece if is(piece, ',') && depth == 0 => commas.push(at),
                piece if is(piece, '}') => {
                    let inside = pieces.get(open + 1..at)?;
                    let parts = match range(inside) {
                        Some(parts) => parts,
                        None if commas.is_empty() => break,
                        None => parts(pieces, open, &commas, at),
                    };
                    let (before, after) = (pieces.get(..open)?, pieces.get(at + 1..)?);
                    return Some(parts.iter().map(|part| [before, part, after].concat()).collect());
                }
                _ => {}
            }
        }
    }
    None
}

fn parts(pieces: &[Piece], open: usize, commas: &[usize], close: usize) -> Vec<Vec<Piece>> {
    let ends = commas.iter().copied().chain([close]);
    let begins = [open].into_iter().chain(commas.iter().copied());
    begins.zip(ends).map(|(from, to)| pieces.get(from + 1..to).unwrap_or_default().to_vec()).collect()
}

/// `a..e`, `01..10` and `1..9..2`. Where there are too many, one more than that many.
fn range(inside: &[Piece]) -> Option<Vec<Vec<Piece>>> {
    let text = join(inside);
    let (from, rest) = text.as_known()?.split_once("..")?;
    let (to, step) = rest.split_once("..").unwrap_or((rest, "1"));
    let step = usize::try_from(step.parse::<i64>().ok()?.unsigned_abs().max(1)).ok()?;
    let found: Vec<String> = match (from.parse::<i64>(), to.parse::<i64>()) {
        (Ok(first), Ok(last)) => {
            let is_padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
            let wide = if is_padded(from) || is_padded(to) { from.len().max(to.len()) } else { 0 };
            let put = |n: i64| format!("{n:0wide$}");
            match first <= last {
                true => (first..=last).step_by(step).take(MOST + 1).map(put).collect(),
                false => (last..=first).rev().step_by(step).take(MOST + 1).map(put).collect(),
            }
        }
        _ => {
            let one = |text: &str| text.chars().next().filter(|c| text.len() == 1 && c.is_ascii_alphabetic());
            let (first, last) = (one(from)?, one(to)?);
            match first <= last {
                true => (first..=last).step_by(step).map(String::from).collect(),
                false => (last..=first).rev().step_by(step).map(String::from).collect(),
            }
        }
    };
    Some(found.into_iter().map(|text| text.chars().map(|c| Piece::Char(c, From::Text)).collect()).collect())
}

/// A leading tilde becomes the folder that it means.
fn tilde(mut pieces: Vec<Piece>, home: Option<&str>, cwd: Option<&str>) -> Vec<Piece> {
    if pieces.first() != Some(&Piece::Char('~', From::Text)) {
        return pieces;
    }
    let is_end = |piece: &Piece| matches!(piece, Piece::Char('/', _));
    let end = pieces.iter().position(is_end).unwrap_or(pieces.len());
    let name = join(pieces.get(1..end).unwrap_or_default());
    let folder = match name.as_known() {
        Some("") => home.map(str::to_owned),
        Some("+") => cwd.map(str::to_owned),
        Some("root") => Some(String::from("/root")),
        Some(user) if user.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c)) => {
            Some(format!("/home/{user}"))
        }
        _ => None,
    };
    let put = match folder {
        Some(folder) => folder.chars().map(|c| Piece::Char(c, From::Quotes)).collect(),
        None => vec![Piece::Unknown(format!("~{}", name.text))],
    };
    pieces.splice(..end, put);
    pieces
}

/// Separates at blanks that came out of variables.
fn split(pieces: Vec<Piece>) -> Vec<Word> {
    let blank = |piece: &Piece| matches!(piece, Piece::Char(c, From::Variable) if c.is_ascii_whitespace());
    if !pieces.iter().any(blank) {
        return vec![join(&pieces)];
    }
    pieces.split(blank).filter(|part| !part.is_empty()).map(join).collect()
}

fn join(pieces: &[Piece]) -> Word {
    let mut word = Word::default();
    for piece in pieces {
        match piece {
            Piece::Char(c, from) => {
                word.text.push(*c);
                word.is_pattern |= *from != From::Quotes && matches!(c, '*' | '?' | '[');
            }
            Piece::Unknown(text) => {
                word.text.push_str(text);
                word.unknown.get_or_insert_with(|| text.clone());
            }
        }
    }
    word
}
