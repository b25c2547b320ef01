//! The languages that a scan reads.

use super::paths;

/// A language, by the endings of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Language {
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Rust,
    Go,
}

impl Language {
    /// The language of a file.
    pub(super) fn of(path: &str) -> Option<Self> {
        let (_, ending) = paths::name(path).rsplit_once('.')?;
        Some(match ending {
            "py" | "pyi" => Self::Python,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "rs" => Self::Rust,
            "go" => Self::Go,
            _ => return None,
        })
    }

    /// Its name in facts.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Python => "/python",
            Self::JavaScript => "/javascript",
            Self::TypeScript | Self::Tsx => "/typescript",
            Self::Rust => "/rust",
            Self::Go => "/go",
        }
    }

    /// Its grammar.
    pub(super) fn grammar(self) -> tree_sitter::Language {
        let grammar = match self {
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::JavaScript => tree_sitter_javascript::LANGUAGE,
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
            Self::Rust => tree_sitter_rust::LANGUAGE,
            Self::Go => tree_sitter_go::LANGUAGE,
        };
        grammar.into()
    }
}
