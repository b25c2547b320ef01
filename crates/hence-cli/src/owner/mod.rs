//! One store, many users: the process that owns a store lends its ledger, and other commands ask it for a turn.
//!
//! ```text
//!  owner: holds the lock ─► asked for a turn ─► closes the ledger ─► lends ─► opens it again, takes in what is new
//!  asker: finds the lock taken ─► asks ─► waits in the queue ─► opens, does its work, closes ─► hangs up
//! ```
//!
//! `mailbox` is what an owner waits for: input, askers, signals, a due time. `incoming` makes lines of the input.
//! `protocol` is the lines on the socket, `socket` the file, `listen` the owner's side of a connection, `turn` the asker's, `lend` what
//! an owner does for one; `hence_runtime::owner` is the way to the socket, and begins an owner. `docs/service.md` describes the protocol.

mod incoming;
mod mailbox;

#[cfg(unix)]
mod lend;
#[cfg(unix)]
mod listen;
#[cfg(unix)]
mod protocol;
#[cfg(unix)]
mod socket;
#[cfg(unix)]
mod turn;

#[cfg(not(unix))]
mod elsewhere;

pub(super) use incoming::{Came, Incoming};
pub(super) use mailbox::{Event, Mailbox};

#[cfg(unix)]
pub(super) use lend::Owner;
#[cfg(unix)]
pub(super) use listen::Ask;
#[cfg(all(unix, feature = "gate"))]
pub(super) use turn::judge;
#[cfg(all(unix, feature = "server"))]
pub(super) use turn::speak;
#[cfg(unix)]
pub(super) use turn::{among, briefly};

#[cfg(not(unix))]
pub(super) use elsewhere::{Ask, Owner, among, briefly};

use std::io::Write;
use std::time::Duration;

use super::Failure;
use super::follow::Follow;

/// What an owner does for whoever calls, between its other work; an error ends the owner.
pub(super) type Work = Box<dyn FnOnce(&mut Follow, &mut dyn Write) -> Result<(), Failure> + Send>;

/// The longest turn, where nobody says otherwise.
pub(super) const LONGEST_TURN: Duration = Duration::from_secs(600);
