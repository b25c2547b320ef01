//! The wording that all forms for people share: facts, origins, conditions, groups, standings.

use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::schema::Relation;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::builtins::term::Term;
use hence_lang::ir::Program;
use hence_lang::lower::is_made;

use super::super::proof::{Derived, FactPattern, Group, Origin, Premise, Proof, Ranked, Step, StepKind};

/// A fact with the names of its columns, where they say more than their order: two columns or more, declared.
pub fn fact_text(program: &Program, fact: &Fact) -> String {
    let values: Vec<_> = fact.values.iter().map(|value| Some(*value)).collect();
    atom_text(program, fact.relation, &values)
}

/// The fact of a step in the same form; of one that follows possibly, what is unknown of it.
pub(super) fn step_text(program: &Program, step: &Step) -> String {
    let Some(open) = &step.possible else { return fact_text(program, &step.fact) };
    let declared = named(program, open.relation);
    let columns = open.args.iter().enumerate().map(|(at, value)| {
        let value = value.map_or_else(|| String::from("unknown"), |value| value.to_string());
        match declared.and_then(|found| found.columns.get(at)) {
            Some(column) => format!("{}: {value}", column.name),
            None => value,
        }
    });
    format!("possibly {}({})", open.relation, columns.collect::<Vec<_>>().join(", "))
}

/// What was looked for, in the same form; columns at the end that may hold anything are one `_`.
pub(super) fn pattern_text(program: &Program, pattern: &FactPattern) -> String {
    atom_text(program, pattern.relation, &pattern.args)
}

/// A fact in which some columns may hold any value, which is said in their place.
pub(super) fn any_text(program: &Program, pattern: &FactPattern, left_out: &[usize]) -> String {
    let declared = named(program, pattern.relation);
    let said = pattern.args.iter().enumerate().filter(|(at, _)| declared.is_none() || !left_out.contains(at));
    let columns = said.map(|(at, value)| {
        let value = value.map_or_else(|| String::from("any"), |value| value.to_string());
        match declared.and_then(|found| found.columns.get(at)) {
            Some(column) => format!("{}: {value}", column.name),
            None => value,
        }
    });
    format!("{}({})", pattern.relation, columns.collect::<Vec<_>>().join(", "))
}

/// The relation of that name, where its columns are named in texts.
fn named(program: &Program, relation: Symbol) -> Option<&Relation> {
    program.find(relation).and_then(|id| program.relation(id)).filter(|found| is_named(found))
}

/// An aggregate of a body with its group, as the name and the columns of the relation of its values have them.
fn made_text(program: &Program, relation: Symbol, values: &[Option<Value>]) -> Option<String> {
    let id = program.find(relation).filter(|id| is_made(program, *id))?;
    let columns = program[id].columns.iter().zip(values);
    let given = columns.filter_map(|(column, value)| Some(format!("{} = {}", column.name, (*value)?)));
    let given: Vec<_> = given.collect();
    let text = relation.as_str().rsplit_once(" in ").map_or(relation.as_str(), |(text, _)| text);
    let with = if given.is_empty() { String::new() } else { format!(" with {}", given.join(", ")) };
    Some(format!("{text}{with}"))
}

fn atom_text(program: &Program, relation: Symbol, values: &[Option<Value>]) -> String {
    if let Some(text) = made_text(program, relation, values) {
        return text;
    }
    let declared = named(program, relation);
    let columns = values.iter().enumerate().filter_map(|(at, value)| {
        let name = declared.and_then(|found| found.columns.get(at)).map(|column| column.name);
        match (name, value) {
            (Some(name), Some(value)) => Some(format!("{name}: {value}")),
            (Some(_), None) => None,
            (None, Some(value)) => Some(value.to_string()),
            (None, None) => Some(String::from("_")),
        }
    });
    let columns: Vec<_> = columns.collect();
    let rest = match (declared.is_some() && columns.len() < values.len(), columns.is_empty()) {
        (true, true) => "_",
        (true, false) => ", _",
        (false, _) => "",
    };
    format!("{relation}({}{rest})", columns.join(", "))
}

fn is_named(relation: &Relation) -> bool {
    let mut columns = relation.columns.iter().enumerate();
    relation.columns.len() > 1 && columns.any(|(at, column)| column.name.as_str() != format!("c{}", at + 1))
}

