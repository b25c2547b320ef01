//! The matches of a rule body, one after the other: how they are planned, and the cursor that finds them.

pub use crate::exec::matches::{MatchCursor, Monitor, NO_TUPLE, TupleSource};
pub use crate::plan::body::{BodySearch, Entry, Estimate};
pub use crate::plan::source::JoinOrder;
pub use crate::plan::steps::{AccessPath, Plan, StepOrigin};
pub use crate::storage::view::View;
