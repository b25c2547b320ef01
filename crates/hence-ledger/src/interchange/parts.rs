//! A text of lines in parts, each read on a thread of its own.

use std::thread;

use hence_core::fact::Fact;
use hence_core::fault;

use super::reader::Reader;
use super::schemas::Schemas;

/// The facts of the lines in their order, each part read by `work`, which hears whether it is the first, on as many threads
/// as `schemas` says; none where that is one, and where something is wrong with a line: which faults are shown depends on
/// those before, so one thread has to find them.
pub(super) fn read<'t>(
    schemas: &Schemas<'_>,
    text: &'t str,
    work: impl Fn(&mut Reader<'_, '_>, &'t str, bool) + Sync,
) -> Option<Vec<Fact>> {
    let facts = |part: &'t str, first: bool| {
        let mut facts = Vec::new();
        let mut reader = Reader::new(schemas, "", &mut facts);
        work(&mut reader, part, first);
        // Not by `finish`, which only knows faults that are tied to their text.
        let sound = reader.faults().is_empty() && !reader.is_stopped();
        sound.then_some(facts)
    };
    let parts = parts(text, schemas.threads());
    let (first, others) = parts.split_first().filter(|(_, others)| !others.is_empty())?;
    thread::scope(|scope| {
        // Where the system gives no more threads, this one does it.
        let spawn = |part: &&'t str| {
            let part = *part;
            (part, thread::Builder::new().spawn_scoped(scope, move || facts(part, false)).ok())
        };
        let helpers: Vec<_> = others.iter().map(spawn).collect();
        let mut all = facts(first, true);
        for (part, helper) in helpers {
            let more = helper.map_or_else(|| facts(part, false), |helper| fault::joined(helper.join()));
            all = all.zip(more).map(|(mut all, mut more)| {
                all.append(&mut more);
                all
            });
        }
        all
    })
}

/// The text in at most `count` parts of whole lines, about equally long.
fn parts(mut text: &str, count: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    for left in (1..=count).rev() {
        let about = text.len() / left;
        let end = text.bytes().skip(about).position(|byte| byte == b'\n');
        let (part, rest) = text.split_at(end.map_or(text.len(), |end| about + end + 1));
        parts.push(part);
        text = rest;
    }
    parts.retain(|part| !part.is_empty());
    parts
}
