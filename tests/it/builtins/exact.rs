//! Functions whose results are exact: rounding, shares of durations, patterns that are values, and values in sentences.

use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_lang::builtins::op;
use hence_lang::builtins::term::Format;

use super::{MAX, MIN, call, fails, float, gives, holds, int, micros, not, text, time};

#[test]
fn durations_are_scaled_and_shared_to_the_nearest_microsecond() {
    gives("*", &[micros(3), float(0.5)], micros(2));
    gives("*", &[float(-0.5), micros(3)], micros(-2));
    gives("*", &[micros(1), float(0.49999999999999994)], micros(0));
    gives("*", &[micros(90_000_000), float(1.5)], micros(135_000_000));
    // 0.1 is a little above one tenth, which a product of floats would round away.
    gives("*", &[micros(4_503_599_627_370_495), float(0.1)], micros(450_359_962_737_050));
    gives("*", &[micros(MAX), float(1.0)], micros(MAX));
    gives("*", &[micros(MIN), float(1.0)], micros(MIN));
    gives("*", &[micros(MAX), float(5e-324)], micros(0));
    gives("*", &[micros(0), float(f64::MAX)], micros(0));
    fails("*", &[micros(1), float(f64::MAX)]);
    fails("*", &[micros(1), float(1e30)]);
    fails("*", &[micros(MAX), float(1.0000000000000002)]);
    gives("/", &[micros(5), int(2)], micros(3));
    gives("/", &[micros(-5), int(2)], micros(-3));
    gives("/", &[micros(5), int(-2)], micros(-3));
    gives("/", &[micros(4), int(3)], micros(1));
    gives("/", &[micros(MAX), int(MAX)], micros(1));
    gives("/", &[micros(1), int(MIN)], micros(0));
    fails("/", &[micros(1), int(0)]);
    fails("/", &[micros(MIN), int(-1)]);
    gives("minutes", &[micros(90_000_000)], float(1.5));
    gives("hours", &[micros(-1_800_000_000)], float(-0.5));
    gives("days", &[micros(129_600_000_000)], float(1.5));
}

#[test]
fn round_looks_at_the_exact_value_and_takes_halves_away_from_zero() {
    for (value, digits, rounded) in [
        (0.125, 2, 0.13),
        (-0.125, 2, -0.13),
        (2.675, 2, 2.67), // the float is a little below
        (1.005, 2, 1.0),
        (0.15, 1, 0.1),
        (0.25, 1, 0.3),
        (0.35, 1, 0.3),
        (2.5, 0, 3.0),
        (-2.5, 0, -3.0),
        (0.49999999999999994, 0, 0.0),
        (0.5, 0, 1.0),
        (0.5, -1, 0.0),
        (9.995, 2, 9.99),
        (99.5, 0, 100.0),
        (1250.0, -2, 1300.0),
        (55.0, -2, 100.0),
        (45.0, -2, 0.0),
        (5.0, -1, 10.0),
        (0.1, 17, 0.1),
        (0.1, 55, 0.1),
        (5e-324, 323, 0.0),
        (5e-324, 324, 5e-324),
        (f64::MAX, 0, f64::MAX),
        (f64::MAX, MAX, f64::MAX),
        (1.5, MIN, 0.0),
        (1e300, -300, 1e300),
        (-0.001, 2, 0.0),
    ] {
        gives("round", &[float(value), int(digits)], float(rounded));
    }
    fails("round", &[float(f64::MAX), int(-308)]);
    assert_eq!(op::resolve("round", &[Type::Int, Type::Int]), None);
}

#[test]
fn round_agrees_with_whole_numbers() {
    let mut seed = 1_u64;
    for _ in 0..20_000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let thousandths = (seed >> 30) as i64 % 100_000_000;
        let value = thousandths as f64 / 1000.0;
        // Of three digits, only those that end in 5 may be on either side of a half.
        if thousandths % 10 != 5 {
            let hundredths = (thousandths + thousandths.signum() * 5) / 10;
            gives("round", &[float(value), int(2)], float(hundredths as f64 / 100.0));
        }
    }
}

