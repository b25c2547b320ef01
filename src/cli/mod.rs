//! The command line: one file a subcommand, rendering beside them.

mod ask;
mod audit;
mod bench;
mod carry;
mod change;
mod check;
mod compile;
mod completions;
mod config;
mod decide;
mod diagnostics;
mod doc;
mod explain;
mod export;
mod fmt;
mod follow;
mod history;
mod init;
mod keep;
mod live;
mod observe;
mod open;
mod options;
mod output;
mod pack;
mod progress;
mod repl;
mod replay;
mod review;
mod sarif;
mod test;
mod time;
mod what_if;

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::session::SessionError;

/// Done.
const DONE: u8 = 0;
/// The answer is no.
const NO: u8 = 1;
/// The question could not be put.
const UNASKED: u8 = 2;
/// A limit was reached.
const LIMIT: u8 = 3;
/// A decision is undetermined.
const UNDETERMINED: u8 = 4;

/// Rules in, decisions with reasons out.
#[derive(Debug, Parser)]
#[command(name = "hence", version, about, long_about = None, max_term_width = 100)]
#[command(after_help = "Exit status: 0 done; 1 the answer is no; 2 the question could not be put; \
    3 a limit was reached; 4 a decision is undetermined.\n\n\
    Example: hence decide --facts facts/agent_week.jsonl")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::Init),
    Check(check::Check),
    Explain(explain::Explain),
    Compile(compile::Compile),
    Fmt(fmt::Fmt),
    Doc(doc::Doc),
    Repl(repl::Repl),
    Query(ask::Query),
    Derive(ask::Derive),
    Decide(decide::Decide),
    Why(ask::Why),
    WhyNot(audit::WhyNot),
    WhatIf(what_if::WhatIf),
    Replay(replay::Replay),
    CheckProof(audit::CheckProof),
    Assert(change::Assert),
    Retract(change::Retract),
    History(history::History),
    Log(history::Log),
    Facts(history::Facts),
    Status(keep::Status),
    Verify(keep::Verify),
    Rebuild(keep::Rebuild),
    Export(export::Export),
    Import(keep::Import),
    Compact(keep::Compact),
    Observe(observe::Observe),
    Review(review::Review),
    Pack(pack::Pack),
    Test(test::Test),
    Bench(bench::Bench),
    Config(config::Show),
    Completions(completions::Completions),
}

/// What a command says to the shell.
type Outcome = Result<u8, Failure>;

/// Why a command could not do its work.
#[derive(Debug)]
enum Failure {
    /// From the session.
    Session(SessionError),
    /// The command's arguments ask for something that can't be.
    Usage(String),
    /// Results could not be written.
    Output(io::Error),
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Runs the command that the arguments name.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { UNASKED } else { DONE });
        }
    };
    match config::load().and_then(|()| dispatch(cli.command)) {
        Ok(status) => ExitCode::from(status),
        Err(failure) => ExitCode::from(explain(&failure)),
    }
}

fn dispatch(command: Command) -> Outcome {
    match command {
        Command::Init(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::Compile(command) => command.run(),
        Command::Fmt(command) => command.run(),
        Command::Doc(command) => command.run(),
        Command::Repl(command) => command.run(),
        Command::Query(command) => command.run(),
        Command::Derive(command) => command.run(),
        Command::Decide(command) => command.run(),
        Command::Why(command) => command.run(),
        Command::WhyNot(command) => command.run(),
        Command::WhatIf(command) => command.run(),
        Command::Replay(command) => command.run(),
        Command::CheckProof(command) => command.run(),
        Command::History(command) => command.run(),
        Command::Log(command) => command.run(),
        Command::Facts(command) => command.run(),
        Command::Status(command) => command.run(),
        Command::Verify(command) => command.run(),
        Command::Rebuild(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::Import(command) => command.run(),
        Command::Compact(command) => command.run(),
        Command::Assert(command) => command.run(),
        Command::Retract(command) => command.run(),
        Command::Observe(command) => command.run(),
        Command::Review(command) => command.run(),
        Command::Pack(command) => command.run(),
        Command::Test(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Config(command) => command.run(),
        Command::Completions(command) => command.run(&mut Cli::command()),
    }
}

/// Says on standard error what went wrong, and gives the exit status.
fn explain(failure: &Failure) -> u8 {
    match failure {
        Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => DONE,
        Failure::Output(error) => {
            output::error(&format!("the result could not be written: {error}"));
            UNASKED
        }
        Failure::Usage(message) => {
            output::error(message);
            UNASKED
        }
        Failure::Session(SessionError::Faults(faults)) => {
            diagnostics::print(faults);
            UNASKED
        }
        Failure::Session(error) if error.is_limit() => {
            output::error(&error.to_string());
            LIMIT
        }
        Failure::Session(error) => {
            output::error(&error.to_string());
            UNASKED
        }
    }
}
