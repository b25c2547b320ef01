//! The tokens of a rule file.

use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

/// A token and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its text.
    pub span: Span,
    /// Its position on its line.
    pub position: Position,
    /// Whether a character before it was reported and passed over.
    pub after_fault: bool,
}

/// The position of a token on its line; recovery takes a clause to begin at the margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Position {
    /// After another token.
    Inside,
    /// First of its line, indented.
    Indented,
    /// At the very beginning of its line.
    Margin,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A lower-case word: a relation, function, column, parameter or keyword.
    Word(Symbol),
    /// A variable with a name.
    Variable(Symbol),
    /// `_`
    Wildcard,
    /// A literal of any type but bool (`true` and `false` are words), its sign included.
    Literal(Value),
    /// `(`
    LeftParen,
    /// `)`
    RightParen,
    /// `{`
    LeftBrace,
    /// `}`
    RightBrace,
    /// `[` of a list
    LeftBracket,
    /// `]` of a list
    RightBracket,
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `|`
    Bar,
    /// `~`
    Tilde,
    /// `@` before an annotation
    At,
    /// `:-`
    Turnstile,
    /// `.` followed by white space, a comment or the end of the file
    End,
    /// `..` before a closing parenthesis
    Rest,
    /// any other `.`
    Dot,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `%`
    Percent,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `!`
    Bang,
    /// `;`, which only other languages use
    Semicolon,
    /// `&&`, which only other languages use
    DoubleAnd,
    /// `||`, which only other languages use
    DoubleBar,
    /// `|>` of Mangle
    Pipe,
    /// `fn:plus` of Mangle, with its prefix
    MangleFunction(Symbol),
    /// Text that was reported and may be anything.
    Broken,
    /// The end of the file.
    Eof,
}

/// Words that are never names.
pub const RESERVED: [&str; 7] = ["true", "false", "not", "and", "or", "in", "if"];

/// The words of the types.
pub(crate) const TYPES: [&str; 7] = ["bool", "int", "float", "string", "name", "time", "duration"];

impl TokenKind {
    /// Whether this is a word of the grammar that an expression may follow.
    pub(crate) fn may_open_expression(self) -> bool {
        matches!(self, Self::Word(word) if ["no", "expect", "by", "limit"].contains(&word.as_str()))
    }

    /// How an operator of ours is written that others write in another way.
    pub(crate) fn written(self) -> Option<&'static str> {
        Some(match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::LessEqual => "<=",
            Self::GreaterEqual => ">=",
            Self::Bang => "!",
            Self::Turnstile => ":-",
            _ => return None,
        })
    }

    /// Whether a value may end with this token, so that `-` after it subtracts.
    pub(crate) fn ends_value(self) -> bool {
        match self {
            Self::Word(word) => !["not", "and", "or", "in"].contains(&word.as_str()),
            Self::Variable(_) | Self::Wildcard | Self::Literal(_) | Self::RightParen => true,
            Self::RightBracket | Self::Broken => true,
            _ => false,
        }
    }
}
