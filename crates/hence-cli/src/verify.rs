//! `hence verify`.

use std::io::Write;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::thread;

use clap::Args;

use hence_ledger::{Hash, Ledger, LedgerError, Verified};
use hence_session::{Audit, SessionError, Untrusted};

use super::diagnostics::count;
use super::keep::{undeclared, untrusted};
use super::options::{EngineOptions, FactOptions};
use super::{DONE, Failure, NO, Outcome, head, open, output, progress, terminal};

/// Verify a ledger: its chain, its base against its journal, and every decision drawn again
#[derive(Debug, Args)]
#[command(after_help = "Example: hence verify --head HASH")]
pub(super) struct Verify {
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    /// A head noted earlier, which must be in the chain
    #[arg(long, value_name = "HASH")]
    head: Option<String>,
    /// The file of a note of `hence head`: what it names must be what the ledger began with
    #[arg(long, value_name = "NOTE")]
    since: Option<PathBuf>,
    /// Don't draw decisions again
    #[arg(long)]
    no_replay: bool,
}

/// The chain of a ledger, proved.
fn proven(ledger: &Ledger) -> Result<Verified, Failure> {
    let mut at = 0;
    let verified = ledger.verify_each(&mut |tx| at = tx).map_err(SessionError::Ledger);
    Ok(verified.inspect_err(|error| progress::note_reached(error, at, ledger.last_tx()))?)
}

impl Verify {
    /// Damage is a difference, and its place is told.
    pub(super) fn run(self) -> Outcome {
        match self.prove() {
            Err(Failure::Session(SessionError::Ledger(
                damage @ (LedgerError::Damaged { .. } | LedgerError::NotAsLeft { .. }),
            ))) => {
                output::error(&damage.to_string());
                Ok(NO)
            }
            proven => proven,
        }
    }

    /// Proves the chain and draws all decisions again; with more than one thread at the same time.
    fn prove(self) -> Outcome {
        let ledger = open::settled(&self.facts)?;
        if self.no_replay || self.engine.given_threads() == Some(1) {
            let sound = self.told(&ledger, &proven(&ledger)?)?;
            let sound = sound & (self.no_replay || self.drawn_again(&ledger, &mut || Ok(()))?);
            return Ok(if sound { DONE } else { NO });
        }
        thread::scope(|scope| {
            let proof = thread::Builder::new().spawn_scoped(scope, || proven(&ledger));
            let (mut proof, mut sound) = (Some(proof), true);
            // What is found of the chain is told before what is found of decisions.
            let mut chain_first = || -> Result<(), Failure> {
                let verified = match proof.take() {
                    None => return Ok(()),
                    Some(Ok(proof)) => proof.join().unwrap_or_else(|panic| resume_unwind(panic))?,
                    Some(Err(_no_thread)) => proven(&ledger)?,
                };
                sound = self.told(&ledger, &verified)?;
                Ok(())
            };
            let drawn = self.drawn_again(&ledger, &mut chain_first);
            chain_first()?;
            Ok(if drawn? & sound { DONE } else { NO })
        })
    }

    /// Tells what was found of the chain; whether nothing is wrong with it.
    fn told(&self, ledger: &Ledger, verified: &Verified) -> Result<bool, Failure> {
        let mut out = terminal::text();
        writeln!(
            out,
            "the chain of {} holds: {}, {}, head {}",
            count(verified.transactions as usize, "transaction"),
            count(verified.facts as usize, "fact"),
            count(verified.decisions as usize, "decision"),
            verified.head
        )?;
        for difference in &verified.differences {
            writeln!(out, "difference: {difference}")?;
        }
        if let Some((last, proven)) = verified.archived {
            let transactions = match last {
                1 => String::from("transaction 1"),
                _ => format!("transactions 1 to {last}"),
            };
            let how = if proven {
                "verified against their archived segments"
            } else {
                "their segments are not in the archive"
            };
            writeln!(out, "a snapshot replaces {transactions}; {how}")?;
        }
        open::warn_of_undeclared_in(&undeclared(ledger)?, "the rules of the last decisions");
        let mut sound = verified.differences.is_empty();
        sound &= self.head_stands(ledger)? & self.goes_on(ledger)?;
        let since = ledger.principals().map_err(open::failure)?.since();
        let forged = |found: &Untrusted| since.is_some_and(|since| since <= found.tx);
        for Untrusted { fact, why, .. } in untrusted(ledger)?.into_iter().filter(forged) {
            writeln!(out, "difference: {fact} is not there for the rules: {why}")?;
            sound = false;
        }
        Ok(sound)
    }

