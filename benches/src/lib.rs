//! hence beside other programs. `bin/all` is the command; each of its sections is a file here, each measurement a
//! process of its own. The facts come from [`generate`], the peers' programs are in [`peers`] and [`decision`].
#![allow(missing_docs, reason = "a program, no library")]

pub mod batch;
pub mod change;
pub mod child;
pub mod cold;
pub mod decision;
pub mod external;
pub mod facts;
pub mod galen;
pub mod generate;
pub mod growth;
pub mod load;
pub mod log;
pub mod measure;
pub mod ontology;
pub mod options;
pub mod peers;
pub mod plot;
pub mod random;
pub mod ranks;
pub mod recursion;
pub mod report;
pub mod shapes;
pub mod start;
pub mod threads;
pub mod year;
