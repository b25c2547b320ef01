//! The watch over a command: how much memory and time it may take, and what is said when it is stopped.

use std::time::Duration;

use clap::ArgMatches;

use hence_core::meter::{self, Bound, Watch};

use super::{Failure, LIMIT, config, options, output};

/// Commands that answer one question after the other; their time limit is of each.
const GO_ON: [&str; 3] = ["repl", "bench", "serve"];

/// Watches this command from now on.
pub(super) fn begin(given: &ArgMatches) -> Result<(), Failure> {
    let Some((command, given)) = last(given) else { return Ok(()) };
    let is_set = |flag| given.try_get_one(flag).ok().flatten().copied().unwrap_or(false);
    let goes_on = is_set("follow") || is_set("watch") || GO_ON.contains(&command);
    let memory = options::memory(given.try_get_one("max_memory").ok().flatten().copied());
    let time = if goes_on { None } else { time(given) };
    meter::watch(Watch { memory, time, goes_on, stop })
        .map_err(|error| Failure::Usage(format!("can't enforce the limits: {error}")))
}

/// The innermost command.
fn last(given: &ArgMatches) -> Option<(&str, &ArgMatches)> {
    let mut last = given.subcommand()?;
    while let Some(inner) = last.1.subcommand() {
        last = inner;
    }
    Some(last)
}

/// The time that the whole command may take: only commands that evaluate have a limit on it.
fn time(given: &ArgMatches) -> Option<Duration> {
    let given = given.try_get_one::<Duration>("timeout").ok()?;
    given.copied().or_else(|| config::get().time_limit())
}

/// Ends the process: what was at work did not look at the limit in time.
fn stop(bound: Bound, doing: &'static str) {
    let recorded = match meter::recorded() {
        0 => String::from("nothing was recorded"),
        1 => String::from("the previously recorded transaction remains"),
        several => format!("the {several} previously recorded transactions remain"),
    };
    output::error(&format!("{bound} was reached while {doing}; {recorded}"));
    if doing == super::output::TABLE {
        output::note(
            "  help: a table holds all of its rows until it is written; `--format jsonl` or `csv` takes less",
        );
    } else {
        super::suggest(bound);
    }
    std::process::exit(i32::from(LIMIT));
}
