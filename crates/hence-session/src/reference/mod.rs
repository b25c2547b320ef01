//! The reference of a rule set: its relations with their documentation, rules and readers, its parameters and
//! closed sets, and the graph of who reads whom; written as Markdown, HTML, DOT, Mermaid or SVG.

mod dot;
mod graph;
mod highlight;
mod html;
mod layers;
mod layout;
mod links;
mod markdown;
mod mermaid;
mod order;
mod place;
mod svg;

use std::collections::BTreeMap;

use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexVec;
use hence_core::schema::{Kind, Param, Relation, RelationId};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_lang::ir::{GroundFact, Rule};
use hence_syntax::tree::{self, Item};

use super::RuleSet;
use graph::Graph;
use links::{Link, Links};

/// Everything that a reference shows.
pub struct Reference<'a> {
    title: String,
    files: Vec<FileNote<'a>>,
    entries: Vec<Entry<'a>>,
    /// The kinds of those that have an entry, by name.
    kinds: BTreeMap<&'a str, Kind>,
    params: Vec<&'a Param>,
    sets: Vec<&'a tree::TypeDecl>,
    graph: Graph<'a>,
}

/// A file, and the comment that it begins with.
struct FileNote<'a> {
    name: &'a str,
    about: String,
}

/// A relation.
struct Entry<'a> {
    relation: &'a Relation,
    /// `requires …` as written.
    guard: Option<&'a str>,
    /// Where it is declared, or first derived.
    place: String,
    rules: Vec<Clause<'a>>,
    /// The facts of the rule files: their values.
    facts: Vec<Vec<String>>,
    reads: Vec<Link>,
    readers: Vec<Link>,
}

/// A rule.
struct Clause<'a> {
    id: Symbol,
    sentence: Option<&'a str>,
    doc: &'a str,
    text: String,
    place: String,
}

impl<'a> Reference<'a> {
    /// The reference of `rules`.
    pub fn new(title: impl Into<String>, rules: &'a RuleSet) -> Self {
        let links = Links::new(&rules.program);
        let contents = Contents::new(rules);
        let mut entries: Vec<Entry<'a>> = Vec::new();
        for kind in [Kind::Decision, Kind::Derived, Kind::Input] {
            let all = rules.program.relations.iter().enumerate();
            let mut of_kind: Vec<_> = all.filter(|(_, relation)| relation.kind == kind).collect();
            of_kind.sort_by_key(|(at, relation)| (relation.span, *at));
            let ids = of_kind.into_iter().map(|(at, relation)| (RelationId(at as u32), relation));
            entries.extend(
                ids.filter(|(id, _)| !hence_lang::lower::is_made(&rules.program, *id))
                    .filter(|(id, relation)| relation.name.as_str() != "now" || links.is_read(*id))
                    .map(|(id, relation)| entry(rules, &links, &contents, id, relation)),
            );
        }
        Self {
            title: title.into(),
            files: rules.files.iter().map(|file| note(rules, file)).collect(),
            kinds: entries.iter().map(|entry| (entry.relation.name.as_str(), entry.relation.kind)).collect(),
            entries,
            params: rules.program.params.iter().collect(),
            sets: rules.files.iter().flat_map(|file| &file.items).filter_map(closed_set).collect(),
            graph: Graph::new(&rules.program, &links),
        }
    }

    /// One Markdown page.
    pub fn markdown(&self) -> String {
        markdown::page(self)
    }

    /// One HTML page that needs nothing else.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// The graph of who reads whom for Graphviz.
    pub fn dot(&self) -> String {
        dot::text(&self.graph)
    }

    /// The same for Mermaid.
    pub fn mermaid(&self) -> String {
        mermaid::text(&self.graph)
    }

    /// The same as a picture.
    pub fn svg(&self) -> String {
        svg::picture(&self.graph, false)
    }

    /// The entries of a kind.
    fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Entry<'a>> {
        self.entries.iter().filter(move |entry| entry.relation.kind == kind)
    }
}

/// The sections of a page about relations, in their order.
const SECTIONS: [(Kind, &str); 3] =
    [(Kind::Decision, "Decisions"), (Kind::Derived, "Derived relations"), (Kind::Input, "Inputs")];

fn closed_set(item: &Item) -> Option<&tree::TypeDecl> {
    match item {
        Item::Type(decl) => Some(decl),
        _ => None,
    }
}

/// What the relations of a rule set consist of.
struct Contents<'a> {
    /// The tree of each rule by its place.
    trees: BTreeMap<Span, &'a tree::Rule>,
    rules: IndexVec<RelationId, Vec<&'a Rule>>,
    facts: IndexVec<RelationId, Vec<&'a GroundFact>>,
}

