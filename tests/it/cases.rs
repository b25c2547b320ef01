//! Cases as files: every `NAME.dl` of a folder, rendered by a test, against the `NAME.out` beside it. `UPDATE=1`
//! writes what came out instead.

use std::fs;
use std::path::Path;

use hence_core::diagnostic::Diagnostic;
use hence_core::span::Sources;
use hence_lang::analysis::checked::Checked;
use hence_syntax::tree::File;

/// A case that was read: its text as a table of sources, its tree, and what analysis made of it.
pub(crate) struct Case {
    pub(crate) sources: Sources,
    pub(crate) files: Vec<File>,
    pub(crate) checked: Checked,
}

/// Renders each case of `tests/lower/FOLDER` and compares.
pub(crate) fn check(folder: &str, render: impl Fn(&Case) -> String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lower").join(folder);
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "dl"));
    paths.sort();
    assert!(!paths.is_empty(), "no cases in {}", folder.display());
    let wrong: Vec<String> = paths.iter().filter_map(|path| differs(path, render(&read(path)))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn read(path: &Path) -> Case {
    from_text(&path.file_name().unwrap().to_string_lossy(), &fs::read_to_string(path).unwrap())
}

/// Reads and checks a rule file without faults.
pub(crate) fn from_text(name: &str, text: &str) -> Case {
    let mut sources = Sources::default();
    let id = sources.add(name, text);
    let (file, faults) = hence_syntax::parse(id, text);
    assert!(faults.is_empty(), "{}", rendered(&faults, &sources));
    let files = vec![file];
    let (checked, faults) = hence_lang::analysis::check(&files, &sources, &[]);
    assert!(faults.is_empty(), "{}", rendered(&faults, &sources));
    Case { sources, files, checked }
}

fn differs(path: &Path, found: String) -> Option<String> {
    let expected = path.with_extension("out");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(expected, found).unwrap();
        return None;
    }
    let wanted = fs::read_to_string(&expected).unwrap_or_default();
    (wanted != found).then(|| format!("--- {}\n{wanted}\n+++ what came out\n{found}", expected.display()))
}

/// Diagnostics in plain lines: code and message, each place with its text, notes and help.
pub(crate) fn rendered(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        out += &format!("{} {}\n", diagnostic.code, diagnostic.message);
        for label in &diagnostic.labels {
            let (place, text) = (sources.place(label.span), sources.slice(label.span).replace('\n', " "));
            out += &format!("    {}:{} {text} -- {}\n", place.line, place.column, label.text);
        }
        out.extend(diagnostic.notes.iter().map(|note| format!("    note: {note}\n")));
        out.extend(diagnostic.help.iter().map(|help| format!("    help: {help}\n")));
    }
    out
}
