//! An engine that finds out that it contradicts itself, and rules for it.

use hence::session::{Loader, RuleSet, check};
use hence_core::fault::OrBroken;
use hence_engine::{Database, Engine, LimitReached, Limits, Model};
use hence_lang::ir::Program;

pub(crate) struct Contradicts;

impl Engine for Contradicts {
    fn name(&self) -> &'static str {
        "contradicts"
    }

    fn evaluate(&self, _: &Program, _: Database, _: &Limits) -> Result<Model, LimitReached> {
        None.or_broken("every slot of a plan is bound before it is read")
    }
}

pub(crate) fn rules() -> RuleSet {
    let mut loader = Loader::default();
    loader
        .text("policy.dl", "input asked(tool: string). decision allow(tool: string). allow(T) :- asked(T).");
    *check(loader.finish(), &[]).rules.unwrap()
}
