//! A typed text split into its facts of inputs, which are asserted, and everything else, which are rules.

use hence_core::schema::Kind;
use hence_core::span::{FileId, Span};
use hence_core::symbol::Symbol;
use hence_syntax as syntax;
use hence_syntax::tree::{Args, File, Item};

/// Both parts, each as long as the whole: what belongs to the other is blanked out, so that places stay right.
pub(super) struct Split {
    /// Rules, declarations and comments.
    pub(super) rules: String,
    /// Facts of inputs.
    pub(super) facts: String,
    /// The facts of inputs that name their columns.
    pub(super) named: Vec<String>,
    /// How many rules, declarations, parameters and tests there are.
    pub(super) rule_count: usize,
    /// How many facts of inputs there are.
    pub(super) fact_count: usize,
    /// Whether the text has faults of syntax; all of it then counts as rules.
    pub(super) faulty: bool,
    /// The path of an import in it.
    pub(super) import: Option<String>,
}

impl Split {
    /// Splits `text`; `inputs` are the inputs that are known already.
    pub(super) fn new(text: &str, inputs: &[Symbol]) -> Self {
        let (tree, found) = syntax::parse(FileId::default(), text);
        let inputs = known(&tree, inputs);
        let by_name: Vec<Span> = tree
            .items
            .iter()
            .filter(|item| is_fact(item, &inputs) && is_by_name(slice(text, item.span())))
            .map(Item::span)
            .collect();
        if !by_name.is_empty() {
            let rest = Self::new(&blanked(text, &by_name, true), &inputs);
            let named: Vec<String> = by_name.iter().map(|span| slice(text, *span).to_owned()).collect();
            return Self { fact_count: rest.fact_count + named.len(), named, ..rest };
        }
        let faulty = !found.is_empty();
        let facts: Vec<Span> =
            tree.items.iter().filter(|item| !faulty && is_fact(item, &inputs)).map(Item::span).collect();
        let import = tree.items.iter().find_map(|item| match item {
            Item::Import(import) => Some(import.path.clone()),
            _ => None,
        });
        Self {
            rules: blanked(text, &facts, true),
            facts: blanked(text, &facts, false),
            named: Vec::new(),
            rule_count: tree.items.len() - facts.len(),
            fact_count: facts.len(),
            faulty,
            import,
        }
    }
}

/// The inputs known already and those that the text declares.
fn known(tree: &File, inputs: &[Symbol]) -> Vec<Symbol> {
    let declared = tree.items.iter().filter_map(|item| match item {
        Item::Relation(decl) if decl.kind == Kind::Input => Some(decl.name.name),
        _ => None,
    });
    inputs.iter().copied().chain(declared).collect()
}

fn is_fact(item: &Item, inputs: &[Symbol]) -> bool {
    match item {
        Item::Rule(rule) => {
            let plain = rule.body.is_empty() && rule.limit.is_none();
            plain && rule.id.is_none() && rule.because.is_none() && inputs.contains(&rule.head.name)
        }
        _ => false,
    }
}

fn slice(text: &str, span: Span) -> &str {
    text.get(span.range()).unwrap_or("")
}

/// Whether a fact, which heads a rule by position, reads as one by name.
fn is_by_name(text: &str) -> bool {
    let (atom, found) = syntax::parse_fact(FileId::default(), text);
    found.is_empty() && atom.is_some_and(|atom| matches!(atom.args, Args::Named(_)))
}

/// The text with white space in the place of `spans` (`inside`), or of everything else. Line ends stay.
fn blanked(text: &str, spans: &[Span], inside: bool) -> String {
    let mut spans = spans.iter().peekable();
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        while spans.next_if(|span| (span.end as usize) <= at).is_some() {}
        let within = spans.peek().is_some_and(|span| span.range().contains(&at));
        if within == inside && c != '\n' {
            out.extend(std::iter::repeat_n(' ', c.len_utf8()));
        } else {
            out.push(c);
        }
    }
    out
}
