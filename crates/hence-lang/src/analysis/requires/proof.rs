//! Goals, how the rules of a relation may meet them, and which are lost.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::equal::{Classes, Thing};
use crate::analysis::checked::{Arg, Checked, Guard, Literal, Requires, Rule};
use crate::builtins::term::Term;
use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexVec;
use hence_core::schema::{Kind, RelationId};
use hence_core::value::Value;

/// How many goals, beside one for each relation, are followed for one guard before the proof is given up.
pub(super) const GOALS: usize = 10_000;

/// An invariant of [`Rules`].
const RULES: &str = "the ways to meet a goal are rules of the program";
/// One of goals.
pub(super) const NODES: &str = "each goal that comes up is followed";

/// The rules by head, each with what is equal in it.
pub(super) struct Rules<'a> {
    /// The program.
    pub(super) checked: &'a Checked,
    by_head: IndexVec<RelationId, Vec<usize>>,
    classes: Vec<Classes>,
}

impl<'a> Rules<'a> {
    pub(super) fn new(checked: &'a Checked) -> Self {
        let mut by_head: IndexVec<RelationId, Vec<usize>> =
            IndexVec::filled(Vec::new(), checked.relations.len());
        for (at, rule) in checked.rules.iter().enumerate() {
            by_head[rule.head].push(at);
        }
        Self {
            checked,
            by_head,
            classes: checked.rules.iter().map(|rule| Classes::new(&rule.body)).collect(),
        }
    }

    /// The rule at this place.
    pub(super) fn rule(&self, at: usize) -> &'a Rule {
        self.checked.rules.get(at).or_broken(RULES)
    }

    /// What is equal in the rule at this place.
    pub(super) fn classes(&self, at: usize) -> &Classes {
        self.classes.get(at).or_broken(RULES)
    }

    /// The rules that derive a relation.
    pub(super) fn of(&self, relation: RelationId) -> &[usize] {
        &self.by_head[relation]
    }

    pub(super) fn is_input(&self, relation: RelationId) -> bool {
        self.checked[relation].kind == Kind::Input
    }
}

/// What a column of the required relation has to equal: a column of the goal's relation or a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    Column(usize),
    Const(Value),
}

/// Does each fact of `relation` come with a fact of the required relation, each of whose columns equals one of
/// these targets? (Targets of one column are equal to each other wherever the goal came from, so any will do.)
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Goal {
    pub(super) relation: RelationId,
    pub(super) columns: Vec<Option<BTreeSet<Target>>>,
}

impl Goal {
    fn of(guard: &Requires) -> Self {
        let target = |column: &Guard| match column {
            Guard::Column(at) => Target::Column(*at),
            Guard::Const(value) => Target::Const(*value),
        };
        let columns =
            guard.columns.iter().map(|column| column.as_ref().map(|one| BTreeSet::from([target(one)])));
        Self { relation: guard.decision, columns: columns.collect() }
    }
}

/// How one rule may meet a goal.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The rule.
    pub(super) rule: usize,
    /// Whether an atom of its body is the required fact itself.
    direct: bool,
    /// The atoms (by place in the body) that would hand on what the relation they read guarantees: the goals that
    /// these relations then have to meet.
    pub(super) options: Vec<(usize, usize)>,
    /// How many of the options are not lost.
    open: usize,
}

impl Way {
    fn lost(&self) -> bool {
        !self.direct && self.open == 0
    }
}

/// A goal and the ways of the relation's rules.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) goal: Goal,
    pub(super) ways: Vec<Way>,
    /// The turn at which the goal was found to be lost.
    pub(super) lost: Option<usize>,
}

impl Node {
    /// The rules that don't meet the goal.
    pub(super) fn lost_ways(&self) -> impl Iterator<Item = &Way> {
        self.ways.iter().filter(|way| way.lost())
    }
}

/// All goals that come up for one guard; the first is the guard itself. `None` where there are too many.
pub(super) fn prove(rules: &Rules<'_>, guard: &Requires) -> Option<Vec<Node>> {
    let mut nodes = explore(rules, guard)?;
    lose(&mut nodes);
    Some(nodes)
}

/// Follows the goals down through the rules.
fn explore(rules: &Rules<'_>, guard: &Requires) -> Option<Vec<Node>> {
    let first = Goal::of(guard);
    let mut numbers = BTreeMap::from([(first.clone(), 0)]);
    let mut goals = vec![first];
    let mut nodes: Vec<Node> = Vec::new();
    while let Some(goal) = goals.get(nodes.len()).cloned() {
        let mut ways = Vec::new();
        for &at in rules.of(goal.relation) {
            let mut way = Way { rule: at, direct: false, options: Vec::new(), open: 0 };
            for (place, need) in hand_on(rules, at, &goal, guard.relation) {
                let Need::Goal(goal) = need else {
                    way.direct = true;
                    continue;
                };
                let number = *numbers.entry(goal).or_insert_with_key(|goal| {
                    goals.push(goal.clone());
                    goals.len() - 1
                });
                way.options.push((place, number));
            }
            way.open = way.options.len();
            ways.push(way);
        }
        nodes.push(Node { goal, ways, lost: None });
        if goals.len() > rules.checked.relations.len().saturating_add(GOALS) {
            return None;
        }
    }
    Some(nodes)
}

