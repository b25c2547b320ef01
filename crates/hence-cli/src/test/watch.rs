//! Watching files: when each was last changed, looked up twice a second.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// How long is waited between two looks.
const PAUSE: Duration = Duration::from_millis(500);

/// The files below some roots, with when each was last changed; hidden ones are left out.
pub(super) fn seen(roots: &[PathBuf]) -> BTreeMap<PathBuf, SystemTime> {
    let mut files = BTreeMap::new();
    let mut open = roots.to_vec();
    while let Some(path) = open.pop() {
        let Ok(data) = fs::metadata(&path) else { continue };
        if data.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            let visible = entries.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
            open.extend(visible.map(|entry| entry.path()));
        } else if let Ok(time) = data.modified() {
            files.insert(path, time);
        }
    }
    files
}

/// Waits until something differs from `before`.
pub(super) fn until_changed(roots: &[PathBuf], before: &BTreeMap<PathBuf, SystemTime>) {
    while seen(roots) == *before {
        std::thread::sleep(PAUSE);
    }
}
