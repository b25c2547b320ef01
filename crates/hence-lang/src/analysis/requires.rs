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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::build::{Words, checked, require, rule};
    use crate::analysis::codes::{GUARD_LOST, GUARD_TOO_WIDE};

    const INPUTS: [&str; 4] = ["ask", "review", "risk", "other"];

    /// The labels of the faults where `d` requires `guard`; a fault is opened by `-`.
    fn lost(guard: &str, rules: Vec<Words>) -> Vec<String> {
        let mut checked = checked(&INPUTS, rules);
        require(&mut checked, "d", guard);
        let mut out = Vec::new();
        for fault in requires(&checked) {
            assert_eq!(fault.code, GUARD_LOST);
            assert_eq!(fault.labels.last().map(|label| label.text.as_str()), Some("required here"));
            out.push(String::from("-"));
            out.extend(fault.labels.iter().rev().skip(1).rev().map(|label| label.text.clone()));
        }
        out
    }

    fn kept(guard: &str, rules: Vec<Words>) {
        assert_eq!(lost(guard, rules), Vec::<String>::new());
    }

    #[test]
    fn a_guard_is_kept_in_the_rule_itself_and_through_three_rules() {
        kept("review(#0, 1)", vec![rule("d(R)").some("ask(R)").some("review(R, 1)")]);
        let rules = vec![
            rule("d(R)").some("c(R, X)").some("other(X)"),
            rule("c(R, X)").some("b(X, R)").some("other(X)"),
            rule("b(X, R)").some("a(R)").some("other(X)"),
            rule("a(R)").some("review(R, 1)"),
        ];
        kept("review(#0, 1)", rules);
    }

    #[test]
    fn one_of_two_rules_loses_it() {
        let rules =
            vec![rule("d(R)").some("b(R)"), rule("b(R)").some("review(R, 1)"), rule("b(R)").some("ask(R)")];
        let shown = ["-", "`d` follows from this `b`", "`b` follows here without `review(c1: R, c2: 1)`"];
        assert_eq!(lost("review(#0, 1)", rules), shown);
    }

    #[test]
    fn every_rule_of_the_decision_that_loses_it_is_shown() {
        let rules = vec![rule("d(R)").some("ask(R)"), rule("d(R)").some("risk(R)"), rule("d(7)")];
        let shown = [
            "-",
            "`d` follows here without `review(c1: R)`",
            "-",
            "`d` follows here without `review(c1: R)`",
            "-",
            "`d` holds here without `review(c1: 7)`",
        ];
        assert_eq!(lost("review(#0)", [rules, vec![rule("x(X)").some("review(X)")]].concat()), shown);
    }

    #[test]
    fn another_column_or_literal_is_not_what_is_required() {
        let rules = vec![rule("d(R)").some("ask(R)").some("review(X, 2)").some("other(X)")];
        let shown = [
            "-",
            "`d` follows here without `review(c1: R, c2: 1)`",
            "here `c1` need not be the `c1` of `d` and `c2` need not be `1`",
        ];
        assert_eq!(lost("review(#0, 1)", rules), shown);
    }

    #[test]
    fn a_negated_use_is_none() {
        let rules = vec![rule("d(R)").some("ask(R)").none("review(R)")];
        let shown = ["-", "`d` follows here without `review(c1: R)`", "requires the absence of it"];
        assert_eq!(lost("review(#0)", rules), shown);
    }

    #[test]
    fn equality_is_followed_through_variables_and_literals() {
        kept("review(#0, 1)", vec![rule("d(R)").some("review(X, Y)").equal("R = X").equal("Y = 1")]);
        kept("review(#0, 1)", vec![rule("d(R)").equal("One = 1").some("review(R, One)")]);
        kept("review(#0)", vec![rule("d(5)").some("review(X)").equal("X = 5")]);
        kept("review(#0, 1)", vec![rule("d(R)").some("b(R, 1)"), rule("b(R, Ok)").some("review(R, Ok)")]);
        kept(
            "review(#0, 1)",
            vec![
                rule("d(R)").some("b(R)"),
                rule("b(R)").some("c(R, Y)").equal("Y = 1"),
                rule("c(X, Y)").some("review(X, Y)"),
            ],
        );
        kept(
            "review(#0)",
            vec![
                rule("d(X)").some("b(X, X)"),
                rule("b(X, Y)").some("review(Y)").some("ask(X)"),
                rule("b(X, Y)").some("review(X)").some("ask(Y)"),
            ],
        );
    }

    #[test]
    fn the_required_fact_has_all_columns_at_once() {
        let rules = vec![rule("d(R)").some("review(R, _)").some("review(_, 1)")];
        assert_eq!(lost("review(#0, 1)", rules).len(), 4);
    }

    #[test]
    fn an_aggregate_carries_its_group_and_not_its_result() {
        kept("review(#0, _)", vec![rule("d(R, count)").some("review(R, _)")]);
        let rules = vec![rule("d(R)").some("n(_, R)"), rule("n(R, count)").some("review(R)")];
        let shown = [
            "-",
            "`d` follows from this `n`",
            "`n` follows here without `review(c1: …c2)`",
            "here `c1` need not be the `c2` of `n`",
        ];
        assert_eq!(lost("review(#0)", rules), shown);
    }

    #[test]
    fn a_limit_keeps_what_its_rule_keeps() {
        kept("review(#0)", vec![rule("d(R)").some("top(R)"), rule("top(R)").some("review(R)").limit()]);
    }

    #[test]
    fn recursion_keeps_what_all_its_rules_keep() {
        let base = |from: &str| rule("reach(R, Y)").some(from).some("other(R, Y)");
        let step = || rule("reach(R, Z)").some("reach(R, Y)").some("other(Y, Z)");
        kept("review(#0)", vec![rule("d(R)").some("reach(R, _)"), base("review(R)"), step()]);
        let shown = ["-", "`d` follows from this `reach`", "`reach` follows here without `review(c1: R)`"];
        let rules =
            vec![rule("d(R)").some("reach(R, _)"), step(), base("ask(R)"), rule("u(X)").some("review(X)")];
        assert_eq!(lost("review(#0)", rules), shown);
        let swapped = rule("reach(Z, R)").some("reach(R, Z)");
        let rules = vec![rule("d(R)").some("reach(R, _)"), base("review(R)"), swapped];
        let shown = [
            "-",
            "`d` follows from this `reach`",
            "`reach` follows from this `reach`",
            "`reach` follows here without `review(c1: Y)`",
            "here `c1` need not be the `c2` of `reach`",
        ];
        assert_eq!(lost("review(#0)", rules), shown);
    }

    #[test]
    fn without_columns_some_fact_is_enough() {
        kept("review(_)", vec![rule("d(R)").some("ask(R)").some("b(_)"), rule("b(1)").some("review(_)")]);
        let rules = vec![rule("d(R)").some("ask(R)"), rule("u(X)").some("review(X)")];
        assert_eq!(lost("review(_)", rules), ["-", "`d` follows here without `review(_)`"]);
    }

    #[test]
    fn a_decision_that_requires_itself_needs_an_earlier_one() {
        kept("d(#0)", vec![rule("d(R)").some("d(R)").some("ask(R)")]);
        let rules = vec![rule("d(R)").some("d(R)"), rule("d(R)").some("ask(R)")];
        assert_eq!(lost("d(#0)", rules), ["-", "`d` follows here without `d(c1: R)`"]);
    }

    #[test]
    fn a_fact_of_a_rule_file_is_a_way_round() {
        let rules = vec![rule("d(R)").some("b(R)"), rule("b(R)").some("review(R)"), rule("b(9)")];
        let shown = ["-", "`d` follows from this `b`", "`b` holds here without `review(c1: 9)`"];
        assert_eq!(lost("review(#0)", rules), shown);
    }

    #[test]
    fn a_guard_that_spreads_too_far_is_refused() {
        let args = |order: &[usize]| order.iter().map(|at| format!("V{at}")).collect::<Vec<_>>().join(", ");
        let (plain, swap): (Vec<_>, Vec<_>) = ((0..8).collect(), [1, 0].into_iter().chain(2..8).collect());
        let turn: Vec<_> = (1..8).chain([0]).collect();
        let p = |order: &[usize]| format!("p({})", args(order));
        let rules = vec![
            rule(&format!("d({})", args(&plain))).some(&p(&plain)),
            rule(&p(&plain)).some(&p(&swap)),
            rule(&p(&plain)).some(&p(&turn)),
            rule(&p(&plain)).some(&format!("review({})", args(&plain))),
        ];
        let mut checked = checked(&["review"], rules);
        let columns: Vec<_> = (0..8).map(|at| format!("#{at}")).collect();
        require(&mut checked, "d", &format!("review({})", columns.join(", ")));
        let codes: Vec<_> = requires(&checked).iter().map(|fault| fault.code).collect();
        assert_eq!(codes, [GUARD_TOO_WIDE]);
    }
}
