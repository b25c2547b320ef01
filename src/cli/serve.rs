//! `hence serve`: a process that owns a store, keeps what follows from it, and lends it to other commands.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;

use hence::session::Session;
use hence_ledger::{Ledger, Notice};

use super::options::{EngineOptions, FactOptions, RuleOptions, duration, time_limit};
use super::owner::{Event, LONGEST_TURN, Lendable, Mailbox, Owner};
use super::{DONE, Failure, Outcome, open, output};

/// Own a ledger: other commands on it, and reviews beside an open stream, get a turn each
///
/// Serves until it is interrupted, or told to stop by SIGTERM: then it ends the turn at hand, closes the ledger and exits.
/// `hence decide --follow` owns its ledger in the same way.
#[derive(Debug, Args)]
#[command(after_help = "Example: hence serve --store .hence rules/")]
pub(super) struct Serve {
    /// Rule files or folders, as with --rules
    #[arg(value_name = "RULES")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    rules: RuleOptions,
    /// The ledger's folder; made if there is none [default: .hence]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Wait this long for another process to finish with the ledger, such as `5s`
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    wait: Option<Duration>,
    #[command(flatten)]
    engine: EngineOptions,
    /// The longest turn of another command, such as `30s` [default: 10m]
    #[arg(long, value_name = "DURATION", value_parser = time_limit)]
    turn: Option<Duration>,
    /// Lend the ledger and decide nothing
    #[arg(long, hide = true, conflicts_with_all = ["rules", "packs", "sets", "paths"])]
    lend_only: bool,
}

impl Serve {
    pub(super) fn run(self) -> Outcome {
        let facts = FactOptions::of_store(self.store.clone(), self.wait);
        if self.lend_only {
            Owner::check_free(&facts.store())?;
            let ledger = open::ledger(&facts, false)?;
            return self.serve(ledger, &facts);
        }
        let session = open::for_owning(&self.rules.with_paths(&self.paths), &facts, &self.engine)?;
        session.check_columns()?;
        open::warn_of_undeclared(&session);
        self.serve(session, &facts)
    }

    fn serve(&self, held: impl Served, facts: &FactOptions) -> Outcome {
        let mailbox = Arc::<Mailbox>::default();
        let longest = self.turn.unwrap_or(LONGEST_TURN);
        let Some(owner) = open::lending(facts, &mailbox, longest)? else {
            let message = "a ledger in memory has no other users; name a folder with --store";
            return Err(Failure::Usage(String::from(message)));
        };
        owner.stop_on_signals()?;
        let (store, process) = (facts.store(), std::process::id());
        output::note(&format!("process {process} serves the ledger at {}", store.display()));
        serve(held, &owner, &mailbox)
    }
}

/// Serves until a signal; then the ledger is closed before the socket goes, so that whoever waits finds it free.
fn serve(mut held: impl Served, owner: &Owner, mailbox: &Mailbox) -> Outcome {
    loop {
        let due = held.idle()?;
        match mailbox.next(due, false) {
            Event::Asked(ask) => match owner.lend(held, ask)? {
                Some(back) => held = back,
                None => return Ok(DONE),
            },
            Event::Due | Event::Chunk(_) => {}
            Event::End | Event::Stop => break,
        }
    }
    open::show_notices(&held.close());
    Ok(DONE)
}

/// What an owner serves.
trait Served: Lendable {
    /// What is done before each wait, whatever it waits for, and when to come back at the latest.
    fn idle(&mut self) -> Result<Option<Instant>, Failure>;

    /// Ends all work on the ledger, and says what came of it.
    fn close(self) -> Vec<Notice>;
}

impl Served for Session {
    /// The one place where the runtime does what is due: clock instants, schedules, the outbox. Nothing is yet.
    fn idle(&mut self) -> Result<Option<Instant>, Failure> {
        Ok(None)
    }

    fn close(self) -> Vec<Notice> {
        Session::close(self)
    }
}

impl Served for Ledger {
    fn idle(&mut self) -> Result<Option<Instant>, Failure> {
        Ok(None)
    }

    fn close(self) -> Vec<Notice> {
        Ledger::close(self)
    }
}
