//! Why a request has no answer, as problem details (RFC 9457).

use axum::http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value as Json, json};

/// What went wrong: a status, a sentence, and what else a program may want to know.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The status of the response.
    pub status: u16,
    /// What was found, what was expected, and the way out.
    pub detail: String,
    /// Members beside those of every problem, such as `errors` with the codes of diagnostics.
    pub more: Map<String, Json>,
}

impl Problem {
    /// A problem with a status and a sentence.
    pub fn new(status: u16, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), more: Map::new() }
    }

    /// The request can't be read.
    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(400, detail)
    }

    /// There is no time or room to answer now.
    pub fn busy(detail: impl Into<String>) -> Self {
        Self::new(503, detail)
    }

    /// The same with another member.
    #[must_use]
    pub fn with(mut self, name: &str, value: Json) -> Self {
        self.more.insert(name.to_owned(), value);
        self
    }

    /// As it is sent.
    pub(crate) fn json(&self) -> Json {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let title = status.canonical_reason().unwrap_or("error");
        let mut fields = Map::new();
        fields.insert(String::from("type"), json!("about:blank"));
        fields.insert(String::from("title"), json!(title));
        fields.insert(String::from("status"), json!(self.status));
        fields.insert(String::from("detail"), json!(self.detail));
        fields.extend(self.more.clone());
        Json::Object(fields)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        match self.status {
            503 | 429 => drop(headers.insert(RETRY_AFTER, HeaderValue::from_static("1"))),
            401 => drop(headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
            _ => {}
        }
        (status, headers, self.json().to_string()).into_response()
    }
}
