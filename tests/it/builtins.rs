//! Every function, operator and generator with its edges, called as a rule would call it: by name and types.

mod exact;
mod zones;

use hence_core::literal::parse_time;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Type, Value, Word};
use hence_lang::builtins::generator;
use hence_lang::builtins::op::{self, Op};

fn int(value: i64) -> Value {
    Value::Int(value)
}

fn float(value: f64) -> Value {
    Value::Float(Float::new(value).expect("finite"))
}

fn text(value: &str) -> Value {
    Value::String(Symbol::new(value))
}

fn name(value: &str) -> Value {
    Value::Name(Symbol::new(value))
}

fn time(value: &str) -> Value {
    Value::Time(parse_time(value).expect("a time"))
}

fn micros(value: i64) -> Value {
    Value::Duration(value)
}

/// The value of `name(args)`; `None` for no result. The name must exist at these types.
fn call(name: &str, args: &[Value]) -> Option<Value> {
    let types: Vec<_> = args.iter().map(|arg| arg.ty()).collect();
    let (op, ty) = op::resolve(name, &types).unwrap_or_else(|| panic!("no `{name}` of {types:?}"));
    let words: Vec<_> = args.iter().map(|arg| arg.word()).collect();
    let result = op.apply(&words);
    assert!(result.is_some() || op.may_fail(), "{name} {args:?} fails, though it may not");
    result.map(|word| Value::from_word(ty, word))
}

#[track_caller]
fn gives(name: &str, args: &[Value], expected: Value) {
    assert_eq!(call(name, args), Some(expected), "{name} {args:?}");
}

#[track_caller]
fn fails(name: &str, args: &[Value]) {
    assert_eq!(call(name, args), None, "{name} {args:?}");
}

#[track_caller]
fn holds(name: &str, args: &[Value]) {
    gives(name, args, Value::Bool(true));
}

#[track_caller]
fn not(name: &str, args: &[Value]) {
    gives(name, args, Value::Bool(false));
}

const MIN: i64 = i64::MIN;
const MAX: i64 = i64::MAX;

#[test]
fn int_operators_are_checked() {
    gives("+", &[int(2), int(3)], int(5));
    fails("+", &[int(MAX), int(1)]);
    gives("+", &[int(MAX), int(MIN)], int(-1));
    gives("-", &[int(2), int(3)], int(-1));
    fails("-", &[int(MIN), int(1)]);
    gives("*", &[int(-4), int(3)], int(-12));
    fails("*", &[int(MAX), int(2)]);
    fails("*", &[int(MIN), int(-1)]);
    gives("-", &[int(MAX)], int(-MAX));
    fails("-", &[int(MIN)]);
}

#[test]
fn int_division_goes_towards_zero_and_the_remainder_takes_the_left_sign() {
    gives("/", &[int(7), int(2)], int(3));
    gives("/", &[int(-7), int(2)], int(-3));
    gives("/", &[int(7), int(-2)], int(-3));
    fails("/", &[int(1), int(0)]);
    fails("/", &[int(MIN), int(-1)]);
    gives("%", &[int(7), int(3)], int(1));
    gives("%", &[int(-7), int(3)], int(-1));
    gives("%", &[int(7), int(-3)], int(1));
    gives("%", &[int(MIN), int(-1)], int(0));
    fails("%", &[int(1), int(0)]);
}

#[test]
fn float_operators_give_finite_floats_without_a_negative_zero() {
    gives("+", &[float(0.1), float(0.2)], float(0.1 + 0.2));
    fails("+", &[float(f64::MAX), float(f64::MAX)]);
    gives("-", &[float(1.0), float(1.0)], float(0.0));
    gives("*", &[float(0.0), float(-1.0)], float(0.0));
    fails("*", &[float(1e200), float(1e200)]);
    gives("/", &[float(1.0), float(4.0)], float(0.25));
    fails("/", &[float(1.0), float(0.0)]);
    fails("/", &[float(0.0), float(0.0)]);
    gives("%", &[float(-5.5), float(2.0)], float(-1.5));
    gives("%", &[float(-4.0), float(2.0)], float(0.0));
    fails("%", &[float(1.0), float(0.0)]);
    gives("-", &[float(0.0)], float(0.0));
    let zero = Op::NegFloat.apply(&[Word::from_float(0.0).expect("finite")]);
    assert_eq!(zero, Word::from_float(0.0));
    assert!(zero.expect("a result").as_float().is_sign_positive());
}

