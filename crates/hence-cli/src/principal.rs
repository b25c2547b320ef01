//! `hence principal`: who may say what, with keys that sign it.

mod sign;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;

use clap::{Args, Subcommand};
use serde_json::json;

use hence_core::fact::Fact;
use hence_ledger::{
    ADMIN, Committed, Draft, Keys, Ledger, Principal as Known, PublicKey, REVOKED, SecretKey, When, principal,
};
use hence_session::Session;

use super::diagnostics::count;
use super::keys::{self, KeyFiles};
use super::options::{ChangeOptions, FactOptions};
use super::output::{self, Format};
use super::{DONE, Failure, Outcome, open, terminal, time};
use sign::Sign;

/// Add, list and revoke principals: authors whose transactions are signed
///
/// From the first principal on, a ledger demands signatures: facts of inputs with `from` count only where a principal
/// with the role signed them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hence principal add ada --role reviewer\n  \
    hence principal add grace --role reviewer --as ada\n  hence principal list")]
pub(super) struct Principal {
    #[command(subcommand)]
    command: PrincipalCommand,
}

#[derive(Debug, Subcommand)]
enum PrincipalCommand {
    /// Add a principal, or roles to one; the first of a ledger is its first administrator
    Add(Add),
    /// List the principals
    List(List),
    /// Revoke the key of a principal; what it signed before stays
    Revoke(Revoke),
    /// Print the public key of a name on this machine
    Key(Key),
    /// Sign a fact for somebody else to bring
    Sign(Sign),
}

#[derive(Debug, Args)]
struct Add {
    /// The name, as authors have it
    name: String,
    /// A role, repeatable
    #[arg(long = "role", value_name = "ROLE")]
    roles: Vec<String>,
    /// The public key, as `hence principal key` prints it where the name is at home [default: a new key, kept on this
    /// machine]
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    about: ChangeOptions,
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    facts: FactOptions,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Debug, Args)]
struct Revoke {
    /// The name
    name: String,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    about: ChangeOptions,
}

#[derive(Debug, Args)]
struct Key {
    /// The name
    name: String,
    /// Make a new key first
    #[arg(long)]
    new: bool,
}

impl Principal {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            PrincipalCommand::Add(add) => add.run(),
            PrincipalCommand::List(list) => list.run(),
            PrincipalCommand::Revoke(revoke) => revoke.run(),
            PrincipalCommand::Key(key) => key.run(),
            PrincipalCommand::Sign(sign) => sign.run(),
        }
    }
}

/// The name's public key, and whether it was made just now.
struct Found {
    key: PublicKey,
    is_new: bool,
}

impl Add {
    fn run(self) -> Outcome {
        keys::check_name(&self.name)?;
        let mut ledger = open::ledger(&self.facts, false)?;
        let first = !principals(&ledger)?.demand_signatures();
        let author = self.author(first)?;
        let mut roles: BTreeSet<&str> = self.roles.iter().map(String::as_str).collect();
        if let Some(role) = roles.iter().find(|role| !is_role(role)) {
            let message = format!("`{role}` is not a role: expected a lower-case word, such as `reviewer`");
            return Err(Failure::Usage(message));
        }
        if first {
            roles.insert(ADMIN);
        }
        if roles.is_empty() {
            return Err(Failure::Usage(String::from("missing roles; write `--role reviewer`, for example")));
        }
        let found = self.key(&ledger, first)?;
        let assertions = roles.iter().map(|role| principal(&self.name, role, found.key)).collect();
        let committed = commit(&mut ledger, assertions, author, &self.about, "principal add");
        if committed.is_err() && found.is_new {
            // A key that no ledger knows is of no use.
            let _ = fs::remove_file(keys::path(&self.name)?);
        }
        let committed = committed?;
        let mut out = terminal::text();
        let roles: Vec<&str> = roles.into_iter().collect();
        writeln!(out, "{}: {}, {}", self.name, roles.join(", "), found.key)?;
        if found.is_new {
            output::aside(&format!(
                "the key is in {}; keep it to yourself",
                keys::path(&self.name)?.display()
            ));
        }
        recorded(&committed)?;
        if first {
            warn_of_unsigned(&ledger)?;
        }
        open::show_notices(&ledger.close());
        Ok(DONE)
    }

