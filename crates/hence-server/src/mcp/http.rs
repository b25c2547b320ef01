//! MCP over streamable HTTP: each message is a request of its own, and its headers say what its body says.

use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value as Json;

use super::super::call::Call;
use super::super::principal::Identity;
use super::super::problem::Problem;
use super::super::service::Service;
use super::Peer;
use super::era::{self, LEGACY, MODERN, SPOKEN};
use super::message::{self, Fault, Message, Request};

/// Where pages of this machine come from.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The response to a message.
pub(crate) async fn answer(service: &Service, by: Identity, call: &Call) -> Result<Response, Problem> {
    if !is_from_here(call, &service.base) {
        let fault = Fault::invalid("`Origin`: pages of other places may not call");
        return Ok(response(403, Some(&message::failed(None, fault))));
    }
    call.expect(&["application/json"])?;
    let request = match message::read(&call.body) {
        Ok(Message::Request(request)) => request,
        Ok(Message::Other) => return Ok(response(202, None)),
        Err(refused) => {
            let status = refused.fault.status;
            return Ok(response(status, Some(&message::failed(refused.id, refused.fault))));
        }
    };
    let answered = match is_legacy(call, &request) {
        Ok(legacy) => {
            let peer = Peer { by, is_vouched: true, legacy };
            let answered = service.mcp.answer(&peer, &request).await;
            // Clients that have shaken hands take any other status for one of the transport.
            answered.map_err(|fault| if legacy { Fault { status: 200, ..fault } } else { fault })
        }
        Err(fault) => Err(fault),
    };
    let status = answered.as_ref().map_or_else(|fault| fault.status, |_| 200);
    Ok(response(status, Some(&message::reply(request.id, answered))))
}

fn response(status: u16, body: Option<&Json>) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    match body {
        None => status.into_response(),
        Some(body) => {
            let kind = HeaderValue::from_static("application/json");
            (status, [(CONTENT_TYPE, kind)], Body::from(body.to_string())).into_response()
        }
    }
}

/// Whether no page of another place makes a browser call.
fn is_from_here(call: &Call, base: &str) -> bool {
    let Some(origin) = call.headers.get("origin") else { return true };
    let host = |url: &str| {
        let (_, rest) = url.split_once("://")?;
        let host = if rest.starts_with('[') {
            rest.split_inclusive(']').next()?
        } else {
            rest.split([':', '/']).next()?
        };
        Some(host.to_ascii_lowercase())
    };
    let origin = origin.to_str().ok().and_then(host);
    origin.is_some_and(|origin| LOCAL.contains(&origin.as_str()) || host(base) == Some(origin))
}

/// A header, where it can be read.
fn header<'c>(call: &'c Call, name: &str) -> Result<Option<&'c str>, Fault> {
    call.header(name).map_err(|problem| Fault::header(problem.detail))
}

/// Whether a request is of a client that has shaken hands; headers that say otherwise than the body are refused.
fn is_legacy(call: &Call, request: &Request) -> Result<bool, Fault> {
    let named = header(call, "MCP-Protocol-Version")?;
    match (named, era::version(request)) {
        (None, None) => Ok(true),
        (Some(header), None) if LEGACY.contains(&header) => Ok(true),
        (Some(MODERN), None) => Ok(false),
        (Some(header), None) => Err(Fault::version(header, &SPOKEN)),
        (None, Some(_)) => Err(Fault::header("missing header `MCP-Protocol-Version`")),
        (Some(header), Some(version)) if version.as_str() == Some(header) => {
            mirrored(call, request).map(|()| false)
        }
        (Some(_), Some(_)) => {
            Err(Fault::header("`MCP-Protocol-Version` differs from the version in `_meta`"))
        }
    }
}

/// Checks that the headers name the method, and what it is for.
fn mirrored(call: &Call, request: &Request) -> Result<(), Fault> {
    if header(call, "Mcp-Method")? != Some(&request.method) {
        return Err(Fault::header("`Mcp-Method` is missing or differs from `method`"));
    }
    let name = match request.method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    let of_body = request.params.get(name).and_then(Json::as_str);
    if of_body.is_some() && header(call, "Mcp-Name")?.and_then(plain).as_deref() != of_body {
        return Err(Fault::header(format!("`Mcp-Name` is missing or differs from `{name}`")));
    }
    Ok(())
}

/// The value of a header that may be encoded.
fn plain(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        None => Some(value.to_owned()),
        Some(encoded) => String::from_utf8(BASE64.decode(encoded).ok()?).ok(),
    }
}