#[test]
fn a_pattern_may_be_a_value() {
    holds("matches", &[text("error 404"), text(r"\b4\d\d\b")]);
    not("matches", &[text("error 404"), text(r"^4")]);
    fails("matches", &[text("a"), text("(")]);
    // Beyond what a value may take.
    fails("matches", &[text("a"), text(r"\w{1,64}")]);
    holds("matches", &[text("a"), text(r"[a-z]{1,64}")]);
    for number in 0..10_000 {
        holds("matches", &[text(&format!("x{number}")), text(&format!("^x{number}$"))]);
    }
    for number in 0..300 {
        fails("matches", &[text("a"), text(&format!("({number}"))]);
    }
}

#[test]
fn replace_all_puts_groups_in() {
    let replaced = |s: &str, pattern: &str, to: &str, expected: &str| {
        gives("replace_all", &[text(s), text(pattern), text(to)], text(expected));
        let own = regex::Regex::new(pattern).expect("a pattern").replace_all(s, to).into_owned();
        assert_eq!(own, expected, "the regex crate reads the replacement so");
    };
    replaced("a=1, b=2", r"(\w)=(\d)", "$2=$1", "1=a, 2=b");
    replaced("a=1", r"(?<key>\w)=(?<value>\d)", "$value:${key}s", "1:as");
    replaced("took 31 ms", r"\d+", "<$0>", "took <31> ms");
    replaced("ab", r"(a)|(b)", "[$1$2]", "[a][b]");
    replaced("abc", r"", "-", "-a-b-c-");
    replaced("a", r"a", "$$1 $ ${ ${0", "$1 $ ${ ${0");
    replaced("a", r"(a)", "$1b", "");
    replaced("a", r"(a)", "${1}b$9", "ab");
    replaced("héé", r"é", "e", "hee");
    replaced("none", r"\d", "x", "none");
    fails("replace_all", &[text("a"), text("("), text("")]);
    let long = text(&"x".repeat(1 << 20));
    let grown = call("replace_all", &[long, text("x"), text(&"y".repeat(65))]);
    assert!(grown.is_none(), "beyond the longest text");
    let empty = call("replace_all", &[text("xx"), text("x"), text(&"$9".repeat(3 << 20))]);
    assert!(empty.is_none(), "so many pieces take too long");
}

#[test]
fn placeholders_say_how() {
    let shown = |format: Format, value: Value| format.show(value);
    for (value, digits, expected) in [
        (0.125, 2, "0.13"),
        (2.675, 2, "2.67"),
        (-0.004, 2, "0.00"),
        (-0.5, 0, "-1"),
        (99.995, 1, "100.0"),
        (3.0, 2, "3.00"),
        (0.1, 20, "0.10000000000000000555"),
        (1e21, 1, "1000000000000000000000.0"),
    ] {
        assert_eq!(shown(Format::Digits(digits), float(value)), expected);
    }
    for (value, expected) in [
        (0.1 + 0.2, "0.3"),
        (2.0 / 3.0, "0.666667"),
        (-1234567.0, "-1234570.0"),
        (1234565.0, "1234570.0"),
        (0.5, "0.5"),
        (0.0, "0.0"),
        (1.0e-7 / 3.0, "3.33333e-8"),
        (f64::MAX, "1.79769e308"),
        (5e-324, "5e-324"),
        (999999.5, "1000000.0"),
        (9.999995, "10.0"),
    ] {
        assert_eq!(shown(Format::Plain, float(value)), expected);
        assert_eq!(Format::Plain.show_exactly(float(value)), float(value).text());
    }
    for (length, expected) in [
        (0, "0 s"),
        (12_000_000_000, "3 h 20 min"),
        (7_199_000_000, "1 h 59 min"),
        (3_600_000_001, "1 h"),
        (86_400_000_000 * 12 + 14_400_000_000, "12 d 4 h"),
        (61_000_000, "1 min 1 s"),
        (-250_000, "-250 ms"),
        (1_500, "1 ms 500 µs"),
        (MIN, "-106751991 d 4 h"),
    ] {
        assert_eq!(shown(Format::Human, micros(length)), expected);
    }
    let at = time("2026-02-03T04:03:45Z");
    assert_eq!((shown(Format::Date, at), shown(Format::Time, at)), ("2026-02-03".into(), "04:03 UTC".into()));
    let runs = Format::Plural(Symbol::new("run"), Symbol::new("runs"));
    let counted = [0, 1, 3, -1, MIN].map(|count| shown(runs, int(count)));
    assert_eq!(counted, ["0 runs", "1 run", "3 runs", "-1 run", "-9223372036854775808 runs"]);
}
