//! Deriving a recursive stratum from scratch by the batch engine, which takes a fraction of the time that fact by fact
//! would; what it finds goes into the slots that there are.

use super::mode::Mode;
use super::rule::reads;
use crate::batch::BatchRun;
use crate::exec::delta::Halt;
use crate::incremental::Incremental;
use crate::limits::Limits;
use crate::model::Database;
use crate::storage::packed::NONE;
use crate::storage::relations::Relations;
use crate::storage::stable::Stable;
use crate::storage::versioned::{ASSERTED, NEW, OLD, PROGRAM_FACT, VersionedRelations};
use hence_core::fault::OrBroken;
use hence_core::meter::Bound;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::StratumId;

/// With fewer facts than this it isn't worth its setting up.
const LEAST_FACTS: usize = 1_000;

/// What a fact that is read takes, in steps of the machine, where a match takes one and a fact that is found half of
/// one: measured over closures, same generation and points-to analysis.
const READ: u64 = 2;

impl Incremental {
    /// Whether the batch engine is to derive a stratum: its facts are many, and reading what it reads doesn't take
    /// longer than going through them.
    pub(crate) fn is_for_batch(&self, stratum: StratumId) -> bool {
        let (own, read) = (self.facts_of(stratum), self.read_by(stratum).map(|at| self.len(at)).sum());
        let first = self.strata[stratum].full.1 == 0;
        own.max(if first { read } else { 0 }) >= LEAST_FACTS && (first || read / 4 <= own)
    }

    /// The relations of lower strata that a stratum reads, each once.
    fn read_by(&self, stratum: StratumId) -> impl Iterator<Item = RelationId> {
        let rules = self.strata[stratum].rules.iter();
        let read = rules.flat_map(|rule| reads(&self.program[*rule]));
        let mut read: Vec<RelationId> = read.map(|(_, relation)| relation).collect();
        read.sort_unstable();
        read.dedup();
        read.into_iter().filter(move |relation| self.homes[*relation] != Some(stratum))
    }

    /// Makes the plans that a stratum's own facts begin. They choose by the indexes that there are, so they are made
    /// before the facts come, as small ones have them made, and once more when they are there.
    fn plan_own(&mut self, stratum: StratumId) {
        for at in 0..self.strata[stratum].relations.len() {
            let relation = self.strata[stratum].relations[at];
            for at in 0..self.own_readers[relation].len() {
                let reader = self.own_readers[relation][at];
                self.make(reader.rule, Mode::With(reader.literal));
            }
        }
    }

    /// Derives a stratum from scratch; what it took, in steps.
    pub(crate) fn recompute_in_batch(&mut self, stratum: StratumId) -> Result<u64, Halt> {
        self.plan_own(stratum);
        let (input, read) = self.input_of(stratum);
        let budget = &self.work.budget;
        let held = self.facts_of(stratum) as u64;
        let limits = Limits {
            facts: self.limits.facts.saturating_sub(budget.spent()).saturating_add(held),
            time: budget.left(),
            ..self.limits
        };
        let program = &self.program;
        let recomputed = BatchRun::new(program, input, &limits, false).and_then(|mut run| {
            run.stratum(&program[stratum])?;
            Ok(run.into_work())
        });
        let (relations, matches, spent) = recomputed.map_err(|reached| {
            self.at_work = reached.rule;
            match reached.bound {
                Bound::Facts(_) => Bound::Facts(self.limits.facts),
                Bound::Time(_) => {
                    Bound::Time(self.limits.time.or_broken("only with a limit on time it is reached"))
                }
                other => other,
            }
        })?;
        self.work.budget.spend(spent.saturating_sub(held))?;
        let found = self.adopt(stratum, &relations)?;
        self.plan_own(stratum);
        let steps = matches + found / 2 + read * READ;
        self.work.machine.steps += steps;
        Ok(steps)
    }

    /// What a stratum goes out from: the facts of lower strata that it reads, and its own that are given; and how many
    /// they are.
    fn input_of(&self, stratum: StratumId) -> (Database, u64) {
        let mut input = Database::new(&self.program);
        let own = self.strata[stratum].relations.iter().map(|relation| (*relation, ASSERTED | PROGRAM_FACT));
        let mut count = 0;
        for (relation, flags) in self.read_by(stratum).map(|relation| (relation, NEW)).chain(own) {
            let table = self.work.store.relation(relation);
            for slot in (0..table.slots()).filter(|slot| table.is(*slot, flags)) {
                input.push(relation, &table.row(slot).own());
                count += 1;
            }
        }
        (input, count)
    }

    /// Takes in what was derived; how many facts that is.
    fn adopt(&mut self, stratum: StratumId, relations: &Relations) -> Result<u64, Halt> {
        let mut found = 0;
        for relation in &self.strata[stratum].relations {
            let stable = &relations.stable[*relation];
            adopt_relation(&mut self.work.store, *relation, stable)?;
            found += u64::from(stable.len());
        }
        Ok(found)
    }
}

/// Gives the facts of a relation their ranks, and those that aren't derived none.
fn adopt_relation(store: &mut VersionedRelations, relation: RelationId, stable: &Stable) -> Result<(), Halt> {
    store.relation_mut(relation).forget_ranks();
    let (mut row, mut slot, mut at): (Vec<Word>, _, _) = (Vec::new(), NONE, 0);
    for (rank, end) in (0..).zip(stable.fruitful()) {
        while at < *end as u32 {
            row.clear();
            row.extend(stable.row(at).iter());
            // Derived in the order of the last time, it is likely in the next slot.
            let next = slot.wrapping_add(1);
            slot = match store.relation(relation).is_in(next, &row) {
                true => next,
                false => store.hold(relation, &row)?.0,
            };
            let table = store.relation_mut(relation);
            table.settle_rank(slot, rank);
            if !table.is(slot, OLD) {
                table.touch(slot);
            }
            at += 1;
        }
    }
    let table = store.relation_mut(relation);
    for slot in 0..table.slots() {
        if table.rank(slot) == NONE && table.is(slot, OLD) {
            table.touch(slot);
        }
    }
    Ok(())
}
