//! Names of generated code: safe in Rust, and apart from each other where crepe folds them to lower case.

use std::collections::BTreeSet;

use hence_core::schema::RelationId;
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::{Program, Rule};

/// Words that Rust or the generated module keeps for itself.
const TAKEN: [&str; 28] = [
    "BadParam",
    "Bounds",
    "Column",
    "Columns",
    "Debug",
    "Decisions",
    "Default",
    "Err",
    "Extend",
    "Facts",
    "IntoIterator",
    "Many",
    "Name",
    "None",
    "Ok",
    "Option",
    "PACK",
    "Params",
    "Record",
    "Result",
    "Row",
    "RunError",
    "Self",
    "Some",
    "String",
    "Symbol",
    "Vec",
    "Word",
];

const KEYWORDS: [&str; 49] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while",
    "yield",
];

/// `tool_run` and `toolRun` as `ToolRun`; what is neither letter nor digit begins a new word.
pub(super) fn camel(name: &str) -> String {
    let mut out = String::new();
    let mut starts = true;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() {
            starts = true;
        } else if starts {
            out.push(c.to_ascii_uppercase());
            starts = false;
        } else {
            out.push(c);
        }
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) { format!("N{out}") } else { out }
}

/// `Tool`, `toolRun` and `tool_run` in small letters, words divided by `_`.
pub(super) fn snake(name: &str) -> String {
    let mut out = String::new();
    let mut small = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && small {
            out.push('_');
        }
        small = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    while out.contains("__") {
        out = out.replace("__", "_");
    }
    out.trim_matches('_').to_owned()
}

/// Names that are given out once each.
#[derive(Default)]
pub(super) struct Given(BTreeSet<String>);

impl Given {
    /// A name for a type or a variant.
    pub(super) fn type_name(&mut self, wanted: &str) -> String {
        let name = camel(wanted);
        let name = if TAKEN.contains(&name.as_str()) { format!("{name}Fact") } else { name };
        self.unused(&name)
    }

    /// A name for a field.
    pub(super) fn field(&mut self, wanted: &str) -> String {
        let name = match snake(wanted) {
            empty if empty.is_empty() => String::from("value"),
            name if matches!(name.as_str(), "self" | "super" | "crate") => format!("{name}_"),
            name => name,
        };
        let name = self.unused(&name);
        if KEYWORDS.contains(&name.as_str()) { format!("r#{name}") } else { name }
    }

    fn unused(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        for number in 2.. {
            if self.0.insert(free.clone()) {
                break;
            }
            free = format!("{name}{number}");
        }
        free
    }
}

/// The relation as crepe knows it: its number keeps names apart that differ in case alone, and keywords from being
/// keywords.
pub(super) fn relation(program: &Program, id: RelationId) -> String {
    format!("R{}{}", id.0, camel(program[id].name.as_str()))
}

/// A variable of a rule.
pub(super) fn variable(rule: &Rule, var: VarId) -> String {
    let name = snake(rule[var].name.as_str());
    let name = if name.starts_with(|c: char| c.is_ascii_lowercase()) { name } else { String::from("value") };
    format!("{name}_{}", var.0)
}

/// A function of a rule's own.
pub(super) fn function(program: &Program, rule: &Rule, number: u32, count: usize) -> String {
    format!("{}_{number}_{count}", snake(program[rule.head].name.as_str()))
}
