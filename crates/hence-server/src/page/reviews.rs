//! What waits for a person: what it is about and why it waits, to approve, edit or reject.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value as Json;

use super::super::problem::Problem;
use super::super::question::{Question, Review};
use super::Sight;
use super::proof::{self, Proof};
use super::shell::{self, Shown};
use super::visit::{self, Visit};
use super::words::{self, Schema, count, list, text};

/// What the names of the fields begin with that hold parts of the content.
const PART: &str = "part_";

pub(super) async fn show(visit: &Visit) -> Result<Response, Problem> {
    let found = visit.see(Sight::Reviews).await?;
    let schema = Schema(found.get("schema").unwrap_or(&Json::Null));
    let reviews = list(&found, "reviews");
    let content = html! {
        @if let (Some(id), Some(done)) = (visit.text("id"), visit.text("done")) {
            p.done role="status" {
                b { (id) } @if done == "approved" { " is approved." } @else { " is rejected." }
                " It is transaction " (visit.number("after").unwrap_or_default()) ": "
                (words::counted(visit.number("drawn").unwrap_or(0), "decision was drawn", "decisions were drawn")) ", "
                (words::counted(visit.number("lapsed").unwrap_or(0), "lapsed", "lapsed")) ". "
                a href="/" { "See the decisions" }
            }
        }
        @if reviews.is_empty() {
            (shell::empty("Nothing waits for you", &html! { "Proposals, requests for more freedom and blocked events show here once rules ask for a person." }))
        } @else {
            p.sum { (words::counted(reviews.len() as u64, "thing waits", "things wait")) " for a person" }
            @for review in reviews { (card(visit, review, schema)) }
        }
    };
    let about = html! { "What agents may not decide alone. Your answer is recorded under your name, and the rules go on from it." };
    Ok(shell::screen(visit, &Shown { place: "/reviews", title: "Reviews", about, content }))
}

fn asks(kind: &str) -> &'static str {
    match kind {
        "escalation" => "asks for more freedom",
        "proposal" => "proposes a change",
        "override" => "asks to let an event past a rule",
        _ => "waits",
    }
}

fn card(visit: &Visit, review: &Json, schema: Schema<'_>) -> Markup {
    let (id, kind) = (text(review, "id"), text(review, "kind"));
    let content = review.get("content").and_then(Json::as_object).filter(|content| !content.is_empty());
    html! {
        article.review aria-label=(id) {
            header {
                span.kind { (kind) }
                p.meta {
                    (asks(kind))
                    @if let Some(since) = review.get("since").and_then(Json::as_str) { " · since " (words::time(since)) }
                    " · " code { (id) }
                }
                h2 { (words::sentence(text(review, "what"))) }
            }
            form method="post" action="/reviews/answer" {
                input type="hidden" name="seal" value=(visit.seal);
                input type="hidden" name="id" value=(id);
                div.content {
                    @if let Some(content) = content {
                        dl { @for (part, written) in content { div { dt { (words::title(part)) } dd { (words_of(written)) } } } }
                        @if visit.may_write() {
                            details.edit {
                                summary { "Edit before approving" }
                                @for (part, written) in content { (part_of(id, part, written)) }
                            }
                        }
                    }
                    @if let Some(proof) = review.get("proof").filter(|proof| !proof.is_null()) { (why(&Proof::new(proof, schema))) }
                }
                div.answer {
                    @if visit.may_write() { (answers(id)) } @else { p.hint { "Your token only reads; answering takes one with the scope write." } }
                }
            }
        }
    }
}

/// A part of the content, to be written anew where it should be.
fn part_of(id: &str, part: &str, written: &Json) -> Markup {
    let field = format!("{id}-{part}");
    let written = words_of(written);
    html! {
        div.field {
            label for=(field) { (words::title(part)) }
            textarea id=(field) name={ (PART) (part) } rows=(written.len() / 60 + 1) { "\n" (written) }
            input type="hidden" name={ "was_" (part) } value=(written);
        }
    }
}

fn words_of(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

fn answers(id: &str) -> Markup {
    let field = format!("{id}-comment");
    html! {
        div.field {
            label for=(field) { "Reason" }
            input id=(field) name="comment" autocomplete="off" aria-describedby={ (field) "-hint" };
            span.hint id={ (field) "-hint" } { "Needed to reject; rules learn from it." }
        }
        div.bar {
            button.primary type="submit" name="answer" value="approve" { "Approve" }
            button.danger type="submit" name="answer" value="reject" { "Reject" }
        }
    }
}

fn why(proof: &Proof<'_>) -> Markup {
    let facts = proof.steps().iter().filter(|step| text(step, "by") == "assertion");
    html! {
        details.why {
            summary { "Why it waits, and the facts that it rests on" }
            (proof.tree())
            ul.evidence {
                @for step in facts {
                    @let origin = step.get("origin").unwrap_or(&Json::Null);
                    li { (proof.schema().fact(step.get("fact").unwrap_or(&Json::Null))) span.meta { "by " (text(origin, "author")) } (proof::strength(text(origin, "strength"))) }
                }
            }
        }
    }
}

/// Records an answer.
pub(super) async fn answer(visit: &Visit) -> Result<Response, Problem> {
    let form = visit.form();
    let field = |name: &str| form.get(name).map(|text| text.trim()).unwrap_or_default();
    let approved = match field("answer") {
        "approve" => true,
        "reject" => false,
        _ => return Err(Problem::malformed("`answer`: expected approve or reject")),
    };
    let comment = field("comment").to_owned();
    if !approved && comment.is_empty() {
        return Err(Problem::malformed(
            "a rejection needs a reason: rules learn from it; go back and write one",
        ));
    }
    let mut edits = Vec::new();
    for (name, written) in form.iter().filter(|_| approved) {
        // Browsers send line ends as two characters.
        let (Some(part), written) = (name.strip_prefix(PART), written.replace("\r\n", "\n")) else {
            continue;
        };
        if form.get(&format!("was_{part}")).map(|was| was.replace("\r\n", "\n")).as_ref() != Some(&written) {
            edits.push((part.to_owned(), written));
        }
    }
    let id = field("id").to_owned();
    let said = visit.ask(Question::Review(Review { id: id.clone(), approved, comment, edits })).await?;
    let done = if approved { "approved" } else { "rejected" };
    let (drawn, lapsed) = (list(&said, "drawn").len(), list(&said, "lapsed").len());
    let query = format!(
        "id={}&done={done}&after={}&drawn={drawn}&lapsed={lapsed}",
        shell::encoded(&id),
        count(&said, "tx")
    );
    Ok(visit::to(&format!("/reviews?{query}")))
}
