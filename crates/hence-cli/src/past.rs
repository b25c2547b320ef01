//! What questions are asked of: facts and rules of now, or of a moment of the ledger, under what it recorded.

use clap::Args;
use serde_json::{Value as Json, json};

use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{Ledger, TxInfo, When};
use hence_session::{RuleSet, Session, SessionError};

use super::options::{EngineOptions, FactOptions, moment};
use super::rules::RuleOptions;
use super::{Failure, config, open, output, time};

/// What every question needs: rules, facts, an engine.
#[derive(Debug, Args)]
pub(super) struct Subject {
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    /// As of a past moment, with the rules, parameters and clock of that time: the number of a transaction, or
    /// a time
    #[arg(long, value_name = "TX|TIME", value_parser = moment, allow_negative_numbers = true)]
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

/// How a ledger is asked: what the command line says of rules, facts and engine.
pub(super) struct Past<'a> {
    pub(super) rules: &'a RuleOptions,
    pub(super) facts: &'a FactOptions,
    pub(super) engine: &'a EngineOptions,
}

impl Subject {
    /// A session over the fact files named, else over the ledger, as it is or as it was.
    pub(super) fn session(&self) -> Result<Asking, Failure> {
        let Some(moment) = self.as_of else {
            let session = open::for_reading(&self.rules, &self.facts, &self.engine)?;
            return Ok(Asking { session, now: self.facts.now(), as_of: None });
        };
        self.refuse_files("--as-of needs a ledger")?;
        self.past().asking(moment)
    }

    /// The same, with a line on the warnings of the rules, for those who write these.
    pub(super) fn linted(&self) -> Result<Asking, Failure> {
        let asking = self.session()?;
        if self.as_of.is_none() || self.rules.is_named() {
            open::lints(asking.session.rules(), &self.rules);
        }
        Ok(asking)
    }

    /// A session over the ledger as it is, by the rules of now.
    pub(super) fn today(&self) -> Result<Asking, Failure> {
        let session = open::quietly(&self.rules, &self.facts, &self.engine)?;
        Ok(Asking { session, now: self.facts.now(), as_of: None })
    }

    /// A session that knows the rules of a transaction, and whether the command line names others.
    pub(super) fn of_transaction(&self, tx: u64) -> Result<(Asking, bool), Failure> {
        self.refuse_files("ids of decisions belong to a ledger")?;
        let past = self.past();
        let ledger = past.ledger("")?;
        let info = ledger.info(tx).map_err(open::failure)?;
        let chosen = past.choose(&ledger, When::Tx(tx))?;
        let now = info.clock.unwrap_or(info.time);
        output::note(&chosen.description(Some(tx), now));
        let (as_of, otherwise) = (Some(chosen.json(tx, now)), chosen.otherwise);
        Ok((Asking { session: past.equip(chosen, ledger)?, now, as_of }, otherwise))
    }

    /// The ledger.
    #[cfg(feature = "gate")]
    pub(super) fn ledger(&self) -> Result<Ledger, Failure> {
        self.refuse_files("calls belong to a ledger")?;
        self.past().ledger("")
    }

    fn past(&self) -> Past<'_> {
        Past { rules: &self.rules, facts: &self.facts, engine: &self.engine }
    }

    fn refuse_files(&self, why: &str) -> Result<(), Failure> {
        if self.facts.files().is_empty() {
            return Ok(());
        }
        Err(Failure::Usage(format!("{why}, but --facts names files")))
    }
}

