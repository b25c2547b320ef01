//! What the coordinator knows: the facts that are given, and what workers told of those that follow.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use hence_core::index_vec::Id;
use hence_core::meter::Bound;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_engine::report::Reports;
use hence_engine::{Database, Extent, Limits, Model, Rows};
use hence_lang::ir::{Program, RuleId};

use crate::cell::{Cell, Row};
use crate::context::Context;
use crate::render::{Plan, Told};

type Tuple = Vec<Word>;

/// The facts of all relations.
pub(crate) struct Facts {
    /// Those that are given, as the last evaluation was, and as sets.
    last: Vec<Rows>,
    given: Vec<BTreeSet<Tuple>>,
    /// Those that rules derive, by the round.
    derived: Vec<BTreeMap<(u64, Tuple), isize>>,
    lost: BTreeMap<(u32, Row), isize>,
    /// How many facts rules derive of each relation that is only counted, by the round.
    counted: BTreeMap<(u32, u64), isize>,
    /// How many elements each rule generates.
    elements: BTreeMap<u32, isize>,
}

impl Facts {
    /// None.
    pub(crate) fn new(program: &Program) -> Self {
        let count = program.relations.len();
        Self {
            last: Vec::new(),
            given: vec![BTreeSet::new(); count],
            derived: vec![BTreeMap::new(); count],
            lost: BTreeMap::new(),
            counted: BTreeMap::new(),
            elements: BTreeMap::new(),
        }
    }

    /// What comes and goes where `input` is given from now on.
    pub(crate) fn given(&mut self, program: &Program, input: &Database) -> Vec<(usize, Row, isize)> {
        let mut edits = Vec::new();
        for (at, given) in self.given.iter_mut().enumerate() {
            let id = RelationId::new(at);
            let rows = input.rows(id);
            if rows == self.last.get(at) && rows.is_some() {
                continue;
            }
            let ground = program.facts.iter().filter(|fact| fact.relation == id);
            let ground = ground.map(|fact| fact.values.iter().map(|value| value.word()).collect());
            let rows = rows.into_iter().flat_map(|rows| rows.iter().map(<[Word]>::to_vec));
            let now: BTreeSet<Tuple> = rows.chain(ground).collect();
            let row = |tuple: &Tuple| -> Row {
                program[id].types().zip(tuple).map(|(ty, word)| Cell::new(ty, *word)).collect()
            };
            edits.extend(given.difference(&now).map(|tuple| (at, row(tuple), -1)));
            edits.extend(now.difference(given).map(|tuple| (at, row(tuple), 1)));
            *given = now;
        }
        self.last.clone_from(&input.relations);
        edits
    }

    /// Takes in what workers tell.
    pub(crate) fn take(&mut self, changes: Vec<(Told, isize)>) {
        for (told, times) in changes {
            match told {
                Told::Fact(relation, rank, row) => {
                    let tuple = row.into_iter().map(Cell::word).collect();
                    if let Some(derived) = self.derived.get_mut(relation as usize) {
                        settle(derived, (rank, tuple), times);
                    }
                }
                Told::Counted(relation, rank) => settle(&mut self.counted, (relation, rank), times),
                Told::Element(rule) => settle(&mut self.elements, rule, times),
                Told::Lost(rule, row) => settle(&mut self.lost, (rule, row), times),
            }
        }
    }

    /// The limit that is reached, and the rule that was at work.
    pub(crate) fn within(&self, plan: &Plan, limits: &Limits) -> Result<(), (Bound, RuleId)> {
        let too_many = |(rule, row): &&(u32, Row)| {
            let width = plan.rules.get(*rule as usize).map_or(0, Context::width);
            row.iter().skip(width).any(|operation| *operation == Context::TOO_MANY)
        };
        if let Some((rule, _)) = self.lost.keys().find(too_many) {
            return Err((Bound::Facts(limits.facts), RuleId(*rule)));
        }
        let iterations = plan.iterations.min(limits.iterations);
        let mut count = 0_u64;
        for stratum in &plan.program.strata {
            let rule = stratum.rules.first().copied().unwrap_or(RuleId(0));
            for RuleId(number) in &stratum.rules {
                let elements = self.elements.get(number).copied().unwrap_or(0);
                count = count.saturating_add(u64::try_from(elements).unwrap_or(0));
            }
            for id in &stratum.relations {
                let mut rounds = 0;
                for (rank, _) in self.own(*id) {
                    (rounds, count) = (rank, count + 1);
                }
                for ((_, rank), facts) in self.counted.range((id.0, 0)..=(id.0, u64::MAX)) {
                    (rounds, count) = (*rank, count.saturating_add(u64::try_from(*facts).unwrap_or(0)));
                }
                if stratum.recursive && rounds >= iterations {
                    return Err((Bound::Iterations(iterations), rule));
                }
            }
            if count > limits.facts {
                return Err((Bound::Facts(limits.facts), rule));
            }
        }
        Ok(())
    }

    /// The facts that rules derive and nobody gives, round by round.
    fn own(&self, id: RelationId) -> impl Iterator<Item = (u64, &Tuple)> {
        let given = self.given.get(id.at());
        let derived =
            self.derived.get(id.at()).into_iter().flatten().map(|((rank, tuple), _)| (*rank, tuple));
        derived.filter(move |(_, tuple)| given.is_none_or(|given| !given.contains(*tuple)))
    }

    /// Everything, as an engine gives it.
    pub(crate) fn model(&self, plan: &Plan) -> Model {
        let extents = (0..).map(RelationId).zip(&plan.program.relations);
        let relations = extents.map(|(id, relation)| self.extent(id, relation.columns.len())).collect();
        let mut reports = Reports::new(&plan.program);
        for (number, row) in self.lost.keys() {
            let Some(context) = plan.rules.get(*number as usize) else { continue };
            let (bindings, operations) = row.split_at(context.width().min(row.len()));
            let bindings: Vec<Option<Word>> = bindings.iter().map(|cell| cell.known()).collect();
            for place in operations.iter().filter_map(|operation| context.place(*operation)) {
                reports.add(RuleId(*number), place, &bindings);
            }
        }
        Model { relations, undefined: reports.finish() }
    }

    fn extent(&self, id: RelationId, arity: usize) -> Extent {
        let mut rows = Rows::new(arity);
        self.given.get(id.at()).into_iter().flatten().for_each(|tuple| rows.push(tuple));
        let mut rounds = vec![rows.len()];
        for (rank, tuple) in self.own(id) {
            while (rounds.len() as u64) <= rank {
                rounds.push(rows.len());
            }
            rows.push(tuple);
            if let Some(last) = rounds.last_mut() {
                *last = rows.len();
            }
        }
        Extent { rows, rounds }
    }
}

/// Adds to how often something is there; what isn't there at all is forgotten.
fn settle<K: Ord>(counts: &mut BTreeMap<K, isize>, key: K, times: isize) {
    match counts.entry(key) {
        Entry::Vacant(place) => {
            place.insert(times);
        }
        Entry::Occupied(mut place) => {
            *place.get_mut() += times;
            if *place.get() == 0 {
                place.remove();
            }
        }
    }
}
