//! The ledger through its public face: what is recorded, what is read back, what survives.

mod damage;
mod faults;
mod histories;
mod kill;
mod opening;
mod power;
mod script;
mod support;
mod transactions;
