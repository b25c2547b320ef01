//! The page that people see: HTML made here, for each screen what it asks and how the answer looks. It works without script;
//! the one there is shows new decisions as they come.
//!
//! `sight` is what it asks beside the API, `visit` a request by somebody who signed in, `sessions` who did, `invitation` a link that signs in. `shell` is what all
//! screens share, `words` how relations, values and sentences are said. The others are a screen each, but for `proof`, a proof
//! as a folded tree, and `graph`, the drawing of boxes and lines.

mod decision;
mod decisions;
mod editor;
mod facts;
mod graph;
mod invitation;
mod ledger;
mod map;
mod outbox;
mod performance;
mod proof;
mod reviews;
mod rules;
mod sessions;
mod shell;
mod sight;
mod sign_in;
mod visit;
mod what_if;
mod why_not;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, get};

pub use sight::{Filter, Sight};

use super::principal::Scope;
use super::service::Service;
pub(crate) use invitation::Invitation;
use sessions::Sessions;
use visit::Visit;

/// A screen, or what a form of one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Screen {
    Decisions,
    Decision,
    WhyNot,
    WhatIf,
    Reviews,
    Review,
    Outbox,
    Facts,
    Rules,
    Map,
    Edit,
    Check,
    Rule,
    Performance,
    Ledger,
    Changes,
}

const SCREENS: &[(&str, Screen)] = &[
    ("/", Screen::Decisions),
    ("/decisions/{id}", Screen::Decision),
    ("/why-not", Screen::WhyNot),
    ("/what-if", Screen::WhatIf),
    ("/reviews", Screen::Reviews),
    ("/reviews/answer", Screen::Review),
    ("/outbox", Screen::Outbox),
    ("/facts", Screen::Facts),
    ("/rules", Screen::Rules),
    ("/rules/{relation}", Screen::Rule),
    ("/map", Screen::Map),
    ("/edit", Screen::Edit),
    ("/edit/check", Screen::Check),
    ("/performance", Screen::Performance),
    ("/ledger", Screen::Ledger),
    ("/page/changes", Screen::Changes),
];

/// The router with the page.
pub(crate) fn mount(mut router: Router, service: &Arc<Service>) -> Router {
    let sessions = Arc::new(Sessions::default());
    for (path, screen) in SCREENS {
        let (service, sessions) = (Arc::clone(service), Arc::clone(&sessions));
        let answer = move |request: Request| {
            let (service, sessions) = (Arc::clone(&service), Arc::clone(&sessions));
            async move { shell::guarded(show(*screen, service, sessions, request).await) }
        };
        router = router.route(path, any(answer));
    }
    let (service, all) = (Arc::clone(service), Arc::clone(&sessions));
    let sign_in = move |request: Request| {
        let (service, sessions) = (Arc::clone(&service), Arc::clone(&all));
        async move { shell::guarded(sign_in::show(&service, &sessions, request).await) }
    };
    let sign_out = move |request: Request| async move { shell::guarded(sign_in::out(&sessions, &request)) };
    router
        .route("/sign-in", any(sign_in))
        .route("/sign-out", any(sign_out))
        .route("/page/style.css", asset("text/css; charset=utf-8", include_str!("page.css")))
        .route("/page/icon.svg", asset("image/svg+xml", include_str!("icon.svg")))
        .route("/page/script.js", asset("text/javascript; charset=utf-8", include_str!("page.js")))
}

/// A file of the page.
fn asset(kind: &'static str, text: &'static str) -> MethodRouter {
    get(async move || {
        let kind = HeaderValue::from_static(kind);
        let fresh = HeaderValue::from_static("no-cache");
        shell::guarded(([(CONTENT_TYPE, kind), (CACHE_CONTROL, fresh)], text).into_response())
    })
}

async fn show(screen: Screen, service: Arc<Service>, sessions: Arc<Sessions>, request: Request) -> Response {
    let does = match screen {
        Screen::Review => Some(Scope::Write),
        Screen::Check => Some(Scope::Admin),
        _ => None,
    };
    let visit = match Visit::new(service, &sessions, request, does).await {
        Ok(visit) => visit,
        Err(response) => return *response,
    };
    let shown = match screen {
        Screen::Decisions => decisions::show(&visit).await,
        Screen::Decision => decision::show(&visit).await,
        Screen::WhyNot => why_not::show(&visit).await,
        Screen::WhatIf => what_if::show(&visit).await,
        Screen::Reviews => reviews::show(&visit).await,
        Screen::Review => reviews::answer(&visit).await,
        Screen::Outbox => outbox::show(&visit).await,
        Screen::Facts => facts::show(&visit).await,
        Screen::Rules => rules::show(&visit).await,
        Screen::Edit => editor::show(&visit).await,
        Screen::Check => editor::check(&visit).await,
        Screen::Map => map::show(&visit).await,
        Screen::Rule => rules::show_one(&visit).await,
        Screen::Performance => performance::show(&visit).await,
        Screen::Ledger => ledger::show(&visit).await,
        Screen::Changes => visit.changes().await,
    };
    shown.unwrap_or_else(|problem| shell::failed(&visit, &problem))
}
