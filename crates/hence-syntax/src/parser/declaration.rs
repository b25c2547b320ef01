//! Declarations: relations, named types, parameters, imports.

use hence_core::diagnostic::Diagnostic;
use hence_core::schema::Kind;
use hence_core::span::Span;
use hence_core::value::Value;

use super::super::codes;
use super::super::foreign::type_name;
use super::super::lexer::snake_case;
use super::super::token::{Position, RESERVED, TYPES, TokenKind};
use super::super::tree::TypeExpr;
use super::super::tree::{ColumnDecl, Doc, Expr, Ident, Import, RelationDecl, TypeDecl};
use super::Parser;
use super::recover::{FAR, heads_rule};
use crate::part;

impl Parser<'_> {
    /// A lower-case name of a `what`; one in upper case is reported and taken in lower case.
    pub(super) fn name(&mut self, what: &str) -> Option<Ident> {
        let span = self.current.span;
        match self.current.kind {
            TokenKind::Word(name) if RESERVED.contains(&name.as_str()) => {
                let message = format!("`{name}` is a keyword and can't name a {what}");
                self.report(codes::RESERVED_WORD, message, span, "reserved word", "choose another name");
                self.bump();
                Some(Ident { name, span })
            }
            TokenKind::Word(name) => {
                if what != "relation" && name.as_str().contains('.') {
                    let message = format!("`{name}` can't name a {what}");
                    let label = "refers to a relation as recorded";
                    self.report(codes::RESERVED_WORD, message, span, label, "choose another name");
                }
                self.bump();
                Some(self.dashed(Ident { name, span }, what))
            }
            TokenKind::Variable(name) => {
                let form = snake_case(name.as_str().trim_start_matches('_'));
                let message = format!("the {what} `{name}` starts with an upper-case letter");
                let label = "only variables start with an upper-case letter";
                self.mended(codes::UPPER_CASE_NAME, message, span, label, &form);
                self.bump();
                Some(Ident { name: form.as_str().into(), span })
            }
            _ => {
                self.expected(&format!("the name of a {what}"));
                None
            }
        }
    }

    /// Takes the rest of a name with dashes or points, which is reported and read with `_` in their place.
    fn dashed(&mut self, first: Ident, what: &str) -> Ident {
        let mut span = first.span;
        // A relation that hence itself keeps has a point.
        let dotted = what == "relation" && first.name.as_str() != "hence";
        let joins = |parser: &Self| parser.at(TokenKind::Minus) || parser.at(TokenKind::Dot) && dotted;
        while joins(self) && self.current.span.start == span.end && self.glued() {
            self.bump();
            span = self.since(first.span).to(self.bump().span);
        }
        if span == first.span {
            return first;
        }
        let written = self.lexer.slice(span);
        let name = written.replace(['-', '.'], "_");
        let sign = if written.contains('-') { '-' } else { '.' };
        let message = format!("a `{sign}` in the name of a {what}, `{written}`");
        self.mended(codes::BAD_WORD, message, span, "a name has letters, digits and `_`", &name);
        Ident { name: name.as_str().into(), span }
    }

    /// Whether a word or number follows the current token without a space.
    fn glued(&self) -> bool {
        let word = matches!(self.ahead.kind, TokenKind::Word(_) | TokenKind::Variable(_))
            || matches!(self.ahead.kind, TokenKind::Literal(Value::Int(_)));
        word && self.ahead.span.start == self.current.span.end
    }

    /// Whether a name with dashes is at hand, `after` directly after it.
    pub(super) fn at_dashed(&self, after: char) -> bool {
        let TokenKind::Word(_) = self.current.kind else { return false };
        let text = part(self.text, self.current.span.start as usize..);
        let name = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_-".contains(c));
        let written = part(text, ..text.len() - name.len());
        written.contains('-')
            && written.split('-').all(|word| word.starts_with(|c: char| c.is_ascii_alphanumeric()))
            && name.starts_with(after)
    }

    /// `input NAME(column: type, …).` and its kin.
    pub(super) fn relation(&mut self) -> Option<RelationDecl> {
        let start = self.current.span;
        let doc = self.doc(start.start);
        self.relation_with(start, doc, None)
    }

    /// The same after its doc comment and annotation, with which it begins.
    pub(super) fn relation_with(
        &mut self,
        start: Span,
        doc: Doc,
        partition: Option<Ident>,
    ) -> Option<RelationDecl> {
        let kind = match self.word()?.as_str() {
            "input" => Kind::Input,
            "decision" => Kind::Decision,
            _ => Kind::Derived,
        };
        self.bump();
        self.declared_as(kind, start, doc, partition)
    }

    /// Whether `name(column: type, …)` is at hand, the columns of a declaration, without a keyword before it.
    pub(super) fn at_bare_declaration(&self) -> bool {
        let keyword = ["input", "relation", "decision"].iter().any(|word| self.at_word(word));
        if keyword || self.current.position == Position::Inside {
            return false;
        }
        let text = part(self.text, self.ahead.span.start as usize..);
        let Some(text) = text.strip_prefix('(') else { return false };
        let Some((close, _)) = text.char_indices().take(FAR).find(|(_, c)| *c == ')') else { return false };
        let (columns, rest) = (part(text, ..close), part(text, close + 1..));
        let column = |column: &str| {
            let (name, ty) = column.split_once(':')?;
            let ty = ty.trim_start();
            let word = ty.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
            let known = TYPES.contains(&type_name(word)) || ty.starts_with('/') && ty.contains('|');
            let named = name.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            (named && (known || ty.trim_end() == word)).then_some(known)
        };
        let columns: Option<Vec<bool>> = columns.split(',').map(column).collect();
        let ends = rest.trim_start().is_empty() || rest.trim_start().starts_with('.');
        ends && columns.is_some_and(|known| known.contains(&true))
    }

    /// Reports a declaration without its keyword, and reads it: of a relation where the file derives it, else of an input.
    pub(super) fn bare_declaration(&mut self) -> Option<RelationDecl> {
        let start = self.current.span;
        let name = self.lexer.slice(start);
        let derives = |line: &str| {
            let head = line.trim_start().strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
            head && heads_rule(line.trim_start())
        };
        let kind = if self.text.lines().any(derives) { Kind::Derived } else { Kind::Input };
        let doc = self.doc(start.start);
        let declared = self.declared_as(kind, start, doc, None)?;
        let keyword = kind.keyword();
        let fault = Diagnostic::new(codes::BAD_DECLARATION, "a declaration without its keyword")
            .at(start, "a declaration begins with `input`, `relation` or `decision`")
            .help(format!("write: `{keyword} {}`", self.lexer.slice(declared.span)))
            .fix(Span { end: start.start, ..start }, format!("{keyword} "));
        self.fault(fault);
        Some(declared)
    }

    /// What follows the keyword of a declaration.
    fn declared_as(
        &mut self,
        kind: Kind,
        start: Span,
        doc: Doc,
        partition: Option<Ident>,
    ) -> Option<RelationDecl> {
        let Some(name) = self.name("relation") else {
            self.skip_clause();
            return None;
        };
        if name.name.as_str().contains('.') {
            let message = format!("`{}` can't be declared", name.name);
            let label = "its columns are those it was recorded with";
            self.report(codes::BAD_DECLARATION, message, name.span, label, "remove the declaration");
        }
        let columns = self.columns(kind, name);
        if columns.is_none() {
            self.unreadable.push(name.name);
        }
        let requires = if self.at_word("requires") { self.requires(kind) } else { None };
        if self.at_word("by") {
            let span = self.current.span;
            self.mended(codes::BAD_DECLARATION, "unexpected `by`", span, "the roles follow `from`", "from");
            self.current.kind = TokenKind::Word("from".into());
        }
        let authors = if self.at_word("from") { Some(self.authors(kind)) } else { None };
        let span = self.since(start);
        self.end_clause("the declaration");
        let columns = columns?;
        let decl = RelationDecl { doc, kind, name, columns, requires, authors, partition, span };
        Some(RelationDecl { span: self.since_end(decl.span), ..decl })
    }

    /// `span`, up to the full stop that was taken last, if one was.
    pub(super) fn since_end(&self, span: Span) -> Span {
        match self.last.kind {
            TokenKind::End | TokenKind::Dot | TokenKind::Semicolon => span.to(self.last.span),
            _ => span,
        }
    }

    /// `(name: type, …)`; none where nothing is known of the columns.
    fn columns(&mut self, kind: Kind, name: Ident) -> Option<Vec<ColumnDecl>> {
        if self.at(TokenKind::Colon) && self.ahead.kind == TokenKind::LeftParen {
            let label = "the columns follow the name";
            let colon = self.bump().span;
            self.report(codes::BAD_DECLARATION, "unexpected `:`", colon, label, "remove it");
        }
        let open = self.current.span;
        if self.eat(TokenKind::LeftParen) {
            let columns = self.columns_before(TokenKind::RightParen);
            self.close(TokenKind::RightParen, open);
            return Some(columns);
        }
        let close = match self.current.kind {
            TokenKind::LeftBracket => TokenKind::RightBracket,
            TokenKind::LeftBrace => TokenKind::RightBrace,
            TokenKind::Word(word) if !["requires", "from"].contains(&word.as_str()) => TokenKind::RightParen,
            _ => {
                let help =
                    format!("write: `{} {}()` for a relation without columns", kind.keyword(), name.name);
                let label = "expected `(` here";
                let message = "a declaration without parentheses";
                self.report(codes::MISSING_PARENTHESES, message, name.span.after(), label, &help);
                return None;
            }
        };
        if close != TokenKind::RightParen {
            self.bump();
        }
        let first = self.current.span;
        let columns = self.columns_before(close);
        let inside = self.lexer.slice(self.since(first)).trim();
        let form = format!("{}({inside})", name.name);
        self.eat(close);
        let fault = Diagnostic::new(codes::MISSING_PARENTHESES, "a declaration without parentheses")
            .at(name.span.after(), "expected `(` here")
            .write(self.since(name.span), &form);
        self.fault(fault);
        Some(columns)
    }

    /// `name: type, …` up to `close`.
    fn columns_before(&mut self, close: TokenKind) -> Vec<ColumnDecl> {
        let mut columns = Vec::new();
        while !self.at(close) {
            match self.column() {
                Some(column) => columns.push(column),
                None => self.skip_to_comma(|token| token.kind == close),
            }
            if !self.between_columns(close) {
                break;
            }
        }
        columns
    }

    /// Takes the comma between two columns; whether another column follows.
    fn between_columns(&mut self, close: TokenKind) -> bool {
        if self.at(TokenKind::Comma) {
            let comma = self.bump().span;
            if self.at(close) {
                self.stray_comma(comma, "another column");
            }
            return !self.at_clause_end();
        }
        let missing = matches!(self.current.kind, TokenKind::Word(_)) && self.ahead.kind == TokenKind::Colon;
        if missing && !self.at_clause_end() {
            let label = "expected `,` here";
            self.report(
                codes::MISSING_COMMA,
                "missing `,` between two columns",
                self.last.span.after(),
                label,
                "",
            );
        }
        missing && !self.at_clause_end()
    }

    /// `name: type`, `name: type = literal`, or `name: type @personal(column)`.
    fn column(&mut self) -> Option<ColumnDecl> {
        let start = self.current.span;
        if matches!(self.current.kind, TokenKind::Comma) {
            let label = "expected a column before it";
            self.report(codes::STRAY_COMMA, "a `,` with nothing before it", start, label, "remove it");
            return None;
        }
        let name = self.name("column")?;
        if self.eat(TokenKind::Colon) {
            let ty = self.type_expr().map(|ty| self.type_alone(ty));
            let ty = ty.unwrap_or(TypeExpr::Set(Vec::new(), start));
            let default = self.column_default(name);
            let personal = self.personal();
            return Some(ColumnDecl { name, ty, default, personal });
        }
        if let Some((word, ty)) = self.type_first(name) {
            return Some(ColumnDecl {
                name: word,
                ty,
                default: self.column_default(word),
                personal: self.personal(),
            });
        }
        if let TokenKind::Word(ty) = self.current.kind {
            self.missing_colon(&format!("{}: {ty}", name.name));
            let ty = self.type_expr()?;
            let default = self.column_default(name);
            let personal = self.personal();
            return Some(ColumnDecl { name, ty, default, personal });
        }
        let help = if TYPES.contains(&name.name.as_str()) {
            format!("write: `column: {}`, with the name of the column", name.name)
        } else {
            format!("write: `{}: string`, or another type", name.name)
        };
        let message = format!("the column `{}` has no type", name.name);
        self.report(codes::BAD_DECLARATION, message, start, "expected `name: type`", &help);
        Some(ColumnDecl { name, ty: TypeExpr::Set(Vec::new(), start), default: None, personal: None })
    }

    /// Reports `type name` in the place of `name: type`, and takes it for that.
    fn type_first(&mut self, first: Ident) -> Option<(Ident, TypeExpr)> {
        let TokenKind::Word(word) = self.current.kind else { return None };
        let ty = type_name(first.name.as_str());
        if !TYPES.contains(&ty) || TYPES.contains(&word.as_str()) {
            return None;
        }
        let name = Ident { name: word, span: self.bump().span };
        let message = "a type before the name of its column";
        let form = format!("{word}: {ty}");
        let label = "expected `name: type`";
        self.mended(codes::BAD_DECLARATION, message, first.span.to(name.span), label, &form);
        Some((name, TypeExpr::Named(Ident { name: ty.into(), span: first.span })))
    }

    /// `= literal` after the type of a column.
    fn column_default(&mut self, name: Ident) -> Option<Expr> {
        let given = self.eat(TokenKind::Equal);
        given.then(|| self.literal_term(&format!("the default of the column `{}`", name.name)))
    }

    /// Reports a missing `:` between a name and its type.
    pub(super) fn missing_colon(&mut self, form: &str) {
        let span = self.last.span.after();
        let fault = Diagnostic::new(codes::BAD_DECLARATION, "missing `:` between a name and its type")
            .at(span, "expected `:` here")
            .help(format!("write: `{form}`"))
            .fix(span, ":");
        self.fault(fault);
    }

    /// `type NAME = /a | /b.`
    pub(super) fn type_declaration(&mut self) -> Option<TypeDecl> {
        let start = self.bump().span;
        let doc = self.doc(start.start);
        let Some(name) = self.name("type") else {
            self.skip_clause();
            return None;
        };
        if !self.eat(TokenKind::Equal) {
            self.expected("`=` and the names of the set, such as `= /low | /high`");
        }
        let mut members = self.members();
        while self.at(TokenKind::Comma) {
            let label = "separate the names of a set with `|`";
            let span = self.bump().span;
            self.mended(codes::BAD_DECLARATION, "`,` does not separate names", span, label, "|");
            members.extend(self.members());
        }
        let span = self.since(start);
        self.end_clause("the type");
        Some(TypeDecl { doc, name, members, span: self.since_end(span) })
    }

    /// `import "PATH".`
    pub(super) fn import(&mut self) -> Option<Import> {
        let start = self.bump().span;
        let path_span = self.current.span;
        match self.current.kind {
            TokenKind::Literal(Value::String(path)) => {
                self.bump();
                let span = self.since(start);
                self.end_clause("the import");
                Some(Import { path: path.as_str().to_owned(), path_span, span: self.since_end(span) })
            }
            TokenKind::Broken => {
                self.silent = true;
                self.skip_clause();
                None
            }
            _ => {
                let word = self.lexer.slice(path_span).trim_matches('/');
                let help = match word {
                    "rego" | "data" | "future" => String::from("remove it; a file is imported by its path"),
                    word => format!("write: `import \"{word}.dl\".`"),
                };
                let fault = Diagnostic::new(codes::BAD_DECLARATION, "an import names a file in quotes")
                    .at(path_span, "expected a path")
                    .help(help);
                self.fault(fault);
                self.skip_clause();
                None
            }
        }
    }
}
