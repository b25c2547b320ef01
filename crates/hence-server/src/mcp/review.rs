//! A person's answer through the client: it counts where the client's token names a reviewer, and no model can give it.

use serde_json::{Map, Value as Json, json};

use super::super::desk::AsOf;
use super::super::native::needed;
use super::super::problem::Problem;
use super::super::question::{Question, Review};
use super::super::tokens::hash;
use super::era::{Era, object};
use super::message::Fault;
use super::tools::Told;
use super::{Answered, Mcp, Peer, tools};

/// How many letters of what is asked a person is shown.
const SHOWN: usize = 2_000;
/// What the question is called among those of a result.
const QUESTION: &str = "answer";

/// Asks the person behind the client, or takes down what they answered.
pub(super) async fn call(
    mcp: &Mcp,
    peer: &Peer,
    era: &Era,
    (params, arguments): (&Map<String, Json>, &Map<String, Json>),
) -> Answered {
    let waits = match waiting(mcp, peer, era, arguments).await {
        Ok(waits) => waits,
        Err(problem) => return Ok(tools::failed(&problem)),
    };
    if !era.has_forms() {
        let needed = json!({ "elicitation": { "form": {} } });
        return Err(Fault::capability("the client can't ask its user by a form", needed));
    }
    let id = waits.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
    let shown = Json::Object(waits.clone()).to_string();
    // Whoever answers has seen this content, and no other.
    let what = format!("{}\nreview\n{id}\n{}", peer.by.name, hash(shown.as_bytes()));
    let state = params.get("requestState").and_then(Json::as_str);
    match (state, params.get("inputResponses").and_then(|all| all.get(QUESTION))) {
        (None, _) => asked(mcp, &waits, &what),
        (Some(state), _) if !mcp.seal.is_of(state, &what) => {
            Err(Fault::params("`requestState` is not what was given out for this, or is too old: ask again"))
        }
        (Some(_), None) => asked(mcp, &waits, &what),
        (Some(_), Some(response)) => match response.get("action").and_then(Json::as_str) {
            Some("accept") => match decided(response) {
                Some((approved, comment)) => {
                    let review = Review { id, approved, comment, edits: Vec::new() };
                    let told = mcp.ask(peer, Question::Review(review), AsOf::default()).await;
                    Ok(tools::result(told.map(|mut fields| {
                        fields.insert(String::from("answered"), json!(true));
                        fields.insert(String::from("approved"), json!(approved));
                        Told::of(fields)
                    })))
                }
                None => asked(mcp, &waits, &what),
            },
            Some("decline" | "cancel") => {
                Ok(tools::result(Ok(Told::of(object(json!({ "answered": false, "approved": null }))))))
            }
            _ => Err(Fault::params("`action`: expected accept, decline or cancel")),
        },
    }
}

/// What waits under the id of the call, where who calls may answer it.
async fn waiting(
    mcp: &Mcp,
    peer: &Peer,
    era: &Era,
    arguments: &Map<String, Json>,
) -> Result<Map<String, Json>, Problem> {
    let id = needed(arguments, "id")?;
    if !peer.is_vouched {
        let message = "only a person whom a token names answers a review: create one with `hence token create --as NAME \
            --scope read,write` and have the client send it, or set it as HENCE_TOKEN";
        return Err(Problem::new(403, message));
    }
    if matches!(era, Era::Legacy) {
        let message = "clients of this revision can't be asked without a session; answer by `hence review`";
        return Err(Problem::new(422, message));
    }
    let mut found = mcp.ask(peer, Question::Waits(id), AsOf::default()).await?;
    if found.get("may_answer") != Some(&json!(true)) {
        return Err(Problem::new(
            403,
            format!("`{}` is not a reviewer: a person answers this", peer.by.name),
        ));
    }
    match found.remove("review") {
        Some(Json::Object(review)) => Ok(review),
        _ => Err(Problem::new(500, "what waits is an object")),
    }
}

/// What the person said.
fn decided(response: &Json) -> Option<(bool, String)> {
    let content = response.get("content")?;
    let comment = content.get("comment").and_then(Json::as_str).unwrap_or_default();
    Some((content.get("approved")?.as_bool()?, comment.chars().take(SHOWN).collect()))
}

/// The question to the person, and what the client brings back with the answer.
fn asked(mcp: &Mcp, waits: &Map<String, Json>, what: &str) -> Answered {
    let text = |name: &str| waits.get(name).and_then(Json::as_str).unwrap_or_default();
    let mut message = format!("{} {}: {}", text("kind"), text("id"), text("what"));
    for (part, content) in waits.get("content").and_then(Json::as_object).into_iter().flatten() {
        message.push_str(&format!("\n{part}: {}", content.as_str().unwrap_or_default()));
    }
    let message: String = message.chars().take(SHOWN).collect();
    let schema = json!({
        "type": "object",
        "properties": {
            "approved": { "type": "boolean", "title": "Approve" },
            "comment": { "type": "string", "title": "Why", "maxLength": SHOWN },
        },
        "required": ["approved"],
    });
    let form = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let state = mcp.seal.close(what).ok_or_else(|| Fault::internal("the state can't be sealed"))?;
    Ok(object(json!({
        "resultType": "input_required",
        "inputRequests": { (QUESTION): { "method": "elicitation/create", "params": form } },
        "requestState": state,
    })))
}
