//! One error for all uses of a name that nothing declares: the same mistake is told once a file.

use std::collections::BTreeMap;

use hence_core::diagnostic::{Diagnostic, Label};
use hence_core::span::Span;

use super::codes::UNKNOWN_RELATION;

/// How many further uses are shown.
const SHOWN: usize = 4;

/// Puts further uses of an unknown relation to the first of its file; the faults are sorted by place.
pub(super) fn join(found: &mut Vec<Diagnostic>) {
    let mut first = BTreeMap::new();
    let mut joined: Vec<Diagnostic> = Vec::with_capacity(found.len());
    let mut more: BTreeMap<usize, usize> = BTreeMap::new();
    for fault in found.drain(..) {
        let place = fault.span().filter(|_| fault.code == UNKNOWN_RELATION);
        let known = place.and_then(|place| {
            let at = *first.entry((place.file, fault.message.clone())).or_insert(joined.len());
            Some((place, at, joined.get_mut(at)?))
        });
        match known {
            Some((place, _, one)) if one.labels.len() <= SHOWN => one.labels.push(also(place)),
            Some((_, at, _)) => *more.entry(at).or_default() += 1,
            None => joined.push(fault),
        }
    }
    for (at, count) in more {
        if let Some(one) = joined.get_mut(at) {
            one.notes.push(format!("{count} more {} in this file", if count == 1 { "use" } else { "uses" }));
        }
    }
    *found = joined;
}

fn also(span: Span) -> Label {
    Label { span, text: String::from("also here") }
}
