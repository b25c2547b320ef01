//! The interpreters that may run a script, and where they are.

use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The interpreters that are known, with what stands before the script.
pub const INTERPRETERS: [(&str, &[&str]); 3] = [("python3", &["-I", "-B"]), ("perl", &[]), ("sh", &[])];

/// How a program file begins.
const PROGRAM: [u8; 4] = *b"\x7fELF";

/// An interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// Its program, with all links followed.
    pub program: PathBuf,
    /// What stands before the script.
    pub args: &'static [&'static str],
    /// Whether it runs Python, and a script through the prelude.
    pub is_python: bool,
}

impl Interpreter {
    /// The interpreter of that name, or at that path.
    ///
    /// # Errors
    /// It is not one that is known, or it isn't there.
    pub fn find(name: &str) -> Result<Self, String> {
        let path = Path::new(name);
        let word = path.file_name().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
        // `python3.12` is a `python3`.
        let kind = INTERPRETERS.iter().find(|(known, _)| {
            word.strip_prefix(known)
                .is_some_and(|version| version.chars().all(|letter| letter == '.' || letter.is_ascii_digit()))
        });
        let Some((known, args)) = kind else {
            let known: Vec<String> = INTERPRETERS.iter().map(|(name, _)| format!("`{name}`")).collect();
            return Err(format!("unknown interpreter `{name}`; expected {}", known.join(", ")));
        };
        let program = if name.contains('/') { program(path) } else { on_path(name) };
        let program = program.ok_or_else(|| format!("`{name}` is not there, or is no program file"))?;
        Ok(Self { program, args, is_python: *known == "python3" })
    }
}

/// The first program of that name on the `PATH`; scripts that stand in for one would need another interpreter.
fn on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).find_map(|folder| program(&folder.join(name)))
}

fn program(path: &Path) -> Option<PathBuf> {
    let path = fs::canonicalize(path).ok()?;
    let mut start = [0; 4];
    File::open(&path).ok()?.read_exact(&mut start).ok()?;
    (start == PROGRAM).then_some(path)
}
