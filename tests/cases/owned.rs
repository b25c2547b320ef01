//! Pages with commands once more, while another process owns the ledgers: whoever asks for a turn answers the same, to the
//! byte.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::{command, pages};

/// The pages that run each time; `HENCE_SLOW` runs all.
const ALWAYS: [&str; 6] = ["change", "effects", "migrate", "past", "review", "schema"];

/// Pages about ledgers that are damaged or in use: an owner would mend them, or is what they are about.
const LEFT_OUT: [&str; 3] = ["salvage", "serve", "service"];

/// Whether a page is run here.
pub(crate) fn is_run(page: &Path) -> bool {
    let name = page.file_stem().unwrap().to_str().unwrap();
    let is_slow = std::env::var_os("HENCE_SLOW").is_some();
    !LEFT_OUT.contains(&name) && (is_slow || ALWAYS.contains(&name) && page.starts_with("tests/cli"))
}

/// Runs the commands of a page, each while somebody owns every ledger that there is.
///
/// # Errors
/// Those that print something else.
pub(crate) fn check(page: &Path) -> Result<(), String> {
    let text = fs::read_to_string(page).unwrap();
    let mut owned = 0;
    let (_, mut faults) = pages::run(&text, &mut |line, folder| {
        let owners: Vec<Owner> =
            stores(folder, 3).iter().filter(|_| asks(line)).filter_map(Owner::of).collect();
        owned += owners.len();
        pages::shell(line, folder)
    });
    if owned == 0 && ALWAYS.contains(&page.file_stem().unwrap().to_str().unwrap()) {
        faults.push(String::from("nobody owned a ledger"));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Whether a command line is one that uses ledgers as others do: not their files, and not as their owner.
fn asks(line: &str) -> bool {
    line.contains("hence ")
        && !["--follow", ".hence/", "/journal", "/base", "LOCK"].iter().any(|word| line.contains(word))
}

/// The folders with ledgers.
fn stores(folder: &Path, depth: usize) -> Vec<PathBuf> {
    if folder.join("LOCK").is_file() && folder.join("journal").is_dir() {
        return vec![folder.to_owned()];
    }
    let inside = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let inside = inside.filter(|path| depth > 0 && path.is_dir() && !path.is_symlink());
    inside.flat_map(|path| stores(&path, depth - 1)).collect()
}

/// A process that owns a ledger until the value goes.
struct Owner {
    process: Child,
    /// Open as long as the process runs, which may say more.
    _said: BufReader<ChildStderr>,
}

impl Owner {
    /// `None` where the ledger can't be opened.
    fn of(store: &PathBuf) -> Option<Self> {
        let mut serve = command::hence(store.parent().unwrap(), &["serve", "--lend-only", "--store"]);
        let mut process = serve.arg(store).stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(process.stderr.take().unwrap());
        let is_ready =
            said.by_ref().lines().map_while(Result::ok).any(|line| line.contains("serves the ledger"));
        let owner = Self { process, _said: said };
        is_ready.then_some(owner)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        Command::new("kill").arg(self.process.id().to_string()).status().unwrap();
        self.process.wait().unwrap();
    }
}
