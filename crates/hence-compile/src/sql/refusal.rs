//! Constructs that a script can't say with the same meaning.

use hence_core::span::Span;

/// A construct, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedConstruct {
    /// Where it is.
    pub span: Span,
    /// What it is.
    pub construct: String,
    /// What to do instead.
    pub way_out: &'static str,
}

/// What is written, or why it isn't.
pub(super) type Written<T = String> = Result<T, UnsupportedConstruct>;

impl UnsupportedConstruct {
    pub(super) fn new(span: Span, construct: impl Into<String>, way_out: &'static str) -> Self {
        Self { span, construct: construct.into(), way_out }
    }

    /// An operation.
    pub(super) fn operation(span: Span, name: &str) -> Self {
        Self::new(
            span,
            format!("`{name}`"),
            "let an input have a column with its value, or evaluate these rules with hence",
        )
    }
}
