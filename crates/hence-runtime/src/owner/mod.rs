//! The owner of a ledger, as whoever needs it sees it: the way to its socket, and its start where none runs. `hence` and
//! `hence-hook` share it.

mod connect;
mod start;

pub use connect::{NAME, connect, reach, stranger};
pub use start::Start;
