//! The tools: each is a question of the native API, with a schema of what it takes and of what it gives.

use std::sync::LazyLock;

use serde_json::{Map, Value as Json, json};

use super::super::desk::AsOf;
use super::super::native::{self, flag, list as facts, needed, number, text};
use super::super::principal::Scope;
use super::super::problem::Problem;
use super::super::question::{Question, RuleText};
use super::era::{Era, object};
use super::message::Fault;
use super::{Answered, Mcp, Peer, refuse_cursor, review};

/// Names, descriptions and schemas, in the order in which they are listed; read once.
static TOOLS: LazyLock<Result<Vec<Json>, String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("tools.json")).map_err(|error| error.to_string()));
/// How many bytes an answer may have: a model reads it.
const LARGEST: usize = 1 << 20;
/// How many of them are left for what is said of what is left out.
const ROOM: usize = 1024;
/// The lists of an answer to what is recorded that are shortened where it is too long, the longest first.
const SHORTENED: [&str; 5] = ["drawn", "lapsed", "steps", "undetermined", "reports"];
/// How many errors are said in the text of a failure.
const SAID: usize = 10;

type Fields = Map<String, Json>;

/// What a tool tells: members, and a sentence on them where there is one.
pub(super) struct Told {
    fields: Fields,
    sentence: Option<String>,
}

impl Told {
    pub(super) fn of(fields: Fields) -> Self {
        Self { fields, sentence: None }
    }
}

/// All tools, the same ones each time.
pub(super) fn list(params: &Fields) -> Answered {
    refuse_cursor(params)?;
    Ok(object(json!({ "tools": declared()? })))
}

fn declared() -> Result<&'static [Json], Fault> {
    TOOLS.as_deref().map_err(|error| Fault::internal(error))
}

/// Refuses an argument that the tool does not declare: what is misspelt would be left out without a word.
fn check_names(name: &str, arguments: &Fields) -> Result<Result<(), Problem>, Fault> {
    let tools = declared()?;
    let Some(tool) = tools.iter().find(|tool| tool.get("name").and_then(Json::as_str) == Some(name)) else {
        let name: String = name.chars().take(100).collect();
        return Err(Fault::params(format!("unknown tool `{name}`; `tools/list` lists them")));
    };
    let known = tool.pointer("/inputSchema/properties").and_then(Json::as_object);
    let known: Vec<&str> = known.into_iter().flat_map(|known| known.keys().map(String::as_str)).collect();
    let other = arguments.keys().find(|argument| !known.contains(&argument.as_str()));
    Ok(other.map_or(Ok(()), |other| {
        let other: String = other.chars().take(100).collect();
        let message = format!("unknown argument `{other}`; `{name}` takes {}", known.join(", "));
        Err(Problem::malformed(message))
    }))
}

/// Calls a tool. What is wrong with its arguments, or is not allowed, is a result that its caller can read.
pub(super) async fn call(mcp: &Mcp, peer: &Peer, era: &Era, params: &Fields) -> Answered {
    let name = params.get("name").and_then(Json::as_str);
    let name = name.ok_or_else(|| Fault::params("`name`: expected the name of a tool"))?;
    let none = Map::new();
    let arguments = match params.get("arguments") {
        None => &none,
        Some(Json::Object(arguments)) => arguments,
        Some(_) => return Err(Fault::params("`arguments`: expected an object")),
    };
    if let Err(problem) = check_names(name, arguments)? {
        return Ok(failed(&problem));
    }
    let told = match name {
        "review" => {
            if let Err(problem) = peer.by.check(Scope::Write) {
                return Ok(failed(&problem));
            }
            return review::call(mcp, peer, era, (params, arguments)).await;
        }
        "decide" => decide(mcp, peer, arguments).await,
        _ => match question(name, arguments) {
            Some(asked) => ask(mcp, peer, asked, arguments).await,
            None => return Err(Fault::internal("a tool is declared that nothing answers")),
        },
    };
    Ok(result(told))
}

/// What a tool asks, where there is such a tool.
fn question(name: &str, arguments: &Fields) -> Option<Result<Question, Problem>> {
    Some(match name {
        "query" => needed(arguments, "body").map(Question::Query),
        "why" => native::why_of(arguments),
        "why_not" => native::why_not_of(arguments),
        "what_if" => native::what_if_of(arguments),
        "check_rules" => rules(arguments).map(Question::Check),
        "test_rules" => rules(arguments).map(Question::Test),
        "assert_facts" => recorded(arguments),
        "list_reviews" => Ok(Question::Reviews),
        _ => return None,
    })
}

async fn ask(
    mcp: &Mcp,
    peer: &Peer,
    asked: Result<Question, Problem>,
    arguments: &Fields,
) -> Result<Told, Problem> {
    let question = asked?;
    peer.by.check(if question.writes() { Scope::Write } else { Scope::Read })?;
    let moment = AsOf { min_tx: number(arguments, "min_tx")?, as_of: text(arguments, "as_of")? };
    mcp.ask(peer, question, moment).await.map(Told::of)
}

/// Facts to record, in one transaction.
fn recorded(arguments: &Fields) -> Result<Question, Problem> {
    let lines = native::lines(arguments)?;
    if lines.is_empty() {
        return Err(Problem::malformed("nothing to record; expected `facts` or `retract`"));
    }
    record(arguments, lines)
}

