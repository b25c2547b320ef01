//! The steps of effects as people and programs see them.

use serde_json::{Value as Json, json};

use hence_core::literal::visible;
use hence_ledger::{EffectRound, StepChange};

use super::output;

/// What an effect did, in a word.
pub(super) fn verb(change: &StepChange) -> &'static str {
    if change.asserted { "asserted" } else { "retracted" }
}

/// A line for each change: `step 1 asserted level(3) by rule review: …`.
pub(super) fn lines(steps: &[EffectRound]) -> Vec<String> {
    let line = |number: usize, change: &StepChange| {
        let because = change.sentence.as_ref().map_or(String::new(), |text| format!(": {}", visible(text)));
        format!("step {number} {} {} by rule {}{because}", verb(change), change.fact, visible(&change.rule))
    };
    let numbered = (1..).zip(steps);
    let all = numbered.flat_map(|(number, step)| step.changes.iter().map(move |change| (number, change)));
    all.map(|(number, change)| line(number, change)).collect()
}

/// The steps, each a list of what it did.
pub(super) fn json(steps: &[EffectRound]) -> Json {
    let change = |change: &StepChange| {
        json!({
            "change": verb(change), "fact": output::json_fact(&change.fact),
            "rule": change.rule, "because": change.sentence,
        })
    };
    steps.iter().map(|step| step.changes.iter().map(change).collect::<Json>()).collect()
}
