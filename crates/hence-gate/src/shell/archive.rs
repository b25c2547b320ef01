//! `tar` and `unzip`: what they unpack, and where; the programs that they run.

use super::options::Taken;
use super::walk::Walk;
use super::word::Word;
use super::{Mode, Why};

/// Options of `tar` that name a program.
const RUNS: [&str; 8] = [
    "--checkpoint-action",
    "--use-compress-program",
    "--to-command",
    "--rsh-command",
    "-I",
    "--new-volume-script",
    "--info-script",
    "-F",
];

/// Arguments with dashes: in `tar cf a.tar x` letters come first without one, and the values of them after them, in their order.
pub(super) fn with_dashes(arguments: &[Word], valued: &str) -> Vec<Word> {
    let Some((first, rest)) = arguments.split_first().filter(|(first, _)| !first.text.starts_with('-'))
    else {
        return arguments.to_vec();
    };
    let mut left = rest.iter().cloned();
    let mut all = Vec::new();
    for letter in first.text.chars() {
        all.push(Word { text: format!("-{letter}"), ..first.clone() });
        if valued.contains(letter) {
            all.extend(left.next());
        }
    }
    all.extend(left);
    all
}

/// Takes in `tar`.
pub(super) fn tar(walk: &mut Walk, taken: &Taken) {
    for (name, value) in taken.options.iter().filter(|(name, _)| RUNS.contains(&name.as_str())) {
        walk.opaque(Why::InlineCode, name);
        value.iter().for_each(|value| walk.strings(&value.text));
    }
    let extracts = taken.has(&["-x", "--extract", "--get"]);
    let reads = extracts || taken.has(&["-t", "--list", "-d", "--diff", "--compare"]);
    let mode = if reads { Mode::Read } else { Mode::Write };
    taken.values(&["-f", "--file"]).for_each(|file| walk.access(file, mode));
    if extracts && !taken.has(&["-O", "--to-stdout", "--to-command"]) {
        unpacked(walk, taken, &["-C", "--directory"]);
        if taken.has(&["-P", "--absolute-names"]) {
            walk.opaque(Why::Variable, "tar -P");
        }
    }
    // The files are those of that folder, but for the archive.
    taken.values(&["-C", "--directory"]).for_each(|folder| walk.go(folder));
    if taken.has(&["--remove-files"]) {
        taken.rest.iter().for_each(|word| walk.access(word, Mode::Delete));
    }
}

/// Takes in `unzip`.
pub(super) fn unzip(walk: &mut Walk, taken: &Taken) {
    if !taken.has(&["-l", "-p", "-t", "-v", "-Z", "-z", "-c"]) {
        unpacked(walk, taken, &["-d"]);
    }
}

/// Takes down that any file of a folder may be written: that of the last option which names one.
fn unpacked(walk: &mut Walk, taken: &Taken, options: &[&str]) {
    let folder = taken.values(options).last().cloned().unwrap_or_else(|| Word::known("."));
    walk.access(&folder, Mode::Write);
}
