//! The plans by which proofs are searched for, made once, and again where another join order is better.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use hence_engine::matches::{BodySearch, Entry, JoinOrder, Plan};
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::{Rule, RuleId};

use super::context::Context;

/// What the search for a body begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Begin {
    /// A fact of the head.
    Head,
    /// The words of `per`.
    Per,
}

/// Plans by rule and beginning.
pub(super) type PlanCache = HashMap<(RuleId, Begin), CachedPlan, ahash::RandomState>;

/// A plan, with the sizes of the relations that it was last found good for.
pub(super) struct CachedPlan {
    plan: Arc<Plan>,
    sizes: Vec<usize>,
}

/// The plans of a program.
#[derive(Default)]
pub(super) struct Plans(RefCell<PlanCache>);

impl Plans {
    /// Those that were made before.
    pub(super) fn known(made: PlanCache) -> Self {
        Self(RefCell::new(made))
    }

    /// Those that are made.
    pub(super) fn into_cache(self) -> PlanCache {
        self.0.into_inner()
    }

    /// The plan of a rule.
    pub(super) fn get(&self, context: &Context<'_>, id: RuleId, rule: &Rule, begin: Begin) -> Arc<Plan> {
        let sizes = || rule.positive().map(|atom| context.size(atom.relation));
        let mut made = self.0.borrow_mut();
        let known = made.get(&(id, begin));
        if let Some(known) = known.filter(|known| sizes().eq(known.sizes.iter().copied())) {
            return Arc::clone(&known.plan);
        }
        let per = rule.limit.as_ref().map_or(&[] as &[VarId], |limit| &limit.per);
        let entry = match begin {
            Begin::Head => Entry::Head,
            Begin::Per => Entry::Variables(per),
        };
        let search = BodySearch { rule, id, entry, order: JoinOrder::Cost };
        let estimate = |relation, known| context.estimate(relation, known);
        let plan = match known.filter(|known| search.is_current(&known.plan, &estimate)) {
            Some(known) => Arc::clone(&known.plan),
            None => Arc::new(search.plan(&context.params, &estimate)),
        };
        made.insert((id, begin), CachedPlan { plan: Arc::clone(&plan), sizes: sizes().collect() });
        plan
    }
}
