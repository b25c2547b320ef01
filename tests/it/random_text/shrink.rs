//! From a program that fails to a small one that fails in the same way.

use super::program::Text;
use super::{Tally, failure};

/// What tells a failure's kind: its first line, of a refusal the first fault without the names in it.
fn kind(text: &Text) -> Option<String> {
    let failure = failure(text, &mut Tally::default())?;
    let mut lines = failure.lines();
    let first = lines.next().unwrap_or_default();
    let line = if first == "refused" { lines.next().unwrap_or_default() } else { first };
    let words: String = line.split('`').step_by(2).collect();
    Some(words.chars().take(if first == "refused" { 60 } else { 20 }).collect())
}

/// A smallest program that fails like this one: nothing of it can be left out.
pub(super) fn shrink(mut text: Text) -> Text {
    let wanted = kind(&text);
    while let Some(smaller) = candidates(&text).into_iter().find(|smaller| kind(smaller) == wanted) {
        text = smaller;
    }
    text
}

/// The program with one thing less, the largest things first.
fn candidates(text: &Text) -> Vec<Text> {
    let mut all = Vec::new();
    let mut edit = |change: &dyn Fn(&mut Text)| {
        let mut smaller = text.clone();
        change(&mut smaller);
        all.push(smaller);
    };
    (0..text.rules.len()).for_each(|at| edit(&|text| drop(text.rules.remove(at))));
    (0..text.declarations.len()).for_each(|at| edit(&|text| drop(text.declarations.remove(at))));
    (0..text.facts.len()).for_each(|at| edit(&|text| drop(text.facts.remove(at))));
    for (at, rule) in text.rules.iter().enumerate() {
        if rule.limit.is_some() {
            edit(&|text| text.rules[at].limit = None);
        }
        (0..rule.body.len()).for_each(|literal| edit(&|text| drop(text.rules[at].body.remove(literal))));
    }
    all
}
