//! Tests as lines: what is in `given` and `expect` begins lines where the author began them, if that fits.

use super::super::lexer::Lexer;
use super::super::tree::{Because, Expectation, ExpectationKind, Given, Ident, Literal, Test};
use super::Printer;
use super::lines::{Line, WIDTH};
use crate::part;

/// How far facts and expectations are indented.
const INDENT: usize = 8;

impl Printer<'_> {
    /// A test.
    pub(super) fn test(&self, test: &Test) -> Vec<Line> {
        let name = self.texts.string(test.name_span, test.name.as_str());
        let mut lines = vec![Line::new(test.span.start, 0, format!("test {name} {{"))];
        let mut inner = Vec::new();
        for (name, value) in &test.sets {
            let text = format!("set {} = {}.", name.name, self.texts.expr(value));
            inner.push(vec![Line::new(self.word_before(name.span.start), 4, text)]);
        }
        if let Some((_, span)) = test.now {
            let time = part(self.text, span.range());
            inner.push(vec![Line::new(self.word_before(span.start), 4, format!("now {time}."))]);
        }
        inner.extend(self.part("given", test.given.iter().map(|given| self.given(given)).collect()));
        inner.extend(self.part("expect", self.expectations(&test.expect)));
        for step in &test.steps {
            inner.push(vec![Line::new(step.span.start, 4, "then")]);
            inner.extend(self.clauses(step.changes.iter().map(|change| self.given(change)).collect()));
            inner.extend(self.part("expect", self.expectations(&step.expect)));
        }
        for (at, mut group) in inner.into_iter().enumerate() {
            if let Some(first) = group.first_mut().filter(|line| line.indent == 4) {
                first.keeps_blank = at > 0;
            }
            lines.extend(group);
        }
        lines.push(Line::closing(test.span.end.saturating_sub(1), 0, "}"));
        lines
    }

    /// `given` or `expect` and its clauses.
    fn part(&self, word: &str, clauses: Vec<Vec<Line>>) -> Vec<Vec<Line>> {
        let Some(first) = clauses.first().and_then(|lines| lines.first()) else { return Vec::new() };
        let mut groups = vec![vec![Line::new(self.word_before(first.at), 4, word)]];
        groups.extend(self.clauses(clauses));
        groups
    }

    /// The clauses of one part.
    fn clauses(&self, clauses: Vec<Vec<Line>>) -> Vec<Vec<Line>> {
        let mut groups = self.shared(clauses);
        for line in groups.iter_mut().skip(1).filter_map(|lines| lines.first_mut()) {
            line.keeps_blank = true;
        }
        groups
    }

    /// Items of one line each that share a line of the source share one here too, as far as they fit.
    fn shared(&self, items: Vec<Vec<Line>>) -> Vec<Vec<Line>> {
        let mut out: Vec<Vec<Line>> = Vec::with_capacity(items.len());
        let mut before = None;
        for item in items {
            let start = item.first().map_or(0, |line| line.at);
            let on_one_line = |from: u32| {
                self.text.get(from as usize..start as usize).is_some_and(|between| !between.contains('\n'))
            };
            let follows = before.is_some_and(on_one_line);
            before = (item.len() == 1).then_some(start);
            match (out.last_mut().map(Vec::as_mut_slice), item.as_slice()) {
                (Some([last]), [line]) if follows && fits(last, line) => {
                    last.text.push(' ');
                    last.text.push_str(&line.text);
                }
                _ => out.push(item),
            }
        }
        out
    }

    fn given(&self, given: &Given) -> Vec<Line> {
        match given {
            Given::Fact(atom) => self.atom(atom, atom.span.start, "", INDENT, "."),
            Given::Retracted(atom, span) => self.atom(atom, span.start, "!", INDENT, "."),
            Given::Now(_, span) => {
                let time = part(self.text, span.range());
                vec![Line::new(self.word_before(span.start), INDENT, format!("now {time}."))]
            }
            Given::From(_, span) => {
                let path = self.behind_trivia(span.start + 4, span.end);
                vec![Line::new(span.start, INDENT, format!("from {path}."))]
            }
        }
    }

    /// Expectations. A name right after a distance is put in parentheses, without which it would divide it.
    fn expectations(&self, items: &[Expectation]) -> Vec<Vec<Line>> {
        let mut clauses: Vec<_> = items.iter().map(|item| self.expectation(item)).collect();
        for (before, lines) in items.iter().zip(clauses.iter_mut().skip(1)) {
            let distance = matches!(before.kind, ExpectationKind::Exactly { within: Some(_), .. });
            if let Some(first) = lines.first_mut().filter(|line| distance && line.text.starts_with('/')) {
                let name = Lexer::new(self.file.id, &first.text).next().span.end as usize;
                first.text.insert(name, ')');
                first.text.insert(0, '(');
            }
        }
        clauses
    }

    fn expectation(&self, expectation: &Expectation) -> Vec<Line> {
        let start = expectation.span.start;
        match &expectation.kind {
            ExpectationKind::Holds(literals, because) => self.holds(start, "", literals, *because),
            ExpectationKind::No(literals) => self.holds(start, "no ", literals, None),
            ExpectationKind::Undetermined(literals) => self.holds(start, "undetermined ", literals, None),
            ExpectationKind::Exactly { relation, rows, within } => {
                let within = self.texts.within(within.as_ref());
                let rows: Vec<_> =
                    rows.iter().map(|(row, span)| (span.start, self.texts.terms(row))).collect();
                self.exactly(expectation, *relation, rows, &within)
            }
        }
    }

    /// Literals on one line, or a literal a line.
    fn holds(&self, start: u32, word: &str, literals: &[Literal], because: Option<Because>) -> Vec<Line> {
        let end = match because {
            None => String::from("."),
            Some(Because::Rule(id)) => format!(" because {}.", id.name),
            Some(Because::Sentence(_, span)) => format!(" because {}.", part(self.text, span.range())),
        };
        let line = format!("{word}{}{end}", self.texts.literals(literals));
        if literals.is_empty() {
            return vec![Line::new(start, INDENT, line)];
        }
        let mut lines: Vec<Line> = Vec::new();
        for (at, literal) in literals.iter().enumerate() {
            let end = if at + 1 < literals.len() { "," } else { end.as_str() };
            let indent = if at == 0 { INDENT } else { INDENT + 4 };
            lines.extend(self.literal(literal, indent, end));
        }
        if let Some(first) = lines.first_mut() {
            first.at = start;
            first.text.insert_str(0, word);
        }
        self.choose(line, lines)
    }

    /// `exactly p { (a, b) (c, d) }`; where it is long, with its braces on lines of their own.
    fn exactly(
        &self,
        item: &Expectation,
        relation: Ident,
        rows: Vec<(u32, String)>,
        within: &str,
    ) -> Vec<Line> {
        let start = item.span.start;
        let texts: Vec<_> = rows.iter().map(|(_, row)| row.as_str()).collect();
        let inner = if texts.is_empty() { String::from("{}") } else { format!("{{ {} }}", texts.join(" ")) };
        let line = format!("exactly {} {inner}{within}", relation.name);
        let mut lines = vec![Line::new(start, INDENT, format!("exactly {} {{", relation.name))];
        let rows = rows.into_iter().map(|(at, row)| vec![Line::new(at, INDENT + 4, row)]);
        lines.extend(self.shared(rows.collect()).into_iter().flatten());
        let close = self.closing_after(relation.span.end);
        lines.push(Line::closing(close, INDENT, format!("}}{within}")));
        self.choose(line, lines)
    }
}

/// Whether one line still fits after another; a whole relation has a line of its own.
fn fits(last: &Line, next: &Line) -> bool {
    let whole = [last, next].iter().any(|line| line.text.starts_with("exactly "));
    !whole && last.indent + last.text.chars().count() + 1 + next.text.chars().count() <= WIDTH
}
