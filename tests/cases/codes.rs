//! The pages of `hence explain`: the example of each fails with its code, and the fixed one doesn't.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use regex::Regex;

use crate::command::hence;

/// Runs the examples of a page.
///
/// # Errors
/// The example that gives something else.
pub(crate) fn check(page: &Path) -> Result<(), String> {
    let code = page.file_stem().unwrap().to_string_lossy().into_owned();
    let page = fs::read_to_string(page).unwrap();
    let (Some(fails), Some(fixed)) = (example(&page, "Fails"), example(&page, "Fixed")) else {
        return if page.contains("example") { Ok(()) } else { Err("no example, and no reason why".into()) };
    };
    let (found, left) = (said(&fails), said(&fixed));
    if !codes(&found).contains(&code) {
        return Err(format!("its example gives:\n{found}"));
    }
    let wrong = codes(&left).into_iter().any(|left| left == code || left.starts_with('E'));
    if wrong { Err(format!("fixed it gives:\n{left}")) } else { Ok(()) }
}

/// The files of the example under a heading: the rules are `example.dl`, the others are named above their block.
fn example(page: &str, heading: &str) -> Option<Vec<(String, String)>> {
    let section = page.split(&format!("\n## {heading}\n")).nth(1)?.split("\n## Fixed\n").next()?;
    let block = Regex::new(r"(?s)(?:`([^`\n]+)`:\n\n)?```\w+\n(.*?)```").unwrap();
    let files = block.captures_iter(section).map(|found| {
        let name = found.get(1).map_or("example.dl", |name| name.as_str());
        (name.to_owned(), found[2].to_owned())
    });
    Some(files.collect())
}

/// Everything that the command line says of an example: of the rules, and of the fact file if there is one.
fn said(files: &[(String, String)]) -> String {
    let folder = crate::memory::folder();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut text = both(&mut hence(folder.path(), &["check", "example.dl"]));
    if let Some((facts, _)) = files.iter().find(|(name, _)| name != "example.dl" && name != "hence.toml") {
        text += &both(&mut hence(folder.path(), &["derive", "--rules", "example.dl", "--facts", facts]));
    }
    text
}

fn both(command: &mut Command) -> String {
    let output = command.output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The codes that a text names between brackets, as messages do.
fn codes(text: &str) -> BTreeSet<String> {
    let code = Regex::new(r"(?m)^(?:error|warning)\[([EW]\d{3})\]").unwrap();
    code.captures_iter(text).map(|found| found[1].to_owned()).collect()
}