#[test]
fn times_and_durations_compute_with_each_other() {
    let (early, late) = (time("2026-02-03T00:00:00Z"), time("2026-02-04T00:00:00Z"));
    let day = micros(86_400_000_000);
    gives("-", &[late, early], day);
    gives("+", &[early, day], late);
    gives("+", &[day, early], late);
    gives("-", &[late, day], early);
    gives("*", &[day, int(2)], micros(172_800_000_000));
    gives("*", &[int(2), day], micros(172_800_000_000));
    gives("/", &[day, micros(172_800_000_000)], float(0.5));
    fails("/", &[day, micros(0)]);
    gives("+", &[day, micros(1)], micros(86_400_000_001));
    gives("-", &[day], micros(-86_400_000_000));
    fails("+", &[Value::Time(MAX), micros(1)]);
    fails("-", &[Value::Time(MAX), Value::Time(-1)]);
    fails("*", &[micros(MAX), int(2)]);
    assert_eq!(op::resolve("+", &[Type::Time, Type::Time]), None);
}

#[test]
fn ints_and_floats_do_not_mix() {
    for operator in ["+", "-", "*", "/", "%", "pow", "=", "<", "min"] {
        assert_eq!(op::resolve(operator, &[Type::Int, Type::Float]), None, "{operator}");
        assert_eq!(op::resolve(operator, &[Type::Float, Type::Int]), None, "{operator}");
    }
}

#[test]
fn comparisons_follow_the_values_of_each_type() {
    holds("<", &[int(MIN), int(MAX)]);
    holds("<=", &[int(3), int(3)]);
    not(">", &[int(-1), int(0)]);
    holds(">=", &[float(-1.5), float(-2.5)]);
    holds("<", &[float(-1e-300), float(0.0)]);
    holds("<", &[float(-f64::MAX), float(f64::MAX)]);
    holds("=", &[float(-0.0), float(0.0)]);
    holds("<", &[Value::Bool(false), Value::Bool(true)]);
    holds("<", &[time("1969-12-31T23:59:59Z"), time("1970-01-01T00:00:00Z")]);
    holds("!=", &[micros(1), micros(2)]);
    holds("=", &[name("/a"), name("/a")]);
}

#[test]
fn texts_compare_by_unicode_scalar_values() {
    // U+FF5E is above U+1F600 in UTF-16 and below it by scalar value.
    holds("<", &[text("\u{ff5e}"), text("\u{1f600}")]);
    holds("<", &[text("Z"), text("a")]);
    holds("<", &[text(""), text("a")]);
    holds("<", &[text("a"), text("aa")]);
    holds("<=", &[text("a"), text("a")]);
    holds(">", &[name("/b"), name("/a/z")]);
    holds(">=", &[text("é"), text("e\u{301}")]);
    not("=", &[text("é"), text("e\u{301}")]);
}

#[test]
fn every_comparison_takes_two_values_of_any_one_type() {
    let all = [Type::Bool, Type::Int, Type::Float, Type::String, Type::Name, Type::Time, Type::Duration];
    for operator in ["=", "!=", "<", "<=", ">", ">="] {
        for ty in all {
            assert_eq!(op::resolve(operator, &[ty, ty]).expect(operator).1, Type::Bool);
        }
    }
}

#[test]
fn not_turns_a_bool_around() {
    not("not", &[Value::Bool(true)]);
    holds("not", &[Value::Bool(false)]);
}

#[test]
fn min_max_abs_and_clamp_keep_the_type() {
    gives("min", &[int(3), int(-3)], int(-3));
    gives("max", &[float(-1.0), float(-2.0)], float(-1.0));
    gives("min", &[text("b"), text("a")], text("a"));
    gives("max", &[name("/a"), name("/b")], name("/b"));
    gives("max", &[micros(1), micros(2)], micros(2));
    gives("abs", &[int(-3)], int(3));
    fails("abs", &[int(MIN)]);
    gives("abs", &[float(-2.5)], float(2.5));
    gives("abs", &[micros(-5)], micros(5));
    gives("clamp", &[float(1.5), float(0.0), float(1.0)], float(1.0));
    gives("clamp", &[int(-5), int(0), int(10)], int(0));
    gives("clamp", &[int(5), int(0), int(10)], int(5));
    gives("clamp", &[int(5), int(10), int(0)], int(0));
    gives("clamp", &[text("m"), text("n"), text("z")], text("n"));
}

