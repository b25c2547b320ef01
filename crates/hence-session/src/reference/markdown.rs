//! The reference as one Markdown page; the graph in it as Mermaid, which code hosts draw.

use hence_core::literal::visible;
use hence_core::schema::Param;

use super::links::Link;
use super::{Clause, Entry, Reference, SECTIONS, declaration};

/// How many facts of a relation are shown.
const FACTS: usize = 40;
/// How many edges a graph may have to be drawn by those who draw Mermaid.
const EDGES: usize = 280;

/// The whole page.
pub(super) fn page(reference: &Reference<'_>) -> String {
    let mut out = format!("# {}\n\n", visible(&reference.title));
    for file in &reference.files {
        let about = if file.about.is_empty() { String::new() } else { format!(": {}", file.about) };
        out.push_str(&format!("- `{}`{about}\n", file.name));
    }
    for (kind, title) in SECTIONS {
        let names: Vec<_> =
            reference.of_kind(kind).map(|entry| link(entry.relation.name.as_str(), reference)).collect();
        if !names.is_empty() {
            out.push_str(&format!("\n{title}: {}\n", names.join(", ")));
        }
    }
    let edges = reference.graph.edges.len();
    if edges > 0 && edges <= EDGES {
        out.push_str(&format!("\n## Dependencies\n\n```mermaid\n{}```\n", reference.mermaid()));
    }
    for (kind, title) in SECTIONS {
        if reference.of_kind(kind).next().is_some() {
            out.push_str(&format!("\n## {title}\n"));
        }
        reference.of_kind(kind).for_each(|entry| section(entry, reference, &mut out));
    }
    params(reference, &mut out);
    sets(reference, &mut out);
    out
}

/// A link to the heading of a relation, by the rule by which code hosts name headings.
fn link(name: &str, reference: &Reference<'_>) -> String {
    match reference.kinds.get(name) {
        Some(kind) => format!("[`{name}`](#{}-{})", kind.keyword(), name.to_ascii_lowercase()),
        None => format!("`{name}`"),
    }
}

fn section(entry: &Entry<'_>, reference: &Reference<'_>, out: &mut String) {
    let relation = entry.relation;
    out.push_str(&format!("\n### {} `{}`\n", relation.kind.keyword(), relation.name));
    if !relation.doc.is_empty() {
        out.push_str(&format!("\n{}\n", relation.doc));
    }
    out.push_str(&format!("\n```prolog\n{}\n```\n", declaration(entry)));
    let ends = [("Reads", &entry.reads), ("Read by", &entry.readers)];
    for (title, links) in ends.into_iter().filter(|(_, links)| !links.is_empty()) {
        let links: Vec<_> = links.iter().map(|end| ends_text(end, reference)).collect();
        out.push_str(&format!("\n{title} {}.\n", links.join(", ")));
    }
    entry.rules.iter().for_each(|rule| clause(rule, out));
    facts(entry, out);
}

fn ends_text(end: &Link, reference: &Reference<'_>) -> String {
    let words = end.mode.words();
    let words = if words.is_empty() { words } else { format!(" ({words})") };
    format!("{}{words}", link(end.name.as_str(), reference))
}

fn clause(rule: &Clause<'_>, out: &mut String) {
    out.push_str(&format!("\n**`{}`** · {}\n", rule.id, rule.place));
    if let Some(sentence) = rule.sentence {
        out.push_str(&format!("\n> {}\n", literal(sentence)));
    }
    if !rule.doc.is_empty() {
        out.push_str(&format!("\n{}\n", rule.doc));
    }
    out.push_str(&format!("\n```prolog\n{}\n```\n", rule.text));
}

/// Text in which no character means anything to Markdown.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '_' | '[' | ']' | '<' | '>' | '\\' | '#' | '|' | '`') {
            out.push('\\');
        }
        out.push(if c == '\n' { ' ' } else { c });
    }
    out
}

fn facts(entry: &Entry<'_>, out: &mut String) {
    if entry.facts.is_empty() {
        return;
    }
    out.push_str("\n```prolog\n");
    for values in entry.facts.iter().take(FACTS) {
        out.push_str(&format!("{}({}).\n", entry.relation.name, values.join(", ")));
    }
    out.push_str("```\n");
    let left = entry.facts.len().saturating_sub(FACTS);
    if left > 0 {
        let file = entry.place.rsplit_once(':').map_or("", |(file, _)| file);
        out.push_str(&format!("\nand {left} more in `{file}`\n"));
    }
}

fn params(reference: &Reference<'_>, out: &mut String) {
    if reference.params.is_empty() {
        return;
    }
    out.push_str("\n## Parameters\n\n| parameter | type | value | |\n| --- | --- | --- | --- |\n");
    for param in &reference.params {
        out.push_str(&format!(
            "| `{}` | `{}` | {} | {} |\n",
            param.name,
            cell(&param.ty.to_string()),
            value(param),
            cell(&param.doc)
        ));
    }
}

fn value(param: &Param) -> String {
    let mut value = format!("`{}`", cell(&param.value.to_string()));
    if param.value != param.default {
        value.push_str(&format!(" (by default `{}`)", cell(&param.default.to_string())));
    }
    if !param.roles.is_empty() {
        let roles: Vec<String> = param.roles.iter().map(|role| format!("`{role}`")).collect();
        value.push_str(&format!(", set by {}", roles.join(", ")));
    }
    value
}

/// Text of a table's cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn sets(reference: &Reference<'_>, out: &mut String) {
    if reference.sets.is_empty() {
        return;
    }
    out.push_str("\n## Closed sets\n");
    for set in &reference.sets {
        let members: Vec<_> = set.members.iter().map(|member| format!("`{}`", member.name)).collect();
        let doc = set.doc.lines.join(" ");
        let doc = if doc.is_empty() { doc } else { format!("{doc} ") };
        out.push_str(&format!("\n- `{}`: {doc}{}\n", set.name.name, members.join(", ")));
    }
}
