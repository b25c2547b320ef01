//! Every aggregate with its edges, and that no order of the matches changes a bit.

use hence_core::symbol::Symbol;
use hence_core::value::{Float, Value, Word};
use hence_lang::builtins::aggregate::{self, GroupStates};
use proptest::prelude::*;

fn int(value: i64) -> Value {
    Value::Int(value)
}

fn float(value: f64) -> Value {
    Value::Float(Float::new(value).expect("finite"))
}

fn text(value: &str) -> Value {
    Value::String(Symbol::new(value))
}

fn ints(values: &[i64]) -> Vec<Vec<Value>> {
    values.iter().map(|value| vec![int(*value)]).collect()
}

fn floats(values: &[f64]) -> Vec<Vec<Value>> {
    values.iter().map(|value| vec![float(*value)]).collect()
}

/// The value of the aggregate over these matches, which are not empty.
fn over(name: &str, matches: &[Vec<Value>]) -> Option<Value> {
    let types: Vec<_> = matches[0].iter().map(|arg| arg.ty()).collect();
    let (aggregate, ty) =
        aggregate::resolve(name, &types).unwrap_or_else(|| panic!("no `{name}` of {types:?}"));
    let words: Vec<Vec<_>> = matches.iter().map(|args| args.iter().map(|arg| arg.word()).collect()).collect();
    let value = in_states(|| aggregate.states(&types), &words);
    assert_eq!(
        value,
        in_states(|| aggregate.retractable_states(&types), &words),
        "{name} of states that keep more"
    );
    assert_eq!(value, aggregate.value(&types, &words), "{name} as it is defined");
    assert!(value.is_some() || aggregate.may_fail(), "{name} fails, though it may not");
    value.map(|word| Value::from_word(ty, word))
}

/// What the states of a group give, whether one group takes all matches or merges those of two.
fn in_states(states: impl Fn() -> Box<dyn GroupStates>, matches: &[Vec<Word>]) -> Option<Word> {
    let [mut states, mut others] = [states(), states()];
    states.push_groups(2);
    others.push_groups(1);
    for (at, args) in matches.iter().enumerate() {
        states.add(0, args);
        if at % 2 == 0 { states.add(1, args) } else { others.add(0, args) }
    }
    states.merge_all(&[1], &*others, &[0]);
    let mut finished = [Word::default(); 4];
    let all = states.finish_all(0..2, &mut finished, 2, 1);
    let each = [0, 1].map(|group| states.finish(group));
    assert_eq!(each[0], each[1], "merged");
    assert_eq!(all.then_some([finished[1], finished[3]].map(Some)), all.then_some(each), "both at once");
    assert_eq!(all, each[0].is_some());
    each[0]
}

#[track_caller]
fn gives(name: &str, matches: &[Vec<Value>], expected: Value) {
    assert_eq!(over(name, matches), Some(expected), "{name}");
    let reversed: Vec<_> = matches.iter().rev().cloned().collect();
    assert_eq!(over(name, &reversed), Some(expected), "{name} of the reverse");
}

#[test]
fn count_counts_matches_or_distinct_values() {
    gives("count", &[vec![], vec![]], int(2));
    gives("count", &ints(&[3, 3, 4]), int(2));
    gives("count", &floats(&[0.0, -0.0]), int(1));
    gives("count", &[vec![text("a")], vec![text("A")], vec![text("a")]], int(2));
}

#[test]
fn sums_of_ints_and_durations_are_exact_or_have_no_value() {
    gives("sum", &ints(&[1, 2, 3]), int(6));
    gives("sum", &ints(&[i64::MAX, 1, -1]), int(i64::MAX));
    gives("sum", &ints(&[i64::MIN]), int(i64::MIN));
    assert_eq!(over("sum", &ints(&[i64::MAX, 1])), None);
    gives("sum", &[vec![Value::Duration(5)], vec![Value::Duration(-7)]], Value::Duration(-2));
    assert_eq!(over("sum", &[vec![Value::Duration(i64::MIN)], vec![Value::Duration(-1)]]), None);
}

#[test]
fn sums_of_floats_are_rounded_once() {
    gives("sum", &floats(&[0.1; 10]), float(1.0));
    gives("sum", &floats(&[1e16, 1.0, -1e16]), float(1.0));
    gives("sum", &floats(&[f64::MAX, f64::MAX, -f64::MAX]), float(f64::MAX));
    gives("sum", &floats(&[1e308, 1e-308, -1e308]), float(1e-308));
    gives("sum", &floats(&[-0.0]), float(0.0));
    gives("sum", &floats(&[5e-324, 5e-324]), float(1e-323));
    gives("sum", &floats(&[-5e-324, 2.0, -2.0]), float(-5e-324));
    // A half of the last place goes to the even neighbour, the least more goes up.
    let half = 2f64.powi(-53);
    gives("sum", &floats(&[1.0, half]), float(1.0));
    gives("sum", &floats(&[1.0, half, 5e-324]), float(1.0f64.next_up()));
    gives("sum", &floats(&[1.0f64.next_up(), half]), float(1.0f64.next_up().next_up()));
    assert_eq!(over("sum", &floats(&[f64::MAX, f64::MAX])), None);
    assert_eq!(over("sum", &floats(&[f64::MAX, 2f64.powi(970)])), None);
    gives("sum", &floats(&[f64::MAX, 2f64.powi(970).next_down()]), float(f64::MAX));
}