#[test]
fn pow_of_ints_takes_every_exponent_from_zero() {
    gives("pow", &[int(2), int(10)], int(1024));
    gives("pow", &[int(0), int(0)], int(1));
    gives("pow", &[int(-2), int(63)], int(MIN));
    fails("pow", &[int(2), int(63)]);
    fails("pow", &[int(2), int(-1)]);
    fails("pow", &[int(1), int(-1)]);
    gives("pow", &[int(1), int(MAX)], int(1));
    gives("pow", &[int(0), int(MAX)], int(0));
    gives("pow", &[int(-1), int(MAX)], int(-1));
    gives("pow", &[int(-1), int(MAX - 1)], int(1));
    fails("pow", &[int(2), int(MAX)]);
}

#[test]
fn functions_of_floats_fail_where_they_have_no_finite_result() {
    gives("pow", &[float(2.0), float(-1.0)], float(0.5));
    fails("pow", &[float(-8.0), float(0.5)]);
    fails("pow", &[float(0.0), float(-1.0)]);
    fails("pow", &[float(10.0), float(400.0)]);
    gives("sqrt", &[float(2.25)], float(1.5));
    gives("sqrt", &[float(-0.0)], float(0.0));
    fails("sqrt", &[float(-1.0)]);
    gives("ln", &[float(1.0)], float(0.0));
    fails("ln", &[float(0.0)]);
    fails("ln", &[float(-1.0)]);
    gives("exp", &[float(0.0)], float(1.0));
    gives("exp", &[float(-1000.0)], float(0.0));
    fails("exp", &[float(710.0)]);
}

#[test]
fn floats_become_ints_by_four_ways_of_rounding() {
    for (value, towards_zero, nearest, down, up) in [
        (2.5, 2, 3, 2, 3),
        (-2.5, -2, -3, -3, -2),
        (0.49999999999999994, 0, 0, 0, 1),
        (-0.5, 0, -1, -1, 0),
        (3.0, 3, 3, 3, 3),
    ] {
        gives("int", &[float(value)], int(towards_zero));
        gives("round", &[float(value)], int(nearest));
        gives("floor", &[float(value)], int(down));
        gives("ceil", &[float(value)], int(up));
    }
}

#[test]
fn a_float_beyond_the_ints_has_no_int() {
    let limit = 9_223_372_036_854_775_808.0;
    for function in ["int", "round", "floor", "ceil"] {
        fails(function, &[float(limit)]);
        gives(function, &[float(-limit)], int(MIN));
        gives(function, &[float(limit.next_down())], int(9_223_372_036_854_774_784));
        fails(function, &[float((-limit).next_down())]);
    }
    gives("float", &[int(MAX)], float(limit));
    gives("float", &[int(-3)], float(-3.0));
}

#[test]
fn int_of_a_string_reads_one_literal() {
    gives("int", &[text("42")], int(42));
    gives("int", &[text("-3")], int(-3));
    gives("int", &[text("10_000")], int(10_000));
    gives("int", &[text("007")], int(7));
    gives("int", &[text("-9223372036854775808")], int(MIN));
    for wrong in
        ["", " 1", "1 ", "+1", "--1", "1.0", "1e3", "_1", "1_", "1__0", "-", "٣", "9223372036854775808"]
    {
        fails("int", &[text(wrong)]);
    }
}

#[test]
fn float_of_a_string_reads_one_literal() {
    gives("float", &[text("0.5")], float(0.5));
    gives("float", &[text("-2.0")], float(-2.0));
    gives("float", &[text("1e-3")], float(0.001));
    gives("float", &[text("1.5e3")], float(1500.0));
    gives("float", &[text("1_000.5")], float(1000.5));
    gives("float", &[text("-0.0")], float(0.0));
    for wrong in ["", "3", ".5", "3.", "1.e3", "1e", "inf", "NaN", "+1.0", "1.0 ", "1e400", "0x1.0", "1.0.0"]
    {
        fails("float", &[text(wrong)]);
    }
}

