//! A decision: its sentence, the facts and rules that it rests on, and when it held.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value as Json;

use super::super::problem::Problem;
use super::proof::{self, Proof};
use super::shell::{self, Shown};
use super::visit::Visit;
use super::words::{self, Schema, count, list, text};
use super::{Sight, graph};

pub(super) async fn show(visit: &Visit) -> Result<Response, Problem> {
    let found = visit.see(Sight::Decision(visit.part("id")?)).await?;
    let schema = Schema(found.get("schema").unwrap_or(&Json::Null));
    let relation = text(&found, "relation");
    let because = text(&found, "because");
    let title = match because {
        "" => words::title(relation),
        because => words::sentence_text(because),
    };
    let about = html! {
        span.kind { (words::plain(relation)) }
        " drawn " (words::time(text(&found, "drawn_at"))) " after facts of " b { (text(&found, "by")) } " · "
        @match found.get("lapsed_in").and_then(Json::as_u64) {
            Some(tx) => span.badge.off { "lapsed in transaction " (tx) },
            None => span.badge.on { "in force" },
        }
    };
    let content = html! {
        (what(&found, schema))
        @match found.get("proof").filter(|proof| !proof.is_null()) {
            Some(proof) => { (why(&Proof::new(proof, schema))) }
            None => section { h2 { "Why" } p { "No proof can be found any more: the rules or facts of then are not all there." } }
        }
        (history(&found))
        (syntax(&found))
    };
    Ok(shell::screen(visit, &Shown { place: "/", title: &title, about, content }))
}

fn what(found: &Json, schema: Schema<'_>) -> Markup {
    let relation = text(found, "relation");
    html! {
        section.card aria-label="What was decided" {
            h2 { "What was decided" }
            @if !schema.doc(relation).is_empty() { p { (schema.doc(relation)) } }
            (schema.columns(relation, list(found, "values")))
        }
    }
}

fn why(proof: &Proof<'_>) -> Markup {
    html! {
        section {
            h2 { "Why" }
            p.hint { "Read from the top: each line holds because of the lines below it, down to facts that somebody recorded." }
            (proof.tree())
        }
        section {
            h2 { "The same as a picture" }
            (graph::proof(proof))
        }
        section {
            h2 { "Facts that it rests on" }
            (evidence(proof))
        }
    }
}

fn evidence(proof: &Proof<'_>) -> Markup {
    let facts: Vec<&Json> = proof.steps().iter().filter(|step| text(step, "by") == "assertion").collect();
    html! {
        @if facts.is_empty() {
            p { "None: the rules alone say so." }
        } @else {
            div.table {
                table {
                    thead { tr { th { "Fact" } th { "Who says so" } th { "How surely" } th { "When" } } }
                    tbody {
                        @for step in facts {
                            @let origin = step.get("origin").unwrap_or(&Json::Null);
                            tr {
                                td data-label="Fact" { (proof.schema().fact(step.get("fact").unwrap_or(&Json::Null))) }
                                td data-label="Who says so" { b { (text(origin, "author")) } span.source { (source(text(origin, "source"))) } }
                                td data-label="How surely" { (proof::strength(text(origin, "strength"))) }
                                td data-label="When" { (words::time(text(origin, "time"))) span.source { "transaction " (count(origin, "transaction")) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Where a fact came from: of a file its name.
fn source(text: &str) -> String {
    words::cut(text.rsplit('/').next().unwrap_or(text), 60)
}

fn history(found: &Json) -> Markup {
    html! {
        section {
            h2 { "History" }
            ol.history {
                @for span in list(found, "history") {
                    li.on {
                        b { "Drawn" } " " (words::time(text(span, "from_time")))
                        span.meta { "transaction " (count(span, "from")) " by " (text(span, "from_by")) }
                    }
                    @if let Some(until) = span.get("until").and_then(Json::as_u64) {
                        li.off {
                            b { "Lapsed" } " " (words::time(text(span, "until_time")))
                            span.meta { "transaction " (until) " by " (text(span, "until_by")) }
                        }
                    }
                }
            }
        }
    }
}

fn syntax(found: &Json) -> Markup {
    let written = words::syntax_of(text(found, "relation"), list(found, "values"));
    let id = text(found, "id");
    html! {
        details.syntax {
            summary { "As the rules write it" }
            pre tabindex="0" { code { (written) "\n" @if let Some(rule) = found.get("rule").and_then(Json::as_str) { "rule " (rule) "\n" } "\n$ hence why " (id) } }
            p { a href={ "/v1/decisions/" (id) "/proof" } { "The proof as JSON" } " (takes a token, as all of the API)" }
        }
    }
}