#[test]
fn means_are_the_exact_quotient_rounded_once() {
    gives("mean", &ints(&[1, 2]), float(1.5));
    gives("mean", &ints(&[i64::MAX, i64::MAX, i64::MAX]), float(9_223_372_036_854_775_807.0));
    gives("mean", &ints(&[i64::MIN, i64::MAX]), float(-0.5));
    gives("mean", &ints(&[1, 0, 0]), float(1.0 / 3.0));
    gives("mean", &floats(&[f64::MAX, f64::MAX]), float(f64::MAX));
    gives("mean", &floats(&[1.0, 0.0, 1.0]), float(2.0 / 3.0));
    gives("mean", &floats(&[5e-324, 0.0]), float(0.0));
    gives("mean", &floats(&[5e-324, 5e-324, 0.0]), float(5e-324));
    gives("mean", &floats(&[0.1; 3]), float(0.1));
}

#[test]
fn means_of_times_and_durations_round_halves_away_from_zero() {
    let durations = |values: &[i64]| values.iter().map(|v| vec![Value::Duration(*v)]).collect::<Vec<_>>();
    gives("mean", &durations(&[1, 2]), Value::Duration(2));
    gives("mean", &durations(&[-1, -2]), Value::Duration(-2));
    gives("mean", &durations(&[1, 1, 2]), Value::Duration(1));
    gives("mean", &durations(&[i64::MAX, i64::MAX]), Value::Duration(i64::MAX));
    gives("mean", &durations(&[i64::MIN, i64::MIN]), Value::Duration(i64::MIN));
    gives("mean", &[vec![Value::Time(-3)], vec![Value::Time(0)]], Value::Time(-2));
    gives("median", &durations(&[1, 9, 2, 0]), Value::Duration(2));
    gives("median", &durations(&[-1, -2]), Value::Duration(-2));
    gives("median", &[vec![Value::Time(7)], vec![Value::Time(3)], vec![Value::Time(5)]], Value::Time(5));
}

#[test]
fn medians_are_floats_of_numbers() {
    gives("median", &ints(&[3]), float(3.0));
    gives("median", &ints(&[4, 1, 3, 2]), float(2.5));
    gives("median", &ints(&[i64::MAX, i64::MAX]), float(9_223_372_036_854_775_807.0));
    gives("median", &floats(&[0.3, -0.1, 0.2]), float(0.2));
    gives("median", &floats(&[f64::MAX, f64::MAX]), float(f64::MAX));
    gives("median", &floats(&[-2.0, -1.0]), float(-1.5));
}

#[test]
fn percentiles_take_the_nearest_rank() {
    let of = |values: &[i64], share: f64| {
        values.iter().map(|value| vec![int(*value), float(share)]).collect::<Vec<_>>()
    };
    let hundred: Vec<_> = (1..=100).collect();
    for (share, expected) in
        [(0.95, 95), (0.07, 7), (0.55, 55), (1.0, 100), (0.001, 1), (0.011, 2), (0.5, 50), (0.501, 51)]
    {
        gives("percentile", &of(&hundred, share), int(expected));
    }
    gives("percentile", &of(&[15, 20, 35, 40, 50], 0.3), int(20));
    gives("percentile", &of(&[7], 0.01), int(7));
    assert_eq!(over("percentile", &of(&hundred, 0.0)), None);
    assert_eq!(over("percentile", &of(&hundred, 1.01)), None);
    gives("percentile", &[vec![float(-0.5), float(0.5)], vec![float(-1.5), float(0.5)]], float(-1.5));
}

#[test]
fn deviations_are_of_the_population() {
    gives("stddev", &ints(&[2, 4, 4, 4, 5, 5, 7, 9]), float(2.0));
    gives("stddev", &floats(&[1.5]), float(0.0));
    gives("stddev", &floats(&[0.1; 7]), float(0.0));
    gives("stddev", &floats(&[1e8 + 1.0, 1e8 + 3.0]), float(1.0));
    gives("stddev", &ints(&[i64::MAX, i64::MAX]), float(0.0));
    assert_eq!(over("stddev", &floats(&[1e200, -1e200])), None);
}

