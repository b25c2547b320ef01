//! Declarations and rules as lines.

use hence_core::span::Span;

use super::super::tree::{
    Args, Atom, Authors, BodyAggregate, Expr, ExprKind, Ident, Import, Literal, LiteralKind, ParamDecl,
    RelationDecl, Required, Rule, TypeDecl, TypeExpr, UnaryOp,
};
use super::Printer;
use super::expr::Around;
use super::lines::{Line, WIDTH};
use super::text::Level;
use crate::part;

/// The word of the annotation before an input.
const PARTITION: &str = "partition";

/// One argument: where it begins, its text on one line, and for an expression what it could be broken into.
#[derive(Clone)]
struct Argument<'a> {
    start: u32,
    text: String,
    /// The expression, and what is before it; none for what is never broken.
    expr: Option<(&'a Expr, String)>,
}

/// Something with parentheses: what is before them, between them and after them.
struct Call<'a> {
    start: u32,
    name: String,
    args: Vec<Argument<'a>>,
    /// Where the closing parenthesis is in the source.
    close: u32,
    end: String,
}

/// `from role, … as column, at column.`
fn authors_text(authors: &Authors) -> String {
    let roles: Vec<_> = authors.roles.iter().map(|role| role.name.as_str()).collect();
    let column = authors.column.map_or(String::new(), |column| format!(" as {}", column.name));
    let time = authors.time.map_or(String::new(), |column| format!(", at {}", column.name));
    format!("from {}{column}{time}.", roles.join(", "))
}

