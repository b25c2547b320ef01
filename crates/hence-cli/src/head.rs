//! `hence head`: a note of what the ledger is, and proofs that a later note goes on from an earlier one.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value as Json, json};

use hence_core::file;
use hence_ledger::merkle::{Tree, is_consistent};
use hence_ledger::{Keys as _, Ledger, Note, PublicKey, path_json, read_path};

use super::keys::KeyFiles;
use super::options::FactOptions;
use super::{DONE, Failure, NO, Outcome, UNDETERMINED, config, open, output, terminal};

/// A note has so many bytes at most, and a proof.
const LONGEST: u64 = 1 << 20;

/// Print a note of the ledger: how many transactions it has, the root of the tree over them, the hash of the last
///
/// Who keeps the note can tell later whether anything before it was rewritten.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:\n  hence head --sign --as ada > note\n  hence verify --since note\n  \
    hence head prove --since note > proof && hence head check note later proof")]
pub(super) struct Head {
    #[command(subcommand)]
    command: Option<HeadCommand>,
    #[command(flatten)]
    facts: FactOptions,
    /// Sign it as a principal whose key is on this machine
    #[arg(long)]
    sign: bool,
    /// Who signs [default: the system user]
    #[arg(long = "as", value_name = "AUTHOR", requires = "sign")]
    author: Option<String>,
}

#[derive(Debug, Subcommand)]
enum HeadCommand {
    /// Prove that a transaction is under the root of a note, or that a note goes on from an earlier one
    Prove(Prove),
    /// Check without the ledger that a note goes on from an earlier one
    Check(Check),
}

#[derive(Debug, Args)]
struct Prove {
    /// The transaction
    #[arg(required_unless_present = "since", conflicts_with = "since")]
    tx: Option<u64>,
    /// The file of the earlier note
    #[arg(long, value_name = "NOTE")]
    since: Option<PathBuf>,
    /// The file of the note that it is proved for [default: one of the ledger as it is]
    #[arg(long, value_name = "NOTE")]
    note: Option<PathBuf>,
    #[command(flatten)]
    facts: FactOptions,
}

#[derive(Debug, Args)]
struct Check {
    /// The file of the earlier note
    old: PathBuf,
    /// The file of the later note
    new: PathBuf,
    /// The file of what `hence head prove --since` printed
    proof: PathBuf,
    /// The key that signed both, as `hence principal list` shows it; without it, who wrote them is on trust
    #[arg(long, value_name = "KEY", value_parser = key)]
    key: Option<PublicKey>,
}

/// The key of a text.
pub(super) fn key(text: &str) -> Result<PublicKey, String> {
    PublicKey::parse(text)
        .ok_or_else(|| format!("`{text}` is not a public key: expected `ed25519:` and 64 hexadecimal digits"))
}

impl Head {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            Some(HeadCommand::Prove(prove)) => prove.run(),
            Some(HeadCommand::Check(check)) => check.run(),
            None => {
                let ledger = opened(&self.facts)?;
                let tree = ledger.tree().map_err(open::failure)?;
                let note = note(&ledger, &tree, self.sign, self.author.as_deref())?;
                write!(terminal::bytes(), "{}", note.text())?;
                Ok(DONE)
            }
        }
    }
}

/// The ledger that the options name, which has a transaction.
pub(super) fn opened(facts: &FactOptions) -> Result<Ledger, Failure> {
    facts.existing_store("")?;
    let ledger = open::ledger(facts, true)?;
    match ledger.last_tx() {
        0 => Err(Failure::Usage(String::from("the ledger has no transaction, so there is nothing to note"))),
        _ => Ok(ledger),
    }
}

