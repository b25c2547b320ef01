//! The calendar of time zones: days of other lengths, hours shown twice, midnights that are skipped.

use hence_core::value::Value;
use hence_lang::builtins::zone;

use super::{MAX, call, fails, float, gives, int, name, text, time};

#[test]
fn zones_have_days_of_23_and_25_hours() {
    let berlin = text("Europe/Berlin");
    let at = |name: &str, t: &str| call(name, &[time(t), berlin]).expect("a result");
    // In summer from 2026-03-29T01:00:00Z to 2026-10-25T01:00:00Z.
    assert_eq!(at("hour", "2026-03-29T00:59:59Z"), int(1));
    assert_eq!(at("hour", "2026-03-29T01:00:00Z"), int(3));
    assert_eq!(at("hour", "2026-10-25T00:30:00Z"), int(2));
    assert_eq!(at("hour", "2026-10-25T01:30:00Z"), int(2));
    assert_eq!(at("hour", "2026-10-25T02:00:00Z"), int(3));
    assert_eq!(at("date", "2026-07-03T22:00:00Z"), text("2026-07-04"));
    assert_eq!(at("weekday", "2026-07-05T22:30:00Z"), int(0));
    assert_eq!(at("year", "2025-12-31T23:00:00Z"), int(2026));
    assert_eq!(at("month", "2026-01-31T23:00:00Z"), int(2));
    assert_eq!(at("day", "2026-01-31T23:00:00Z"), int(1));
    gives("minute", &[time("2026-02-03T14:23:45Z"), text("Asia/Kathmandu")], int(8));
    let day = |t: &str| call("truncate", &[time(t), name("/day"), berlin]).expect("a day");
    let hours = |from: &str, to: &str| {
        let length = call("-", &[day(to), day(from)]).expect("a duration");
        call("hours", &[length])
    };
    assert_eq!(hours("2026-03-29T12:00:00Z", "2026-03-30T12:00:00Z"), Some(float(23.0)));
    assert_eq!(hours("2026-10-25T12:00:00Z", "2026-10-26T12:00:00Z"), Some(float(25.0)));
    assert_eq!(hours("2026-07-01T12:00:00Z", "2026-07-02T12:00:00Z"), Some(float(24.0)));
}

#[test]
fn truncate_goes_to_where_a_unit_began_in_its_zone() {
    for (at, unit, zone, began) in [
        ("2026-02-03T14:23:45Z", "/hour", "UTC", "2026-02-03T14:00:00Z"),
        ("2026-02-03T14:23:45Z", "/hour", "Asia/Kolkata", "2026-02-03T13:30:00Z"),
        // Both hours from 2 to 3 of this day.
        ("2026-10-25T00:30:00Z", "/hour", "Europe/Berlin", "2026-10-25T00:00:00Z"),
        ("2026-10-25T01:30:00Z", "/hour", "Europe/Berlin", "2026-10-25T01:00:00Z"),
        // Half an hour is skipped from 2:00 on, and shown twice before 2:00.
        ("2026-10-03T15:45:00Z", "/hour", "Australia/Lord_Howe", "2026-10-03T15:30:00Z"),
        ("2026-04-04T15:15:00Z", "/hour", "Australia/Lord_Howe", "2026-04-04T14:00:00Z"),
        // Midnight is skipped.
        ("2018-11-04T12:00:00Z", "/day", "America/Sao_Paulo", "2018-11-04T03:00:00Z"),
        // Midnight is shown twice.
        ("2026-11-01T12:00:00Z", "/day", "America/Havana", "2026-11-01T04:00:00Z"),
        // From 23:30 to 00:30 of the next day.
        ("1919-03-31T04:45:00Z", "/day", "America/Toronto", "1919-03-31T04:30:00Z"),
        // A day that there was not: 30 December 2011.
        ("2011-12-31T12:00:00Z", "/day", "Pacific/Apia", "2011-12-31T10:00:00Z"),
        ("2011-12-31T12:00:00Z", "/week", "Pacific/Apia", "2011-12-26T10:00:00Z"),
        ("2026-02-08T23:30:00Z", "/week", "Europe/Berlin", "2026-02-08T23:00:00Z"),
        ("2026-02-08T22:30:00Z", "/week", "Europe/Berlin", "2026-02-01T23:00:00Z"),
        ("2026-03-31T22:30:00Z", "/month", "Europe/Berlin", "2026-03-31T22:00:00Z"),
        ("2026-03-31T21:30:00Z", "/month", "Europe/Berlin", "2026-02-28T23:00:00Z"),
        ("1969-12-31T23:59:59Z", "/week", "UTC", "1969-12-29T00:00:00Z"),
    ] {
        gives("truncate", &[time(at), name(unit), text(zone)], time(began));
        assert!(time(began).word().as_int() <= time(at).word().as_int());
    }
    gives("truncate", &[time("2026-02-03T14:23:45Z"), name("/month")], time("2026-02-01T00:00:00Z"));
    fails("truncate", &[time("2026-02-03T14:23:45Z"), name("/year")]);
    fails("truncate", &[Value::Time(MAX), name("/day")]);
}

#[test]
fn a_zone_is_known_by_its_own_spelling() {
    for wrong in ["", "europe/berlin", "Europe/Atlantis", "CEST", "+01:00", "../etc/localtime"] {
        fails("hour", &[time("2026-02-03T14:23:45Z"), text(wrong)]);
        fails("truncate", &[time("2026-02-03T14:23:45Z"), name("/day"), text(wrong)]);
    }
    fails("year", &[Value::Time(MAX), text("UTC")]);
    assert_eq!(zone::nearest_name("europe/berlin"), Some("Europe/Berlin"));
    assert_eq!(zone::nearest_name("New York"), Some("America/New_York"));
    assert_eq!(zone::nearest_name("Europe/Berlni"), Some("Europe/Berlin"));
    assert!(zone::version().starts_with("20"));
}

#[test]
fn utc_is_the_same_with_and_without_its_name() {
    let mut seconds = -62_000_000_000_i64;
    while seconds < 250_000_000_000 {
        let at = Value::Time(seconds * 1_000_000);
        for part in ["year", "month", "day", "weekday", "hour", "minute", "date"] {
            assert_eq!(call(part, &[at]), call(part, &[at, text("UTC")]), "{part} {at}");
        }
        seconds += 1_234_567_891;
    }
    gives("date", &[time("-000001-03-01T00:00:00Z")], text("-000001-03-01"));
    gives("date", &[Value::Time(MAX)], text("+294247-01-10"));
}