/// The line below a fact: what it rests on.
pub(super) fn ground(step: &Step) -> String {
    match &step.kind {
        StepKind::Asserted { origin } => origin.as_ref().map_or(String::from("given"), origin_text),
        StepKind::ProgramFact { place, .. } => format!("program fact at {}:{}", place.file, place.line),
        StepKind::Derived(derived) => rule_text(derived),
        StepKind::Cut => String::from("derived; not expanded further"),
    }
}

/// The rule and its place, and what its doc comment says where no sentence does.
pub(super) fn rule_text(derived: &Derived) -> String {
    let at = format!("by rule {}, {}:{}", derived.rule, derived.place.file, derived.place.line);
    match derived.doc.lines().next().filter(|_| derived.sentence.is_none()) {
        Some(doc) if !doc.trim().is_empty() => format!("{at}: {}", doc.trim()),
        _ => at,
    }
}

/// `asserted by anna at 2026-02-03T14:23:45Z from review, transaction 12`.
pub(super) fn origin_text(origin: &Origin) -> String {
    let mut text = String::from("asserted");
    if let Some(author) = &origin.author {
        let rule = if origin.step.is_some() { "rule " } else { "" };
        let strength = if origin.signed { " (signed)" } else { "" };
        text.push_str(&format!(" by {rule}{author}{strength}"));
    }
    if let Some(time) = origin.time {
        text.push_str(&format!(" at {}", literal::time_text(time)));
    }
    if let Some(source) = &origin.source {
        text.push_str(&format!(" from {source}"));
    }
    if let Some(transaction) = origin.transaction {
        text.push_str(&format!(", transaction {transaction}"));
    }
    if let Some((step, sentence)) = &origin.step {
        text.push_str(&format!(", step {step}"));
        if let Some(sentence) = sentence {
            text.push_str(&format!(": {sentence}"));
        }
    }
    for column in &origin.defaults {
        text.push_str(&format!("; {column} is the default"));
    }
    text
}

/// What a rule computes: `score: 0.561 = 0.5 × 0.8 + 0.805 × 0.2   (Share * weight + Usefulness * other_weight)`.
pub(super) fn computed_lines(derived: &Derived) -> impl Iterator<Item = String> {
    derived.computed.iter().map(|computed| {
        let text = format!("{} = {}", computed.value, computed.text);
        format!("{}: {}", computed.column, aside(&text, &computed.written))
    })
}

/// In how many ways a fact is derived, where that was counted and there are several.
pub fn ways_text(proof: &Proof) -> Option<String> {
    let ways = proof.ways.filter(|ways| ways.counted > 1 || ways.more)?;
    let more = if ways.more { "at least " } else { "" };
    Some(format!("this is one of {more}{} ways to derive it; `--all` shows each", ways.counted))
}

/// The variables of a step that its fact doesn't show anyway.
pub(super) fn step_bindings(program: &Program, derived: &Derived) -> Option<String> {
    let rule = program.rules.iter().find(|rule| rule.id == derived.rule);
    let head = rule.into_iter().flat_map(|rule| {
        rule.terms.iter().filter_map(|term| match term {
            Term::Expr(Expr { kind: ExprKind::Var(var), .. }) => rule.variables.get(var.0 as usize),
            _ => None,
        })
    });
    let shown: Vec<Symbol> = head.map(|variable| variable.name).collect();
    let rest = derived.bindings.iter().filter(|(name, _)| !shown.contains(name));
    bindings_text(&rest.copied().collect::<Vec<_>>())
}

/// The variables that the rule's author named, with their values.
pub(super) fn bindings_text(bindings: &[(Symbol, Value)]) -> Option<String> {
    let named = bindings.iter().filter(|(name, _)| !is_unnamed(*name));
    let shown: Vec<_> = named.map(|(name, value)| format!("{name} = {value}")).collect();
    (!shown.is_empty()).then(|| format!("with {}", shown.join(", ")))
}

/// The premises without those that only say again what the aggregate before them gives.
pub(super) fn told(premises: &[Premise]) -> impl Iterator<Item = &Premise> {
    let before = std::iter::once(None).chain(premises.iter().map(Some));
    premises
        .iter()
        .zip(before)
        .filter(|(premise, before)| !says_again(*before, premise))
        .map(|(told, _)| told)
}

