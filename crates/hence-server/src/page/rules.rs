//! The rules in words: what each kind of decision means, which rules draw it, how far they are used, and who reads whom.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value as Json;

use super::super::problem::Problem;
use super::Sight;
use super::graph;
use super::shell::{self, Shown};
use super::visit::Visit;
use super::words::{self, count, list, text};

pub(super) async fn show(visit: &Visit) -> Result<Response, Problem> {
    let found = visit.see(Sight::Rules).await?;
    let relations = list(&found, "relations");
    let rules = || relations.iter().flat_map(|relation| list(relation, "rules"));
    let used = rules().filter(|rule| count(rule, "decisions") > 0).count() as u64;
    let drawing = relations.iter().filter(|one| text(one, "kind") == "decision");
    let drawing = drawing.map(|one| list(one, "rules").len() as u64).sum::<u64>();
    let content = html! {
        (figures(&[
            ("Rules", words::digits(rules().count() as u64), "in force now"),
            ("Rules in use", format!("{used} of {drawing}"), "rules of decisions that drew one which stands"),
            ("Tested", tested(&found), coverage_about(&found)),
        ]))
        @for (kind, title, about) in KINDS {
            section {
                h2 { (title) }
                p.hint { (about) }
                ul.tiles { @for relation in relations.iter().filter(|one| text(one, "kind") == kind) { (tile(relation)) } }
            }
        }
    };
    let about = html! { "What the rules say, in their own words; each leads to its rules and to who reads it. " a href="/map" { "All of them on a map" } " · " a href="/edit" { "Edit their files" } };
    Ok(shell::screen(visit, &Shown { place: "/rules", title: "Rules", about, content }))
}

const KINDS: [(&str, &str, &str); 3] = [
    ("decision", "Decisions", "What the rules decide; each is recorded as it is drawn."),
    ("derived", "Steps between", "What the rules conclude on the way to decisions."),
    ("input", "Facts from outside", "What agents, observers and people record."),
];

fn tested(found: &Json) -> String {
    match found.get("coverage") {
        Some(coverage) if !coverage.is_null() => {
            let (reached, all) = (count(coverage, "reached"), count(coverage, "all").max(1));
            format!("{} %", reached * 100 / all)
        }
        _ if found.get("measuring").and_then(Json::as_bool) == Some(true) => String::from("…"),
        _ => String::from("–"),
    }
}

fn coverage_about(found: &Json) -> &'static str {
    match found.get("measuring").and_then(Json::as_bool) {
        Some(true) => "is being measured; look again in a moment",
        _ if found.get("coverage").is_some_and(Json::is_object) => {
            "of the points of the rules that their tests reach"
        }
        _ => "no tests beside these rules",
    }
}

/// A few figures side by side.
pub(super) fn figures(all: &[(&str, String, &str)]) -> Markup {
    html! {
        dl.figures {
            @for (name, value, about) in all {
                div { dt { (name) } dd { b { (value) } span.hint { (about) } } }
            }
        }
    }
}

fn tile(relation: &Json) -> Markup {
    let name = text(relation, "name");
    let rules = list(relation, "rules").len() as u64;
    html! {
        li {
            a href={ "/rules/" (name) } {
                b { (words::plain(name)) }
                span.count {
                    @if rules > 0 { (words::counted(rules, "rule", "rules")) }
                    @if count(relation, "decisions") > 0 { " · " (count(relation, "decisions")) " in force" }
                    @if count(relation, "facts") > 0 { (words::counted(count(relation, "facts"), "fact", "facts")) }
                }
                @if !text(relation, "doc").is_empty() { span.hint { (words::cut(text(relation, "doc"), 110)) } }
            }
        }
    }
}

pub(super) async fn show_one(visit: &Visit) -> Result<Response, Problem> {
    let name = visit.part("relation")?;
    let found = visit.see(Sight::Rules).await?;
    let relations = list(&found, "relations");
    let relation = relations.iter().find(|one| text(one, "name") == name);
    let relation = relation.ok_or_else(|| Problem::new(404, format!("these rules have no `{name}`")))?;
    let kind_of = |name: &str| match relations
        .iter()
        .find(|one| text(one, "name") == name)
        .map(|one| text(one, "kind"))
    {
        Some("decision") => "decision",
        Some("input") => "fact",
        _ => "rule",
    };
    let columns = list(relation, "columns").iter().zip(list(relation, "types"));
    let content = html! {
        section.card aria-label="What it holds" {
            h2 { "What it holds" }
            dl.columns {
                @for (column, ty) in columns {
                    div { dt { (words::plain(column.as_str().unwrap_or_default())) } dd { (ty.as_str().unwrap_or_default()) } }
                }
            }
            p {
                @if text(relation, "kind") == "decision" { a href={ "/?relation=" (name) } { (words::counted(count(relation, "decisions"), "decision", "decisions")) " in force" } }
                @else if text(relation, "kind") == "input" { a href={ "/facts?relation=" (name) } { (words::counted(count(relation, "facts"), "fact", "facts")) } }
            }
        }
        section { h2 { "Who reads whom" } (graph::neighbours(relation, &kind_of)) }
        @let rules = list(relation, "rules");
        @if !rules.is_empty() {
            section {
                h2 { (words::counted(rules.len() as u64, "rule", "rules")) }
                @for rule in rules { (rule_of(rule, text(relation, "kind") == "decision")) }
            }
        }
    };
    let about = html! { (text(relation, "doc")) };
    Ok(shell::screen(visit, &Shown { place: "/rules", title: &words::title(&name), about, content }))
}

fn rule_of(rule: &Json, decides: bool) -> Markup {
    let because = text(rule, "because");
    html! {
        article.rule.card {
            h3 { (words::title(text(rule, "id"))) }
            @if !text(rule, "doc").is_empty() { p { (text(rule, "doc")) } }
            @if !because.is_empty() { p.said { "Says: “" (because) "”" } }
            p {
                @if decides {
                    span.badge.on[count(rule, "decisions") > 0] { (words::counted(count(rule, "decisions"), "decision", "decisions")) " in force" } " "
                }
                @if let Some(coverage) = rule.get("coverage").filter(|coverage| !coverage.is_null()) {
                    span.badge { "tests reach " (count(coverage, "reached")) " of " (count(coverage, "all")) " points" }
                }
            }
            details.syntax { summary { "As it is written" } pre tabindex="0" { code { (text(rule, "text")) } } p.place { code { (text(rule, "place")) } } }
        }
    }
}
