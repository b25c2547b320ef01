//! `hence principal sign`: a fact as a line that names who says it, with their signature for one place in the ledger.

use std::io::Write;

use clap::Args;

use hence_core::fact::Fact;
use hence_core::json;
use hence_ledger::{Draft, Ed25519Signature, Keys, Ledger, Said, fact_message};

use super::super::keys::KeyFiles;
use super::super::options::{FactOptions, RuleOptions};
use super::super::{DONE, Failure, Outcome, config, open, terminal, time};
use super::principals;

/// Sign a fact for somebody else to bring
///
/// The line that is printed may be brought as the next transaction, by anybody who writes to the ledger, in `hence decide
/// --follow`. After another transaction it is signed again.
#[derive(Debug, Args)]
#[command(after_help = "Example: hence principal sign 'review(id: \"r1\", approved: true)' --as ada")]
pub(super) struct Sign {
    /// The fact, written as for `hence assert`
    fact: String,
    /// Who says it [default: the system user]
    #[arg(long = "as", value_name = "AUTHOR")]
    author: Option<String>,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
}

impl Sign {
    pub(super) fn run(self) -> Outcome {
        let rules = self.rules.source().build()?;
        let author = config::get().author(self.author.as_deref())?;
        self.facts.existing_store("")?;
        let ledger = open::ledger(&self.facts, true)?;
        let fact = hence_session::read_fact(&open::reading_for(&rules, &author), &self.fact)?;
        let mut stamped = [fact];
        rules.stamp(&mut stamped, time::wall_clock());
        let [fact] = stamped;
        let said = Said { fact: fact.clone(), author, signature: None };
        let mut draft = Draft { assertions: vec![fact.clone()], said: vec![said], ..Draft::default() };
        hence_session::fit_draft(&rules, &ledger, &mut draft)?;
        for Said { fact: recorded, author, .. } in &draft.said {
            let signature = signature(&ledger, author, recorded)?;
            writeln!(terminal::text(), "{}", line(author, signature, &fact))?;
        }
        Ok(DONE)
    }
}

fn signature(ledger: &Ledger, author: &str, fact: &Fact) -> Result<Ed25519Signature, Failure> {
    let principals = principals(ledger)?;
    let message = match (principals.demand_signatures(), KeyFiles.key(author).map_err(Failure::Usage)?) {
        (false, _) => String::from("this ledger demands no signatures: authors are believed"),
        (true, None) => format!("there is no key of `{author}` here"),
        (true, Some(key)) if principals.keys(author, ledger.last_tx()).contains(&key.public()) => {
            return Ok(key.sign(&fact_message(ledger.head(), author, fact)));
        }
        (true, Some(key)) => {
            format!("the key of `{author}` here, {}, is not the one in the ledger", key.public())
        }
    };
    Err(Failure::Usage(message))
}

fn line(author: &str, signature: Ed25519Signature, fact: &Fact) -> String {
    let (author, fact) = (serde_json::Value::from(author), json::line(fact));
    let fact = fact.strip_prefix('{').unwrap_or(&fact);
    format!("{{\"as\": {author}, \"signature\": \"{signature}\", {fact}")
}
