//! What a word at the prompt may become: commands, relations, parameters, functions, keywords.

use std::collections::BTreeSet;

use hence_lang::builtins::{aggregate, generator, op};

use super::super::RuleSet;
use super::entry::COMMANDS;

/// Words of the language that no table holds.
const KEYWORDS: [&str; 25] = [
    "and", "as", "by", "decision", "desc", "exactly", "expect", "false", "feed", "from", "given", "if", "in",
    "input", "limit", "no", "not", "or", "param", "per", "relation", "requires", "test", "then", "true",
];

/// Where the last word of `line` begins, and what it may become, in order. What takes arguments comes with its
/// parenthesis.
pub fn complete(rules: &RuleSet, line: &str) -> (usize, Vec<String>) {
    if line.starts_with(':') && !line.contains(char::is_whitespace) {
        let commands = COMMANDS.iter().filter(|(name, ..)| name.starts_with(line));
        let space = |argument: &str| if argument.is_empty() { "" } else { " " };
        return (0, commands.map(|(name, argument, _)| format!("{name}{}", space(argument))).collect());
    }
    let start = line.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
    let word = line.get(start..).unwrap_or("");
    let names = if line.starts_with(":facts") { relations(rules, "") } else { words(rules) };
    let begins = word.starts_with(|c: char| c.is_ascii_lowercase()) || line.starts_with(":facts");
    if !begins || inside_string(line) {
        return (start, Vec::new());
    }
    (start, names.into_iter().filter(|name| name.starts_with(word)).collect())
}

fn relations(rules: &RuleSet, end: &str) -> BTreeSet<String> {
    rules.program.relations.iter().map(|relation| format!("{}{end}", relation.name)).collect()
}

fn words(rules: &RuleSet) -> BTreeSet<String> {
    let mut words = relations(rules, "(");
    words.extend(rules.program.params.iter().map(|param| param.name.to_string()));
    let functions = [op::names(), aggregate::names(), generator::names()].concat();
    let functions = functions.into_iter().filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()));
    words.extend(functions.filter(|name| !KEYWORDS.contains(name)).map(|name| format!("{name}(")));
    words.extend(KEYWORDS.map(str::to_owned));
    words
}

fn inside_string(line: &str) -> bool {
    let last = line.lines().last().unwrap_or("");
    last.matches('"').count() % 2 == 1
}
