//! `observe codebase` on planted repositories: a file says what it is about, has `-- PATH --` before each file of the
//! repository, `-- PATH -> TARGET --` for a link, and under `== facts ==` what is seen.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use hence_actuators::{observe_path, observer};

use crate::corpus::render::difference;

/// Plants the repository of a case and compares what is seen of it.
///
/// # Errors
/// From where on that differs.
pub(crate) fn check(case: &Path) -> Result<(), String> {
    let text = fs::read_to_string(case).unwrap();
    let (files, wanted) = text.split_once("== facts ==\n").ok_or("no line `== facts ==`")?;
    let folder = crate::memory::folder();
    plant(files, folder.path());
    let codebase = observer("codebase", None).unwrap();
    let mut seen = String::new();
    observe_path(codebase.as_ref(), folder.path().to_str().unwrap(), None, &|_, _| {}, &mut |fact| {
        seen.push_str(&format!("{fact}\n"));
        Ok(())
    })
    .unwrap();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(case, format!("{files}== facts ==\n{seen}")).unwrap();
        return Ok(());
    }
    if seen == wanted { Ok(()) } else { Err(difference(wanted, &seen)) }
}

/// A path with `\xNN` for bytes.
fn bytes(text: &str) -> OsString {
    let mut out = Vec::new();
    let mut parts = text.split("\\x");
    out.extend(parts.next().unwrap().bytes());
    for part in parts {
        out.push(u8::from_str_radix(&part[..2], 16).unwrap());
        out.extend(part[2..].bytes());
    }
    OsString::from_vec(out)
}

/// Writes the files of a planted repository into `folder`.
fn plant(text: &str, folder: &Path) {
    let mut open: Option<PathBuf> = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("-- ").and_then(|line| line.strip_suffix(" --")) {
            let (name, target) = name.split_once(" -> ").map_or((name, None), |(a, b)| (a, Some(b)));
            let path = folder.join(bytes(name));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match target {
                Some(target) => symlink(target, &path).unwrap(),
                None => fs::write(&path, "").unwrap(),
            }
            open = target.is_none().then_some(path);
        } else if let Some(path) = &open {
            let mut content = fs::read(path).unwrap();
            content.extend(bytes(line).into_vec());
            content.push(b'\n');
            fs::write(path, content).unwrap();
        }
    }
}
