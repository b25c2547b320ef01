//! A program as a dataflow: a collection for each relation, stratum by stratum.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use differential_dataflow::AsCollection;
use differential_dataflow::VecCollection;
use differential_dataflow::consolidation::consolidate_updates;
use differential_dataflow::lattice::Lattice;
use differential_dataflow::operators::iterate::Variable;
use hence_core::index_vec::Id;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::{Program, RuleId, Stratum};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::Scope;
use timely::dataflow::channels::pact::Pipeline;
use timely::dataflow::operators::generic::{InputHandleCore, Operator, OutputBuilderSession};
use timely::dataflow::operators::vec::{Filter, Map};
use timely::order::Product;
use timely::progress::Timestamp;

use crate::body::Rows;
use crate::cell::Row;
use crate::context::Context;
use crate::head::Heads;

/// What workers tell the coordinator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) enum Told {
    /// A fact that a relation's rules derive first in a round of their stratum.
    Fact(u32, u64, Row),
    /// The same of a relation of which only the number of facts is told.
    Counted(u32, u64),
    /// An element that a rule generates.
    Element(u32),
    /// A match of a rule with an operation without a result.
    Lost(u32, Row),
}

impl Told {
    /// How many facts or elements this is, where it is there so often.
    pub(crate) fn facts(&self, times: isize) -> u64 {
        match self {
            Self::Fact(..) => u64::from(times > 0),
            Self::Counted(..) | Self::Element(_) => u64::try_from(times).unwrap_or(0),
            Self::Lost(..) => 0,
        }
    }
}

/// What is told, with how often.
pub(crate) type Tidings<'s, T> = VecCollection<'s, T, Told, isize>;

/// The program as workers share it.
pub(crate) struct Plan {
    pub(crate) program: Program,
    pub(crate) rules: Vec<Context>,
    pub(crate) iterations: u64,
    /// The relations whose facts are told; of others only how many there are. None where all are.
    pub(crate) outputs: Option<BTreeSet<RelationId>>,
    /// Whether recursion is to end at once, however far it has come.
    pub(crate) stop: Arc<AtomicBool>,
}

impl Plan {
    /// Under limits for rounds, and for elements of a range.
    pub(crate) fn new(program: Program, (iterations, most): (u64, u64)) -> Self {
        let params: Arc<Vec<Word>> = Arc::new(program.param_words());
        let rules = program.rules.iter().map(|rule| Context::new(&program, rule, &params, most)).collect();
        Self { program, rules, iterations, outputs: None, stop: Arc::default() }
    }

    /// The same where only the facts of these relations are told.
    pub(crate) fn telling(self, outputs: Option<BTreeSet<RelationId>>) -> Self {
        Self { outputs, ..self }
    }

    fn is_told(&self, id: RelationId) -> bool {
        self.outputs.as_ref().is_none_or(|outputs| outputs.contains(&id))
    }

