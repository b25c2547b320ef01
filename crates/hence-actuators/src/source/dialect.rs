//! Languages of source code, told by name, first line, and the grammar that fits.

use std::borrow::Cow;

use tree_sitter::{Language, Tree};

use super::shown::Shown;
use super::{go, python, rust, script, shell};
use crate::tree::{Left, Looking};

/// A language, or a form of one with a grammar of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Go,
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Rust,
    Shell,
}

/// What is asked when no name says the language. Shell is not among them: nearly any text is one of commands.
const GUESSED: [Dialect; 5] =
    [Dialect::Go, Dialect::Python, Dialect::Rust, Dialect::TypeScript, Dialect::Tsx];

/// Of a text that is broken in each language, the best one is meant if this share of it, or less, is broken there.
const BROKEN_SHARE: usize = 4;

/// How grammars call what runs over and over.
const LOOPS: [&str; 9] = [
    "c_style_for_statement",
    "do_statement",
    "for_expression",
    "for_in_statement",
    "for_statement",
    "loop_expression",
    "until_statement",
    "while_expression",
    "while_statement",
];

const UNKNOWN: &str =
    "source of a language that can't be told; say it by `language`, an ending or a first line `#!…`";

impl Dialect {
    /// What a field that names a language is expected to be.
    pub(super) const NAMES: &'static str =
        "\"go\", \"python\", \"javascript\", \"typescript\", \"tsx\", \"rust\" or \"shell\"";

    pub(super) fn of_word(word: &str) -> Option<Self> {
        let all =
            [Self::Go, Self::Python, Self::JavaScript, Self::TypeScript, Self::Tsx, Self::Rust, Self::Shell];
        all.into_iter().find(|dialect| dialect.word().eq_ignore_ascii_case(word))
    }

    /// By the ending of a file's name.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending {
            "go" => Self::Go,
            "py" | "pyi" => Self::Python,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "rs" => Self::Rust,
            "sh" | "bash" | "zsh" | "ksh" | "dash" => Self::Shell,
            _ => return None,
        })
    }

    /// By the first line, where it names an interpreter.
    fn of_first_line(source: &[u8]) -> Option<Self> {
        let line = source.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
        let line = String::from_utf8_lossy(line.get(..200).unwrap_or(line)).into_owned();
        let mut words = line.split_whitespace().flat_map(|word| word.rsplit('/').next());
        let program = words.find(|word| *word != "env" && !word.starts_with('-'))?;
        Some(match program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.') {
            "python" | "pypy" | "uv" => Self::Python,
            "node" | "nodejs" => Self::JavaScript,
            "deno" | "bun" | "ts-node" | "tsx" => Self::TypeScript,
            "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" => Self::Shell,
            "rust-script" => Self::Rust,
            _ => return None,
        })
    }

    fn word(self) -> &'static str {
        match self {
            Self::Go => "Go",
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
            Self::TypeScript => "TypeScript",
            Self::Tsx => "TSX",
            Self::Rust => "Rust",
            Self::Shell => "shell",
        }
    }

    /// Takes in what a file shows.
    pub(super) fn look(
        self,
        shown: &mut Shown,
        looking: &mut Looking,
        tree: &Tree,
        source: &[u8],
    ) -> Result<(), Left> {
        looking.visit(tree, &mut |node, _| shown.has_loop |= LOOPS.contains(&node.kind()))?;
        match self {
            Self::Go => go::look(shown, looking, tree, source),
            Self::Python => python::look(shown, looking, tree, source),
            Self::JavaScript | Self::TypeScript | Self::Tsx => script::look(shown, looking, tree, source),
            Self::Rust => rust::look(shown, looking, tree, source),
            Self::Shell => shell::look(shown, looking, tree, source),
        }
    }

    /// Whether both are forms of one language for what is read of them.
    fn is_like(self, other: Self) -> bool {
        let script = |dialect| matches!(dialect, Self::JavaScript | Self::TypeScript | Self::Tsx);
        self == other || script(self) && script(other)
    }

    fn grammar(self) -> Language {
        match self {
            Self::Go => tree_sitter_go::LANGUAGE,
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::JavaScript => tree_sitter_javascript::LANGUAGE,
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
            Self::Rust => tree_sitter_rust::LANGUAGE,
            Self::Shell => tree_sitter_bash::LANGUAGE,
        }
        .into()
    }
}

