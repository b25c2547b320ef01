//! `hence serve`: a process that owns a store, decides and carries out what falls due, and lends it to other commands.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;

use hence_ledger::{Ledger, LedgerError};
use hence_session::Session;

use super::carry::Carry;
use super::due::{AUTHOR, Due};
use super::follow::Follow;
use super::idle::Idle;
use super::options::{EngineOptions, FactOptions, RuleOptions, duration, time_limit};
use super::owner::{Event, Incoming, LONGEST_TURN, Mailbox, Owner};
use super::said::{Refused, Said};
use super::speaker::Speakers;
use super::told::Told;
use super::{DONE, Failure, Outcome, open, output, terminal};

/// Own a ledger: decide and carry out what falls due, and give other commands a turn each
///
/// What other commands record is decided when their turn ends, and what the clock brings when its instant comes; both are
/// shown as JSON lines, as `hence decide --follow` shows them, which owns its ledger in the same way. Serves until it is
/// interrupted, or told to stop by SIGTERM: then it ends the turn at hand, closes the ledger and exits.
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
    /// Wait this long for another process to finish with the ledger; `0s` fails at once [default: 5s, and
    /// 1m for a turn where one serves the ledger]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    wait: Option<Duration>,
    #[command(flatten)]
    engine: EngineOptions,
    #[cfg(feature = "server")]
    #[command(flatten)]
    http: super::http::HttpOptions,
    /// The longest turn of another command, such as `30s` [default: 10m]
    #[arg(long, value_name = "DURATION", value_parser = time_limit)]
    turn: Option<Duration>,
    /// End once no tool call was asked about for so long; what `hence gate` starts is started so
    #[arg(long, hide = true, value_name = "DURATION", value_parser = time_limit)]
    idle: Option<Duration>,
    /// Lend the ledger and decide nothing
    #[arg(long, hide = true, conflicts_with_all = ["rules", "packs", "sets", "paths"])]
    lend_only: bool,
}

impl Serve {
    pub(super) fn run(self) -> Outcome {
        #[cfg(feature = "server")]
        let demo = self.http.demo.then(super::http::demo::Demo::new).transpose()?;
        #[cfg(feature = "server")]
        let serve = match &demo {
            Some(demo) => Self { store: Some(demo.store()), rules: super::http::demo::Demo::rules(), ..self },
            None => self,
        };
        #[cfg(not(feature = "server"))]
        let serve = self;
        serve.own()
    }

    fn own(self) -> Outcome {
        let facts = FactOptions::of_store(self.store.clone(), self.wait);
        let mailbox = Arc::<Mailbox>::default();
        if self.lend_only {
            Owner::check_free(&facts.store())?;
            let ledger = open::ledger(&facts, false)?;
            let owner = self.owner(&facts, &mailbox)?;
            return lend(ledger, &owner, &mailbox);
        }
        let rules = self.rules.with_paths(&self.paths);
        let session = open::for_owning(&rules, &facts, &self.engine)?.keeping();
        #[cfg(feature = "server")]
        let (session, first) = self.http.begun(session)?;
        session.check_columns()?;
        open::warn_of_undeclared(&session)?;
        let carry = self.carry(&session, &mailbox)?;
        let owner = Some(self.owner(&facts, &mailbox)?);
        #[cfg(feature = "server")]
        let http = {
            let place = (facts.store(), &self.engine, rules.clone(), self.idle.is_some());
            self.http.begin(&session, place, &mailbox, first.as_deref())?
        };
        #[cfg(feature = "server")]
        let readers = Some(http.hook());
        #[cfg(not(feature = "server"))]
        let readers = None;
        let follow = Follow {
            speakers: Speakers::new(session.rules(), String::from(AUTHOR)),
            session,
            source: "serve",
            now: None,
            batch: false,
            most: 0,
            records: None,
            carry,
            refused: Refused::default(),
            unanswered: None,
            reopenings: 0,
            incoming: Incoming::of(mailbox),
            owner,
            due: Due::default(),
            readers,
            idle: self.idle.map(|longest| Idle { longest, since: Instant::now() }),
            told: Told::default(),
            #[cfg(feature = "server")]
            group: Vec::new(),
            #[cfg(feature = "server")]
            keys: super::http::Keys::default(),
        };
        let ended = follow.run(Said::default(), &mut terminal::json());
        #[cfg(feature = "server")]
        http.stop();
        ended
    }

    /// Who carries decisions out; nobody does those of a demonstration, whatever is configured here.
    fn carry(&self, session: &Session, mailbox: &Arc<Mailbox>) -> Result<Option<Carry>, Failure> {
        #[cfg(feature = "server")]
        if self.http.demo {
            return Ok(None);
        }
        Ok(Some(Carry::new(session, false)?.until_stopped(mailbox)))
    }

    fn owner(&self, facts: &FactOptions, mailbox: &Arc<Mailbox>) -> Result<Owner, Failure> {
        let longest = self.turn.unwrap_or(LONGEST_TURN);
        let Some(owner) = open::lending(facts, mailbox, longest)? else {
            let message = "a ledger in memory has no other users; name a folder with --store";
            return Err(Failure::Usage(String::from(message)));
        };
        owner.stop_on_signals()?;
        let (store, process) = (facts.store(), std::process::id());
        output::note(&format!("process {process} serves the ledger at {}", store.display()));
        Ok(owner)
    }
}

/// Lends until a signal; then the ledger is closed before the socket goes, so that whoever waits finds it free.
fn lend(mut ledger: Ledger, owner: &Owner, mailbox: &Mailbox) -> Outcome {
    let mut wait = |_: &LedgerError, until| Ok(!matches!(mailbox.input(until), Event::Stop));
    loop {
        match mailbox.next(None, false) {
            Event::Asked(ask) => match owner.lend(ledger, ask, &mut wait)? {
                Some(back) => ledger = back,
                None => return Ok(DONE),
            },
            Event::Due | Event::Chunk(_) | Event::Work(_) => {}
            Event::End | Event::Stop => break,
        }
    }
    open::show_notices(&ledger.close());
    Ok(DONE)
}
