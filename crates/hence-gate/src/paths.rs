//! Paths as the system sees them: absolute, without `.` and `..`, links followed, within bounds.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// How many links are followed on one path, as the system does.
const MOST_LINKS: usize = 40;
/// How many parts a path has at most; the rest is left as it is.
const MOST_PARTS: usize = 256;
/// How far up a working tree is looked for.
const MOST_PARENTS: usize = 64;

/// The absolute form of a path, step by step as the system walks it: a link is followed before `..` after it. What does
/// not exist stays as it is written. In `/proc`, `self` and any process are the shell whose directory is `cwd`; open files
/// of it are `/dev/fd/NUMBER`.
pub fn resolve(cwd: &Path, path: &Path) -> PathBuf {
    let mut left: VecDeque<OsString> = parts(path).collect();
    let mut done = if path.is_absolute() { PathBuf::from("/") } else { resolve_root(cwd) };
    let (mut links, mut walked) = (0, 0);
    while let Some(part) = left.pop_front() {
        walked += 1;
        if part == ".." {
            done.pop();
            continue;
        }
        done.push(&part);
        if let Some(stream) = own_stream(&done) {
            done = stream;
            continue;
        }
        if let Some(target) = process_path(&done, cwd) {
            done = target;
            continue;
        }
        if links > MOST_LINKS || walked > MOST_PARTS {
            continue;
        }
        if let Ok(target) = fs::read_link(&done) {
            links += 1;
            done.pop();
            if target.is_absolute() {
                done = PathBuf::from("/");
            }
            parts(&target).rev().for_each(|part| left.push_front(part));
        }
    }
    done
}

/// The working directory as it stands; what is not absolute counts from the root.
fn resolve_root(cwd: &Path) -> PathBuf {
    if cwd.is_absolute() && cwd.components().all(|part| !matches!(part, Component::ParentDir)) {
        fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned())
    } else {
        without_dots(Path::new("/"), cwd)
    }
}

fn parts(path: &Path) -> impl DoubleEndedIterator<Item = OsString> + use<> {
    let parts: Vec<OsString> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(part) => Some(part.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect();
    parts.into_iter()
}

/// Where `/proc/self`, `/proc/PROCESS/cwd` and `/proc/PROCESS/root` lead: not where they lead for this process.
fn process_path(path: &Path, cwd: &Path) -> Option<PathBuf> {
    let rest = path.strip_prefix("/proc").ok()?;
    let parts: Vec<&str> = rest.iter().filter_map(|part| part.to_str()).collect();
    match *parts.as_slice() {
        ["self" | "thread-self"] => Some(path.to_owned()),
        [_, "cwd"] | [_, "task", _, "cwd"] => Some(cwd.to_owned()),
        [_, "root"] | [_, "task", _, "root"] => Some(PathBuf::from("/")),
        _ => None,
    }
}

/// What a process calls an open file of its own, by its number. Where that leads for this process says nothing of the
/// command, so it is no link.
pub(crate) fn own_stream(path: &Path) -> Option<PathBuf> {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let number = match *parts.as_slice() {
        ["/", "dev", "stdin"] => "0",
        ["/", "dev", "stdout"] => "1",
        ["/", "dev", "stderr"] => "2",
        ["/", "dev", "fd", number] | ["/", "proc", "self" | "thread-self", "fd", number] => number,
        _ => return None,
    };
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| Path::new("/dev/fd").join(number))
}

/// The path without `.` and `..`, as it is written: no link is followed.
pub(crate) fn without_dots(cwd: &Path, path: &Path) -> PathBuf {
    let mut done = if path.is_absolute() { PathBuf::from("/") } else { cwd.to_owned() };
    for part in parts(path) {
        if part == ".." {
            done.pop();
        } else {
            done.push(part);
        }
    }
    done
}

/// The working tree that a folder is in: the nearest folder above it that git knows, else the folder itself.
pub fn tree_of(cwd: &Path) -> PathBuf {
    let cwd = resolve(Path::new("/"), cwd);
    let above = cwd.ancestors().take(MOST_PARENTS).find(|folder| folder.join(".git").exists());
    above.map_or_else(|| cwd.clone(), Path::to_path_buf)
}

/// The branch that a working tree is on, if its `HEAD` names one.
pub(crate) fn branch_of(tree: &Path) -> Option<String> {
    let git = tree.join(".git");
    let folder = match fs::read_to_string(&git) {
        // A tree beside the first one has a file there that says where its own folder is.
        Ok(text) => resolve(tree, Path::new(text.strip_prefix("gitdir:")?.trim())),
        Err(_) => git,
    };
    let head = hence_core::file::read(&folder.join("HEAD"), 4096).ok()?;
    let head = String::from_utf8(head).ok()?;
    head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}

/// The user's home, where the environment says it.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}
