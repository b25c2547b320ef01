//! Logs: what spans and events tell goes to standard error, where `HENCE_LOG` asks for it.

use std::io::{self, Write};

use hence_core::fault::OrBroken;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt};

use super::{Failure, config, terminal};

/// From now on everything that the settings ask for is logged; without `HENCE_LOG` nothing is set up at all.
///
/// # Errors
/// Traces are asked for and can't be sent; what else the settings say was checked.
pub(super) fn begin() -> Result<(), Failure> {
    let config = config::get();
    let filter = config
        .log_filter()
        .map(|filter| filter.parse::<Targets>().ok().or_broken("a filter was checked when it was read"));
    let json = config.logs_json();
    let logs = filter.map(|filter| {
        // A span is told at its end, when all that it counts is known.
        let logs = fmt::layer().with_span_events(FmtSpan::CLOSE).with_writer(move || Lines { json });
        if json { logs.json().with_filter(filter).boxed() } else { logs.with_filter(filter).boxed() }
    });
    let is_logged = logs.is_some();
    let all = tracing_subscriber::registry().with(logs);
    #[cfg(feature = "otel")]
    if let Some(traces) = super::traces::layer()? {
        all.with(traces).init();
        return Ok(());
    }
    if is_logged {
        all.init();
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
