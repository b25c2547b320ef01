//! Logs: what spans and events tell goes to standard error, where `HENCE_LOG` asks for it.

use std::io::{self, Write};

use hence_core::fault::OrBroken;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use super::{Failure, config, terminal};

/// From now on everything that the settings ask for is logged; without `HENCE_LOG` nothing is set up at all.
///
/// # Errors
/// None: the settings were checked.
pub(super) fn begin() -> Result<(), Failure> {
    let config = config::get();
    let Some(filter) = config.log_filter() else { return Ok(()) };
    let filter = EnvFilter::try_new(filter).ok().or_broken("a filter was checked when it was read");
    let json = config.logs_json();
    // A span is told at its end, when all that it counts is known.
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(move || Lines { json });
    if json {
        logs.json().init()
    } else {
        logs.init()
    }
    Ok(())
}

/// Takes each line of the logs in one piece; a line break inside a field of text does not begin another.
struct Lines {
    json: bool,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let line = text.strip_suffix('\n').unwrap_or(&text);
        let mut out = if self.json { terminal::json_messages() } else { terminal::messages() };
        writeln!(out, "{line}")?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
