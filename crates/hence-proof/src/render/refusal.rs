//! Why-not as lines for a terminal, as one line, and as JSON.

use serde_json::{Value as Json, json as object};

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::json::{fact as fact_json, value as value_json};
use hence_core::literal::{self, visible};
use hence_core::schema::RULES;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::ir::Program;

use super::super::proof::{FactPattern, Proof, StepId, StepKind};
use super::super::why_not::{Attempt, Change, Failure, Remedies, Remedy, WhyNot};
use super::json::json;
use super::text;

/// The explanation as indented lines, ending with a line feed.
pub fn why_not_text(program: &Program, answer: &WhyNot) -> String {
    let mut out = String::new();
    let asked = text::pattern_text(program, &answer.asked);
    if answer.holds.is_empty() {
        out.push_str(&format!("{asked} does not hold.\n"));
    } else {
        let facts = list(program, &answer.holds);
        let all = if facts == asked { String::new() } else { format!(": {facts}") };
        out.push_str(&format!("{asked} holds{all}\n"));
    }
    body(program, answer, "", &mut out);
    out
}

fn body(program: &Program, answer: &WhyNot, indent: &str, out: &mut String) {
    let mut line = |text: String| out.push_str(&format!("{indent}{}\n", visible(&text)));
    if answer.input && answer.holds.is_empty() {
        line(String::from("It is an input: it holds only if it is asserted."));
    }
    if answer.attempts.is_empty() && !answer.nearest.is_empty() && answer.holds.is_empty() {
        line(format!("Nearest facts: {}", list(program, &answer.nearest)));
    }
    if answer.attempts.is_empty() && !answer.input && answer.holds.is_empty() {
        line(String::from("No rule derives it."));
    }
    for (rule, place, text) in &answer.undetermined {
        line(format!("Undetermined: `{text}` in rule {rule}, {}:{}, is undefined.", place.file, place.line));
    }
    for attempt in &answer.attempts {
        rule(program, attempt, indent, out);
    }
    for text in &answer.stopped {
        out.push_str(&format!("{indent}The search stopped {text}\n"));
    }
}

fn rule(program: &Program, attempt: &Attempt, indent: &str, out: &mut String) {
    let place = format!("{}:{}", attempt.place.file, attempt.place.line);
    let doc = attempt.doc.lines().next().map(str::trim).filter(|doc| !doc.is_empty());
    let doc = doc.map(|doc| format!(": {doc}")).unwrap_or_default();
    out.push_str(&format!("{indent}• rule {}, {place}{doc}\n", attempt.rule));
    let mut line = |text: String| out.push_str(&format!("{indent}  {}\n", visible(&text)));
    if let Some(text) = text::bindings_text(&attempt.bindings) {
        line(text);
    }
    failure_lines(program, &attempt.failure).into_iter().for_each(&mut line);
    if attempt.others > 0 {
        line(format!("({} more get this far and fail here too)", attempt.others));
    }
    let deeper = format!("{indent}    ");
    if let Failure::Missing { below: Some(below), .. } = &attempt.failure {
        body(program, below, &deeper, out);
    }
    if let Failure::InTheWay { why: Some(why), .. } = &attempt.failure {
        let layout = super::Layout { steps: 12, bindings: false, ..super::Layout::default() };
        for line in super::tree(why, program, &layout).lines() {
            out.push_str(&format!("{deeper}{line}\n"));
        }
    }
}

fn failure_lines(program: &Program, failure: &Failure) -> Vec<String> {
    let mut lines = vec![format!("✗ {}", failure_line(program, failure))];
    match failure {
        Failure::Missing { nearest, .. } if !nearest.is_empty() => {
            lines.push(format!("nearest: {}", list(program, nearest)));
        }
        Failure::InTheWay { facts, count, .. } if *count > 1 => {
            lines.push(format!("{count} block it: {}", list(program, facts)));
        }
        Failure::Limit { last_kept: Some((fact, keys)), keys: own, .. } => {
            let tied = own.iter().map(|(_, own)| own).eq(keys);
            let tied = if tied { ", a tie, which the order of the columns decides" } else { "" };
            let keys: Vec<_> = keys.iter().map(ToString::to_string).collect();
            let fact = super::fact_text(program, fact);
            lines.push(format!("last fact kept: {fact} with {}{tied}", keys.join(", ")));
        }
        _ => {}
    }
    lines
}