impl Past<'_> {
    /// A session over the ledger as it was at a moment, by the rules, the parameters and the clock of then, and says
    /// so.
    pub(super) fn asking(&self, moment: When) -> Result<Asking, Failure> {
        let ledger = self.ledger("")?;
        refuse_future(&ledger, moment, "--now sets only the clock")?;
        let tx = ledger.tx_when(moment).map_err(open::failure)?;
        let chosen = self.choose(&ledger, moment)?.since(&ledger, moment, &self.rules.sets)?;
        let now = self.clock(&ledger, moment)?;
        let help = if chosen.otherwise { "" } else { "; --rules, --set and --now override them" };
        output::note(&format!("{}{help}", chosen.description(Some(tx), now)));
        let as_of = Some(chosen.json(tx, now));
        let session = self.equip(chosen, ledger)?.with_as_of(moment);
        Ok(Asking { session, now, as_of })
    }

    /// A session over the ledger as it is, by the rules, the parameters and the clock of its last decisions, and says
    /// so.
    pub(super) fn last(&self) -> Result<Asking, Failure> {
        let ledger = self.ledger(open::GIVE_FACTS)?;
        let chosen = self.choose(&ledger, When::Now)?.since(&ledger, When::Now, &self.rules.sets)?;
        let last = ledger.last_where(|info| info.clock.is_some()).map_err(open::failure)?;
        let now = last.and_then(|info| info.clock).unwrap_or_else(time::wall_clock);
        output::note(&chosen.description(None, now));
        let session = self.equip(chosen, ledger)?;
        if self.rules.packs.is_empty() {
            open::warn_of_undeclared(&session)?;
        }
        Ok(Asking { session, now, as_of: None })
    }

    fn ledger(&self, help: &str) -> Result<Ledger, Failure> {
        self.facts.existing_store(help)?;
        open::ledger_beside(self.facts, true)
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
        chosen.rules.check_shard(&ledger)?;
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

/// Refuses a time of which nobody can know yet what will be recorded by then.
pub(super) fn refuse_future(ledger: &Ledger, moment: When, help: &str) -> Result<(), Failure> {
    let When::Time(asked) = moment else { return Ok(()) };
    let last = ledger.status().map_err(open::failure)?;
    if asked <= last.time.unwrap_or(i64::MIN).max(time::wall_clock()) {
        return Ok(());
    }
    let known = match last.time {
        Some(time) => {
            format!("the last transaction is {} at {}", last.transactions, literal::time_text(time))
        }
        None => String::from("the ledger has no transaction"),
    };
    let asked = literal::time_text(asked);
    Err(Failure::Usage(format!("{asked} is in the future: {known}; {help}")))
}

impl Chosen {
    /// The same under the parameters that were recorded by `moment`. Recorded rules hold those of their transaction:
    /// what changed after it counts.
    fn since(mut self, ledger: &Ledger, moment: When, sets: &[(Symbol, Value)]) -> Result<Self, Failure> {
        let mut recorded = hence_session::recorded_params(ledger, moment)?;
        if let Some(info) = &self.recorded {
            let gone = hence_session::recorded_params(ledger, When::Tx(info.tx))?;
            let gone = gone.into_iter().filter(|old| recorded.iter().all(|param| param.name != old.name));
            let gone: Vec<Symbol> = gone.map(|old| old.name).collect();
            recorded.retain(|param| param.tx > info.tx);
            self.rules = without(self.rules, &gone, sets)?;
        }
        self.rules = self.rules.under_recorded(&recorded, sets)?;
        Ok(self)
    }

    /// By which rules and at which clock a moment is asked, in words; without a transaction, how things stand.
    fn description(&self, tx: Option<u64>, now: i64) -> String {
        let moment = match tx {
            None => String::from("as of now"),
            Some(0) => String::from("as of before the first transaction"),
            Some(tx) => format!("as of transaction {tx}"),
        };
        let rules = match &self.recorded {
            Some(info) if Some(info.tx) == tx => String::from("the rules that it recorded"),
            Some(info) => format!("the rules that transaction {} recorded", info.tx),
            None if self.named => String::from("the given rules"),
            None if tx.is_none() => String::from("the current rules, since none were recorded"),
            None => String::from("the current rules, since none were recorded by then"),
        };
        let set: Vec<String> =
            self.parameters().into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let with = if set.is_empty() { String::new() } else { format!(", with {}", set.join(", ")) };
        format!("{moment}, under {rules}{with}, at {}", literal::time_text(now))
    }

    /// The parameters that are not as the rules declare them.
    fn parameters(&self) -> Vec<(String, String)> {
        self.rules.recorded().params().to_vec()
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

/// Rules whose parameters of these names are as settings have them, else as declared, unless `sets` gives them a value.
fn without(rules: RuleSet, names: &[Symbol], sets: &[(Symbol, Value)]) -> Result<RuleSet, Failure> {
    let configured = config::get().params();
    let is_gone = |name: &Symbol| names.contains(name) && sets.iter().all(|(set, _)| set != name);
    let params = rules.program.params.iter().filter(|param| is_gone(&param.name));
    let value = |name: Symbol| configured.iter().find(|(set, _)| *set == name).map(|(_, value)| *value);
    let values: Vec<_> =
        params.map(|param| (param.name, value(param.name).unwrap_or(param.default))).collect();
    if values.is_empty() { Ok(rules) } else { Ok(rules.with_sets(&values).map_err(SessionError::Faults)?) }
}
