//! Random readings of sensors, and rules over them, for the tests of what is decided and recorded.

use hence::session::{Loader, RuleSet, check};
use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

/// The same throws from the same seed.
pub(super) struct Dice {
    state: u64,
    /// Weights are below this; one of 0 leaves a share undetermined.
    weights: u64,
}

impl Dice {
    pub(super) fn new(seed: u64, weights: u64) -> Self {
        Self { state: seed, weights }
    }

    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.state = self.state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.state >> 33) % sides
    }

    fn sensor(&mut self) -> Value {
        Value::String(Symbol::new(["north", "south", "attic", "cellar"][self.roll(4) as usize]))
    }

    pub(super) fn fact(&mut self) -> Fact {
        let sensor = self.sensor();
        match self.roll(5) {
            0 | 1 => Fact::new("reading", [sensor, Value::Int(45 + 5 * self.roll(5) as i64)]),
            2 => Fact::new("weight", [sensor, Value::Int(self.roll(self.weights) as i64)]),
            _ => {
                let to = self.sensor();
                Fact::new("link", [sensor, to])
            }
        }
    }
}

/// Rules in parts, with these parameters.
pub(super) fn rules(parts: &[&str], params: &[(Symbol, Value)]) -> RuleSet {
    let mut loader = Loader::default();
    for (at, part) in parts.iter().enumerate() {
        loader.text(&format!("part{at}.dl"), part);
    }
    let findings = check(loader.finish(), params);
    *findings.rules.unwrap_or_else(|| panic!("{:?}", findings.faults.diagnostics))
}
