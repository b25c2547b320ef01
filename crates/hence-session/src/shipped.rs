//! The rule packs in the binary: the files under `rules/`, by pack.

use std::path::Path;

use hence_core::diagnostic::nearest;

use super::rule_files::is_of_tests;

/// Path below `rules/` and text of every shipped file, in order.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// The pack that joins the others: who names it has all of them, with its feeds and effects. Others are as they are
/// compiled only without it.
pub const JOINING: &str = "loop";

/// The names of the shipped packs, in order.
pub fn packs() -> Vec<&'static str> {
    let mut names: Vec<_> =
        FILES.iter().filter_map(|(path, _)| path.split_once('/').map(|(pack, _)| pack)).collect();
    names.dedup();
    names
}

/// The files of a pack, its tests left out: path below `rules/` and text.
pub fn pack(name: &str) -> Option<Vec<(&'static str, &'static str)>> {
    let files: Vec<_> = FILES
        .iter()
        .filter(|(path, _)| {
            path.split_once('/').is_some_and(|(pack, _)| pack == name) && !is_of_tests(Path::new(path))
        })
        .copied()
        .collect();
    (!files.is_empty()).then_some(files)
}

/// The paths below `rules/` of the shipped files that hold tests of packs, in order.
pub fn tests() -> Vec<&'static str> {
    FILES.iter().map(|(path, _)| *path).filter(|path| is_of_tests(Path::new(path))).collect()
}

/// The text of a shipped file.
pub fn file(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

/// How a shipped file is called in messages.
pub fn display_name(path: &str) -> String {
    format!("rules/{path}")
}

/// The message for a pack that there isn't.
pub fn unknown_pack(name: &str) -> String {
    match nearest(name, packs()) {
        Some(near) => format!("unknown pack `{name}`; did you mean `{near}`?"),
        None => format!("unknown pack `{name}`; the packs are {}", packs().join(", ")),
    }
}

/// What a pack is for: the first sentence of its main file, without the name.
pub fn about(name: &str) -> &'static str {
    let text = file(&format!("{name}/{name}.dl")).unwrap_or_default();
    let line = text.lines().next().unwrap_or("").trim_start_matches("# ");
    let about = line.split_once(": ").map_or(line, |(_, about)| about);
    about.split_once(". ").map_or(about, |(first, _)| first).trim_end_matches('.')
}
