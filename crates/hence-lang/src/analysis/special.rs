//! The functions that are more than an operation: `if`, `matches`, `format`, and the generator `captures`.

use crate::builtins::expr::{Expr, ExprKind};
use crate::builtins::generator::{self, Generator};
use crate::builtins::op::{self, Op};
use crate::builtins::pattern::{Pattern, groups_named};
use crate::builtins::term::{Format, Part, Sentence};
use crate::builtins::zone;
use hence_core::diagnostic::{Diagnostic, nearest};
use hence_core::schema::ColumnType;
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_syntax::tree;

use super::codes;
use super::names::Slot;
use super::operation::wrong_count;
use super::placeholder::{Piece, is_variable, pieces};
use super::prose::{a, list};
use super::typing::{Typer, constant};
use super::values::{conversion, error, not_literal};

/// Whether an expression is a string literal.
fn is_string(written: &tree::Expr) -> bool {
    matches!(written.kind, tree::ExprKind::Literal(Value::String(_)))
}

impl Typer<'_> {
    /// `if(condition, then, otherwise)`.
    pub(super) fn choice(&mut self, name: tree::Ident, args: &[tree::Expr], span: Span) -> Option<Expr> {
        let [condition, then, otherwise] = args else {
            return self.fail(
                wrong_count("if", args.len(), name.span, &op::signatures("if"))
                    .help("its form is `if(condition, value, other_value)`"),
            );
        };
        let (condition, then, otherwise) = (self.bool(condition), self.expr(then), self.expr(otherwise));
        let (condition, then, otherwise) = (condition?, then?, otherwise?);
        if then.ty != otherwise.ty {
            let diagnostic = self.branches(&then, &otherwise, span);
            return self.fail(diagnostic);
        }
        let ty = then.ty;
        let kind = ExprKind::If(Box::new(condition), Box::new(then), Box::new(otherwise));
        Some(Expr { kind, ty, span })
    }

    fn branches(&self, then: &Expr, otherwise: &Expr, span: Span) -> Diagnostic {
        let diagnostic = Diagnostic::new(codes::BRANCH_TYPES, "the branches of `if` have two types")
            .at(span, "")
            .at(then.span, a(then.ty))
            .at(otherwise.span, a(otherwise.ty));
        let pairs = [(then, otherwise), (otherwise, then)];
        let literal = |expr: &Expr| matches!(expr.kind, ExprKind::Const(_));
        let fix = |(expr, other): (&Expr, &Expr)| {
            let text = self.sources.slice(expr.span);
            let better = conversion(expr, text, &self.column_type(other))?;
            Some((expr.span, format!("write `{better}` instead of `{text}`"), better))
        };
        let ordered = pairs.into_iter().filter(|(expr, _)| literal(expr)).chain(pairs);
        match ordered.into_iter().find_map(fix) {
            Some((span, help, better)) => diagnostic.help(help).fix(span, better),
            None => diagnostic,
        }
    }

    /// `matches(text, pattern)`.
    pub(super) fn matches(&mut self, name: tree::Ident, args: &[tree::Expr], span: Span) -> Option<Expr> {
        let [text, pattern] = args else {
            return self.fail(wrong_count("matches", args.len(), name.span, &op::signatures("matches")));
        };
        let text = self.string(text, "`matches`");
        if !is_string(pattern) {
            let pattern = self.string(pattern, "`matches`");
            return self.operation("matches", vec![text?, pattern?], span);
        }
        let pattern = self.pattern(pattern);
        let kind = ExprKind::Matches(Box::new(text?), pattern?);
        Some(Expr { kind, ty: Type::Bool, span })
    }

    /// `replace_all(text, pattern, replacement)`; a literal pattern compiles and has the groups that a literal
    /// replacement names.
    pub(super) fn replace_all(&mut self, name: tree::Ident, args: &[tree::Expr], span: Span) -> Option<Expr> {
        let [text, source, replacement] = args else {
            let signatures = op::signatures("replace_all");
            return self.fail(wrong_count("replace_all", args.len(), name.span, &signatures));
        };
        let text = self.string(text, "`replace_all`");
        let pattern = is_string(source).then(|| self.pattern(source));
        let new = self.string(replacement, "`replace_all`");
        let old = match pattern {
            Some(None) => None,
            _ => self.string(source, "`replace_all`"),
        };
        if let (Some(Some(pattern)), Some(ExprKind::Const(value))) =
            (&pattern, new.as_ref().map(|new| &new.kind))
        {
            self.groups(pattern, &value.text(), replacement.span)?;
        }
        self.operation("replace_all", vec![text?, old?, new?], span)
    }

    /// Whether a pattern has the groups that a replacement names: what it doesn't have would be replaced by nothing.
    fn groups(&mut self, pattern: &Pattern, replacement: &str, span: Span) -> Option<()> {
        let Some(missing) = groups_named(replacement).find(|group| !pattern.has_group(group)) else {
            return Some(());
        };
        let message = format!("the pattern has no group `{missing}`");
        let diagnostic = error(codes::FAULTY_PATTERN, message, span);
        let end = missing.find(|c: char| !c.is_ascii_digit()).unwrap_or(missing.len());
        let (number, rest) = missing.split_at(end);
        self.fail(if !number.is_empty() && !rest.is_empty() && pattern.has_group(number) {
            diagnostic.help(format!("write `${{{number}}}{rest}` for group {number} before `{rest}`"))
        } else {
            let last = pattern.groups().saturating_sub(1);
            diagnostic
                .help(format!("its groups are 0 (the whole match) to {last}; write `$$` for a dollar sign"))
        })
    }

    /// Whether the units and zones that an operation takes as literals exist.
    pub(super) fn places_of_time(&mut self, expr: &Expr) -> Option<()> {
        let ExprKind::Call(op, args) = &expr.kind else { return Some(()) };
        let literal = |at: usize| match args.get(at).map(|arg| (&arg.kind, arg.span)) {
            Some((ExprKind::Const(Value::String(text) | Value::Name(text)), span)) => Some((*text, span)),
            _ => None,
        };
        if let Op::TruncateTo | Op::TruncateToIn = op
            && let Some((unit, span)) = literal(1)
            && !zone::UNITS.contains(&unit.as_str())
        {
            let units: Vec<_> = zone::UNITS.iter().map(|unit| format!("`{unit}`")).collect();
            let diagnostic = error(codes::OUTSIDE_SET, format!("`truncate` has no unit `{unit}`"), span)
                .note(format!("expected {}, or a duration such as `15m`", list(&units, "or")));
            return self.fail(match nearest(unit.as_str(), zone::UNITS) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic,
            });
        }
        let Some((name, span)) = op.zone().and_then(literal) else { return Some(()) };
        if zone::exists(name.as_str()) {
            return Some(());
        }
        let diagnostic = error(codes::UNKNOWN_ZONE, format!("unknown time zone \"{name}\""), span)
            .note(format!("the zones are those of the IANA time zone database {}", zone::version()));
        self.fail(match zone::nearest_name(name.as_str()) {
            Some(near) => diagnostic.help(format!("did you mean \"{near}\"?")),
            None => diagnostic.help("a zone is named by its region and city, such as \"Europe/Berlin\""),
        })
    }

    /// An expression that must be a string.
    fn string(&mut self, written: &tree::Expr, taker: &str) -> Option<Expr> {
        let expr = self.expr(written)?;
        if expr.ty == Type::String {
            return Some(expr);
        }
        let text = self.sources.slice(expr.span);
        let message = format!("`{text}` is {}, but {taker} takes a string", a(expr.ty));
        let diagnostic = error(codes::NO_SUCH_OPERATION, message, expr.span);
        let string = ColumnType { ty: Type::String, set: None };
        self.fail(match conversion(&expr, text, &string) {
            Some(better) => diagnostic.help(format!("write `{better}`")).fix(expr.span, better),
            None => diagnostic,
        })
    }

    /// A pattern: a string literal that compiles.
    fn pattern(&mut self, written: &tree::Expr) -> Option<Pattern> {
        let tree::ExprKind::Literal(Value::String(source)) = written.kind else {
            return self.fail(
                not_literal("a pattern", written.span)
                    .note("patterns are compiled when rules are loaded")
                    .help("write it as a literal, preferably a raw string: `r\"…\"`"),
            );
        };
        match Pattern::new(source) {
            Ok(pattern) => Some(pattern),
            Err(fault) => {
                let diagnostic = error(codes::FAULTY_PATTERN, "invalid pattern", written.span);
                let diagnostic = fault.notes().into_iter().fold(diagnostic, Diagnostic::note);
                self.fail(fault.help().into_iter().fold(diagnostic, Diagnostic::help))
            }
        }
    }

    /// `format("{A} of {B}")` as a concatenation.
    pub(super) fn format(&mut self, name: tree::Ident, args: &[tree::Expr], span: Span) -> Option<Expr> {
        let [written] = args else {
            return self.fail(
                wrong_count("format", args.len(), name.span, &op::signatures("format"))
                    .help("name variables and parameters in the placeholders: `format(\"{A} of {B}\")`"),
            );
        };
        let tree::ExprKind::Literal(Value::String(text)) = written.kind else {
            return self.fail(not_literal("the text of `format`", written.span));
        };
        let (pieces, faults) = pieces(text.as_str(), written.span, self.sources);
        let faulty = !faults.is_empty();
        self.out.extend(faults);
        let parts: Vec<_> = pieces.into_iter().map(|piece| self.piece(piece, written.span)).collect();
        let mut parts = parts.into_iter().collect::<Option<Vec<_>>>().filter(|_| !faulty)?;
        match (parts.len(), parts.pop()) {
            (_, None) => Some(constant(Value::String(Symbol::new("")), span)),
            (1, Some(part)) => Some(part),
            (_, Some(last)) => {
                parts.push(last);
                self.operation("concat", parts, span)
            }
        }
    }

    fn piece(&mut self, piece: Piece, literal: Span) -> Option<Expr> {
        match piece {
            Piece::Text(text) => Some(constant(Value::String(text), literal)),
            Piece::Hole(name, format, span) => {
                let value = self.placeholder(name, span)?;
                self.shows(format, value.ty, name, span)?;
                match format.operation() {
                    Some((op, more)) => {
                        // What a placeholder says of how to show its value is a part of the text.
                        let more = more.into_iter().map(|value| constant(value, literal));
                        let kind = ExprKind::Call(op, [value].into_iter().chain(more).collect());
                        Some(Expr { kind, ty: Type::String, span })
                    }
                    None if value.ty == Type::String => Some(value),
                    None if matches!(value.ty, Type::List(_)) => {
                        let kind = ExprKind::Call(Op::StringOf(value.ty), vec![value]);
                        Some(Expr { kind, ty: Type::String, span })
                    }
                    None => self.operation("string", vec![value], span),
                }
            }
        }
    }

    /// Whether the format of the placeholder `name` shows values of this type.
    fn shows(&mut self, format: Format, ty: Type, name: Symbol, span: Span) -> Option<()> {
        let Some(wanted) = format.takes().filter(|wanted| *wanted != ty) else { return Some(()) };
        let written = format.written();
        let message = format!("`{written}` shows {}, but `{name}` is {}", a(wanted), a(ty));
        let fix = match ty {
            Type::Float => format!("{{{name}:.2}}"),
            Type::Time => format!("{{{name}:date}}` or `{{{name}:time}}"),
            Type::Duration => format!("{{{name}:human}}"),
            _ => format!("{{{name}}}"),
        };
        self.fail(error(codes::FAULTY_PLACEHOLDER, message, span).help(format!("write `{fix}`")))
    }

    /// The variable or parameter that a placeholder names.
    fn placeholder(&mut self, name: Symbol, span: Span) -> Option<Expr> {
        if is_variable(name) {
            return self.variable(name, span);
        }
        if self.names.param(name).is_none() && !self.names.broken_params.contains(&name) {
            let diagnostic = self.unbound_placeholder(name, span, &[]);
            return self.fail(diagnostic);
        }
        self.param(name, span)
    }

    fn unbound_placeholder(&self, name: Symbol, span: Span, columns: &[Slot]) -> Diagnostic {
        let what = match (is_variable(name), columns) {
            (true, _) => "not a variable bound by the rule",
            (false, []) => "not a parameter",
            (false, _) => "neither a parameter nor a column of the head",
        };
        let message = format!("the placeholder `{{{name}}}` is {what}");
        let known = self.vars.names().iter().copied();
        let known = known.chain(self.names.params.iter().map(|param| param.name));
        let known = known.chain(columns.iter().map(|column| column.name));
        let diagnostic = error(codes::UNBOUND_PLACEHOLDER, message, span);
        let known: Vec<&str> = known.map(Symbol::as_str).collect();
        let same = known.iter().find(|known| known.eq_ignore_ascii_case(name.as_str())).copied();
        match same.or_else(|| nearest(name.as_str(), known)) {
            Some(near) => diagnostic.help(format!("did you mean `{{{near}}}`?")),
            None => diagnostic,
        }
    }

    /// The sentence of `@because`; `columns` are those of the head.
    pub(super) fn sentence(&mut self, text: Symbol, span: Span, columns: &[Slot]) -> Option<Sentence> {
        let (pieces, faults) = pieces(text.as_str(), span, self.sources);
        let faulty = !faults.is_empty();
        self.out.extend(faults);
        let parts: Vec<_> = pieces.into_iter().map(|piece| self.part(piece, columns)).collect();
        let parts = parts.into_iter().collect::<Option<Vec<_>>>().filter(|_| !faulty)?;
        Some(Sentence { parts })
    }

    fn part(&mut self, piece: Piece, columns: &[Slot]) -> Option<Part> {
        let (name, format, span) = match piece {
            Piece::Text(text) => return Some(Part::Text(text)),
            Piece::Hole(name, format, span) => (name, format, span),
        };
        if is_variable(name) {
            if let Some(var) = self.vars.get(name) {
                let known = self.known(var).ty.as_ref().map(|ty| ty.ty);
                known.map_or(Some(()), |ty| self.shows(format, ty, name, span))?;
                return Some(Part::Var(var, format));
            }
        } else if let Some((param, known)) = self.names.param(name) {
            self.shows(format, known.ty.ty, name, span)?;
            return Some(Part::Param(param, format));
        } else if let Some(at) = columns.iter().position(|column| column.name == name) {
            let known = columns.get(at).and_then(|column| column.ty.as_ref()).map(|ty| ty.ty);
            known.map_or(Some(()), |ty| self.shows(format, ty, name, span))?;
            return Some(Part::Column(at as u32, format));
        } else if self.names.broken_params.contains(&name) {
            return self.poison();
        }
        let diagnostic = self.unbound_placeholder(name, span, columns);
        self.fail(diagnostic)
    }

    /// The generator of `X in name(args)` with the arguments that it takes at run time.
    pub(super) fn generator(
        &mut self,
        name: tree::Ident,
        args: &[tree::Expr],
        span: Span,
    ) -> Option<(Generator, Vec<Expr>)> {
        let word = name.name.as_str();
        if word == "captures" {
            return self.captures(name, args);
        }
        let args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
        let args = args.into_iter().collect::<Option<Vec<_>>>()?;
        let types: Vec<_> = args.iter().map(|arg| arg.ty).collect();
        match generator::resolve(word, &types) {
            Some(generator) => Some((generator, args)),
            None => {
                let resolves = |types: &[Type]| generator::resolve(word, types).is_some();
                let diagnostic = self.no_operation(word, &args, span, generator::signatures(word), resolves);
                self.fail(diagnostic)
            }
        }
    }

    fn captures(&mut self, name: tree::Ident, args: &[tree::Expr]) -> Option<(Generator, Vec<Expr>)> {
        let [text, pattern, group] = args else {
            let signatures = generator::signatures("captures");
            return self.fail(wrong_count("captures", args.len(), name.span, &signatures));
        };
        let (text, pattern) = (self.string(text, "`captures`"), self.pattern(pattern));
        let tree::ExprKind::Literal(Value::Int(number)) = group.kind else {
            return self.fail(
                not_literal("the group of `captures`", group.span)
                    .help("0 is the whole match, 1 the first group"),
            );
        };
        let (text, pattern) = (text?, pattern?);
        let groups = pattern.regex().captures_len();
        match usize::try_from(number).ok().filter(|number| *number < groups) {
            Some(number) => Some((Generator::Captures(pattern, number), vec![text])),
            None => {
                let message = format!("the pattern has no group {number}");
                self.fail(
                    error(codes::FAULTY_PATTERN, message, group.span)
                        .help(format!("its groups are 0 (the whole match) to {}", groups.saturating_sub(1))),
                )
            }
        }
    }
}
