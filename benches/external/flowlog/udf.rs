//! What FlowLog has no operation for in `agg.dl`.

use flowlog_runtime::ordered_float::OrderedFloat;

pub fn ratio(a: u32, b: u32) -> OrderedFloat<f64> {
    OrderedFloat(f64::from(a) / f64::from(b))
}

pub fn useful_of(rate: OrderedFloat<f64>, calls: u32) -> OrderedFloat<f64> {
    OrderedFloat((rate.0 * 0.7 + 0.5 * 0.3) * f64::min(1.0, f64::from(calls) / 10.0))
}