    fn author(&self, first: bool) -> Result<String, Failure> {
        match (&self.about.author, first) {
            (Some(author), true) if *author != self.name => Err(Failure::Usage(format!(
                "the first principal of a ledger is its administrator and adds itself; omit `--as {author}`"
            ))),
            (_, true) => Ok(self.name.clone()),
            (_, false) => self.about.author(),
        }
    }

    /// The key that was given, that the ledger knows, that is on this machine, or else a new one.
    fn key(&self, ledger: &Ledger, first: bool) -> Result<Found, Failure> {
        let known = |key| Found { key, is_new: false };
        if let Some(text) = &self.key {
            let key = PublicKey::parse(text);
            let message =
                || format!("`{text}` is not a public key: expected `ed25519:` and 64 hexadecimal digits");
            return key.map(known).ok_or_else(|| Failure::Usage(message()));
        }
        if let Some(key) = principals(ledger)?.keys(&self.name, ledger.last_tx()).first() {
            return Ok(known(*key));
        }
        // `HENCE_KEY` is the key of who signs, which a later principal is not.
        let named = std::env::var_os(keys::KEY_VARIABLE).is_some_and(|value| !value.is_empty());
        if named && !first {
            let message = format!(
                "{} names the key of who adds `{}`; give the public key of `{}` with --key",
                keys::KEY_VARIABLE,
                self.name,
                self.name
            );
            return Err(Failure::Usage(message));
        }
        match KeyFiles.key(&self.name).map_err(Failure::Usage)? {
            Some(key) => self.unrevoked(ledger, key.public()).map(known),
            None => Ok(Found { key: keys::create(&keys::path(&self.name)?)?.public(), is_new: true }),
        }
    }
}

impl Add {
    /// A key of this machine that the ledger doesn't know as revoked.
    fn unrevoked(&self, ledger: &Ledger, key: PublicKey) -> Result<PublicKey, Failure> {
        let list = principals(ledger)?.list(ledger.last_tx());
        let Some(tx) = list.iter().find(|known| known.key == key).and_then(|known| known.revoked) else {
            return Ok(key);
        };
        let path = keys::path(&self.name)?;
        Err(Failure::Usage(format!(
            "the key in {} was revoked in transaction {tx}; move it away, or give another one with --key",
            path.display()
        )))
    }
}

/// Whether `from` could name this role, and nothing else means it.
fn is_role(role: &str) -> bool {
    role.starts_with(|c: char| c.is_ascii_lowercase())
        && role.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && role != REVOKED
}

fn principals(ledger: &Ledger) -> Result<std::sync::Arc<hence_ledger::Principals>, Failure> {
    ledger.principals().map_err(open::failure)
}

fn commit(
    ledger: &mut Ledger,
    assertions: Vec<Fact>,
    author: String,
    about: &ChangeOptions,
    source: &str,
) -> Result<Committed, Failure> {
    let draft = Draft {
        time: time::wall_clock(),
        author,
        source: source.to_owned(),
        note: about.note.clone(),
        assertions,
        expect_tx: about.expect_tx,
        ..Draft::default()
    };
    ledger.commit(&draft).map_err(open::failure)
}

fn recorded(committed: &Committed) -> Result<(), Failure> {
    let mut out = terminal::text();
    match committed.recorded {
        true => writeln!(out, "recorded as transaction {}, head {}", committed.tx, committed.head)?,
        false => writeln!(out, "nothing to record")?,
    }
    Ok(())
}

