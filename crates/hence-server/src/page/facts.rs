//! Facts as they stood after any transaction, with who said them.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value as Json;

use super::super::problem::Problem;
use super::super::question::Page;
use super::Sight;
use super::proof;
use super::shell::{self, Shown};
use super::visit::Visit;
use super::words::{self, count, list, text};

/// How many are on a page.
const SIZE: u64 = 50;

pub(super) async fn show(visit: &Visit) -> Result<Response, Problem> {
    let last = visit.service.desk.board().borrow().tx;
    let at = visit.number("at").map(|tx| tx.min(last)).filter(|tx| *tx < last);
    let offset = visit.number("offset").unwrap_or(0);
    let relation = visit.text("relation");
    let page = Page { offset: usize::try_from(offset).unwrap_or(usize::MAX), limit: SIZE as usize };
    let sight = Sight::Facts { relation: relation.clone(), page };
    let question = super::super::question::Question::Page(sight);
    let found = visit.ask_at(question, at.map(|tx| tx.to_string())).await?;
    let content = html! {
        (moment(relation.as_deref(), at.unwrap_or(last), last, &found))
        @match &relation {
            Some(name) => {
                section {
                    h2 { (words::title(name)) }
                    @if !text(&found, "doc").is_empty() { p { (text(&found, "doc")) } }
                    (table(&found))
                    (shell::pager(visit, "/facts", (offset, SIZE, count(&found, "total"))))
                }
            }
            None => { (all(&found, at)) }
        }
    };
    let about = html! { "What was recorded, by whom. Nothing is forgotten: move the slider to see any moment of the past." };
    Ok(shell::screen(visit, &Shown { place: "/facts", title: "Facts", about, content }))
}

fn moment(relation: Option<&str>, at: u64, last: u64, found: &Json) -> Markup {
    html! {
        form.card.moment method="get" action="/facts" {
            @if let Some(relation) = relation { input type="hidden" name="relation" value=(relation); }
            div.field.grow {
                label for="at" { "As of transaction " output for="at" { (at) } " of " (last) }
                input #at type="range" name="at" min=(last.min(1)) max=(last) value=(at) step="1" data-submit;
            }
            p.meta { (words::time(text(found, "time"))) }
            button type="submit" { "Show" }
            @if at < last { a href={ "/facts" @if let Some(relation) = relation { "?relation=" (shell::encoded(relation)) } } { "Back to now" } }
        }
    }
}

/// Every relation with facts.
fn all(found: &Json, at: Option<u64>) -> Markup {
    let relations = list(found, "relations");
    html! {
        @if relations.is_empty() {
            (shell::empty("No facts at this moment", &html! { "Record some with " code { "POST /v1/facts" } " or " code { "hence assert" } "." }))
        }
        ul.tiles {
            @for relation in relations {
                @let name = text(relation, "name");
                li {
                    a href={ "/facts?relation=" (shell::encoded(name)) @if let Some(at) = at { "&at=" (at) } } {
                        b { (words::plain(name)) }
                        span.count { (words::counted(count(relation, "facts"), "fact", "facts")) }
                        @if !text(relation, "doc").is_empty() { span.hint { (words::cut(text(relation, "doc"), 110)) } }
                    }
                }
            }
        }
    }
}

fn table(found: &Json) -> Markup {
    let columns: Vec<&str> = list(found, "columns").iter().filter_map(Json::as_str).collect();
    let rows = list(found, "facts");
    html! {
        @if rows.is_empty() { p { "None at this moment." } } @else {
            div.table {
                table {
                    thead { tr { @for column in &columns { th { (words::title(column)) } } th { "Who says so" } th { "How surely" } } }
                    tbody {
                        @for row in rows {
                            tr {
                                @for (column, value) in columns.iter().zip(list(row, "values")) {
                                    td data-label=(words::title(column)) { (words::value(value)) }
                                }
                                td data-label="Who says so" { b { (text(row, "author")) } span.source { "transaction " (count(row, "tx")) " · " (words::time(text(row, "time"))) } }
                                td data-label="How surely" { (proof::strength(text(row, "strength"))) }
                            }
                        }
                    }
                }
            }
        }
    }
}
