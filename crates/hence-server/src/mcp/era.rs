//! Which revision a request speaks: one that says so in each request, or one of those that shake hands first.

use serde_json::{Map, Value as Json, json};

use super::message::{Fault, Request};
use super::{INSTRUCTIONS, server_info};

/// The revision whose requests stand by themselves.
pub(crate) const MODERN: &str = "2026-07-28";
/// The revisions that shake hands, the newest first.
pub(crate) const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];
/// All that are spoken.
pub(crate) const SPOKEN: [&str; 4] = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"];

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER: &str = "io.modelcontextprotocol/serverInfo";

/// How a request is to be read.
pub(crate) enum Era {
    /// It says what its client can do.
    Modern(Map<String, Json>),
    /// It belongs to a client that has shaken hands.
    Legacy,
}

impl Era {
    /// Whether the client can ask its user by a form.
    pub(crate) fn has_forms(&self) -> bool {
        let Self::Modern(capabilities) = self else { return false };
        let elicitation = capabilities.get("elicitation").and_then(Json::as_object);
        elicitation.is_some_and(|modes| modes.is_empty() || modes.contains_key("form"))
    }
}

/// The version that a request names.
pub(crate) fn version(request: &Request) -> Option<&Json> {
    request.params.get("_meta")?.get(VERSION)
}

/// How a request is to be read; `legacy` where its client may have shaken hands.
pub(crate) fn of(request: &Request, legacy: bool) -> Result<Era, Fault> {
    let Some(version) = version(request) else {
        return match legacy || request.method == "initialize" {
            true => Ok(Era::Legacy),
            false => Err(Fault::meta(format!("missing `_meta` with `{VERSION}`, or no `initialize` before"))),
        };
    };
    match version.as_str() {
        Some(MODERN) => {}
        Some(other) => return Err(Fault::version(other, &SPOKEN)),
        None => return Err(Fault::meta(format!("`{VERSION}`: expected a string"))),
    }
    let capabilities = request.params.get("_meta").and_then(|meta| meta.get(CAPABILITIES)?.as_object());
    let missing = || Fault::meta(format!("`_meta`: missing `{CAPABILITIES}`; expected an object"));
    capabilities.cloned().map(Era::Modern).ok_or_else(missing)
}

fn capabilities() -> Json {
    json!({ "tools": {}, "resources": {} })
}

/// The answer to the handshake: the revision asked for, else the newest.
pub(crate) fn initialized(params: &Map<String, Json>) -> Map<String, Json> {
    let asked = params.get("protocolVersion").and_then(Json::as_str);
    let newest = LEGACY.first().copied().unwrap_or(MODERN);
    let agreed = LEGACY.into_iter().find(|known| Some(*known) == asked).unwrap_or(newest);
    object(json!({
        "protocolVersion": agreed, "capabilities": capabilities(), "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    }))
}

/// What is spoken here, and what there is.
pub(crate) fn discovered() -> Map<String, Json> {
    object(json!({
        "supportedVersions": SPOKEN, "capabilities": capabilities(), "instructions": INSTRUCTIONS,
    }))
}

/// What each result has in revisions without a handshake.
pub(crate) fn finish(result: &mut Map<String, Json>, cache: Option<(u64, &str)>) {
    result.entry("resultType").or_insert_with(|| json!("complete"));
    result.insert(String::from("_meta"), json!({ SERVER: server_info() }));
    if let Some((milliseconds, scope)) = cache {
        result.insert(String::from("ttlMs"), json!(milliseconds));
        result.insert(String::from("cacheScope"), json!(scope));
    }
}

/// The members of an object.
pub(crate) fn object(json: Json) -> Map<String, Json> {
    match json {
        Json::Object(fields) => fields,
        _ => Map::new(),
    }
}
