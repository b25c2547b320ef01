//! `model`: a language model is asked by a prompt made of facts; its checked answer, and what it cost, become facts.

mod prompt;
mod schema;
mod shape;

use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json, json};

use super::carry::{Carrier, Failed, Fate, Order, Report};
use super::http::Request;
use super::template::{Template, given};
use hence_core::json as values;
use hence_core::value::Value;

pub use prompt::PromptTemplate;
pub use schema::AnswerSchema;
pub use shape::Shape;

/// The name of the carrier.
pub const NAME: &str = "model";
/// How many tokens an answer may have if nothing else is said.
pub const TOKENS: u64 = 1024;
/// What templates of facts may name beside the columns of the decision.
pub const GIVEN: [&str; 9] =
    ["id", "now", "model", "outcome", "input_tokens", "output_tokens", "cost", "latency", "text"];
/// The same of an answer that has a schema: all of it, and one of the things in it.
pub const ANSWERED: [&str; 2] = ["answer", "item"];

/// A model, and how many tokens its answer may have.
#[derive(Clone, Debug, PartialEq)]
pub struct LanguageModel {
    /// Its name.
    pub name: String,
    /// How many tokens.
    pub tokens: u64,
}

/// What a million tokens of a model cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Those of the prompt.
    pub input: f64,
    /// Those of the answer.
    pub output: f64,
}

/// Asks a model about each decision, once an attempt. An answer that does not fit its schema, or is cut off, is an
/// answer too, and was paid for: the facts of `usage` say so, and rules say what follows.
pub struct Ask {
    /// The form of requests and answers.
    pub shape: Shape,
    /// Where to.
    pub url: String,
    /// The key.
    pub key: Option<String>,
    /// The model where no category says another.
    pub model: LanguageModel,
    /// The column that names a category.
    pub category: Option<String>,
    /// The models of categories.
    pub models: Vec<(String, LanguageModel)>,
    /// What models cost.
    pub prices: Vec<(String, Price)>,
    /// What the model is, for its provider.
    pub system: Option<String>,
    /// What is asked.
    pub prompt: PromptTemplate,
    /// What the answer must look like.
    pub schema: Option<AnswerSchema>,
    /// The list in the answer that has things for `$item`.
    pub each: Option<String>,
    /// The facts of an answer that fits.
    pub facts: Vec<Template>,
    /// The facts of every answer.
    pub usage: Vec<Template>,
    /// How long an answer may take.
    pub time_limit: Duration,
}

impl Carrier for Ask {
    fn name(&self) -> &'static str {
        NAME
    }

    fn carry_out(&self, order: &Order<'_>) -> Result<Report, Failed> {
        let told = |failed: Failed| Failed {
            message: format!("`{}` did not answer: {}", self.url, failed.message),
            ..failed
        };
        self.ask(order).map_err(told)
    }
}

impl Ask {
    fn ask(&self, order: &Order<'_>) -> Result<Report, Failed> {
        let model = self.model_of(order)?;
        let prompt = self.prompt.text(order)?;
        let question = shape::Question {
            model: &model.name,
            tokens: model.tokens,
            system: self.system.as_deref(),
            prompt: &prompt,
            schema: self.schema.as_ref().map(AnswerSchema::json),
        };
        let mut headers = self.shape.headers(self.key.as_deref());
        headers.push(("Idempotency-Key", order.id.to_owned()));
        let body = Some(self.shape.request(&question).to_string());
        let begun = Instant::now();
        let request = Request { url: self.url.clone(), headers, body, time_limit: self.time_limit };
        let answer = request.send()?;
        answer.check()?;
        let latency = begun.elapsed();
        let text = answer.text.map_err(|why| Failed::new(Fate::Unknown, why))?;
        let reply = self.shape.reply(&text).map_err(|why| Failed::new(Fate::Unknown, why))?;
        self.report(order, model, reply, latency)
    }

