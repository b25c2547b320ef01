//! The proof that no guarded decision can be drawn without the fact it requires.
//!
//! A *goal* asks of a relation: does each of its facts come with a fact of the required relation whose columns
//! equal these columns of it and these literals? A relation meets a goal if each of its rules does; a rule does if
//! its body holds a positive atom of the required relation with those arguments, or one of a relation that meets
//! the goal put in terms of that atom's arguments. The greatest solution is right: facts have finite derivations,
//! so what each rule hands on from the facts that it uses holds of all.

mod compare;
pub(crate) mod equal;
mod joint;
mod joint_report;
mod proof;
mod report;

use crate::analysis::checked::Checked;
use hence_core::diagnostic::{Diagnostic, sort};

/// Checks every guard of `checked`; for each rule that lets a decision round its guard, the derivation by which it
/// does.
pub fn requires(checked: &Checked) -> Vec<Diagnostic> {
    if checked.requires.is_empty() {
        return Vec::new();
    }
    let rules = proof::Rules::new(checked);
    let mut faults: Vec<Diagnostic> =
        checked.requires.iter().flat_map(|guard| report::faults(&rules, guard)).collect();
    let joint = checked.joint.iter().flat_map(|guard| joint_report::faults(&rules, guard));
    // Of a fact that is missing altogether, its own guard tells more.
    let heads: Vec<_> = faults.iter().map(Diagnostic::span).collect();
    let joint: Vec<_> = joint.filter(|fault| !heads.contains(&fault.span())).collect();
    faults.extend(joint);
    sort(&mut faults);
    faults
}
