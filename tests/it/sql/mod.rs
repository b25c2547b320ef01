//! Scripts of SQL: what each database derives from the golden cases, the corpus and random programs is what hence derives,
//! or the script stops where an operation has no result.

mod databases;
mod scripts;

use crate::slow;
use std::collections::BTreeMap;
use std::ops::Range;

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
    slow::is_slow()
}

/// DuckDB, where it is asked for: it comes from the Python registry, which nobody expects `cargo test` to reach.
fn duckdb() -> Option<Database> {
    (slow() || std::env::var_os("HENCE_SQL").is_some()).then(Database::duckdb).flatten()
}

/// What a database derives from every `corpus`-th file, from so many golden cases of each pack and from random programs.
fn derives_what_hence_derives(database: &Database, (corpus, golden): (usize, usize), seeds: Range<u64>) {
    let dialect = database.dialect();
    let mut all = scripts::corpus(dialect, corpus);
    all.extend(scripts::golden(dialect, golden));
    all.extend(scripts::random(dialect, seeds));
    let (equal, stopped) = hold(database, all);
    assert!(equal > 50 && stopped > 5, "too few: {equal} equal, {stopped} stopped");
}

#[test]
fn duckdb_derives_what_hence_derives() {
    let Some(database) = duckdb() else { return };
    let (some, seeds) = if slow() { ((1, usize::MAX), 0..20_000) } else { ((4, 3), 0..60) };
    derives_what_hence_derives(&database, some, seeds);
}

/// A script is some dozens of jobs in Spark, so there are fewer.
#[test]
fn spark_derives_what_hence_derives() {
    if slow()
        && let Some(database) = Database::spark()
    {
        derives_what_hence_derives(&database, (4, 1), 0..60);
    }
}

#[test]
fn postgres_derives_what_hence_derives() {
    if slow()
        && let Some(database) = Database::postgres()
    {
        derives_what_hence_derives(&database, (1, 20), 0..3_000);
    }
}

/// Programs in which one operation has no result and an atom that another one computes holds nowhere, and such in which an atom
/// says what would be computed from what is not known then.
#[test]
fn an_operation_stops_a_script_only_where_everything_else_may_hold() {
    let Some(database) = duckdb() else { return };
    let seeds = [4812, 8062, 8225, 9789, 9875, 13086, 13111, 13444, 13768, 16037, 16460, 17375, 18500, 19652];
    let all =
        seeds.into_iter().flat_map(|seed| scripts::random(database.dialect(), seed..seed + 1)).collect();
    hold(&database, all);
}