#[test]
fn string_writes_every_type() {
    gives("string", &[int(-42)], text("-42"));
    gives("string", &[float(1.0)], text("1.0"));
    gives("string", &[float(0.1 + 0.2)], text("0.30000000000000004"));
    gives("string", &[float(1e16)], text("1e16"));
    gives("string", &[float(1e-6)], text("1e-6"));
    gives("string", &[float(-0.0)], text("0.0"));
    gives("string", &[Value::Bool(true)], text("true"));
    gives("string", &[name("/error/syntax")], text("/error/syntax"));
    gives("string", &[text("as \"it\" is")], text("as \"it\" is"));
    gives("string", &[time("2026-02-03T14:23:45Z")], text("2026-02-03T14:23:45Z"));
    gives("string", &[micros(90_000_000)], text("1m30s"));
}

#[test]
fn name_takes_a_string_with_or_without_its_slash() {
    gives("name", &[text("/error/syntax")], name("/error/syntax"));
    gives("name", &[text("error/syntax")], name("/error/syntax"));
    for wrong in ["", "/", "Error", "/Error", "a b", "//a", "a/", "9a", "a."] {
        fails("name", &[text(wrong)]);
    }
}

#[test]
fn texts_are_counted_in_scalar_values() {
    gives("len", &[text("")], int(0));
    gives("len", &[text("naïve 😀")], int(7));
    gives("len", &[text("e\u{301}")], int(2));
    gives("substring", &[text("naïve"), int(2), int(2)], text("ïv"));
    gives("substring", &[text("naïve"), int(3), int(100)], text("ve"));
    gives("substring", &[text("naïve"), int(5), int(1)], text(""));
    gives("substring", &[text("naïve"), int(0), int(0)], text(""));
    gives("substring", &[text("naïve"), int(0), int(MAX)], text("naïve"));
    fails("substring", &[text("naïve"), int(6), int(0)]);
    fails("substring", &[text("naïve"), int(-1), int(2)]);
    fails("substring", &[text("naïve"), int(1), int(-1)]);
    fails("substring", &[text(""), int(MAX), int(1)]);
}

#[test]
fn texts_are_searched_and_changed() {
    gives("lower", &[text("ÀB Σ")], text("àb σ"));
    gives("upper", &[text("straße")], text("STRASSE"));
    gives("trim", &[text("\u{2003} a b\n")], text("a b"));
    holds("contains", &[text("pagination"), text("gin")]);
    holds("contains", &[text("a"), text("")]);
    not("contains", &[text("A"), text("a")]);
    holds("starts_with", &[text("/tmp"), text("/")]);
    not("ends_with", &[text("a.rs"), text(".py")]);
    gives("replace", &[text("aaa"), text("aa"), text("b")], text("ba"));
    gives("replace", &[text("abc"), text(""), text("-")], text("abc"));
    gives("replace", &[text("a.b.c"), text("."), text("")], text("abc"));
    gives("concat", &[text("a"), text("b")], text("ab"));
    gives("concat", &[text("a"), text(""), text("b"), text("c")], text("abc"));
    assert_eq!(op::resolve("concat", &[Type::String]), None);
    assert_eq!(op::resolve("concat", &[Type::String, Type::Name, Type::String]), None);
}

#[test]
fn a_text_does_not_grow_beyond_a_file() {
    let mut long = text(&"x".repeat(1 << 20));
    for _ in 0..6 {
        long = call("concat", &[long, long]).expect("up to 64 MiB");
    }
    fails("concat", &[long, text("x")]);
    fails("replace", &[long, text("x"), text("yy")]);
    gives("concat", &[long, text("")], long);
}

#[test]
fn jaccard_compares_the_sets_of_words() {
    gives("jaccard", &[text("fix the bug"), text("the bug the fix")], float(1.0));
    gives("jaccard", &[text("a b c"), text("b c d")], float(0.5));
    gives("jaccard", &[text("A"), text("a")], float(0.0));
    gives("jaccard", &[text(""), text(" \n")], float(0.0));
    gives("jaccard", &[text(""), text("a")], float(0.0));
}

