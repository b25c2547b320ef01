//! The helper that confines itself and becomes the interpreter.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{Pid, Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit};
use serde_json::{Value as Json, json};

use super::calls;

/// The first argument of the helper.
pub const HELPER: &str = "__confined";
/// The status with which it ends where it can't confine itself.
pub(super) const UNCONFINED: u8 = 126;
/// How many files may be open.
const OPEN_FILES: u64 = 64;
/// How long a file may become, in bytes.
pub(super) const LONGEST_FILE: u64 = 16 << 20;

/// Where libraries, time zones and their tables are.
const LIBRARIES: [&str; 10] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/zoneinfo",
    "/usr/share/perl",
    "/usr/share/perl5",
    "/etc/ld.so.cache",
    "/etc/localtime",
];
/// What may be read of devices.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/urandom", "/dev/random"];

/// What the helper is told.
pub(super) struct Cell {
    pub(super) program: PathBuf,
    pub(super) args: Vec<String>,
    /// Files that may be read.
    pub(super) files: Vec<PathBuf>,
    /// The folder that may be written.
    pub(super) scratch: PathBuf,
    /// Address space, in bytes.
    pub(super) memory: u64,
    /// Processor time, in seconds.
    pub(super) cpu: u64,
    /// The process that waits for it.
    pub(super) parent: u32,
}

impl Cell {
    pub(super) fn text(&self) -> String {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let files: Vec<String> = self.files.iter().map(|file| path(file)).collect();
        json!({
            "program": path(&self.program), "args": self.args, "files": files, "scratch": path(&self.scratch),
            "memory": self.memory, "cpu": self.cpu, "parent": self.parent,
        })
        .to_string()
    }

    fn read(text: &str) -> Option<Self> {
        let cell: Json = serde_json::from_str(text).ok()?;
        let word = |key: &str| cell.get(key)?.as_str().map(str::to_owned);
        let number = |key: &str| cell.get(key)?.as_u64();
        let words = |key: &str| {
            let words = cell.get(key)?.as_array()?.iter().map(|word| word.as_str().map(str::to_owned));
            words.collect::<Option<Vec<String>>>()
        };
        Some(Self {
            program: word("program")?.into(),
            args: words("args")?,
            files: words("files")?.into_iter().map(PathBuf::from).collect(),
            scratch: word("scratch")?.into(),
            memory: number("memory")?,
            cpu: number("cpu")?,
            parent: u32::try_from(number("parent")?).ok()?,
        })
    }
}

/// Confines this process as `told` and becomes the interpreter; the status where that can't be, and why.
pub fn confined(told: &[OsString]) -> (u8, String) {
    let cell = match told {
        [text] => text.to_str().and_then(Cell::read),
        _ => None,
    };
    let Some(cell) = cell else { return (UNCONFINED, String::from("hence starts it by itself")) };
    match become_interpreter(&cell) {
        Err(why) => (UNCONFINED, format!("the script can't be confined: {why}")),
        Ok(never) => match never {},
    }
}

fn become_interpreter(cell: &Cell) -> Result<std::convert::Infallible, String> {
    // It does not outlive the process that waits for it, which may have ended before this was said.
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| format!("prctl: {error}"))?;
    let waiting = i32::try_from(cell.parent).ok().and_then(Pid::from_raw);
    if getppid() != waiting {
        return Err(String::from("the process that waits for it has ended"));
    }
    close_inherited()?;
    let filter = calls::filter(std::process::id())?;
    restrict_files(cell)?;
    let mut command = Command::new(&cell.program);
    command.args(&cell.args);
    limit(Resource::Core, 0, 0)?;
    limit(Resource::Nofile, OPEN_FILES, OPEN_FILES)?;
    limit(Resource::Fsize, LONGEST_FILE, LONGEST_FILE)?;
    limit(Resource::Cpu, cell.cpu, cell.cpu.saturating_add(1))?;
    limit(Resource::As, cell.memory, cell.memory)?;
    seccompiler::apply_filter(&filter)
        .map_err(|error| format!("the kernel lacks seccomp filters: {error}"))?;
    Err(format!("`{}` can't be started: {}", cell.program.display(), command.exec()))
}

/// Closes all but the standard streams.
fn close_inherited() -> Result<(), String> {
    let listed = fs::read_dir("/proc/self/fd").map_err(|error| format!("/proc/self/fd: {error}"))?;
    let open: Vec<i32> =
        listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for file in open.into_iter().filter(|file| *file > 2) {
        // The one by which the list was read is closed already.
        let _ = nix::unistd::close(file);
    }
    Ok(())
}

fn limit(resource: Resource, current: u64, maximum: u64) -> Result<(), String> {
    let limit = Rlimit { current: Some(current), maximum: Some(maximum) };
    setrlimit(resource, limit).map_err(|error| format!("a limit of {resource:?} can't be set: {error}"))
}

/// From here on only these files are there to be opened.
fn restrict_files(cell: &Cell) -> Result<(), String> {
    let told = |error: landlock::RulesetError| {
        format!("the kernel lacks Landlock (Linux 5.13 and later, if it is switched on): {error}")
    };
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let run: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::Execute;
    let write = read | AccessFs::WriteFile | AccessFs::MakeReg | AccessFs::MakeDir | AccessFs::Truncate;
    let scratch = [cell.scratch.clone()];
    let library = cell.program.parent().and_then(Path::parent).map(|prefix| prefix.join("lib"));
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .map_err(told)?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))
        .map_err(told)?
        .handle_access(AccessNet::from_all(ABI::V4))
        .map_err(told)?
        .scope(Scope::from_all(ABI::V6))
        .map_err(told)?
        .create()
        .map_err(told)?
        .add_rules(path_beneath_rules(LIBRARIES.iter().map(PathBuf::from).chain(library), read))
        .map_err(told)?
        .add_rules(path_beneath_rules(&cell.files, AccessFs::ReadFile))
        .map_err(told)?
        .add_rules(path_beneath_rules(loaders().into_iter().chain([cell.program.clone()]), run))
        .map_err(told)?
        .add_rules(path_beneath_rules(DEVICES, AccessFs::ReadFile | AccessFs::WriteFile))
        .map_err(told)?
        .add_rules(path_beneath_rules(scratch, write))
        .map_err(told)?;
    match rules.restrict_self().map_err(told)?.ruleset {
        RulesetStatus::NotEnforced => Err(String::from("the kernel does not enforce Landlock")),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
    }
}

/// What loads programs.
fn loaders() -> Vec<PathBuf> {
    let folders = ["/lib", "/lib64"].into_iter().filter_map(|folder| fs::read_dir(folder).ok());
    let files = folders.flatten().flatten();
    files
        .filter(|file| file.file_name().to_string_lossy().starts_with("ld-"))
        .map(|file| file.path())
        .collect()
}
