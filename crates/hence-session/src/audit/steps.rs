//! The steps of effects in an audit: those recorded beside those done again.

use hence_ledger::{EffectRound, StepChange, TxInfo};

use super::{Discrepancy, Finding};
use crate::RuleSet;
use crate::effects::{Again, has_effects};

/// What an effect does: `asserting level(3) by rule `r` because "…"`.
pub(super) fn deed(change: &StepChange) -> String {
    let verb = if change.asserted { "asserting" } else { "retracting" };
    let because = change.sentence.as_ref().map_or(String::new(), |said| format!(" because \"{said}\""));
    format!("{verb} {} by rule `{}`{because}", change.fact, change.rule)
}

/// What differs between the steps that are recorded and those that are done again.
pub(crate) fn stepped(info: &TxInfo, rules: &RuleSet, again: &Again) -> Vec<Finding> {
    let finding = |what| Finding { tx: info.tx, decision: None, what };
    if info.steps.is_none() && info.run.is_some() && has_effects(&rules.checked) {
        return vec![finding(Discrepancy::NoSteps)];
    }
    let lacks = |other: &[EffectRound], at: usize, change: &StepChange| {
        other.get(at).is_none_or(|step| !step.changes.contains(change))
    };
    let only = |of: &[EffectRound], other: &[EffectRound]| -> Vec<(u64, StepChange)> {
        let all = of.iter().enumerate().flat_map(|(at, step)| step.changes.iter().map(move |one| (at, one)));
        let only = all.filter(|(at, change)| lacks(other, *at, change));
        only.map(|(at, change)| (at as u64 + 1, change.clone())).collect()
    };
    let unfounded = only(&again.recorded, &again.steps).into_iter();
    let unfounded = unfounded.map(|(number, change)| Discrepancy::StepUnfounded(number, change));
    let missing = only(&again.steps, &again.recorded).into_iter();
    let missing = missing.map(|(number, change)| Discrepancy::StepMissing(number, change));
    unfounded.chain(missing).map(finding).collect()
}
