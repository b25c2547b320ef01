//! Proofs as JSON: flat, steps referring to steps by number; `docs/proof-format.md` is its specification.

use serde_json::{Map, Value as Json, json as object};

use hence_core::json::{fact as fact_json, value as value_json};
use hence_core::literal;
use hence_core::span::Place;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::super::moment::Moment;
use super::super::proof::{
    AggregateMatch, Derived, FactPattern, Group, Origin, Premise, Proof, Ranked, Step, StepKind,
};

/// What the member `format` of a proof says; another number after the slash is another form.
pub const FORMAT: &str = "hence-proof/1";

/// What it says where the fact follows possibly and not certainly: no proof that it holds.
pub(super) const POSSIBLE: &str = "hence-possible/1";

/// The proof as one JSON object.
pub fn json(proof: &Proof) -> Json {
    let possible = proof.root().is_some_and(|step| step.possible.is_some());
    object!({
        "format": if possible { POSSIBLE } else { FORMAT },
        "fact": proof.root().map(shown_fact),
        "height": proof.height,
        "least": proof.least,
        "steps": proof.steps.iter().map(step).collect::<Vec<_>>(),
    })
}

/// The moment that a proof stands on, as its member `ledger`.
pub fn moment_json(moment: &Moment) -> Json {
    let parameters = moment.parameters.iter().map(|(name, value)| (name.clone(), Json::from(value.as_str())));
    let schemas = moment.schemas.iter().map(|(name, since)| (name.clone(), Json::from(*since)));
    let mut shown = object!({
        "head": moment.head,
        "transaction": moment.transaction,
        "clock": literal::time_text(moment.clock),
        "rules": moment.rules,
        "parameters": Json::Object(parameters.collect()),
        "schemas": Json::Object(schemas.collect()),
    });
    if let (Some(members), true) = (shown.as_object_mut(), moment.lenient) {
        members.insert(String::from("lenient"), Json::Bool(true));
    }
    shown
}

fn keyed(key: Symbol, value: Json) -> Json {
    Json::Object(Map::from_iter([(key.to_string(), value)]))
}

fn place(place: &Place) -> Json {
    object!({"file": place.file, "line": place.line, "column": place.column})
}

fn values(values: &[(Symbol, Value)]) -> Json {
    Json::Object(values.iter().map(|(name, value)| (name.to_string(), value_json(*value))).collect())
}

/// The fact of a step, `null` for what is unknown of it.
fn shown_fact(step: &Step) -> Json {
    step.possible.as_ref().map_or_else(|| fact_json(&step.fact), pattern)
}

fn step(step: &Step) -> Json {
    let mut shown = known_step(step);
    if let (Some(fields), true) = (shown.as_object_mut(), step.possible.is_some()) {
        fields.insert(String::from("possible"), Json::Bool(true));
    }
    shown
}

fn known_step(step: &Step) -> Json {
    let fact = shown_fact(step);
    match &step.kind {
        StepKind::Asserted { origin: known } => {
            object!({"fact": fact, "by": "assertion", "origin": known.as_ref().map(origin)})
        }
        StepKind::ProgramFact { id, place: at, .. } => {
            object!({"fact": fact, "by": "clause", "clause": id.as_str(), "place": place(at)})
        }
        StepKind::Derived(derived) => rule(fact, derived),
        StepKind::Cut => object!({"fact": fact, "by": "cut"}),
    }
}

/// The strength of an author whose signature holds.
const SIGNED: &str = "signed";
/// The strength of an author who is believed.
const CLAIMED: &str = "claimed";

fn origin(origin: &Origin) -> Json {
    let mut shown = object!({
        "author": origin.author,
        "strength": origin.author.as_ref().map(|_| if origin.signed { SIGNED } else { CLAIMED }),
        "time": origin.time.map(literal::time_text),
        "source": origin.source,
        "transaction": origin.transaction,
    });
    if let (Some(fields), false) = (shown.as_object_mut(), origin.defaults.is_empty()) {
        let defaults = origin.defaults.iter().map(|column| Json::from(column.as_str()));
        fields.insert(String::from("defaults"), defaults.collect());
    }
    if let (Some(fields), Some((step, sentence))) = (shown.as_object_mut(), &origin.step) {
        fields.insert(String::from("step"), Json::from(*step));
        fields.insert(String::from("because"), sentence.as_deref().map_or(Json::Null, Json::from));
    }
    shown
}

fn rule(fact: Json, derived: &Derived) -> Json {
    object!({
        "fact": fact,
        "by": "rule",
        "rule": derived.rule.as_str(),
        "place": place(&derived.place),
        "sentence": derived.sentence,
        "bindings": values(&derived.bindings),
        "premises": premises(&derived.premises),
    })
}

fn premises(premises: &[Premise]) -> Json {
    premises.iter().map(premise).collect()
}

fn premise(premise: &Premise) -> Json {
    match premise {
        Premise::Fact(id) => object!({"step": id.0}),
        Premise::Absent { atom, among } => object!({"absent": pattern(atom), "among": among}),
        Premise::Test { text, written } => object!({"test": text, "written": written}),
        Premise::Bind { var, text, written, value } => {
            object!({"bind": var.as_str(), "value": value_json(*value), "text": text, "written": written})
        }
        Premise::Each { var, text, written, value } => {
            object!({"each": var.as_str(), "value": value_json(*value), "text": text, "written": written})
        }
        Premise::Aggregate(found) => object!({"aggregate": group(found)}),
        Premise::Limit(found) => object!({"limit": ranked(found)}),
    }
}

fn pattern(pattern: &FactPattern) -> Json {
    let args = pattern.args.iter().map(|arg| arg.map_or(Json::Null, value_json)).collect();
    keyed(pattern.relation, Json::Array(args))
}

fn group(group: &Group) -> Json {
    let results = group.results.iter().map(|outcome| {
        let result = object!({"value": value_json(outcome.value), "written": outcome.written});
        (outcome.column.to_string(), result)
    });
    object!({
        "by": values(&group.by),
        "results": Json::Object(results.collect()),
        "matches": group.matches,
        "inputs": group.inputs.iter().map(input).collect::<Vec<_>>(),
    })
}

fn input(input: &AggregateMatch) -> Json {
    let args = input.args.iter().map(|args| args.iter().map(|value| value_json(*value)).collect::<Json>());
    object!({
        "bindings": values(&input.bindings),
        "args": args.collect::<Json>(),
        "premises": premises(&input.premises),
    })
}

fn ranked(ranked: &Ranked) -> Json {
    let keys = ranked.keys.iter();
    let left_out = ranked.left_out.as_ref().map(|(fact, keys)| {
        let keys: Json = keys.iter().map(|key| value_json(*key)).collect();
        object!({"fact": fact_json(fact), "keys": keys})
    });
    object!({
        "per": values(&ranked.per),
        "keys": keys.map(|(key, value)| object!({"written": key, "value": value_json(*value)})).collect::<Json>(),
        "rank": ranked.rank,
        "keep": ranked.keep,
        "of": ranked.of,
        "left_out": left_out,
    })
}
