//! Whose a `hence.toml` is: settings of somebody else are obeyed only where this process was told to trust them.

use std::env;
use std::path::Path;

/// The variable that names files, or folders of files, of others whose settings are obeyed.
const TRUST: &str = "HENCE_TRUST";

/// What is to be said of the settings in `path` before they are obeyed.
///
/// # Errors
/// They belong to somebody else who is not trusted.
pub(super) fn trusted(path: &Path) -> Result<Option<String>, String> {
    if is_named(path) {
        return Ok(None);
    }
    let shown = path.display();
    if let Some(owner) = stranger(path).map_err(|error| format!("`{shown}` can't be read: {error}"))? {
        return Err(format!(
            "`{shown}` belongs to user {owner}, who is neither you nor the administrator and could control \
            what is decided, recorded and run here; set {TRUST}={shown} to trust it"
        ));
    }
    Ok(anyone_writes(path).then(|| format!("anybody can write to `{shown}`; run `chmod o-w {shown}`")))
}

/// Whether [`TRUST`] names the file or its folder.
fn is_named(path: &Path) -> bool {
    let Some(named) = env::var_os(TRUST) else { return false };
    env::split_paths(&named).any(|named| {
        let same = |path: &Path| path.canonicalize().ok().zip(named.canonicalize().ok());
        let is = |path: &Path| same(path).is_some_and(|(path, named)| path == named);
        is(path) || path.parent().is_some_and(is)
    })
}

/// The owner of the file or of its folder, where that is neither this user nor root.
#[cfg(unix)]
fn stranger(path: &Path) -> std::io::Result<Option<u32>> {
    use std::os::unix::fs::MetadataExt;
    let we = rustix::process::geteuid().as_raw();
    for path in [Some(path), path.parent()].into_iter().flatten() {
        let owner = path.metadata()?.uid();
        if owner != we && owner != 0 {
            return Ok(Some(owner));
        }
    }
    Ok(None)
}

/// Other systems tell of no owner.
#[cfg(not(unix))]
fn stranger(_: &Path) -> std::io::Result<Option<u32>> {
    Ok(None)
}

#[cfg(unix)]
fn anyone_writes(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.metadata().is_ok_and(|data| data.mode() & 0o002 != 0)
}

#[cfg(not(unix))]
fn anyone_writes(_: &Path) -> bool {
    false
}