/// What failed in one line.
pub(crate) fn failure_line(program: &Program, failure: &Failure) -> String {
    match failure {
        Failure::Head { column, gives: Some(gives), asked } => {
            format!("it gives {column} = {gives}, not {asked}")
        }
        Failure::Head { column, gives: None, .. } => format!("its value for {column} is undefined"),
        Failure::Missing { atom, among, .. } => {
            let none = match among {
                0 => format!(": there is no {} at all", atom.relation),
                _ => String::new(),
            };
            let only = if is_of_rules(program, atom.relation) { ", and only rules assert it" } else { "" };
            format!("{} is missing{none}{only}", text::pattern_text(program, atom))
        }
        Failure::InTheWay { atom, facts, .. } => {
            let fact = facts.first().map(|fact| super::fact_text(program, fact));
            let fact = fact.unwrap_or_else(|| text::pattern_text(program, atom));
            format!("{fact} holds but must not")
        }
        Failure::Test { text, written } => format!("`{written}` fails: {text}"),
        Failure::NoResult { text, written } => format!("`{written}` is undefined: {text}"),
        Failure::Differs { var, has: Some(has), text, written } => {
            format!("{var} is {has}, but `{written}` requires otherwise: {text}")
        }
        Failure::Differs { text, written, .. } => format!("`{written}` has no element: {text}"),
        Failure::Aggregate { results, matches } => aggregate_line(results, *matches),
        Failure::Limit { rank, keep, of, keys, .. } => {
            let keys: Vec<_> = keys.iter().map(|(key, value)| format!("{key} = {value}")).collect();
            if rank <= keep {
                return format!("its rank is {rank} of {of} by {}, not the requested one", keys.join(", "));
            }
            let kept = if *keep == 1 { "first is" } else { &format!("first {keep} are") };
            format!("it ranks {rank} of {of} by {}, and only the {kept} kept", keys.join(", "))
        }
        Failure::Stopped => String::from("the search stopped before it found what fails"),
    }
}

/// Whether an input is one that effects alone write.
fn is_of_rules(program: &Program, relation: Symbol) -> bool {
    let authors = program.find(relation).and_then(|id| program[id].authors.as_ref());
    authors.is_some_and(|authors| matches!(authors.roles.as_slice(), [role] if role.as_str() == RULES))
}

fn aggregate_line(results: &[(Symbol, String, Option<Value>, Option<Value>)], matches: usize) -> String {
    let results = results.iter().map(|(column, written, gives, asked)| {
        let gives = gives.map_or(String::from("nothing"), |value| value.to_string());
        let asked = asked.map(|value| format!(", not {value}")).unwrap_or_default();
        format!("{written} over {matches} matches gives {column} = {gives}{asked}")
    });
    results.collect::<Vec<_>>().join("; ")
}

/// Whether the way down through an attempt ends at values that fail, not at a fact that nobody asserted.
fn is_telling(attempt: &Attempt) -> bool {
    match &attempt.failure {
        Failure::Missing { below, .. } => {
            below.as_ref().is_some_and(|below| below.attempts.iter().any(is_telling))
        }
        Failure::Stopped => false,
        _ => true,
    }
}

/// Why nothing matches, in one line: the rule that gets farthest, and what fails at the bottom of it. A rule in which
/// values fail says more than one that lacks a fact.
pub fn why_not_line(program: &Program, answer: &WhyNot) -> String {
    let mut answer = answer;
    if let Some(fact) = answer.holds.first() {
        return format!("{} holds", super::fact_text(program, fact));
    }
    loop {
        if let Some((rule, _, text)) = answer.undetermined.first() {
            return format!("undetermined: `{text}` in rule {rule} is undefined");
        }
        let best = answer.attempts.iter().rev().max_by_key(|attempt| (is_telling(attempt), attempt.held));
        let Some(best) = best else {
            let what = text::pattern_text(program, &answer.asked);
            let why = if answer.input { "is not asserted" } else { "is not derived by any rule" };
            return format!("{what} {why}");
        };
        match &best.failure {
            Failure::Missing { below: Some(below), .. } if !below.attempts.is_empty() => answer = below,
            failure => return format!("rule {}: {}", best.rule, failure_line(program, failure)),
        }
    }
}

/// Why a fact holds, in one line: its sentence, else what the rule needed.
pub fn why_line(program: &Program, proof: &Proof) -> String {
    let root = proof.root().or_broken("a proof begins with the fact that it proves");
    let StepKind::Derived(derived) = &root.kind else { return text::ground(root) };
    if let Some(sentence) = &derived.sentence {
        return sentence.clone();
    }
    let premises = text::told(&derived.premises).map(|premise| match premise {
        super::super::proof::Premise::Fact(id) => {
            super::fact_text(program, &proof.step(*id).or_broken(StepId::INVARIANT).fact)
        }
        other => text::premise_text(program, other),
    });
    let text = premises.collect::<Vec<_>>().join(" and ");
    let text = if text.is_empty() { String::from("always") } else { text };
    format!("rule {}: {text}", derived.rule)
}

