//! A proof as a folded tree: each line a sentence, below it what it rests on.

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use maud::{Markup, html};
use serde_json::Value as Json;

use super::words::{self, Schema, count, list, text};

/// How deep lines stand within each other; what is deeper begins again at the left.
const DEEPEST: usize = 12;
/// How many levels are unfolded at first.
const UNFOLDED: usize = 2;
/// How many steps are shown.
const MOST: usize = 400;
/// How many inputs of a group are shown.
const INPUTS: usize = 12;

/// A proof, with the words for what it names.
#[derive(Clone, Copy)]
pub(super) struct Proof<'j> {
    json: &'j Json,
    schema: Schema<'j>,
}

/// What was shown already, what is still to be, and below which step each step is shown whole: the nearest to the decision.
#[derive(Default)]
struct Progress {
    shown: BTreeSet<usize>,
    later: VecDeque<usize>,
    owners: BTreeMap<usize, usize>,
}

impl<'j> Proof<'j> {
    pub(super) fn new(json: &'j Json, schema: Schema<'j>) -> Self {
        Self { json, schema }
    }

    pub(super) fn steps(self) -> &'j [Json] {
        list(self.json, "steps")
    }

    pub(super) fn schema(self) -> Schema<'j> {
        self.schema
    }

    /// What a step says in a line of text.
    pub(super) fn line(self, at: usize) -> String {
        let Some(step) = self.steps().get(at) else { return String::new() };
        match step.get("sentence").and_then(Json::as_str) {
            Some(sentence) => words::sentence_text(sentence),
            None => {
                let (relation, values) = words::fact_parts(step.get("fact").unwrap_or(&Json::Null));
                let values: Vec<String> = values.iter().map(words::value_text).collect();
                format!("{}: {}", words::plain(relation), values.join(", "))
            }
        }
    }

    /// The steps that a step rests on.
    pub(super) fn below(self, at: usize) -> Vec<usize> {
        let premises = |of: &'j Json| list(of, "premises").iter();
        let Some(step) = self.steps().get(at) else { return Vec::new() };
        let of_group = |premise: &'j Json| {
            let inputs = premise.get("aggregate").map(|group| list(group, "inputs")).unwrap_or_default();
            inputs.iter().take(INPUTS).flat_map(premises)
        };
        let all = premises(step).flat_map(|premise| std::iter::once(premise).chain(of_group(premise)));
        let numbers = all.filter_map(|premise| premise.get("step")?.as_u64());
        numbers.filter_map(|number| usize::try_from(number).ok()).filter(|below| *below > at).collect()
    }

    fn owners(self) -> BTreeMap<usize, usize> {
        let (mut owners, mut next) = (BTreeMap::new(), VecDeque::from([0]));
        while let Some(at) = next.pop_front() {
            for below in self.below(at) {
                if let Entry::Vacant(entry) = owners.entry(below) {
                    entry.insert(at);
                    next.push_back(below);
                }
            }
        }
        owners
    }

    /// The whole tree.
    pub(super) fn tree(self) -> Markup {
        let progress = RefCell::new(Progress {
            later: VecDeque::from([0]),
            owners: self.owners(),
            ..Progress::default()
        });
        let next = || progress.borrow_mut().later.pop_front();
        let mut parts = Vec::new();
        while let Some(at) = next() {
            if !progress.borrow().shown.contains(&at) {
                parts.push(self.step(at, (None, 0), &progress));
            }
        }
        let left = self.steps().len().saturating_sub(progress.borrow().shown.len());
        html! {
            @for (at, part) in parts.iter().enumerate() {
                @if at > 0 { p.hint { "Further down:" } }
                ul.proof { (part) }
            }
            @if left > 0 {
                p.hint { (words::counted(left as u64, "more step", "more steps")) " in the proof as JSON." }
            }
        }
    }

    /// A step below `from`, or at the left.
    fn step(self, at: usize, (from, depth): (Option<usize>, usize), progress: &RefCell<Progress>) -> Markup {
        let Some(step) = self.steps().get(at) else { return html! {} };
        let (is_known, is_here, has_room) = {
            let progress = progress.borrow();
            let is_here = from.is_none() || progress.owners.get(&at).copied() == from;
            (progress.shown.contains(&at), is_here, progress.shown.len() < MOST)
        };
        if is_known || !is_here || !has_room || depth >= DEEPEST {
            if is_here && !is_known && has_room {
                progress.borrow_mut().later.push_back(at);
            }
            let line = self.line(at);
            return html! { li { a.again href={ "#s" (at) } { (line) " " span.meta { "shown elsewhere" } } } };
        }
        progress.borrow_mut().shown.insert(at);
        let premises = list(step, "premises");
        html! {
            li id={ "s" (at) } {
                @if premises.is_empty() {
                    div.leaf { (self.said(step)) (ground(step)) }
                } @else {
                    details open[depth < UNFOLDED] {
                        summary { (self.said(step)) (ground(step)) }
                        ul { @for premise in premises { (self.premise(premise, (at, depth + 1), progress)) } }
                        @if depth == 0 { (rule_of(step)) }
                    }
                }
            }
        }
    }

    fn said(self, step: &Json) -> Markup {
        html! {
            span.said {
                @match step.get("sentence").and_then(Json::as_str) {
                    Some(sentence) => { (words::sentence(sentence)) }
                    None => { (self.schema.fact(step.get("fact").unwrap_or(&Json::Null))) }
                }
            }
        }
    }

    fn premise(self, premise: &Json, (from, depth): (usize, usize), progress: &RefCell<Progress>) -> Markup {
        if let Some(at) = premise.get("step").and_then(Json::as_u64) {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            return self.step(at, (Some(from), depth), progress);
        }
        if let Some(group) = premise.get("aggregate") {
            return self.group(group, (from, depth), progress);
        }
        html! { li { div.leaf { (self.condition(premise)) } } }
    }

    /// What a rule looks at beside facts.
    fn condition(self, premise: &Json) -> Markup {
        let (test, bind, each) = (text(premise, "test"), text(premise, "bind"), text(premise, "each"));
        let written = words::condition(text(premise, "written"));
        html! {
            @if let Some(absent) = premise.get("absent") {
                span.said { "There is no " (self.schema.fact(absent)) }
                span.badge { "among " (count(premise, "among")) }
            } @else if !test.is_empty() {
                span.said { (words::condition(test)) } span.badge { (words::plain(&written)) }
            } @else if !bind.is_empty() || !each.is_empty() {
                span.said {
                    (words::plain(bind)) (words::plain(each)) " is "
                    (words::value(premise.get("value").unwrap_or(&Json::Null)))
                }
                span.badge { (words::condition(text(premise, "text"))) }
            } @else if let Some(limit) = premise.get("limit") {
                span.said { (rank(limit)) }
                span.badge { "ranking" }
            } @else {
                span.said { code { (premise) } }
            }
        }
    }

    fn group(self, group: &Json, (from, depth): (usize, usize), progress: &RefCell<Progress>) -> Markup {
        let inputs = list(group, "inputs");
        let matches = count(group, "matches");
        let results = group.get("results").and_then(Json::as_object);
        let more = matches.saturating_sub(inputs.len().min(INPUTS) as u64);
        html! {
            li {
                details open[depth < UNFOLDED] {
                    summary {
                        span.said {
                            @for (name, result) in results.into_iter().flatten() {
                                (words::plain(name)) " is "
                                (words::value(result.get("value").unwrap_or(&Json::Null))) " "
                            }
                        }
                        span.badge { "from " (words::counted(matches, "case", "cases")) }
                    }
                    ul {
                        @for input in inputs.iter().take(INPUTS) {
                            @for premise in list(input, "premises") {
                                (self.premise(premise, (from, depth + 1), progress))
                            }
                        }
                        @if more > 0 {
                            li { div.leaf { span.meta { "and " (words::counted(more, "more case", "more cases")) } } }
                        }
                    }
                }
            }
        }
    }
}

