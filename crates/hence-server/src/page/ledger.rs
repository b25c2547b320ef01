//! The head of the ledger, what is in it, and whether it is sound.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value as Json;

use super::super::native::LOG;
use super::super::problem::Problem;
use super::super::question::Question;
use super::Sight;
use super::rules::figures;
use super::shell::{self, Shown};
use super::visit::Visit;
use super::words::{self, count, list, text};

/// How many transactions are shown.
const MOST: u64 = 30;

pub(super) async fn show(visit: &Visit) -> Result<Response, Problem> {
    let status = visit.ask(Question::Status).await?;
    let last = count(&status, "transactions");
    let from = last.saturating_sub(MOST - 1).max(1);
    let shown = transactions(visit, from, last).await?;
    let content = html! {
        (figures(&[
            ("Transactions", words::digits(last), "each with the hash of the one before"),
            ("Facts", words::digits(count(&status, "facts")), "stand now"),
            ("Decisions", words::digits(count(&status, "decisions")), "in force now"),
        ]))
        section.card aria-label="Head" {
            h2 { "Head" }
            p.hint { "The hash of the last transaction covers everything before it. Whoever keeps it can show later that nothing was changed." }
            p { code.hash { (text(&status, "head")) } }
            form method="get" action="/ledger" {
                input type="hidden" name="verify" value="1";
                button.primary type="submit" { "Verify" }
            }
            @if visit.text("verify").is_some() { (verified(visit).await) }
        }
        section {
            h2 { "Last transactions" }
            ol.log { @for one in shown.iter().rev() { (one) } }
        }
    };
    let about = html! { "Everything that was recorded, as a chain that can be checked." };
    Ok(shell::screen(visit, &Shown { place: "/ledger", title: "Ledger", about, content }))
}

/// Transactions as they are shown, in as many answers as it takes.
async fn transactions(visit: &Visit, mut from: u64, last: u64) -> Result<Vec<Markup>, Problem> {
    let mut shown = Vec::new();
    while from <= last {
        let limit = usize::try_from(last - from + 1).unwrap_or(usize::MAX);
        let log = visit.ask(Question::Log { from, limit, bytes: LOG }).await?;
        let read = list(&log, "transactions");
        shown.extend(read.iter().map(transaction));
        match read.len() {
            0 => break,
            count => from = from.saturating_add(count as u64),
        }
    }
    Ok(shown)
}

async fn verified(visit: &Visit) -> Markup {
    let found = match visit.see(Sight::Verify).await {
        Ok(found) => found,
        Err(problem) => return shell::wrong(&problem),
    };
    let differences = list(&found, "differences");
    html! {
        @if differences.is_empty() {
            p.done role="status" {
                "Sound: " (words::counted(count(&found, "transactions"), "transaction", "transactions")) " hash to this head, and "
                (words::counted(count(&found, "facts"), "fact", "facts")) " and "
                (words::counted(count(&found, "decisions"), "decision", "decisions")) " are what they say. "
                "To draw every decision again, run " code { "hence verify" } "."
            }
        } @else {
            div.problem role="alert" { p { "Not sound:" } ul { @for one in differences { li { (one.as_str().unwrap_or_default()) } } } }
        }
    }
}

fn transaction(one: &Json) -> Markup {
    let number = count(one, "transaction");
    let told = |name: &str, single: &str, many: &str, does: &str| {
        let size = list(one, name).len() as u64;
        (size > 0).then(|| format!("{} {does}", words::counted(size, single, many)))
    };
    let all = [
        told("asserted", "fact", "facts", "recorded"),
        told("retracted", "fact", "facts", "taken back"),
        told("drawn", "decision", "decisions", "drawn"),
        told("lapsed", "decision", "decisions", "lapsed"),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    html! {
        li {
            span.tx { (number) }
            div {
                (words::time(text(one, "time"))) " by " b { (text(one, "author")) }
                @if text(one, "strength") == "signed" { " " span.badge.on { "signed" } }
                span.meta {
                    @if all.is_empty() { "nothing changed" } @else { (all.join(", ")) }
                    @if !text(one, "note").is_empty() { " · " (text(one, "note")) }
                }
            }
            a href={ "/facts?at=" (number) } aria-label={ "Facts then, as of transaction " (number) } { "Facts then" }
        }
    }
}
