//! Pages with commands: every `$ ` line of a `console` block is run, in order, in a fresh copy of what a clone has, and
//! must print what stands below it; a block `file=NAME` is written there first. `UPDATE=1` writes what is printed.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::command;
use crate::files::files;

/// README and the pages of the documentation that show commands.
pub(crate) fn with_commands() -> Vec<PathBuf> {
    let mut pages = files("docs", &["md"]);
    // They show the service over HTTP and MCP, which only a hence with that feature has.
    let of_server = |page: &PathBuf| page.ends_with("http.md") || page.ends_with("mcp.md");
    pages.retain(|page| cfg!(feature = "server") || !of_server(page));
    pages.retain(|page| is_built(page));
    pages.retain(|page| fs::read_to_string(page).unwrap().contains("```console\n"));
    pages.insert(0, PathBuf::from("README.md"));
    pages
}

/// Pages of commands by themselves.
pub(crate) fn of_commands() -> Vec<PathBuf> {
    let mut pages = files("tests/cli", &["md"]);
    pages.retain(|page| is_built(page));
    pages
}

/// Whether hence has the commands of a page.
fn is_built(page: &Path) -> bool {
    cfg!(feature = "dataflow") || !page.ends_with("cluster.md")
}

/// Runs the commands of a page.
///
/// # Errors
/// Those that print something else.
pub(crate) fn check(page: &Path) -> Result<(), String> {
    let text = fs::read_to_string(page).unwrap();
    let (better, faults) = run(&text, &mut |command, folder| shell(command, folder));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(page, better).unwrap();
        return Ok(());
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// A folder with the files of a clone that commands read.
fn clone() -> tempfile::TempDir {
    let folder = crate::memory::folder();
    for part in ["rules", "facts", "hence.toml", "tests/golden/error_texts.jsonl", "examples"] {
        copy(Path::new(part), &folder.path().join(part));
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

/// What differs from run to run: hashes of the ledger, tokens, ports that the system chose, the wall clock, told by its
/// fraction of a second, and how long something took.
fn steady(text: &str) -> String {
    let hash = Regex::new(r"\b[0-9a-f]{64}\b").unwrap();
    let clock = Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z").unwrap();
    let token = Regex::new(r"\b[0-9a-f]{32}\b").unwrap();
    let port = Regex::new(r"\b127\.0\.0\.1:\d{5}\b").unwrap();
    let text = hash.replace_all(text, "[hash]");
    let text = token.replace_all(&text, "[token]");
    let text = port.replace_all(&text, "127.0.0.1:[port]");
    let text = clock.replace_all(&text, "[time]");
    let took = Regex::new(r"\(\d+\.\d+ s\)").unwrap();
    let text = took.replace_all(&text, "([time])");
    // Times are not equally long, so lines that hold one break at different words.
    let origin =
        r"asserted[\s│]+by[\s│]+(\w+)[\s│]+at[\s│]+\[time\][\s│]+from[\s│]+(\S+),[\s│]+transaction[\s│]+";
    let text =
        Regex::new(origin).unwrap().replace_all(&text, "asserted by $1 at [time] from $2, transaction ");
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// What a command line prints, but for what differs from run to run.
pub(crate) fn shell(command: &str, folder: &Path) -> String {
    let command = command.replace("cargo run --release -- ", "hence ").replace("cargo run -- ", "hence ");
    let output = command::shell(folder, &format!("{{ {command}\n}} 2>&1")).output().unwrap();
    let mut text = steady(&String::from_utf8_lossy(&output.stdout));
    let status = output.status.code().unwrap_or(-1);
    if status != 0 {
        text.push_str(&format!("[exit {status}]\n"));
    }
    text
}

/// Whether `found` is what `wanted` says, where a line `...` stands for any lines.
fn fits(wanted: &str, found: &str) -> bool {
    let pattern: Vec<String> = wanted.split("...\n").map(regex::escape).collect();
    Regex::new(&format!("(?s)^{}$", pattern.join("(?:.*\n)?"))).unwrap().is_match(found)
}

/// Runs every command of a page's `console` blocks with `shell`; the page as it should be, and the differences.
pub(crate) fn run(page: &str, shell: &mut dyn FnMut(&str, &Path) -> String) -> (String, Vec<String>) {
    let folder = clone();
    let (mut out, mut faults) = (String::new(), Vec::new());
    let mut lines = page.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        out.push_str(&format!("{line}\n"));
        if let Some((_, name)) = line.split_once("file=").filter(|_| line.starts_with("```")) {
            let mut text = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("```")) {
                text.push_str(&format!("{line}\n"));
            }
            out.push_str(&text);
            out.extend(lines.next().map(|fence| format!("{fence}\n")));
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        } else if line.starts_with("```") {
            inside = !inside && line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            let mut command = command.to_owned();
            while let Some(start) = command.strip_suffix('\\') {
                let Some(more) = lines.next() else { break };
                out.push_str(&format!("{more}\n"));
                command = format!("{start}{}", more.trim_start());
            }
            let mut wanted = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ") && !line.starts_with("```")) {
                wanted.push_str(&format!("{line}\n"));
            }
            let found = shell(&command, folder.path());
            if fits(&wanted, &found) {
                out.push_str(&wanted);
            } else {
                out.push_str(&found);
                faults.push(format!("$ {command}\n--- wanted\n{wanted}--- found\n{found}"));
            }
        }
    }
    (out, faults)
}
