//! Rules on differential dataflow: what follows from facts that come and go is kept up to date by workers in several
//! threads, processes and machines. The meaning is that of the naive engine, ranks and reports included.
//!
//! - `cell`: values as they are exchanged
//! - `order`, `context`: a rule as workers share it
//! - `body`, `rest`, `head`: a rule as operators over collections
//! - `render`: a program as a dataflow
//! - `secret`, `sealed`, `connect`: connections between processes that know one secret
//! - `control`: what processes tell one another beside what follows
//! - `workers`: starting workers, handing changes to them, taking in what follows
//! - `engine`: the same as an engine of a session

mod body;
mod cell;
mod connect;
mod context;
mod control;
mod engine;
mod error;
mod head;
mod model;
mod order;
mod render;
mod rest;
mod sealed;
mod secret;
mod workers;

pub use engine::{Cluster, Dataflow, Parts, join};
pub use error::{Error, Unable};
pub use secret::Secret;
pub use workers::{PartFacts, Workers};
