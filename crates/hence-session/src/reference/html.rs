//! The reference as one HTML page that needs nothing else: contents at the side, the graph as a picture.

use std::fmt::Write;

use hence_core::literal::visible;
use hence_core::schema::Param;

use super::highlight::{self, Declared};
use super::links::Link;
use super::{Clause, Entry, Reference, SECTIONS, declaration, escape, svg};

const STYLE: &str = include_str!("page.css");
/// How many facts of a relation are shown without being asked for.
const OPEN_FACTS: usize = 12;

/// What the parts of the page share.
struct Page<'a, 'b> {
    reference: &'a Reference<'b>,
    known: Declared<'a>,
    out: String,
}

/// The whole page.
pub(super) fn page(reference: &Reference<'_>) -> String {
    let relations = reference.entries.iter().map(|entry| entry.relation.name.as_str()).collect();
    let params = reference.params.iter().map(|param| param.name.as_str()).collect();
    let mut page = Page { reference, known: Declared { relations, params }, out: String::new() };
    let title = escape(&visible(&reference.title));
    let _ = write!(
        page.out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    page.contents();
    let _ = write!(page.out, "<main>\n<h1>{title}</h1>\n");
    page.files();
    if !reference.graph.edges.is_empty() {
        let picture = svg::picture(&reference.graph, true);
        let _ =
            write!(page.out, "<h2 id=\"graph\">Dependencies</h2>\n<div class=\"graph\">{picture}</div>\n");
    }
    for (kind, title) in SECTIONS {
        if reference.of_kind(kind).next().is_some() {
            let _ = writeln!(page.out, "<h2 id=\"{}s\">{title}</h2>", kind.keyword());
        }
        reference.of_kind(kind).for_each(|entry| page.entry(entry));
    }
    page.params();
    page.sets();
    page.out.push_str("</main>\n</body>\n</html>\n");
    page.out
}

impl Page<'_, '_> {
    fn contents(&mut self) {
        self.out.push_str("<nav>\n");
        if !self.reference.graph.edges.is_empty() {
            self.out.push_str("<a class=\"section\" href=\"#graph\">Dependencies</a>\n");
        }
        for (kind, title) in SECTIONS {
            let names: Vec<&str> =
                self.reference.of_kind(kind).map(|entry| entry.relation.name.as_str()).collect();
            if !names.is_empty() {
                let _ = writeln!(self.out, "<a class=\"section\" href=\"#{}s\">{title}</a>", kind.keyword());
            }
            for name in names {
                let _ = writeln!(self.out, "<a href=\"#relation-{name}\">{name}</a>");
            }
        }
        if !self.reference.params.is_empty() {
            self.out.push_str("<a class=\"section\" href=\"#parameters\">Parameters</a>\n");
        }
        if !self.reference.sets.is_empty() {
            self.out.push_str("<a class=\"section\" href=\"#sets\">Closed sets</a>\n");
        }
        self.out.push_str("</nav>\n");
    }

    fn files(&mut self) {
        self.out.push_str("<ul class=\"files\">\n");
        for file in &self.reference.files {
            let _ = writeln!(self.out, "<li><code>{}</code> {}</li>", escape(file.name), prose(&file.about));
        }
        self.out.push_str("</ul>\n");
    }

    fn entry(&mut self, entry: &Entry<'_>) {
        let relation = entry.relation;
        let (name, keyword) = (relation.name, relation.kind.keyword());
        let required = relation.requires.iter().map(|name| name.as_str()).collect();
        let known = Declared { relations: required, ..Declared::default() };
        let _ = writeln!(
            self.out,
            "<section id=\"relation-{name}\" class=\"{keyword}\">\n<h3><span class=\"kind\">{keyword}</span> \
             {name} <span class=\"place\">{}</span></h3>",
            escape(&entry.place)
        );
        self.doc(&relation.doc);
        let _ = writeln!(self.out, "<pre>{}</pre>", highlight::html(&declaration(entry), &known));
        self.ends("reads", &entry.reads);
        self.ends("read by", &entry.readers);
        entry.rules.iter().for_each(|rule| self.clause(rule));
        self.facts(entry);
        self.out.push_str("</section>\n");
    }

    fn doc(&mut self, doc: &str) {
        if !doc.is_empty() {
            let _ = writeln!(self.out, "<p>{}</p>", prose(doc));
        }
    }

    fn ends(&mut self, title: &str, links: &[Link]) {
        if links.is_empty() {
            return;
        }
        let shown = links.iter().map(|link| {
            let words = link.mode.words();
            let class = if link.mode.negated { "not" } else { "group" };
            let words = if words.is_empty() { words } else { format!(" <i class=\"{class}\">{words}</i>") };
            format!("<a href=\"#relation-{name}\">{name}</a>{words}", name = link.name)
        });
        let shown = shown.collect::<Vec<_>>().join(" · ");
        let _ = writeln!(self.out, "<div class=\"ends\"><b>{title}</b> {shown}</div>");
    }

    fn clause(&mut self, rule: &Clause<'_>) {
        let _ = write!(self.out, "<div class=\"rule\" id=\"rule-{id}\"><div class=\"id\">", id = rule.id);
        let _ = writeln!(
            self.out,
            "<code>{}</code> <span class=\"place\">{}</span></div>",
            rule.id,
            escape(&rule.place)
        );
        if let Some(sentence) = rule.sentence {
            let _ = writeln!(self.out, "<div class=\"because\">{}</div>", placeholders(&visible(sentence)));
        }
        self.doc(rule.doc);
        let _ = writeln!(self.out, "<pre>{}</pre></div>", highlight::html(&rule.text, &self.known));
    }

    fn facts(&mut self, entry: &Entry<'_>) {
        let count = entry.facts.len();
        if count == 0 {
            return;
        }
        let open = if count <= OPEN_FACTS { " open" } else { "" };
        let word = if count == 1 { "fact" } else { "facts" };
        let _ = write!(self.out, "<details{open}><summary>{count} {word}</summary>\n<table><tr>");
        for column in &entry.relation.columns {
            let _ = write!(self.out, "<th>{}</th>", column.name);
        }
        self.out.push_str("</tr>\n");
        let none = Declared::default();
        for values in &entry.facts {
            self.out.push_str("<tr>");
            for value in values {
                let _ = write!(self.out, "<td><code>{}</code></td>", highlight::html(value, &none));
            }
            self.out.push_str("</tr>\n");
        }
        self.out.push_str("</table></details>\n");
    }

    fn params(&mut self) {
        if self.reference.params.is_empty() {
            return;
        }
        self.out.push_str("<h2 id=\"parameters\">Parameters</h2>\n<table>\n<tr><th>parameter</th><th>type</th><th>value</th><th></th></tr>\n");
        for param in &self.reference.params {
            let _ = writeln!(
                self.out,
                "<tr id=\"param-{name}\"><td><code>{name}</code></td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>",
                escape(&param.ty.to_string()),
                value(param),
                prose(&param.doc),
                name = param.name
            );
        }
        self.out.push_str("</table>\n");
    }

    fn sets(&mut self) {
        if self.reference.sets.is_empty() {
            return;
        }
        self.out.push_str("<h2 id=\"sets\">Closed sets</h2>\n<table>\n");
        for set in &self.reference.sets {
            let members: Vec<_> =
                set.members.iter().map(|member| format!("<code>{}</code>", member.name)).collect();
            let _ = writeln!(
                self.out,
                "<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>",
                set.name.name,
                members.join(" "),
                prose(&set.doc.lines.join(" "))
            );
        }
        self.out.push_str("</table>\n");
    }
}

fn value(param: &Param) -> String {
    let mut value = format!("<code>{}</code>", escape(&param.value.to_string()));
    if param.value != param.default {
        value.push_str(&format!(" (by default <code>{}</code>)", escape(&param.default.to_string())));
    }
    if !param.roles.is_empty() {
        let roles: Vec<String> =
            param.roles.iter().map(|role| format!("<code>{}</code>", escape(role.as_str()))).collect();
        value.push_str(&format!(", set by {}", roles.join(", ")));
    }
    value
}

/// Text of people: what stands between back quotes as code.
fn prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let last = parts.len() - 1;
    let shown = parts.iter().enumerate().map(|(at, part)| match (at % 2 == 1, at == last) {
        (true, false) => format!("<code>{}</code>", escape(part)),
        (true, true) => format!("`{}", escape(part)),
        (false, _) => escape(part),
    });
    shown.collect()
}

/// A sentence with its placeholders marked.
fn placeholders(sentence: &str) -> String {
    let mut out = String::new();
    let mut rest = sentence;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        out.push_str(&escape(before));
        let doubled = ["{", "}"].into_iter().find(|brace| from.starts_with(&brace.repeat(2)));
        let end = if doubled.is_some() { Some(2) } else { from.find('}').map(|end| end + 1) };
        let (shown, after) = from.split_at(end.unwrap_or(from.len()));
        if let Some(brace) = doubled {
            out.push_str(brace);
        } else {
            let name = shown.trim_matches(['{', '}']);
            let _ = write!(out, "<span class=\"variable\">{}</span>", escape(name));
        }
        rest = after;
    }
    out.push_str(&escape(rest));
    out
}