/// Says what no longer counts, now that signatures are demanded.
fn warn_of_unsigned(ledger: &Ledger) -> Result<(), Failure> {
    let Some((_, rules)) = Session::rules_at(ledger, When::Now)? else { return Ok(()) };
    let untrusted = Session::untrusted(&rules, ledger)?;
    if !untrusted.is_empty() {
        output::warning(&format!(
            "{} no longer for the rules, since nobody signed: `hence status` shows what; to count again, it is \
            retracted and asserted by a principal",
            match untrusted.len() {
                1 => String::from("1 fact is there"),
                many => format!("{many} facts are there"),
            }
        ));
    }
    Ok(())
}

impl List {
    fn run(self) -> Outcome {
        let ledger = open::ledger(&self.facts, true)?;
        let list = principals(&ledger)?.list(ledger.last_tx());
        let header = ["name", "roles", "key", "since", "revoked"].map(str::to_owned);
        let row = |Known { name, key, roles, since, revoked }: &Known| {
            let roles: Vec<&str> = roles.iter().map(String::as_str).collect();
            let revoked = revoked.map(|tx| tx.to_string()).unwrap_or_default();
            vec![name.clone(), roles.join(", "), key.to_string(), since.to_string(), revoked]
        };
        let object = |Known { name, key, roles, since, revoked }: &Known| {
            json!({
                "name": name, "roles": roles, "key": key.to_string(), "since": since, "revoked": revoked,
            })
        };
        let rows: Vec<Vec<String>> = list.iter().map(row).collect();
        match self.format {
            Format::Table if rows.is_empty() => {
                writeln!(
                    output::out(self.format),
                    "no principals: authors are believed, and have the roles that `[roles]` of hence.toml lists"
                )?;
            }
            Format::Table => output::out(self.format).lines(&output::table(&header, &rows))?,
            Format::Jsonl => output::lines(list.iter().map(object))?,
            Format::Json => output::documents(list.iter().map(object))?,
            Format::Csv => {
                let mut out = super::records::Records::out();
                out.write(&header)?;
                rows.iter().try_for_each(|row| out.write(row))?;
                out.end()?;
            }
        }
        Ok(DONE)
    }
}

impl Revoke {
    fn run(self) -> Outcome {
        self.facts.existing_store("")?;
        let mut ledger = open::ledger(&self.facts, false)?;
        let author = self.about.author()?;
        let standing = principals(&ledger)?.list(ledger.last_tx());
        let keys = standing.iter().filter(|known| known.name == self.name && known.revoked.is_none());
        let assertions: Vec<Fact> = keys.map(|known| principal(&self.name, REVOKED, known.key)).collect();
        if assertions.is_empty() {
            return Err(Failure::Usage(format!("`{}` is not a principal, or its key is revoked", self.name)));
        }
        let is_admin = |known: &Known| known.revoked.is_none() && known.roles.contains(ADMIN);
        if !standing.iter().any(|known| is_admin(known) && known.name != self.name) {
            let message = format!("`{}` is the last administrator; add another one before", self.name);
            return Err(Failure::Usage(message));
        }
        let number = count(assertions.len(), "key");
        let committed = commit(&mut ledger, assertions, author, &self.about, "principal revoke")?;
        writeln!(terminal::text(), "{number} of {} revoked", self.name)?;
        recorded(&committed)?;
        open::show_notices(&ledger.close());
        Ok(DONE)
    }
}

impl Key {
    fn run(self) -> Outcome {
        let path = keys::path(&self.name)?;
        let key: SecretKey = match (self.new, KeyFiles.key(&self.name).map_err(Failure::Usage)?) {
            (true, _) => keys::create(&path)?,
            (false, Some(key)) => key,
            (false, None) => {
                let message = format!("there is no key `{}`; `--new` makes one", path.display());
                return Err(Failure::Usage(message));
            }
        };
        writeln!(terminal::text(), "{}", key.public())?;
        Ok(DONE)
    }
}
