//! Guards whose parts hang together: facts that share a value, and comparisons.
//!
//! A goal asks of a relation: does each of its facts come with facts of the required relations, values for the names
//! that they share, and comparisons that hold? A rule meets it if for some choice of its own terms for the names, each
//! part is met by its body: by an atom, by a comparison, or by a relation that meets the part put in its terms; or if
//! one atom's relation meets the whole. The greatest solution is right, as in [`super`].

use std::collections::{BTreeMap, BTreeSet};

use super::compare::implied;
use super::equal::{Classes, Thing};
use super::proof::{GOALS, NODES, Rules, Target, targets_in, thing_of, things};
use crate::analysis::checked::{Arg, Guard, Joint, JointTerm, Literal, Rule};
use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;
use hence_core::value::Type;

/// How many choices of terms for the names of a guard are looked at in one rule.
const CHOICES: usize = 4096;

/// What a part of a goal compares with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    /// Any of these, which are equal.
    Targets(BTreeSet<Target>),
    /// What the goal's parts share.
    Var(Symbol),
}

/// A part of a goal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// A fact of this relation with these columns.
    Fact(RelationId, Vec<Option<Slot>>),
    /// A comparison that holds.
    Test(&'static str, Slot, Slot),
}

impl Part {
    pub(super) fn slots(&self) -> Vec<&Slot> {
        match self {
            Self::Fact(_, columns) => columns.iter().flatten().collect(),
            Self::Test(_, left, right) => vec![left, right],
        }
    }

    /// The part with each slot changed; `None` where one can't be.
    fn map(&self, change: impl Fn(&Slot) -> Option<Slot>) -> Option<Self> {
        Some(match self {
            Self::Fact(relation, columns) => {
                let column =
                    |slot: &Option<Slot>| slot.as_ref().map_or(Some(None), |slot| change(slot).map(Some));
                Self::Fact(*relation, columns.iter().map(column).collect::<Option<_>>()?)
            }
            Self::Test(op, left, right) => Self::Test(op, change(left)?, change(right)?),
        })
    }
}

/// Do all parts go with each fact of `relation`?
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Goal {
    pub(super) relation: RelationId,
    pub(super) parts: Vec<Part>,
}

impl Goal {
    fn of(guard: &Joint) -> Self {
        let slot = |term: &JointTerm| match term {
            JointTerm::Fixed(Guard::Column(at)) => Slot::Targets(BTreeSet::from([Target::Column(*at)])),
            JointTerm::Fixed(Guard::Const(value)) => Slot::Targets(BTreeSet::from([Target::Const(*value)])),
            JointTerm::Var(name) => Slot::Var(*name),
        };
        let facts = guard.atoms.iter().map(|(relation, columns)| {
            Part::Fact(*relation, columns.iter().map(|column| column.as_ref().map(slot)).collect())
        });
        let tests = guard.tests.iter().map(|(op, left, right)| Part::Test(op, slot(left), slot(right)));
        Self { relation: guard.decision, parts: facts.chain(tests).collect() }
    }

    fn vars(&self) -> BTreeSet<Symbol> {
        let slots = self.parts.iter().flat_map(Part::slots);
        slots.filter_map(|slot| if let Slot::Var(name) = slot { Some(*name) } else { None }).collect()
    }
}

/// Terms of a rule for the names of a goal.
pub(super) type Chosen = BTreeMap<Symbol, Thing>;

/// What a rule needs for a part of a goal, or for the whole.
#[derive(Clone, Debug)]
pub(super) struct Need {
    /// The parts, by their places in the goal.
    pub(super) parts: Vec<usize>,
    /// Whether the body has it.
    met: bool,
    /// The atoms, by place in the body, whose relations may have it, and the goals that they then have to meet.
    pub(super) below: Vec<(usize, usize)>,
}

impl Need {
    pub(super) fn lost(&self, nodes: &[Node]) -> bool {
        !self.met && self.below.iter().all(|(_, goal)| node(nodes, *goal).lost.is_some())
    }
}

/// One of the ways in which a rule may meet a goal: all of the needs.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) chosen: Chosen,
    pub(super) needs: Vec<Need>,
}

/// A rule and the ways in which it may meet a goal.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) rule: usize,
    pub(super) choices: Vec<Choice>,
}

