//! The forms of requests and answers: that of chat completions, and that of messages.

use serde_json::{Value as Json, json};

/// A form of requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// That of OpenAI's chat completions, which many servers speak.
    OpenAi,
    /// That of Anthropic's messages.
    Anthropic,
}

/// What is asked.
pub(super) struct Question<'a> {
    pub(super) model: &'a str,
    pub(super) tokens: u64,
    pub(super) system: Option<&'a str>,
    pub(super) prompt: &'a str,
    pub(super) schema: Option<&'a Json>,
}

/// What was answered.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Reply {
    /// The text.
    pub(super) text: String,
    /// The answer where it came as an object.
    pub(super) object: Option<Json>,
    /// How many tokens were read.
    pub(super) input: u64,
    /// How many were written.
    pub(super) output: u64,
    /// Whether more would have come.
    pub(super) is_cut: bool,
}

/// The name of what an answer has to be.
const ANSWER: &str = "answer";

impl Shape {
    /// The form of that name.
    ///
    /// # Errors
    /// There is none.
    pub fn named(name: &str) -> Result<Self, String> {
        match name {
            "openai" => Ok(Self::OpenAi),
            "anthropic" => Ok(Self::Anthropic),
            _ => Err(format!("expected `openai` or `anthropic`, found `{name}`")),
        }
    }

    pub(super) fn headers(self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let mut headers = Vec::new();
        match self {
            Self::OpenAi => headers.extend(key.map(|key| ("Authorization", format!("Bearer {key}")))),
            Self::Anthropic => {
                headers.push(("anthropic-version", String::from("2023-06-01")));
                headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
            }
        }
        headers
    }

    pub(super) fn request(self, question: &Question<'_>) -> Json {
        let user = json!({ "role": "user", "content": question.prompt });
        let mut request = json!({
            "model": question.model, "max_tokens": question.tokens, "temperature": 0, "messages": [user],
        });
        let mut more = Vec::new();
        match self {
            Self::OpenAi => {
                if let Some(system) = question.system {
                    more.push(("messages", json!([{ "role": "system", "content": system }, user])));
                }
                if let Some(schema) = question.schema {
                    let form = json!({ "name": ANSWER, "strict": true, "schema": schema });
                    more.push(("response_format", json!({ "type": "json_schema", "json_schema": form })));
                }
            }
            Self::Anthropic => {
                more.extend(question.system.map(|system| ("system", json!(system))));
                if let Some(schema) = question.schema {
                    let tool =
                        json!({ "name": ANSWER, "description": "The answer.", "input_schema": schema });
                    more.push(("tools", json!([tool])));
                    more.push(("tool_choice", json!({ "type": "tool", "name": ANSWER })));
                }
            }
        }
        if let Some(object) = request.as_object_mut() {
            object.extend(more.into_iter().map(|(key, value)| (key.to_owned(), value)));
        }
        request
    }

    /// Reads an answer.
    pub(super) fn reply(self, text: &str) -> Result<Reply, String> {
        let answer: Json =
            serde_json::from_str(text).map_err(|error| format!("its answer is not JSON: {error}"))?;
        let at = |path: &str| answer.pointer(path);
        let tokens = |path: &str| {
            let found = at(path).and_then(Json::as_u64);
            found.ok_or_else(|| format!("its answer has no number of tokens at `{path}`"))
        };
        match self {
            Self::OpenAi => Ok(Reply {
                text: words(at("/choices/0/message/content"), "/choices/0/message/content")?,
                object: None,
                input: tokens("/usage/prompt_tokens")?,
                output: tokens("/usage/completion_tokens")?,
                is_cut: at("/choices/0/finish_reason").and_then(Json::as_str) == Some("length"),
            }),
            Self::Anthropic => {
                let blocks = at("/content").and_then(Json::as_array).ok_or("its answer has no `content`")?;
                let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
                Ok(Reply {
                    text: texts.collect::<Vec<_>>().join("\n"),
                    object: blocks.iter().find_map(|block| block.get("input")).cloned(),
                    input: tokens("/usage/input_tokens")?,
                    output: tokens("/usage/output_tokens")?,
                    is_cut: at("/stop_reason").and_then(Json::as_str) == Some("max_tokens"),
                })
            }
        }
    }
}

fn words(found: Option<&Json>, path: &str) -> Result<String, String> {
    let text = found.and_then(Json::as_str).map(str::to_owned);
    text.ok_or_else(|| format!("its answer has no text at `{path}`"))
}
