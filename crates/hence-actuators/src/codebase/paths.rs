//! Paths inside a scanned root: relative to it, with `/` between folders.

use std::path::{Component, Path};

/// A path below `root` as facts have it; bytes of a name that are not UTF-8 read as `\xNN`.
pub(super) fn relative(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let parts = inside.components().filter_map(|part| match part {
        Component::Normal(name) => Some(spelled(name.as_encoded_bytes())),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

fn spelled(name: &[u8]) -> String {
    let mut text = String::new();
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// The folder of a path; empty for the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// `path` as seen from `folder`; `None` where it leaves the root.
pub(super) fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// `folder`, then the folders above it, up to the root.
pub(super) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |below| (!below.is_empty()).then(|| self::folder(below)))
}
