//! `hence token`: who may call the service, and what they may do there.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use hence_core::literal;
use hence_server::{Scope, Token as Known, Tokens};
use serde_json::json;

use super::options::duration;
use super::output::{self, Format};
use super::{DONE, Failure, NO, Outcome, config, http, terminal, time};

/// Make, list and revoke the tokens with which others call the service
///
/// A token names the author of what its holder records, and what they may do: `decide` asks for decisions, `read` for
/// everything else, `write` records facts and answers, `admin` keeps the service. The ledger's folder holds hashes of
/// tokens, never tokens.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hence token create --as pep --scope decide\n  \
    hence token create --as ada --scope read,write --lasts 30d\n  hence token list\n  hence token revoke 1f3a90c2")]
pub(super) struct Token {
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Make a token, and print it this once
    Create(Create),
    /// Let the holder of a certificate call without a token
    Trust(Trust),
    /// List the tokens
    List(List),
    /// Revoke a token
    Revoke(Revoke),
}

#[derive(Debug, Args)]
struct Create {
    #[command(flatten)]
    holder: Holder,
}

#[derive(Debug, Args)]
struct Trust {
    /// The certificate, a PEM file
    certificate: PathBuf,
    #[command(flatten)]
    holder: Holder,
}

#[derive(Debug, Args)]
struct Holder {
    /// Who calls with it
    #[arg(long = "as", value_name = "NAME")]
    principal: String,
    /// What they may do: decide, read, write, admin
    #[arg(long = "scope", value_name = "SCOPE", value_delimiter = ',', required = true)]
    scopes: Vec<Scope>,
    /// How long it is valid [default: until it is revoked]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    lasts: Option<Duration>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    place: Place,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Debug, Args)]
struct Revoke {
    /// Its id, as `hence token list` shows it
    id: String,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
struct Place {
    /// The ledger's folder [default: .hence]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

impl Place {
    fn tokens(&self) -> Result<Tokens, Failure> {
        let store = self.store.clone().unwrap_or_else(|| config::get().store());
        if !store.is_dir() {
            let store = store.display();
            return Err(Failure::Usage(format!("there is no ledger at `{store}`; `hence serve` makes one")));
        }
        Ok(http::tokens(&store))
    }
}

impl Holder {
    fn ends(&self) -> Option<i64> {
        let lasts = i64::try_from(self.lasts?.as_micros()).unwrap_or(i64::MAX);
        Some(time::wall_clock().saturating_add(lasts))
    }

    fn tokens(&self) -> Result<Tokens, Failure> {
        if self.principal.trim().is_empty() {
            return Err(Failure::Usage(String::from("--as: expected the name of who calls, found none")));
        }
        config::get().check_author(&self.principal).map_err(Failure::Usage)?;
        self.place.tokens()
    }
}

impl Token {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            TokenCommand::Create(create) => create.run(),
            TokenCommand::Trust(trust) => trust.run(),
            TokenCommand::List(list) => list.run(),
            TokenCommand::Revoke(revoke) => revoke.run(),
        }
    }
}

impl Create {
    fn run(self) -> Outcome {
        let Self { holder } = self;
        let (known, token) = holder.tokens()?.create(&holder.principal, &holder.scopes, holder.ends())?;
        writeln!(terminal::text(), "{token}")?;
        output::note(&format!("token {} of {}: it is shown this once", known.id, known.principal));
        Ok(DONE)
    }
}

impl Trust {
    fn run(self) -> Outcome {
        let Self { certificate, holder } = self;
        let certificate =
            hence_server::certificate(&certificate).map_err(|error| Failure::Usage(error.to_string()))?;
        let tokens = holder.tokens()?;
        let known = tokens.trust(&holder.principal, &holder.scopes, holder.ends(), &certificate)?;
        writeln!(terminal::text(), "{}", known.id)?;
        Ok(DONE)
    }
}

impl List {
    fn run(self) -> Outcome {
        let all = self.place.tokens()?.list()?;
        let header = ["id", "principal", "scopes", "created", "expires", "kind"].map(str::to_owned);
        let cells = |known: &Known| {
            let expires = known.expires.map(literal::time_text).unwrap_or_default();
            let kind = if known.certificate { "certificate" } else { "token" };
            let created = literal::time_text(known.created);
            vec![
                known.id.clone(),
                known.principal.clone(),
                known.scopes.join(","),
                created,
                expires,
                kind.to_owned(),
            ]
        };
        let rows: Vec<Vec<String>> = all.iter().map(cells).collect();
        let object = |row: &Vec<String>| {
            let pairs = header.iter().cloned().zip(row.iter().map(|cell| json!(cell)));
            serde_json::Value::Object(pairs.collect())
        };
        match self.format {
            Format::Table if rows.is_empty() => output::note("there are no tokens"),
            Format::Table => output::out(self.format).lines(&output::table(&header, &rows))?,
            Format::Json => output::documents(rows.iter().map(object))?,
            Format::Jsonl | Format::Csv => output::lines(rows.iter().map(object))?,
        }
        Ok(DONE)
    }
}

impl Revoke {
    fn run(self) -> Outcome {
        if self.place.tokens()?.revoke(&self.id)? {
            return Ok(DONE);
        }
        output::error(&format!("unknown token `{}`; `hence token list` shows those that there are", self.id));
        Ok(NO)
    }
}
