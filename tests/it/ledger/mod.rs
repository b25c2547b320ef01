//! The ledger through its public face: what is recorded, what is read back, what survives.

#[cfg(unix)]
mod bench;
mod compact;
mod damage;
mod ends;
mod exchange;
mod faults;
mod forged;
mod groups;
mod histories;
mod kill;
#[cfg(target_os = "linux")]
mod loops;
#[cfg(target_os = "linux")]
pub(crate) mod media;
mod opening;
mod power;
#[cfg(target_os = "linux")]
mod processes;
mod readers;
mod salvage;
mod script;
mod support;
mod tables;
mod transactions;
