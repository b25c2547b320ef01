//! What a standing evaluation keeps of a rule: its plans, and the state of its groups.

use crate::Undefined;
use crate::seminaive::shape::Shape;
use hence_core::fault::{OrBroken, broken};
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::{Literal, Program, Rule, RuleId, StratumId};

use super::compile::compile;
use super::groups::Groups;
use super::plan::{Mode, Plan};
use super::planning::Source;
use super::roles::{Role, roles};
use super::store::Store;
use super::tops::Tops;
use super::work::Origin;

/// By how much relations may grow or shrink before a plan is made anew, and from which size on.
const DRIFT: usize = 8;
const SMALL: usize = 64;

/// What becomes of the matches of a rule.
pub(super) enum Collect {
    /// Each is a derivation of a fact.
    Facts,
    /// They are aggregated.
    Groups(Box<Groups>),
    /// The first few of each group are kept.
    Tops(Box<Tops>),
}

/// A rule of a standing evaluation.
pub(super) struct RuleState {
    /// The relation that it derives.
    pub(super) head: RelationId,
    /// Its stratum; none where the program has the rule only for its number.
    pub(super) stratum: Option<StratumId>,
    /// For each literal whether it reads the rule's own stratum.
    pub(super) own: Vec<bool>,
    /// Whether one does.
    pub(super) is_own: bool,
    /// What becomes of its matches.
    pub(super) collect: Collect,
    /// Its operations without a result.
    pub(super) reports: Vec<Undefined>,
    shape: Shape,
    roles: Vec<Role>,
    plans: Vec<Option<Box<Plan>>>,
}

/// All rules of a program, without plans.
pub(super) fn rules(
    program: &Program,
    homes: &IndexVec<RelationId, Option<StratumId>>,
) -> IndexVec<RuleId, RuleState> {
    program.rules.iter().map(|rule| RuleState::new(rule, homes)).collect()
}

/// The literals that read relations, with these.
pub(super) fn reads(rule: &Rule) -> impl Iterator<Item = (usize, RelationId)> + '_ {
    rule.body.iter().enumerate().filter_map(|(at, literal)| match literal {
        Literal::Atom(atom) | Literal::Not(atom) => Some((at, atom.relation)),
        _ => None,
    })
}

impl RuleState {
    fn new(rule: &Rule, homes: &IndexVec<RelationId, Option<StratumId>>) -> Self {
        let home = homes[rule.head];
        let mut own = vec![false; rule.body.len()];
        for (literal, relation) in reads(rule) {
            own[literal] = home.is_some() && homes[relation] == home;
        }
        let shape = Shape::new(rule);
        let roles = roles(rule, &shape, &own);
        let collect = match &rule.limit {
            _ if rule.is_aggregate() => Collect::Groups(Box::new(Groups::new(rule))),
            Some(limit) => Collect::Tops(Box::new(Tops::new(rule, limit))),
            None => Collect::Facts,
        };
        Self {
            head: rule.head,
            stratum: home,
            is_own: own.contains(&true),
            own,
            collect,
            reports: Vec::new(),
            shape,
            roles,
            plans: Vec::new(),
        }
    }

    /// Whether some operation of the rule may have no result.
    pub(super) fn may_fail(&self) -> bool {
        self.shape.may_fail
    }

    /// Makes the plan for a beginning, where there is none or the relations have changed much since.
    pub(super) fn plan(&mut self, rule: &Rule, mode: Mode, store: &mut Store, params: &[Word]) {
        let place = mode.place();
        if self.plans.len() <= place {
            self.plans.resize_with(place + 1, || None);
        }
        let drifted = |plan: &Plan| {
            plan.sizes.iter().any(|(relation, size)| {
                let now = store.table(*relation).len() + SMALL;
                now > (size + SMALL) * DRIFT || now * DRIFT < size + SMALL
            })
        };
        if self.plans[place].as_deref().is_none_or(drifted) {
            let source = Source { rule, shape: &self.shape, roles: &self.roles, own: &self.own };
            self.plans[place] = Some(Box::new(compile(source, mode, store, params)));
        }
    }

    /// The plan for a beginning, once it is made, and what becomes of its matches.
    pub(super) fn made(&mut self, mode: Mode) -> (&Plan, &mut Collect) {
        let plan = self.plans.get(mode.place()).and_then(Option::as_deref);
        (plan.or_broken("a plan is made before it is run"), &mut self.collect)
    }

    /// Where the rows for a literal come from.
    pub(super) fn origin(&self, rule: &Rule, literal: usize, store: &mut Store) -> Origin {
        let (atom, positive) = match rule.literal(literal) {
            Literal::Atom(atom) => (atom, true),
            Literal::Not(atom) => (atom, false),
            _ => broken("plans begin with rows of atoms"),
        };
        let relation = atom.relation;
        let keys = match &self.roles[literal] {
            Role::Some(columns) if columns.len() < atom.args.len() => {
                Some(store.table_mut(relation).index_on(columns))
            }
            _ => None,
        };
        Origin { relation, keys, positive }
    }

    /// Bytes of groups.
    pub(super) fn bytes(&self) -> usize {
        match &self.collect {
            Collect::Facts => 0,
            Collect::Groups(groups) => groups.bytes(),
            Collect::Tops(tops) => tops.bytes(),
        }
    }
}
