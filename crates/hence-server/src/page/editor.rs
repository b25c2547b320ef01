//! The rule editor: a file as a text, what a check finds at which lines, how its tests end, and saving as a step of its own. It
//! works without script.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value as Json;

use super::super::principal::Scope;
use super::super::problem::Problem;
use super::Sight;
use super::shell::{self, Shown};
use super::visit::{self, Visit};
use super::words::{self, count, list, text};

/// How many lines the text shows at least and at most.
const LINES: (usize, usize) = (16, 40);

/// A text for a file, and what was found of it.
struct Edited<'e> {
    file: &'e str,
    text: &'e str,
    seal: &'e str,
    found: Option<&'e Json>,
}

pub(super) async fn show(visit: &Visit) -> Result<Response, Problem> {
    let file = visit.text("file");
    let found = visit.see(Sight::File(file.clone())).await?;
    let content = html! {
        @if visit.text("saved").is_some() { p.done role="status" { "Saved. The rules are read again within a second; faults of the whole set show above, and the rules of before go on." } }
        @match &file {
            None => { (choose(&found)) }
            Some(file) => {
                @let edited = Edited { file, text: text(&found, "text"), seal: text(&found, "seal"), found: None };
                (form(visit, &edited))
            }
        }
    };
    Ok(screen(visit, file.as_deref(), content))
}

/// Checks a text; with `save`, which only a checked text offers, puts it in the place of the file.
pub(super) async fn check(visit: &Visit) -> Result<Response, Problem> {
    let field = |name: &str| visit.form().get(name).map(String::as_str).unwrap_or_default();
    // Forms end lines as telegraphs do.
    let (file, written, seal) = (field("file"), field("text").replace("\r\n", "\n"), field("base"));
    if field("step") == "save" {
        let sight = Sight::Save { file: file.to_owned(), text: written, seal: seal.to_owned() };
        visit.see(sight).await?;
        return Ok(visit::to(&format!("/edit?file={}&saved=1", shell::encoded(file))));
    }
    let sight = Sight::Check { file: file.to_owned(), text: written.clone() };
    let found = visit.see(sight).await?;
    let content = form(visit, &Edited { file, text: &written, seal, found: Some(&found) });
    Ok(screen(visit, Some(file), content))
}

fn screen(visit: &Visit, file: Option<&str>, content: Markup) -> Response {
    let about = html! {
        @match file {
            Some(file) => { code { (file) } " · nothing is saved before you say so a second time" }
            None => { "The files of the rules that decide here." }
        }
        " · " a href="/rules" { "Back to the rules in words" }
    };
    shell::screen(visit, &Shown { place: "/rules", title: "Edit rules", about, content })
}

fn choose(found: &Json) -> Markup {
    let files = list(found, "files");
    html! {
        @if files.is_empty() {
            (shell::empty("No file to edit", &html! { "These rules are shipped packs, which lie in the program; start " code { "hence serve" } " with files of your own." }))
        }
        ul.tiles {
            @for file in files.iter().filter_map(Json::as_str) {
                li { a href={ "/edit?file=" (shell::encoded(file)) } { b { (file) } } }
            }
        }
    }
}

fn form(visit: &Visit, edited: &Edited<'_>) -> Markup {
    let may = visit.by.check(Scope::Admin).is_ok();
    let rows = edited.text.lines().count().clamp(LINES.0, LINES.1);
    let is_sound = edited.found.and_then(|found| found.get("sound")).and_then(Json::as_bool) == Some(true);
    html! {
        @if let Some(found) = edited.found { (told(found, edited.text)) }
        form.editor method="post" action="/edit/check" {
            input type="hidden" name="seal" value=(visit.seal);
            input type="hidden" name="file" value=(edited.file);
            input type="hidden" name="base" value=(edited.seal);
            div.field {
                label for="text" { "Rules" }
                textarea #text name="text" rows=(rows) spellcheck="false" autocomplete="off" wrap="off" readonly[!may] { "\n" (edited.text) }
            }
            @if may {
                div.bar {
                    button.primary[!is_sound] type="submit" name="step" value="check" { "Check and test" }
                    @if is_sound { button.primary type="submit" name="step" value="save" { "Save what was checked" } }
                }
            } @else { p.hint { "Your token only lets you look; checking and saving takes one with the scope admin." } }
        }
    }
}

/// What a check found.
fn told(found: &Json, written: &str) -> Markup {
    let faults = list(found, "faults");
    let lines: Vec<&str> = written.lines().collect();
    html! {
        @if faults.is_empty() {
            p.done role="status" { "No faults. " (tests(found.get("tests").unwrap_or(&Json::Null))) }
            @for failed in found.get("tests").map(|tests| list(tests, "failed")).unwrap_or_default() {
                article.card.problem-of { h2 { (text(failed, "name")) } p.place { "line " (count(failed, "line")) } pre tabindex="0" { (list(failed, "lines").iter().filter_map(Json::as_str).collect::<Vec<_>>().join("\n")) } }
            }
        } @else {
            section aria-label="Faults" {
                p.problem role="alert" { (words::counted(faults.len() as u64, "fault", "faults")) "; nothing can be saved like this." }
                @for fault in faults { (fault_of(fault, &lines)) }
            }
        }
    }
}

fn tests(tests: &Json) -> Markup {
    let (passed, all) = (count(tests, "passed"), count(tests, "count"));
    html! {
        @if let Some(why) = tests.get("unread").and_then(Json::as_str) { "Its tests can't be run by themselves: " (why) }
        @else if all == 0 { "There are no tests in it or beside it." }
        @else if passed == all { (words::counted(all, "test passes", "tests pass")) "." }
        @else { (words::counted(all - passed.min(all), "test", "tests")) " of " (all) " fail." }
    }
}

fn fault_of(fault: &Json, lines: &[&str]) -> Markup {
    let place = fault.get("labels").and_then(|labels| labels.get(0)).unwrap_or(fault);
    let line = count(place, "line");
    let at = usize::try_from(line).ok().and_then(|line| lines.get(line.checked_sub(1)?));
    html! {
        article.card.problem-of {
            h2 { (text(fault, "message")) }
            p.place { "line " (line) " · " code { (text(fault, "code")) } }
            @if let Some(at) = at { pre tabindex="0" { (at) } }
            @for help in list(fault, "help").iter().filter_map(Json::as_str) { p { "Help: " (help) } }
        }
    }
}
