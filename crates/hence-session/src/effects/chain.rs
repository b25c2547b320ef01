//! Steps in words, where they come to nothing.

use hence_ledger::{EffectRound, StepChange};

use crate::error::SessionError;

/// Of a longer chain so many steps are shown at its beginning and at its end.
const SHOWN: (usize, usize) = (3, 7);

/// A step undoes what another one did, or what it does itself.
pub(super) fn undone(
    done: &[EffectRound],
    (at, first): (usize, &StepChange),
    (number, change): (usize, &StepChange),
) -> SessionError {
    let verb = |change: &StepChange, would: bool| match (change.asserted, would) {
        (true, true) => "assert",
        (false, true) => "retract",
        (true, false) => "asserted",
        (false, false) => "retracted",
    };
    let mut message = if at == number {
        format!(
            "step {number} would both {} and {} `{}`: rules `{}` and `{}` contradict each other",
            verb(first, true),
            verb(change, true),
            change.fact,
            first.rule,
            change.rule
        )
    } else {
        format!(
            "step {number} would {} `{}` (rule `{}`), which step {at} {} (rule `{}`)",
            verb(change, true),
            change.fact,
            change.rule,
            verb(first, false),
            first.rule
        )
    };
    message.push_str("; nothing was recorded");
    show(done, &mut message);
    SessionError::Undone { message }
}

/// There are more steps than there may be.
pub(super) fn endless(done: &[EffectRound], most: usize) -> SessionError {
    let mut message = format!("effects followed each other for more than {most} steps; nothing was recorded");
    show(done, &mut message);
    SessionError::Endless { message }
}

/// Appends the steps, with each of their changes.
fn show(done: &[EffectRound], out: &mut String) {
    if done.is_empty() {
        return;
    }
    let (first, last) = SHOWN;
    let left_out = first..done.len().saturating_sub(last).max(first);
    let mut shown = Vec::new();
    for (at, step) in done.iter().enumerate() {
        if at == left_out.start && !left_out.is_empty() {
            shown.push(format!("{} more steps", left_out.len()));
        }
        if left_out.contains(&at) {
            continue;
        }
        for StepChange { fact, asserted, rule, .. } in &step.changes {
            let verb = if *asserted { "asserted" } else { "retracted" };
            shown.push(format!("step {} {verb} {fact} by rule `{rule}`", at + 1));
        }
    }
    out.push_str(&format!(": {}", shown.join("; ")));
}
