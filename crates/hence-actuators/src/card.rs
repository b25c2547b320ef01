//! `card`: a decision becomes a message with buttons, in the form of blocks that chats such as Slack show.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::carry::{Carrier, Failed, Fate, Order, Report};
use super::reply::Reply;
use super::webhook::post;

/// The name of the carrier.
pub const NAME: &str = "card";
/// How long an answer is taken if nothing else is said.
pub const LASTS: Duration = Duration::from_secs(24 * 60 * 60);
/// How many letters a title, a text and a field may have, and how many fields there are.
const LONGEST: (usize, usize, usize, usize) = (150, 3000, 2000, 10);

/// Posts a message about each decision, as a web hook does. Its buttons carry signed tokens: whoever gives one back to
/// `hence review answer` answers the review in the name of the reviewer that the card was meant for.
pub struct Card {
    /// Where to.
    pub url: String,
    /// The key of the signature of the message.
    pub secret: Option<Vec<u8>>,
    /// The review that the buttons answer.
    pub ask: Option<AskFor>,
    /// How long it may take in all.
    pub time_limit: Duration,
}

/// What the buttons of a card are for.
pub struct AskFor {
    /// The columns that make the id of the review, one after the other.
    pub review: Vec<String>,
    /// Who is asked.
    pub reviewer: String,
    /// The key of the tokens.
    pub secret: Vec<u8>,
    /// How long an answer is taken.
    pub lasts: Duration,
}

impl Carrier for Card {
    fn name(&self) -> &'static str {
        NAME
    }

    fn carry_out(&self, order: &Order<'_>) -> Result<Report, Failed> {
        let message = self.message(order)?.to_string();
        let told = |failed: Failed| Failed {
            message: format!("`{}` failed: {}", self.url, failed.message),
            ..failed
        };
        let posted = post(&self.url, order.id, message, self.secret.as_deref(), self.time_limit);
        // A chat answers `ok`, which is no fact.
        posted.map(|_| Report::default()).map_err(told)
    }
}

impl Card {
    fn message(&self, order: &Order<'_>) -> Result<Json, Failed> {
        let (title, text, field, fields) = LONGEST;
        let because = order.because.unwrap_or(order.decision.relation.as_str());
        let columns = order.columns.iter().zip(&order.decision.values).take(fields);
        let columns: Vec<Json> =
            columns.map(|(name, value)| plain(&format!("{name}: {}", value.text()), field)).collect();
        let mut blocks = vec![
            json!({ "type": "header", "text": plain(order.decision.relation.as_str(), title) }),
            json!({ "type": "section", "text": plain(because, text) }),
        ];
        if !columns.is_empty() {
            blocks.push(json!({ "type": "section", "fields": columns }));
        }
        if let Some(ask) = &self.ask {
            blocks.push(json!({ "type": "actions", "elements": ask.buttons(order)? }));
        }
        Ok(json!({ "text": cut(because, text), "blocks": blocks }))
    }
}

impl AskFor {
    fn buttons(&self, order: &Order<'_>) -> Result<Vec<Json>, Failed> {
        let [approve, reject] = self.tokens(order)?;
        let button = |(value, word, style): (String, &str, &str)| {
            json!({
                "type": "button", "action_id": word.to_lowercase(), "style": style, "text": plain(word, LONGEST.0),
                "value": value,
            })
        };
        Ok([(approve, "Approve", "primary"), (reject, "Reject", "danger")].map(button).to_vec())
    }

    /// The tokens that approve and that reject.
    pub(super) fn tokens(&self, order: &Order<'_>) -> Result<[String; 2], Failed> {
        let text = |column: &String| {
            let message = || format!("`{}` has no column `{column}`", order.decision.relation);
            let value = order.value(column).map(|value| value.text());
            value.ok_or_else(|| Failed::new(Fate::Refused, message()))
        };
        let review = self.review.iter().map(text).collect::<Result<String, _>>()?;
        let lasts = i64::try_from(self.lasts.as_micros()).unwrap_or(i64::MAX);
        let until = order.now.saturating_add(lasts);
        Ok([true, false].map(|is_approved| {
            Reply { review: review.clone(), is_approved, by: self.reviewer.clone(), until }
                .token(&self.secret)
        }))
    }
}

/// A text in which nothing is markup, nor calls anybody.
fn plain(text: &str, longest: usize) -> Json {
    json!({ "type": "plain_text", "text": cut(text, longest) })
}

/// A text of at most so many letters.
pub(super) fn cut(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    text.chars().take(longest - 1).chain(['…']).collect()
}
