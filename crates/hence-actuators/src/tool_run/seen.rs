//! What an agent logs besides its tool runs: calls of models, and the steps of its reasoning.

use serde_json::Value as Json;

use super::latency;
use crate::error::ActuatorError;
use crate::facts::{float, name, string};
use crate::json::{self, Object};
use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::value::Value;

/// The phases of reasoning.
const PHASES: [&str; 4] = ["/observe", "/orient", "/decide", "/act"];

/// A call of a model.
pub(crate) struct ModelCall {
    pub(crate) call: String,
    pub(crate) model: String,
    pub(crate) input_tokens: i64,
    pub(crate) output_tokens: i64,
    /// Microseconds.
    pub(crate) latency: i64,
    /// Microseconds since the epoch.
    pub(crate) at: i64,
    pub(crate) cost: Option<f64>,
    pub(crate) session: Option<String>,
}

/// A step of reasoning.
pub(crate) struct Step {
    pub(crate) task: String,
    pub(crate) phase: &'static str,
    pub(crate) thought: String,
    pub(crate) at: i64,
    pub(crate) confidence: Option<f64>,
    pub(crate) alternatives: Vec<String>,
    pub(crate) duration: Option<i64>,
    /// What a model was told and answered, and what was taken for granted, each with what it is.
    pub(crate) texts: Vec<(&'static str, String)>,
}

/// What a text of a step is, with the field that holds it: what a model was told and answered.
const TEXTS: [(&str, &str); 3] =
    [("/system_prompt", "system_prompt"), ("/user_prompt", "user_prompt"), ("/response", "response")];
/// What was taken for granted.
pub(crate) const ASSUMPTION: &str = "/assumption";

/// The phase that a word, with or without its slash, names.
pub(crate) fn phase(word: &str) -> Option<&'static str> {
    PHASES.into_iter().find(|phase| phase.trim_start_matches('/') == word.trim_start_matches('/'))
}

impl ModelCall {
    /// As an object of the agent's own log.
    pub(super) fn read(object: &mut Object<'_>) -> Result<Self, ActuatorError> {
        let tokens = |value: &Json| value.as_i64().filter(|tokens| *tokens >= 0);
        let cost = |value: &Json| value.as_f64().filter(|cost| *cost >= 0.0);
        Ok(Self {
            call: object.required("call", "the id of a call: a string or an int", json::id)?,
            model: object.required("model", "the name of a model: a string", json::text)?,
            input_tokens: object.required("input_tokens", "an int, 0 or more", tokens)?,
            output_tokens: object.required("output_tokens", "an int, 0 or more", tokens)?,
            latency: latency(object)?,
            at: at(object)?,
            cost: object.optional("cost", "a number of dollars, 0 or more", cost)?,
            session: object.optional("session", "the id of a session: a string or an int", json::id)?,
        })
    }

    pub(super) fn facts(&self) -> Vec<Fact> {
        let call = string(&self.call);
        let columns = [
            call,
            string(&self.model),
            Value::Int(self.input_tokens),
            Value::Int(self.output_tokens),
            Value::Duration(self.latency),
            Value::Time(self.at),
        ];
        let mut facts = vec![Fact::new("model_call", columns)];
        facts.extend(self.cost.map(|cost| Fact::new("model_cost", [call, float(cost)])));
        facts.extend(
            self.session.iter().map(|session| Fact::new("session_model_call", [string(session), call])),
        );
        facts
    }
}

impl Step {
    /// As an object of the agent's own log.
    pub(super) fn read(object: &mut Object<'_>) -> Result<Self, ActuatorError> {
        let share = |value: &Json| value.as_f64().filter(|share| (0.0..=1.0).contains(share));
        let texts = |value: &Json| value.as_array()?.iter().map(json::text).collect::<Option<Vec<_>>>();
        let named = |value: &Json| value.as_str().and_then(phase);
        let timed = object.has("latency") || object.has("latency_ms");
        let mut said = Vec::new();
        for (part, field) in TEXTS {
            said.extend(object.optional(field, "a text: a string", json::text)?.map(|text| (part, text)));
        }
        let assumed = object.optional("assumptions", "an array of strings", texts)?;
        said.extend(assumed.into_iter().flatten().map(|text| (ASSUMPTION, text)));
        Ok(Self {
            task: object.required("task", "the id of a task: a string or an int", json::id)?,
            phase: object.required("phase", "\"observe\", \"orient\", \"decide\" or \"act\"", named)?,
            thought: object.required("thought", "a text: a string", json::text)?,
            at: at(object)?,
            confidence: object.optional("confidence", "a number from 0 to 1", share)?,
            alternatives: object.optional("alternatives", "an array of strings", texts)?.unwrap_or_default(),
            duration: if timed { Some(latency(object)?) } else { None },
            texts: said,
        })
    }

    pub(super) fn facts(&self) -> Vec<Fact> {
        let which = [string(&self.task), name(self.phase)];
        let with = |rest: Vec<Value>| which.into_iter().chain(rest).collect::<Vec<_>>();
        let at = Value::Time(self.at);
        let mut facts = vec![Fact::new("trace_step", with(vec![string(&self.thought), at]))];
        let confidence =
            self.confidence.map(|share| Fact::new("trace_confidence", with(vec![at, float(share)])));
        facts.extend(confidence);
        let others = self
            .alternatives
            .iter()
            .map(|other| Fact::new("trace_alternative", with(vec![at, string(other)])));
        facts.extend(others);
        let duration =
            self.duration.map(|micros| Fact::new("trace_duration", with(vec![at, Value::Duration(micros)])));
        facts.extend(duration);
        let texts = self.texts.iter();
        let texts =
            texts.map(|(part, text)| Fact::new("trace_text", with(vec![at, name(part), string(text)])));
        facts.extend(texts);
        facts
    }
}

pub(super) fn at(object: &mut Object<'_>) -> Result<i64, ActuatorError> {
    object.required("at", "a time such as \"2026-02-03T14:23:45Z\"", |value| {
        value.as_str().and_then(literal::parse_time)
    })
}
