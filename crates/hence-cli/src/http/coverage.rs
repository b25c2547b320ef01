//! What the tests of the rules in force reach, measured once for each rule set, beside what is asked meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hence_core::{fault, threads};
use hence_ledger::Hash;
use hence_ruletest::coverage::measure;
use hence_ruletest::{Selection, Suite};
use hence_session::{RuleSet, shipped};

/// By rule, how many points tests reach, and how many it has.
pub(super) type Reached = BTreeMap<String, (usize, usize)>;

/// The rules that were measured last, and what came of it; `None` while it goes on.
static KNOWN: Mutex<Option<(Hash, Option<Arc<Reached>>)>> = Mutex::new(None);

/// What tests reach of these rules, if there are any, and whether that is still being measured.
pub(super) fn of(rules: &RuleSet) -> (Option<Arc<Reached>>, bool) {
    let hash = rules.recorded().hash();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, reached)) = known.as_ref()
        && *of == hash
    {
        let found = reached.clone().filter(|reached| !reached.is_empty());
        return (found, reached.is_none());
    }
    *known = Some((hash, None));
    drop(known);
    let (paths, packs) = tests(rules);
    let measures = threads::begin("coverage", move || {
        let reached = reached(&paths, &packs).unwrap_or_default();
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_some_and(|(of, _)| *of == hash) {
            *known = Some((hash, Some(Arc::new(reached))));
        }
    });
    if measures.is_err() {
        // Whoever looks next tries again.
        *KNOWN.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
    (None, measures.is_ok())
}

/// The files of tests beside the rule files, and the shipped packs among the rules.
fn tests(rules: &RuleSet) -> (Vec<PathBuf>, Vec<String>) {
    let (mut paths, mut packs) = (BTreeSet::new(), BTreeSet::new());
    for (_, source) in rules.sources.iter() {
        let file = Path::new(source.name());
        let folder = file.parent().unwrap_or(Path::new(""));
        if file.is_file() {
            let test =
                file.with_file_name(format!("{}_test.dl", file.file_stem().unwrap_or_default().display()));
            paths.extend([file.to_owned(), test].into_iter().filter(|path| path.is_file()));
        } else if let Some(name) = folder.file_name().and_then(|name| name.to_str())
            && shipped::pack(name).is_some()
        {
            packs.insert(name.to_owned());
        }
    }
    (paths.into_iter().collect(), packs.into_iter().collect())
}

fn reached(paths: &[PathBuf], packs: &[String]) -> Option<Reached> {
    let suite = Suite::of(paths, packs).ok()?;
    let selection = Selection { jobs: 1, ..Selection::default() };
    let measured =
        fault::caught::<_, hence_session::SessionError>(|| Ok(measure(&suite, &selection))).ok()?;
    let mut all = Reached::new();
    for point in measured.files.iter().flat_map(|file| &file.points).filter(|point| !point.binds) {
        let (reached, points) = all.entry(point.rule.clone()).or_default();
        *reached += usize::from(point.hits > 0);
        *points += 1;
    }
    Some(all)
}
