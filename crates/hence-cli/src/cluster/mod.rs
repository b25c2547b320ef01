//! `hence cluster`: decisions whose facts are derived by workers in several processes.
//!
//! - `hosts`: the file that names the processes, and the secret that they know
//! - `sent`: rules on their way to another process
//! - `parts`: facts that lie with the workers

mod hosts;
mod parts;
mod sent;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, Subcommand};

use hence_core::diagnostic::Diagnostic;
use hence_dataflow::{Cluster, Dataflow, Error, Unable, Workers};
use hence_session::{Faults, RuleSet, Session, SessionError};

use super::decide::{Decide, Given};
use super::{DONE, Failure, Outcome, keys, output, terminal};

/// Decide with workers in several processes
///
/// The first process keeps the ledger; the others need neither rules nor facts, or have a part of the facts.
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
    /// Make a secret for the processes of a cluster, in a new file that only its owner reads
    Key {
        /// The file
        file: PathBuf,
    },
}

#[derive(Debug, Args)]
#[command(mut_args(of_run))]
struct Run {
    /// A TOML file: `hosts`, the address of each process, this one first, `threads` of each, and `secret`, the file of
    /// what all of them know; the same for all
    #[arg(long, value_name = "FILE")]
    hosts: PathBuf,
    #[command(flatten)]
    below: parts::Below,
    #[command(flatten)]
    part: parts::Part,
    #[command(flatten)]
    decide: Decide,
}

#[derive(Debug, Args)]
struct Join {
    /// A TOML file: `hosts`, the address of each process, `threads` of each, and `secret`, the file of what all of them
    /// know; the same for all
    #[arg(long, value_name = "FILE")]
    hosts: PathBuf,
    /// Which of the hosts this process is, from 2
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..))]
    number: u16,
    #[command(flatten)]
    part: parts::Part,
    /// The maximum memory of this process, in MiB, if the first one doesn't say less [default: half of the machine]
    #[arg(long, value_name = "MIB", value_parser = super::options::limit)]
    max_memory: Option<u64>,
}

/// The workers derive, whatever engine there is.
fn of_run(arg: clap::Arg) -> clap::Arg {
    if arg.get_id() == "engine" || arg.get_id() == "threads" { arg.hide(true) } else { arg }
}

impl ClusterCommand {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            Verb::Run(run) => run.run(),
            Verb::Join(join) => join.run(),
            Verb::Key { file } => {
                keys::create(&file)?;
                let shown = file.display();
                terminal::text()
                    .lines(&format!("the secret of a cluster is in `{shown}`: copy it to each machine"))?;
                Ok(DONE)
            }
        }
    }
}

impl Run {
    fn run(self: Box<Self>) -> Outcome {
        if self.decide.names_engine() {
            let message = "--engine names what evaluates in this process, but workers do; omit it";
            return Err(Failure::Usage(String::from(message)));
        }
        let Self { hosts, below, part, decide } = *self;
        let workers = Workers { memory: decide.named_memory(), ..hosts::workers(&hosts, 0)? };
        if below.is_named() {
            return decide.run_by(|session, beginning| {
                let given = below.given(&part, &session, workers, beginning)?;
                Ok((session, given))
            });
        }
        part.check_unnamed()?;
        let mut cluster = None;
        let outcome = decide.run_by(|session, _| {
            let (session, own) = begin(session, workers)?;
            cluster = Some(own);
            Ok((session, Given::default()))
        });
        match (cluster.map_or(Ok(()), Cluster::end), outcome) {
            (Err(error), Err(_)) => Err(ended(&error)),
            (_, outcome) => outcome,
        }
    }
}

/// What is said where workers ended, and nothing of a transaction is recorded.
fn ended(error: &Error) -> Failure {
    let message = format!("{error}; nothing of this transaction is recorded");
    match error {
        Error::Memory { .. } | Error::Other { why: Unable { is_limit: true, .. }, .. } => {
            Failure::Limit(message)
        }
        _ => Failure::Usage(message),
    }
}

/// The session whose facts workers derive.
fn begin(session: Session, workers: Workers) -> Result<(Session, Cluster), Failure> {
    let rules = session.rules();
    waiting(&workers);
    let (text, limits) = (sent::text(rules, false)?, session.limits());
    let (engine, cluster) =
        Dataflow::start(rules.program.clone(), &text, workers, &limits).map_err(|error| ended(&error))?;
    Ok((session.with_engine(Box::new(engine)), cluster))
}

/// Says for whom this process waits.
fn waiting(workers: &Workers) {
    let others = workers.hosts.len().saturating_sub(1);
    let whom = match others {
        0 => return,
        1 => String::from("1 other process"),
        _ => format!("{others} other processes"),
    };
    output::aside(&format!("waiting for {whom} to join"));
}

fn faults(rules: &RuleSet, diagnostics: Vec<Diagnostic>) -> Failure {
    let sources = rules.sources.clone();
    Failure::Session(SessionError::Faults(Box::new(Faults { sources, diagnostics })))
}

impl Join {
    fn run(self) -> Outcome {
        let workers = hosts::workers(&self.hosts, usize::from(self.number) - 1)?;
        let (part, faults) = (self.part, Arc::new(Mutex::new(None)));
        let noted = Arc::clone(&faults);
        let joined = hence_dataflow::join(&workers, move |text| {
            let read = sent::read(text).and_then(|read| part.joined(read));
            read.map_err(|failure| {
                let unable = Unable { why: failure.said(), is_limit: failure.is_limit() };
                *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
                unable
            })
        });
        let fault = faults.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (joined, fault) {
            (Ok(()), _) => Ok(DONE),
            (Err(_), Some(failure)) => Err(failure),
            (Err(Error::Lost(_)), None) => Err(Failure::Usage(String::from(
                "the connection to another process was lost; start all processes again, the ledger holds what was recorded",
            ))),
            (Err(error @ Error::Memory { .. }), None) => Err(Failure::Limit(error.to_string())),
            (Err(other), None) => Err(Failure::Usage(other.to_string())),
        }
    }
}
