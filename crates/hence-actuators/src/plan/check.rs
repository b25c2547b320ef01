//! The programs that check changes: bounded in time and size, in a process group of their own.

use std::process::Command;

use super::super::run_command::{Running, seen};
use super::super::test_output;
use super::Place;

/// What a check came to.
pub(super) struct Checked {
    /// How many tests failed, by its output or else by its status; for a type check 1 where it failed.
    pub(super) failed: usize,
    /// What it wrote.
    pub(super) text: String,
}

impl Place<'_> {
    /// Runs the type check; nothing fails where there is none.
    pub(super) fn typecheck(&self) -> Checked {
        let words = &self.plan.settings.typecheck;
        if words.is_empty() {
            return Checked { failed: 0, text: String::new() };
        }
        let (ok, out, said) = self.run(words);
        Checked { failed: usize::from(!ok), text: joined(out, &said) }
    }

    /// Runs all tests.
    pub(super) fn tests(&self) -> Checked {
        let (ok, out, said) = self.run(&self.plan.settings.tests);
        let told = test_output::failed(&out).or_else(|| test_output::failed(&said));
        let failed = match (ok, told) {
            (true, Some(failed)) => failed,
            (true, None) => 0,
            // A runner that failed has at least one failure, whatever it printed.
            (false, told) => told.unwrap_or(1).max(1),
        };
        Checked { failed, text: joined(out, &said) }
    }

    /// Whether a program ended well, and what it wrote to its two outputs; where it did not run, why.
    fn run(&self, words: &[String]) -> (bool, String, String) {
        let Some((program, args)) = words.split_first() else {
            return (false, String::new(), String::from("no program is set for it"));
        };
        let mut command = Command::new(program);
        let settings = &self.plan.settings;
        command.args(args).current_dir(&self.root.path).env_clear().envs(seen(&settings.env));
        let running = match Running::start(&mut command, String::new(), None) {
            Ok(running) => running,
            Err(error) => return (false, String::new(), format!("`{program}` can't be started: {error}")),
        };
        let ran = running.finish(self.end, self.guard);
        let out = String::from_utf8_lossy(&ran.wrote.unwrap_or_default()).into_owned();
        let said = String::from_utf8_lossy(&ran.said).into_owned();
        match ran.ended {
            Ok(Some(status)) => (status.success(), out, said),
            Ok(None) => {
                (false, out, format!("{said}`{program}` was stopped after {:?}\n", settings.time_limit))
            }
            Err(error) => (false, out, format!("{said}{error}\n")),
        }
    }
}

fn joined(out: String, said: &str) -> String {
    match (out.is_empty(), said.is_empty()) {
        (_, true) => out,
        (true, _) => said.to_owned(),
        _ => format!("{out}\n{said}"),
    }
}