    /// What is told of a relation, summed up where its facts are only counted.
    fn told<'s, T: Timestamp + Lattice>(&self, id: RelationId, told: Tidings<'s, T>) -> Tidings<'s, T> {
        if self.is_told(id) { told } else { summed(told) }
    }

    /// How a fact of a relation is told, by its round.
    fn tells(&self, id: RelationId) -> impl Fn(u64, Row) -> Told + use<> {
        let (number, is_told) = (id.0, self.is_told(id));
        move |rank, row| if is_told { Told::Fact(number, rank, row) } else { Told::Counted(number, rank) }
    }

    /// What follows from the facts that are given of each relation; `unit` holds one empty row.
    pub(crate) fn render<'s, T: Timestamp + Lattice>(
        &self,
        unit: Rows<'s, T>,
        given: Vec<Rows<'s, T>>,
        scope: Scope<'s, T>,
    ) -> Vec<Tidings<'s, T>> {
        let mut known = Known { unit, relations: given };
        let mut told = Vec::new();
        for stratum in &self.program.strata {
            if stratum.recursive {
                self.recursive(&mut known, stratum, scope, &mut told);
            } else {
                let derived = self.stratum(&known, &known.relations, stratum);
                for (id, Derived { facts, told: others }) in derived {
                    let tells = self.tells(id);
                    told.push(self.told(id, facts.clone().map(move |row| tells(1, row))));
                    told.extend(others.into_iter().map(summed));
                    known.set(id, facts);
                }
            }
        }
        told
    }

    /// What the rules of a stratum derive from what is known, with what is given of their relations.
    fn stratum<'s, T: Timestamp + Lattice>(
        &self,
        known: &Known<'s, T>,
        given: &[Rows<'s, T>],
        stratum: &Stratum,
    ) -> BTreeMap<RelationId, Derived<'s, T>> {
        let derived = |id: &RelationId| {
            let (mut facts, mut told) = (Vec::new(), Vec::new());
            for rule in &stratum.rules {
                let Some(context) = self.rules.get(rule.at()).filter(|context| context.rule.head == *id)
                else {
                    continue;
                };
                let mut matches = context.matches(&known.unit, &|atom| known.of(atom.relation));
                let elements = std::mem::take(&mut matches.elements);
                let heads: Heads<'s, T> = context.heads(matches);
                facts.push(heads.facts);
                let RuleId(number) = *rule;
                let failed = heads.failed.into_iter();
                told.extend(failed.map(|rows| rows.map(move |row| Told::Lost(number, row))));
                told.extend(elements.into_iter().map(|rows| rows.map(move |_| Told::Element(number))));
            }
            let given = given.get(id.at()).cloned().unwrap_or_else(|| known.none());
            (*id, Derived { facts: given.concatenate(facts).distinct(), told })
        };
        stratum.relations.iter().map(derived).collect()
    }

    fn recursive<'s, T: Timestamp + Lattice>(
        &self,
        known: &mut Known<'s, T>,
        stratum: &Stratum,
        outer: Scope<'s, T>,
        told: &mut Vec<Tidings<'s, T>>,
    ) {
        let iterations = self.iterations;
        let results = outer.scoped::<Product<T, u64>, _, _>("recursion", |scope| {
            let entered = known.relations.iter().map(|rows| rows.clone().enter(scope)).collect();
            let mut inside = Known { unit: known.unit.clone().enter(scope), relations: entered };
            let given = inside.relations.clone();
            let mut variables = BTreeMap::new();
            for id in &stratum.relations {
                let step = Product::new(T::Summary::default(), 1);
                let (variable, rows) = Variable::new_from(inside.of(*id), step);
                variables.insert(*id, variable);
                inside.set(*id, rows);
            }
            let derived = self.stratum(&inside, &given, stratum);
            let mut results = Vec::new();
            for (id, Derived { facts, told: others }) in derived {
                let tells = self.tells(id);
                let stamped =
                    facts.clone().inner.map(move |(row, time, times): (Row, Product<T, u64>, isize)| {
                        (tells(time.inner.saturating_add(1), row), time, times)
                    });
                told.push(self.told(id, stamped.as_collection().leave(outer)));
                told.extend(others.into_iter().map(|rows| summed(rows.leave(outer))));
                let stop = Arc::clone(&self.stop);
                let goes_on =
                    move |time: &Product<T, u64>| time.inner <= iterations && !stop.load(Ordering::Relaxed);
                let bounded = facts.clone().inner.filter(move |(_, time, _)| goes_on(time));
                if let Some(variable) = variables.remove(&id) {
                    variable.set(bounded.as_collection());
                }
                results.push((id, facts.leave(outer)));
            }
            results
        });
        for (id, facts) in results {
            known.set(id, facts);
        }
    }
}

/// What the rules of one relation derive, and what is told beside it.
struct Derived<'s, T: Timestamp + Lattice> {
    facts: Rows<'s, T>,
    told: Vec<Tidings<'s, T>>,
}

/// The same, summed up as far as it comes together: of what is only counted, little is sent.
fn summed<'s, T: Timestamp + Lattice>(told: Tidings<'s, T>) -> Tidings<'s, T> {
    let sum = |_, _| {
        |input: &mut InputHandleCore<T, Batch<T>, _>, output: &mut OutputBuilderSession<'_, T, _>| {
            input.for_each_stamp(|stamp, batches| {
                let mut sum: Batch<T> = batches.flat_map(|batch| batch.drain(..)).collect();
                consolidate_updates(&mut sum);
                output.session(&stamp).give_container(&mut sum);
            });
        }
    };
    told.inner.unary::<CapacityContainerBuilder<Batch<T>>, _, _, _>(Pipeline, "Sum", sum).as_collection()
}

/// Updates of what is told.
type Batch<T> = Vec<(Told, T, isize)>;

/// The relations as far as they are rendered: what is given of those that are not.
struct Known<'s, T: Timestamp + Lattice> {
    unit: Rows<'s, T>,
    relations: Vec<Rows<'s, T>>,
}

impl<'s, T: Timestamp + Lattice> Known<'s, T> {
    fn of(&self, id: RelationId) -> Rows<'s, T> {
        self.relations.get(id.at()).cloned().unwrap_or_else(|| self.none())
    }

    fn none(&self) -> Rows<'s, T> {
        self.unit.clone().filter(|_| false)
    }

    fn set(&mut self, id: RelationId, rows: Rows<'s, T>) {
        if let Some(place) = self.relations.get_mut(id.at()) {
            *place = rows;
        }
    }
}
