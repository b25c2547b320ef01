//! `hence receipt`: one decision, shown with the records that hold it and its place in the ledger.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use hence_core::literal;
use hence_ledger::{Note, PublicKey, Receipt as Shown, Received};
use hence_session::DecisionId;

use super::head::{key, note, opened, read_note};
use super::options::FactOptions;
use super::{DONE, Failure, NO, Outcome, UNDETERMINED, open, output, terminal};

/// A receipt has so many bytes at most.
const LONGEST: u64 = 1 << 30;

/// Print a receipt of a decision: the records of its transaction, and their place under a note of the ledger
///
/// Who has it needs no ledger to check it. It holds all that the transaction recorded, not the decision alone.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:\n  hence receipt 12.3 --sign --as ada > receipt.json\n  \
    hence receipt check receipt.json --key ed25519:KEY")]
pub(super) struct Receipt {
    #[command(subcommand)]
    command: Option<ReceiptCommand>,
    /// The id of the decision
    #[arg(required = true)]
    id: Option<DecisionId>,
    #[command(flatten)]
    facts: FactOptions,
    /// The file of the note to place it under [default: one of the ledger as it is]
    #[arg(long, value_name = "NOTE", conflicts_with = "sign")]
    note: Option<PathBuf>,
    /// Sign the note as a principal whose key is on this machine
    #[arg(long)]
    sign: bool,
    /// Who signs [default: the system user]
    #[arg(long = "as", value_name = "AUTHOR", requires = "sign")]
    author: Option<String>,
}

#[derive(Debug, Subcommand)]
enum ReceiptCommand {
    /// Check a receipt, without the ledger
    Check(Check),
}

#[derive(Debug, Args)]
struct Check {
    /// The file of the receipt
    receipt: PathBuf,
    /// The key that signed its note, as `hence principal list` shows it
    #[arg(long, value_name = "KEY", value_parser = key)]
    key: Option<PublicKey>,
    /// The file of the note that it has to be under
    #[arg(long, value_name = "NOTE")]
    note: Option<PathBuf>,
}

impl Receipt {
    pub(super) fn run(self) -> Outcome {
        match (self.command, self.id) {
            (Some(ReceiptCommand::Check(check)), _) => return check.run(),
            (None, Some(id)) => {
                let ledger = opened(&self.facts)?;
                let tree = ledger.tree().map_err(open::failure)?;
                let note = match &self.note {
                    Some(path) => read_note(path)?,
                    None => note(&ledger, &tree, self.sign, self.author.as_deref())?,
                };
                let receipt = ledger.receipt(&tree, id.tx, note).map_err(open::failure)?;
                let wrong = |what| Failure::Usage(format!("no receipt of {id}: {what}"));
                drawn(&receipt.check().map_err(wrong)?, id.place).map_err(wrong)?;
                writeln!(terminal::json(), "{}", receipt.json(id.place))?;
            }
            (None, None) => {}
        }
        Ok(DONE)
    }
}

/// The decision at a place.
fn drawn(received: &Received, place: u64) -> Result<&hence_ledger::Decision, String> {
    let at = usize::try_from(place).ok().and_then(|place| place.checked_sub(1));
    let found = at.and_then(|at| received.drawn.get(at));
    found.ok_or_else(|| format!("the transaction drew {} decisions", received.drawn.len()))
}

impl Check {
    fn run(self) -> Outcome {
        let path = self.receipt.display();
        let wrong = |what: String| Failure::Usage(format!("`{path}` is not a receipt: {what}"));
        let text =
            hence_core::file::read_text(&self.receipt, LONGEST).map_err(|error| wrong(error.to_string()))?;
        let json = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let (receipt, place) = Shown::read(&json).map_err(wrong)?;
        let found = receipt.check().and_then(|received| Ok((drawn(&received, place)?.clone(), received)));
        let (decision, received) = match (found, self.note_fault(&receipt.note)?) {
            (Ok(found), None) => found,
            (Err(what), _) | (Ok(_), Some(what)) => {
                output::error(&format!("the receipt does not hold: {what}"));
                return Ok(NO);
            }
        };
        let mut out = terminal::text();
        writeln!(out, "decision {}.{place} {}", receipt.tx, decision.fact)?;
        if let Some(sentence) = &decision.sentence {
            writeln!(out, "    because {sentence}")?;
        }
        let at = literal::time_text(received.time);
        writeln!(
            out,
            "    drawn in transaction {} at {at} by {} from {}",
            receipt.tx, received.author, received.source
        )?;
        writeln!(out, "    one of {} transactions under the note", receipt.note.checkpoint.size)?;
        if self.key.is_none() && self.note.is_none() {
            writeln!(
                out,
                "    on trust: the note; --key says whose signature it needs, --note which one it is"
            )?;
            return Ok(UNDETERMINED);
        }
        Ok(DONE)
    }

    /// Why the note of a receipt is not the one that is wanted.
    fn note_fault(&self, note: &Note) -> Result<Option<String>, Failure> {
        if let Some(path) = &self.note
            && read_note(path)?.checkpoint != note.checkpoint
        {
            return Ok(Some(format!("its note is not the one in `{}`", path.display())));
        }
        Ok(self.key.filter(|key| !note.is_by(*key)).map(|key| format!("its note is not signed by {key}")))
    }
}
