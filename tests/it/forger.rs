//! A forger changes proofs over a ledger by every kind of claim that they make; held against the ledger, none of the
//! changed ones is accepted, but for changes that leave a proof true, which are named here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hence::session::{Ground, RuleSource, recorded_params};
use hence_ledger::{Ledger, OpenOptions, When};
use serde_json::Value as Json;

use super::settings::{Ran, folder, run};

const RULES: &str = "\
param least: int = 2.
input now(at: time).
input run(tool: string, ok: bool, score: float, at: time).
input blocked(tool: string).
input review(tool: string, approved: bool, by: string) from reviewer as by.
input cleared(tool: string).
mean_score(T, mean(S), count()) :- run(T, true, S, _).
recent(T) :- run(T, _, _, At), now(Now), Now - At < 7d.
barred(T) :- blocked(T), !cleared(T).
@because(\"{T} is {R} with {S}\")
ranked(T, S, R) :- mean_score(T, S, N), N >= least, !barred(T) limit 2 by S desc as R.
decision use_tool(tool: string) requires review(tool: tool, approved: true).
@because(\"{T} was approved by {By} and scores {S}\")
use_tool(T) :- ranked(T, S, _), recent(T), review(T, true, By).
then cleared(T) :- blocked(T), review(T, true, _).
param weight: float = 0.5.
input reached(tool: string, email: string @personal(tool)).
decision tell(tool: string, email: string @personal(tool), part: string, points: float).
@because(\"{E} hears of {T}: {P} points for {Part}\")
tell(T, E, Part, P) :- ranked(T, S, R), reached(T, E), P = S * weight + float(R) * 0.125, P * 2.0 > 0.3,
    Part in words(T).
";

const FACTS: &str = r#"{"run": ["grep", true, 0.8, "2026-02-01T00:00:00Z"]}
{"run": ["grep", true, 0.6, "2026-02-02T00:00:00Z"]}
{"run": ["sed", true, 0.9, "2026-02-01T00:00:00Z"]}
{"run": ["sed", true, 0.95, "2026-02-02T00:00:00Z"]}
{"run": ["awk", true, 0.5, "2026-02-02T00:00:00Z"]}
{"run": ["awk", false, 0.1, "2026-02-02T00:00:00Z"]}
{"run": ["awk", true, 0.4, "2026-02-03T00:00:00Z"]}
{"blocked": ["sed"]}
{"reached": ["grep", "ken@unix.example"]}
{"reached": ["sed", "lee@unix.example"]}
"#;

/// A ledger of six transactions: runs of tools, reviews, a parameter that ada set, an effect.
fn project(facts: &str) -> tempfile::TempDir {
    let toml = "[roles]\nreviewer = [\"ada\", \"eve\"]\n";
    let project = folder(&[("rules/r.dl", RULES), ("hence.toml", toml), ("facts.jsonl", facts)]);
    let steps: [&[&str]; 6] = [
        &["decide", "--facts", "facts.jsonl", "--as", "bot", "--now", "2026-02-04T00:00:00Z"],
        &["assert", "review(\"grep\", true, \"ada\")", "--as", "ada"],
        &["param", "set", "least=1", "--as", "ada"],
        &["decide", "--as", "bot", "--now", "2026-02-05T00:00:00Z"],
        &["assert", "review(\"sed\", true, \"eve\")", "--as", "eve"],
        &["decide", "--as", "bot", "--now", "2026-02-06T00:00:00Z"],
    ];
    for step in steps {
        let Ran(status, _, said) = run(project.path(), step, &[], "");
        assert_eq!(status, 0, "{step:?}: {said}");
    }
    project
}

/// What the ledger proves: the decisions, what they rest on, and how things stood before.
fn proofs(project: &Path) -> Vec<Json> {
    let questions: [&[&str]; 7] = [
        &["use_tool(T)", "--as-of", "6"],
        &["tell(T, E, Part, P)", "--as-of", "6"],
        &["ranked(T, S, R)", "--as-of", "1"],
        &["ranked(T, S, R)", "--as-of", "6", "--all-inputs"],
        &["cleared(T)", "--as-of", "6"],
        &["4.1"],
        &["6.1"],
    ];
    let answer = |question: &&[&str]| {
        let Ran(status, out, said) =
            run(project, &[&["why", "--format", "json"], *question].concat(), &[], "");
        assert_eq!(status, 0, "{question:?}: {said}");
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Json>>()
    };
    questions.iter().flat_map(answer).collect()
}

fn ground(project: &Path) -> Ground {
    let rules = RuleSource { paths: vec![project.join("rules")], ..RuleSource::default() }.build().unwrap();
    let ledger = Ledger::open_to_ask(project.join(".hence"), &OpenOptions::default()).unwrap();
    assert_eq!(recorded_params(&ledger, When::Now).unwrap().len(), 1);
    Ground::new(ledger, rules, i64::MAX)
}

/// Whether a proof is accepted with nothing on trust.
fn is_accepted(ground: &mut Ground, proof: &Json) -> bool {
    ground.check(proof).unwrap().is_ok_and(|accepted| accepted.on_trust.is_empty())
}

/// Every place in a document, as a pointer.
fn places(json: &Json, at: String, found: &mut Vec<String>) {
    found.push(at.clone());
    match json {
        Json::Object(map) => map
            .iter()
            .for_each(|(name, json)| places(json, format!("{at}/{}", name.replace('/', "~1")), found)),
        Json::Array(list) => {
            list.iter().enumerate().for_each(|(number, json)| places(json, format!("{at}/{number}"), found))
        }
        _ => {}
    }
}

/// What kind of claim stands at a place; `None` where a change leaves the proof true.
fn kind(place: &str) -> Option<&'static str> {
    let parts: Vec<&str> = place.split('/').skip(1).collect();
    let has = |part: &str| parts.contains(&part);
    // It says how the proof was found.
    if parts.first() == Some(&"least") {
        return None;
    }
    Some(match parts.last().copied()? {
        "author" => "author",
        "strength" => "trust",
        "sentence" | "because" => "sentence",
        "transaction" => "transaction",
        "head" => "head",
        "clock" | "time" => "time",
        "rules" | "rule" | "clause" | "recorded_by" => "rules",
        "among" => "among",
        _ if has("parameters") => "parameters",
        _ if has("schemas") => "schemas",
        _ if has("limit") => "rank",
        _ if has("origin") => "origin",
        _ if has("place") || parts.last() == Some(&"written") => "quotation",
        "test" | "bind" | "each" | "text" => "arithmetic",
        _ if has("absent") => "absence",
        _ if has("aggregate") => "group",
        _ if has("fact") || has("bindings") => "value",
        _ => "structure",
    })
}

/// The document with another value at a place; `None` takes the member or the element out.
fn changed(proof: &Json, place: &str, value: Option<&Json>) -> Json {
    let mut proof = proof.clone();
    match value {
        Some(value) => *proof.pointer_mut(place).unwrap() = value.clone(),
        None => {
            let (parent, last) = place.rsplit_once('/').unwrap();
            match proof.pointer_mut(parent).unwrap() {
                Json::Object(map) => drop(map.remove(&last.replace("~1", "/"))),
                Json::Array(list) => drop(list.remove(last.parse().unwrap())),
                _ => unreachable!(),
            }
        }
    }
    proof
}

/// Other values of the same form.
fn others(value: &Json, seen: &BTreeSet<String>) -> Vec<Json> {
    let like = seen.iter().map(|text| serde_json::from_str::<Json>(text).unwrap());
    let same =
        |other: &Json| std::mem::discriminant(other) == std::mem::discriminant(value) && other != value;
    let mut all: Vec<Json> =
        like.filter(|other| same(other) && !other.is_object() && !other.is_array()).collect();
    // A few of those that stand elsewhere, spread over all.
    let step = all.len() / 4 + 1;
    all = all.into_iter().step_by(step).collect();
    match value {
        Json::Bool(value) => all.push(Json::from(!value)),
        Json::Number(number) if number.is_f64() => all.push(Json::from(number.as_f64().unwrap() + 0.125)),
        Json::Number(number) => all.extend([number.as_i64().unwrap() + 1, 0, -1].map(Json::from)),
        Json::String(text) => all.extend([format!("{text}x"), String::new()].map(Json::from)),
        Json::Null => all.push(Json::from("x")),
        Json::Array(_) | Json::Object(_) => all.push(Json::Null),
    }
    all.retain(|other| other != value);
    all
}

/// Whether a member or an element may be left out of a true proof.
fn may_go(place: &str) -> bool {
    let (parent, last) = place.rsplit_once('/').unwrap();
    // What was asked for repeats what the proof stands on, and any few inputs of a group may be shown.
    place == "/as_of"
        || (parent == "/as_of")
        || (parent.ends_with("/inputs") && last.parse::<usize>().is_ok())
}

#[test]
fn no_changed_claim_is_accepted() {
    let project = project(FACTS);
    let mut ground = ground(project.path());
    let mut tried: BTreeMap<&str, usize> = BTreeMap::new();
    for proof in proofs(project.path()) {
        let accepted = ground.check(&proof).unwrap();
        assert_eq!(accepted.map(|accepted| accepted.on_trust), Ok(Vec::new()), "{proof}");
        let mut all = Vec::new();
        places(&proof, String::new(), &mut all);
        let seen = all.iter().map(|place| proof.pointer(place).unwrap().to_string()).collect();
        for place in all.iter().filter(|place| !place.is_empty()) {
            let Some(kind) = kind(place) else { continue };
            let value = proof.pointer(place).unwrap();
            let mut forged: Vec<Json> =
                others(value, &seen).iter().map(|other| changed(&proof, place, Some(other))).collect();
            if !may_go(place) {
                forged.push(changed(&proof, place, None));
            }
            // Whether the rules of then are those named is a remark, and may be absent.
            if place.ends_with("/recorded_by") {
                forged.retain(|forged| !forged.pointer(place).is_some_and(Json::is_null));
            }
            for forged in forged {
                *tried.entry(kind).or_default() += 1;
                assert!(
                    !is_accepted(&mut ground, &forged),
                    "accepted although {place} was changed\n{forged}\n{proof}"
                );
            }
        }
    }
    assert!(tried.values().sum::<usize>() > 1_000, "{tried:?}");
    let kinds = [
        "author",
        "trust",
        "sentence",
        "transaction",
        "head",
        "time",
        "rules",
        "among",
        "parameters",
        "schemas",
        "rank",
        "origin",
        "quotation",
        "arithmetic",
        "absence",
        "group",
        "value",
        "structure",
    ];
    assert!(kinds.iter().all(|kind| tried.contains_key(kind)), "{tried:?}");
}

/// What a forger would add for a reader to see.
const ADDED: [&str; 9] =
    ["sentence", "origin", "author", "because", "approved", "step", "premises", "limit", "written"];

#[test]
fn no_member_added_is_accepted() {
    let project = project(FACTS);
    let mut ground = ground(project.path());
    let mut tried = 0;
    for proof in proofs(project.path()) {
        let mut all = Vec::new();
        places(&proof, String::new(), &mut all);
        let objects = all.iter().filter(|place| proof.pointer(place).unwrap().is_object());
        for (number, place) in objects.enumerate() {
            for name in [ADDED[number % ADDED.len()], ADDED[(number + 4) % ADDED.len()]] {
                let mut forged = proof.clone();
                let object = forged.pointer_mut(place).unwrap().as_object_mut().unwrap();
                if object.contains_key(name) {
                    continue;
                }
                object.insert(name.to_owned(), Json::from("the board approved it"));
                tried += 1;
                assert!(!is_accepted(&mut ground, &forged), "accepted with {name} in {place}\n{forged}");
            }
        }
    }
    assert!(tried > 300, "{tried}");
}

#[test]
fn no_value_changed_throughout_is_accepted() {
    let project = project(FACTS);
    let mut ground = ground(project.path());
    let all = proofs(project.path());
    let texts: BTreeSet<String> = all.iter().map(Json::to_string).collect();
    let pairs = [
        ("\"ada\"", "\"eve\""),
        ("\"bot\"", "\"ada\""),
        ("grep", "sed"),
        ("sed", "grep"),
        ("grep", "awk"),
        ("0.7", "0.8"),
        ("0.925", "0.975"),
        ("0.6", "0.7"),
        ("0.95", "0.9"),
        ("least = 1", "least = 2"),
        ("\"claimed\"", "\"signed\""),
        ("\"1\"", "\"0\""),
        ("2026-02-06", "2026-02-07"),
        ("2026-02-02", "2026-02-03"),
        ("facts.jsonl", "command line"),
        ("\"transaction\":6", "\"transaction\":5"),
        ("\"transaction\":1", "\"transaction\":2"),
        ("approved", "refused"),
        ("\"among\":0", "\"among\":1"),
        ("\"rank\":1", "\"rank\":2"),
        ("\"of\":3", "\"of\":2"),
        ("\"matches\":2", "\"matches\":3"),
        ("ken@unix.example", "lee@unix.example"),
        ("ken@unix.example", "(erased 00000000)"),
        ("(personal)", "ken@unix.example"),
        ("0.125", "0.25"),
        ("* 0.5", "* 1.0"),
        ("> 0.3", "> 0.2"),
    ];
    let mut tried = 0;
    for proof in &texts {
        for (from, to) in pairs.iter().filter(|(from, _)| proof.contains(from)) {
            let forged = proof.replace(from, to);
            // Only `use_tool` depends on the clock: the others are as true a day later.
            let timeless = *from == "2026-02-06" && !proof.contains("use_tool");
            if timeless || texts.contains(&forged) {
                continue;
            }
            tried += 1;
            let forged: Json = serde_json::from_str(&forged).unwrap();
            assert!(!is_accepted(&mut ground, &forged), "accepted although {from} became {to}\n{forged}");
        }
    }
    assert!(tried > 50, "{tried}");
}

#[test]
fn no_proof_of_another_ledger_is_accepted_even_under_this_ones_moment() {
    let (here, there) = (project(FACTS), project(&FACTS.replace("0.95", "0.85")));
    let mut ground = ground(here.path());
    let (own, foreign) = (proofs(here.path()), proofs(there.path()));
    for (own, foreign) in own.iter().zip(&foreign) {
        assert!(!is_accepted(&mut ground, foreign), "{foreign}");
        let stamped = changed(foreign, "/ledger", Some(&own["ledger"]));
        assert!(!is_accepted(&mut ground, &stamped), "{stamped}");
    }
}

#[test]
fn a_proof_under_another_moment_of_its_ledger_is_accepted_only_where_it_is_true_then() {
    let project = project(FACTS);
    let mut ground = ground(project.path());
    let all = proofs(project.path());
    let mut moments: Vec<&Json> = all.iter().map(|proof| &proof["ledger"]).collect();
    moments.sort_by_key(|moment| moment["transaction"].as_u64());
    let (mut tried, mut refused) = (0, 0);
    for proof in &all {
        for moment in moments.iter().filter(|moment| **moment != &proof["ledger"]) {
            let mut stamped = changed(proof, "/ledger", Some(moment));
            stamped.as_object_mut().unwrap().remove("as_of");
            tried += 1;
            if !is_accepted(&mut ground, &stamped) {
                refused += 1;
                continue;
            }
            // What is accepted is what the ledger itself proves of that moment, on the same steps.
            let same = |other: &Json| other["ledger"] == **moment && other["steps"] == proof["steps"];
            let holds = all.iter().any(same)
                || ["ranked", "tell"].iter().any(|name| proof["fact"].get(name).is_some());
            assert!(holds, "{stamped}");
        }
    }
    assert!(tried > 20 && refused > 0, "{refused} of {tried}");
}

#[test]
fn a_proof_by_rules_that_nothing_records_is_not_accepted() {
    let project = project(FACTS);
    let weaker =
        RULES.replace("N >= least", "N >= 0").replace(" requires review(tool: tool, approved: true)", "");
    let others = folder(&[("rules/r.dl", &weaker)]);
    let store = project.path().join(".hence");
    let store = store.to_str().unwrap();
    let asked = ["why", "use_tool(T)", "--store", store, "--now", "2026-02-06T00:00:00Z", "--format", "json"];
    let Ran(_, weak, _) = run(others.path(), &asked, &[], "");
    let args = ["check-proof", "--store", store];
    let Ran(status, out, _) = run(project.path(), &args, &[], &weak);
    assert_eq!((status, out.contains("neither recorded nor given")), (1, true), "{out}");
    let Ran(status, out, _) = run(others.path(), &args, &[], &weak);
    assert_eq!((status, out.contains("does not stand under these")), (4, true), "{out}");
}
