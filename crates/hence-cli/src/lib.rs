//! The command line: one file a subcommand, rendering beside them.

mod arguments;
mod ask;
mod audit;
mod backup;
mod bench;
mod carry;
mod change;
mod change_line;
#[cfg(feature = "scan")]
mod changes;
mod check;
mod check_proof;
#[cfg(feature = "dataflow")]
mod cluster;
mod compile;
mod completions;
mod config;
mod decide;
mod decisions;
mod diagnostics;
mod doc;
mod due;
mod effects;
mod erase;
mod explain;
mod export;
mod features;
mod flips;
mod fmt;
mod follow;
#[cfg(feature = "gate")]
mod gate;
mod head;
mod help;
mod history;
#[cfg(feature = "server")]
mod http;
mod idle;
mod init;
mod keep;
mod keys;
mod lines;
mod live;
mod logs;
#[cfg(all(unix, feature = "server"))]
mod mcp;
#[cfg(any(feature = "gate", feature = "server"))]
mod messages;
mod migrate;
mod observe;
mod open;
mod options;
mod output;
mod owner;
mod pack;
mod param;
mod past;
mod principal;
mod progress;
mod receipt;
mod records;
mod repl;
mod replay;
mod report;
mod review;
mod room;
mod rules;
mod said;
mod sarif;
#[cfg(any(feature = "gate", feature = "server"))]
mod secrets;
mod serve;
mod shard;
mod speaker;
mod step;
mod terminal;
mod test;
mod time;
#[cfg(feature = "server")]
mod token;
mod told;
#[cfg(feature = "otel")]
mod traces;
mod verify;
mod watch;
mod what_if;

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use hence_actuators::ActuatorError;
use hence_core::fault::{self, Fault};
use hence_core::literal::visible;
use hence_core::meter::{Bound, Stopped};
use hence_session::SessionError;
use hence_session::status::{DONE, LIMIT, NO, UNASKED, UNDETERMINED};

/// The longest lines of help on a terminal.
const WIDEST: usize = 100;

/// Derive an agent's decisions from facts by Datalog rules, record every decision, and prove each one
#[derive(Debug, Parser)]
#[command(name = "hence", version, max_term_width = WIDEST)]
#[command(after_help = "Exit status: 0 done; 1 the answer is no; 2 the command could not run; \
    3 a limit was reached; 4 a decision is undetermined; 70 a fault of hence itself.\n\n\
    Pages of help: hence help language, functions, aggregates, generators, keywords, commands\n\n\
    Example: hence decide --facts facts/agent_week.jsonl")]
struct Cli {
    /// Hide counts, progress and hints on standard error; errors and warnings about an answer are still shown
    #[arg(long, short, global = true, display_order = 1000)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)] // all options of all commands take longer to build than a hook's answer
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
    CheckProof(check_proof::CheckProof),
    Report(report::Report),
    Assert(change::Assert),
    Retract(change::Retract),
    History(history::History),
    Log(history::Log),
    Facts(history::Facts),
    Decisions(decisions::Decisions),
    Status(keep::Status),
    Migrate(migrate::Migrate),
    Verify(verify::Verify),
    Head(head::Head),
    Receipt(receipt::Receipt),
    Rebuild(keep::Rebuild),
    Export(export::Export),
    Backup(backup::Backup),
    Import(keep::Import),
    Compact(keep::Compact),
    Erase(erase::Erase),
    Observe(observe::Observe),
    Principal(principal::Principal),
    Param(param::Param),
    Review(review::Review),
    Serve(serve::Serve),
    Shard(shard::ShardCommand),
    #[cfg(feature = "dataflow")]
    Cluster(cluster::ClusterCommand),
    #[cfg(feature = "server")]
    Token(token::Token),
    #[cfg(feature = "gate")]
    Gate(gate::Gate),
    #[cfg(feature = "gate")]
    McpGate(gate::McpGate),
    #[cfg(all(unix, feature = "server"))]
    Mcp(mcp::McpServer),
    Outbox(carry::OutboxCommand),
    Carry(carry::CarryOut),
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
    /// A limit was reached outside a session.
    Stopped(Stopped),
    /// A limit was reached by another process.
    #[cfg(feature = "dataflow")]
    Limit(String),
    /// Results could not be written.
    Output(io::Error),
}