impl<'a> Contents<'a> {
    fn new(of: &'a RuleSet) -> Self {
        let items = of.files.iter().flat_map(|file| &file.items);
        let trees = items.filter_map(|item| match item {
            Item::Rule(rule) => Some((rule.span, rule)),
            _ => None,
        });
        let relations = of.program.relations.len();
        let mut rules = IndexVec::filled(Vec::new(), relations);
        of.program.rules.iter().for_each(|rule| rules[rule.head].push(rule));
        let mut facts = IndexVec::filled(Vec::new(), relations);
        of.program.facts.iter().for_each(|fact| facts[fact.relation].push(fact));
        Self { trees: trees.collect(), rules, facts }
    }
}

/// The comment at the top of a file that belongs to none of its items.
fn note<'a>(rules: &'a RuleSet, file: &tree::File) -> FileNote<'a> {
    let source = rules.sources.get(file.id).or_broken("the files of a rule set are among its sources");
    let text = source.text().trim_start_matches('\u{feff}');
    let lines = text.lines().take_while(|line| line.starts_with('#') && !line.starts_with("##"));
    let about: Vec<&str> = lines.map(|line| line.trim_start_matches('#').trim()).collect();
    FileNote { name: source.name(), about: about.join(" ") }
}

fn entry<'a>(
    rules: &'a RuleSet,
    links: &Links,
    contents: &Contents<'a>,
    id: RelationId,
    relation: &'a Relation,
) -> Entry<'a> {
    let guard = rules.checked.requires.iter().find(|guard| guard.decision == id);
    let (clauses, facts) = (contents.rules[id].iter(), contents.facts[id].iter());
    Entry {
        relation,
        guard: guard.map(|guard| rules.sources.slice(guard.span)),
        place: place(rules, relation.span),
        rules: clauses.map(|rule| clause(rules, &contents.trees, rule.id, &rule.doc, rule.span)).collect(),
        facts: facts.map(|fact| fact.values.iter().map(ToString::to_string).collect()).collect(),
        reads: links.reads(id),
        readers: links.readers(id),
    }
}

fn clause<'a>(
    rules: &'a RuleSet,
    trees: &BTreeMap<Span, &'a tree::Rule>,
    id: Symbol,
    doc: &'a str,
    span: Span,
) -> Clause<'a> {
    let tree = trees.get(&span);
    let start = tree.map_or(span.start, |rule| rule.head.span.start);
    let text = rules.sources.slice(Span { start, ..span });
    Clause {
        id,
        sentence: tree.and_then(|rule| rule.because).map(|(text, _)| text.as_str()),
        doc,
        text: dedent(text, rules.sources.place(Span { start, ..span }).column),
        place: place(rules, span),
    }
}

/// The text of a clause that begins in `column`, its other lines moved left as far.
fn dedent(text: &str, column: usize) -> String {
    let cut = |line: &str| {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let cut = line.get(spaces.min(column.saturating_sub(1))..);
        cut.or_broken("the spaces before a line are part of it").to_owned()
    };
    let mut lines = text.lines();
    let first = lines.next().map(str::to_owned);
    first.into_iter().chain(lines.map(cut)).collect::<Vec<_>>().join("\n")
}

/// File and line; nothing for a relation that every rule set has.
fn place(rules: &RuleSet, span: Span) -> String {
    if span == Span::default() {
        return String::new();
    }
    let place = rules.sources.place(span);
    format!("{}:{}", place.file, place.line)
}

/// The declaration of a relation; a column a line where it is long.
fn declaration(entry: &Entry<'_>) -> String {
    let relation = entry.relation;
    let clause = entry.guard.map(str::to_owned).or_else(|| authors(relation));
    let guard = clause.map(|clause| format!("\n    {clause}")).unwrap_or_default();
    let line = format!("{} {relation}", relation.kind.keyword());
    if line.chars().count() < 90 {
        return format!("{line}{guard}.");
    }
    let columns = relation.columns.iter().map(|column| format!("    {column}"));
    let columns = columns.collect::<Vec<_>>().join(",\n");
    format!("{} {}(\n{columns}\n){guard}.", relation.kind.keyword(), relation.name)
}

/// `from role, … as column, at column` of an input that says who may assert it.
fn authors(relation: &Relation) -> Option<String> {
    let authors = relation.authors.as_ref()?;
    let name = |at: usize| relation.columns.get(at).map(|column| column.name.as_str());
    let roles: Vec<&str> = authors.roles.iter().map(|role| role.as_str()).collect();
    let by = authors.column.and_then(name).map(|name| format!(" as {name}"));
    let at = authors.time.and_then(name).map(|name| format!(", at {name}"));
    Some(format!("from {}{}{}", roles.join(", "), by.unwrap_or_default(), at.unwrap_or_default()))
}

/// Text inside HTML, SVG and attributes of both.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // No other control character may stand in HTML or XML.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
