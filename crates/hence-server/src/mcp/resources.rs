//! What can be read: decisions with their proofs, the rules in force, and the schema that they make.

use hence_core::uri::{decoded, encoded};
use serde_json::{Map, Value as Json, json};

use super::super::desk::AsOf;
use super::super::principal::Scope;
use super::super::problem::Problem;
use super::super::question::Question;
use super::era::object;
use super::message::Fault;
use super::{Answered, Mcp, Peer, refuse_cursor};

const SCHEMA: &str = "hence://schema";
const DECISION: &str = "hence://decision/";
const RULES: &str = "hence://rules/";
/// How many bytes a content may have.
const LARGEST: usize = 4 << 20;

/// The schema, and each file of rules; decisions are named by a template.
pub(super) async fn list(mcp: &Mcp, peer: &Peer, params: &Map<String, Json>) -> Answered {
    refuse_cursor(params)?;
    let files = files(mcp, peer).await.map_err(|problem| fault(&problem, ""))?;
    let schema = json!({
        "uri": SCHEMA, "name": "schema", "title": "Relations and parameters of the rules",
        "mimeType": "application/json",
    });
    let rules = files.iter().map(|(name, text)| {
        json!({
            "uri": format!("{RULES}{}", encoded(name, b"-._~/")), "name": name, "title": format!("Rules in {name}"),
            "mimeType": "text/plain", "size": text.len(),
        })
    });
    Ok(object(json!({ "resources": std::iter::once(schema).chain(rules).collect::<Json>() })))
}

/// The forms that names have.
pub(super) fn templates(params: &Map<String, Json>) -> Answered {
    refuse_cursor(params)?;
    Ok(object(json!({ "resourceTemplates": [
        { "uriTemplate": "hence://decision/{id}", "name": "decision", "title": "A decision, as it was drawn, with its proof",
          "mimeType": "application/json" },
        { "uriTemplate": "hence://rules/{+file}", "name": "rules", "title": "A file of the rules in force", "mimeType": "text/plain" },
    ] })))
}

/// The content of one.
pub(super) async fn read(mcp: &Mcp, peer: &Peer, params: &Map<String, Json>) -> Answered {
    let uri =
        params.get("uri").and_then(Json::as_str).ok_or_else(|| Fault::params("`uri`: expected a string"))?;
    let (kind, text) = content(mcp, peer, uri).await.map_err(|problem| fault(&problem, uri))?;
    if text.len() > LARGEST {
        return Err(Fault::internal(&format!(
            "it has {} bytes, and {LARGEST} at most are given",
            text.len()
        )));
    }
    Ok(object(json!({ "contents": [{ "uri": uri, "mimeType": kind, "text": text }] })))
}

async fn content(mcp: &Mcp, peer: &Peer, uri: &str) -> Result<(&'static str, String), Problem> {
    peer.by.check(Scope::Read)?;
    let ask = async |question| mcp.ask(peer, question, AsOf::default()).await;
    let of_json = |fields| ("application/json", Json::Object(fields).to_string());
    if uri == SCHEMA {
        return Ok(of_json(ask(Question::Schema).await?));
    }
    if let Some(id) = uri.strip_prefix(DECISION) {
        let mut decision = ask(Question::Decision(id.to_owned())).await?;
        let mut proof = ask(Question::Proof(id.to_owned())).await?;
        decision.extend(proof.remove("proof").map(|proof| (String::from("proof"), proof)));
        return Ok(of_json(decision));
    }
    if let Some(name) = uri.strip_prefix(RULES).and_then(decoded) {
        let found = files(mcp, peer).await?.into_iter().find(|(known, _)| *known == name);
        return found.map(|(_, text)| ("text/plain", text)).ok_or_else(unknown);
    }
    Err(unknown())
}

fn unknown() -> Problem {
    Problem::new(404, "there is no such resource; `resources/list` and its templates say what there is")
}

/// The rules in force: names and texts.
async fn files(mcp: &Mcp, peer: &Peer) -> Result<Vec<(String, String)>, Problem> {
    peer.by.check(Scope::Read)?;
    let rules = mcp.ask(peer, Question::Rules, AsOf::default()).await?;
    let files = rules.get("files").and_then(Json::as_array).into_iter().flatten();
    let text = |file: &Json, name: &str| file.get(name).and_then(Json::as_str).map(str::to_owned);
    Ok(files.filter_map(|file| Some((text(file, "name")?, text(file, "text")?))).collect())
}

fn fault(problem: &Problem, uri: &str) -> Fault {
    match problem.status {
        503 | 500 => Fault::internal(&problem.detail),
        _ => Fault { data: Some(json!({ "uri": uri })), ..Fault::params(problem.detail.clone()) },
    }
}
