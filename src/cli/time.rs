//! The clock of a run: `--now`, else the wall clock.

use jiff::Timestamp;

use hence_core::literal;

/// Microseconds since the epoch of the wall clock.
pub(super) fn wall_clock() -> i64 {
    Timestamp::now().as_microsecond()
}

/// Reads the value of `--now`.
pub(super) fn parse(text: &str) -> Result<i64, String> {
    literal::parse_time(text.strip_prefix('@').unwrap_or(text))
        .ok_or_else(|| format!("`{text}` is not a time; expected one such as 2026-02-09T09:00:00Z"))
}
