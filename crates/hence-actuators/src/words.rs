//! The words of a text, for what is remembered and for how near two texts are.

use std::collections::BTreeSet;

/// Words have more letters than this.
const SHORT: usize = 3;

/// The words of more than 3 letters of a text, each once, in lower case: runs of letters and digits.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| word.chars().count() > SHORT).map(str::to_owned).collect()
}

/// How many of the words of two texts both have, from 0 to 1 (Jaccard); 0 where neither has any.
pub(super) fn overlap(one: &str, other: &str) -> f64 {
    let (one, other) = (words(one), words(other));
    let all = one.union(&other).count();
    if all == 0 { 0.0 } else { one.intersection(&other).count() as f64 / all as f64 }
}
