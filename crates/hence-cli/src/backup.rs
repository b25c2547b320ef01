//! `hence backup`: a copy of a ledger, made while others write to it.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use hence_ledger::Ledger;

use super::diagnostics::count;
use super::options::{self, FactOptions};
use super::{DONE, Failure, Outcome, open, output, terminal};

/// Copy a ledger into a new folder, up to its last transaction, even while another process writes to it
///
/// The copy is verified before it gets its final name. The first command that writes to it creates its fact base.
#[derive(Debug, Args)]
#[command(after_help = "Example: hence backup ../backup/monday")]
#[command(mut_args(options::of_ledger))]
pub(super) struct Backup {
    /// The folder, new or empty
    folder: PathBuf,
    #[command(flatten)]
    facts: FactOptions,
}

impl Backup {
    pub(super) fn run(self) -> Outcome {
        if !self.facts.files().is_empty() {
            return Err(Failure::Usage(String::from("`backup` copies a ledger, but --facts names files")));
        }
        let copied = Ledger::backup(self.facts.store(), &self.folder, &open::options());
        let verified = copied.map_err(open::failure)?;
        for difference in &verified.differences {
            output::warning(difference);
        }
        let transactions = count(verified.transactions as usize, "transaction");
        let folder = self.folder.display();
        if self.facts.store().join("personal.keys").is_file() {
            output::note(
                "the keys of personal values are not copied, so that what is erased is erased in copies too: keep \
                personal.keys apart, and put it back into a copy to read them",
            );
        }
        writeln!(terminal::text(), "{transactions} copied to {folder}, head {}", verified.head)?;
        Ok(DONE)
    }
}
