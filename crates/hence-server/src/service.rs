//! The routes over a desk: who may call, what goes to the desk, and what comes of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::RequestExt;
use axum::Router;
use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{DefaultBodyLimit, RawPathParams, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use axum_server::tls::TlsInfo;
use serde_json::{Value as Json, json};
use tracing::Instrument as _;

use super::authzen;
use super::call::Call;
use super::changes::{self, Recent};
use super::desk::{self, Asked, Desk};
use super::hook;
use super::mcp::{self, Mcp};
use super::meters::Meters;
use super::openapi;
use super::page;
use super::principal::{Auth, Shown};
use super::problem::Problem;
use super::routes::{Answers, Own, ROUTES, Route};
use super::tokens;
use super::trace;

/// The header by which a caller knows its request again.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// How many requests are answered at once; the next one is told to come again.
const MOST: usize = 1024;
/// How long a body may take to come.
pub(crate) const BODY: Duration = Duration::from_secs(10);

/// What all requests share.
pub(crate) struct Service {
    pub(crate) desk: Arc<dyn Desk>,
    pub(crate) auth: Auth,
    pub(crate) mcp: Arc<Mcp>,
    pub(crate) meters: Meters,
    pub(crate) recent: Recent,
    /// How long an answer may take.
    pub(crate) budget: Duration,
    /// How many bytes a body may have.
    pub(crate) longest: usize,
    /// Where the service is found.
    pub(crate) base: String,
    pub(crate) open: AtomicUsize,
    /// By which somebody signs in without a token.
    pub(crate) invitation: page::Invitation,
}

/// A request that is being answered.
struct Open<'s>(&'s AtomicUsize);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All routes.
pub(crate) fn router(service: Service) -> Router {
    let service = Arc::new(service);
    let mut router = Router::new();
    for route in ROUTES {
        let service = Arc::clone(&service);
        let method = if route.method == "POST" { MethodFilter::POST } else { MethodFilter::GET };
        let answer = move |request: Request| {
            let service = Arc::clone(&service);
            async move { service.serve(route, request).await }
        };
        router = router.route(route.path, on(method, answer));
    }
    router = page::mount(router, &service);
    let unknown = async || Problem::new(404, "unknown path; `/openapi.json` lists those that there are");
    let otherwise = async || Problem::new(405, "the path takes another method");
    router.fallback(unknown).method_not_allowed_fallback(otherwise)
}