#[test]
fn the_calendar_knows_leap_years_and_times_before_the_epoch() {
    for (at, year, month, day, weekday, hour, minute) in [
        ("1970-01-01T00:00:00Z", 1970, 1, 1, 3, 0, 0),
        ("1969-12-31T23:59:59.999999Z", 1969, 12, 31, 2, 23, 59),
        ("2024-02-29T12:34:56Z", 2024, 2, 29, 3, 12, 34),
        ("2000-02-29T00:00:00Z", 2000, 2, 29, 1, 0, 0),
        ("1900-02-28T23:59:59Z", 1900, 2, 28, 2, 23, 59),
        ("1900-03-01T00:00:00Z", 1900, 3, 1, 3, 0, 0),
        ("2026-02-03T14:23:45+02:00", 2026, 2, 3, 1, 12, 23),
        ("0000-01-01T00:00:00Z", 0, 1, 1, 5, 0, 0),
        ("9999-12-30T00:00:00Z", 9999, 12, 30, 3, 0, 0),
    ] {
        gives("year", &[time(at)], int(year));
        gives("month", &[time(at)], int(month));
        gives("day", &[time(at)], int(day));
        gives("weekday", &[time(at)], int(weekday));
        gives("hour", &[time(at)], int(hour));
        gives("minute", &[time(at)], int(minute));
    }
    gives("year", &[Value::Time(MAX)], int(294_247));
    gives("year", &[Value::Time(MIN)], int(-290_308));
}

#[test]
fn the_calendar_agrees_with_another_one() {
    let mut seconds = -62_000_000_000_i64;
    while seconds < 250_000_000_000 {
        let other =
            jiff::Timestamp::from_second(seconds).expect("in range").to_zoned(jiff::tz::TimeZone::UTC);
        let at = Value::Time(seconds * 1_000_000);
        gives("year", &[at], int(other.year().into()));
        gives("month", &[at], int(other.month().into()));
        gives("day", &[at], int(other.day().into()));
        gives("weekday", &[at], int(other.weekday().to_monday_zero_offset().into()));
        gives("hour", &[at], int(other.hour().into()));
        seconds += 41_234_567;
    }
}

#[test]
fn truncate_goes_down_to_a_multiple_since_the_epoch() {
    let hour = micros(3_600_000_000);
    gives("truncate", &[time("2026-02-03T14:23:45Z"), hour], time("2026-02-03T14:00:00Z"));
    gives("truncate", &[time("2026-02-03T14:00:00Z"), hour], time("2026-02-03T14:00:00Z"));
    gives("truncate", &[time("1969-12-31T23:30:00Z"), hour], time("1969-12-31T23:00:00Z"));
    let last = time("9999-12-30T22:00:00Z");
    gives("truncate", &[last, micros(1)], last);
    fails("truncate", &[time("0000-01-01T00:00:00Z"), micros(MAX)]);
    fails("truncate", &[Value::Time(MIN), hour]);
    fails("truncate", &[time("2026-02-03T14:23:45Z"), micros(0)]);
    fails("truncate", &[time("2026-02-03T14:23:45Z"), micros(-1)]);
}

#[test]
fn seconds_of_a_duration_are_a_float() {
    gives("seconds", &[micros(1_500_000)], float(1.5));
    gives("seconds", &[micros(-1)], float(-1e-6));
    gives("seconds", &[micros(0)], float(0.0));
}

#[test]
fn every_name_has_signatures_and_every_signature_an_operation_of_that_name() {
    assert!(op::names().is_sorted());
    assert!(generator::names().iter().all(|name| generator::signatures(name).len() == 1));
    let operators = ["=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "not"];
    for name in op::names().iter().chain(&operators) {
        assert!(!op::signatures(name).is_empty(), "{name}");
        for signature in op::signatures(name) {
            match op::resolve(name, &signature.args) {
                Some((op, result)) => assert_eq!((op.name(), result), (*name, signature.result)),
                None => assert!(["if", "format"].contains(name), "{}", signature.show(name)),
            }
        }
    }
    assert!(op::signatures("frobnicate").is_empty());
}

#[test]
fn signatures_read_as_users_write() {
    let shown = |name: &str| op::signatures(name).iter().map(|s| s.show(name)).collect::<Vec<_>>();
    assert_eq!(shown("substring"), ["substring(string, int, int) -> string"]);
    assert_eq!(shown("%"), ["int % int -> int", "float % float -> float"]);
    assert_eq!(shown("not"), ["not bool -> bool"]);
    assert_eq!(shown("or"), ["bool or bool -> bool"]);
    assert_eq!(shown("-").last().expect("some"), "-duration -> duration");
}
