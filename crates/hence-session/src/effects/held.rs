//! What effects held when decisions were drawn last: what holds and is not among it begins.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fact::Fact;
use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::analysis::checked::{Checked, Effect};
use hence_proof::proof::FactPattern;

/// What an effect does, whichever rule says it: the input, whether it retracts, and the values, without the instant.
type Deed = (Symbol, bool, Vec<Option<Value>>);

/// The facts of effects that held.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// By the same rules: the facts of each effect's own relation.
    Same(SameRules),
    /// By other rules: what their effects did.
    Other(BTreeSet<Deed>),
}

/// The facts of effects of one rule set.
#[derive(Clone, Debug, Default)]
pub(crate) struct SameRules {
    facts: BTreeMap<RelationId, BTreeSet<Fact>>,
    /// The effects of which something was undetermined: it held on if it held before, and is looked at again.
    open: BTreeSet<RelationId>,
}

/// What effects held after the last transaction that drew decisions.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldAt {
    /// That transaction; 0 where there was none, and without a ledger.
    pub(crate) tx: u64,
    /// What they held.
    pub(crate) held: Held,
}

impl HeldAt {
    /// The same for other rules. What a ledger's transaction left is found out from it again.
    pub(crate) fn under_others(self, checked: &Checked) -> Self {
        Self { tx: self.tx, held: self.held.under_others(checked) }
    }
}

impl Default for Held {
    fn default() -> Self {
        Self::Same(SameRules::default())
    }
}

/// How a fact of an effect turned.
pub(crate) struct Turn {
    /// The effect, by its place.
    pub(crate) effect: usize,
    /// The fact of its own relation.
    pub(crate) fact: Fact,
    /// Whether it began to hold; else it holds no longer.
    pub(crate) began: bool,
}

/// What holds of effects after an evaluation.
pub(crate) trait Extents {
    /// The facts of a relation.
    fn facts(&self, relation: RelationId) -> BTreeSet<Fact>;
    /// What came and went since the evaluation before; `None` where that isn't known.
    fn changes(&self, relation: RelationId) -> Option<Vec<(Fact, bool)>>;
    /// What of the relation follows possibly and not certainly.
    fn open(&self, relation: RelationId) -> &[FactPattern];
}

impl Held {
    /// The same for other rules.
    pub(crate) fn under_others(&self, checked: &Checked) -> Self {
        let Self::Same(same) = self else { return self.clone() };
        let deeds = checked.effects.iter().flat_map(|effect| {
            let facts = same.facts.get(&effect.relation).into_iter().flatten();
            facts.map(|fact| deed(checked, effect, fact))
        });
        Self::Other(deeds.collect())
    }

    /// Brings this up to what holds now, and says what turned: in the order of the rules, ascending within each.
    pub(crate) fn turn(&mut self, checked: &Checked, now: &dyn Extents) -> Vec<Turn> {
        match self {
            Self::Same(same) => same.turn(checked, now),
            Self::Other(deeds) => {
                let (mut same, deeds) = (SameRules::default(), std::mem::take(deeds));
                let turns = same.turn(checked, now);
                *self = Self::Same(same);
                let is_new = |turn: &Turn| {
                    checked
                        .effects
                        .get(turn.effect)
                        .is_none_or(|effect| !deeds.contains(&deed(checked, effect, &turn.fact)))
                };
                turns.into_iter().filter(is_new).collect()
            }
        }
    }
}

impl SameRules {
    /// Whether something is undetermined, so that only what held before tells what holds.
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(crate) fn turn(&mut self, checked: &Checked, now: &dyn Extents) -> Vec<Turn> {
        let mut turns = Vec::new();
        for (at, effect) in checked.effects.iter().enumerate() {
            let relation = effect.relation;
            let open = now.open(relation);
            let is_settled = if open.is_empty() { !self.open.remove(&relation) } else { false };
            if !open.is_empty() {
                self.open.insert(relation);
            }
            let held = self.facts.entry(relation).or_default();
            let changes = now.changes(relation).filter(|_| is_settled);
            let mut changes = changes.unwrap_or_else(|| difference(held, &now.facts(relation), open));
            changes.sort_unstable();
            for (fact, began) in changes {
                let turned = if began { held.insert(fact.clone()) } else { held.remove(&fact) };
                if turned {
                    turns.push(Turn { effect: at, fact, began });
                }
            }
        }
        turns
    }
}

/// What came and what went; what may still follow did not go.
fn difference(held: &BTreeSet<Fact>, now: &BTreeSet<Fact>, open: &[FactPattern]) -> Vec<(Fact, bool)> {
    let came = now.difference(held).map(|fact| (fact.clone(), true));
    let went = held.difference(now).filter(|fact| !open.iter().any(|row| row.agrees(fact)));
    came.chain(went.map(|fact| (fact.clone(), false))).collect()
}

fn deed(checked: &Checked, effect: &Effect, own: &Fact) -> Deed {
    let value = |column: &Option<usize>| column.and_then(|at| own.values.get(at).copied());
    (checked[effect.input].name, effect.retracts, effect.columns.iter().map(value).collect())
}
