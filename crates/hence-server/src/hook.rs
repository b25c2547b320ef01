//! `POST /hook/{host}`: an event of an agent's host in, what its hook is told out.

use std::sync::Arc;

use axum::RequestExt;
use axum::body::{Body, to_bytes};
use axum::extract::{RawPathParams, Request};
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::desk::Hooked;
use super::problem::Problem;
use super::service::{BODY, Service};

/// How many bytes an event may have; one that has more is denied.
const LARGEST: usize = 4 << 20;

/// Whatever is wrong with an event is said in the words of its host: a denial that is no answer would let the call run.
pub(crate) async fn answer(service: &Arc<Service>, mut request: Request) -> Result<Response, Problem> {
    let parts = request.extract_parts::<RawPathParams>().await;
    let parts = parts.map_err(|error| Problem::malformed(format!("the path can't be read: {error}")))?;
    let host = parts.iter().find(|(name, _)| *name == "host").map(|(_, host)| host.to_owned());
    let host = host.ok_or_else(|| Problem::new(500, "the route has no `host`"))?;
    let shadow = match request.uri().query() {
        None | Some("shadow=false") => false,
        Some("shadow=true") => true,
        Some(_) => return Err(Problem::malformed("the query: expected `shadow=true` or nothing")),
    };
    let body = tokio::time::timeout(BODY, to_bytes(request.into_body(), LARGEST)).await;
    let event = match body {
        Err(_) => Err("the event took too long to come"),
        Ok(Err(_)) => Err("the event has more than 4 MiB, or broke off"),
        Ok(Ok(body)) => Ok(body),
    };
    let (desk, name) = (Arc::clone(&service.desk), host.clone());
    let judged = move || desk.hook(&name, shadow, event.as_deref().map_err(|why| *why));
    let told = tokio::task::spawn_blocking(judged).await;
    let told = told.map_err(|_| Problem::new(500, "the verdict was lost"))?;
    told.map(response).ok_or_else(|| Problem::new(404, format!("unknown host `{host}`")))
}

/// What a process would print; where it prints nothing, its status and what it says on standard error.
fn response(told: Hooked) -> Response {
    let Hooked { output, error, status } = told;
    let body = output.unwrap_or_else(|| json!({ "status": status, "error": error }).to_string());
    let kind = HeaderValue::from_static("application/json");
    ([(CONTENT_TYPE, kind)], Body::from(body)).into_response()
}
