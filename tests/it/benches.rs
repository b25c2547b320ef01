//! The benchmarks are a package of their own that nothing here builds: what pages tell people to run has to be there.

use std::fs;
use std::path::Path;

use regex::Regex;

#[test]
fn pages_name_benchmarks_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bins = root.join("benches/src/bin");
    let manifest = fs::read_to_string(root.join("benches/Cargo.toml")).unwrap();
    let options = fs::read_to_string(root.join("benches/src/options.rs")).unwrap();
    let default = Regex::new(r#"default-run = "(\w+)""#).unwrap();
    let default = default.captures(&manifest).unwrap()[1].to_owned();
    assert!(bins.join(format!("{default}.rs")).is_file(), "{default}");

    let command = Regex::new(r"benches/Cargo\.toml(?: --bin (\w+))?").unwrap();
    for page in ["docs/figures.md", "benches/README.md"] {
        let text = fs::read_to_string(root.join(page)).unwrap();
        assert!(command.is_match(&text), "{page} tells nothing to run");
        for found in command.captures_iter(&text) {
            let bin = found.get(1).map_or(default.as_str(), |name| name.as_str());
            assert!(bins.join(format!("{bin}.rs")).is_file(), "{page}: {}", &found[0]);
        }
    }
    let page = fs::read_to_string(root.join("benches/README.md")).unwrap();
    let sections = Regex::new(r"(?m)^\| `(\w+)` \|").unwrap();
    assert!(sections.is_match(&page));
    for found in sections.captures_iter(&page) {
        assert!(options.contains(&format!("\"{}\"", &found[1])), "there is no section `{}`", &found[1]);
    }
}
