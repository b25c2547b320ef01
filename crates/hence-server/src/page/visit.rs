//! A request by somebody who signed in: who it is, what they say, and what the desk answers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::Request;
use axum::http::header::{HOST, LOCATION, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::Value as Json;

use super::super::call::Call;
use super::super::changes;
use super::super::desk::{AsOf, Asked};
use super::super::principal::{Identity, Scope, Shown};
use super::super::problem::Problem;
use super::super::question::Question;
use super::super::service::Service;
use super::sessions::Sessions;
use super::{Sight, shell};

/// Who asks for a screen, and with what.
pub(super) struct Visit {
    pub(super) service: Arc<Service>,
    pub(super) by: Identity,
    /// What forms carry.
    pub(super) seal: String,
    shown: Shown,
    call: Call,
    /// What a form sent.
    form: BTreeMap<String, String>,
}

/// Whether a request comes from a page of the service itself, as far as browsers say.
pub(super) fn is_own(headers: &HeaderMap) -> bool {
    let text = |value: Option<&HeaderValue>| value.and_then(|value| value.to_str().ok()).map(str::to_owned);
    let Some(origin) = text(headers.get(ORIGIN)) else { return true };
    let host = text(headers.get(HOST));
    origin.split_once("://").map(|(_, host)| host) == host.as_deref()
}

/// A redirection.
pub(super) fn to(path: &str) -> Response {
    let location = HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response()
}

/// The fields of a form.
pub(super) async fn fields(service: &Service, request: Request) -> Result<BTreeMap<String, String>, Problem> {
    let call = service.call(None, request).await?;
    call.expect(&["application/x-www-form-urlencoded"])?;
    let text = std::str::from_utf8(&call.body).map_err(|_| Problem::malformed("the form is not UTF-8"))?;
    let read = |part: &str| shell::decoded(&part.replace('+', " "));
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    Ok(pairs.map(|(name, value)| (read(name), read(value))).collect())
}

impl Visit {
    /// A request, where somebody is signed in who may ask it; else what they get instead. A form that does something takes
    /// the scope `does`.
    pub(super) async fn new(
        service: Arc<Service>,
        sessions: &Sessions,
        request: Request,
        does: Option<Scope>,
    ) -> Result<Self, Box<Response>> {
        let refuse = |problem: Problem| Box::new(shell::refused(&problem));
        let writes = does.is_some();
        let allowed = if writes { Method::POST } else { Method::GET };
        if request.method() != allowed {
            return Err(refuse(Problem::new(405, "the path takes another method")));
        }
        let known = sessions.find(request.headers());
        let shown = known.as_ref().map(|session| Shown::token(&session.token)).unwrap_or_default();
        let by = known.as_ref().and_then(|_| service.auth.principal(&shown).ok());
        let Some((session, by)) = known.zip(by) else {
            if writes {
                return Err(refuse(Problem::new(
                    401,
                    "nobody is signed in; sign in and send the form again",
                )));
            }
            let asked = request.uri().path_and_query().map_or("/", |path| path.as_str());
            let next = if request.uri().path().starts_with("/page/") { "/" } else { asked };
            return Err(Box::new(to(&format!("/sign-in?next={}", shell::encoded(next)))));
        };
        by.check(does.unwrap_or(Scope::Read)).map_err(refuse)?;
        let mut visit = Self {
            service,
            by,
            seal: session.seal,
            shown,
            call: Call {
                route: None,
                path: BTreeMap::new(),
                query: BTreeMap::new(),
                headers: HeaderMap::new(),
                body: axum::body::Bytes::new(),
            },
            form: BTreeMap::new(),
        };
        let service = Arc::clone(&visit.service);
        if writes {
            let is_own = is_own(request.headers());
            visit.form = fields(&service, request).await.map_err(refuse)?;
            if !is_own || visit.form.get("seal") != Some(&visit.seal) {
                let why = "the form is not one of this session; open the page again and repeat";
                return Err(refuse(Problem::new(403, why)));
            }
        } else {
            visit.call = service.call(None, request).await.map_err(refuse)?;
        }
        Ok(visit)
    }

    /// Whether they may answer reviews.
    pub(super) fn may_write(&self) -> bool {
        self.by.check(Scope::Write).is_ok()
    }

    /// A text of the query, where it isn't empty.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.call.query.get(name).map(|text| text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// All of the query.
    pub(super) fn query(&self) -> &BTreeMap<String, String> {
        &self.call.query
    }

    /// A number of the query.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// A part of the path.
    pub(super) fn part(&self, name: &str) -> Result<String, Problem> {
        self.call.part(name)
    }

    /// What a form sent.
    pub(super) fn form(&self) -> &BTreeMap<String, String> {
        &self.form
    }

    /// The answer to a question about now.
    pub(super) async fn ask(&self, question: Question) -> Result<Json, Problem> {
        self.ask_at(question, None).await
    }

    /// The answer to a question about a moment.
    pub(super) async fn ask_at(&self, question: Question, as_of: Option<String>) -> Result<Json, Problem> {
        // What somebody just did in the browser is known to the screen that follows.
        let min_tx = self.number("after").filter(|_| as_of.is_none());
        let moment = AsOf { min_tx, as_of };
        let until = Instant::now() + self.service.budget;
        self.service.ask(Asked { question, by: self.by.clone(), until, moment }).await
    }

    /// The answer to a question of the page.
    pub(super) async fn see(&self, sight: Sight) -> Result<Json, Problem> {
        self.ask(Question::Page(sight)).await
    }

    /// The stream of transactions.
    pub(super) async fn changes(&self) -> Result<Response, Problem> {
        changes::stream(&self.service, (self.by.clone(), self.shown.clone()), &self.call).await
    }
}
