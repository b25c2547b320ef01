//! What all screens share: head, navigation, the state of the ledger, and how nothing or a failure looks.

use std::fmt::Write;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value as Json;

use super::super::problem::Problem;
use super::visit::Visit;
use super::words;

/// What a browser may load and where it may send forms: this service alone, and nothing written into the page.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The screens that the navigation leads to: path, name, what each is for.
const PLACES: [(&str, &str, &str); 9] = [
    ("/", "Decisions", "M4 6h16M4 12h16M4 18h10"),
    ("/reviews", "Reviews", "M5 12l5 5L20 7"),
    ("/why-not", "Why not", "M6 6l12 12M18 6L6 18"),
    ("/what-if", "What if", "M4 8h10M18 8h2M4 16h2M10 16h10M16 5v6M8 13v6"),
    ("/outbox", "Outbox", "M4 12h14M12 6l6 6-6 6"),
    ("/facts", "Facts", "M5 5h14v14H5zM5 10h14M10 10v9"),
    ("/performance", "Performance", "M5 19V11M12 19V5M19 19v-6"),
    ("/rules", "Rules", "M7 6h4v4H7zM13 14h4v4h-4zM9 10v6h4"),
    ("/ledger", "Ledger", "M12 3l8 4v5c0 5-4 8-8 9-4-1-8-4-8-9V7z"),
];

/// What every answer of the page says beside its content.
pub(super) fn guarded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// The sign of hence: what follows from two things.
pub(super) fn mark() -> Markup {
    html! {
        svg.mark viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" {
            circle cx="12" cy="6" r="3.2" {} circle cx="5.5" cy="17.5" r="3.2" {} circle cx="18.5" cy="17.5" r="3.2" {}
        }
    }
}

fn document(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · hence" }
                link rel="stylesheet" href="/page/style.css";
                link rel="icon" href="/page/icon.svg" type="image/svg+xml";
                script src="/page/script.js" defer {}
            }
            body { (body) }
        }
    };
    page.into_string()
}

fn response(status: StatusCode, text: String) -> Response {
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    (status, [(CONTENT_TYPE, kind)], text).into_response()
}

/// A page without navigation.
pub(super) fn bare(title: &str, status: StatusCode, content: &Markup) -> Response {
    response(status, document(title, content))
}

/// A screen.
pub(super) struct Shown<'s> {
    /// Where it is in the navigation.
    pub(super) place: &'s str,
    pub(super) title: &'s str,
    /// A sentence below the title.
    pub(super) about: Markup,
    pub(super) content: Markup,
}

/// A screen with the navigation around it, as of the answer that it shows.
pub(super) fn screen(visit: &Visit, shown: &Shown<'_>) -> Response {
    screen_with(visit, StatusCode::OK, shown)
}

fn screen_with(visit: &Visit, status: StatusCode, shown: &Shown<'_>) -> Response {
    let standing = visit.service.desk.board().borrow().clone();
    let body = html! {
        a.skip href="#main" { "Skip to content" }
        div.frame {
            header.side {
                a.brand href="/" { (mark()) "hence" }
                nav.wide aria-label="Screens" { (links(shown.place)) }
                details.narrow {
                    summary { "Menu" }
                    nav aria-label="Screens" { (links(shown.place)) (who(visit)) }
                }
                div.foot {
                    p.state title=(standing.head) {
                        "Transaction " b { (standing.tx) } br; code { (words::cut(&standing.head, 13)) }
                    }
                    (who(visit))
                }
            }
            main id="main" tabindex="-1" {
                @if let Some(faulty) = &standing.faulty_rules {
                    p.problem role="alert" { "Changed rules are not in force: " (faulty) }
                }
                div.head {
                    h1 { (shown.title) }
                    p.about { (shown.about) }
                }
                (shown.content)
            }
        }
    };
    response(status, document(shown.title, &body))
}

fn links(place: &str) -> Markup {
    html! {
        ul {
            @for (path, name, drawing) in &PLACES {
                li {
                    a href=(path) aria-current=[(*path == place).then_some("page")] {
                        svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" { path d=(drawing) {} }
                        (name)
                    }
                }
            }
        }
    }
}

fn who(visit: &Visit) -> Markup {
    html! {
        form.who method="post" action="/sign-out" {
            span { "Signed in as " b { (visit.by.name) } }
            button type="submit" { "Sign out" }
        }
    }
}

/// Where there is nothing to show.
pub(super) fn empty(title: &str, way_out: &Markup) -> Markup {
    html! { div.empty { (mark()) h2 { (title) } p { (way_out) } } }
}

/// A screen that can't be shown.
pub(super) fn failed(visit: &Visit, problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let title = if problem.status == 404 { "Not found" } else { "This can't be shown" };
    let content = html! { (wrong(problem)) p { a href="/" { "To the decisions" } } };
    screen_with(visit, status, &Shown { place: "", title, about: html! {}, content })
}

/// What went wrong, within a screen.
pub(super) fn wrong(problem: &Problem) -> Markup {
    let errors = problem.more.get("errors").and_then(Json::as_array);
    html! {
        div.problem role="alert" {
            p { (problem.detail) }
            @if let Some(errors) = errors {
                ul { @for error in errors { li { (words::text(error, "message")) } } }
            }
        }
    }
}

/// A refusal to somebody who isn't signed in, or may not do what they ask.
pub(super) fn refused(problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::FORBIDDEN);
    let content = html! {
        main.sign-in id="main" {
            p.brand { (mark()) "hence" }
            h1 { "Refused" }
            (wrong(problem))
            p { a href="/sign-in" { "Sign in" } " · " a href="/" { "To the decisions" } }
        }
    };
    bare("Refused", status, &content)
}

/// A choice of a form; the first is of anything.
pub(super) fn choice<'n>(
    (name, label): (&str, &str),
    any: &str,
    options: impl Iterator<Item = &'n str>,
    chosen: Option<&str>,
) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                option value="" { (any) }
                @for option in options {
                    option value=(option) selected[chosen == Some(option)] { (words::plain(option)) }
                }
            }
        }
    }
}

/// The parts of a long list before and after this one.
pub(super) fn pager(visit: &Visit, path: &str, (offset, size, total): (u64, u64, u64)) -> Markup {
    let to = |offset: u64| {
        let mut query = String::new();
        for (name, value) in visit.query().iter().filter(|(name, _)| *name != "offset" && *name != "after") {
            let _ = write!(query, "{name}={}&", encoded(value));
        }
        format!("{path}?{query}offset={offset}")
    };
    html! {
        @if total > size {
            nav.pager aria-label="Pages" {
                @if offset > 0 { a rel="prev" href=(to(offset.saturating_sub(size))) { "← Newer" } }
                span { (offset + 1) "–" (total.min(offset + size)) " of " (total) }
                @if offset + size < total { a rel="next" href=(to(offset + size)) { "Older →" } }
            }
        }
    }
}

/// A text as a part of a query.
pub(super) fn encoded(text: &str) -> String {
    hence_core::uri::encoded(text, b"-_.")
}

/// A part of a query as text.
pub(super) fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digits = || [rest.clone().next(), rest.clone().nth(1)];
        let pair = (byte == b'%').then(digits).and_then(|pair| {
            let [Some(high), Some(low)] = pair.map(|digit| char::from(digit?).to_digit(16)) else {
                return None;
            };
            u8::try_from(high * 16 + low).ok()
        });
        match pair {
            Some(pair) => {
                bytes.push(pair);
                rest.nth(1);
            }
            None => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Markup that was drawn elsewhere.
pub(super) fn drawn(svg: String) -> Markup {
    PreEscaped(svg)
}