/// Which place something has among others.
fn rank(limit: &Json) -> String {
    let (rank, keep, of) = (count(limit, "rank"), count(limit, "keep"), count(limit, "of"));
    match (rank, keep) {
        (1, 1) => format!("It is the first of {of}, and only the first counts"),
        (_, 1) => format!("It is number {rank} of {of}, and only the first counts"),
        _ => format!("It is number {rank} of {of}, and the first {keep} count"),
    }
}

/// What a step stands on: somebody's word, a table of the rules, or a rule.
fn ground(step: &Json) -> Markup {
    match text(step, "by") {
        "assertion" => {
            let origin = step.get("origin").unwrap_or(&Json::Null);
            html! { span.badge.fact { "recorded by " (text(origin, "author")) } }
        }
        "clause" => html! { span.badge { "given by the rules" } },
        "rule" => html! { span.badge.rule { "rule: " (words::plain(text(step, "rule"))) } },
        _ => html! { span.badge { "known" } },
    }
}

fn rule_of(step: &Json) -> Markup {
    let place = step.get("place").unwrap_or(&Json::Null);
    html! {
        @if !text(place, "file").is_empty() {
            p.place { "The rule is in " code { (text(place, "file")) ":" (count(place, "line")) } }
        }
    }
}

/// How surely somebody is known to have said something.
pub(super) fn strength(word: &str) -> Markup {
    match word {
        "signed" => html! { span.badge.on { "signed by its author" } },
        "carried" => html! { span.badge { "passed on by another" } },
        "derived" => html! { span.badge { "by a rule" } },
        "" | "claimed" => html! { span.badge { "claimed, not signed" } },
        other => html! { span.badge { (words::plain(other)) } },
    }
}
