//! The level of autonomy: an agent raises its own by no way, a reviewer's yes and a reviewer's word do.

use std::fs;
use std::path::Path;

use super::hence;

const SETTINGS: &str =
    "packs = [\"loop\"]\n[roles]\nreviewer = [\"ada\"]\nagent = [\"eve\"]\n[engine]\ncross_check = []\n";

fn folder() -> tempfile::TempDir {
    let folder = crate::memory::folder();
    fs::write(folder.path().join("hence.toml"), SETTINGS).unwrap();
    folder
}

/// The level that the rules see.
fn level(at: &Path) -> String {
    hence(at, &["derive", "current_level", "--format", "jsonl"], "").0
}

#[test]
fn an_agent_raises_its_level_by_no_way() {
    let folder = folder();
    let at = folder.path();
    assert_eq!(hence(at, &["assert", "autonomy_level(2, @2026-02-03T00:00:00Z)", "--as", "ada"], "").1, 0);
    assert!(level(at).contains("[2]"), "{}", level(at));
    let fact = "autonomy_level(5, @2026-02-03T12:00:00Z)";
    let line = "{\"autonomy_level\": [5, \"2026-02-03T12:00:00Z\"]}\n";
    let back = "{\"retract\": {\"autonomy_level\": [2, \"2026-02-03T00:00:00Z\"]}}\n";
    let tries: [(&[&str], &str); 7] = [
        (&["assert", fact, "--as", "eve"], ""),
        (&["retract", "autonomy_level(2, @2026-02-03T00:00:00Z)", "--as", "eve"], ""),
        (&["decide", "--follow", "--as", "eve"], line),
        (&["decide", "--follow", "--as", "eve"], back),
        (&["param", "set", "first_level=5", "--as", "eve"], ""),
        (&["param", "set", "highest_level=9", "--as", "eve"], ""),
        (&["assert", "set_parameter(\"first_level\", \"5\", @2026-02-03T12:00:00Z)", "--as", "eve"], ""),
    ];
    for (args, input) in tries {
        let (said, status) = hence(at, args, input);
        assert!(status == 2 && said.contains("`eve` may not"), "{args:?}: {status} {said}");
        assert!(level(at).contains("[2]"), "{args:?}: {}", level(at));
    }
    assert_eq!(hence(at, &["verify"], "").1, 0);
}