/// What an atom of a body has to offer to a goal.
enum Need {
    /// It is the required fact.
    Met,
    /// Its relation has to meet this goal.
    Goal(Goal),
}

/// For each positive atom of a rule's body that could meet `goal`, its place and what that takes.
fn hand_on(rules: &Rules<'_>, rule: usize, goal: &Goal, required: RelationId) -> Vec<(usize, Need)> {
    let (rule, classes) = (rules.rule(rule), rules.classes(rule));
    let offer = |literal: &Literal| {
        let atom = literal.positive()?;
        if atom.relation == required && meets(rule, classes, goal, atom.args) {
            return Some(Need::Met);
        }
        (!rules.is_input(atom.relation)).then_some(())?;
        let columns = translate(rule, classes, goal, atom.args)?;
        Some(Need::Goal(Goal { relation: atom.relation, columns }))
    };
    rule.body.iter().enumerate().filter_map(|(at, literal)| Some((at, offer(literal)?))).collect()
}

/// Whether an atom of the required relation with `args` is the fact that `goal` asks for.
fn meets(rule: &Rule, classes: &Classes, goal: &Goal, args: &[Arg]) -> bool {
    goal.columns.iter().zip(args).all(|(targets, arg)| fits(rule, classes, targets.as_ref(), arg))
}

/// Whether the argument at a column of the required relation equals one of its targets.
pub(super) fn fits(rule: &Rule, classes: &Classes, targets: Option<&BTreeSet<Target>>, arg: &Arg) -> bool {
    let Some(targets) = targets else { return true };
    let Some(arg) = thing_of(arg) else { return false };
    things(rule, targets).any(|target| classes.equal(target, arg))
}

/// The goal's columns in terms of the arguments of an atom; `None` where one of them isn't among these.
fn translate(
    rule: &Rule,
    classes: &Classes,
    goal: &Goal,
    args: &[Arg],
) -> Option<Vec<Option<BTreeSet<Target>>>> {
    let column = |targets: &BTreeSet<Target>| {
        let found = targets_in(classes, things(rule, targets), args);
        (!found.is_empty()).then_some(found)
    };
    goal.columns.iter().map(|targets| targets.as_ref().map_or(Some(None), |t| column(t).map(Some))).collect()
}

/// What equals one of these things among the arguments of an atom, and the literals that do.
pub(super) fn targets_in(
    classes: &Classes,
    things: impl Iterator<Item = Thing>,
    args: &[Arg],
) -> BTreeSet<Target> {
    let mut found = BTreeSet::new();
    for target in things {
        found.extend(classes.consts(target).map(Target::Const));
        let equal = |arg: &Arg| thing_of(arg).is_some_and(|arg| classes.equal(arg, target));
        found.extend(args.iter().enumerate().filter(|(_, arg)| equal(arg)).map(|(at, _)| Target::Column(at)));
    }
    found
}

/// The targets as things of the rule that derives the goal's relation.
pub(super) fn things(rule: &Rule, targets: &BTreeSet<Target>) -> impl Iterator<Item = Thing> {
    targets.iter().filter_map(|target| match target {
        Target::Column(at) => Thing::of_term(term(rule, *at)),
        Target::Const(value) => Some(Thing::Const(*value)),
    })
}

/// The term of a column of the head.
pub(super) fn term(rule: &Rule, column: usize) -> &Term {
    rule.terms.get(column).or_broken("a head has a term for each column of its relation")
}

/// What an argument is, if it is no operation.
pub(super) fn thing_of(arg: &Arg) -> Option<Thing> {
    match arg {
        Arg::Any => None,
        Arg::Expr(expr) => Thing::of(expr),
    }
}

/// Marks the goals that are lost: those with a rule that is lost, in turns, until no more are.
fn lose(nodes: &mut [Node]) {
    let mut users: Vec<Vec<(usize, usize)>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        for (place, way) in node.ways.iter().enumerate() {
            for (_, goal) in &way.options {
                users.get_mut(*goal).or_broken(NODES).push((at, place));
            }
        }
    }
    let mut turn = 0;
    let mut queue: VecDeque<usize> = VecDeque::new();
    for (at, node) in nodes.iter_mut().enumerate() {
        if node.ways.iter().any(Way::lost) {
            node.lost = Some(turn);
            turn += 1;
            queue.push_back(at);
        }
    }
    while let Some(at) = queue.pop_front() {
        for (user, place) in users.get(at).or_broken(NODES) {
            let node = nodes.get_mut(*user).or_broken(NODES);
            let way = node.ways.get_mut(*place).or_broken(NODES);
            way.open -= 1;
            if way.lost() && node.lost.is_none() {
                node.lost = Some(turn);
                turn += 1;
                queue.push_back(*user);
            }
        }
    }
}
