//! `hence cluster`: decisions whose facts are derived by workers in several processes.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};

use hence::session::{RuleSet, Session};
use hence_core::literal::visible;
use hence_dataflow::{Cluster, Dataflow, Error, Workers};
use hence_ledger as ledger;

use super::decide::Decide;
use super::diagnostics::count;
use super::{DONE, Failure, Outcome, output};

/// Decide with workers in several processes
///
/// The first process keeps the ledger; the others need neither rules nor facts.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hence cluster join --hosts hosts.toml --number 2\n  \
    hence cluster run --hosts hosts.toml --facts facts.jsonl")]
pub(super) struct ClusterCommand {
    #[command(subcommand)]
    command: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Decide as `hence decide` does, once all other processes have joined
    Run(Box<Run>),
    /// Work for the first process until it ends
    Join(Join),
}

#[derive(Debug, Args)]
#[command(mut_args(of_run))]
struct Run {
    /// A TOML file: `hosts`, the address of each process, this one first, and `threads` of each; the same for all
    #[arg(long, value_name = "FILE")]
    hosts: PathBuf,
    #[command(flatten)]
    decide: Decide,
}

#[derive(Debug, Args)]
struct Join {
    /// A TOML file: `hosts`, the address of each process, and `threads` of each; the same for all
    #[arg(long, value_name = "FILE")]
    hosts: PathBuf,
    /// Which of the hosts this process is, from 2
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..))]
    number: u16,
}

/// The workers derive, whatever engine there is.
fn of_run(arg: clap::Arg) -> clap::Arg {
    if arg.get_id() == "engine" || arg.get_id() == "threads" { arg.hide(true) } else { arg }
}

/// What stands in the file of hosts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hosts {
    hosts: Vec<String>,
    #[serde(default = "one")]
    threads: usize,
}

fn one() -> usize {
    1
}

impl ClusterCommand {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            Verb::Run(run) => run.run(),
            Verb::Join(join) => join.run(),
        }
    }
}

impl Run {
    fn run(self: Box<Self>) -> Outcome {
        let workers = workers(&self.hosts, 0)?;
        if self.decide.names_engine() {
            let message = "--engine names what evaluates in this process, but workers do; omit it";
            return Err(Failure::Usage(String::from(message)));
        }
        let mut cluster = None;
        let outcome = self.decide.run_by(|session| {
            let (session, own) = begin(session, workers)?;
            cluster = Some(own);
            Ok(session)
        });
        match (cluster.map_or(Ok(()), Cluster::end), outcome) {
            (Err(error), Err(_)) => {
                Err(Failure::Usage(format!("{error}; nothing of this transaction is recorded")))
            }
            (_, outcome) => outcome,
        }
    }
}

/// The session whose facts workers derive.
fn begin(session: Session, workers: Workers) -> Result<(Session, Cluster), Failure> {
    let rules = session.rules();
    if let Some(refused) = hence_dataflow::refuse(&rules.program).first() {
        let place = rules.sources.place(refused.span);
        return Err(Failure::Usage(format!("{place}: workers can't evaluate this: {}", refused.why)));
    }
    let others = workers.hosts.len().saturating_sub(1);
    if others > 0 {
        output::aside(&format!("waiting for {} to join", count(others, "other process")));
    }
    let (engine, cluster) = Dataflow::start(rules.program.clone(), &sent(rules)?, workers, &session.limits());
    Ok((session.with_engine(Box::new(engine)), cluster))
}

impl Join {
    fn run(self) -> Outcome {
        let workers = workers(&self.hosts, usize::from(self.number) - 1)?;
        hence_dataflow::join(&workers, read).map_err(|error| match error {
            Error::Lost(_) => Failure::Usage(String::from(
                "the connection to another process was lost; start all processes again, the ledger holds what was recorded",
            )),
            other => Failure::Usage(other.to_string()),
        })?;
        Ok(DONE)
    }
}

fn workers(path: &Path, process: usize) -> Result<Workers, Failure> {
    let shown = visible(&path.display().to_string()).to_string();
    let wrong = |why: String| Failure::Usage(format!("`{shown}`: {why}"));
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let Hosts { hosts, threads } =
        toml::from_str(&text).map_err(|error| wrong(error.message().to_owned()))?;
    if hosts.is_empty() || process >= hosts.len() {
        return Err(wrong(format!(
            "it names {}; `hosts` has an address for each process",
            count(hosts.len(), "host")
        )));
    }
    if !(1..=MOST_THREADS).contains(&threads) {
        return Err(wrong(format!("`threads` is from 1 to {MOST_THREADS}")));
    }
    Ok(Workers { threads, process, hosts })
}

/// The most threads of a process.
const MOST_THREADS: usize = 256;

/// Rules on their way to another process.
#[derive(Serialize, Deserialize)]
struct Sent {
    files: Vec<(String, String)>,
    params: Vec<(String, String)>,
    /// What they mean, so that another version of hence that reads them otherwise is found out.
    program: String,
}

fn sent(rules: &RuleSet) -> Result<String, Failure> {
    let recorded = rules.recorded();
    let sent = Sent {
        files: recorded.files().to_vec(),
        params: recorded.params().to_vec(),
        program: rules.program.to_string(),
    };
    serde_json::to_string(&sent).map_err(|error| Failure::Usage(error.to_string()))
}

fn read(text: &str) -> Result<hence_lang::ir::Program, String> {
    let Sent { files, params, program } = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let rules = RuleSet::from_recorded(&ledger::RecordedRules::new(files, params))
        .map_err(|error| error.to_string())?;
    if rules.program.to_string() != program {
        return Err(String::from("this hence reads them otherwise; run the same version in all processes"));
    }
    Ok(rules.program)
}
