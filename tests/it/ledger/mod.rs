//! The ledger through its public face: what is recorded, what is read back, what survives.

mod damage;
mod histories;
mod opening;
mod support;
mod transactions;
