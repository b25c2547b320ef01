//! The keys of principals on this machine: a file each, which only its owner reads, and never in a ledger.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use hence_core::file::said;
use hence_ledger::{Keys, SecretKey};

use super::Failure;

/// The variable that names the file of the one key to sign with.
pub(super) const KEY_VARIABLE: &str = "HENCE_KEY";
/// A key is so many digits at most, with a line feed.
const LARGEST: u64 = 256;
/// A name is so long at most.
const LONGEST: usize = 64;

/// Keys in files: the one that `HENCE_KEY` names, else those of the user's configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyFiles;

impl Keys for KeyFiles {
    fn key(&self, name: &str) -> Result<Option<SecretKey>, String> {
        let Ok(path) = path(name) else { return Ok(None) };
        match read(&path) {
            Ok(key) => Ok(Some(key)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("the key `{}` can't be read: {}", path.display(), said(&error))),
        }
    }
}

/// The file of a principal's key.
///
/// # Errors
/// The name can't be that of a file, or there is no folder for it.
pub(super) fn path(name: &str) -> Result<PathBuf, Failure> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(file) = set(KEY_VARIABLE) {
        return Ok(file);
    }
    check_name(name)?;
    let folder = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")));
    let folder = folder.ok_or_else(|| {
        Failure::Usage(format!(
            "no folder for keys: set XDG_CONFIG_HOME or HOME, or name a file in {KEY_VARIABLE}"
        ))
    })?;
    Ok(folder.join("hence").join("keys").join(name))
}

/// Checks that a principal may have this name.
///
/// # Errors
/// What names look like.
pub(super) fn check_name(name: &str) -> Result<(), Failure> {
    let fits = |c: char| c.is_alphanumeric() || "-_.@+".contains(c);
    if !name.is_empty() && name.len() <= LONGEST && !name.starts_with('.') && name.chars().all(fits) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "`{name}` can't name a principal: expected up to {LONGEST} letters, digits and `-_.@+`, no `.` first"
    )))
}

/// The key in a file that only its owner reads.
pub(super) fn read(path: &Path) -> io::Result<SecretKey> {
    let file = File::open(path)?;
    check_mode(&file)?;
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text)?;
    SecretKey::parse(&text).ok_or_else(|| io::Error::other("it holds no key of 64 hexadecimal digits"))
}

/// Others must not read a key.
#[cfg(unix)]
fn check_mode(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    match file.metadata()?.permissions().mode() & 0o077 {
        0 => Ok(()),
        _ => Err(io::Error::other("others may read it; `chmod 600` mends that")),
    }
}

#[cfg(not(unix))]
fn check_mode(_: &File) -> io::Result<()> {
    Ok(())
}

/// Makes a key in a new file that only its owner reads.
///
/// # Errors
/// The file exists or can't be written.
pub(super) fn create(path: &Path) -> Result<SecretKey, Failure> {
    let failed = |error: io::Error| {
        Failure::Usage(format!("the key `{}` can't be written: {}", path.display(), said(&error)))
    };
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| failed(io::Error::other(error.to_string())))?;
    let key = SecretKey::new(seed);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(failed)?;
    writeln!(file, "{}", key.text()).and_then(|()| file.sync_all()).map_err(failed)?;
    Ok(key)
}