#[test]
fn extremes_are_of_every_type() {
    gives("min", &floats(&[0.5, -0.5]), float(-0.5));
    gives("max", &ints(&[i64::MIN, -1]), int(-1));
    gives("max", &[vec![text("\u{ff5e}")], vec![text("\u{1f600}")]], text("\u{1f600}"));
    gives("min", &[vec![Value::Bool(true)], vec![Value::Bool(false)]], Value::Bool(false));
    gives("max", &[vec![Value::Time(1)], vec![Value::Time(2)]], Value::Time(2));
}

#[test]
fn any_and_all_look_at_bools() {
    let of = |values: &[bool]| values.iter().map(|value| vec![Value::Bool(*value)]).collect::<Vec<_>>();
    gives("any", &of(&[false, true]), Value::Bool(true));
    gives("any", &of(&[false]), Value::Bool(false));
    gives("all", &of(&[false, true]), Value::Bool(false));
    gives("all", &of(&[true, true]), Value::Bool(true));
}

#[test]
fn ties_of_arg_max_and_arg_min_go_to_the_smallest() {
    let tools =
        [("b", 0.9), ("a", 0.9), ("c", 0.1), ("d", 0.1)].map(|(name, score)| vec![text(name), float(score)]);
    gives("arg_max", &tools, text("a"));
    gives("arg_min", &tools, text("c"));
    gives("arg_max", &[vec![int(5), text("z")], vec![int(-5), text("z")], vec![int(-9), text("a")]], int(-5));
}

#[test]
fn join_writes_distinct_values_in_order() {
    let of = |values: &[&str]| values.iter().map(|value| vec![text(value), text(", ")]).collect::<Vec<_>>();
    gives("join", &of(&["b", "a", "b", "Z"]), text("Z, a, b"));
    gives("join", &of(&[""]), text(""));
}

#[test]
fn every_aggregate_resolves_at_each_of_its_signatures() {
    assert!(aggregate::names().is_sorted());
    for name in aggregate::names() {
        assert!(!aggregate::signatures(name).is_empty(), "{name}");
        for signature in aggregate::signatures(name) {
            let (found, result) = aggregate::resolve(name, &signature.args).expect("it resolves");
            assert_eq!((found.name(), result), (*name, signature.result));
        }
    }
    assert!(aggregate::resolve("mean", &[Value::Bool(true).ty()]).is_none());
    assert!(aggregate::signatures("avg").is_empty());
}

#[test]
fn retracted_matches_leave_what_the_others_would_give() {
    for name in ["count", "sum", "mean", "stddev", "median", "min", "max"] {
        let matches = floats(&[0.1, 1e300, -7.25, 0.1, 3.0]);
        let types = [matches[0][0].ty()];
        let (aggregate, _) = aggregate::resolve(name, &types).expect("it resolves");
        for at in 0..matches.len() {
            let mut left = matches.clone();
            let gone = left.remove(at);
            let of = |mut states: Box<dyn GroupStates>| {
                states.push_groups(1);
                matches.iter().for_each(|args| states.add(0, &[args[0].word()]));
                states.retract(0, &[gone[0].word()]).then(|| states.finish(0))
            };
            let expected = over(name, &left).map(Value::word);
            assert_eq!(of(aggregate.retractable_states(&types)), Some(expected), "{name} without {gone:?}");
            match of(aggregate.states(&types)) {
                Some(value) => assert_eq!(value, expected, "{name} without {gone:?}"),
                None => assert!(["min", "max"].contains(&name), "{name} has to be recomputed"),
            }
        }
    }
}

/// The exact sum as a list of floats that don't overlap (Shewchuk's growing expansions, 1997), smallest first.
fn expansion(values: &[f64]) -> Vec<f64> {
    let mut parts: Vec<f64> = Vec::new();
    for &value in values {
        let mut rest = value;
        let mut grown = Vec::new();
        for part in parts {
            let sum = rest + part;
            let other = sum - rest;
            let error = (rest - (sum - other)) + (part - other);
            if error != 0.0 {
                grown.push(error);
            }
            rest = sum;
        }
        grown.push(rest);
        parts = grown;
    }
    parts
}

/// The sum of an expansion, rounded once.
fn rounded(parts: &[f64]) -> f64 {
    let mut left: Vec<_> = parts.iter().copied().filter(|part| *part != 0.0).collect();
    let mut high = left.pop().unwrap_or(0.0);
    let mut low = 0.0;
    while let Some(part) = left.pop() {
        let before = high;
        high = before + part;
        low = part - (high - before);
        if low != 0.0 {
            break;
        }
    }
    // A tie that the parts below decide.
    if let Some(next) = left.last()
        && (low < 0.0) == (*next < 0.0)
    {
        let double = low * 2.0;
        if double == (high + double) - high {
            high += double;
        }
    }
    high
}

