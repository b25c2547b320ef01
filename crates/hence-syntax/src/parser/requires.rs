//! Guards of decisions: `requires REL(column: term, …) and REL(…) and A <= B`.

use hence_core::schema::Kind;
use hence_core::span::Span;

use super::super::codes;
use super::super::token::TokenKind;
use super::super::tree::{Args, BinaryOp, Expr, ExprKind, Ident, Required, RequiredAtom, Requires};
use super::Parser;
use super::expr::level;

impl Parser<'_> {
    /// `requires`, a fact, and further facts and comparisons after `and`.
    pub(super) fn requires(&mut self, kind: Kind) -> Option<Requires> {
        let start = self.bump().span;
        if kind != Kind::Decision {
            let message = "`requires` applies only to decisions";
            let label = format!("declared as `{}`", kind.keyword());
            self.report(codes::BAD_DECLARATION, message, start, &label, "declare it as `decision`");
        }
        let relation = self.name("relation")?;
        let mut parts = vec![Required::Atom(self.required_atom(relation, start))];
        while self.eat_word("and") {
            parts.push(self.required()?);
        }
        Some(Requires { parts, span: self.since(start) })
    }

    /// A fact or a comparison.
    fn required(&mut self) -> Option<Required> {
        let start = self.current.span;
        if !matches!(self.current.kind, TokenKind::Word(_)) {
            let comparison = self.binary(level::COMPARE);
            return Some(self.comparison(comparison));
        }
        let name = self.name("relation")?;
        if self.operator().is_some_and(|(_, at)| at >= level::COMPARE) {
            let left = Expr { kind: ExprKind::Ident(name.name), span: name.span };
            let comparison = self.operators(left, start, level::COMPARE);
            return Some(self.comparison(comparison));
        }
        Some(Required::Atom(self.required_atom(name, start)))
    }

    fn required_atom(&mut self, relation: Ident, start: Span) -> RequiredAtom {
        let columns =
            if self.at(TokenKind::LeftParen) { self.required_columns(relation) } else { Vec::new() };
        RequiredAtom { relation, columns, span: self.since(start) }
    }

    /// A comparison of two terms.
    fn comparison(&mut self, expr: Expr) -> Required {
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let sound = match &expr.kind {
            ExprKind::Error => true,
            ExprKind::Binary(Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual, left, right) => {
                is_term(left) && is_term(right)
            }
            _ => false,
        };
        if !sound {
            let label = "expected `REL(column: term, …)`, or two terms that compare";
            let help = "a term is a column of the decision, a literal, or a name that starts with an upper-case \
                        letter for a column of a required fact";
            let message = "neither a fact nor a comparison that `requires` takes";
            self.report(codes::BAD_DECLARATION, message, expr.span, label, help);
        }
        Required::Comparison(expr)
    }

    /// `(column: term, …)`.
    fn required_columns(&mut self, relation: Ident) -> Vec<(Ident, Expr)> {
        let args = self.args();
        let columns = match args {
            Args::Named(columns) => columns,
            Args::Positional(terms) if terms.is_empty() => Vec::new(),
            Args::Positional(_) => {
                let help = format!("write: `requires {}(column: column_or_literal, …)`", relation.name);
                let message = "`requires` takes named columns";
                self.report(codes::NAMED_ARGUMENTS, message, relation.span, "positional terms", &help);
                Vec::new()
            }
        };
        for (_, term) in columns.iter().filter(|(_, term)| !is_term(term)) {
            let label = "expected a column of the decision, a literal, or an upper-case name";
            let help = "leave out a column that may have any value";
            self.report(codes::BAD_DECLARATION, "not a term that `requires` takes", term.span, label, help);
        }
        columns
    }
}

fn is_term(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(_) | ExprKind::Ident(_) | ExprKind::Variable(_) | ExprKind::Error)
}
