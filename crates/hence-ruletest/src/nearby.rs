//! The facts that are there instead: those of a relation that fit a pattern best, nearest first.

use hence_core::fact::Fact;
use hence_core::value::Value;

/// How many facts are shown in the place of one that isn't there.
const SHOWN: usize = 3;

/// The facts nearest to `pattern` (a value, or `None` for anything, in each column), and how many more there are.
pub(super) fn nearest(facts: Vec<Fact>, pattern: &[Option<Value>]) -> (Vec<String>, usize) {
    let mut ranked: Vec<((usize, f64), Fact)> =
        facts.into_iter().map(|fact| (distance(&fact.values, pattern), fact)).collect();
    ranked.sort_by(|(a, left), (b, right)| {
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then_with(|| left.cmp(right))
    });
    let more = ranked.len().saturating_sub(SHOWN);
    (ranked.iter().take(SHOWN).map(|(_, fact)| format!("{fact}.")).collect(), more)
}

/// In how many columns a fact differs, and by how much in all.
fn distance(values: &[Value], pattern: &[Option<Value>]) -> (usize, f64) {
    values.iter().zip(pattern).filter_map(|(value, wanted)| Some((value, (*wanted)?))).fold(
        (0, 0.0),
        |(columns, sum), (value, wanted)| {
            if *value == wanted { (columns, sum) } else { (columns + 1, sum + apart(*value, wanted)) }
        },
    )
}

/// How far two values are from each other, from 0 to 1.
fn apart(left: Value, right: Value) -> f64 {
    let (a, b) = match (left, right) {
        (Value::Int(a), Value::Int(b))
        | (Value::Time(a), Value::Time(b))
        | (Value::Duration(a), Value::Duration(b)) => (a as f64, b as f64),
        (Value::Float(a), Value::Float(b)) => (a.get(), b.get()),
        (a, b) => return 1.0 - strsim::jaro_winkler(&a.text(), &b.text()),
    };
    let gap = (a - b).abs();
    gap / (1.0 + gap)
}
