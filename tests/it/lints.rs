//! Every lint has a name, which its page and the page of settings give, and a level that `hence.toml` sets.

use std::fs;

use hence_lang::analysis::lints::levels;

use crate::files::files;

#[test]
fn every_lint_is_known_by_its_name() {
    let settings = fs::read_to_string("docs/settings.md").unwrap();
    let pages = files("docs/codes", &["md"]);
    // W112 counts the warnings that are not shown.
    let lints = pages.iter().filter(|page| page.file_name().unwrap().to_string_lossy().starts_with("W2"));
    let mut count = 0;
    for page in lints {
        let code = page.file_stem().unwrap().to_str().unwrap();
        let lint = levels::lint(code).unwrap_or_else(|| panic!("{code} has no name"));
        let name = levels::name(lint).unwrap();
        assert_eq!(levels::lint(name), Some(lint));
        assert!(fs::read_to_string(page).unwrap().contains(&format!("`{name}`")), "{code}: {name}");
        assert!(settings.contains(&format!("| `{name}` | {code} |")), "{code}: {name}");
        count += 1;
    }
    assert!(count >= 8, "{count}");
    assert_eq!(levels::lint("missing_doc"), None);
    assert_eq!(levels::nearest_lint("missing_doc"), Some("missing_docs"));
}
