//! The pages about operators, functions, aggregates, generators and keywords, and what `hence explain` says of one.

use std::fmt::Write as _;

use hence_lang::builtins::reference::{NO_RESULT, SAMPLE, WordEntry, WordKind, entries, sections};

/// Every word that [`entry`] knows.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    entries().map(|(_, entry)| entry.name)
}

/// What `hence explain` says of a word: of `min` once as a function, and once as an aggregate.
pub(crate) fn entry(name: &str) -> Option<String> {
    let all: Vec<String> =
        entries().filter(|(_, entry)| entry.name == name).map(|(kind, entry)| section(kind, entry)).collect();
    (!all.is_empty()).then(|| all.join("\n"))
}

fn section(kind: WordKind, entry: &WordEntry) -> String {
    let mut out = format!("# {}: {kind}\n\n", entry.name);
    let types = entry.types(kind);
    if types.is_empty() {
        let _ = writeln!(out, "    {}", entry.form);
    }
    types.iter().for_each(|ty| {
        let _ = writeln!(out, "    {ty}");
    });
    let _ = write!(out, "\n`{}`\n\n{}\n", entry.form, entry.meaning);
    if kind == WordKind::Keyword {
        out = format!("# {}: {kind}\n\n`{}`\n\n{}\n", entry.name, entry.form, entry.meaning);
    }
    if !entry.examples.is_empty() {
        out.push_str("\n## Example\n\n");
    }
    if needs_sample(kind, entry) {
        let _ = writeln!(out, "Of `run(Tool, Ms, Ok)`, with the facts\n`{SAMPLE}`:\n");
    }
    for (example, gives) in entry.examples {
        let _ = match kind {
            WordKind::Keyword => writeln!(out, "```prolog\n{example}```"),
            _ => writeln!(out, "- {}", gives_what(example, gives)),
        };
    }
    out
}

/// Whether the examples name a variable of the sample.
fn needs_sample(kind: WordKind, entry: &WordEntry) -> bool {
    let names = |text: &str| ["Tool", "Ms", "Ok"].iter().any(|name| text.contains(name));
    kind == WordKind::Aggregate
        || kind != WordKind::Keyword && entry.examples.iter().any(|(text, _)| names(text))
}

fn gives_what(example: &str, gives: &str) -> String {
    match gives {
        NO_RESULT => format!("`{example}` is undefined"),
        _ => format!("`{example}` gives `{gives}`"),
    }
}

/// The page of operators and functions.
pub(super) fn functions() -> String {
    let mut out = String::from("# Functions and operators\n\n");
    out.push_str(
        "`T` is any type. Where an operation is undefined, its value is unknown, and what depends on it is\n\
         [undetermined](language.md#undefined-operations). `hence explain clamp` prints one entry.\n\n",
    );
    out.push_str(
        "Some examples name `Tool`, `Ms` and `Ok`: they are evaluated for `run(\"grep\", 10, true)`, matched by \
         `run(Tool, Ms, Ok)`.\n",
    );
    tables(&mut out, WordKind::Operator, "Operators: ");
    tables(&mut out, WordKind::Function, "");
    out
}

/// The page of a kind.
pub(super) fn page(kind: WordKind) -> String {
    let mut out = match kind {
        WordKind::Aggregate => format!("{AGGREGATES}\n\n```text\n{}\n```\n", SAMPLE.replace(". ", ".\n")),
        WordKind::Generator => GENERATORS.to_owned(),
        _ => KEYWORDS.to_owned(),
    };
    match kind {
        WordKind::Keyword => definitions(&mut out, kind),
        _ => tables(&mut out, kind, ""),
    }
    out
}

const AGGREGATES: &str = "# Aggregates\n\n\
    An aggregate is a whole column of a head. The other columns of the head are the group; the aggregate\n\
    ranges over all matches of the body ([the language](language.md#aggregates) says more). `T` and `U` are any\n\
    types. `hence explain mean` prints one entry.\n\n\
    The examples are what `result(AGGREGATE) :- run(Tool, Ms, Ok).` gives for these facts:";

const GENERATORS: &str = "# Generators\n\n\
    A generator is the right side of `in`: `X in words(S)` binds `X` to each element, and holds for a bound `X` that is\n\
    among them. Elements are distinct. `hence explain words` prints one entry.\n";

const KEYWORDS: &str = "# Keywords\n\n\
    `true`, `false`, `and`, `or`, `not`, `in`, `if` and the names of functions, aggregates and generators are never\n\
    names of relations. All other words are keywords only where the grammar expects them. Operators, and `if`, are\n\
    among the [functions](functions.md). `hence explain limit` prints one entry with an example.\n";

/// A table for each section.
fn tables(out: &mut String, kind: WordKind, prefix: &str) {
    for section in sections(kind) {
        let title = match prefix {
            "" => section.title.to_owned(),
            _ => format!("{prefix}{}", section.title.to_lowercase()),
        };
        let _ =
            write!(out, "\n## {title}\n\n| form | types | meaning | examples |\n| --- | --- | --- | --- |\n");
        for entry in section.entries {
            let code = |text: &str| format!("`{}`", cell(text));
            let types: Vec<String> = entry.types(kind).iter().map(|ty| code(ty)).collect();
            let examples: Vec<String> =
                entry.examples.iter().map(|(text, gives)| gives_what(&cell(text), &cell(gives))).collect();
            let (types, examples) = (types.join("<br>"), examples.join("<br>"));
            let _ =
                writeln!(out, "| {} | {types} | {} | {examples} |", code(entry.form), cell(entry.meaning));
        }
    }
}

fn definitions(out: &mut String, kind: WordKind) {
    for section in sections(kind) {
        let _ = write!(out, "\n## {}\n\n| word | form | meaning |\n| --- | --- | --- |\n", section.title);
        for entry in section.entries {
            let _ = writeln!(out, "| `{}` | `{}` | {} |", entry.name, cell(entry.form), cell(entry.meaning));
        }
    }
}

/// Text that stays in one cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', "\\n")
}
