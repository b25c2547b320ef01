//! Undefined operations under incremental maintenance. Where they may have changed, which is rare, the rule is
//! evaluated by itself, over all that it reads.

use crate::batch::SemiNaive;
use crate::exec::delta::Halt;
use crate::incremental::Incremental;
use crate::model::Engine;
use crate::model::{Database, Undefined};
use crate::storage::versioned::NEW;
use hence_lang::ir::{Program, RuleId, Stratum};

impl Incremental {
    /// Finds out what is to be reported of the rules for which that may have changed.
    pub(crate) fn clear_up(&mut self) -> Result<(), Halt> {
        let mut rules = std::mem::take(&mut self.unclear);
        rules.sort_unstable();
        rules.dedup();
        for rule in rules.drain(..) {
            let reports = self.report(rule)?;
            if reports.is_empty() {
                self.failing.remove(&rule);
            } else {
                self.failing.insert(rule);
            }
            self.rules[rule].reports = reports;
        }
        self.unclear = rules;
        Ok(())
    }

    fn report(&mut self, id: RuleId) -> Result<Vec<Undefined>, Halt> {
        let whole = self.reported.as_deref().unwrap_or(&self.program);
        let Some(rule) = whole.rule(id) else { return Ok(Vec::new()) };
        let mut input = Database::new(whole);
        for relation in rule.reads() {
            let table = self.work.store.relation(relation);
            if input.rows(relation).is_some_and(|rows| rows.is_empty()) {
                let slots = (0..table.slots()).filter(|slot| table.is(*slot, NEW));
                slots.for_each(|slot| input.push(relation, &table.row(slot).own()));
            }
        }
        let program = Program {
            relations: whole.relations.clone(),
            params: whole.params.clone(),
            rules: vec![rule.clone()],
            facts: Vec::new(),
            strata: vec![Stratum { relations: vec![rule.head], rules: vec![RuleId(0)], recursive: false }],
        };
        let model = SemiNaive.evaluate(&program, input, &self.limits).map_err(|reached| reached.bound)?;
        let reports = model.undefined.into_iter();
        Ok(reports.map(|report| Undefined { rule: id, ..report }).collect())
    }

    /// The undefined operations, as [`crate::Model`] has them.
    pub fn undefined(&self) -> impl Iterator<Item = &Undefined> {
        self.failing.iter().flat_map(|rule| &self.rules[*rule].reports)
    }
}
