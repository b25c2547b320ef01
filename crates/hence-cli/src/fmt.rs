//! `hence fmt`: rule files in the one layout.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use hence_core::literal::visible;
use hence_session::format::{self, Formatted, Formatting};
use hence_session::unified;

use super::diagnostics::{self, count};
use super::options::RuleOptions;
use super::{DONE, Failure, NO, Outcome, UNASKED, output, terminal};

/// What standard input is called on the command line, and in messages.
const STDIN: (&str, &str) = ("-", "<stdin>");
/// The most that is read from standard input, in bytes: as much as a rule file may have.
const LARGEST_TEXT: u64 = 64 * 1024 * 1024;

/// Format rule files; comments and meaning are unchanged
#[derive(Debug, Args)]
#[command(after_help = "Example: hence fmt rules/ --check")]
pub(super) struct Fmt {
    /// Rule files and folders; `-` for standard input [default: the configured rules, else the `rules/` in
    /// this folder]
    paths: Vec<PathBuf>,
    /// Write nothing; show the changes, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
}

impl Fmt {
    pub(super) fn run(self) -> Outcome {
        let mut formatting = Formatting::default();
        for path in self.wanted()? {
            if path == Path::new(STDIN.0) {
                formatting.text(STDIN.1, &standard_input()?);
            } else {
                formatting.path(&path)?;
            }
        }
        let changed = formatting.texts.iter().filter(|text| text.changes()).count();
        for text in &formatting.texts {
            if self.check { show(text)? } else { write(text)? }
        }
        self.show_summary(&formatting, changed);
        if !formatting.faults.diagnostics.is_empty() {
            diagnostics::print(&formatting.faults);
            return Ok(UNASKED);
        }
        Ok(if self.check && changed > 0 { NO } else { DONE })
    }

    fn wanted(&self) -> Result<Vec<PathBuf>, Failure> {
        if !self.paths.is_empty() {
            return Ok(self.paths.clone());
        }
        let paths = RuleOptions::default().files("fmt")?.paths;
        if paths.is_empty() {
            return Err(Failure::Usage(String::from(
                "only shipped packs are configured; name the files to format",
            )));
        }
        Ok(paths)
    }

    /// Says how many files changed; of standard input the output says it.
    fn show_summary(&self, formatting: &Formatting, changed: usize) {
        let files = formatting.texts.iter().filter(|text| text.path.is_some()).count();
        if files > 0 {
            let done = if self.check { "would change" } else { "formatted" };
            let same = formatting.texts.len() - changed;
            output::aside(&format!("{} {done}, {same} unchanged", count(changed, "file")));
        }
    }
}

fn standard_input() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(LARGEST_TEXT + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::Usage(format!("standard input can't be read: {error}")))?;
    if bytes.len() as u64 > LARGEST_TEXT {
        return Err(Failure::Usage(format!("standard input has more than {LARGEST_TEXT} bytes")));
    }
    Ok(bytes)
}

/// Shows what would change in a text.
fn show(text: &Formatted) -> Result<(), Failure> {
    if text.changes() {
        let difference = unified(&text.before, &text.after);
        let name = visible(&text.name);
        terminal::text().lines(&format!("--- {name}\n+++ {name}\n{difference}"))?;
    }
    Ok(())
}

/// Writes a text back to where it came from, if it changes.
fn write(text: &Formatted) -> Result<(), Failure> {
    match &text.path {
        Some(path) if text.changes() => {
            format::replace(path, &text.after)?;
            output::aside(&text.name);
        }
        Some(_) => {}
        None => terminal::bytes().write_all(text.after.as_bytes())?,
    }
    Ok(())
}
