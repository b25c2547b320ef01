//! The neighbours of a constant.

use hence_core::list;
use hence_core::schema::NameSet;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Value};

const MICROSECOND: i64 = 1;
const UNITS: [i64; 6] = [7 * 86_400_000_000, 86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000, 1_000];

/// The values next to `value`; of a closed set of names the next member, of a list those without one element.
pub(super) fn neighbours(value: Value, set: Option<&NameSet>) -> Vec<Value> {
    match value {
        Value::Bool(value) => vec![Value::Bool(!value)],
        Value::Int(value) => {
            [value.checked_sub(1), value.checked_add(1)].into_iter().flatten().map(Value::Int).collect()
        }
        Value::Float(value) => {
            let step = step(value.get());
            let moved = [value.get() - step, value.get() + step];
            moved.into_iter().filter_map(|value| Float::new(tidy(value, step))).map(Value::Float).collect()
        }
        Value::Duration(micros) => {
            let unit = unit(micros);
            [micros.checked_sub(unit), micros.checked_add(unit)]
                .into_iter()
                .flatten()
                .map(Value::Duration)
                .collect()
        }
        Value::Time(micros) => micros.checked_add(1_000_000).map(Value::Time).into_iter().collect(),
        Value::Name(name) => vec![Value::Name(next_name(name, set))],
        Value::List(text) => {
            let elements = list::elements(text);
            let without = |left_out: &Value| list::of(elements.iter().copied().filter(|one| one != left_out));
            elements.iter().map(without).collect()
        }
        Value::String(text) => vec![Value::String(Symbol::new(&format!("{text}_")))],
    }
}

/// One in the last place of a float as it is written: 0.1 of 0.5, 0.01 of 0.15, 1 of 70.0.
fn step(value: f64) -> f64 {
    let text = format!("{value}");
    match text.split_once('.') {
        Some((_, places)) if places != "0" => 10_f64.powi(-(places.len() as i32)),
        _ => 1.0,
    }
}

/// `0.7 - 0.1` as `0.6`: the moved value as it would be written.
fn tidy(value: f64, step: f64) -> f64 {
    let places = (-step.log10()).round().max(0.0) as usize;
    format!("{value:.places$}").parse().unwrap_or(value)
}

/// The largest unit of which a duration has a whole number and more than one, else the next smaller one.
fn unit(micros: i64) -> i64 {
    let whole = |unit: &&i64| micros % **unit == 0 && micros != **unit;
    UNITS.iter().find(whole).copied().unwrap_or(MICROSECOND)
}

fn next_name(name: Symbol, set: Option<&NameSet>) -> Symbol {
    let next = set.and_then(|set| {
        let at = set.members.iter().position(|member| *member == name)?;
        set.members.get((at + 1) % set.members.len()).copied()
    });
    next.filter(|next| *next != name).unwrap_or_else(|| Symbol::new(&format!("{name}_")))
}