fn record(arguments: &Fields, lines: String) -> Result<Question, Problem> {
    let key = text(arguments, "key")?.map(|key| native::key_of("key", &key)).transpose()?;
    Ok(Question::Record {
        lines,
        key,
        expect_tx: number(arguments, "expect_tx")?,
        note: text(arguments, "note")?,
        ask: text(arguments, "ask")?,
    })
}

fn rules(arguments: &Fields) -> Result<RuleText, Problem> {
    let packs = facts(arguments, "packs")?;
    let names: Option<Vec<String>> = packs.iter().map(|pack| pack.as_str().map(str::to_owned)).collect();
    Ok(RuleText {
        name: text(arguments, "name")?.unwrap_or_else(|| String::from("rules.dl")),
        text: needed(arguments, "rules")?,
        packs: names.ok_or_else(|| Problem::malformed("`packs`: expected names of packs"))?,
    })
}

/// Records what is to be decided on, if anything, and says what follows; with `ask`, whether that fact is derived.
async fn decide(mcp: &Mcp, peer: &Peer, arguments: &Fields) -> Result<Told, Problem> {
    let (lines, asked) = (native::lines(arguments)?, text(arguments, "ask")?);
    let is_dry = flag(arguments, "dry")?;
    if lines.is_empty() && asked.is_none() {
        return Err(Problem::malformed("nothing to decide; expected `facts`, `retract` or `ask`"));
    }
    if is_dry && asked.is_some() && !lines.is_empty() {
        let message = "`ask` needs facts that are recorded: leave `dry` out, or look into `drawn`";
        return Err(Problem::malformed(message));
    }
    let is_read = lines.is_empty() || is_dry;
    peer.by.check(if is_read { Scope::Read } else { Scope::Write })?;
    let mut fields = Map::new();
    let mut moment = AsOf::default();
    if !lines.is_empty() {
        let question = if is_dry { Question::Dry { lines } } else { record(arguments, lines)? };
        fields = mcp.ask(peer, question, AsOf::default()).await?;
        moment.min_tx = fields.get("tx").and_then(Json::as_u64);
    }
    let Some(asked) = asked else { return Ok(Told::of(fields)) };
    let verdict = mcp.ask(peer, Question::Verdict(asked), moment).await;
    let recorded = fields.get("committed").and_then(Json::as_u64);
    let verdict = verdict.map_err(|problem| after(recorded, problem))?;
    let sentence = verdict.get("sentence").and_then(Json::as_str).map(str::to_owned);
    fields.extend(verdict);
    Ok(Told { fields, sentence })
}

/// Names the transaction that was recorded before something went wrong: who asks again would record it twice.
fn after(recorded: Option<u64>, mut problem: Problem) -> Problem {
    if let Some(tx) = recorded {
        problem
            .detail
            .push_str(&format!("; the facts are recorded as transaction {tx}: ask again without them"));
    }
    problem
}

/// Leaves out of the lists of an answer to what is recorded so many bytes, and says of each list how many items in `left_out`.
fn shorten(fields: &mut Fields, mut over: usize) {
    let mut left_out = Map::new();
    for name in SHORTENED {
        let Some(Json::Array(items)) = fields.get_mut(name) else { continue };
        let all = items.len();
        while over > 0
            && let Some(last) = items.pop()
        {
            over = over.saturating_sub(last.to_string().len() + 1);
        }
        if items.len() < all {
            left_out.insert(name.to_owned(), json!(all - items.len()));
        }
    }
    fields.insert(String::from("left_out"), Json::Object(left_out));
}

/// The result of a call: members as they are and as text, or what went wrong as text.
pub(super) fn result(told: Result<Told, Problem>) -> Fields {
    let Told { fields, sentence } = match told {
        Ok(told) => told,
        Err(problem) => return failed(&problem),
    };
    let recorded = fields.get("committed").and_then(Json::as_u64);
    let mut structured = Json::Object(fields);
    let mut text = structured.to_string();
    // Of what is recorded by now nobody can ask for less.
    if let (true, Some(_), Json::Object(fields)) = (text.len() > LARGEST, recorded, &mut structured) {
        shorten(fields, text.len() - (LARGEST - ROOM));
        text = structured.to_string();
    }
    if text.len() > LARGEST {
        let message =
            format!("the answer has {} bytes, and {LARGEST} at most are given: ask for less", text.len());
        return failed(&after(recorded, Problem::new(422, message)));
    }
    let content: Json =
        sentence.into_iter().chain([text]).map(|text| json!({ "type": "text", "text": text })).collect();
    object(json!({ "content": content, "structuredContent": structured, "isError": false }))
}

/// What went wrong, as its caller can read it.
pub(super) fn failed(problem: &Problem) -> Fields {
    let mut text = problem.detail.clone();
    let errors = problem.more.get("errors").and_then(Json::as_array).into_iter().flatten();
    for error in errors.take(SAID) {
        let part = |name: &str| error.get(name).and_then(Json::as_str).unwrap_or_default();
        text.push_str(&format!("\n{}: {}", part("code"), part("message")));
        for help in error.get("help").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str)
        {
            text.push_str(&format!("; {help}"));
        }
    }
    object(json!({ "content": [{ "type": "text", "text": text }], "isError": true }))
}
