//! JSON-RPC 2.0 as MCP has it: one message, read within bounds, and the answer to it.

use hence_core::unique;
use serde_json::{Map, Value as Json, json};

/// How many bytes an id may have.
const LONGEST_ID: usize = 256;
/// How many bytes of a name are said again.
const SHOWN: usize = 100;

/// What a client sends.
#[derive(Debug, PartialEq)]
pub(crate) enum Message {
    /// It wants an answer.
    Request(Request),
    /// A notification or a response, of which nothing follows.
    Other,
}

/// A request.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    /// A text or a whole number.
    pub(crate) id: Json,
    pub(crate) method: String,
    pub(crate) params: Map<String, Json>,
}

/// What is no message: why, and the id that it has nevertheless.
#[derive(Debug, PartialEq)]
pub(crate) struct Unread {
    pub(crate) id: Option<Json>,
    pub(crate) fault: Fault,
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Json>,
    /// The status of a response over HTTP.
    pub(crate) status: u16,
}

impl Fault {
    fn new(code: i64, message: impl Into<String>, status: u16) -> Self {
        Self { code, message: message.into(), data: None, status }
    }

    /// What came is no JSON.
    fn unreadable(message: impl Into<String>) -> Self {
        Self::new(-32700, message, 400)
    }

    /// What came is no request.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(-32600, message, 400)
    }

    /// There is no such method.
    pub(crate) fn unknown(method: &str) -> Self {
        Self::new(-32601, format!("unknown method `{}`", cut(method)), 404)
    }

    /// The parameters are not those of the method.
    pub(crate) fn params(message: impl Into<String>) -> Self {
        Self::new(-32602, message, 200)
    }

    /// The parameters lack what every request has.
    pub(crate) fn meta(message: impl Into<String>) -> Self {
        Self::new(-32602, message, 400)
    }

    /// It is not the request's fault.
    pub(crate) fn internal(message: &str) -> Self {
        Self::new(-32603, message, 500)
    }

    /// A header says otherwise than the body.
    pub(crate) fn header(message: impl Into<String>) -> Self {
        Self::new(-32020, message, 400)
    }

    /// The client does not have what the method needs.
    pub(crate) fn capability(message: &str, needed: Json) -> Self {
        let data = Some(json!({ "requiredCapabilities": needed }));
        Self { data, ..Self::new(-32021, message, 400) }
    }

    /// The revision is not spoken here.
    pub(crate) fn version(requested: &str, supported: &[&str]) -> Self {
        let data = Some(json!({ "supported": supported, "requested": cut(requested) }));
        Self { data, ..Self::new(-32022, "unsupported protocol version", 400) }
    }
}

/// The beginning of a text that somebody else wrote.
fn cut(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// Reads a message.
pub(crate) fn read(bytes: &[u8]) -> Result<Message, Box<Unread>> {
    let refused = |id, fault| Err(Box::new(Unread { id, fault }));
    let read = unique::parse(bytes);
    let fields = match read {
        Ok(Json::Object(fields)) => fields,
        Ok(Json::Array(_)) => return refused(None, Fault::invalid("a batch; expected one message")),
        Ok(_) => return refused(None, Fault::invalid("expected an object")),
        Err(error) if error.is_data() => {
            return refused(None, Fault::invalid(format!("the message: {error}")));
        }
        Err(error) => return refused(None, Fault::unreadable(format!("the message is not JSON: {error}"))),
    };
    let id = fields.get("id").filter(|id| is_id(id)).cloned();
    let invalid = |message: &str| refused(id.clone(), Fault::invalid(message));
    if fields.get("jsonrpc") != Some(&json!("2.0")) {
        return invalid("`jsonrpc`: expected \"2.0\"");
    }
    let has_answer = fields.contains_key("result") || fields.contains_key("error");
    let method = match fields.get("method") {
        Some(Json::String(method)) => method.clone(),
        None if has_answer => return Ok(Message::Other),
        _ => return invalid("`method`: expected a string"),
    };
    let Some(id) = id else {
        return match fields.get("id") {
            None => Ok(Message::Other),
            Some(_) => invalid("`id`: expected a whole number or a string of at most 256 bytes"),
        };
    };
    let params = match fields.get("params") {
        None => Map::new(),
        Some(Json::Object(params)) => params.clone(),
        Some(_) => return refused(Some(id), Fault::params("`params`: expected an object")),
    };
    Ok(Message::Request(Request { id, method, params }))
}

fn is_id(id: &Json) -> bool {
    match id {
        Json::String(text) => text.len() <= LONGEST_ID,
        Json::Number(number) => number.is_i64() || number.is_u64(),
        _ => false,
    }
}

/// The answer to a request.
pub(crate) fn reply(id: Json, answered: Result<Map<String, Json>, Fault>) -> Json {
    match answered {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(fault) => failed(Some(id), fault),
    }
}

/// The answer to what has no result; without an id where that can't be read.
pub(crate) fn failed(id: Option<Json>, fault: Fault) -> Json {
    let mut error = Map::new();
    error.insert(String::from("code"), json!(fault.code));
    error.insert(String::from("message"), json!(fault.message));
    error.extend(fault.data.map(|data| (String::from("data"), data)));
    let mut fields = Map::new();
    fields.insert(String::from("jsonrpc"), json!("2.0"));
    fields.extend(id.map(|id| (String::from("id"), id)));
    fields.insert(String::from("error"), Json::Object(error));
    Json::Object(fields)
}
