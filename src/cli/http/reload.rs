//! Hot reload: rule files are looked at each second; when they change, all of them are read again, and the owner goes on
//! under them or, where they are faulty, under those that it has.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use hence::session::{RuleSet, RuleSource, SessionError, rule_files};

use super::super::follow::Follow;
use super::super::output;
use super::super::owner::{Mailbox, Work};
use super::workers::Workers;

/// How often rule files are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// When each file was changed, and how long it is.
type Seen = BTreeMap<PathBuf, Option<(SystemTime, u64)>>;

/// Looks at the rule files from now on, in a thread.
pub(super) fn watch(source: RuleSource, workers: &Arc<Workers>, mailbox: &Arc<Mailbox>) {
    if source.paths.is_empty() {
        return;
    }
    let (workers, mailbox) = (Arc::clone(workers), Arc::clone(mailbox));
    thread::spawn(move || {
        let mut before = seen(&source);
        while !mailbox.is_stopping() {
            thread::sleep(LOOK);
            let now = seen(&source);
            if now == before {
                continue;
            }
            before = now;
            match source.build() {
                Err(error) => refuse(&workers, &said(&error)),
                Ok(rules) => {
                    let work = renew(rules, Arc::clone(&workers));
                    if !mailbox.put_work(work) {
                        // Looked at again once the owner has time.
                        before.clear();
                    }
                }
            }
        }
    });
}

fn seen(source: &RuleSource) -> Seen {
    let mut all = Seen::new();
    for path in &source.paths {
        let files = rule_files(path).map(|files| files.rules).unwrap_or_default();
        for file in files.into_iter().chain([path.clone()]) {
            let found = fs::metadata(&file).ok();
            let found = found.and_then(|found| Some((found.modified().ok()?, found.len())));
            all.insert(file, found);
        }
    }
    all
}

/// What is wrong with rules, in a line.
fn said(error: &SessionError) -> String {
    match error {
        SessionError::Faults(faults) => faults.lines().next().unwrap_or_else(|| error.to_string()),
        error => error.to_string(),
    }
}

fn refuse(workers: &Workers, why: &str) {
    output::warning(&format!("the changed rules are not in force: {why}"));
    tracing::warn!(why, "the changed rules are not in force");
    workers.tell_rules(Some(why.to_owned()));
}

/// Has the owner go on under other rules.
fn renew(rules: RuleSet, workers: Arc<Workers>) -> Work {
    Box::new(move |follow: &mut Follow, out| {
        let fitting = super::access::check(&rules).map_err(|message| SessionError::Unknown { message });
        match fitting.and_then(|()| follow.renew(rules)) {
            Ok(()) => {
                output::aside("the rules were changed and are in force");
                workers.tell_rules(None);
                follow.catch_up(out)?;
                follow.publish();
            }
            Err(error) => refuse(&workers, &said(&error)),
        }
        Ok(())
    })
}
