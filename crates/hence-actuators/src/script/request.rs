//! What a script asks for: a page of a host that it may use, or the rows of a relation that it may read.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use ureq::http::Uri;

use super::super::carry::{MOST_ANSWERED, Order};
use super::super::http::{Request, is_reached};
use super::{Allowed, Script};

/// How often a script may ask.
const MOST_ASKED: u32 = 100;
/// How long a page may take.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// The keys of requests.
const KEYS: [&str; 3] = ["$get", "$post", "$rows"];

/// The requests of a script.
pub(super) struct Requests<'a> {
    allowed: &'a Allowed,
    order: &'a Order<'a>,
    asked: u32,
    heard: bool,
}

impl<'a> Requests<'a> {
    pub(super) fn new(script: &'a Script, order: &'a Order<'a>) -> Self {
        Self { allowed: &script.allowed, order, asked: 0, heard: false }
    }

    /// Whether something was posted for it.
    pub(super) fn is_heard(&self) -> bool {
        self.heard
    }

    /// The answer to a line that is a request; `None` where it is none. `left` is how long the script may still run.
    pub(super) fn answer(&mut self, line: &str, left: Option<Duration>) -> Option<String> {
        if !line.starts_with("{\"$") {
            return None;
        }
        let request: Map<String, Json> = serde_json::from_str(line).ok()?;
        let (key, wanted) = KEYS.iter().find_map(|key| Some((*key, request.get(*key)?)))?;
        self.asked = self.asked.saturating_add(1);
        let answer = if self.asked > MOST_ASKED {
            Err(format!("a script may ask {MOST_ASKED} times"))
        } else {
            let limit = left.unwrap_or(TIME_LIMIT).min(TIME_LIMIT);
            self.give(key, wanted.as_str().unwrap_or_default(), request.get("data"), limit)
        };
        let answer = answer.unwrap_or_else(|why| json!({ "error": why }));
        Some(format!("{answer}\n"))
    }

    fn give(
        &mut self,
        key: &str,
        wanted: &str,
        data: Option<&Json>,
        limit: Duration,
    ) -> Result<Json, String> {
        if key == "$rows" {
            return self.rows(wanted);
        }
        self.host(wanted)?;
        let body = (key == "$post").then(|| match data {
            Some(Json::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        });
        self.heard |= body.is_some();
        let headers = vec![("Idempotency-Key", self.order.id.to_owned())];
        let answer = Request { url: wanted.to_owned(), headers, body, time_limit: limit }.send();
        let told = |why: String| format!("`{wanted}`: {why}");
        let answer = answer.map_err(|failed| told(failed.message))?;
        Ok(json!({ "status": answer.status.as_u16(), "body": answer.text.map_err(told)? }))
    }

    fn rows(&self, relation: &str) -> Result<Json, String> {
        if !self.allowed.reads.iter().any(|known| known == relation) {
            return Err(format!("`{relation}` is not among the relations that `reads` names"));
        }
        let rows = self.order.world.rows(relation)?;
        let rows = json!({ "rows": rows.objects() });
        // What it gets must fit into its memory.
        (rows.to_string().len() as u64 <= MOST_ANSWERED)
            .then_some(rows)
            .ok_or_else(|| format!("the rows of `{relation}` have more than {MOST_ANSWERED} bytes"))
    }

    /// Checks that a URL is one of a host that the script may use.
    fn host(&self, url: &str) -> Result<(), String> {
        let parsed: Uri = url.parse().map_err(|_| format!("`{url}` is not a URL"))?;
        if !is_reached(url) {
            return Err(format!("`{url}` does not begin with `http://`; hence speaks no TLS"));
        }
        let host = parsed.authority().map(|authority| authority.as_str().to_owned()).unwrap_or_default();
        let is_allowed = self.allowed.hosts.contains(&host);
        is_allowed.then_some(()).ok_or_else(|| format!("`{host}` is not among the hosts that `hosts` names"))
    }
}
