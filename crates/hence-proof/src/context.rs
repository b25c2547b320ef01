//! What every question about one model shares: the program, its parameters, its strata and the facts.

use std::cmp::Ordering;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::{Kind, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value, Word};
use hence_lang::ir::{Arg, Atom, Program, Rule, RuleId};

use super::interrupt::Interrupt;
use super::store::{FactRef, Key, Store};

/// A program and a model of it.
pub(super) struct Context<'a> {
    pub(super) program: &'a Program,
    pub(super) params: Vec<Word>,
    pub(super) store: Store<'a>,
    pub(super) interrupt: Interrupt,
    /// The types of the columns, by relation.
    types: Vec<Vec<Type>>,
    /// The stratum that derives a relation; none for inputs.
    strata: Vec<Option<usize>>,
    /// The rules of each relation, in the order of the text.
    rules: Vec<Vec<RuleId>>,
    /// About how many facts a relation has.
    sizes: Vec<usize>,
}

/// What a context holds beside facts.
#[derive(Default)]
pub(super) struct ProgramInfo {
    params: Vec<Word>,
    types: Vec<Vec<Type>>,
    strata: Vec<Option<usize>>,
    rules: Vec<Vec<RuleId>>,
    sizes: Vec<usize>,
}

impl<'a> Context<'a> {
    pub(super) fn new(program: &'a Program, store: Store<'a>) -> Self {
        let count = program.relations.len();
        let mut strata = vec![None; count];
        for (at, stratum) in program.strata.iter().enumerate() {
            for relation in &stratum.relations {
                *strata.get_mut(relation.0 as usize).or_broken(RelationId::INVARIANT) = Some(at);
            }
        }
        let mut rules = vec![Vec::new(); count];
        for (at, rule) in program.rules.iter().enumerate() {
            let list: &mut Vec<RuleId> = rules.get_mut(rule.head.0 as usize).or_broken(RelationId::INVARIANT);
            list.push(RuleId(at as u32));
        }
        let types = program.relations.iter().map(|relation| relation.types().collect()).collect();
        let info = ProgramInfo { params: program.param_words(), types, strata, rules, sizes: Vec::new() };
        Self::on(info, program, store)
    }

    /// A context on what another one of the same program left; nothing is made again but the sizes.
    pub(super) fn on(info: ProgramInfo, program: &'a Program, store: Store<'a>) -> Self {
        let ProgramInfo { params, types, strata, rules, mut sizes } = info;
        take_sizes(program, |relation| store.len(relation), &mut sizes);
        Self { program, params, store, interrupt: Interrupt::default(), types, strata, rules, sizes }
    }

    /// What the next context may start from.
    pub(super) fn into_program_info(self) -> ProgramInfo {
        let Self { params, types, strata, rules, sizes, .. } = self;
        ProgramInfo { params, types, strata, rules, sizes }
    }

    /// Takes the numbers of facts of the inputs from elsewhere.
    pub(super) fn count(&mut self, counts: &[usize]) {
        let count = |relation: RelationId| *counts.get(relation.0 as usize).or_broken(RelationId::INVARIANT);
        take_sizes(self.program, count, &mut self.sizes);
    }

    /// About how many facts a relation has; the same in a model of all facts and in one of a part of them.
    pub(super) fn size(&self, relation: RelationId) -> usize {
        *self.sizes.get(relation.0 as usize).or_broken(RelationId::INVARIANT)
    }

    /// About how many of them agree with so many known columns.
    pub(super) fn estimate(&self, relation: RelationId, known: usize) -> f64 {
        let shift = u32::try_from(4 * known).ok();
        shift.and_then(|shift| self.size(relation).checked_shr(shift)).unwrap_or(0) as f64
    }

    /// The rules that derive a relation, in the order of the text.
    pub(super) fn rules_of(&self, relation: RelationId) -> &[RuleId] {
        self.rules.get(relation.0 as usize).or_broken(RelationId::INVARIANT)
    }

    /// The types of a relation's columns.
    pub(super) fn types(&self, relation: RelationId) -> &[Type] {
        self.types.get(relation.0 as usize).or_broken(RelationId::INVARIANT)
    }

