//! What incremental maintenance keeps of a rule: its plans, and the state of its groups.

use super::mode::Mode;
use crate::incremental::groups::AggregateGroups;
use crate::incremental::limit::LimitedGroups;
use crate::incremental::work::DeltaSource;
use crate::model::Undefined;
use crate::plan::compile::compile;
use crate::plan::roles::Role;
use crate::plan::roles::roles;
use crate::plan::shape::Shape;
use crate::plan::source::{JoinOrder, RuleSource, Wanted};
use crate::plan::steps::Plan;
use crate::storage::versioned::VersionedRelations;
use hence_core::fault::{OrBroken, broken};
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::{Literal, Program, Rule, RuleId, StratumId};

/// By how much relations may grow or shrink before a plan is remade, and from which size on.
const DRIFT: usize = 8;
const SMALL: usize = 64;

/// What becomes of the matches of a rule.
pub(crate) enum Collect {
    /// Each is a derivation of a fact.
    Facts,
    /// They are aggregated.
    Groups(Box<AggregateGroups>),
    /// The first few of each group are kept.
    Tops(Box<LimitedGroups>),
}

/// A rule of incremental maintenance.
pub(crate) struct RuleState {
    /// The rule.
    id: RuleId,
    /// The relation that it derives.
    pub(crate) head: RelationId,
    /// Its stratum; none where the program has the rule only for its number.
    pub(crate) stratum: Option<StratumId>,
    /// For each literal whether it reads the rule's own stratum.
    pub(crate) own: Vec<bool>,
    /// Whether one does.
    pub(crate) is_own: bool,
    /// What becomes of its matches.
    pub(crate) collect: Collect,
    /// The variables of its conditions that read the clock.
    pub(crate) clocked: Vec<Vec<VarId>>,
    /// Its undefined operations.
    pub(crate) reports: Vec<Undefined>,
    shape: Shape,
    roles: Vec<Role>,
    plans: Vec<Option<Box<MadePlan>>>,
}

/// A plan, with the sizes of the relations that it reads when it was made.
struct MadePlan {
    plan: Plan,
    sizes: Vec<(RelationId, usize)>,
}

/// All rules of a program, without plans.
pub(crate) fn rules(
    program: &Program,
    homes: &IndexVec<RelationId, Option<StratumId>>,
) -> IndexVec<RuleId, RuleState> {
    (0..).map(RuleId).zip(&program.rules).map(|(id, rule)| RuleState::new(id, rule, homes)).collect()
}

/// The literals that read relations, with these.
pub(crate) fn reads(rule: &Rule) -> impl Iterator<Item = (usize, RelationId)> + '_ {
    rule.body.iter().enumerate().filter_map(|(at, literal)| match literal {
        Literal::Atom(atom) | Literal::Not(atom) => Some((at, atom.relation)),
        _ => None,
    })
}

impl RuleState {
    fn new(id: RuleId, rule: &Rule, homes: &IndexVec<RelationId, Option<StratumId>>) -> Self {
        let home = homes[rule.head];
        let mut own = vec![false; rule.body.len()];
        for (literal, relation) in reads(rule) {
            own[literal] = home.is_some() && homes[relation] == home;
        }
        let shape = Shape::new(rule);
        let roles = roles(rule, &shape, &own);
        let collect = match &rule.limit {
            _ if rule.is_aggregate() => Collect::Groups(Box::new(AggregateGroups::new(rule))),
            Some(limit) => Collect::Tops(Box::new(LimitedGroups::new(rule, limit))),
            None => Collect::Facts,
        };
        Self {
            id,
            head: rule.head,
            stratum: home,
            is_own: own.contains(&true),
            own,
            collect,
            clocked: Vec::new(),
            reports: Vec::new(),
            shape,
            roles,
            plans: Vec::new(),
        }
    }

    /// Says which variables the conditions have that read the clock, and which is the first parameter that moves.
    pub(crate) fn read_clock(&mut self, clocked: Vec<Vec<VarId>>, first: usize) {
        self.clocked = clocked;
        self.shape.moving = first;
    }

    /// Whether some operation of the rule may have no result.
    pub(crate) fn may_fail(&self) -> bool {
        self.shape.may_fail
    }

    /// Makes the plan for a beginning, where there is none or the relations have changed much since.
    pub(crate) fn plan(&mut self, rule: &Rule, mode: Mode, store: &mut VersionedRelations, params: &[Word]) {
        let place = mode.place();
        if self.plans.len() <= place {
            self.plans.resize_with(place + 1, || None);
        }
        let drifted = |made: &MadePlan| {
            made.sizes.iter().any(|(relation, size)| {
                let now = store.relation(*relation).len() + SMALL;
                now > (size + SMALL) * DRIFT || now * DRIFT < size + SMALL
            })
        };
        if self.plans[place].as_deref().is_none_or(drifted) {
            let sizes = rule.reads().map(|relation| (relation, store.relation(relation).len())).collect();
            let source = RuleSource {
                rule,
                id: self.id,
                shape: &self.shape,
                roles: &self.roles,
                own: &self.own,
                views: &mode.views(&self.own),
                start: mode.start(&self.clocked),
                order: JoinOrder::Cost,
                wanted: Wanted::Derivations,
                lead: None,
                choice: None,
            };
            self.plans[place] = Some(Box::new(MadePlan { plan: compile(source, store, params), sizes }));
        }
    }

    /// The plan for a beginning, once it is made, and what becomes of its matches.
    pub(crate) fn made(&mut self, mode: Mode) -> (&Plan, &mut Collect) {
        let plan = self.plans.get(mode.place()).and_then(Option::as_deref);
        (&plan.or_broken("a plan is made before it is run").plan, &mut self.collect)
    }

    /// Where the rows for a literal come from.
    pub(crate) fn origin(&self, rule: &Rule, literal: usize, store: &mut VersionedRelations) -> DeltaSource {
        let (atom, positive) = match rule.literal(literal) {
            Literal::Atom(atom) => (atom, true),
            Literal::Not(atom) => (atom, false),
            _ => broken("plans begin with rows of atoms"),
        };
        let relation = atom.relation;
        let keys = match &self.roles[literal] {
            Role::Some(columns) if columns.len() < atom.args.len() => {
                Some(store.relation_mut(relation).index_on(columns))
            }
            _ => None,
        };
        DeltaSource { relation, keys, positive }
    }

    /// Bytes of groups.
    pub(crate) fn bytes(&self) -> usize {
        match &self.collect {
            Collect::Facts => 0,
            Collect::Groups(groups) => groups.bytes(),
            Collect::Tops(tops) => tops.bytes(),
        }
    }
}
