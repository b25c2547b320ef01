//! `hence shard`: ledgers that hold one shard of partitioned facts each, made, fed and asked one after the other.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use clap::{Args, Subcommand};

use hence_core::fact::Fact;
use hence_core::literal::visible;
use hence_ledger::Shard;
use hence_session::RuleSet;
use hence_session::status::{FAULT, LIMIT, UNASKED, UNDETERMINED};

use super::change::{self, FactArguments, Put};
use super::diagnostics::count;
use super::options::FactOptions;
use super::{DONE, Failure, NO, Outcome, open, output, terminal};

/// Keep one ledger for each shard of the facts, and ask all of them
///
/// Rules whose inputs say `@partition(column)` decide in each shard by itself.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hence shard begin shards --count 4\n  \
    hence shard assert shards --facts runs.jsonl\n  hence shard run shards -- decide\n  \
    hence shard run shards -- replay --set lowest_score=0.3")]
pub(super) struct ShardCommand {
    #[command(subcommand)]
    command: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make a folder with an empty ledger for each shard
    Begin(Begin),
    /// Assert facts, each in its own shard, reference data in every one
    Assert(Route),
    /// Retract facts, each in its own shard, reference data in every one
    Retract(Route),
    /// Run a command on the ledger of each shard, one after the other; the exit status is the worst of theirs
    Run(Run),
}

#[derive(Debug, Args)]
struct Begin {
    /// The folder, new or empty
    dir: PathBuf,
    /// How many shards; that stays as it is
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    count: u32,
}

#[derive(Debug, Args)]
#[command(mut_arg("store", |arg| arg.hide(true)))] // each shard has its own
struct Route {
    /// The folder of the shards
    dir: PathBuf,
    #[command(flatten)]
    facts: FactArguments,
}

#[derive(Debug, Args)]
struct Run {
    /// The folder of the shards
    dir: PathBuf,
    /// The command with its options, such as `replay --set lowest_score=0.3`
    #[arg(required = true, last = true)]
    command: Vec<String>,
}

impl ShardCommand {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            Verb::Begin(begin) => begin.run(),
            Verb::Assert(route) => route.run(change::assert),
            Verb::Retract(route) => route.run(change::retract),
            Verb::Run(run) => run.run(),
        }
    }
}

impl Begin {
    fn run(self) -> Outcome {
        let shards = (1..=self.count).filter_map(|number| Shard::new(number, self.count));
        for shard in shards {
            let dir = self.dir.join(shard.number().to_string());
            shard.begin(&dir).map_err(open::failure)?;
            let store = FactOptions::of_store(Some(dir), None);
            open::show_notices(&open::ledger(&store, false)?.close());
        }
        let dir = self.dir.display().to_string();
        writeln!(terminal::text(), "{} in `{}`", count(self.count as usize, "empty shard"), visible(&dir))?;
        Ok(DONE)
    }
}

impl Route {
    /// Each shard is a ledger of its own: what is recorded in one stays, whatever becomes of the others.
    fn run(self, put: Put) -> Outcome {
        if self.facts.store().store.is_some() {
            let message = "--store names one ledger, but these facts go to all shards; omit it";
            return Err(Failure::Usage(String::from(message)));
        }
        let shards = shards(&self.dir)?;
        let (rules, facts) = self.facts.gather()?;
        shards.iter().try_for_each(|(shard, _)| rules.check_partitioned(*shard))?;
        let routed = routed(&rules, &shards, facts);
        for ((shard, dir), facts) in shards.iter().zip(routed.into_values()) {
            announce(*shard);
            let store = self.facts.store().clone().at(dir.clone());
            self.facts.record(&rules, facts, &store, put)?;
        }
        Ok(DONE)
    }
}

/// The facts of each shard, by its number.
fn routed(rules: &RuleSet, shards: &[(Shard, PathBuf)], facts: Vec<Fact>) -> BTreeMap<u32, Vec<Fact>> {
    let mut routed: BTreeMap<u32, Vec<Fact>> =
        shards.iter().map(|(shard, _)| (shard.number(), Vec::new())).collect();
    for fact in facts {
        match (rules.partition_of(&fact), shards.first()) {
            (Some(value), Some((any, _))) => routed.entry(any.of(value).number()).or_default().push(fact),
            _ => routed.values_mut().for_each(|facts| facts.push(fact.clone())),
        }
    }
    routed
}

impl Run {
    fn run(self) -> Outcome {
        let named = |arg: &&String| *arg == "--store" || arg.starts_with("--store=");
        if let Some(store) = self.command.iter().find(named) {
            let message = format!("`{store}` names one ledger, but the command runs on all shards; omit it");
            return Err(Failure::Usage(message));
        }
        let hence = std::env::current_exe()
            .map_err(|error| Failure::Usage(format!("hence can't find itself: {error}")))?;
        let mut worst = DONE;
        for (shard, dir) in shards(&self.dir)? {
            announce(shard);
            terminal::finish()?;
            let status = Command::new(&hence)
                .args(&self.command)
                .env("HENCE_STORE", &dir)
                .status()
                .map_err(|error| Failure::Usage(format!("hence can't run for shard {shard}: {error}")))?;
            worst = worse(worst, told(status));
        }
        Ok(worst)
    }
}

fn announce(shard: Shard) {
    output::aside(&format!("shard {} of {}", shard.number(), shard.count()));
}

/// The status of a process; that of a fault where it was killed.
fn told(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(FAULT)
}

/// The status that says more of what went wrong.
fn worse(one: u8, other: u8) -> u8 {
    let order = [DONE, NO, UNDETERMINED, LIMIT, UNASKED, FAULT];
    let place = |status: u8| order.iter().position(|known| *known == status).unwrap_or(order.len());
    if place(other) > place(one) { other } else { one }
}

/// All shards in a folder, in their order.
fn shards(dir: &Path) -> Result<Vec<(Shard, PathBuf)>, Failure> {
    let missing = |number: u32| {
        Failure::Usage(format!(
            "`{}` holds no shard {number}; `hence shard begin {} --count N` makes them",
            dir.display(),
            dir.display()
        ))
    };
    let of = |number: u32| -> Result<_, Failure> {
        let path = dir.join(number.to_string());
        Ok(Shard::read(&path).map_err(open::failure)?.map(|shard| (shard, path)))
    };
    let Some((first, _)) = of(1)? else { return Err(missing(1)) };
    let numbers = 1..=first.count();
    numbers
        .map(|number| match of(number)? {
            Some((shard, path)) if Some(shard) == Shard::new(number, first.count()) => Ok((shard, path)),
            Some((shard, path)) => Err(Failure::Usage(format!("`{}` holds shard {shard}", path.display()))),
            None => Err(missing(number)),
        })
        .collect()
}
