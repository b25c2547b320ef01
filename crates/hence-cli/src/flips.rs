//! The report of a replay: how many decisions flip by rule and by week, with an example of each.

use std::collections::BTreeMap;
use std::io::{self, Write};

use hence_core::literal::visible;
use hence_session::Flip;
use serde_json::{Value as Json, json};

use super::diagnostics::count;
use super::{output, terminal};

/// What flips by one rule.
struct ByRule {
    gone: usize,
    new: usize,
    example: Flip,
}

/// What flips in one week.
#[derive(Default)]
struct ByWeek {
    gone: usize,
    new: usize,
    /// The first and the last transaction with a flip.
    transactions: Option<(u64, u64)>,
}

/// Counts the flips of a replay.
#[derive(Default)]
pub(super) struct Report {
    rules: BTreeMap<String, ByRule>,
    weeks: BTreeMap<String, ByWeek>,
}

impl Report {
    /// Takes a flip in.
    pub(super) fn add(&mut self, flip: &Flip) {
        let rule = flip.rule.clone().unwrap_or_else(|| String::from("no rule"));
        let (gone, new) = (usize::from(flip.stood), usize::from(!flip.stood));
        let by = self.rules.entry(rule).or_insert_with(|| ByRule { gone: 0, new: 0, example: flip.clone() });
        (by.gone, by.new) = (by.gone + gone, by.new + new);
        let week = self.weeks.entry(week(flip.clock)).or_default();
        (week.gone, week.new) = (week.gone + gone, week.new + new);
        let first = week.transactions.map_or(flip.tx, |(first, _)| first);
        week.transactions = Some((first, flip.tx));
    }

    /// Writes it for people: the rules with most flips first.
    pub(super) fn text(&self) -> io::Result<()> {
        let mut out = terminal::text();
        if self.rules.is_empty() {
            return Ok(());
        }
        writeln!(out, "by rule:")?;
        for (rule, by) in self.by_size() {
            writeln!(out, "  {rule}: {}", turned(by.gone, by.new))?;
            writeln!(out, "    such as transaction {}: {}", by.example.tx, by.example.decision)?;
            if let Some((before, after)) = &by.example.reasons {
                writeln!(out, "      before: {}", visible(before))?;
                writeln!(out, "      after: {}", visible(after))?;
            }
        }
        writeln!(out, "by week of the rules' clock:")?;
        for (name, week) in &self.weeks {
            let within = match week.transactions {
                Some((first, last)) if first != last => format!("transactions {first} to {last}"),
                Some((first, _)) => format!("transaction {first}"),
                None => continue,
            };
            writeln!(out, "  {name}: {}, {within}", turned(week.gone, week.new))?;
        }
        Ok(())
    }

    /// The same as JSON.
    pub(super) fn json(&self) -> Json {
        let rules = self.by_size().into_iter().map(|(rule, by)| {
            let reasons = by.example.reasons.as_ref();
            json!({
                "rule": rule, "no_longer": by.gone, "new": by.new,
                "example": {
                    "transaction": by.example.tx, "decision": output::json_fact(&by.example.decision),
                    "before": reasons.map(|(before, _)| before), "after": reasons.map(|(_, after)| after),
                },
            })
        });
        let weeks = self.weeks.iter().map(|(week, by)| {
            let (first, last) = by.transactions.unzip();
            json!({"week": week, "no_longer": by.gone, "new": by.new, "first": first, "last": last})
        });
        json!({"by_rule": rules.collect::<Json>(), "by_week": weeks.collect::<Json>()})
    }

    fn by_size(&self) -> Vec<(&String, &ByRule)> {
        let mut all: Vec<_> = self.rules.iter().collect();
        all.sort_by_key(|(rule, by)| (std::cmp::Reverse(by.gone + by.new), (*rule).clone()));
        all
    }
}

fn turned(gone: usize, new: usize) -> String {
    let decisions = count(gone + new, "decision");
    match (gone, new) {
        (_, 0) => format!("{decisions} no longer drawn"),
        (0, _) => format!("{decisions} drawn now"),
        _ => format!("{decisions}, {gone} no longer drawn and {new} drawn now"),
    }
}

/// The ISO week of an instant in UTC: `2026-W07`.
fn week(micros: i64) -> String {
    let Ok(instant) = jiff::Timestamp::from_microsecond(micros) else { return String::from("no week") };
    let week = instant.to_zoned(jiff::tz::TimeZone::UTC).date().iso_week_date();
    format!("{:04}-W{:02}", week.year(), week.week())
}
