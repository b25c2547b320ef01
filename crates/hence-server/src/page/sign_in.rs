//! Signing in with a token, and out.

use axum::extract::Request;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

use super::super::principal::Shown;
use super::super::problem::Problem;
use super::super::service::Service;
use super::sessions::Sessions;
use super::{shell, visit};

/// The form, or what becomes of it.
pub(super) async fn show(service: &Service, sessions: &Sessions, request: Request) -> Response {
    let next = said(&request, "next").filter(|path| is_path(path)).unwrap_or_else(|| String::from("/"));
    if let (Some(code), true) = (said(&request, "code"), request.method() == Method::GET) {
        return follow(service, sessions, (&code, &next), request.headers());
    }
    if request.method() != Method::POST {
        return shell::bare("Sign in", StatusCode::OK, &form(&next, None));
    }
    if !visit::is_own(request.headers()) {
        return shell::refused(&Problem::new(403, "the form is of another site"));
    }
    let is_secure = service.base.starts_with("https:");
    let fields = match visit::fields(service, request).await {
        Ok(fields) => fields,
        Err(problem) => return shell::refused(&problem),
    };
    let token = fields.get("token").map(|token| token.trim()).unwrap_or_default();
    let next = fields.get("next").filter(|path| is_path(path)).map_or("/", String::as_str);
    if let Err(problem) = service.auth.principal(&Shown::token(token)) {
        return shell::bare("Sign in", StatusCode::UNAUTHORIZED, &form(next, Some(&problem.detail)));
    }
    begin(sessions, (token, is_secure), next)
}

/// A member of the query.
fn said(request: &Request, name: &str) -> Option<String> {
    let mut pairs = request.uri().query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| shell::decoded(value))
}

/// Signs in whoever follows the link first.
fn follow(
    service: &Service,
    sessions: &Sessions,
    (code, next): (&str, &str),
    headers: &HeaderMap,
) -> Response {
    match service.invitation.take(code) {
        Some(token) => begin(sessions, (&token, service.base.starts_with("https:")), next),
        None if sessions.find(headers).is_some() => visit::to(next),
        None => {
            let why = "the link was followed already, or is older than 10 minutes; \
                sign in with a token, or start the service again for another link";
            shell::bare("Sign in", StatusCode::UNAUTHORIZED, &form(next, Some(why)))
        }
    }
}

/// Begins a session, and goes where somebody wanted to.
fn begin(sessions: &Sessions, (token, is_secure): (&str, bool), next: &str) -> Response {
    let cookie = sessions.begin(token, is_secure).ok().and_then(|cookie| HeaderValue::from_str(&cookie).ok());
    match cookie {
        Some(cookie) => ([(SET_COOKIE, cookie)], visit::to(next)).into_response(),
        None => shell::refused(&Problem::new(500, "no session could be begun")),
    }
}

/// Whether a text is a path of the service and of no other.
fn is_path(text: &str) -> bool {
    text.starts_with('/') && !text.starts_with("//") && !text.contains(['\\', '\n', '\r'])
}

fn form(next: &str, wrong: Option<&str>) -> Markup {
    html! {
        main.sign-in id="main" {
            p.brand { (shell::mark()) "hence" }
            h1 { "Sign in" }
            p { "See what your agents decided, why, and what waits for you." }
            @if let Some(wrong) = wrong { p.problem role="alert" { (wrong) } }
            form method="post" action="/sign-in" {
                input type="hidden" name="next" value=(next);
                label for="token" { "Token" }
                input #token type="password" name="token" required autofocus autocomplete="current-password"
                    spellcheck="false" aria-describedby="token-help";
                p.hint id="token-help" {
                    "Whoever runs this service makes one with "
                    code { "hence token create --as NAME --scope read,write" }
                    ". " code { "read" } " lets you look, " code { "write" } " lets you answer reviews."
                }
                button.primary type="submit" { "Sign in" }
            }
        }
    }
}

/// Ends a session.
pub(super) fn out(sessions: &Sessions, request: &Request) -> Response {
    let headers = request.headers();
    if request.method() != Method::POST || !visit::is_own(headers) {
        return shell::refused(&Problem::new(405, "signing out takes the button that does it"));
    }
    let cookie = HeaderValue::from_str(&sessions.end(headers)).ok();
    match cookie {
        Some(cookie) => ([(SET_COOKIE, cookie)], visit::to("/sign-in")).into_response(),
        None => visit::to("/sign-in"),
    }
}