impl Way {
    pub(super) fn lost(&self, nodes: &[Node]) -> bool {
        self.choices.iter().all(|choice| choice.needs.iter().any(|need| need.lost(nodes)))
    }
}

/// A goal and the rules of its relation.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) goal: Goal,
    pub(super) ways: Vec<Way>,
    /// The turn at which it was found to be lost.
    pub(super) lost: Option<usize>,
}

/// The goal of this number.
pub(super) fn node(nodes: &[Node], at: usize) -> &Node {
    nodes.get(at).or_broken(NODES)
}

/// All goals that come up for a guard; the first is the guard itself. `None` where there are too many.
pub(super) fn prove(rules: &Rules<'_>, guard: &Joint) -> Option<Vec<Node>> {
    let mut search = Search { rules, numbers: BTreeMap::new(), goals: Vec::new() };
    search.number(Goal::of(guard));
    let mut nodes: Vec<Node> = Vec::new();
    while let Some(goal) = search.goals.get(nodes.len()).cloned() {
        let ways = rules.of(goal.relation).iter().map(|rule| search.way(*rule, &goal));
        let ways = ways.collect::<Option<_>>()?;
        nodes.push(Node { goal, ways, lost: None });
        if search.goals.len() > GOALS {
            return None;
        }
    }
    lose(&mut nodes);
    Some(nodes)
}

/// Marks the goals that are lost, in turns, until no more are.
fn lose(nodes: &mut [Node]) {
    let mut turn = 0;
    loop {
        let lost = |at: &usize| {
            let own = node(nodes, *at);
            own.lost.is_none() && own.ways.iter().any(|way| way.lost(nodes))
        };
        let found: Vec<usize> = (0..nodes.len()).filter(lost).collect();
        if found.is_empty() {
            return;
        }
        for at in found {
            nodes.get_mut(at).or_broken(NODES).lost = Some(turn);
        }
        turn += 1;
    }
}

struct Search<'a> {
    rules: &'a Rules<'a>,
    numbers: BTreeMap<Goal, usize>,
    goals: Vec<Goal>,
}

impl Search<'_> {
    fn number(&mut self, goal: Goal) -> usize {
        let goals = &mut self.goals;
        *self.numbers.entry(goal).or_insert_with_key(|goal| {
            goals.push(goal.clone());
            goals.len() - 1
        })
    }

    /// The ways in which a rule may meet a goal; `None` for too many.
    fn way(&mut self, at: usize, goal: &Goal) -> Option<Way> {
        let (rule, classes) = (self.rules.rule(at), self.rules.classes(at));
        let mut choices = Vec::new();
        for chosen in chosen(self.rules, rule, classes, goal)? {
            let needs = (0..goal.parts.len()).map(|part| self.need(at, goal, part, &chosen));
            let needs = needs.collect();
            choices.push(Choice { chosen, needs });
        }
        if goal.parts.len() > 1 {
            let below = self.below(at, &goal.parts, &Chosen::new());
            let whole = Need { parts: (0..goal.parts.len()).collect(), met: false, below };
            choices.push(Choice { chosen: Chosen::new(), needs: vec![whole] });
        }
        Some(Way { rule: at, choices })
    }

    fn need(&mut self, at: usize, goal: &Goal, place: usize, chosen: &Chosen) -> Need {
        let (rule, classes) = (self.rules.rule(at), self.rules.classes(at));
        let part = goal.parts.get(place).or_broken("a need is one of a part of its goal");
        let met = match part {
            Part::Fact(relation, columns) => has_fact(rule, classes, *relation, columns, chosen),
            Part::Test(op, left, right) => {
                implied(&rule.body, classes, op, &sides(rule, left, chosen), &sides(rule, right, chosen))
            }
        };
        let below = if met { Vec::new() } else { self.below(at, std::slice::from_ref(part), chosen) };
        Need { parts: vec![place], met, below }
    }

    /// The derived atoms of a body in whose terms the parts can be put, with the goals of their relations.
    fn below(&mut self, at: usize, parts: &[Part], chosen: &Chosen) -> Vec<(usize, usize)> {
        let (rule, classes) = (self.rules.rule(at), self.rules.classes(at));
        let mut found = Vec::new();
        for (place, literal) in rule.body.iter().enumerate() {
            let Literal::Atom { negated: false, relation, args, .. } = literal else { continue };
            if self.rules.is_input(*relation) {
                continue;
            }
            let slot = |slot: &Slot| match slot {
                Slot::Var(name) if !chosen.contains_key(name) => Some(slot.clone()),
                _ => {
                    let targets = targets_in(classes, sides(rule, slot, chosen).into_iter(), args);
                    (!targets.is_empty()).then_some(Slot::Targets(targets))
                }
            };
            if let Some(parts) = parts.iter().map(|part| part.map(slot)).collect::<Option<Vec<_>>>() {
                found.push((place, self.number(Goal { relation: *relation, parts })));
            }
        }
        found
    }
}

