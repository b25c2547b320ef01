//! Engines: from a program and its input facts to the model. All agree to the bit with the naive one, which is the
//! meaning. The arrows between the rooms run up this list only:
//!
//! - `rows`, `cells`, `report`, `limits`, `model`: what goes in, what comes out, and what bounds it
//! - `storage`: tuple sets, indexes, partitions
//! - `plan`: from a rule to the steps that find its matches
//! - `exec`: plans at work, aggregates, limits, threads
//! - `fixpoint`, `batch`, `prepared`: rounds until nothing is new, over an empty and over a kept base
//! - `incremental`: facts come and go, and what follows is maintained

mod batch;
mod cells;
mod exec;
mod fixpoint;
mod incremental;
mod limits;
mod model;
mod naive;
mod plan;
mod prepared;
mod profile;
pub mod report;
mod rows;
mod storage;

pub use batch::SemiNaive;
pub use hence_core::meter::Bound;
pub use incremental::{FactChange, Incremental};
pub use limits::{LimitReached, Limits, Threads};
pub use model::{Database, Engine, Extent, FactSource, Model, UNDEFINED_KEPT, Undefined};
pub use naive::{Naive, ThreeValued};
pub use plan::show::plans;
pub use prepared::{Prepared, PreparedModel};
pub use profile::{Profile, RuleProfile};
pub use rows::{Row, Rows};

/// The matches of a rule body, one after the other: how they are planned, and the cursor that finds them.
pub mod matches {
    pub use crate::exec::matches::{MatchCursor, Monitor, NO_TUPLE, TupleSource};
    pub use crate::plan::body::{BodySearch, Entry, Estimate};
    pub use crate::plan::source::JoinOrder;
    pub use crate::plan::steps::{AccessPath, Plan, StepOrigin};
    pub use crate::storage::view::View;
}
