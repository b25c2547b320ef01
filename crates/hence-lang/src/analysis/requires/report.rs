//! The derivation by which a decision gets round its guard, rule by rule.

use std::collections::BTreeSet;

use super::equal::Thing;
use super::proof::{GOALS, Goal, NODES, Node, Rules, Target, Way, fits, prove, term};
use crate::analysis::checked::{Arg, Requires, Rule};
use crate::analysis::codes::{GUARD_LOST, GUARD_TOO_WIDE};
use crate::analysis::prose::ends;
use crate::builtins::term::Term;
use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::schema::{Relation, RelationId};
use hence_core::symbol::Symbol;

/// A fault for each rule of the decision that doesn't keep the guard, unless it is another one's fault.
pub(super) fn faults(rules: &Rules<'_>, guard: &Requires) -> Vec<Diagnostic> {
    let report = Report { rules, guard };
    let Some(nodes) = prove(rules, guard) else { return vec![report.too_wide()] };
    let first = nodes.first().or_broken(NODES);
    first
        .lost_ways()
        .filter_map(|way| report.way_round(&nodes, way))
        .map(|steps| report.fault(&steps))
        .collect()
}

/// A step of the derivation: a rule, the goal that it fails, and the atom that the next step derives.
struct DerivationStep<'a> {
    at: usize,
    rule: &'a Rule,
    goal: &'a Goal,
    next: Option<usize>,
}

struct Report<'a> {
    rules: &'a Rules<'a>,
    guard: &'a Requires,
}

impl<'a> Report<'a> {
    /// The derivation that begins with a rule of the decision; `None` where it comes back to the guard's own goal,
    /// whose other rules are then at fault.
    fn way_round<'b>(&self, nodes: &'b [Node], first: &'b Way) -> Option<Vec<DerivationStep<'b>>>
    where
        'a: 'b,
    {
        let (mut steps, mut node, mut way) = (Vec::new(), nodes.first().or_broken(NODES), first);
        loop {
            let rule = self.rules.rule(way.rule);
            let earliest = way.options.iter().min_by_key(|(_, goal)| node_of(nodes, *goal).lost);
            let next = earliest.filter(|_| !self.reads_required(rule));
            steps.push(DerivationStep {
                at: way.rule,
                rule,
                goal: &node.goal,
                next: next.map(|(place, _)| *place),
            });
            let Some((_, goal)) = next else { return Some(steps) };
            if *goal == 0 {
                return None;
            }
            node = node_of(nodes, *goal);
            way = first_lost(nodes, node);
        }
    }

    /// Whether the body holds the required relation, but not as required.
    fn reads_required(&self, rule: &Rule) -> bool {
        rule.body
            .iter()
            .any(|literal| literal.positive().is_some_and(|atom| atom.relation == self.guard.relation))
    }

