//! The shortest cycle through a negation, an aggregate or a limit, step by step.

use std::collections::{BTreeMap, VecDeque};

use super::graph::{How, Read};
use super::{Component, Components};
use crate::analysis::checked::Checked;
use crate::analysis::codes::CYCLE;
use crate::analysis::prose::ends;
use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;

/// A fault for each component with such a cycle.
pub(super) fn cycles(checked: &Checked, reads: &[Read], components: &Components) -> Vec<Diagnostic> {
    let mut inside: BTreeMap<Component, Vec<&Read>> = BTreeMap::new();
    for read in reads.iter().filter(|read| components.inside(read)) {
        inside.entry(components.of(read.reader)).or_default().push(read);
    }
    inside.values().filter_map(|reads| shortest(reads)).map(|cycle| fault(checked, &cycle)).collect()
}

/// How many reads that need all of a relation are tried as the beginning of a cycle; beyond them a shorter one is
/// not worth the time.
const STARTS: usize = 200;

/// The shortest cycle that begins with a read which needs all of a relation; of equally short ones the first in
/// the order of the text.
fn shortest<'a>(reads: &[&'a Read]) -> Option<Vec<&'a Read>> {
    let mut by_reader: BTreeMap<RelationId, Vec<&'a Read>> = BTreeMap::new();
    for read in reads {
        by_reader.entry(read.reader).or_default().push(read);
    }
    let mut best: Option<Vec<&'a Read>> = None;
    for first in reads.iter().filter(|read| read.how.needs_all()).take(STARTS) {
        let bound = best.as_ref().map_or(usize::MAX, Vec::len);
        if let Some(cycle) = close(first, &by_reader, bound) {
            best = Some(cycle);
        }
    }
    best
}

/// The shortest cycle that begins with `first`, if it has fewer than `bound` steps.
fn close<'a>(
    first: &'a Read,
    by_reader: &BTreeMap<RelationId, Vec<&'a Read>>,
    bound: usize,
) -> Option<Vec<&'a Read>> {
    let mut came_by: BTreeMap<RelationId, &'a Read> = BTreeMap::from([(first.read, first)]);
    let mut queue = VecDeque::from([(first.read, 1)]);
    while let Some((at, steps)) = queue.pop_front() {
        if steps >= bound {
            return None;
        }
        if at == first.reader {
            return Some(path(first, &came_by));
        }
        for read in by_reader.get(&at).into_iter().flatten() {
            came_by.entry(read.read).or_insert_with(|| {
                queue.push_back((read.read, steps + 1));
                read
            });
        }
    }
    None
}

/// The steps from `first` back to its reader.
fn path<'a>(first: &'a Read, came_by: &BTreeMap<RelationId, &'a Read>) -> Vec<&'a Read> {
    let mut steps = Vec::new();
    let mut at = first.reader;
    while let Some(read) = came_by.get(&at) {
        steps.push(*read);
        at = read.reader;
        if at == first.reader {
            break;
        }
    }
    steps.reverse();
    steps
}

fn fault(checked: &Checked, cycle: &[&Read]) -> Diagnostic {
    let name = |relation: RelationId| checked[relation].name.as_str();
    let first = cycle.first().or_broken("a cycle has a step");
    let start = name(first.reader);
    let mut fault =
        Diagnostic::new(CYCLE, format!("`{start}` depends on itself through {}", means(first.how)));
    let (shown, left_out) = ends(cycle);
    for (at, read) in shown.enumerate() {
        let text = step(name(read.reader), name(read.read), read.how);
        fault = fault.at(read.span, if at == 0 { text } else { format!("and {text}") });
    }
    if left_out > 0 {
        fault = fault.note(format!("{left_out} intermediate steps are not shown"));
    } else {
        let chain: Vec<_> = cycle.iter().map(|read| format!("`{}` → ", name(read.reader))).collect();
        fault = fault.note(format!("the cycle is {}`{start}`", chain.concat()));
    }
    fault.help(format!("let `{start}` read a relation that doesn't depend on `{start}`"))
}

fn means(how: How) -> &'static str {
    match how {
        How::Some => "its own facts",
        How::None => "negation",
        How::Aggregate => "an aggregate",
        How::Limit => "a limit",
    }
}

fn step(reader: &str, read: &str, how: How) -> String {
    match how {
        How::Some => format!("`{reader}` depends on `{read}`"),
        How::None => format!("`{reader}` depends on the absence of `{read}`"),
        How::Aggregate => format!("`{reader}` aggregates over `{read}`"),
        How::Limit => format!("`{reader}` applies a limit over `{read}`"),
    }
}
