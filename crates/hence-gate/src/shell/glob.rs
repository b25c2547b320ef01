//! Patterns of file names: whether a name fits, and which files of a folder do, within bounds.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How many entries of folders are looked at for one word.
const MOST_ENTRIES: usize = 5_000;
/// How many files a word stands for.
const MOST_FILES: usize = 128;

/// The longest pattern that is looked into, in bytes; a longer one fits any name.
const LONGEST_PATTERN: usize = 256;

/// Whether a text holds what makes a pattern of it.
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The paths that a pattern stands for in a folder, from `base`; `None` where there are too many.
pub(super) fn files(base: &Path, pattern: &str) -> Option<Vec<PathBuf>> {
    let mut found = vec![if pattern.starts_with('/') { PathBuf::from("/") } else { base.to_owned() }];
    let mut entries = 0;
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        if part == "**" {
            // Where a shell does not take that for folders in folders, it stands for less.
            found = folders_below(found, &mut entries)?;
            continue;
        }
        if !is_pattern(part) {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let mut next = Vec::new();
        for folder in &found {
            let Ok(listed) = fs::read_dir(folder) else { continue };
            for entry in listed.flatten() {
                entries += 1;
                let name = entry.file_name();
                let name = name.to_string_lossy();
                if fits(part, &name) && (part.starts_with('.') || !name.starts_with('.')) {
                    next.push(folder.join(&*name));
                }
                if entries > MOST_ENTRIES || next.len() > MOST_FILES {
                    return None;
                }
            }
        }
        found = next;
    }
    found.retain(|path| path.symlink_metadata().is_ok());
    Some(found)
}

/// Some folders and those below them, but for hidden ones.
fn folders_below(mut all: Vec<PathBuf>, entries: &mut usize) -> Option<Vec<PathBuf>> {
    let mut at = 0;
    while let Some(folder) = all.get(at) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            *entries += 1;
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if !is_hidden && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                all.push(entry.path());
            }
        }
        at += 1;
        if *entries > MOST_ENTRIES {
            return None;
        }
    }
    Some(all)
}

/// The files below a folder whose names, or paths from there, fit one of some patterns, those near to it first and in either case; whether
/// that is all of them.
pub(crate) fn below(root: &Path, patterns: &[&str], end: Instant) -> (Vec<PathBuf>, bool) {
    found(root, patterns, end, false)
}

/// The same, with folders that fit if they are wanted.
pub(super) fn found(root: &Path, patterns: &[&str], end: Instant, folders: bool) -> (Vec<PathBuf>, bool) {
    let (mut left, mut found, mut entries) = (VecDeque::from([root.to_owned()]), Vec::new(), 0);
    while let Some(folder) = left.pop_front() {
        let Ok(listed) = fs::read_dir(&folder) else { continue };
        for entry in listed.flatten() {
            entries += 1;
            if entries > MOST_ENTRIES || found.len() >= MOST_FILES || Instant::now() >= end {
                return (found, false);
            }
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().to_lowercase();
            let below = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().to_lowercase();
            let fits = |pattern: &&str| {
                let own = pattern.trim_start_matches("./").trim_start_matches("**/").to_lowercase();
                fits(&own, &name) || own.contains('/') && fits(&own, &below)
            };
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                left.push_back(path.clone());
            }
            if (folders || !is_folder) && patterns.iter().any(fits) {
                found.push(path);
            }
        }
    }
    (found, true)
}

/// Whether a name fits a pattern; a set in brackets fits any character.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (simple(pattern), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while let Some(letter) = name.get(n) {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p + 1, n));
                p += 1;
            }
            Some(known) if known == letter || *known == '?' => (p, n) = (p + 1, n + 1),
            _ => {
                let Some((after, from)) = star else { return false };
                star = Some((after, from + 1));
                (p, n) = (after, from + 1);
            }
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(|c| *c == '*')
}

/// The pattern with `?` in place of each set in brackets.
fn simple(pattern: &str) -> Vec<char> {
    if pattern.len() > LONGEST_PATTERN {
        return vec!['*'];
    }
    let mut left = pattern.chars();
    let mut all = Vec::new();
    while let Some(c) = left.next() {
        match c {
            '[' => match after_set(left.as_str()) {
                Some(rest) => {
                    left = rest.chars();
                    all.push('?');
                }
                None => all.push('['),
            },
            c => all.push(c),
        }
    }
    // Which bracket ends a set isn't known where one stood in quotes.
    let (first, last) = (all.iter().position(|c| *c == '?'), all.iter().rposition(|c| *c == ']'));
    if let (Some(first), Some(last)) = (first, last)
        && first < last
        && pattern.contains('[')
    {
        all.splice(first..=last, ['*']);
    }
    all
}

/// What stands after a set in brackets; a bracket that comes first in it is one of its characters, and so is that of a class such
/// as `[:alpha:]`.
pub(super) fn after_set(text: &str) -> Option<&str> {
    let text = text.strip_prefix(['!', '^']).unwrap_or(text);
    let mut left = text.strip_prefix(']').unwrap_or(text);
    loop {
        if let Some(rest) = left.strip_prefix(']') {
            return Some(rest);
        }
        let class = [":", ".", "="].iter().find_map(|mark| {
            let inside = left.strip_prefix('[')?.strip_prefix(mark)?;
            inside.split_once(&format!("{mark}]")).map(|(_, rest)| rest)
        });
        let mut chars = left.chars();
        left = match class {
            Some(rest) => rest,
            None => chars.next().map(|_| chars.as_str())?,
        };
    }
}