/// Whether the body has a fact of the relation with these columns.
fn has_fact(
    rule: &Rule,
    classes: &Classes,
    required: RelationId,
    columns: &[Option<Slot>],
    chosen: &Chosen,
) -> bool {
    let fits = |slot: &Option<Slot>, arg: &Arg| {
        let Some(slot) = slot else { return true };
        thing_of(arg)
            .is_some_and(|arg| sides(rule, slot, chosen).into_iter().any(|side| classes.equal(side, arg)))
    };
    rule.body.iter().any(|literal| match literal {
        Literal::Atom { negated: false, relation, args, .. } if *relation == required => {
            columns.iter().zip(args).all(|(slot, arg)| fits(slot, arg))
        }
        _ => false,
    })
}

/// What a slot is in the rule; nothing for what the rule computes.
pub(super) fn sides(rule: &Rule, slot: &Slot, chosen: &Chosen) -> Vec<Thing> {
    match slot {
        Slot::Targets(targets) => things(rule, targets).collect(),
        Slot::Var(name) => chosen.get(name).copied().into_iter().collect(),
    }
}

/// The choices of a rule's terms for the names of a goal; `None` for too many.
fn chosen(rules: &Rules<'_>, rule: &Rule, classes: &Classes, goal: &Goal) -> Option<Vec<Chosen>> {
    let mut all = vec![Chosen::new()];
    for name in goal.vars() {
        let mut terms: Vec<Thing> = Vec::new();
        let ty = type_of(rules, goal, name);
        for term in candidates(rule, goal, name).into_iter().filter(|term| is_of(rules, rule, *term, ty)) {
            if !terms.iter().any(|other| classes.equal(*other, term)) {
                terms.push(term);
            }
        }
        (all.len().saturating_mul(terms.len()) <= CHOICES).then_some(())?;
        let with = |before: &Chosen, term: &Thing| {
            let mut chosen = before.clone();
            chosen.insert(name, *term);
            chosen
        };
        all = all.iter().flat_map(|before| terms.iter().map(move |term| with(before, term))).collect();
    }
    Some(all)
}

/// The type of what a goal calls `name`.
fn type_of(rules: &Rules<'_>, goal: &Goal, name: Symbol) -> Option<Type> {
    goal.parts.iter().find_map(|part| {
        let Part::Fact(relation, columns) = part else { return None };
        let at = columns.iter().position(|slot| *slot == Some(Slot::Var(name)))?;
        rules.checked[*relation].columns.get(at).map(|column| column.ty.ty)
    })
}

fn is_of(rules: &Rules<'_>, rule: &Rule, term: Thing, ty: Option<Type>) -> bool {
    let own = match term {
        Thing::Var(var) => rule[var].ty.ty,
        Thing::Const(value) => value.ty(),
        Thing::Param(param) => rules.checked[param].ty.ty,
    };
    ty.is_none_or(|ty| ty == own)
}

/// The terms of a rule's body that may be what a goal calls `name`.
fn candidates(rule: &Rule, goal: &Goal, name: Symbol) -> Vec<Thing> {
    let place = |required: &RelationId, columns: &[Option<Slot>], relation: &RelationId| {
        (required == relation).then(|| columns.iter().position(|slot| *slot == Some(Slot::Var(name))))?
    };
    let mut found = Vec::new();
    for literal in &rule.body {
        let Literal::Atom { negated: false, relation, args, .. } = literal else { continue };
        let own = goal.parts.iter().find_map(|part| match part {
            Part::Fact(required, columns) => place(required, columns, relation),
            Part::Test(..) => None,
        });
        match own {
            Some(at) => found.extend(args.get(at).and_then(thing_of)),
            None => found.extend(args.iter().filter_map(thing_of)),
        }
    }
    found
}