impl Printer<'_> {
    /// On one line if it fits and no comment is inside, else an argument a line.
    fn call(&self, call: Call<'_>, indent: usize) -> Vec<Line> {
        let args: Vec<_> = call.args.iter().map(|arg| arg.text.as_str()).collect();
        let line = format!("{}({}){}", call.name, args.join(", "), call.end);
        if args.is_empty() {
            return vec![Line::new(call.start, indent, line)];
        }
        let mut lines = vec![Line::new(call.start, indent, format!("{}(", call.name))];
        let last = call.args.len() - 1;
        for (at, arg) in call.args.into_iter().enumerate() {
            let comma = if at < last { "," } else { "" };
            lines.extend(self.argument(arg, indent + 4, comma));
        }
        lines.push(Line::closing(call.close, indent, format!("){}", call.end)));
        self.choose(line, lines)
    }

    /// An argument on lines of its own.
    fn argument(&self, arg: Argument<'_>, indent: usize, comma: &str) -> Vec<Line> {
        let fits = indent + arg.text.chars().count() + comma.len() <= WIDTH;
        match arg.expr {
            Some((expr, before)) if !fits => {
                let around = Around { before: &before, after: comma, level: Level::Or };
                self.expr(expr, arg.start, indent, &around)
            }
            _ => vec![Line::new(arg.start, indent, arg.text + comma)],
        }
    }

    /// One line in the place of several, if it fits and no comment is between them.
    pub(super) fn choose(&self, compact: String, broken: Vec<Line>) -> Vec<Line> {
        let (Some(first), Some(last)) = (broken.first(), broken.last()) else { return broken };
        let fits = first.indent + compact.chars().count() <= WIDTH;
        if fits && !self.has_comment(first.at, last.at) {
            return vec![Line::new(first.at, first.indent, compact)];
        }
        broken
    }

    /// A declaration of a relation with its annotation.
    pub(super) fn relation(&self, decl: &RelationDecl) -> Vec<Line> {
        let Some(column) = decl.partition else { return self.declaration(decl, decl.span.start) };
        let from = decl.span.start;
        let before = part(self.text, from as usize..column.span.start as usize);
        let word = before.find(PARTITION).map_or(from, |at| from + (at + PARTITION.len()) as u32);
        let args = vec![Argument { start: column.span.start, text: column.name.to_string(), expr: None }];
        let (close, name) = (self.closing_after(word), format!("@{PARTITION}"));
        let mut lines = self.call(Call { start: from, name, args, close, end: String::new() }, 0);
        lines.extend(self.declaration(decl, decl.name.span.start));
        lines
    }

    /// A declaration of a relation, which begins at byte `start`.
    fn declaration(&self, decl: &RelationDecl, start: u32) -> Vec<Line> {
        let columns: Vec<_> = decl
            .columns
            .iter()
            .map(|column| {
                let mut text = format!("{}: {}", column.name.name, self.type_text(&column.ty));
                if let Some(default) = &column.default {
                    text.push_str(&format!(" = {}", self.texts.expr(default)));
                }
                if let Some(subject) = column.personal {
                    text.push_str(&format!(" @personal({})", subject.name));
                }
                Argument { start: column.name.span.start, text, expr: None }
            })
            .collect();
        let name = format!("{} {}", decl.kind.keyword(), decl.name.name);
        let close = self.closing_after(decl.name.span.end);
        let call = |end: String| Call { start, name: name.clone(), args: columns.clone(), close, end };
        if let Some(authors) = &decl.authors {
            let head = self.call(call(String::new()), 0);
            return self.joined(head, vec![Line::new(authors.span.start, 4, authors_text(authors))]);
        }
        let Some(requires) = &decl.requires else { return self.call(call(String::from(".")), 0) };
        let last = requires.parts.len();
        let parts = requires.parts.iter().enumerate().map(|(at, part)| {
            let word = if at == 0 { "requires" } else { "and" };
            self.required(part, word, if at + 1 == last { "." } else { "" })
        });
        parts.fold(self.call(call(String::new()), 0), |before, part| self.joined(before, part))
    }

    /// A part of a guard after its word.
    fn required(&self, part: &Required, word: &str, end: &str) -> Vec<Line> {
        let atom = match part {
            Required::Atom(atom) => atom,
            Required::Comparison(expr) => {
                let text = format!("{word} {}{end}", self.texts.expr(expr));
                return vec![Line::new(expr.span.start, 4, text)];
            }
        };
        let name = format!("{word} {}", atom.relation.name);
        if atom.columns.is_empty() {
            return vec![Line::new(atom.span.start, 4, format!("{name}{end}"))];
        }
        let args = atom.columns.iter().map(|(column, term)| self.named(*column, term)).collect();
        let close = self.closing_after(atom.relation.span.end);
        self.call(Call { start: atom.span.start, name, args, close, end: end.to_owned() }, 4)
    }

    /// Two parts of one line each on one line, if that fits and no comment is inside.
    fn joined(&self, mut head: Vec<Line>, tail: Vec<Line>) -> Vec<Line> {
        let line = match (head.as_slice(), tail.as_slice()) {
            ([first], [second]) => Some(format!("{} {}", first.text, second.text)),
            _ => None,
        };
        head.extend(tail);
        match line {
            Some(line) => self.choose(line, head),
            None => head,
        }
    }

    /// A type as written.
    fn type_text(&self, ty: &TypeExpr) -> String {
        match ty {
            TypeExpr::Named(name) => name.name.as_str().to_owned(),
            TypeExpr::Set(members, _) => {
                members.iter().map(|member| member.name.as_str()).collect::<Vec<_>>().join(" | ")
            }
            TypeExpr::List(element, _) => format!("[{}]", self.type_text(element)),
        }
    }

    /// `type NAME = /a | /b.`, a member a line where it is long.
    pub(super) fn type_decl(&self, decl: &TypeDecl) -> Vec<Line> {
        let members: Vec<_> = decl.members.iter().map(|member| member.name.as_str()).collect();
        let line = format!("type {} = {}.", decl.name.name, members.join(" | "));
        let mut lines = vec![Line::new(decl.span.start, 0, format!("type {} =", decl.name.name))];
        for (at, member) in decl.members.iter().enumerate() {
            let end = if at + 1 < decl.members.len() { " |" } else { "." };
            lines.push(Line::new(member.span.start, 4, format!("{}{end}", member.name)));
        }
        self.choose(line, lines)
    }

    /// `param NAME: TYPE = LITERAL from role, ….`
    pub(super) fn param(&self, param: &ParamDecl) -> Vec<Line> {
        let (ty, value) = (self.type_text(&param.ty), self.texts.expr(&param.value));
        let roles: Vec<_> = param.roles.iter().map(|role| role.name.as_str()).collect();
        let from = if roles.is_empty() { String::new() } else { format!(" from {}", roles.join(", ")) };
        vec![Line::new(param.span.start, 0, format!("param {}: {ty} = {value}{from}.", param.name.name))]
    }

    /// `import "PATH".`
    pub(super) fn import(&self, import: &Import) -> Vec<Line> {
        let path = self.texts.string(import.path_span, &import.path);
        vec![Line::new(import.span.start, 0, format!("import {path}."))]
    }

    /// A rule or a fact with its annotations.
    pub(super) fn rule(&self, rule: &Rule) -> Vec<Line> {
        let mut lines = self.annotations(rule);
        lines.extend(self.choose(self.texts.rule(rule), self.broken_rule(rule)));
        lines
    }

    /// `@id(…)` and `@because(…)`, a line each.
    fn annotations(&self, rule: &Rule) -> Vec<Line> {
        let mut lines = Vec::new();
        if let Some(id) = rule.id {
            lines.push(Line::new(id.span.start, 0, format!("@id({})", id.name)));
        }
        if let Some((sentence, span)) = rule.because {
            let text = self.texts.string(span, sentence.as_str());
            lines.push(Line::new(span.start, 0, format!("@because({text})")));
        }
        if let Some(first) = lines.first_mut() {
            first.at = first.at.min(rule.span.start);
        }
        lines
    }

    /// A literal a line, and the limit on its own.
    fn broken_rule(&self, rule: &Rule) -> Vec<Line> {
        let end = if rule.body.is_empty() { "." } else { " :-" };
        let name = format!("{}{}", rule.kind.keyword(), rule.head.name);
        let mut lines = self.call(self.positional(&name, rule.lead, &rule.terms, end), 0);
        let last = rule.body.len().saturating_sub(1);
        for (at, literal) in rule.body.iter().enumerate() {
            let end = match (at == last, rule.limit.is_some()) {
                (false, _) => ",",
                (true, true) => "",
                (true, false) => ".",
            };
            lines.extend(self.literal(literal, 4, end));
        }
        if let Some(limit) = &rule.limit {
            lines.push(Line::new(limit.span.start, 4, format!("{}.", self.texts.limit(limit))));
        }
        lines
    }

    fn positional<'a>(&self, name: &str, start: Span, terms: &'a [Expr], end: &str) -> Call<'a> {
        Call {
            start: start.start,
            name: name.to_owned(),
            args: terms.iter().map(|term| self.term(term)).collect(),
            close: self.closing_after(start.end),
            end: end.to_owned(),
        }
    }

    /// A term by position. One that needs parentheses where it is is never broken.
    fn term<'a>(&self, term: &'a Expr) -> Argument<'a> {
        let text = self.texts.atom_term(term);
        let broken = (text == self.texts.expr(term)).then(|| (term, String::new()));
        Argument { start: term.span.start, text, expr: broken }
    }

    /// `name: term`.
    fn named<'a>(&self, name: Ident, term: &'a Expr) -> Argument<'a> {
        let before = format!("{}: ", name.name);
        let text = format!("{before}{}", self.texts.expr(term));
        Argument { start: name.span.start, text, expr: Some((term, before)) }
    }

    /// A literal; an atom that is too long an argument a line.
    pub(super) fn literal(&self, literal: &Literal, indent: usize, end: &str) -> Vec<Line> {
        match &literal.kind {
            LiteralKind::Atom { negated, atom } => {
                let sign = if *negated { "!" } else { "" };
                self.atom(atom, literal.span.start, sign, indent, end)
            }
            LiteralKind::Condition(Expr { kind: ExprKind::Error, span })
                if self.text.get(span.range()).is_none() =>
            {
                Vec::new()
            }
            LiteralKind::Condition(expr) => self.condition(expr, literal.span.start, indent, end),
            LiteralKind::In(left, right) => {
                let before = format!("{} in ", self.texts.at_level(left, Level::Not));
                let around = Around { before: &before, after: end, level: Level::Not };
                self.expr(right, literal.span.start, indent, &around)
            }
            LiteralKind::Aggregate(aggregate) => self.aggregate(literal, aggregate, indent, end),
        }
    }

    /// An aggregate; a literal a line where it is too long.
    fn aggregate(&self, literal: &Literal, aggregate: &BodyAggregate, indent: usize, end: &str) -> Vec<Line> {
        let head = format!("{}{}", self.texts.target(aggregate), self.texts.aggregate(aggregate));
        let mut lines = vec![Line::new(literal.span.start, indent, head)];
        for (at, inner) in aggregate.body.iter().enumerate() {
            let comma = if at + 1 < aggregate.body.len() { "," } else { "" };
            lines.extend(self.literal(inner, indent + 4, comma));
        }
        let close = aggregate.braces.end.saturating_sub(1);
        lines.push(Line::closing(close, indent, format!("}}{end}")));
        self.choose(format!("{}{end}", self.texts.literal(literal)), lines)
    }

    /// A condition of a body.
    fn condition(&self, expr: &Expr, start: u32, indent: usize, end: &str) -> Vec<Line> {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let around = Around { before: "!", after: end, level: Level::Sign };
                self.expr(operand, start, indent, &around)
            }
            _ => self.expr(expr, start, indent, &Around { before: "", after: end, level: Level::Not }),
        }
    }

    /// An atom; an argument a line where it is too long.
    pub(super) fn atom(&self, atom: &Atom, start: u32, sign: &str, indent: usize, end: &str) -> Vec<Line> {
        let mut args: Vec<_> = match &atom.args {
            Args::Positional(terms) => terms.iter().map(|term| self.term(term)).collect(),
            Args::Named(columns) => columns.iter().map(|(name, term)| self.named(*name, term)).collect(),
        };
        args.extend(atom.rest.map(|rest| Argument {
            start: rest.start,
            text: String::from(".."),
            expr: None,
        }));
        let call = Call {
            start,
            name: format!("{sign}{}", atom.relation.name),
            args,
            close: self.closing_after(atom.relation.span.end),
            end: format!("{}{end}", self.texts.within(atom.within.as_ref())),
        };
        self.call(call, indent)
    }
}