fn list(program: &Program, facts: &[Fact]) -> String {
    facts.iter().map(|fact| super::fact_text(program, fact)).collect::<Vec<_>>().join(", ")
}

/// The explanation as one JSON object; nested at most as deep as missing facts are followed.
pub fn why_not_json(program: &Program, answer: &WhyNot) -> Json {
    object!({
        "asked": pattern(&answer.asked),
        "holds": answer.holds.iter().map(fact_json).collect::<Json>(),
        "input": answer.input,
        "nearest": answer.nearest.iter().map(fact_json).collect::<Json>(),
        "rules": answer.attempts.iter().map(|found| attempt(program, found)).collect::<Json>(),
        "undetermined": answer.undetermined.iter().map(|(rule, place, text)| object!({
            "rule": rule.as_str(),
            "place": {"file": place.file, "line": place.line, "column": place.column},
            "written": text,
        })).collect::<Json>(),
        "stopped": answer.stopped,
    })
}

fn pattern(pattern: &FactPattern) -> Json {
    let args: Json = pattern.args.iter().map(|arg| arg.map_or(Json::Null, value_json)).collect();
    object!({pattern.relation.as_str(): args})
}

fn attempt(program: &Program, found: &Attempt) -> Json {
    let bindings = found.bindings.iter().map(|(name, value)| (name.to_string(), value_json(*value)));
    object!({
        "rule": found.rule.as_str(),
        "place": {"file": found.place.file, "line": found.place.line, "column": found.place.column},
        "held": found.held,
        "of": found.of,
        "bindings": Json::Object(bindings.collect()),
        "others": found.others,
        "message": failure_line(program, &found.failure),
        "failure": failure(program, &found.failure),
    })
}

fn failure(program: &Program, failure: &Failure) -> Json {
    let value = |value: &Option<Value>| value.map_or(Json::Null, value_json);
    match failure {
        Failure::Head { column, gives, asked } => {
            object!({"kind": "head", "column": column.as_str(), "gives": value(gives), "asked": value_json(*asked)})
        }
        Failure::Missing { atom, among, nearest, below } => object!({
            "kind": "missing",
            "atom": pattern(atom),
            "among": among,
            "nearest": nearest.iter().map(fact_json).collect::<Json>(),
            "why_not": below.as_ref().map(|below| why_not_json(program, below)),
        }),
        Failure::InTheWay { atom, facts, count, why } => object!({
            "kind": "in_the_way",
            "atom": pattern(atom),
            "facts": facts.iter().map(fact_json).collect::<Json>(),
            "count": count,
            "why": why.as_ref().map(|why| json(why)),
        }),
        Failure::Test { text, written } => object!({"kind": "test", "text": text, "written": written}),
        Failure::NoResult { text, written } => {
            object!({"kind": "no_result", "text": text, "written": written})
        }
        Failure::Differs { var, has, text, written } => {
            object!({"kind": "differs", "variable": var.as_str(), "has": value(has), "text": text, "written": written})
        }
        Failure::Aggregate { results, matches } => {
            let results = results.iter().map(|(column, written, gives, asked)| {
                object!({"column": column.as_str(), "written": written, "gives": value(gives), "asked": value(asked)})
            });
            object!({"kind": "aggregate", "results": results.collect::<Json>(), "matches": matches})
        }
        Failure::Limit { rank, keep, of, keys, last_kept } => {
            let keys = keys.iter().map(|(key, value)| object!({"written": key, "value": value_json(*value)}));
            let last = last_kept.as_ref().map(|(fact, keys)| {
                object!({"fact": fact_json(fact), "keys": keys.iter().map(|key| value_json(*key)).collect::<Json>()})
            });
            object!({
                "kind": "limit", "rank": rank, "keep": keep, "of": of,
                "keys": keys.collect::<Json>(), "last_kept": last,
            })
        }
        Failure::Stopped => object!({"kind": "stopped"}),
    }
}

