//! The decisions in force as they were drawn, the last one first.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value as Json;

use super::super::problem::Problem;
use super::super::question::Page;
use super::shell::{self, Shown};
use super::visit::Visit;
use super::words::{self, count, list, text};
use super::{Filter, Sight};

/// How many are on a page.
const SIZE: u64 = 50;

pub(super) async fn show(visit: &Visit) -> Result<Response, Problem> {
    let filter = Filter {
        relation: visit.text("relation"),
        rule: visit.text("rule"),
        subject: visit.text("subject"),
        from: visit.text("from"),
        to: visit.text("to"),
    };
    let offset = visit.number("offset").unwrap_or(0);
    let page = Page { offset: usize::try_from(offset).unwrap_or(usize::MAX), limit: SIZE as usize };
    let found = visit.see(Sight::Decisions { filter: filter.clone(), page }).await?;
    let total = count(&found, "total");
    let content = html! {
        (form(&filter, &found))
        div #live data-live data-after=(count(&found, "tx")) {
            p.sum role="status" {
                (words::counted(total, "decision", "decisions")) " in force"
                @if filter != Filter::default() { ", as filtered · " a href="/" { "show all" } }
            }
            @if total == 0 { (nothing(&filter)) } @else { (rows(list(&found, "decisions"))) }
            (shell::pager(visit, "/", (offset, SIZE, total)))
        }
    };
    let about = html! { "What follows from the facts and the rules now, the last drawn first." };
    Ok(shell::screen(visit, &Shown { place: "/", title: "Decisions", about, content }))
}

fn form(filter: &Filter, found: &Json) -> Markup {
    let names = |name| list(found, name).iter().filter_map(Json::as_str);
    html! {
        form.filter method="get" action="/" role="search" aria-label="Filter decisions" {
            div.field.grow {
                label for="subject" { "About" }
                input #subject type="search" name="subject" value=[filter.subject.as_deref()] placeholder="a run, a tool, a word";
            }
            (shell::choice(("relation", "Kind"), "Any kind", names("relations"), filter.relation.as_deref()))
            (shell::choice(("rule", "Rule"), "Any rule", names("rules"), filter.rule.as_deref()))
            div.field { label for="from" { "From" } input #from type="date" name="from" value=[filter.from.as_deref()]; }
            div.field { label for="to" { "To" } input #to type="date" name="to" value=[filter.to.as_deref()]; }
            button type="submit" { "Filter" }
        }
    }
}

fn nothing(filter: &Filter) -> Markup {
    if *filter == Filter::default() {
        let way_out = html! { "Record facts with " code { "POST /v1/facts" } " or " code { "hence assert" } "; what follows from them shows here at once." };
        return shell::empty("No decision yet", &way_out);
    }
    shell::empty(
        "No decision is like that",
        &html! { "Loosen the filter, or ask " a href="/why-not" { "why not" } "." },
    )
}

/// Decisions under the transactions that drew them.
fn rows(found: &[Json]) -> Markup {
    let groups = found.chunk_by(|one, next| count(one, "tx") == count(next, "tx"));
    html! {
        @for group in groups {
            @let first = group.first().unwrap_or(&Json::Null);
            section.drawn aria-label={ "Transaction " (count(first, "tx")) } {
                h2 {
                    (words::time(text(first, "time")))
                    span.meta { "transaction " (count(first, "tx")) " by " (text(first, "by")) }
                }
                ul.rows { @for one in group { (row(one)) } }
            }
        }
    }
}

fn row(one: &Json) -> Markup {
    let relation = text(one, "relation");
    html! {
        li {
            a.row href={ "/decisions/" (text(one, "id")) } {
                span.kind { (words::plain(relation)) }
                span.said {
                    @match one.get("because").and_then(Json::as_str) {
                        Some(because) => { (words::sentence(because)) }
                        None => {
                            @for value in list(one, "values") { (words::value(value)) " " }
                        }
                    }
                }
                span.meta { @if let Some(rule) = one.get("rule").and_then(Json::as_str) { (words::plain(rule)) } }
            }
        }
    }
}
