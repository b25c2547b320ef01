//! How tests start `hence`: without the settings of whoever runs them.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// `hence` with `args` in `folder`.
pub(crate) fn hence(folder: &Path, args: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hence"));
    command.args(args);
    plain(command, folder)
}

/// A shell in `folder` that runs `line`, in which `hence` is a command.
pub(crate) fn shell(folder: &Path, line: &str) -> Command {
    let bin = Path::new(env!("CARGO_BIN_EXE_hence")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", line]).env("PATH", path);
    plain(command, folder)
}

/// A command in `folder` with one user's name, without colour, and without any `HENCE_…` of the test run.
pub(crate) fn plain(mut command: Command, folder: &Path) -> Command {
    command.current_dir(folder).env("NO_COLOR", "1").env("USER", "ada");
    command.env("XDG_CONFIG_HOME", ".config");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("HENCE_")) {
        command.env_remove(name);
    }
    command
}
