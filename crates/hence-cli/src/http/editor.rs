//! The rule editor of the page: a file of the rules in force as it is, what a check of another text for it finds, and, where
//! nobody changed it meanwhile, that text in its place.

use std::fs;
use std::path::{Path, PathBuf};

use hence_core::fault;
use hence_core::file::folder;
use hence_core::scratch::Scratch;
use hence_ledger as ledger;
use hence_ruletest::{Selection, Suite, TestVerdict};
use hence_server::{Problem, Sight};
use hence_session::{RuleSet, Session, SessionError, format};
use serde_json::{Value as Json, json};

use super::super::diagnostics;
use super::problem::of_session;

type Told = Result<Json, Problem>;

/// How many files beside the one that is tested are copied.
const MOST: usize = 200;
/// How many tests that don't pass are told.
const TOLD: usize = 50;

/// The files of the rules in force that lie on the disk, and one of them.
pub(super) fn file(session: &Session, name: Option<&str>) -> Told {
    let files = files(session.rules());
    let Some(name) = name else { return Ok(json!({ "files": files })) };
    let text = read(session.rules(), name)?;
    Ok(json!({ "files": files, "file": name, "seal": seal(&text), "text": text }))
}

/// What a check of `text` finds in the place of a file, and how the tests of that file end.
pub(super) fn check(session: &Session, (name, text): (&str, &str)) -> Told {
    let rules = session.rules();
    read(rules, name)?;
    let faults = faults(rules, (name, text))?;
    let is_sound = faults.is_empty();
    let tests = if is_sound { tests((name, text))? } else { Json::Null };
    Ok(json!({ "faults": faults, "sound": is_sound, "tests": tests }))
}

/// Puts `text` in the place of a file that still is as `sight` saw it.
pub(super) fn save(session: &Session, sight: &Sight) -> Told {
    let Sight::Save { file, text, seal: seen } = sight else {
        return Err(Problem::new(500, "this saves nothing"));
    };
    let rules = session.rules();
    if seal(&read(rules, file)?) != *seen {
        return Err(Problem::new(409, format!("`{file}` was changed meanwhile; open it again")));
    }
    if !faults(rules, (file, text))?.is_empty() {
        return Err(Problem::new(422, format!("`{file}` would have faults; it is as it was")));
    }
    format::replace(Path::new(file), text).map_err(|error| of_session(&error))?;
    Ok(json!({ "file": file }))
}

/// Rule files that people may edit: not those of shipped packs, which lie in the binary.
fn files(rules: &RuleSet) -> Vec<String> {
    let names = rules.sources.iter().map(|(_, source)| source.name());
    names.filter(|name| name.ends_with(".dl") && Path::new(name).is_file()).map(str::to_owned).collect()
}

fn read(rules: &RuleSet, name: &str) -> Result<String, Problem> {
    if !files(rules).iter().any(|known| known == name) {
        return Err(Problem::new(404, format!("no file `{name}` of the rules is to be edited")));
    }
    fs::read_to_string(name).map_err(|error| Problem::new(500, format!("can't read `{name}`: {error}")))
}

/// By what a text is known again.
fn seal(text: &str) -> String {
    hence_server::hash(text.as_bytes())
}

/// What is wrong with the rules in force once `text` is in the place of a file.
fn faults(rules: &RuleSet, (name, text): (&str, &str)) -> Result<Vec<Json>, Problem> {
    let recorded = rules.recorded();
    let replaced = |(known, was): &(String, String)| {
        (known.clone(), if known == name { text.to_owned() } else { was.clone() })
    };
    let files = recorded.files().iter().map(replaced).collect();
    let changed = ledger::RecordedRules::new(files, recorded.params().to_vec());
    match fault::caught(|| RuleSet::from_recorded(&changed)) {
        Ok(_) => Ok(Vec::new()),
        Err(SessionError::Faults(found)) => {
            Ok(found.diagnostics.iter().map(|one| diagnostics::json(one, &found.sources)).collect())
        }
        Err(error) => Err(of_session(&error)),
    }
}

/// How the tests of a file end with another text: in a copy of its folder, so that what it imports from there is found.
fn tests((name, text): (&str, &str)) -> Result<Json, Problem> {
    let failed = |error: std::io::Error| Problem::new(500, format!("the rules can't be tested: {error}"));
    let scratch = Scratch::new("edit").map_err(failed)?;
    let copied = copy(Path::new(name), text, scratch.path()).map_err(failed)?;
    let suite = match Suite::of(&copied, &[]) {
        Ok(suite) => suite,
        Err(error) => return Ok(json!({ "unread": within(&error.to_string(), scratch.path()) })),
    };
    let selection = Selection { jobs: 1, ..Selection::default() };
    let report =
        fault::caught::<_, SessionError>(|| Ok(suite.run(&selection))).map_err(|error| of_session(&error))?;
    let ended = report.tests().filter_map(|test| {
        let lines = match &test.verdict {
            TestVerdict::Passed => return None,
            TestVerdict::Broken(why) => vec![why.clone()],
            TestVerdict::Failed(all) => all.iter().flat_map(hence_ruletest::TestFailure::lines).collect(),
        };
        let lines: Vec<String> = lines.iter().map(|line| within(line, scratch.path())).collect();
        Some(json!({ "name": test.name, "line": test.place.line, "lines": lines }))
    });
    Ok(
        json!({ "passed": report.passed(), "count": report.count(), "failed": ended.take(TOLD).collect::<Json>() }),
    )
}

/// Copies the rule files of a folder, one of them with another text; where that one and its tests are.
fn copy(file: &Path, text: &str, to: &Path) -> std::io::Result<Vec<PathBuf>> {
    for entry in fs::read_dir(folder(file))?.take(MOST) {
        let path = entry?.path();
        let name = path.file_name().filter(|_| path.extension().is_some_and(|ending| ending == "dl"));
        if let Some(name) = name.filter(|_| path.is_file()) {
            fs::copy(&path, to.join(name))?;
        }
    }
    let stem = file.file_stem().unwrap_or_default().display();
    let (edited, test) = (to.join(format!("{stem}.dl")), to.join(format!("{stem}_test.dl")));
    fs::write(&edited, text)?;
    Ok([edited, test].into_iter().filter(|path| path.is_file()).collect())
}

/// A message without the folder that nobody knows.
fn within(message: &str, folder: &Path) -> String {
    message.replace(&format!("{}/", folder.display()), "")
}
