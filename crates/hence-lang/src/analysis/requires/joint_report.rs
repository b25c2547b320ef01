//! The derivation by which a decision gets round a guard of several parts, rule by rule.

use super::joint::{Choice, Goal, Node, Part, Slot, Way, node, prove, sides};
use super::proof::{GOALS, Rules};
use crate::analysis::checked::{Joint, Literal, Rule};
use crate::analysis::codes::{GUARD_LOST, GUARD_TOO_WIDE};
use hence_core::diagnostic::Diagnostic;
use hence_core::fault::{OrBroken, broken};
use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;

use super::equal::Thing;

/// A fault for each rule of the decision that doesn't keep the guard.
pub(super) fn faults(rules: &Rules<'_>, guard: &Joint) -> Vec<Diagnostic> {
    let report = Report { rules, guard };
    let Some(nodes) = prove(rules, guard) else { return vec![report.too_wide()] };
    let first = node(&nodes, 0);
    first.ways.iter().filter(|way| way.lost(&nodes)).map(|way| report.fault(&nodes, first, way)).collect()
}

/// What stands for a term that a rule computes.
const COMPUTED: &str = "…";

/// What a rule lacks of a goal.
struct Missing<'a> {
    parts: Vec<&'a Part>,
    /// The names that no fact of the rule gives a value.
    open: Vec<Symbol>,
}

impl<'a> Missing<'a> {
    /// These parts of the goal, or all; and the comparisons of what they leave open.
    fn new(goal: &'a Goal, parts: &[usize]) -> Self {
        let lacks = |at: &usize| parts.is_empty() || parts.contains(at);
        let names = |part: &Part| -> Vec<Symbol> {
            let name = |slot: &Slot| if let Slot::Var(name) = slot { Some(*name) } else { None };
            part.slots().into_iter().filter_map(name).collect()
        };
        let facts =
            goal.parts.iter().enumerate().filter(|(at, part)| lacks(at) && matches!(part, Part::Fact(..)));
        let open: Vec<Symbol> = facts.flat_map(|(_, part)| names(part)).collect();
        let is_open = |part: &Part| {
            matches!(part, Part::Test(..)) && names(part).iter().any(|name| open.contains(name))
        };
        let all = goal.parts.iter().enumerate();
        let parts = all.filter(|(at, part)| lacks(at) || is_open(part)).map(|(_, part)| part).collect();
        Self { parts, open }
    }
}

struct Report<'a> {
    rules: &'a Rules<'a>,
    guard: &'a Joint,
}