    /// Draws again what there is the history of; whether nothing is wrong. `before` is called ahead of all that is told.
    fn drawn_again(
        &self,
        ledger: &Ledger,
        before: &mut dyn FnMut() -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        let last = ledger.last_tx();
        let Some((end, _)) = ledger.archived() else { return self.audit(ledger, (1, last), before) };
        match ledger.whole_history().map_err(open::failure)? {
            Some(whole) => self.audit(&whole, (1, last), before),
            None => {
                before()?;
                writeln!(terminal::text(), "the decisions of transactions 1 to {end} were not drawn again")?;
                self.audit(ledger, (end + 1, last), before)
            }
        }
    }

    /// Draws every decision of some transactions again and tells what differs from the record; whether nothing is wrong.
    fn audit(
        &self,
        ledger: &Ledger,
        (from, to): (u64, u64),
        before: &mut dyn FnMut() -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        let (engine, limits) = (self.engine.engine(), self.engine.limits());
        let lenient = self.engine.lenient()?;
        let audit = Audit { ledger, from, to, engine: engine.as_ref(), limits, lenient };
        let (bar, mut at) = (indicatif::ProgressBar::new(to), from);
        let mut written: Result<(), Failure> = Ok(());
        let mut reached = |tx| {
            at = tx;
            bar.set_position(tx);
        };
        let audited = audit.run(&mut reached, &mut |finding| {
            let word = if finding.what.is_lie() { "error" } else { "note" };
            written = bar.suspend(|| {
                before()?;
                Ok(writeln!(terminal::text(), "{word}: {finding}")?)
            });
            written.is_ok()
        });
        bar.finish_and_clear();
        written?;
        before()?;
        let audited = audited.inspect_err(|error| progress::note_reached(error, at, to))?;
        let found = match (audited.faults, audited.open) {
            (0, 0) => String::from("each as recorded"),
            (0, open) => {
                format!("as recorded, but for {} that can't be told", count(open as usize, "difference"))
            }
            (faults, _) => count(faults as usize, "error"),
        };
        let transactions = count(audited.evaluated as usize, "transaction");
        let decisions = count(audited.decisions as usize, "decision");
        writeln!(terminal::text(), "{transactions} drawn again, {decisions} in all: {found}")?;
        Ok(audited.faults == 0)
    }

    /// Whether the ledger goes on from the note that was kept, and who signed that.
    fn goes_on(&self, ledger: &Ledger) -> Result<bool, Failure> {
        let Some(path) = &self.since else { return Ok(true) };
        let note = head::read_note(path)?;
        let (size, last) = (note.checkpoint.size, ledger.last_tx());
        let path = path.display();
        if size > last {
            output::error(&format!(
                "the note `{path}` is of {size} transactions, and the ledger has {last}: it was truncated"
            ));
            return Ok(false);
        }
        let tree = ledger.tree().map_err(open::failure)?;
        if size == 0 || ledger.checkpoint(&tree, size).map_err(open::failure)? != note.checkpoint {
            output::error(&format!(
                "the note `{path}` is of another history: the ledger was rewritten, or is another one"
            ));
            return Ok(false);
        }
        let known = ledger.principals().map_err(open::failure)?.list(size);
        let by: Vec<&str> =
            known.iter().filter(|one| note.is_by(one.key)).map(|one| one.name.as_str()).collect();
        if note.is_signed() && by.is_empty() {
            output::error(&format!("the note `{path}` is signed by no principal of then"));
            return Ok(false);
        }
        let signed = if by.is_empty() {
            String::from("nobody signed it")
        } else {
            format!("signed by {}", by.join(", "))
        };
        writeln!(
            terminal::text(),
            "the ledger goes on from the note of {}; {signed}",
            count(size as usize, "transaction")
        )?;
        Ok(true)
    }

    /// Whether the head that was written down stands in the chain.
    fn head_stands(&self, ledger: &Ledger) -> Result<bool, Failure> {
        let Some(text) = &self.head else { return Ok(true) };
        let hash = hash(text)?;
        match ledger.tx_of(hash).map_err(open::failure)? {
            Some(tx) => writeln!(terminal::text(), "head {hash} is that of transaction {tx}")?,
            None => {
                output::error(&format!(
                    "head {hash} is not in this ledger: the ledger was truncated, or is another one"
                ));
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A hash as it is written.
pub(super) fn hash(text: &str) -> Result<Hash, Failure> {
    Hash::parse(text)
        .ok_or_else(|| Failure::Usage(format!("`{text}` is not a hash; expected 64 hexadecimal digits")))
}