    /// Whether both relations are derived in one stratum.
    pub(super) fn together(&self, one: RelationId, other: RelationId) -> bool {
        let stratum =
            |relation: RelationId| *self.strata.get(relation.0 as usize).or_broken(RelationId::INVARIANT);
        stratum(one).is_some() && stratum(one) == stratum(other)
    }

    /// The name of a relation.
    pub(super) fn name(&self, relation: RelationId) -> Symbol {
        self.program[relation].name
    }

    /// The values of a row of a relation.
    pub(super) fn values(&self, relation: RelationId, row: &[Word]) -> Vec<Value> {
        self.types(relation).iter().zip(row).map(|(ty, word)| Value::from_word(*ty, *word)).collect()
    }

    /// The fact after a reference.
    pub(super) fn fact(&self, fact: FactRef) -> Fact {
        Fact::new(self.name(fact.relation), self.values(fact.relation, &self.store.row(fact)))
    }

    /// The reference to a fact of the model.
    pub(super) fn find(&self, relation: RelationId, values: &[Value]) -> Option<FactRef> {
        let key: Key = values.iter().map(|value| Some(value.word())).collect();
        let fits = values.len() == self.types(relation).len();
        fits.then(|| self.store.any(relation, &key, usize::MAX)).flatten()
    }

    /// Compares two rows of a relation by their values, column by column.
    pub(super) fn compare(&self, relation: RelationId, left: &[Word], right: &[Word]) -> Ordering {
        let columns = self.types(relation).iter().zip(left.iter().zip(right));
        columns.map(|(ty, (a, b))| ty.compare(*a, *b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// How many rows of `relation` a derivation of a fact of `head` with rank `below` may use: those of the same
    /// stratum must have been derived in an earlier round, which keeps proofs free of circles.
    pub(super) fn end(&self, relation: RelationId, head: RelationId, below: Option<usize>) -> usize {
        let Some(below) = below.filter(|_| self.together(relation, head)) else { return usize::MAX };
        self.store.end(relation, below)
    }

    /// What `atom` looks for when its variables have the words of `vars`; `known` tells which arguments count.
    pub(super) fn key(&self, atom: &Atom, vars: &[Word], known: impl Fn(usize) -> bool) -> Key {
        let word = |(at, arg): (usize, &Arg)| match arg {
            Arg::Any => None,
            Arg::Var(var) => known(at).then(|| vars.get(var.0 as usize).copied()).flatten(),
            Arg::Const(value) => Some(value.word()),
            Arg::Param(param) => self.params.get(param.0 as usize).copied(),
        };
        atom.args.iter().enumerate().map(word).collect()
    }
}

/// How much larger than what it reads a relation is taken to be, and one that reads itself.
const GROWTH: (usize, usize) = (2, 8);

/// A number of facts up to the next power of two, so that plans are looked at again where a relation has doubled, not
/// at each fact.
fn rounded(count: usize) -> usize {
    if count == 0 { 0 } else { count.checked_next_power_of_two().unwrap_or(usize::MAX) }
}

/// The numbers of facts: of inputs about as counted, of derived relations guessed from those that their rules read, stratum
/// by stratum.
fn take_sizes(program: &Program, count: impl Fn(RelationId) -> usize, sizes: &mut Vec<usize>) {
    sizes.clear();
    sizes.extend((0u32..).map(RelationId).zip(&program.relations).map(
        |(id, relation)| match relation.kind {
            Kind::Input => rounded(count(id)),
            _ => 0,
        },
    ));
    for stratum in &program.strata {
        let rules = stratum.rules.iter().map(|rule| &program[*rule]);
        let known = |read: RelationId| *sizes.get(read.0 as usize).or_broken(RelationId::INVARIANT);
        let read = rules.flat_map(Rule::reads).map(known).max();
        let growth = if stratum.recursive { GROWTH.1 } else { GROWTH.0 };
        let size = read.unwrap_or(0).saturating_mul(growth).saturating_add(1);
        for relation in &stratum.relations {
            *sizes.get_mut(relation.0 as usize).or_broken(RelationId::INVARIANT) = size;
        }
    }
}