/// The text as its grammar reads it right: that of shell takes a line that begins with `\` and a letter (which keeps an
/// alias away) for more of the line before.
pub(super) fn readable(named: Option<Dialect>, source: &[u8]) -> Cow<'_, [u8]> {
    let is_shell = named.or_else(|| Dialect::of_first_line(source)) == Some(Dialect::Shell);
    let hides = |at: &[u8]| matches!(at, [b'\n', b'\\', letter] if letter.is_ascii_alphabetic());
    if !is_shell || !source.windows(3).any(hides) {
        return Cow::from(source);
    }
    let mut text = source.to_vec();
    let found: Vec<usize> =
        (1..).zip(source.windows(3)).filter(|(_, at)| hides(at)).map(|(at, _)| at).collect();
    for at in found {
        text.iter_mut().skip(at).take(1).for_each(|byte| *byte = b' ');
    }
    Cow::from(text)
}

/// Whether a file is one of tests, by its name.
pub(super) fn is_test(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let ends = ["_test", ".test", ".spec"].iter().any(|end| stem.ends_with(end));
    ends || stem.starts_with("test_")
}

/// The language of a text and its tree.
pub(super) fn tell(
    looking: &mut Looking,
    named: Option<Dialect>,
    source: &[u8],
) -> Result<(Dialect, Tree), Left> {
    let by_line = Dialect::of_first_line(source);
    match (named, by_line) {
        (Some(named), Some(begun)) if !named.is_like(begun) => Err(other(named, begun)),
        (Some(known), _) | (None, Some(known)) => known_as(looking, known, source),
        (None, None) => guessed(looking, source),
    }
}

fn other(named: Dialect, found: Dialect) -> Left {
    Left::File(format!("{} source, and named like {} source", found.word(), named.word()).into())
}

/// A text that says of itself what it is: refused where it doesn't parse, and does as another language.
fn known_as(looking: &mut Looking, known: Dialect, source: &[u8]) -> Result<(Dialect, Tree), Left> {
    let tree = looking.parse(&known.grammar(), source)?;
    if !tree.root_node().has_error() || known == Dialect::Shell {
        return Ok((known, tree));
    }
    for dialect in GUESSED {
        let parsed = looking.parse(&dialect.grammar(), source)?;
        if !parsed.root_node().has_error() && parsed.root_node().named_child_count() > 0 {
            // TypeScript in a file of JavaScript is read as what it is.
            return if dialect.is_like(known) { Ok((dialect, parsed)) } else { Err(other(known, dialect)) };
        }
    }
    Ok((known, tree))
}

/// The language whose grammar fits a text best, if one does so alone.
fn guessed(looking: &mut Looking, source: &[u8]) -> Result<(Dialect, Tree), Left> {
    let mut found = Vec::new();
    for dialect in GUESSED {
        let tree = looking.parse(&dialect.grammar(), source)?;
        found.push((broken(looking, &tree)?, dialect, tree));
    }
    found.sort_by_key(|(broken, ..)| *broken);
    let mut found = found.into_iter();
    let (least, dialect, tree) = found.next().ok_or(Left::File(UNKNOWN.into()))?;
    let alone = found.all(|(broken, other, _)| broken > least || other.is_like(dialect));
    let says_nothing = !tree.root_node().has_error() && tree.root_node().named_child_count() == 0;
    let fits = least == 0 || least <= source.len() / BROKEN_SHARE;
    if fits && (alone || says_nothing) { Ok((dialect, tree)) } else { Err(Left::File(UNKNOWN.into())) }
}

/// How many bytes of a text its grammar doesn't fit.
fn broken(looking: &mut Looking, tree: &Tree) -> Result<usize, Left> {
    let mut broken = 0;
    if tree.root_node().has_error() {
        looking.visit(tree, &mut |node, above| {
            if node.is_error() && !above.iter().any(tree_sitter::Node::is_error) || node.is_missing() {
                broken += node.byte_range().len().max(1);
            }
        })?;
    }
    // A part that is missing may be no named one.
    Ok(broken.max(usize::from(tree.root_node().has_error())))
}
