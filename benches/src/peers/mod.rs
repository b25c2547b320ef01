//! The programs of the batch workloads for hence and its peers; each takes a workload and a folder of facts.

pub mod ascent;
pub mod crepe;
pub mod datafrog;
pub mod differential;
pub mod flowlog;
pub mod hence;

use std::path::Path;

use crate::measure::Measured;

/// What a workload computes, whatever its facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    Closure,
    Generation,
    PointsTo,
    Aggregates,
    Triangles,
    Ontology,
    /// The same where classes and roles have names: texts for hence, numbers for its peers.
    Classification,
    Year,
}

impl Task {
    /// The task of the workload called `workload`.
    pub fn of(workload: &str) -> Self {
        match workload.split(['_', '@']).next() {
            Some("tc") => Self::Closure,
            Some("sg") => Self::Generation,
            Some("andersen") => Self::PointsTo,
            Some("agg") => Self::Aggregates,
            Some("triangle") => Self::Triangles,
            Some("ontology" | "galen") => Self::Ontology,
            Some("classification") => Self::Classification,
            Some("year") => Self::Year,
            _ => panic!("there is no workload `{workload}`"),
        }
    }
}

/// The relations of [`Task::Ontology`]: those of pairs, and those of triples.
pub const ONTOLOGY: ([&str; 2], [&str; 4]) = (["isA", "s"], ["has", "r", "c", "u"]);

/// A program that does a task over the facts of a folder.
pub type Program = fn(Task, &Path) -> Measured;

/// Every peer that is compiled in, hence first, and the tasks that it can't do.
pub const PEERS: [(&str, Program, &[Task]); 6] = [
    ("hence", hence::run, &[]),
    ("datafrog", datafrog::run, &[Task::Aggregates, Task::Year]),
    ("ascent", ascent::run, &[]),
    ("crepe", crepe::run, &[Task::Aggregates]),
    (
        "differential",
        differential::run,
        &[Task::Aggregates, Task::Ontology, Task::Classification, Task::Year],
    ),
    ("flowlog", flowlog::run, &[Task::Year]),
];

/// The results of the aggregates that are compared, in the order of their numbers in a check: `td`, `best`, `poor`,
/// `good` and `slow`.
pub const AGGREGATES: [&str; 5] = ["td", "best", "poor", "good", "slow"];
