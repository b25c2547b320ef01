//! `hence gate install`: the hooks in the settings of hosts, beside what is there.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value as Json;

use hence_core::{file, whole_file};
use hence_gate::{Hook, Host};

use super::super::{DONE, Failure, Outcome, config, output, terminal};

/// The largest settings that are read.
const LARGEST: u64 = 4 << 20;

/// Write the gate's hooks into the settings of coding agents; what stands there stays
///
/// Where there is no hence.toml, one is written that loads the pack `gate` and names you as a reviewer.
#[derive(Debug, Args)]
#[command(after_help = "Example: hence gate install --host claude,codex")]
pub(super) struct Install {
    /// The hosts: claude, codex, gemini, cursor, copilot, kiro
    #[arg(long = "host", value_name = "HOST", required = true, value_delimiter = ',', value_parser = super::host)]
    hosts: Vec<Host>,
    /// The project's folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// The ledger's folder [default: .hence in the project's folder]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Decide and record, and block nothing
    #[arg(long)]
    shadow: bool,
    /// The program that hosts run [default: `hence-hook` beside this one, else this one]
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
}

impl Install {
    pub(super) fn run(self) -> Outcome {
        let dir = absolute(&self.dir)?;
        let store = match &self.store {
            Some(store) => absolute_of(&dir, store),
            None => dir.join(".hence"),
        };
        let program = match &self.program {
            Some(program) => program.clone(),
            None => hook_beside(std::env::current_exe().map_err(|error| failed(Path::new("hence"), &error))?),
        };
        let mut out = terminal::text();
        for host in &self.hosts {
            let mut arguments: Vec<String> =
                ["gate", "--host", host.word(), "--store"].map(String::from).into();
            arguments.push(store.to_string_lossy().into_owned());
            if self.shadow {
                arguments.push(String::from("--shadow"));
            }
            let hook = Hook { program: &program.to_string_lossy(), arguments: &arguments };
            let settings = host.settings();
            let said =
                if merge(&dir.join(settings.path), settings.merge, &hook)? { "written" } else { "unchanged" };
            writeln!(out, "{host}: {} {said}", settings.path)?;
            if !settings.note.is_empty() {
                writeln!(out, "{host}: {}", settings.note)?;
            }
        }
        configure(&dir, &mut out)?;
        Ok(DONE)
    }
}

/// The small program that asks an owner for this one, where it lies beside it.
fn hook_beside(own: PathBuf) -> PathBuf {
    let hook = own.with_file_name("hence-hook").with_extension(std::env::consts::EXE_EXTENSION);
    if cfg!(unix) && hook.is_file() { hook } else { own }
}

/// Puts the hooks into a file of settings; whether that changed it.
fn merge(
    path: &Path,
    merge: fn(serde_json::Map<String, Json>, &Hook<'_>) -> serde_json::Map<String, Json>,
    hook: &Hook<'_>,
) -> Result<bool, Failure> {
    let held = match file::read(path, LARGEST) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(path, &error)),
    };
    let before = match held.as_deref().map(serde_json::from_slice::<Json>) {
        None => serde_json::Map::new(),
        Some(Ok(Json::Object(settings))) => settings,
        Some(Ok(_)) => {
            return Err(Failure::Usage(format!("`{}` holds no object; nothing was changed", path.display())));
        }
        Some(Err(error)) => {
            let why = format!("`{}` is not JSON: {error}; nothing was changed", path.display());
            return Err(Failure::Usage(why));
        }
    };
    let text = serde_json::to_string_pretty(&merge(before, hook)).map_err(std::io::Error::other)? + "\n";
    if held.as_deref() == Some(text.as_bytes()) {
        return Ok(false);
    }
    write(path, &text)?;
    Ok(true)
}

/// Writes a file in one step, its folder first where there is none.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let write = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        whole_file::write(path, text.as_bytes())
    };
    write().map_err(|error| failed(path, &error))
}

/// Writes a `hence.toml`, unless there is one here or above.
fn configure(dir: &Path, out: &mut impl Write) -> Result<(), Failure> {
    if dir.ancestors().any(|folder| folder.join("hence.toml").exists()) {
        if !config::get().packs().iter().any(|pack| pack == "gate") && config::get().rules().is_empty() {
            output::note("hence.toml names neither rules nor the pack `gate`: add `packs = [\"gate\"]`");
        }
        return Ok(());
    }
    let user = config::get().author(None)?;
    let name = hence_core::literal::quoted(&user);
    let text = format!(
        "# The gate of this project: `hence gate report` tells what it did.\npacks = [\"gate\"]\n\n\
        # Who may lift a rule, with `hence gate approve`.\n[roles]\nreviewer = [{name}]\n"
    );
    write(&dir.join("hence.toml"), &text)?;
    writeln!(out, "hence.toml written: the pack `gate`, with you as reviewer")?;
    Ok(())
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    fs::canonicalize(path).map_err(|error| failed(path, &error))
}

fn absolute_of(dir: &Path, path: &Path) -> PathBuf {
    if path.is_absolute() { path.to_owned() } else { dir.join(path) }
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Usage(format!("`{}`: {}", path.display(), file::said(error)))
}
