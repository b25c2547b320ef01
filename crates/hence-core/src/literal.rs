//! Literals as text: floats, quoted strings, names, times and durations, written and read back.

use std::borrow::Cow;

use jiff::civil::DateTime;
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Units of a duration literal with their length in microseconds, longest first.
const UNITS: [(&str, i64); 7] = [
    ("w", 604_800_000_000),
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("m", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
    ("us", 1),
];

/// The shortest text that reads back as `value`, with a digit on both sides of the point, or with an exponent
/// below 1e-5 and from 1e16.
pub fn float_text(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e16).contains(&size) {
        return format!("{value:e}");
    }
    let text = value.to_string();
    if text.contains('.') { text } else { text + ".0" }
}

/// `text` between double quotes, with the escapes of the language.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if is_hidden(c) => push_escape(&mut out, c),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether a character isn't seen as what it is: controls and line ends, what turns the direction of text round, and
/// what has no width and joins nothing.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// The text on one line and with nothing hidden in it: characters that aren't seen are written as string literals
/// write them.
pub fn visible(text: &str) -> Cow<'_, str> {
    visible_but(text, &[])
}

/// The text with nothing hidden in it but the characters `kept`, such as line feeds.
pub fn visible_but<'t>(text: &'t str, kept: &[char]) -> Cow<'t, str> {
    let escapes = |c: char| is_hidden(c) && !kept.contains(&c);
    if !text.contains(escapes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if escapes(c) { push_escape(&mut out, c) } else { out.push(c) }
    }
    Cow::Owned(out)
}

fn push_escape(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
    }
}

/// Whether `text` is a name: `/` and a lower-case letter, then `[a-z0-9_.-]`, further segments after `/`;
/// no full stop at its end, where it would end the clause.
pub fn is_name(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('/') else { return false };
    rest.starts_with(|c: char| c.is_ascii_lowercase())
        && !rest.ends_with('.')
        && rest.split('/').all(|segment| {
            !segment.is_empty()
                && segment
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_.-".contains(&b))
        })
}

/// Whether `text` may be the name of a relation or a column: a lower-case letter, then letters, digits and `_`.
pub fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A time in RFC 3339, UTC, with as many digits of the second as it needs.
pub fn time_text(micros: i64) -> String {
    match (Timestamp::from_microsecond(micros), in_last_hours(micros)) {
        (Ok(time), _) => time.to_string(),
        (Err(_), Some(time)) => format!("{time}Z"),
        (Err(_), None) => format!("{micros}us since the epoch"),
    }
}

/// The first time that has a literal, in microseconds since the epoch.
pub const FIRST_TIME: i64 = -377_705_023_201_000_000;
/// The last one.
pub const LAST_TIME: i64 = 253_402_300_799_999_999;

/// Whether a time has a literal: those from year -9999 to the end of 9999 have one.
pub fn is_time(micros: i64) -> bool {
    (FIRST_TIME..=LAST_TIME).contains(&micros)
}

/// What clocks in UTC show after the last whole second that has a date in every zone, up to which timestamps go.
fn in_last_hours(micros: i64) -> Option<DateTime> {
    const EVERYWHERE: i64 = 253_402_207_200_000_000;
    let since = micros.checked_sub(EVERYWHERE).filter(|since| *since > 0)?;
    let last = TimeZone::UTC.to_datetime(Timestamp::from_microsecond(EVERYWHERE).ok()?);
    last.checked_add(SignedDuration::from_micros(since)).ok()
}

/// Microseconds since the epoch of a time in the last hours of 9999.
fn parse_last_hours(text: &str) -> Option<i64> {
    let pieces = Pieces::parse(text).ok()?;
    let offset = SignedDuration::from_secs(pieces.to_numeric_offset()?.seconds().into());
    let shown = pieces.date().to_datetime(pieces.time()?).checked_sub(offset).ok()?;
    let since = shown.duration_since(TimeZone::UTC.to_datetime(Timestamp::UNIX_EPOCH));
    let micros = i64::try_from(since.as_micros()).ok().filter(|_| since.as_nanos() % 1_000 == 0)?;
    in_last_hours(micros).map(|_| micros)
}