fn any_float() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite, far from the end", |value| value.abs() < 1e290),
        -1.0..1.0f64,
        (any::<i32>(), -60..60i32).prop_map(|(mantissa, exponent)| f64::from(mantissa) * 2f64.powi(exponent)),
        Just(0.0),
        any::<u8>().prop_map(|bits| f64::from_bits(bits.into())),
    ]
}

proptest! {
    #[test]
    fn float_sums_agree_with_expansions(values in prop::collection::vec(any_float(), 1..40)) {
        let expected = rounded(&expansion(&values));
        prop_assert_eq!(over("sum", &floats(&values)), Some(float(expected)));
    }

    #[test]
    fn sums_and_means_agree_with_scaled_integers(values in prop::collection::vec(-1i64 << 52..1i64 << 52, 1..30)) {
        // Multiples of 2^-40 below 2^52 units: sums are exact in 128 bits, and a quotient of such a sum is correctly
        // rounded where it is a float division of two exact floats.
        let scale = 2f64.powi(-40);
        let scaled: Vec<_> = values.iter().map(|value| *value as f64 * scale).collect();
        let sum: i128 = values.iter().map(|value| i128::from(*value)).sum();
        prop_assert_eq!(over("sum", &floats(&scaled)), Some(float(sum as f64 * scale)));
        if sum.unsigned_abs() < 1 << 53 {
            let mean = sum as f64 * scale / values.len() as f64;
            prop_assert_eq!(over("mean", &floats(&scaled)), Some(float(mean)));
            prop_assert_eq!(over("mean", &ints(&values)), Some(float(sum as f64 / values.len() as f64)));
        }
    }

    #[test]
    fn a_mean_is_the_float_nearest_to_the_exact_quotient(values in prop::collection::vec(any_float(), 1..20)) {
        let Some(Value::Float(mean)) = over("mean", &floats(&values)) else { panic!("a mean") };
        // |n * mean - sum| is at most |n * neighbour - sum| for both neighbours, all of it exact.
        let distance = |candidate: f64| {
            let mut parts: Vec<_> = values.iter().map(|value| -value).collect();
            parts.extend(std::iter::repeat_n(candidate, values.len()));
            rounded(&expansion(&parts)).abs()
        };
        let mean = mean.get();
        prop_assert!(distance(mean) <= distance(mean.next_up()), "{mean} is too small");
        prop_assert!(distance(mean) <= distance(mean.next_down()), "{mean} is too large");
    }

    #[test]
    fn no_order_changes_a_bit(
        values in prop::collection::vec((any_float(), "[a-c]{0,2}"), 1..30).prop_shuffle(),
        seed in any::<prop::sample::Index>(),
    ) {
        let mut turned = values.clone();
        turned.rotate_left(seed.index(values.len()));
        turned.reverse();
        for name in ["sum", "mean", "stddev", "median", "min", "max", "count"] {
            let of = |values: &[(f64, String)]| {
                over(name, &values.iter().map(|(value, _)| vec![float(*value)]).collect::<Vec<_>>())
            };
            prop_assert_eq!(of(&values), of(&turned), "{}", name);
        }
        let choose = |name: &str, values: &[(f64, String)]| {
            over(name, &values.iter().map(|(by, value)| vec![text(value), float(*by)]).collect::<Vec<_>>())
        };
        prop_assert_eq!(choose("arg_max", &values), choose("arg_max", &turned));
        prop_assert_eq!(choose("arg_min", &values), choose("arg_min", &turned));
    }
}

/// What a group gives that merges one group after another, each of one match; the sums in it carry at each.
fn merged(name: &str, values: &[f64]) -> Option<Word> {
    let types = [hence_core::value::Type::Float];
    let (aggregate, _) = aggregate::resolve(name, &types).unwrap();
    let [mut states, mut others] = [aggregate.states(&types), aggregate.states(&types)];
    states.push_groups(1);
    others.push_groups(values.len());
    for (group, value) in (0..).zip(values) {
        others.add(group as usize, &[float(*value).word()]);
        states.merge_all(&[0], &*others, &[group]);
    }
    states.finish(0)
}

#[test]
fn carrying_changes_no_sum() {
    let values = [1e300, -3.5, 0.1, -1e300, -1e-300, 7e10, -7e10, f64::MAX, -5e-324, 1e-5];
    for name in ["sum", "mean"] {
        for end in 1..=values.len() {
            let plain = over(name, &floats(&values[..end]));
            assert_eq!(merged(name, &values[..end]), plain.map(Value::word), "{name} of the first {end}");
        }
    }
    assert_eq!(merged("sum", &[-1.5; 40]), Some(float(-60.0).word()));
}