/// The remedies as numbered lines, ending with a line feed.
pub fn remedies_text(program: &Program, remedies: &Remedies) -> String {
    let mut out = String::new();
    for instant in &remedies.instants {
        let at = literal::time_text(instant.at);
        let line = if instant.later {
            format!("It holds from {at} if nothing else changes.\n")
        } else {
            format!("It held until {at}.\n")
        };
        out.push_str(&line);
    }
    let mut lines: Vec<String> = Vec::new();
    for remedy in &remedies.found {
        let line = remedy_text(program, remedy);
        // Those that differ only in what hence fills in read the same.
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    match lines.len() {
        0 if !remedies.instants.is_empty() => {}
        0 => out.push_str("Found no change that would make it hold.\n"),
        1 => out.push_str("This change would make it hold:\n"),
        _ => out.push_str("Any one of these changes would make it hold:\n"),
    }
    for (at, line) in lines.iter().enumerate() {
        out.push_str(&format!("  {}. {line}\n", at + 1));
    }
    if let Some(stopped) = &remedies.stopped {
        out.push_str(&format!("({stopped})\n"));
    }
    out
}

/// The changes of a remedy on one line; those that are to be made by several authors are told once.
fn remedy_text(program: &Program, remedy: &Remedy) -> String {
    let mut told: Vec<(String, String, usize)> = Vec::new();
    for (change, by) in remedy.changes.iter().zip(&remedy.by) {
        let (change, needs) = (change_text(program, change), needs_text(by));
        match told.iter_mut().find(|(same, ..)| *same == change) {
            Some((.., times)) => *times += 1,
            None => told.push((change, needs, 1)),
        }
    }
    let line = |(change, needs, times): &(String, String, usize)| match times {
        1 => format!("{change}{needs}"),
        times => format!("{change} by {times} different authors{needs}"),
    };
    told.iter().map(line).collect::<Vec<_>>().join(", and ")
}

/// Who has to make a change, where not anyone may.
fn needs_text(roles: &[Symbol]) -> String {
    if roles.is_empty() {
        return String::new();
    }
    let people: Vec<String> = roles.iter().map(|role| person(role.as_str())).collect();
    format!(" (needs {})", people.join(" or "))
}

/// Somebody with a role: `a reviewer`, `an editor`; in other words where the role is not called as people are.
fn person(role: &str) -> String {
    let is_people = ["er", "or", "ist", "ian", "ee"].iter().any(|end| role.ends_with(end));
    match (is_people, role.starts_with(['a', 'e', 'i', 'o', 'u'])) {
        (false, _) => format!("the role `{role}`"),
        (true, true) => format!("an {role}"),
        (true, false) => format!("a {role}"),
    }
}

/// A change in words: `assert …`, `retract …`, `set poor_quality = 0.6 (now 0.5)`.
pub fn change_text(program: &Program, change: &Change) -> String {
    match change {
        Change::Assert(fact, open) => {
            let args = fact.values.iter().zip(open).map(|(value, open)| (!open).then_some(*value));
            let pattern = FactPattern { relation: fact.relation, args: args.collect() };
            format!("assert {}", text::any_text(program, &pattern, &filled_in(program, &pattern)))
        }
        Change::Retract(fact) => format!("retract {}", super::fact_text(program, fact)),
        Change::Set(name, from, to) => format!("set {name} = {to} (now {from})"),
    }
}

/// The columns of an assertion that hence fills in.
fn filled_in(program: &Program, pattern: &FactPattern) -> Vec<usize> {
    let relation = program.find(pattern.relation).map(|id| &program[id]);
    let Some(authors) = relation.and_then(|relation| relation.authors.as_ref()) else { return Vec::new() };
    let open = |at: &usize| pattern.args.get(*at) == Some(&None);
    authors.column.into_iter().chain(authors.time).filter(open).collect()
}

/// The remedies as JSON. A column of an assertion that may hold any value is `null` in `pattern`.
pub fn remedies_json(remedies: &Remedies) -> Json {
    let found = remedies.found.iter().map(|remedy| {
        object!({
            "changes": remedy.changes.iter().map(change_json).collect::<Json>(),
            "needs_human": remedy.needs_human,
            "needs": remedy.needs.iter().map(|role| role.as_str()).collect::<Json>(),
            "derives": remedy.derives.iter().map(fact_json).collect::<Json>(),
        })
    });
    let instants = remedies.instants.iter().map(|instant| {
        object!({(if instant.later { "holds_from" } else { "held_until" }): literal::time_text(instant.at)})
    });
    object!({
        "remedies": found.collect::<Json>(), "instants": instants.collect::<Json>(), "tried": remedies.tried,
        "stopped": remedies.stopped,
    })
}

fn change_json(change: &Change) -> Json {
    match change {
        Change::Assert(fact, open) => {
            let args = fact.values.iter().zip(open).map(|(value, open)| (!open).then_some(*value));
            let any = FactPattern { relation: fact.relation, args: args.collect() };
            object!({"assert": fact_json(fact), "pattern": pattern(&any)})
        }
        Change::Retract(fact) => object!({"retract": fact_json(fact)}),
        Change::Set(name, from, to) => {
            object!({"set": name.as_str(), "from": value_json(*from), "to": value_json(*to)})
        }
    }
}
