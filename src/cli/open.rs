//! Opening what commands work on: sessions over files and over ledgers.

use crate::ledger::{Ledger, LedgerError, Notice, OpenOptions};
use crate::session::{self, FactFiles, Session, SessionError};

use super::options::{EngineOptions, FactOptions, RuleOptions};
use super::{Failure, diagnostics, output, progress};

/// The name of a ledger that is gone with the process.
const IN_MEMORY: &str = ":memory:";

/// A session that only reads: over the fact files named, else over the ledger.
pub(super) fn for_reading(
    rules: &RuleOptions,
    facts: &FactOptions,
    engine: &EngineOptions,
) -> Result<Session, Failure> {
    let rules = rules.source().build()?;
    let session = if facts.facts.is_empty() {
        let store = facts.store();
        if !store.exists() {
            return Err(Failure::Usage(format!(
                "there is no ledger at `{}`; give facts with --facts PATH, or record some with `hence decide --facts PATH`",
                store.display()
            )));
        }
        Session::over_ledger(rules, ledger(facts, true)?)
    } else {
        let read = session::read_facts(&rules, &FactFiles { paths: facts.facts.clone() })?;
        Session::over_facts(rules, read)
    };
    Ok(equip(session, engine))
}

/// A session over the ledger.
pub(super) fn for_writing(
    rules: &RuleOptions,
    facts: &FactOptions,
    engine: &EngineOptions,
    read_only: bool,
) -> Result<Session, Failure> {
    let rules = rules.source().build()?;
    let ledger = if read_only && !facts.store().exists() {
        Ledger::memory().map_err(failure)?
    } else {
        ledger(facts, read_only)?
    };
    Ok(equip(Session::over_ledger(rules, ledger), engine))
}

/// The ledger that the options name.
pub(super) fn ledger(facts: &FactOptions, read_only: bool) -> Result<Ledger, Failure> {
    if facts.store().as_os_str() == IN_MEMORY {
        return Ledger::memory().map_err(failure);
    }
    if facts.up_to.is_some() && !read_only {
        return Err(Failure::Usage(String::from("--up-to reads a ledger, and this command writes to it")));
    }
    let options = OpenOptions { read_only, wait: facts.wait(), up_to: facts.up_to, ..options() };
    let opened = if read_only {
        Ledger::open_to_ask(facts.store(), &OpenOptions { read_only: false, ..options })
    } else {
        Ledger::open(facts.store(), &options)
    };
    progress::clear();
    let mut ledger = opened.map_err(failure)?;
    warn(&mut ledger);
    Ok(ledger)
}

pub(super) fn failure(error: LedgerError) -> Failure {
    Failure::Session(SessionError::Ledger(error))
}

/// Tells what had to be put right when the ledger was opened.
pub(super) fn warn(ledger: &mut Ledger) {
    tell(&ledger.take_notices());
}

/// Tells what happened to the ledger.
pub(super) fn tell(notices: &[Notice]) {
    notices.iter().for_each(|notice| output::warning(&notice.to_string()));
}

/// How commands open ledgers: under the command's own words, which other processes are told.
pub(super) fn options() -> OpenOptions {
    let words = std::env::args().skip(1).take(2);
    let command = std::iter::once(String::from("hence")).chain(words).collect::<Vec<_>>().join(" ");
    OpenOptions { command, watcher: progress::watcher(), ..OpenOptions::default() }
}

fn equip(session: Session, engine: &EngineOptions) -> Session {
    let faults = session::Faults {
        sources: session.rules().sources.clone(),
        diagnostics: session.rules().warnings.clone(),
    };
    for warning in &faults.diagnostics {
        diagnostics::show(warning, &faults.sources);
    }
    session.with_engine(engine.engine()).with_limits(engine.limits()).with_lenient(engine.lenient())
}
