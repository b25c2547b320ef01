//! Which rules were compiled: all that decides what follows from facts, but the values of parameters.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;
use hence_lang::builtins::expr::ParamId;
use hence_lang::ir::text::ShownRule;
use hence_lang::ir::{Program, RuleId};

/// A part of a program that is a rule set of its own: some relations with all of their rules, in the order in which
/// the rule set numbers them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPart {
    /// The relations.
    pub relations: Vec<RelationId>,
    /// The parameters.
    pub params: Vec<ParamId>,
    /// The rules.
    pub rules: Vec<RuleId>,
}

impl ProgramPart {
    /// All of a program.
    pub fn whole(program: &Program) -> Self {
        Self {
            relations: (0..program.relations.len() as u32).map(RelationId).collect(),
            params: (0..program.params.len() as u32).map(ParamId).collect(),
            rules: (0..program.rules.len() as u32).map(RuleId).collect(),
        }
    }

    /// The part with these relations, parameters and rules; `None` where some are not there, or the relations have
    /// other rules, too.
    pub fn named(program: &Program, relations: &[&str], params: &[&str], rules: &[&str]) -> Option<Self> {
        let found = Self {
            relations: places(program.relations.iter().map(|one| one.name), relations, RelationId)?,
            params: places(program.params.iter().map(|one| one.name), params, ParamId)?,
            rules: places(program.rules.iter().map(|one| one.id), rules, RuleId)?,
        };
        let heads: BTreeSet<RelationId> = found.relations.iter().copied().collect();
        let all = program.rules.iter().filter(|rule| heads.contains(&rule.head)).count();
        (all == found.rules.len()).then_some(found)
    }

    /// The same for two rule sets exactly where they mean the same, relation by relation and rule by rule: the
    /// digest of the texts under the default parameters, in the order of their numbers.
    pub fn fingerprint(&self, program: &Program) -> String {
        let mut text = String::new();
        for relation in self.relations.iter().map(|id| &program[*id]) {
            let _ = writeln!(text, "{} {relation}", relation.kind.keyword());
        }
        for param in self.params.iter().map(|id| &program[*id]) {
            let _ = writeln!(text, "param {}: {} = {}", param.name, param.ty, param.default);
        }
        let places: HashMap<RelationId, usize> = self.relations.iter().copied().zip(0..).collect();
        let own = program.facts.iter().filter_map(|fact| Some((places.get(&fact.relation)?, fact)));
        let mut facts: Vec<_> = own.collect();
        facts.sort_by_key(|(place, _)| *place);
        for (place, fact) in facts {
            let _ = writeln!(text, "{place} {:?}", fact.values);
        }
        for rule in self.rules.iter().map(|id| &program[*id]) {
            let _ = writeln!(text, "{} {}", rule.id, ShownRule { program, rule });
            for variable in &rule.variables {
                let _ = writeln!(text, "{}: {}", variable.name, variable.ty.ty);
            }
        }
        let digest = blake3::hash(text.as_bytes()).to_hex();
        digest.chars().take(32).collect()
    }
}

/// The place of each of `wanted` in `names`.
fn places<Id>(
    names: impl Iterator<Item = Symbol>,
    wanted: &[&str],
    id: impl Fn(u32) -> Id,
) -> Option<Vec<Id>> {
    let places: HashMap<&str, u32> = names.map(Symbol::as_str).zip(0..).collect();
    wanted.iter().map(|name| places.get(name).copied().map(&id)).collect()
}

/// The fingerprint of a whole program.
pub fn fingerprint(program: &Program) -> String {
    ProgramPart::whole(program).fingerprint(program)
}