    /// The model of the decision's category.
    fn model_of(&self, order: &Order<'_>) -> Result<&LanguageModel, Failed> {
        let Some(column) = &self.category else { return Ok(&self.model) };
        let missing =
            || Failed::new(Fate::Refused, format!("`{}` has no column `{column}`", order.decision.relation));
        let value = order.value(column).ok_or_else(missing)?.text();
        let category = value.trim_start_matches('/');
        let found = self.models.iter().find(|(known, _)| known == category);
        Ok(found.map_or(&self.model, |(_, model)| model))
    }

    fn report(
        &self,
        order: &Order<'_>,
        model: &LanguageModel,
        reply: shape::Reply,
        latency: Duration,
    ) -> Result<Report, Failed> {
        let (outcome, answer, unread) = self.judge(&reply);
        let price = self.prices.iter().find(|(name, _)| *name == model.name).map(|(_, price)| *price);
        let cost = price.map(|price| {
            let millions = |tokens: u64| tokens as f64 / 1e6;
            millions(reply.input) * price.input + millions(reply.output) * price.output
        });
        let micros = i64::try_from(latency.as_micros()).unwrap_or(i64::MAX);
        let mut known = given(order);
        known.extend([
            (String::from("model"), json!(model.name)),
            (String::from("outcome"), json!(outcome)),
            (String::from("input_tokens"), json!(reply.input)),
            (String::from("output_tokens"), json!(reply.output)),
            (String::from("latency"), values::value(Value::Duration(micros))),
            (String::from("text"), json!(reply.text)),
        ]);
        known.extend(cost.map(|cost| (String::from("cost"), json!(cost))));
        let mut lines = self.lines(&self.usage, order, &known)?;
        if outcome == ANSWERED_WELL {
            lines.push_str(&self.answered(order, &mut known, answer)?);
        }
        Ok(Report { lines, unread, ..Report::default() })
    }

    /// The facts of an answer that fits: once, or for each thing in its list.
    fn answered(
        &self,
        order: &Order<'_>,
        known: &mut Map<String, Json>,
        answer: Option<Json>,
    ) -> Result<String, Failed> {
        let Some(answer) = answer else { return self.lines(&self.facts, order, known) };
        let items = self.each.as_ref().map(|path| list(&answer, path).unwrap_or_default());
        known.insert(String::from("answer"), answer);
        let Some(items) = items else { return self.lines(&self.facts, order, known) };
        let mut lines = String::new();
        for item in items {
            known.insert(String::from("item"), item);
            lines.push_str(&self.lines(&self.facts, order, known)?);
        }
        Ok(lines)
    }

    fn lines(
        &self,
        templates: &[Template],
        order: &Order<'_>,
        known: &Map<String, Json>,
    ) -> Result<String, Failed> {
        templates.iter().map(|template| template.line(order, known)).collect()
    }

    /// What an answer comes to, what is in it, and what is wrong with it.
    fn judge(&self, reply: &shape::Reply) -> (&'static str, Option<Json>, Option<String>) {
        if reply.is_cut {
            return ("/cut", None, Some(String::from("the answer was cut off at its limit of tokens")));
        }
        let Some(schema) = &self.schema else { return (ANSWERED_WELL, None, None) };
        let read = match &reply.object {
            Some(object) => Ok(object.clone()),
            None => {
                serde_json::from_str(reply.text.trim()).map_err(|error| format!("it is not JSON: {error}"))
            }
        };
        let fits = |answer: Json| {
            schema.check(&answer)?;
            match self.each.as_ref().filter(|path| list(&answer, path).is_none()) {
                Some(path) => Err(format!("there is no list at `{path}`")),
                None => Ok(answer),
            }
        };
        match read.and_then(fits) {
            Ok(answer) => (ANSWERED_WELL, Some(answer), None),
            Err(why) => ("/unfit", None, Some(format!("the answer does not fit its schema: {why}"))),
        }
    }
}

/// The outcome of an answer that fits.
const ANSWERED_WELL: &str = "/answered";

/// The list at a path such as `found.items`; `None` where there is none.
fn list(answer: &Json, path: &str) -> Option<Vec<Json>> {
    let words = path.split('.').filter(|word| !word.is_empty());
    words.into_iter().try_fold(answer, |value, word| value.get(word))?.as_array().cloned()
}
