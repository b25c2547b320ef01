//! What a fuzz run does with some bytes: whatever they are, nothing panics, and what is correct keeps its meaning.

mod outside;

pub use outside::{edits, events, receipts, registries, schedules, source, spans, tests};

use hence::session::{self, Findings, Loader};
use hence_core::json;
use hence_core::schema::{Column, ColumnType, Kind, Relation};
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Type;
use hence_engine::Naive;
use hence_engine::SemiNaive;
use hence_engine::{Database, Engine, Limits, Threads};
use hence_lang::analysis;
use hence_ledger::interchange::{self, FactFormat, Schemas};
use hence_syntax as syntax;

/// What a program of a fuzz run may spend.
const LIMITS: Limits =
    Limits { facts: 300, iterations: 20, time: None, memory: Some(1 << 24), threads: Threads::ONE };

fn check(text: &str) -> Findings {
    let mut loader = Loader::default();
    loader.text("fuzz.dl", text);
    session::check(loader.finish(), &[])
}

/// Reads bytes as a rule file and runs it if it is correct.
pub fn rules(bytes: &[u8]) {
    let mut sources = Sources::default();
    let id = sources.add("fuzz.dl", String::from_utf8_lossy(bytes));
    let Ok(text) = syntax::decode(id, bytes) else { return };
    let found = check(text);
    for diagnostic in &found.faults.diagnostics {
        assert!(!diagnostic.message.is_empty());
        for label in &diagnostic.labels {
            assert!(text.get(label.span.range()).is_some(), "a label off the characters of the text");
        }
    }
    let Some(rules) = found.rules else { return };
    let input = Database::new(&rules.program);
    let naive = Naive.evaluate(&rules.program, input.clone(), &LIMITS);
    let embedded = SemiNaive.evaluate(&rules.program, input, &LIMITS);
    if let (Ok(naive), Ok(embedded)) = (&naive, &embedded) {
        assert_eq!(naive.undefined, embedded.undefined, "reports differ");
        let sizes = |model: &hence_engine::Model| {
            model.relations.iter().map(|extent| extent.rows.len()).collect::<Vec<_>>()
        };
        assert_eq!(sizes(naive), sizes(embedded), "relations differ");
    }
    let printed = syntax::format(text, &rules.files[0]);
    let again = check(&printed);
    let again = again.rules.unwrap_or_else(|| panic!("refused once printed:\n{printed}"));
    assert_eq!(rules.program.to_string(), again.program.to_string(), "another program once printed");
    assert_eq!(syntax::format(&printed, &again.files[0]), printed, "another text once printed twice");
}

/// The relations that fact files are read against.
fn schemas() -> Vec<Relation> {
    let types = [Type::Int, Type::Float, Type::String, Type::Name, Type::Bool, Type::Time, Type::Duration];
    let relation = |name: &str, types: &[Type]| Relation {
        name: Symbol::new(name),
        kind: Kind::Input,
        columns: types
            .iter()
            .zip(["x", "s", "t", "n", "b", "at", "d"])
            .map(|(ty, name)| Column { name: Symbol::new(name), ty: ColumnType::plain(*ty), default: None })
            .collect(),
        doc: String::new(),
        requires: None,
        authors: None,
        personal: Vec::new(),
        span: Span::default(),
    };
    vec![
        relation("p", &types[..2]),
        relation("r", &types),
        relation("s", &types[2..4]),
        relation("now", &types[5..6]),
    ]
}

/// Reads bytes as a fact file of each format; what is read is written and read again.
pub fn facts(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let relations = schemas();
    let schemas = Schemas::new(&relations);
    let read = |name: &str, text: &str, format| {
        interchange::read_text(&mut Sources::default(), name, text, format, &schemas)
    };
    for (name, format) in [
        ("p.jsonl", FactFormat::JsonLines),
        ("p.csv", FactFormat::Csv),
        ("s.tsv", FactFormat::Tsv),
        ("r.facts", FactFormat::Souffle),
    ] {
        let Ok(facts) = read(name, text, format) else { continue };
        let written: String = facts.iter().map(|fact| json::line(fact) + "\n").collect();
        assert_eq!(read("again.jsonl", &written, FactFormat::JsonLines).as_ref(), Ok(&facts), "{written}");
    }
}

/// Reads bytes as a literal, as a query, and as a fact.
pub fn values(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Some(value) = syntax::parse_value(text) {
        assert_eq!(syntax::parse_value(&value.to_string()), Some(value), "{value}");
    }
    let rules = "input p(x: int, s: string).\nq(X, len(S)) :- p(X, S).\n";
    let rules = check(rules).rules.expect("correct rules");
    let mut sources = rules.sources.clone();
    let id = sources.add("query", text);
    let (literals, found) = syntax::parse_query(id, text);
    if found.is_empty() {
        analysis::check_query(&rules.checked, &literals, &sources);
    }
    if let (Some(atom), found) = syntax::parse_fact(id, text)
        && found.is_empty()
    {
        analysis::check_atom(&rules.checked, &atom, &sources);
    }
}
