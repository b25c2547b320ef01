//! Policy engines behind HTTP: `http-peers cedar|rego FACTS ADDRESS` answers what `examples/http_load.rs` asks, by the policy of
//! `examples/access` in the language of the engine.
//!
//! FACTS are those of `http_load --facts`. All of them are in memory; an answer is what AuthZEN asks for, with the policies
//! that made it, and no sentence. Nobody is asked for a token, and nothing is recorded.

mod cedar;
mod facts;
mod rego;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header::CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value as Json, json};

use crate::facts::Facts;

/// What is asked: who, what, on which resource.
pub(crate) struct Question<'q> {
    pub(crate) subject: &'q str,
    pub(crate) action: &'q str,
    pub(crate) resource: &'q str,
}

/// What decides: whether it is permitted, and by which policies.
pub(crate) type Decide = Box<dyn Fn(&Question<'_>) -> Result<(bool, Vec<String>), String> + Send + Sync>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [engine, facts, address] = words.as_slice() else {
        return Err("expected cedar|rego FACTS ADDRESS".into());
    };
    let facts = Facts::read(facts)?;
    let decide: Arc<Decide> = Arc::new(match engine.as_str() {
        "cedar" => cedar::decide(&facts)?,
        "rego" => rego::decide(facts)?,
        other => return Err(format!("no engine is called {other}").into()),
    });
    let answer = move |body: Bytes| {
        let decide = Arc::clone(&decide);
        async move { answered(&decide, &body) }
    };
    let router =
        Router::new().route("/readyz", get(async || "ready")).route("/access/v1/evaluation", post(answer));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await?;
        let listener = axum::serve::ListenerExt::tap_io(listener, |stream| drop(stream.set_nodelay(true)));
        axum::serve(listener, router).await
    })?;
    Ok(())
}

fn answered(decide: &Decide, body: &[u8]) -> Response {
    let Ok(asked) = serde_json::from_slice::<Json>(body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let text = |entity: &str, key: &str| asked[entity][key].as_str().unwrap_or_default();
    let question = Question {
        subject: text("subject", "id"),
        action: text("action", "name"),
        resource: text("resource", "id"),
    };
    match decide(&question) {
        Ok((decision, policies)) => {
            let answer = json!({ "decision": decision, "context": { "policies": policies } });
            ([(CONTENT_TYPE, "application/json")], Body::from(answer.to_string())).into_response()
        }
        Err(why) => (StatusCode::INTERNAL_SERVER_ERROR, why).into_response(),
    }
}
