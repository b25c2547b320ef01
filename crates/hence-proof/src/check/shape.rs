//! The members of a proof: those of its form and no others, so that nothing stands in it that is not checked.

use serde_json::{Map, Value as Json};

use super::{Verdict, read};

/// What stands in braces.
type Members = Map<String, Json>;

const PROOF: &[&str] = &["format", "fact", "height", "least", "ledger", "as_of", "parameters", "steps"];
const RULE: &[&str] = &["fact", "by", "rule", "place", "sentence", "bindings", "premises"];
const ORIGIN: &[&str] =
    &["author", "strength", "time", "source", "transaction", "defaults", "step", "because"];
const PLACE: &[&str] = &["file", "line", "column"];
const LIMIT: &[&str] = &["per", "keys", "rank", "keep", "of", "left_out"];

/// The forms of a premise, each told by its first member.
const PREMISES: [&[&str]; 7] = [
    &["step"],
    &["absent", "among"],
    &["test", "written"],
    &["bind", "value", "text", "written"],
    &["each", "value", "text", "written"],
    &["aggregate"],
    &["limit"],
];

/// Refuses members of a proof that its form doesn't have; its steps are looked at one by one.
pub(super) fn whole(proof: &Json) -> Verdict {
    only(read::object(proof, "a proof")?, PROOF)
}

/// The same for a step and all that is in it.
pub(super) fn step(step: &Members) -> Verdict {
    match step.get("by").and_then(Json::as_str) {
        Some("assertion") => {
            only(step, &["fact", "by", "origin"])?;
            inner(step, "origin", ORIGIN)
        }
        Some("clause") => {
            only(step, &["fact", "by", "clause", "place"])?;
            inner(step, "place", PLACE)
        }
        Some("rule") => {
            only(step, RULE)?;
            inner(step, "place", PLACE)?;
            premises(step)
        }
        _ => only(step, &["fact", "by"]),
    }
}

/// The premises of a step, and those of the inputs of its groups.
fn premises(step: &Members) -> Verdict {
    let mut holders = vec![step];
    while let Some(holder) = holders.pop() {
        for premise in objects(holder, "premises") {
            let form =
                PREMISES.iter().find(|form| form.first().is_some_and(|name| premise.contains_key(*name)));
            only(premise, form.copied().unwrap_or_default())?;
            if let Some(shown) = premise.get("limit").and_then(Json::as_object) {
                limit(shown)?;
            }
            if let Some(shown) = premise.get("aggregate").and_then(Json::as_object) {
                only(shown, &["by", "results", "matches", "inputs"])?;
                let results =
                    shown.get("results").and_then(Json::as_object).into_iter().flat_map(Map::values);
                results.filter_map(Json::as_object).try_for_each(|one| only(one, &["value", "written"]))?;
                objects(shown, "inputs").try_for_each(|one| only(one, &["bindings", "args", "premises"]))?;
                holders.extend(objects(shown, "inputs"));
            }
        }
    }
    Ok(())
}

fn limit(shown: &Members) -> Verdict {
    only(shown, LIMIT)?;
    objects(shown, "keys").try_for_each(|key| only(key, &["written", "value"]))?;
    inner(shown, "left_out", &["fact", "keys"])
}

/// The objects in a list; what isn't one is told of where it is read.
fn objects<'j>(map: &'j Members, name: &str) -> impl Iterator<Item = &'j Members> {
    map.get(name).and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_object)
}

fn inner(map: &Members, name: &str, known: &[&str]) -> Verdict {
    map.get(name).and_then(Json::as_object).map_or(Ok(()), |inner| only(inner, known))
}

fn only(map: &Members, known: &[&str]) -> Verdict {
    match map.keys().find(|name| !known.contains(&name.as_str())) {
        Some(other) => Err(format!("it has a member `{other}`, which a proof does not have there")),
        None => Ok(()),
    }
}
