//! The lines in which two texts differ, in unified form.

use hence_core::fault::OrBroken;

/// Lines of context around a difference.
const CONTEXT: usize = 2;
/// The largest table of common lines; beyond it what lies between common beginnings and ends is taken as replaced.
const LARGEST_TABLE: usize = 4_000_000;

/// A line of the difference: kept, removed or added.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edit<'a> {
    Kept(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

/// What has to change to make `after` of `before`: hunks with two lines of context, empty where both are equal.
pub fn unified(before: &str, after: &str) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let edits = edits(&old, &new);
    let mut out = String::new();
    for (from, to) in hunks(&edits) {
        hunk(&edits, from, to, &mut out);
    }
    out
}

/// All lines of both texts in order.
fn edits<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Edit<'a>> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (old.get(start..).unwrap_or(&[]), new.get(start..).unwrap_or(&[]));
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_inner, tail) = old_rest.split_at(old_rest.len() - end);
    let new_inner = new_rest.get(..new_rest.len() - end).unwrap_or(&[]);
    let head = old.iter().take(start).map(|line| Edit::Kept(line));
    let mut edits: Vec<Edit<'a>> = head.collect();
    edits.extend(inner(old_inner, new_inner));
    edits.extend(tail.iter().map(|line| Edit::Kept(line)));
    edits
}

/// Edits by a longest common subsequence.
fn inner<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Edit<'a>> {
    let mut out = Vec::with_capacity(old.len() + new.len());
    let (mut a, mut b) = (old, new);
    if old.len().saturating_mul(new.len()) <= LARGEST_TABLE {
        let table = common(old, new);
        let length = |a: &[&str], b: &[&str]| {
            let at = (old.len() - a.len()) * (new.len() + 1) + (new.len() - b.len());
            table.get(at).copied().or_broken(TABLE)
        };
        while let (Some((x, a_rest)), Some((y, b_rest))) = (a.split_first(), b.split_first()) {
            if x == y {
                out.push(Edit::Kept(x));
                (a, b) = (a_rest, b_rest);
            } else if length(a_rest, b) >= length(a, b_rest) {
                out.push(Edit::Removed(x));
                a = a_rest;
            } else {
                out.push(Edit::Added(y));
                b = b_rest;
            }
        }
    }
    out.extend(a.iter().map(|line| Edit::Removed(line)));
    out.extend(b.iter().map(|line| Edit::Added(line)));
    out
}

/// What a table of suffixes is looked up by.
const TABLE: &str = "the table has a place for each pair of suffixes";

/// For each pair of suffixes how many lines they have in common in order, row by row of `old`.
fn common(old: &[&str], new: &[&str]) -> Vec<u32> {
    let width = new.len() + 1;
    let mut table = vec![0u32; (old.len() + 1) * width];
    for (i, x) in old.iter().enumerate().rev() {
        for (j, y) in new.iter().enumerate().rev() {
            let at = |i: usize, j: usize| table.get(i * width + j).copied().or_broken(TABLE);
            let best = if x == y { at(i + 1, j + 1) + 1 } else { at(i + 1, j).max(at(i, j + 1)) };
            if let Some(cell) = table.get_mut(i * width + j) {
                *cell = best;
            }
        }
    }
    table
}

/// The ranges of edits that hold differences with their context.
fn hunks(edits: &[Edit<'_>]) -> Vec<(usize, usize)> {
    let mut hunks: Vec<(usize, usize)> = Vec::new();
    for (at, _) in edits.iter().enumerate().filter(|(_, edit)| !matches!(edit, Edit::Kept(_))) {
        let (from, to) = (at.saturating_sub(CONTEXT), (at + 1 + CONTEXT).min(edits.len()));
        match hunks.last_mut() {
            Some(last) if from <= last.1 => last.1 = to,
            _ => hunks.push((from, to)),
        }
    }
    hunks
}

fn hunk(edits: &[Edit<'_>], from: usize, to: usize, out: &mut String) {
    let count = |range: &[Edit<'_>], old: bool| {
        let other = |edit: &&Edit<'_>| match edit {
            Edit::Kept(_) => true,
            Edit::Removed(_) => old,
            Edit::Added(_) => !old,
        };
        range.iter().filter(other).count()
    };
    let (before, inside) = (edits.get(..from).unwrap_or(&[]), edits.get(from..to).unwrap_or(&[]));
    let place = |old: bool| {
        let (start, length) = (count(before, old), count(inside, old));
        format!("{},{length}", if length == 0 { start } else { start + 1 })
    };
    out.push_str(&format!("@@ -{} +{} @@\n", place(true), place(false)));
    for edit in inside {
        let (sign, line) = match edit {
            Edit::Kept(line) => (' ', line),
            Edit::Removed(line) => ('-', line),
            Edit::Added(line) => ('+', line),
        };
        out.push(sign);
        out.push_str(line.trim_end_matches(['\n', '\r']));
        out.push_str(if line.ends_with('\n') { "\n" } else { "\n\\ no line end\n" });
    }
}