/// A note of the ledger as it is; signed, where that is asked for, by a principal of it.
pub(super) fn note(ledger: &Ledger, tree: &Tree, sign: bool, author: Option<&str>) -> Result<Note, Failure> {
    let checkpoint = ledger.checkpoint(tree, ledger.last_tx()).map_err(open::failure)?;
    if !sign {
        return Ok(checkpoint.unsigned());
    }
    // Who signs vouches for the journal, not for a base that somebody may have changed.
    if let Some(difference) = open::difference(ledger)? {
        let message = format!("nothing is signed, since the ledger does not verify: {difference}");
        return Err(Failure::Usage(message));
    }
    let author = config::get().author(author)?;
    let known = ledger.principals().map_err(open::failure)?.keys(&author, ledger.last_tx());
    let key = KeyFiles.key(&author).map_err(Failure::Usage)?;
    let key = key.filter(|key| known.contains(&key.public())).ok_or_else(|| {
        Failure::Usage(format!(
            "`{author}` can't sign: no principal of this ledger with a key on this machine; `hence principal add` makes one"
        ))
    })?;
    Ok(checkpoint.signed(&key))
}

/// The note in a file.
pub(super) fn read_note(path: &Path) -> Result<Note, Failure> {
    let text = read(path)?;
    Note::parse(&text).map_err(|what| Failure::Usage(format!("`{}` is not a note: {what}", path.display())))
}

/// The text of a small file.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    file::read_text(path, LONGEST).map_err(|error| Failure::Usage(file::unread(path, &error)))
}

impl Prove {
    fn run(self) -> Outcome {
        let ledger = opened(&self.facts)?;
        let tree = ledger.tree().map_err(open::failure)?;
        let new = match &self.note {
            Some(path) => read_note(path)?,
            None => note(&ledger, &tree, false, None)?,
        };
        let size = new.checkpoint.size;
        if let Some(path) = &self.since {
            let old = read_note(path)?.checkpoint.size;
            let path = tree.consistency(old, size).filter(|_| old <= size).ok_or_else(|| {
                Failure::Usage(format!("a note of {size} transactions can't go on from one of {old} here"))
            })?;
            writeln!(terminal::json(), "{}", json!({"from": old, "to": size, "path": path_json(&path)}))?;
            return Ok(DONE);
        }
        let tx = self.tx.unwrap_or(size);
        let path = tx.checked_sub(1).and_then(|index| tree.inclusion(index, size)).ok_or_else(|| {
            Failure::Usage(format!("there is no transaction {tx} among the {size} of the note"))
        })?;
        let hash = ledger.info(tx).map_err(open::failure)?.hash.to_string();
        let proof = json!({"transaction": tx, "hash": hash, "size": size, "path": path_json(&path)});
        writeln!(terminal::json(), "{proof}")?;
        Ok(DONE)
    }
}

impl Check {
    fn run(self) -> Outcome {
        let (old, new) = (read_note(&self.old)?, read_note(&self.new)?);
        let text = read(&self.proof)?;
        let wrong =
            || Failure::Usage(format!("`{}` is not a proof of `hence head prove`", self.proof.display()));
        let proof: Json = serde_json::from_str(&text).map_err(|_| wrong())?;
        let path = proof.get("path").and_then(read_path).ok_or_else(wrong)?;
        if let Some(key) = self.key
            && let Some(path) =
                [(&old, &self.old), (&new, &self.new)].into_iter().find(|(note, _)| !note.is_by(key))
        {
            output::error(&format!("`{}` is not signed by {key}", path.1.display()));
            return Ok(NO);
        }
        let (old, new) = (&old.checkpoint, &new.checkpoint);
        let goes_on =
            old.first == new.first && is_consistent((old.size, &old.root), (new.size, &new.root), &path);
        if !goes_on {
            output::error(
                "the later note does not go on from the earlier one: the ledger was rewritten, or is another one",
            );
            return Ok(NO);
        }
        writeln!(
            terminal::text(),
            "the note of {} transactions goes on from that of {}",
            new.size,
            old.size
        )?;
        if self.key.is_none() {
            writeln!(terminal::text(), "    on trust: who wrote them; --key says whose signature they need")?;
            return Ok(UNDETERMINED);
        }
        Ok(DONE)
    }
}
