//! `hence init`: a new rule set with a first pack, its tests, facts, settings and a CI snippet.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::{DONE, Failure, Outcome, terminal};

/// The files of a new rule set.
const FILES: [(&str, &str); 5] = [
    ("hence.toml", include_str!("init/hence.toml")),
    ("rules/retry.dl", include_str!("init/retry.dl")),
    ("rules/retry_test.dl", include_str!("init/retry_test.dl")),
    ("facts/retry.jsonl", include_str!("init/retry.jsonl")),
    (".github/workflows/rules.yml", include_str!("init/rules.yml")),
];

/// Create a rule set: a first pack, its tests, facts, settings and a CI snippet
#[derive(Debug, Args)]
#[command(after_help = "Example: hence init my-rules")]
pub(super) struct Init {
    /// The folder, created if missing; existing files are not overwritten
    dir: PathBuf,
}

impl Init {
    pub(super) fn run(self) -> Outcome {
        let files = FILES.map(|(name, text)| (self.dir.join(name), text));
        if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
            return Err(Failure::Usage(format!("`{}` already exists; nothing was written", path.display())));
        }
        let mut out = terminal::text();
        for (path, text) in files {
            write_new(&path, text)
                .map_err(|error| Failure::Usage(format!("can't write `{}`: {error}", path.display())))?;
            writeln!(out, "{}", path.display())?;
        }
        let dir = self.dir.display();
        writeln!(out)?;
        writeln!(out, "next: cd {dir} && hence check && hence decide --facts facts")?;
        Ok(DONE)
    }
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}
