//! Why something does not hold: a form, what is missing, and what would make it hold.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value as Json;

use super::super::problem::Problem;
use super::super::question::Question;
use super::Sight;
use super::shell::{self, Shown};
use super::visit::Visit;
use super::words::{self, Schema, count, list, text};

/// How long it looks for what would make a fact hold, in milliseconds.
const LOOK: u64 = 400;

pub(super) async fn show(visit: &Visit) -> Result<Response, Problem> {
    let rules = visit.see(Sight::Rules).await?;
    let relations = list(&rules, "relations");
    let asked =
        visit.text("relation").and_then(|name| relations.iter().find(|one| text(one, "name") == name));
    let fact = visit.text("fact").or_else(|| asked.and_then(|relation| fact_of(visit, relation)));
    let content = html! {
        (choose(relations, asked))
        @if let Some(relation) = asked { (columns(visit, relation)) }
        @if let Some(fact) = &fact { (answer(visit, fact, rules.get("schema").unwrap_or(&Json::Null)).await) }
        (by_hand(fact.as_deref()))
    };
    let about =
        html! { "Ask why something was not decided: what each rule lacks, and what would change it." };
    Ok(shell::screen(visit, &Shown { place: "/why-not", title: "Why not", about, content }))
}

fn choose(relations: &[Json], asked: Option<&Json>) -> Markup {
    let names = |kind: &'static str| {
        relations.iter().filter(move |one| text(one, "kind") == kind).map(|one| text(one, "name"))
    };
    html! {
        form.filter method="get" action="/why-not" {
            div.field.grow {
                label for="relation" { "What was not decided?" }
                select #relation name="relation" data-submit {
                    option value="" { "Choose …" }
                    @for (label, kind) in [("Decisions", "decision"), ("What else follows", "derived")] {
                        optgroup label=(label) {
                            @for name in names(kind) {
                                option value=(name) selected[asked.is_some_and(|one| text(one, "name") == name)] { (words::plain(name)) }
                            }
                        }
                    }
                }
            }
            button type="submit" { "Next" }
        }
    }
}

/// The columns of a relation as fields; an empty one is anything.
fn columns(visit: &Visit, relation: &Json) -> Markup {
    let name = text(relation, "name");
    html! {
        form.card method="get" action="/why-not" {
            input type="hidden" name="relation" value=(name);
            input type="hidden" name="ask" value="1";
            @if !text(relation, "doc").is_empty() { p { (text(relation, "doc")) } }
            div.fields {
                @for (at, column) in list(relation, "columns").iter().enumerate() {
                    @let field = format!("c{at}");
                    div.field {
                        label for=(field) { (words::title(column.as_str().unwrap_or_default())) }
                        input id=(field) name=(field) value=[visit.text(&field)] placeholder="anything"
                            aria-describedby={ (field) "-type" };
                        span.hint id={ (field) "-type" } { (kind_of(type_of(relation, at))) }
                    }
                }
            }
            button.primary type="submit" { "Why not?" }
        }
    }
}

fn type_of(relation: &Json, at: usize) -> &str {
    list(relation, "types").get(at).and_then(Json::as_str).unwrap_or_default()
}

/// A type in words.
fn kind_of(ty: &str) -> &str {
    match ty {
        "string" => "a text",
        "int" => "a whole number",
        "float" => "a number",
        "bool" => "true or false",
        "time" => "a time, such as 2026-02-03T12:00:00Z",
        "duration" => "a duration, such as 1h30m",
        "name" => "a word",
        other => other,
    }
}

/// The fact that the fields ask for.
fn fact_of(visit: &Visit, relation: &Json) -> Option<String> {
    visit.text("ask")?;
    let values = list(relation, "columns").iter().enumerate().map(|(at, _)| {
        let Some(given) = visit.text(&format!("c{at}")) else { return String::from("_") };
        match type_of(relation, at) {
            "int" | "bool" | "duration" => given,
            "float" if given.contains('.') => given,
            "float" => format!("{given}.0"),
            "time" => format!("@{}", given.trim_start_matches('@')),
            "string" => Json::from(given).to_string(),
            _ => format!("/{}", given.trim_start_matches('/').replace(' ', "_")),
        }
    });
    Some(format!("{}({})", text(relation, "name"), values.collect::<Vec<_>>().join(", ")))
}

