//! Hot reload: rule files and `hence.toml` are looked at each second; when they change, all rules are read again, and the
//! owner goes on under them or, where they are faulty, under those that it has.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use hence_core::symbol::Symbol;
use hence_core::threads;
use hence_core::value::Value;
use hence_session::{RuleSet, RuleSource, SessionError, rule_files};

use super::super::config::{self, RULES};
use super::super::follow::Follow;
use super::super::owner::{Mailbox, Work};
use super::super::rules::RuleOptions;
use super::super::{Failure, output};
use super::problem::of_failure;
use super::workers::Workers;

/// How often rule files are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// When each file was changed, and how long it is.
type Seen = BTreeMap<PathBuf, Option<(SystemTime, u64)>>;

/// Looks at the rule files from now on, and at the settings that say which these are, in a thread.
///
/// # Errors
/// The system gives none.
pub(super) fn watch(named: RuleOptions, workers: &Arc<Workers>, mailbox: &Arc<Mailbox>) -> io::Result<()> {
    let (workers, mailbox) = (Arc::clone(workers), Arc::clone(mailbox));
    threads::begin("reload", move || {
        let mut source = named.source_by(config::get());
        let (mut settings, mut before) = (stamps(config::file_now()), seen(&source));
        while !mailbox.is_stopping() {
            thread::sleep(LOOK);
            let settings_now = stamps(config::file_now());
            if settings_now != settings {
                settings = settings_now;
                match config::read() {
                    Ok(config) => source = named.source_by(&config),
                    Err(error) => {
                        refuse(&workers, &said_of_settings(&error));
                        continue;
                    }
                }
                before.clear();
                output::aside(
                    "hence.toml was changed: all but its rules, packs, parameters and lints wait for a restart",
                );
            }
            let now = seen(&source);
            if now == before {
                continue;
            }
            before = now;
            match source.build() {
                Err(error) => refuse(&workers, &said(&error)),
                Ok(rules) => {
                    let work = renew(rules, named.sets.clone(), Arc::clone(&workers));
                    if !mailbox.put_work(work) {
                        // Looked at again once the owner has time.
                        before.clear();
                    }
                }
            }
        }
    })
    .map(drop)
}

/// When files were changed, and how long they are.
fn stamps(files: impl IntoIterator<Item = PathBuf>) -> Seen {
    let stamp = |file: &PathBuf| {
        let found = fs::metadata(file).ok()?;
        Some((found.modified().ok()?, found.len()))
    };
    files.into_iter().map(|file| (file.clone(), stamp(&file))).collect()
}

fn seen(source: &RuleSource) -> Seen {
    let of = |path: &PathBuf| rule_files(path).map(|files| files.rules).unwrap_or_default();
    let files = source.paths.iter().flat_map(|path| of(path).into_iter().chain([path.clone()]));
    // Without any, rules and packs count still.
    stamps(files.chain([PathBuf::from(RULES)]))
}

/// What is wrong with settings, in a line.
fn said_of_settings(error: &Failure) -> String {
    match error {
        Failure::Session(error) => said(error),
        other => of_failure(other).detail,
    }
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
fn renew(rules: RuleSet, sets: Vec<(Symbol, Value)>, workers: Arc<Workers>) -> Work {
    Box::new(move |follow: &mut Follow, out| {
        match config::get().check_authzen(&rules).and_then(|()| follow.renew(rules, &sets)) {
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
