//! What each tool did in each domain, as the rules of tools count it: runs, share that went well, time, usefulness, failures.

use std::collections::BTreeMap;

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value as Json;

use super::super::problem::Problem;
use super::super::question::Question;
use super::shell::{self, Shown};
use super::visit::Visit;
use super::words::{self, count, list, text};

/// What is read: counts, what comes of them, and how tools failed last.
const READ: [&str; 3] = ["tool_stats", "usefulness", "recent_failure_mode"];
/// The domain of all runs.
const ALL: &str = "/global";
/// How many failures of a tool are named.
const FAILURES: usize = 2;

pub(super) async fn show(visit: &Visit) -> Result<Response, Problem> {
    let question = Question::Derived { relations: READ.to_vec(), only: None, name: "performance" };
    let found = match visit.ask(question).await {
        Err(problem) if problem.status == 404 => Json::Null,
        found => found?,
    };
    let found = found.get("performance").unwrap_or(&Json::Null);
    let mut domains: BTreeMap<&str, Vec<&Json>> = BTreeMap::new();
    for row in list(found, "tool_stats") {
        domains.entry(text(row, "domain")).or_default().push(row);
    }
    let content = html! {
        @if domains.is_empty() {
            (shell::empty("No tool has run yet", &html! { "Runs show here once the pack " code { "tool_scoring" } " decides and somebody records " code { "tool_run" } "." }))
        }
        // All runs come last: each domain by itself says more.
        @for (domain, rows) in domains.iter().filter(|(domain, _)| **domain != ALL) { (of_domain(domain, rows, found)) }
        @if let Some(rows) = domains.get(ALL) { (of_domain(ALL, rows, found)) }
    };
    let about = html! { "What each tool did where, and how useful that makes it. A tool without runs in a domain is judged there by all of its runs." };
    Ok(shell::screen(visit, &Shown { place: "/performance", title: "Performance by domain", about, content }))
}

fn of_domain(domain: &str, rows: &[&Json], found: &Json) -> Markup {
    let name = if domain == ALL { String::from("All domains") } else { words::title(domain) };
    let calls: u64 = rows.iter().map(|row| count(row, "calls")).sum();
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| std::cmp::Reverse(count(row, "calls")));
    html! {
        section {
            h2 { (name) }
            p.hint { (words::counted(calls, "run", "runs")) " of " (words::counted(rows.len() as u64, "tool", "tools")) }
            div.table {
                table {
                    thead { tr { @for column in ["Tool", "Runs", "Went well", "Mean time", "Usefulness", "Failed last with"] { th { (column) } } }
                    }
                    tbody { @for row in rows { (of_tool(domain, row, found)) } }
                }
            }
        }
    }
}

fn of_tool(domain: &str, row: &Json, found: &Json) -> Markup {
    let (tool, calls, well) = (text(row, "tool"), count(row, "calls"), count(row, "successes"));
    let is_here = |one: &&Json| text(one, "tool") == tool && text(one, "domain") == domain;
    let score = list(found, "usefulness").iter().find(is_here).and_then(|one| one.get("score"));
    let mut failures: Vec<&str> = Vec::new();
    for mode in list(found, "recent_failure_mode").iter().filter(is_here).map(|one| text(one, "mode")) {
        if !failures.contains(&mode) && failures.len() < FAILURES {
            failures.push(mode);
        }
    }
    let share = well * 100 / calls.max(1);
    html! {
        tr {
            td data-label="Tool" { b { (words::plain(tool)) } }
            td data-label="Runs" { span.number { (words::digits(calls)) } }
            td data-label="Went well" {
                meter min="0" max="100" value=(share) aria-label={ (share) " % went well" } {} " " span.number { (share) " %" }
            }
            td data-label="Mean time" { @if let Some(time) = row.get("avg_latency") { (words::value(time)) } }
            td data-label="Usefulness" { @if let Some(score) = score { span.number { (words::value(score)) } } @else { "–" } }
            td data-label="Failed last with" {
                @for (at, mode) in failures.iter().enumerate() { @if at > 0 { ", " } (words::plain(mode)) }
            }
        }
    }
}
