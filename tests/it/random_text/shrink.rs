//! From a program that fails to a small one that fails in the same way.

use super::program::Text;
use super::{Tally, failure};

/// The first words of a failure, which tell its kind.
fn kind(text: &Text) -> Option<String> {
    failure(text, &mut Tally::default()).map(|failure| {
        let line = failure.lines().next().unwrap_or_default().to_owned();
        let fault =
            failure.lines().nth(1).filter(|_| line == "refused").map(|line| line.chars().take(4).collect());
        fault.unwrap_or_else(|| line.chars().take(12).collect())
    })
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
