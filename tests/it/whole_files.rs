//! Files that people keep and hence writes: whole, under the permissions that they have, and where links lead.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::command::hence;

/// A folder in which `link` leads to `kept`, which its owner alone reads.
fn folder(link: &str, text: &str) -> tempfile::TempDir {
    let dir = crate::memory::folder();
    let link = dir.path().join(link);
    let kept = dir.path().join("kept");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    fs::write(&kept, text).unwrap();
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&kept, link).unwrap();
    dir
}

/// What is kept, once `args` have changed it where the link leads.
fn changed(dir: &Path, link: &str, args: &[&str]) -> String {
    let output = hence(dir, args).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(dir.join(link).is_symlink(), "{link} is no link any more");
    let kept = dir.join("kept");
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    fs::read_to_string(kept).unwrap()
}

#[test]
fn rules_are_laid_out_where_a_link_leads() {
    let dir = folder("a.dl", "## A.\ninput   a(n: int).\n");
    assert_eq!(changed(dir.path(), "a.dl", &["fmt", "a.dl"]), "## A.\ninput a(n: int).\n");
}

#[cfg(feature = "gate")]
#[test]
fn hooks_are_installed_where_a_link_leads() {
    let dir = folder(".claude/settings.json", "{\"model\": \"big\"}");
    let text = changed(dir.path(), ".claude/settings.json", &["gate", "install", "--host", "claude"]);
    assert!(text.contains("\"big\"") && text.contains("PreToolUse"), "{text}");
}

#[cfg(feature = "gate")]
#[test]
fn hooks_are_not_installed_where_a_link_leads_nowhere() {
    let dir = folder(".claude/settings.json", "");
    fs::remove_file(dir.path().join("kept")).unwrap();
    let output = hence(dir.path(), &["gate", "install", "--host", "claude"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("broken link"), "{output:?}");
    assert!(dir.path().join(".claude/settings.json").is_symlink());
}