impl Service {
    async fn serve(self: Arc<Self>, route: &'static Route, request: Request) -> Response {
        let begun = Instant::now();
        let id = request.headers().get(&REQUEST_ID).cloned();
        let (span, trace) = trace::span(route.path, request.headers());
        let mut response = match self.answer(route, request).instrument(span.clone()).await {
            Ok(response) => response,
            Err(problem) => problem.into_response(),
        };
        if let Some(id) = id {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        let (status, took) = (response.status().as_u16(), begun.elapsed());
        self.meters.served(route.path, status, took);
        span.record("status", status);
        tracing::info!(parent: &span, route = route.path, trace, status, microseconds = took.as_micros(), "request");
        response
    }

    async fn answer(self: &Arc<Self>, route: &'static Route, request: Request) -> Result<Response, Problem> {
        let shown = shown(&request)?;
        let by = route.scope.map(|scope| self.auth.admitted(&shown, scope)).transpose()?;
        let open = self.open.fetch_add(1, Ordering::Relaxed);
        let _open = Open(&self.open);
        if open >= MOST {
            return Err(Problem::busy("too many requests are being answered"));
        }
        if matches!(route.answers, Answers::Hook) {
            return hook::answer(self, request).await;
        }
        let call = self.call(Some(route), request).await?;
        if matches!(route.answers, Answers::Desk(_) | Answers::Own(Own::Changes)) {
            call.check_query()?;
        }
        match (route.answers, by) {
            (Answers::Mcp, Some(by)) => mcp::http::answer(self, by, &call).await,
            (Answers::Own(Own::Changes), Some(by)) => changes::stream(self, (by, shown), &call).await,
            (Answers::Own(own), _) => self.own(own),
            (Answers::Desk(lower), Some(by)) => {
                let (question, moment) = (lower(&call)?, call.moment()?);
                let until = Instant::now() + self.budget;
                let answer = self.ask(Asked { question, by, until, moment }).await?;
                Ok(json_response(&answer))
            }
            (Answers::Desk(_) | Answers::Mcp | Answers::Hook, _) => {
                Err(Problem::new(401, "nobody is known to call"))
            }
        }
    }

    pub(crate) async fn call(
        &self,
        route: Option<&'static Route>,
        mut request: Request,
    ) -> Result<Call, Problem> {
        let parts = request.extract_parts::<RawPathParams>().await;
        let parts = parts.map_err(|error| Problem::malformed(format!("the path can't be read: {error}")))?;
        let path: BTreeMap<String, String> =
            parts.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let query = axum::extract::Query::<BTreeMap<String, String>>::try_from_uri(request.uri());
        let query = query.map_err(|error| Problem::malformed(format!("the query can't be read: {error}")))?.0;
        let headers = request.headers().clone();
        let body = self.body(request).await?;
        Ok(Call { route, path, query, headers, body })
    }

    async fn body(&self, mut request: Request) -> Result<Bytes, Problem> {
        let too_long = || Problem::new(413, format!("the body has more than {} bytes", self.longest));
        // Whoever says so beforehand needn't send it.
        if request.body().size_hint().lower() > self.longest as u64 {
            return Err(too_long());
        }
        DefaultBodyLimit::max(self.longest).apply(&mut request);
        let body = tokio::time::timeout(BODY, request.extract::<Bytes, _>()).await;
        let body = body.map_err(|_| Problem::new(408, "the body took too long to come"))?;
        body.map_err(|why| match why.status() {
            StatusCode::PAYLOAD_TOO_LARGE => too_long(),
            _ => Problem::malformed("the body broke off, or its chunks can't be read"),
        })
    }

    /// What the desk answers, in time.
    pub(crate) async fn ask(&self, asked: Asked) -> Result<Json, Problem> {
        desk::ask(&*self.desk, asked, self.budget).await
    }

    fn own(&self, own: Own) -> Result<Response, Problem> {
        let standing = self.desk.board().borrow().clone();
        match own {
            Own::Health => Ok(json_response(&json!({ "status": "up" }))),
            Own::Ready => {
                let ready = if standing.is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
                let said = json!({
                    "ready": standing.is_ready, "tx": standing.tx, "head": standing.head,
                    "faulty_rules": standing.faulty_rules,
                });
                Ok((ready, json_response(&said)).into_response())
            }
            Own::Metrics => {
                let text = self.meters.text(self.desk.waiting(), standing.tx);
                let text = text.map_err(|_| Problem::new(500, "the figures can't be written"))?;
                let kind =
                    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
                Ok(([(CONTENT_TYPE, kind)], text).into_response())
            }
            Own::OpenApi => Ok(json_response(&openapi::document())),
            Own::AuthZen if self.desk.has_authzen() => Ok(json_response(&authzen::configuration(&self.base))),
            Own::AuthZen => Err(Problem::new(404, "no `[authzen]` in hence.toml says what is decided")),
            Own::Changes => Err(Problem::new(401, "nobody is known to call")),
        }
    }
}

/// What a request shows of who calls.
fn shown(request: &Request) -> Result<Shown, Problem> {
    let header = request.headers().get("authorization").map(HeaderValue::to_str);
    let bearer = header.transpose().map_err(|_| Problem::new(401, "`Authorization` can't be read"))?;
    let tls = request.extensions().get::<Arc<TlsInfo>>();
    let certificate = tls.and_then(|tls| tls.peer_certificates.first()).map(|found| tokens::hash(found));
    Ok(Shown { bearer: bearer.map(str::to_owned), certificate })
}

fn json_response(json: &Json) -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(CONTENT_TYPE, kind)], Body::from(json.to_string())).into_response()
}
