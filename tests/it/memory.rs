//! Folders in memory, for tests that would wait for a disk that they don't ask about.

use tempfile::TempDir;

/// A folder in memory, where there is room; else a temporary one.
pub(crate) fn folder() -> TempDir {
    in_memory().unwrap_or_else(|| tempfile::tempdir().unwrap())
}

#[cfg(target_os = "linux")]
fn in_memory() -> Option<TempDir> {
    const AT: &str = "/dev/shm";
    const ROOM: u64 = 1 << 30;
    let found = rustix::fs::statvfs(AT).ok()?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    (free > ROOM).then(|| tempfile::tempdir_in(AT).ok())?
}

#[cfg(not(target_os = "linux"))]
fn in_memory() -> Option<TempDir> {
    None
}
