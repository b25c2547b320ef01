//! Rules on differential dataflow: what follows from facts that come and go is kept up to date by workers in several
//! threads, processes and machines. The meaning is that of the naive engine, ranks and reports included.
//!
//! - `cell`: values as they are exchanged
//! - `order`, `context`: a rule as workers share it
//! - `body`, `rest`, `head`: a rule as operators over collections
//! - `render`: a program as a dataflow
//! - `connect`: connections between processes
//! - `workers`: starting workers, handing changes to them, taking in what follows
//! - `engine`: the same as an engine of a session
//! - `refuse`: what is not rendered, refused before anything is evaluated

mod body;
mod cell;
mod connect;
mod context;
mod engine;
mod error;
mod head;
mod model;
mod order;
mod refuse;
mod render;
mod rest;
mod workers;

pub use engine::{Cluster, Dataflow, join};
pub use error::Error;
pub use refuse::{NotRendered, refuse};
pub use workers::Workers;
