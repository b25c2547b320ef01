//! `hence completions`: completion scripts for shells.

use std::io::Write;

use clap::{Args, Command};
use clap_complete::Shell;

use super::{DONE, Outcome};

/// Write a completion script for a shell to standard output
#[derive(Debug, Args)]
#[command(after_help = "Example: hence completions bash > ~/.local/share/bash-completion/completions/hence")]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self, command: &mut Command) -> Outcome {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, command, "hence", &mut script);
        super::terminal::bytes().write_all(&script)?;
        Ok(DONE)
    }
}