async fn answer(visit: &Visit, fact: &str, schema: &Json) -> Markup {
    match visit.ask(Question::WhyNot { fact: fact.to_owned(), look: LOOK }).await {
        Ok(found) => told(&found, Schema(schema)),
        Err(problem) => shell::wrong(&problem),
    }
}

fn told(found: &Json, schema: Schema<'_>) -> Markup {
    let holds = list(found, "holds");
    html! {
        section aria-label="Answer" {
            @if !holds.is_empty() {
                h2 { "It does hold" }
                ul.rows { @for fact in holds.iter().take(20) { li.plain { (schema.fact(fact)) } } }
            } @else {
                h2 { (schema.fact(found.get("asked").unwrap_or(&Json::Null))) " does not hold" }
                (remedies(found, schema))
                h3 { "What each rule lacks" }
                @if found.get("input").and_then(Json::as_bool) == Some(true) {
                    p { "Nobody recorded it, and no rule derives it." }
                }
                ol.lacks { @for rule in list(found, "rules") { (lack(rule, schema)) } }
            }
        }
    }
}

fn lack(rule: &Json, schema: Schema<'_>) -> Markup {
    let (held, of) = (count(rule, "held"), count(rule, "of"));
    let place = rule.get("place").unwrap_or(&Json::Null);
    html! {
        li.card {
            h4 { (words::title(text(rule, "rule"))) }
            p.far {
                meter min="0" max=(of.max(1)) value=(held) aria-label="Conditions that hold" {}
                (held) " of " (words::counted(of, "condition holds", "conditions hold"))
            }
            p.cross { (reason(rule, schema)) }
            details.syntax {
                summary { "As the rules write it" }
                p { (text(rule, "message")) }
                p.place { code { (text(place, "file")) ":" (count(place, "line")) } }
            }
        }
    }
}

/// Where a rule stops, in words.
fn reason(rule: &Json, schema: Schema<'_>) -> Markup {
    let failure = rule.get("failure").unwrap_or(&Json::Null);
    let atom = failure.get("atom").unwrap_or(&Json::Null);
    let value = |name: &str| words::value(failure.get(name).unwrap_or(&Json::Null));
    html! {
        @match text(failure, "kind") {
            "missing" => {
                "There is no " (schema.fact(atom)) span.meta { " among " (count(failure, "among")) }
                @let nearest = list(failure, "nearest");
                @if let Some(nearest) = nearest.first() { br; span.meta { "The nearest is " (schema.fact(nearest)) } }
            }
            "in_the_way" => { "In the way is " (schema.fact(list(failure, "facts").first().unwrap_or(atom))) }
            "test" => { (words::condition(text(failure, "text"))) " is not so" span.meta { " (" (words::condition(text(failure, "written"))) ")" } }
            "head" => { "It speaks of another " (words::plain(text(failure, "column"))) ": " (value("gives")) ", not " (value("asked")) }
            "limit" => { "It is number " (count(failure, "rank")) " of " (count(failure, "of")) ", and only the first " (count(failure, "keep")) " count" }
            _ => { (text(rule, "message")) }
        }
    }
}

fn remedies(found: &Json, schema: Schema<'_>) -> Markup {
    let all = found.get("remedies").map(|found| list(found, "remedies")).unwrap_or_default();
    html! {
        h3 { "What would make it hold" }
        @if all.is_empty() { p { "No set of up to three changes was found that would." } }
        ul.remedies {
            @for remedy in all {
                li.card {
                    @for change in list(remedy, "changes") { p.change { (change_of(change, schema)) } }
                    @if remedy.get("needs_human").and_then(Json::as_bool) == Some(true) { span.badge { "takes a person" } }
                }
            }
        }
    }
}

fn change_of(change: &Json, schema: Schema<'_>) -> Markup {
    let shown = change.get("pattern").or_else(|| change.get("assert")).or_else(|| change.get("retract"));
    html! {
        @if change.get("assert").is_some() { b { "Record" } " " }
        @else if change.get("retract").is_some() { b { "Take back" } " " }
        @match shown {
            Some(fact) => { (schema.fact(fact)) }
            None => { code { (change) } }
        }
    }
}

fn by_hand(fact: Option<&str>) -> Markup {
    html! {
        details.syntax {
            summary { "Ask as the rules write it" }
            form method="get" action="/why-not" {
                div.field {
                    label for="fact" { "Fact" }
                    input #fact name="fact" value=[fact] spellcheck="false" placeholder="tool_allowed(\"web_search\")";
                }
                button type="submit" { "Why not?" }
            }
        }
    }
}
