//! What settings say of the carrier `model`.

use std::path::PathBuf;

use hence_actuators::model::{ANSWERED, GIVEN, LanguageModel, Price, PromptTemplate, Shape, TOKENS};
use hence_actuators::template::Template;

use super::super::carried::{Asked, Means, Text};
use super::Kind;
use super::carry::{Said, one_of, plain};

/// The keys.
pub(super) const KEYS: [(&str, Kind); 16] = [
    ("api", Kind::Text),
    ("url", Kind::Text),
    ("key_env", Kind::Text),
    ("key_file", Kind::Text),
    ("model", Kind::Text),
    ("tokens", Kind::Count),
    ("category", Kind::Text),
    ("models", Kind::Texts),
    ("prices", Kind::Texts),
    ("system", Kind::Text),
    ("prompt", Kind::Text),
    ("prompt_file", Kind::Text),
    ("schema", Kind::Text),
    ("each", Kind::Text),
    ("facts", Kind::Texts),
    ("usage", Kind::Texts),
];

impl Said<'_> {
    pub(super) fn model(&mut self, beside: impl Fn(&str) -> PathBuf) -> Result<Means, String> {
        let shape = self
            .text("api")
            .ok_or("missing form of requests; expected `api = \"openai\"` or `\"anthropic\"`")?;
        let shape = Shape::named(&shape).map_err(|why| format!("`api`: {why}"))?;
        let url = plain(self.text("url").ok_or("missing URL; expected `url = \"…\"`")?)?;
        let key = self.secret(("key_env", "key_file"), &beside)?;
        let tokens = self.count("tokens").unwrap_or(TOKENS);
        let name = self.text("model").ok_or("missing model; expected `model = \"…\"`")?;
        let models: Vec<(String, LanguageModel)> =
            self.texts("models").iter().map(|text| model(text, tokens)).collect::<Result<_, _>>()?;
        let prices: Vec<(String, Price)> =
            self.texts("prices").iter().map(|text| price(text)).collect::<Result<_, _>>()?;
        let prompt = match (self.text("prompt"), self.text("prompt_file")) {
            (Some(text), None) => {
                Text::Here(PromptTemplate::read(&text).map_err(|why| format!("`prompt`: {why}"))?)
            }
            (None, Some(path)) => Text::File(beside(&path)),
            (Some(_), Some(_)) => return Err(one_of("prompt", "prompt_file", "both")),
            (None, None) => return Err(one_of("prompt", "prompt_file", "neither")),
        };
        let schema = self.text("schema").map(|path| beside(&path));
        let each = self.text("each");
        if each.is_some() && schema.is_none() {
            return Err(String::from("`each` names a list in an answer that has a `schema`"));
        }
        let known: Vec<&str> =
            GIVEN.into_iter().chain(ANSWERED.into_iter().filter(|_| schema.is_some())).collect();
        let templates = |texts: Vec<String>, known: &[&str]| {
            texts.iter().map(|text| Template::with(text, known)).collect::<Result<Vec<_>, _>>()
        };
        let facts = templates(self.texts("facts"), &known)?;
        let usage = templates(self.texts("usage"), &GIVEN)?;
        if facts.is_empty() {
            return Err(String::from("missing facts; expected `facts = [\"relation(column = $text)\"]`"));
        }
        let model = LanguageModel { name, tokens };
        let asked = Asked {
            shape,
            url,
            key,
            model,
            models,
            prices,
            prompt,
            schema,
            each,
            facts,
            usage,
            category: self.text("category"),
            system: self.text("system"),
        };
        asked.check()?;
        Ok(Means::Model(Box::new(asked)))
    }
}

impl Asked {
    /// Each category has its column, and each model its price where costs are asked for.
    fn check(&self) -> Result<(), String> {
        match (&self.category, self.models.is_empty()) {
            (None, false) => {
                return Err(String::from("`models` without the column that names a category: `category`"));
            }
            (Some(_), true) => {
                return Err(String::from("`category` without the models of categories: `models`"));
            }
            _ => {}
        }
        let templates = || self.facts.iter().chain(&self.usage);
        if !templates().any(|template| template.asks_for("cost")) {
            return Ok(());
        }
        let names = self.models.iter().map(|(_, model)| &model.name).chain([&self.model.name]);
        let unknown = names.into_iter().find(|name| !self.prices.iter().any(|(known, _)| known == *name));
        unknown.map_or(Ok(()), |name| {
            Err(format!("`$cost` is asked for, and `prices` has none of `{name}`; expected such as `\"{name} = 0.15, 0.6\"`"))
        })
    }
}

/// A category with its model, such as `architecture = large, 3000`.
fn model(text: &str, tokens: u64) -> Result<(String, LanguageModel), String> {
    let wrong = || {
        format!(
            "`models`: expected a category with its model, such as `architecture = large, 3000`, found `{text}`"
        )
    };
    let (category, model) = text.split_once('=').ok_or_else(wrong)?;
    let (name, most) = match model.split_once(',') {
        Some((name, most)) => (name, most.trim().parse().ok().filter(|most| *most > 0).ok_or_else(wrong)?),
        None => (model, tokens),
    };
    let category = category.trim().trim_start_matches('/').to_owned();
    Ok((category, LanguageModel { name: name.trim().to_owned(), tokens: most }))
}

/// What a million tokens of a model cost, such as `small = 0.15, 0.6`.
fn price(text: &str) -> Result<(String, Price), String> {
    let wrong = || {
        format!(
            "`prices`: expected what a million tokens of prompt and of answer cost, such as `small = 0.15, 0.6`, found `{text}`"
        )
    };
    let (name, prices) = text.split_once('=').ok_or_else(wrong)?;
    let (input, output) = prices.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| {
        let number: Option<f64> = text.trim().parse().ok();
        number.filter(|number| number.is_finite() && *number >= 0.0).ok_or_else(wrong)
    };
    Ok((name.trim().to_owned(), Price { input: number(input)?, output: number(output)? }))
}
