//! What is to be carried out, and what became of it.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value as Json;

use super::super::problem::Problem;
use super::super::question::Question;
use super::shell::{self, Shown};
use super::visit::Visit;
use super::words::{self, count, list, text};

/// How many lines are shown.
const MOST: usize = 200;

pub(super) async fn show(visit: &Visit) -> Result<Response, Problem> {
    let all = visit.text("all").is_some();
    let found = visit.ask(Question::Outbox { all }).await?;
    let rows = list(&found, "outbox");
    let content = html! {
        form.filter method="get" action="/outbox" {
            label.check { input type="checkbox" name="all" value="1" checked[all] data-submit; " Also what is done" }
            button type="submit" { "Show" }
        }
        @if rows.is_empty() {
            (shell::empty("Nothing is to be carried out", &html! { "Decisions whose relations have a carrier under " code { "[carry]" } " in hence.toml show here until they are done." }))
        } @else { (table(rows)) }
    };
    let about = html! { "Decisions that something outside has to carry out, with each attempt." };
    Ok(shell::screen(visit, &Shown { place: "/outbox", title: "Outbox", about, content }))
}

fn table(rows: &[Json]) -> Markup {
    html! {
        div.table {
            table {
                thead { tr { th { "Decision" } th { "State" } th { "Carrier" } th { "Attempts" } th { "Last word" } } }
                tbody {
                    @for row in rows.iter().take(MOST) {
                        tr {
                            td data-label="Decision" { a href={ "/decisions/" (text(row, "id")) } { (text(row, "id")) } " " code.long { (words::cut(text(row, "decision"), 120)) } }
                            td data-label="State" { (state(text(row, "state"))) }
                            td data-label="Carrier" { (text(row, "carrier")) }
                            td data-label="Attempts" { (count(row, "attempts")) @if let Some(next) = row.get("next").and_then(Json::as_str) { span.source { "next " (words::time(next)) } } }
                            td data-label="Last word" { (words::cut(text(row, "detail"), 200)) }
                        }
                    }
                }
            }
        }
        @if rows.len() > MOST { p.hint { "and " (rows.len() - MOST) " more" } }
    }
}

fn state(word: &str) -> Markup {
    match word {
        "done" | "delivered" => html! { span.badge.on { (word) } },
        "failed" | "dead" | "unknown" => html! { span.badge.off { (word) } },
        _ => html! { span.badge { (word) } },
    }
}