/// Whether a premise is `0 = 0`, of the `N = count { … }` whose value the one before it tells.
fn says_again(before: Option<&Premise>, premise: &Premise) -> bool {
    let (Some(Premise::Aggregate(group)), Premise::Test { text, written }) = (before, premise) else {
        return false;
    };
    group
        .results
        .iter()
        .any(|outcome| *text == format!("{0} = {0}", outcome.value) && written.ends_with(&outcome.written))
}

/// A premise that is no fact, in one line.
pub(super) fn premise_text(program: &Program, premise: &Premise) -> String {
    match premise {
        Premise::Fact(_) => String::new(),
        Premise::Absent { atom, among: 0 } => {
            format!("no {}: there is no {} at all", pattern_text(program, atom), atom.relation)
        }
        Premise::Absent { atom, among } => {
            format!("no {}: none of {} matches", pattern_text(program, atom), facts(*among))
        }
        Premise::Test { text, written } => aside(text, written),
        Premise::Bind { var, text, written, value } => bind_text(*var, text, written, *value),
        Premise::Each { var, text, written, value } => {
            aside(&format!("{var} = {value} is one of {text}"), written)
        }
        Premise::Aggregate(group) => group_text(group),
        Premise::Limit(ranked) => ranked_text(program, ranked),
    }
}

/// `text` with the words of the rule after it, where they differ.
fn aside(text: &str, written: &str) -> String {
    if text == written { text.to_owned() } else { format!("{text}   ({written})") }
}

/// Whether no author gave the variable its name.
fn is_unnamed(var: Symbol) -> bool {
    var.as_str().starts_with(|c: char| !c.is_alphabetic() && c != '_')
}

fn bind_text(var: Symbol, text: &str, written: &str, value: Value) -> String {
    let made = is_unnamed(var);
    let worth = text != value.to_string();
    match (made, worth) {
        (true, true) => aside(&format!("{text} = {value}"), written),
        (true, false) => aside(&value.to_string(), written),
        (false, true) => aside(&format!("{var} = {text} = {value}"), &format!("{var} = {written}")),
        (false, false) => aside(&format!("{var} = {value}"), &format!("{var} = {written}")),
    }
}

/// `quality = 0.45 is mean(Q), over 3 matches with tool "a"`; a value that the rule only compares has no name.
fn group_text(group: &Group) -> String {
    let results = group.results.iter();
    let results = results.map(|found| {
        let named = if is_unnamed(found.column) { String::new() } else { format!("{} = ", found.column) };
        format!("{named}{} is {}", found.value, found.written)
    });
    let by: Vec<_> = group.by.iter().map(|(column, value)| format!("{column} {value}")).collect();
    let place = if by.is_empty() { String::new() } else { format!(" with {}", by.join(", ")) };
    let matches = if group.matches == 1 { "1 match" } else { &format!("{} matches", group.matches) };
    format!("{}, over {matches}{place}", results.collect::<Vec<_>>().join(", "))
}

/// `rank 2 of 12 by S = 0.8 for Task = "t"; the first 5 are kept; first left out: …`.
fn ranked_text(program: &Program, ranked: &Ranked) -> String {
    let keys: Vec<_> = ranked.keys.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    let per: Vec<_> = ranked.per.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let place = if per.is_empty() { String::new() } else { format!(" for {}", per.join(", ")) };
    let kept = if ranked.keep == 1 {
        "only the first is kept"
    } else {
        &format!("the first {} are kept", ranked.keep)
    };
    let mut text = format!("rank {} of {} by {}{place}; {kept}", ranked.rank, ranked.of, keys.join(", "));
    if let Some((fact, keys)) = &ranked.left_out {
        let tied = ranked.keys.iter().map(|(_, own)| own).eq(keys);
        let keys: Vec<_> = keys.iter().map(ToString::to_string).collect();
        text.push_str(&format!("; first left out: {} with {}", fact_text(program, fact), keys.join(", ")));
        if tied {
            text.push_str(", a tie, which the order of the columns decides");
        }
    }
    text
}

fn facts(count: usize) -> String {
    if count == 1 { String::from("1 fact") } else { format!("{count} facts") }
}
