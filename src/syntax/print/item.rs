//! Declarations and rules as lines.

use crate::span::Span;

use super::super::tree::{
    Atom, Expr, ExprKind, Import, Literal, LiteralKind, ParamDecl, RelationDecl, Rule, TypeDecl, TypeExpr,
};
use super::Printer;
use super::lines::{Line, WIDTH};

/// Something with parentheses: what stands before them, between them and behind them.
struct Call {
    start: u32,
    name: String,
    args: Vec<(u32, String)>,
    /// Where the closing parenthesis stands in the source.
    close: u32,
    end: String,
}

impl Printer<'_> {
    /// On one line if it fits and no comment stands inside, else an argument a line.
    fn call(&self, call: Call, indent: usize) -> Vec<Line> {
        let args: Vec<_> = call.args.iter().map(|(_, text)| text.as_str()).collect();
        let line = format!("{}({}){}", call.name, args.join(", "), call.end);
        if args.is_empty() {
            return vec![Line::new(call.start, indent, line)];
        }
        let mut lines = vec![Line::new(call.start, indent, format!("{}(", call.name))];
        let last = call.args.len() - 1;
        for (at, (start, text)) in call.args.into_iter().enumerate() {
            let comma = if at < last { "," } else { "" };
            lines.push(Line::new(start, indent + 4, text + comma));
        }
        lines.push(Line::closing(call.close, indent, format!("){}", call.end)));
        self.choose(line, lines)
    }

    /// One line in the place of several, if it fits and no comment stands between them.
    pub(super) fn choose(&self, compact: String, broken: Vec<Line>) -> Vec<Line> {
        let (Some(first), Some(last)) = (broken.first(), broken.last()) else { return broken };
        let fits = first.indent + compact.chars().count() <= WIDTH;
        if fits && !self.has_comment(first.at, last.at) {
            return vec![Line::new(first.at, first.indent, compact)];
        }
        broken
    }

    /// A declaration of a relation.
    pub(super) fn relation(&self, decl: &RelationDecl) -> Vec<Line> {
        let columns: Vec<_> = decl
            .columns
            .iter()
            .map(|column| {
                (column.name.span.start, format!("{}: {}", column.name.name, self.type_text(&column.ty)))
            })
            .collect();
        let name = format!("{} {}", decl.kind.keyword(), decl.name.name);
        let close = self.closing_after(decl.name.span.end);
        let call = |end: String| Call {
            start: decl.span.start,
            name: name.clone(),
            args: columns.clone(),
            close,
            end,
        };
        let Some(requires) = &decl.requires else { return self.call(call(String::from(".")), 0) };
        let args =
            requires.columns.iter().map(|(column, term)| self.texts.named(*column, term)).collect::<Vec<_>>();
        let guard = Call {
            start: requires.span.start,
            name: format!("requires {}", requires.relation.name),
            args,
            close: self.closing_after(requires.relation.span.end),
            end: String::from("."),
        };
        let head = self.call(call(String::new()), 0);
        let tail = if guard.args.is_empty() {
            vec![Line::new(guard.start, 4, format!("{}.", guard.name))]
        } else {
            self.call(guard, 4)
        };
        self.joined(head, tail)
    }

    /// Two parts of one line each on one line, if that fits and no comment stands inside.
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

    /// `param NAME: TYPE = LITERAL.`
    pub(super) fn param(&self, param: &ParamDecl) -> Vec<Line> {
        let (ty, value) = (self.type_text(&param.ty), self.texts.expr(&param.value));
        vec![Line::new(param.span.start, 0, format!("param {}: {ty} = {value}.", param.name.name))]
    }

    /// `import "PATH".`
    pub(super) fn import(&self, import: &Import) -> Vec<Line> {
        let path = self.text.get(import.path_span.range()).unwrap_or("");
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
        if let Some((_, span)) = rule.because {
            let text = self.text.get(span.range()).unwrap_or("");
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
        let mut lines =
            self.call(self.positional(rule.head.name.as_str(), rule.head.span, &rule.terms, end), 0);
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

    fn positional(&self, name: &str, start: Span, terms: &[Expr], end: &str) -> Call {
        Call {
            start: start.start,
            name: name.to_owned(),
            args: terms.iter().map(|term| (term.span.start, self.texts.atom_term(term))).collect(),
            close: self.closing_after(start.end),
            end: end.to_owned(),
        }
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
            _ => vec![Line::new(literal.span.start, indent, self.texts.literal(literal) + end)],
        }
    }

    /// An atom; an argument a line where it is too long.
    pub(super) fn atom(&self, atom: &Atom, start: u32, sign: &str, indent: usize, end: &str) -> Vec<Line> {
        let args = self.texts.args(&atom.args);
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