#[cfg(feature = "dataflow")]
impl Failure {
    /// Whether a limit was reached.
    fn is_limit(&self) -> bool {
        match self {
            Self::Session(error) => error.is_limit(),
            Self::Stopped(_) | Self::Limit(_) => true,
            Self::Usage(_) | Self::Output(_) => false,
        }
    }

    /// What another process is told.
    fn said(&self) -> String {
        match self {
            Self::Session(SessionError::Faults(faults)) => faults.lines().collect::<Vec<_>>().join("\n"),
            Self::Session(error) => error.to_string(),
            Self::Usage(message) | Self::Limit(message) => message.clone(),
            Self::Stopped(stopped) => stopped.to_string(),
            Self::Output(error) => error.to_string(),
        }
    }
}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<ActuatorError> for Failure {
    fn from(error: ActuatorError) -> Self {
        match error {
            ActuatorError::Limit(stopped) => Self::Stopped(stopped),
            other => Self::Usage(other.to_string()),
        }
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Session(fault.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Runs the command that the arguments name.
pub fn run() -> ExitCode {
    fault::keep_quiet();
    if let Some(status) = helper() {
        return status;
    }
    ExitCode::from(fault::caught(answer).unwrap_or_else(failed))
}

/// What this process does where hence started itself for it; the status with which that ends.
fn helper() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let (status, why) = help_with(&words.next()?, &words.collect::<Vec<_>>())?;
    if !why.is_empty() {
        output::error(&why);
    }
    Some(ExitCode::from(status))
}

/// Keeps a process group, or becomes the interpreter of a script; the status, and why it can't.
fn help_with(helper: &OsStr, told: &[OsString]) -> Option<(u8, String)> {
    #[cfg(all(feature = "sandbox", target_os = "linux"))]
    if helper == hence_actuators::script::HELPER {
        return Some(hence_actuators::script::confined(told));
    }
    #[cfg(unix)]
    if helper == hence_actuators::keeper::HELPER {
        let kept = hence_actuators::keeper::keep(told, &mut io::stdin().lock(), &mut terminal::bytes());
        return Some(kept.err().map_or((DONE, String::new()), |why| (UNASKED, why)));
    }
    let _ = (helper, told);
    None
}

fn failed(failure: Failure) -> u8 {
    let status = explain(&failure);
    if status == UNASKED {
        mend(None);
    }
    status
}

/// Shows how arguments that came to nothing were probably meant.
fn mend(refused: Option<&str>) {
    arguments::help(&arguments::words(), refused)
        .iter()
        .for_each(|help| output::note(&format!("  help: {help}")));
}

/// The command line with what each command takes, where help or a message is to tell of it.
fn whole() -> clap::Command {
    let mut whole = Cli::command();
    whole.build();
    whole
}

fn answer() -> Outcome {
    let parsed = Cli::command().try_get_matches().or_else(|_| whole().try_get_matches());
    let status = match parsed.and_then(|given| Ok((Cli::from_arg_matches(&given)?, given))) {
        Ok((cli, given)) => {
            output::be_quiet(cli.quiet);
            config::load(&given)
                .and_then(|()| time::check())
                .and_then(|()| logs::begin())
                .and_then(|()| watch::begin(&given))
                .and_then(|()| dispatch(cli.command))
        }
        Err(error) => refuse(error).map_err(Failure::Output),
    };
    #[cfg(feature = "otel")]
    traces::end();
    let status = status?;
    terminal::finish()?;
    Ok(status)
}

/// Prints the help or the version that was asked for, or what is wrong with the arguments.
fn refuse(error: clap::Error) -> io::Result<u8> {
    if !error.use_stderr() {
        terminal::text().rendered(&error.render().ansi().to_string())?;
        return Ok(DONE);
    }
    let (words, mut whole) = (arguments::words(), whole());
    if let Some(page) = help::page(&words, &whole) {
        let mut out = terminal::text();
        if terminal::is_terminal() {
            out.rendered(&help::on_terminal(&page, output::terminal_width().min(WIDEST)))?;
        } else {
            out.lines(&page)?;
        }
        return Ok(DONE);
    }
    if let Some((message, help)) = features::missing(&words) {
        output::error(&message);
        output::note(&format!("  help: {help}"));
        return Ok(UNASKED);
    }
    // Once more with arguments that hide nothing, so that the message about them doesn't either.
    let shown = std::env::args_os().map(|arg| visible(&arg.to_string_lossy()).into_owned());
    let error = whole.try_get_matches_from_mut(shown).err().unwrap_or_else(|| on_one_line(&error));
    let refused = arguments::refused(&error).map(str::to_owned);
    let named = arguments::otherwise(&words, refused.as_deref(), &whole);
    output::rendered(&arguments::without_wrong_tips(error, named.is_some()).render().ansi().to_string());
    help::nearest_page(&words).iter().for_each(|help| output::note(&format!("  help: {help}")));
    match named {
        Some(help) => output::note(&format!("  help: {help}")),
        None => mend(refused.as_deref()),
    }
    Ok(UNASKED)
}

/// An error with all that it says on one line, where it is about arguments that are right once nothing in them is
/// hidden.
fn on_one_line(error: &clap::Error) -> clap::Error {
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let message = text.rsplit_once("\n\nFor more information").map_or(text, |(message, _)| message);
    whole().error(error.kind(), visible(message))
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
        Command::Report(command) => command.run(),
        Command::History(command) => command.run(),
        Command::Log(command) => command.run(),
        Command::Facts(command) => command.run(),
        Command::Decisions(command) => command.run(),
        Command::Status(command) => command.run(),
        Command::Migrate(command) => command.run(),
        Command::Verify(command) => command.run(),
        Command::Head(command) => command.run(),
        Command::Receipt(command) => command.run(),
        Command::Rebuild(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::Backup(command) => command.run(),
        Command::Import(command) => command.run(),
        Command::Compact(command) => command.run(),
        Command::Erase(command) => command.run(),
        Command::Assert(command) => command.run(),
        Command::Retract(command) => command.run(),
        Command::Observe(command) => command.run(),
        Command::Principal(command) => command.run(),
        Command::Review(command) => command.run(),
        Command::Serve(command) => command.run(),
        Command::Shard(command) => command.run(),
        #[cfg(feature = "dataflow")]
        Command::Cluster(command) => command.run(),
        #[cfg(feature = "server")]
        Command::Token(command) => command.run(),
        #[cfg(feature = "gate")]
        Command::Gate(command) => command.run(),
        #[cfg(feature = "gate")]
        Command::McpGate(command) => command.run(),
        #[cfg(all(unix, feature = "server"))]
        Command::Mcp(command) => command.run(),
        Command::Outbox(command) => command.run(),
        Command::Carry(command) => command.run(),
        Command::Pack(command) => command.run(),
        Command::Param(command) => command.run(),
        Command::Test(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Config(command) => command.run(),
        Command::Completions(command) => command.run(&mut whole()),
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
        Failure::Stopped(stopped) => {
            output::error(&stopped.to_string());
            suggest(stopped.bound);
            LIMIT
        }
        #[cfg(feature = "dataflow")]
        Failure::Limit(message) => {
            output::error(message);
            LIMIT
        }
        Failure::Session(error) => {
            explain_session(error);
            error.status()
        }
    }
}

fn explain_session(error: &SessionError) {
    match error {
        SessionError::Faults(faults) => diagnostics::print(faults),
        SessionError::Fault(fault) => {
            output::error(&fault.to_string());
            output::note(
                "  help: report this line with the rules and facts that show it; `RUST_BACKTRACE=1` adds a backtrace",
            );
            fault::trace().iter().flat_map(|trace| trace.lines()).for_each(output::note);
        }
        error => {
            output::error(&error.to_string());
            if let SessionError::Limit { bound, .. }
            | SessionError::Room { bound, .. }
            | SessionError::Stopped(Stopped { bound, .. })
            | SessionError::Ledger(hence_ledger::LedgerError::Limit(Stopped { bound, .. })) = error
            {
                suggest(*bound);
            }
        }
    }
}

/// Says what would help against a limit on memory.
fn suggest(bound: Bound) {
    if let Bound::Memory(_) = bound {
        output::note(
            "  help: allow more with `--max-memory`, or divide the facts among several sessions with `@partition` and `hence shard`",
        );
    }
}