    fn fault(&self, steps: &[DerivationStep<'_>]) -> Diagnostic {
        let decision = self.name(self.guard.decision);
        let required = self.name(self.guard.relation);
        let message = format!("`{decision}` can be drawn without the `{required}` that it requires");
        let mut fault = Diagnostic::new(GUARD_LOST, message);
        let (shown, left_out) = ends(steps);
        for step in shown {
            fault = self.tell(fault, step);
        }
        if left_out > 0 {
            fault = fault.note(format!("{left_out} intermediate rules are not shown"));
        }
        self.way_out(fault.at(self.guard.span, "required here"), steps)
    }

    /// What to write where.
    fn way_out(&self, fault: Diagnostic, steps: &[DerivationStep<'_>]) -> Diagnostic {
        let (last, before) = steps.split_last().or_broken("a way round a guard has a step");
        let (needed, head) = (self.needed(last), self.name(last.rule.head));
        let notes = self.unfollowed(last);
        if !notes.is_empty() {
            let fault = notes.into_iter().fold(fault, Diagnostic::note);
            return fault.help(match before.last() {
                Some(reader) => {
                    let reading = self.name(reader.rule.head);
                    format!("add `{}` to the rule of `{reading}` that reads `{head}`", self.needed(reader))
                }
                None => format!("join `{}` again, in an intermediate rule", self.name(self.guard.relation)),
            });
        }
        fault.help(match (last.rule.body.is_empty(), before) {
            (true, _) => format!("derive it by a rule whose body contains `{needed}`"),
            (false, []) => format!("add `{needed}` to the body of this rule"),
            (false, _) => {
                format!("add `{needed}` to the rule of `{head}`, or a similar literal to a rule that it depends on")
            }
        })
    }

    /// Adds what a step shows.
    fn tell(&self, fault: Diagnostic, step: &DerivationStep<'_>) -> Diagnostic {
        let head = self.name(step.rule.head);
        if let Some(next) = step.next {
            let atom = step.rule.literal(next).atom();
            let atom = atom.or_broken("what the next step derives is an atom of the body");
            let text = format!("`{head}` follows from this `{}`", self.name(atom.relation));
            return fault.at(atom.span, text);
        }
        let needed = self.needed(step);
        let what = if step.rule.body.is_empty() { "holds" } else { "follows" };
        let fault = fault.at(step.rule.head_span, format!("`{head}` {what} here without `{needed}`"));
        self.misses(fault, step)
    }

    /// The atom that would keep the guard, in the variables of the rule.
    fn needed(&self, step: &DerivationStep<'_>) -> String {
        let required = self.relation(self.guard.relation);
        let column = |(at, targets): (usize, &Option<BTreeSet<Target>>)| {
            let target = simplest(step.rule, targets.as_ref()?)?;
            Some(format!("{}: {}", self.column(self.guard.relation, at), self.target(step.rule, target)))
        };
        let named: Vec<String> = step.goal.columns.iter().enumerate().filter_map(column).collect();
        if named.is_empty() {
            return format!("{}({})", required.name, vec!["_"; required.columns.len()].join(", "));
        }
        format!("{}({})", required.name, named.join(", "))
    }

    /// A target as the rule writes it; a column that is computed there, by its name.
    fn target(&self, rule: &Rule, target: Target) -> String {
        let column = match target {
            Target::Const(value) => return value.to_string(),
            Target::Column(at) => at,
        };
        let text = Thing::of_term(term(rule, column)).map(|thing| match thing {
            Thing::Var(var) => rule[var].name.to_string(),
            Thing::Const(value) => value.to_string(),
            Thing::Param(param) => self.rules.checked[param].name.to_string(),
        });
        text.unwrap_or_else(|| format!("…{}", self.column(rule.head, column)))
    }

    /// Labels for atoms of the required relation that aren't the fact required.
    fn misses(&self, mut fault: Diagnostic, step: &DerivationStep<'_>) -> Diagnostic {
        for literal in &step.rule.body {
            let Some(atom) = literal.atom().filter(|atom| atom.relation == self.guard.relation) else {
                continue;
            };
            let absent = || String::from("requires the absence of it");
            let text = if atom.negated { absent() } else { self.miss(step, atom.args) };
            fault = fault.at(atom.span, text);
        }
        fault
    }

    /// Which columns of an atom of the required relation aren't as required.
    fn miss(&self, step: &DerivationStep<'_>, args: &[Arg]) -> String {
        let classes = self.rules.classes(step.at);
        let wrong = step.goal.columns.iter().zip(args).enumerate().filter_map(|(at, (targets, arg))| {
            if fits(step.rule, classes, targets.as_ref(), arg) {
                return None;
            }
            let column = self.column(self.guard.relation, at);
            Some(match simplest(step.rule, targets.as_ref()?)? {
                Target::Const(value) => format!("`{column}` need not be `{value}`"),
                Target::Column(of) => {
                    let (head, of) = (self.name(step.rule.head), self.column(step.rule.head, of));
                    format!("`{column}` need not be the `{of}` of `{head}`")
                }
            })
        });
        format!("here {}", wrong.collect::<Vec<_>>().join(" and "))
    }

    /// Notes on columns that a rule computes, so that no guard is followed through them.
    fn unfollowed(&self, step: &DerivationStep<'_>) -> Vec<String> {
        let targets: BTreeSet<&Target> = step.goal.columns.iter().flatten().flatten().collect();
        let note = |target: &Target| {
            let Target::Column(at) = target else { return None };
            let how = match term(step.rule, *at) {
                Term::Aggregate { .. } => "an aggregate",
                term if Thing::of_term(term).is_none() => "an operation",
                Term::Expr(_) => return None,
            };
            let (head, column) = (self.name(step.rule.head), self.column(step.rule.head, *at));
            Some(format!(
                "`{column}` of `{head}` is the result of {how}, and guards are not traced through it"
            ))
        };
        targets.into_iter().filter_map(note).collect()
    }

    fn too_wide(&self) -> Diagnostic {
        let (decision, required) = (self.name(self.guard.decision), self.name(self.guard.relation));
        let message = format!("can't prove that `{decision}` is never drawn without `{required}`");
        Diagnostic::new(GUARD_TOO_WIDE, message)
            .at(self.guard.span, "required here")
            .note(format!("its columns reach the rules below it in more than {GOALS} ways"))
            .help(format!("use `{required}` directly in the rules of `{decision}`"))
    }

    fn relation(&self, id: RelationId) -> &'a Relation {
        &self.rules.checked[id]
    }

    fn name(&self, id: RelationId) -> Symbol {
        self.relation(id).name
    }

    fn column(&self, id: RelationId, at: usize) -> Symbol {
        self.relation(id).columns.get(at).or_broken("a guard names columns that its relation has").name
    }
}

/// The target that is easiest to write in the rule: a literal, else a column that it doesn't compute.
fn simplest(rule: &Rule, targets: &BTreeSet<Target>) -> Option<Target> {
    let effort = |target: &Target| match target {
        Target::Const(_) => 0,
        Target::Column(at) => 1 + u8::from(Thing::of_term(term(rule, *at)).is_none()),
    };
    targets.iter().copied().min_by_key(effort)
}

/// The rule by which a goal was lost first: all that it could build on was lost before.
fn first_lost<'b>(nodes: &[Node], node: &'b Node) -> &'b Way {
    let last = |way: &Way| way.options.iter().filter_map(|(_, goal)| node_of(nodes, *goal).lost).max();
    node.lost_ways().min_by_key(|way| last(way)).or_broken("a goal that is lost is lost by a rule")
}

fn node_of(nodes: &[Node], goal: usize) -> &Node {
    nodes.get(goal).or_broken(NODES)
}
