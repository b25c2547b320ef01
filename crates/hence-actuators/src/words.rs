//! The words of a text, for what is remembered and for how near two texts are.

use std::collections::{BTreeMap, BTreeSet};

/// Words have more letters than this.
const SHORT: usize = 3;

/// Runs of letters and digits; between two other characters there is an empty one.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric())
}

/// The words of more than 3 letters of a text, each once, in lower case.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    runs(&lower).filter(|word| word.chars().count() > SHORT).map(str::to_owned).collect()
}

/// The words of more than one letter of a text, each once, in lower case, without the ending of a plural.
pub(super) fn singular(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let bare = |word: &str| word.strip_suffix('s').filter(|word| word.len() > 2).unwrap_or(word).to_owned();
    runs(&lower).filter(|word| word.chars().count() > 1).map(bare).collect()
}

/// Words of a topic have at least so many letters.
const TOPIC: usize = 3;

/// What says nothing of a topic (document 004, upgrade 7).
const STOP_WORDS: [&str; 63] = [
    "the", "a", "an", "is", "are", "was", "were", "be", "been", "being", "have", "has", "had", "do", "does",
    "did", "will", "would", "shall", "should", "may", "might", "must", "can", "could", "i", "you", "he",
    "she", "it", "we", "they", "me", "him", "her", "us", "them", "my", "your", "his", "its", "our", "their",
    "this", "that", "these", "those", "what", "which", "who", "whom", "how", "when", "where", "why", "not",
    "no", "yes", "just", "also", "very", "too", "only",
];

/// The words of a text's topic, each once: in lower case, without anything but a-z, 0-9 and white space
/// (`rate-limit` is `ratelimit`), of three letters or more, without stop words.
pub(super) fn topic(text: &str) -> BTreeSet<String> {
    let kept = |letter: &char| matches!(letter, 'a'..='z' | '0'..='9') || letter.is_whitespace();
    let text: String = text.to_lowercase().chars().filter(kept).collect();
    let words = text.split_whitespace().filter(|word| word.len() >= TOPIC && !STOP_WORDS.contains(word));
    words.map(str::to_owned).collect()
}

/// The words of a text of three letters or more, in lower case, without stop words, each as often as it is there.
pub(super) fn terms(text: &str) -> BTreeMap<String, u32> {
    let mut terms = BTreeMap::new();
    let lower = text.to_lowercase();
    for word in runs(&lower).filter(|word| word.chars().count() >= TOPIC && !STOP_WORDS.contains(word)) {
        *terms.entry(word.to_owned()).or_insert(0) += 1;
    }
    terms
}

/// How many of the words of two texts both have, from 0 to 1 (Jaccard); 0 where neither has any.
pub(super) fn overlap(one: &str, other: &str) -> f64 {
    let (one, other) = (words(one), words(other));
    let all = one.union(&other).count();
    if all == 0 { 0.0 } else { one.intersection(&other).count() as f64 / all as f64 }
}
