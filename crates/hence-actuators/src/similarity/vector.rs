//! How alike texts are by the vectors that an embedding model gave them.

use serde_json::Value as Json;

/// The most numbers that a vector has.
const MOST: usize = 4_096;

/// What a vector is expected to be.
pub(super) const WANTED: &str = "an array of numbers that are not all 0, at most 4096";

/// A vector of length 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Vector(Vec<f64>);

impl Vector {
    /// The vector that JSON is, with its length made 1.
    pub(super) fn read(json: &Json) -> Option<Self> {
        let numbers = json.as_array().filter(|numbers| numbers.len() <= MOST)?;
        let numbers = numbers.iter().map(Json::as_f64).collect::<Option<Vec<f64>>>()?;
        // By the largest first, so that no square is too large or too small.
        let largest = numbers.iter().fold(0.0_f64, |most, number| most.max(number.abs()));
        if !largest.is_finite() || largest == 0.0 {
            return None;
        }
        let scaled: Vec<f64> = numbers.iter().map(|number| number / largest).collect();
        let length = scaled.iter().map(|number| number * number).sum::<f64>().sqrt();
        Some(Self(scaled.iter().map(|number| number / length).collect()))
    }

    /// How many numbers it has.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The cosine of the angle to another one, what points away counting as 0.
    pub(super) fn cosine(&self, other: &Self) -> f64 {
        self.0.iter().zip(&other.0).map(|(one, other)| one * other).sum::<f64>().clamp(0.0, 1.0)
    }
}
