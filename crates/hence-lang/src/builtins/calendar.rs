//! Functions of times: the proleptic Gregorian calendar in UTC, for every time that 64 bits of microseconds hold.

use std::fmt;

const SECOND: i64 = 1_000_000;
pub(super) const MINUTE: i64 = 60 * SECOND;
pub(super) const HOUR: i64 = 60 * MINUTE;
pub(super) const DAY: i64 = 24 * HOUR;

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
}

impl fmt::Display for Date {
    /// As RFC 3339 has it, with a sign and six digits for a year that four don't hold.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.year {
            0..=9999 => write!(f, "{:04}", self.year)?,
            _ => write!(f, "{:+07}", self.year)?,
        }
        write!(f, "-{:02}-{:02}", self.month, self.day)
    }
}

/// The day that a time falls on.
///
/// Counts in eras of 400 years that begin on 1 March, after Howard Hinnant, "chrono-compatible low-level date
/// algorithms", `civil_from_days` (2013).
pub(super) fn date(micros: i64) -> Date {
    let days = micros.div_euclid(DAY) + 719_468; // from 0000-03-01
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    Date {
        year: year_of_era + era * 400 + i64::from(month <= 2),
        month,
        day: day_of_year - (153 * from_march + 2) / 5 + 1,
    }
}

/// The day of the week, 0 for Monday; the epoch was a Thursday.
pub(super) fn weekday(micros: i64) -> i64 {
    (micros.div_euclid(DAY) + 3).rem_euclid(7)
}

/// The hour of the day.
pub(super) fn hour(micros: i64) -> i64 {
    micros.rem_euclid(DAY) / HOUR
}

/// The minute of the hour.
pub(super) fn minute(micros: i64) -> i64 {
    micros.rem_euclid(HOUR) / MINUTE
}

/// The latest multiple of `step` since the epoch that is not after `micros`; `None` for a step that is not
/// positive and below the earliest time.
pub(super) fn truncate(micros: i64, step: i64) -> Option<i64> {
    (step > 0).then(|| micros.checked_sub(micros.rem_euclid(step)))?
}
