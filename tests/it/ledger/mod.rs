//! The ledger through its public face: what is recorded, what is read back, what survives.

#[cfg(unix)]
mod bench;
mod compact;
mod damage;
mod exchange;
mod faults;
mod histories;
mod kill;
mod opening;
mod power;
mod script;
mod support;
mod transactions;
