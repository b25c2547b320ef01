//! What if parameters had other values: which decisions would be drawn, and which would lapse. Nothing is recorded.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Number, Value as Json};

use super::super::problem::Problem;
use super::super::question::Question;
use super::Sight;
use super::shell::{self, Shown};
use super::visit::Visit;
use super::words::{self, Schema, count, list, text};

/// The kinds of change that are shown, each with its sign and title.
const SECTIONS: [(&str, &str, &str); 3] = [
    ("drawn", "+", "Would be drawn"),
    ("lapsed", "−", "Would lapse"),
    ("undetermined", "?", "Would be undetermined"),
];
/// How many changes are shown.
const MOST: usize = 100;

pub(super) async fn show(visit: &Visit) -> Result<Response, Problem> {
    let found = visit.see(Sight::Parameters).await?;
    let params = list(&found, "parameters");
    let set: Vec<(String, Json)> = params.iter().filter_map(|param| changed(visit, param)).collect();
    let schema = Schema(found.get("schema").unwrap_or(&Json::Null));
    let content = html! {
        @if params.is_empty() {
            (shell::empty("These rules have no parameters", &html! { "A rule file declares one with " code { "param most: int = 3." } }))
        } @else {
            @if !set.is_empty() { (difference(visit, &set, params, schema).await) }
            (form(visit, params, &set))
        }
    };
    let about =
        html! { "Try other values of the parameters and see which decisions change. Nothing is recorded." };
    Ok(shell::screen(visit, &Shown { place: "/what-if", title: "What if", about, content }))
}

fn is_numeric(param: &Json) -> bool {
    matches!(text(param, "type"), "int" | "float")
}

/// A parameter that the query gives another value.
fn changed(visit: &Visit, param: &Json) -> Option<(String, Json)> {
    let name = text(param, "name");
    let given = visit.text(&format!("p_{name}"))?;
    let value = match text(param, "type") {
        "int" => given.parse::<i64>().map_or_else(|_| Json::from(given), Json::from),
        "float" => {
            given.parse().ok().and_then(Number::from_f64).map_or_else(|| Json::from(given), Json::Number)
        }
        "bool" => Json::from(given == "true"),
        _ => Json::from(given),
    };
    let same = match (value.as_f64(), param.get("value").and_then(Json::as_f64)) {
        (Some(one), Some(other)) => one == other,
        _ => Some(&value) == param.get("value"),
    };
    (!same).then(|| (name.to_owned(), value))
}

async fn difference(visit: &Visit, set: &[(String, Json)], params: &[Json], schema: Schema<'_>) -> Markup {
    let question = Question::WhatIf { assert: Vec::new(), retract: Vec::new(), set: set.to_vec() };
    let found = match visit.ask(question).await {
        Ok(found) => found,
        Err(problem) => return shell::wrong(&problem),
    };
    let changes = list(&found, "changes");
    let of = |what: &'static str| changes.iter().filter(move |change| text(change, "change") == what);
    let value_of =
        |name: &str| params.iter().find(|one| text(one, "name") == name).and_then(|one| one.get("value"));
    html! {
        section.card.result aria-label="Difference" tabindex="-1" {
            h2 { "With " @for (at, (name, value)) in set.iter().enumerate() {
                @if at > 0 { ", " } (words::plain(name)) " " span.number { (words::value_text(value)) }
                @if let Some(before) = value_of(name) { span.meta { " instead of " (words::value_text(before)) } }
            } }
            p.sum role="status" {
                span.badge.on { (words::counted(of("drawn").count() as u64, "decision", "decisions")) " more" } " "
                span.badge.off { (words::counted(of("lapsed").count() as u64, "decision", "decisions")) " fewer" }
            }
            @if changes.is_empty() { p { "No decision changes." } }
            @for (what, sign, title) in SECTIONS {
                @if of(what).next().is_some() {
                    h3 { (title) }
                    ul.changes {
                        @for change in of(what).take(MOST) { li class=(what) { span.sign aria-hidden="true" { (sign) } (one(change, what, schema)) } }
                    }
                    @let more = of(what).count().saturating_sub(MOST);
                    @if more > 0 { p.hint { "and " (more) " more" } }
                }
            }
        }
    }
}

fn one(change: &Json, what: &str, schema: Schema<'_>) -> Markup {
    let why = text(change, if what == "drawn" { "after" } else { "before" });
    html! { div { (schema.fact(change.get("decision").unwrap_or(&Json::Null))) @if !why.is_empty() { details { summary { "Why" } pre tabindex="0" { (why) } } } } }
}

fn form(visit: &Visit, params: &[Json], set: &[(String, Json)]) -> Markup {
    let files = params.chunk_by(|one, next| text(one, "file") == text(next, "file"));
    html! {
        form.params method="get" action="/what-if" {
            @for (at, group) in files.enumerate() {
                @let is_touched = group.iter().any(|param| set.iter().any(|(name, _)| name == text(param, "name")));
                details.group open[is_touched || at < 3] {
                    summary { (words::title(pack(group))) span.meta { (words::counted(group.len() as u64, "parameter", "parameters")) } }
                    @for param in group { (field(visit, param, set)) }
                }
            }
            div.bar { button.primary type="submit" { "Show the difference" } a href="/what-if" { "Back to the values of now" } }
        }
    }
}

/// The name of the file that declares parameters.
fn pack(group: &[Json]) -> &str {
    let file = group.first().map_or("", |param| text(param, "file"));
    let name = file.rsplit('/').next().unwrap_or(file);
    name.strip_suffix(".dl").unwrap_or(name)
}

fn field(visit: &Visit, param: &Json, set: &[(String, Json)]) -> Markup {
    let name = text(param, "name");
    let field = format!("p_{name}");
    let now = param.get("value").unwrap_or(&Json::Null);
    let raw = now.as_str().map_or_else(|| now.to_string(), str::to_owned);
    let shown = visit.text(&field).unwrap_or_else(|| raw.clone());
    let is_changed = set.iter().any(|(changed, _)| changed == name);
    let (step, high) = range(param);
    html! {
        div.param.changed[is_changed] {
            div.what {
                label for=(field) { (words::title(name)) }
                @if !text(param, "doc").is_empty() { p.hint { (text(param, "doc")) } }
            }
            div.set {
                @if is_numeric(param) {
                    input type="range" hidden data-for=(field) min="0" max=(high) step=(step) value=(shown) aria-label={ (words::title(name)) ", slider" };
                    input id=(field) name=(field) type="number" step="any" value=(shown);
                } @else if text(param, "type") == "bool" {
                    select id=(field) name=(field) { @for word in ["true", "false"] { option value=(word) selected[shown == word] { (word) } } }
                } @else {
                    input id=(field) name=(field) value=(shown);
                }
                @if is_changed { span.meta { "now " (raw) } }
            }
        }
    }
}

/// The step and the upper end of a slider.
fn range(param: &Json) -> (&'static str, String) {
    let value = param.get("value").and_then(Json::as_f64).unwrap_or_default().abs();
    if text(param, "type") == "int" {
        return ("1", (count(param, "value").max(5) * 2).to_string());
    }
    if value <= 1.0 { ("0.01", String::from("1")) } else { ("0.1", (value * 2.0).ceil().to_string()) }
}