/// Microseconds since the epoch of an RFC 3339 time; `None` where it isn't one or is finer than a microsecond.
pub fn parse_time(text: &str) -> Option<i64> {
    // The calendar here has no leap seconds, and taking one for the second before would be another time.
    if text.contains(":60") {
        return None;
    }
    let Ok(time) = text.parse::<Timestamp>() else { return parse_last_hours(text) };
    (time.as_nanosecond() % 1_000 == 0).then(|| time.as_microsecond()).filter(|micros| is_time(*micros))
}

/// Why a text in the form of a time is none.
pub const NO_TIME: &str = "the day or hour doesn't exist, or the time is more precise than a microsecond, \
                           or beyond the years -9999 to 9999 in UTC";

/// Whether `text` is written as a time, perhaps as one that doesn't exist.
pub fn is_time_form(text: &str) -> bool {
    rfc3339_len(text) == Some(text.len())
}

/// How many bytes at the start of `text` have the form of RFC 3339, its year perhaps before 0.
pub fn rfc3339_len(text: &str) -> Option<usize> {
    let before_the_year_0 = || shape(text, "-dddddd-dd-ddTdd:dd:dd");
    let mut len = shape(text, "dddd-dd-ddTdd:dd:dd").or_else(before_the_year_0)?;
    let rest = text.get(len..)?;
    if let Some(digits) = rest.strip_prefix('.') {
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return None;
        }
        len += 1 + count;
    }
    let zone = text.get(len..)?;
    let zone_len = shape(zone, "Z").or_else(|| shape(zone, "+dd:dd")).or_else(|| shape(zone, "-dd:dd"))?;
    Some(len + zone_len)
}

/// The length of `form` if `text` begins with it; `d` stands for a digit.
fn shape(text: &str, form: &str) -> Option<usize> {
    let fits = |(byte, wanted): (u8, u8)| match wanted {
        b'd' => byte.is_ascii_digit(),
        other => byte.eq_ignore_ascii_case(&other),
    };
    (text.len() >= form.len() && text.bytes().zip(form.bytes()).all(fits)).then_some(form.len())
}

/// A duration as a literal, from days down: `1d2h`, `1s100ms`, `0s`.
pub fn duration_text(micros: i64) -> String {
    if micros == 0 {
        return String::from("0s");
    }
    let mut out = String::from(if micros < 0 { "-" } else { "" });
    let mut rest = micros.unsigned_abs();
    for (unit, length) in UNITS.into_iter().skip(1) {
        let count = rest / length.unsigned_abs();
        rest %= length.unsigned_abs();
        if count > 0 {
            out.push_str(&format!("{count}{unit}"));
        }
    }
    out
}

/// Whether `text` is written as a duration, perhaps one beyond 64 bits.
pub fn is_duration_form(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let mut units = text.split(|c: char| c.is_ascii_digit() || c == '_').filter(|unit| !unit.is_empty());
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.ends_with(|c: char| c.is_ascii_lowercase())
        && units.all(|unit| UNITS.into_iter().any(|(name, _)| name == unit))
}

/// Microseconds of a duration such as `250ms`, `1h30m` or `-7d`; `None` for other text and beyond 64 bits.
pub fn parse_duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut total: i128 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '_')?;
        let (number, after) = rest.split_at(digits);
        let unit_len = after.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_len);
        let length = UNITS.into_iter().find(|(name, _)| *name == unit)?.1;
        let count: i64 = number.replace('_', "").parse().ok()?;
        total = total.checked_add(i128::from(count) * i128::from(length))?;
        rest = next;
    }
    i64::try_from(if negative { -total } else { total }).ok()
}