impl<'a> Report<'a> {
    /// The derivation that begins with a rule of the decision, down to the rule that lacks something.
    fn fault<'b>(&self, nodes: &'b [Node], first: &'b Node, from: &'b Way) -> Diagnostic {
        let decision = self.name(self.guard.decision);
        let message = format!("`{decision}` can be drawn without all that it requires");
        let mut fault = Diagnostic::new(GUARD_LOST, message);
        let (mut at, mut way) = (first, from);
        loop {
            let rule = self.rules.rule(way.rule);
            let choice = self.nearest(nodes, at, way, rule);
            let lost: Vec<_> =
                choice.iter().flat_map(|choice| &choice.needs).filter(|need| need.lost(nodes)).collect();
            let below = lost.iter().flat_map(|need| &need.below);
            // A goal is lost for what was lost before it, so that this comes to an end.
            let earliest = below.min_by_key(|(_, goal)| node(nodes, *goal).lost);
            let next = earliest.filter(|(_, goal)| node(nodes, *goal).lost < at.lost && lost.len() == 1);
            let Some((place, goal)) = next else {
                let parts: Vec<usize> = lost.iter().flat_map(|need| need.parts.iter().copied()).collect();
                return self.lacking(fault, at, rule, choice, &parts).at(self.guard.span, "required here");
            };
            fault = self.follows(fault, rule, *place);
            at = node(nodes, *goal);
            let is_lost = |way: &&Way| way.lost(nodes);
            way = at.ways.iter().find(is_lost).or_broken("a goal that is lost is lost by a rule");
        }
    }

    /// The choice of which the least is missing; the whole guard below, where the rule reads nothing of it itself.
    fn nearest<'b>(&self, nodes: &[Node], at: &Node, way: &'b Way, rule: &Rule) -> Option<&'b Choice> {
        let reads = at.goal.parts.iter().any(|part| match part {
            Part::Fact(relation, _) => reads(rule, *relation),
            Part::Test(..) => false,
        });
        let missing = |choice: &&Choice| {
            let whole = choice.needs.iter().any(|need| need.parts.len() > 1);
            let lost = choice.needs.iter().filter(|need| need.lost(nodes)).count();
            (whole == reads, lost)
        };
        way.choices.iter().min_by_key(missing)
    }

    fn follows(&self, fault: Diagnostic, rule: &Rule, place: usize) -> Diagnostic {
        let Some(Literal::Atom { relation, span, .. }) = rule.body.get(place) else {
            broken("what the next step derives is an atom of the body")
        };
        fault.at(*span, format!("`{}` follows from this `{}`", self.name(rule.head), self.name(*relation)))
    }

    /// Says what a rule lacks.
    fn lacking(
        &self,
        fault: Diagnostic,
        at: &Node,
        rule: &Rule,
        choice: Option<&Choice>,
        parts: &[usize],
    ) -> Diagnostic {
        let missing = Missing::new(&at.goal, parts);
        let texts: Vec<String> =
            missing.parts.iter().map(|part| self.part(rule, choice, &missing, part)).collect();
        let head = self.name(rule.head);
        let what = if rule.body.is_empty() { "holds" } else { "follows" };
        let said = format!("`{head}` {what} here without `{}`", texts.join("` and `"));
        let fault = fault.at(rule.head_span, said);
        if texts.iter().any(|text| text.contains(COMPUTED)) {
            let note = "what a rule computes is compared in no body, and guards are not traced through it";
            let help = format!(
                "compute it in a rule of another relation, and compare it in a rule of `{head}` that reads it"
            );
            return fault.note(note).help(help);
        }
        match rule.body.is_empty() {
            true => fault.help(format!("derive it by a rule whose body contains `{}`", texts.join(", "))),
            false => fault.help(format!("add `{}` to the body of this rule", texts.join(", "))),
        }
    }

    /// A part of a goal in the terms of a rule.
    fn part(&self, rule: &Rule, choice: Option<&Choice>, missing: &Missing<'_>, part: &Part) -> String {
        let slot = |slot: &Slot| match slot {
            Slot::Var(name) if missing.open.contains(name) => name.to_string(),
            slot => self.slot(rule, choice, slot),
        };
        match part {
            Part::Test(op, left, right) => format!("{} {op} {}", slot(left), slot(right)),
            Part::Fact(relation, columns) => {
                let required = &self.rules.checked[*relation];
                let column = |(at, own): (usize, &Option<Slot>)| {
                    let column = required.columns.get(at)?;
                    Some(format!("{}: {}", column.name, slot(own.as_ref()?)))
                };
                let named: Vec<String> = columns.iter().enumerate().filter_map(column).collect();
                match named.is_empty() {
                    true => format!("{}({})", required.name, vec!["_"; columns.len()].join(", ")),
                    false => format!("{}({})", required.name, named.join(", ")),
                }
            }
        }
    }

    fn slot(&self, rule: &Rule, choice: Option<&Choice>, slot: &Slot) -> String {
        let own = choice.map(|choice| sides(rule, slot, &choice.chosen)).unwrap_or_default();
        match (own.first(), slot) {
            (Some(Thing::Var(var)), _) => rule[*var].name.to_string(),
            (Some(Thing::Const(value)), _) => value.to_string(),
            (Some(Thing::Param(param)), _) => self.rules.checked[*param].name.to_string(),
            (None, Slot::Var(name)) => name.to_string(),
            (None, Slot::Targets(_)) => String::from(COMPUTED),
        }
    }

    fn too_wide(&self) -> Diagnostic {
        let decision = self.name(self.guard.decision);
        let message = format!("can't prove that `{decision}` is never drawn without all that it requires");
        Diagnostic::new(GUARD_TOO_WIDE, message)
            .at(self.guard.span, "required here")
            .note(format!("its parts reach the rules below it in more than {GOALS} ways"))
            .help(format!("use what it requires directly in the rules of `{decision}`"))
    }

    fn name(&self, id: RelationId) -> Symbol {
        self.rules.checked[id].name
    }
}

fn reads(rule: &Rule, required: RelationId) -> bool {
    rule.body.iter().any(
        |literal| matches!(literal, Literal::Atom { negated: false, relation, .. } if *relation == required),
    )
}
