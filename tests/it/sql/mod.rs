//! Scripts of SQL: what each database derives from the golden cases, the corpus and random programs is what hence derives,
//! or the script stops where an operation has no result.

mod databases;
mod scripts;

use std::collections::BTreeMap;

use databases::Database;
use scripts::{Expected, Script};

/// Runs scripts, and says how many were equal and how many stopped, as they had to.
fn hold(database: &Database, scripts: Vec<Script>) -> (usize, usize) {
    let wanted: BTreeMap<String, &Script> =
        scripts.iter().map(|script| (script.name.clone(), script)).collect();
    let (mut equal, mut stopped, mut wrong) = (0, 0, Vec::new());
    for (name, became) in database.run(&scripts) {
        let script = wanted[&name];
        match (&script.expected, became.as_str()) {
            (Expected::Equal, "equal") => equal += 1,
            (Expected::Stops, "equal" | "no answer") => wrong.push(format!("{name} does not stop")),
            (Expected::Stops, _) => stopped += 1,
            (Expected::Equal, why) if database.may_stop(why) => stopped += 1,
            (Expected::Equal, why) => wrong.push(format!("{name}: {why}")),
        }
    }
    assert_eq!(equal + stopped + wrong.len(), scripts.len(), "some scripts had no answer");
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), scripts.len(), wrong.join("\n"));
    println!("{}: {equal} equal, {stopped} stopped of {}", database.name(), scripts.len());
    (equal, stopped)
}

fn slow() -> bool {
    std::env::var_os("HENCE_SLOW").is_some()
}

#[test]
fn duckdb_derives_what_hence_derives() {
    let Some(database) = Database::duckdb() else { return };
    let dialect = database.dialect();
    let (corpus, golden) = if slow() { (1, usize::MAX) } else { (4, 3) };
    let mut all = scripts::corpus(dialect, corpus);
    all.extend(scripts::golden(dialect, golden));
    all.extend(scripts::random(dialect, 0..if slow() { 20_000 } else { 60 }));
    let (equal, stopped) = hold(&database, all);
    assert!(equal > 50 && stopped > 5, "too few: {equal} equal, {stopped} stopped");
}

/// A script is some dozens of jobs in Spark, so there are fewer.
#[test]
fn spark_derives_what_hence_derives() {
    if !slow() {
        return;
    }
    let Some(database) = Database::spark() else { return };
    let dialect = database.dialect();
    let mut all = scripts::corpus(dialect, 4);
    all.extend(scripts::golden(dialect, 1));
    all.extend(scripts::random(dialect, 0..60));
    let (equal, stopped) = hold(&database, all);
    assert!(equal > 50 && stopped > 5, "too few: {equal} equal, {stopped} stopped");
}

#[test]
fn postgres_derives_what_hence_derives() {
    if !slow() {
        return;
    }
    let Some(database) = Database::postgres() else { return };
    let dialect = database.dialect();
    let mut all = scripts::corpus(dialect, 1);
    all.extend(scripts::golden(dialect, 20));
    all.extend(scripts::random(dialect, 0..3_000));
    let (equal, stopped) = hold(&database, all);
    assert!(equal > 50 && stopped > 5, "too few: {equal} equal, {stopped} stopped");
}
