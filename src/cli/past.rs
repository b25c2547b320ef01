//! What questions are asked of: facts and rules of now, or of a moment of the ledger, under what it recorded.

use clap::Args;
use serde_json::{Value as Json, json};

use hence::session::{RuleSet, Session, SessionError};
use hence_core::literal;
use hence_ledger::{Ledger, TxInfo, When};

use super::options::{EngineOptions, FactOptions, moment};
use super::rules::RuleOptions;
use super::{Failure, open, output, time};

/// What every question needs: rules, facts, an engine.
#[derive(Debug, Args)]
pub(super) struct Subject {
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    /// Ask of a moment in the past, by the rules, the parameters and the clock of then: the number of a transaction, or
    /// a time
    #[arg(long, value_name = "TX|TIME", value_parser = moment)]
    as_of: Option<When>,
    #[command(flatten)]
    engine: EngineOptions,
}

/// A session that reads, and how it is asked.
pub(super) struct Asking {
    pub(super) session: Session,
    /// The clock of its questions.
    pub(super) now: i64,
    /// The moment that is asked, for machine formats; none where it is now.
    pub(super) as_of: Option<Json>,
}

/// The rules that a question of the past is asked by.
struct Chosen {
    rules: RuleSet,
    /// The transaction that recorded them.
    recorded: Option<TxInfo>,
    /// Whether the command line names them.
    named: bool,
    /// Whether they are not those that are recorded.
    otherwise: bool,
}

impl Subject {
    /// A session over the fact files named, else over the ledger, as it is or as it was.
    pub(super) fn session(&self) -> Result<Asking, Failure> {
        let Some(moment) = self.as_of else {
            let session = open::for_reading(&self.rules, &self.facts, &self.engine)?;
            return Ok(Asking { session, now: self.facts.now(), as_of: None });
        };
        let ledger = self.ledger("--as-of asks a ledger")?;
        let chosen = self.choose(&ledger, moment)?;
        let now = self.clock(&ledger, moment)?;
        let tx = match moment {
            When::Now => ledger.last_tx(),
            When::Tx(tx) => tx,
            When::Time(time) => ledger.tx_at(time).map_err(open::failure)?,
        };
        let help = if chosen.otherwise { "" } else { "; --rules, --set and --now ask otherwise" };
        output::note(&format!("{}{help}", chosen.told(tx, now)));
        let as_of = Some(chosen.json(tx, now));
        let session = self.equip(chosen, ledger)?.with_as_of(moment);
        Ok(Asking { session, now, as_of })
    }

    /// A session that knows the rules of a transaction, and whether the command line names others.
    pub(super) fn of_transaction(&self, tx: u64) -> Result<(Asking, bool), Failure> {
        let ledger = self.ledger("ids of decisions belong to a ledger")?;
        let moment = When::Tx(tx);
        let chosen = self.choose(&ledger, moment)?;
        let info = ledger.info(tx).map_err(open::failure)?;
        let now = info.clock.unwrap_or(info.time);
        output::note(&chosen.told(tx, now));
        let (as_of, otherwise) = (Some(chosen.json(tx, now)), chosen.otherwise);
        Ok((Asking { session: self.equip(chosen, ledger)?, now, as_of }, otherwise))
    }

    fn ledger(&self, why: &str) -> Result<Ledger, Failure> {
        if !self.facts.files().is_empty() {
            return Err(Failure::Usage(format!("{why}, and --facts names files")));
        }
        self.facts.existing_store()?;
        open::ledger(&self.facts, true)
    }

    fn choose(&self, ledger: &Ledger, moment: When) -> Result<Chosen, Failure> {
        let sets = &self.rules.sets;
        let named = self.rules.is_named();
        let recorded = if named { None } else { Session::rules_at(ledger, moment)? };
        if let Some((info, rules)) = recorded {
            let rules = rules.with_sets(sets).map_err(SessionError::Faults)?;
            return Ok(Chosen { rules, recorded: Some(info), named, otherwise: !sets.is_empty() });
        }
        let rules = self.rules.source().build()?;
        open::lints(&rules, &self.rules);
        Ok(Chosen { rules, recorded: None, named, otherwise: true })
    }

    /// The clock of a moment, unless the command line sets one.
    fn clock(&self, ledger: &Ledger, moment: When) -> Result<i64, Failure> {
        Ok(match (self.facts.now, moment) {
            (Some(now), _) => now,
            (None, When::Time(time)) => time,
            (None, When::Tx(tx)) if tx > 0 => {
                let info = ledger.info(tx).map_err(open::failure)?;
                info.clock.unwrap_or(info.time)
            }
            (None, _) => time::wall_clock(),
        })
    }

    fn equip(&self, chosen: Chosen, ledger: Ledger) -> Result<Session, Failure> {
        let run = chosen.recorded.and_then(|info| info.run);
        let lenient = match run {
            Some(run) if !self.engine.lenient => run.lenient,
            _ => self.engine.lenient()?,
        };
        Ok(Session::over_ledger(chosen.rules, ledger)
            .with_engine(self.engine.engine())
            .with_limits(self.engine.limits())
            .with_lenient(lenient))
    }
}

impl Chosen {
    /// By which rules and at which clock a moment is asked, in words.
    fn told(&self, tx: u64, now: i64) -> String {
        let rules = match &self.recorded {
            Some(info) if info.tx == tx => String::from("the rules that it recorded"),
            Some(info) => format!("the rules that transaction {} recorded", info.tx),
            None if self.named => String::from("the rules that are named"),
            None => String::from("the rules of now, since none were recorded by then"),
        };
        let set: Vec<String> =
            self.parameters().into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let with = if set.is_empty() { String::new() } else { format!(", with {}", set.join(", ")) };
        format!("as of transaction {tx}, by {rules}{with}, at {}", literal::time_text(now))
    }

    /// The parameters that are not as the rules declare them.
    fn parameters(&self) -> Vec<(String, String)> {
        self.rules.recorded().params
    }

    fn json(&self, tx: u64, now: i64) -> Json {
        let parameters = self.parameters().into_iter().map(|(name, value)| (name, Json::from(value)));
        json!({
            "transaction": tx,
            "rules": self.rules.recorded().hash().to_string(),
            "recorded_by": self.recorded.as_ref().filter(|_| !self.otherwise).map(|info| info.tx),
            "parameters": Json::Object(parameters.collect()),
            "clock": literal::time_text(now),
        })
    }
}
