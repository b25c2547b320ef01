//! The prompt: a text with places for columns of the decision, and for the facts of relations.

use super::super::carry::{Failed, Fate, Order};

/// How long a prompt may become, in bytes.
const LONGEST: usize = 1 << 20;

/// A text with `{{column}}`, `{{$id}}`, `{{$now}}`, `{{$because}}` and `{{rows RELATION}}` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptTemplate(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Column(String),
    Given(Given),
    Rows(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    Id,
    Now,
    Because,
}

impl PromptTemplate {
    /// Reads a text.
    ///
    /// # Errors
    /// What was expected between `{{` and `}}`.
    pub fn read(text: &str) -> Result<Self, String> {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once("{{") {
            let (inside, after) = after.split_once("}}").ok_or("`{{` without `}}`")?;
            parts.push(Part::Text(before.to_owned()));
            parts.push(Part::read(inside.trim())?);
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Self(parts))
    }

    /// The text for a decision.
    pub(crate) fn text(&self, order: &Order<'_>) -> Result<String, Failed> {
        let mut text = String::new();
        for part in &self.0 {
            text.push_str(&part.text(order)?);
            if text.len() > LONGEST {
                return Err(Failed::new(Fate::Refused, format!("the prompt has more than {LONGEST} bytes")));
            }
        }
        Ok(text)
    }
}

impl Part {
    fn read(inside: &str) -> Result<Self, String> {
        let is_word = |text: &str| {
            !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || "_.".contains(letter))
        };
        match (inside, inside.split_once(' ')) {
            ("$id", _) => Ok(Self::Given(Given::Id)),
            ("$now", _) => Ok(Self::Given(Given::Now)),
            ("$because", _) => Ok(Self::Given(Given::Because)),
            (_, Some(("rows", relation))) if is_word(relation.trim()) => {
                Ok(Self::Rows(relation.trim().to_owned()))
            }
            (column, None) if is_word(column) => Ok(Self::Column(column.to_owned())),
            _ => Err(format!(
                "expected a column, `$id`, `$now`, `$because` or `rows RELATION` between `{{{{` and `}}}}`, found `{inside}`"
            )),
        }
    }

    fn text(&self, order: &Order<'_>) -> Result<String, Failed> {
        let refused = |message: String| Failed::new(Fate::Refused, message);
        match self {
            Self::Text(text) => Ok(text.clone()),
            Self::Given(Given::Id) => Ok(order.id.to_owned()),
            Self::Given(Given::Now) => Ok(hence_core::value::Value::Time(order.now).text()),
            Self::Given(Given::Because) => Ok(order.because.unwrap_or_default().to_owned()),
            Self::Column(column) => {
                let message = || format!("`{}` has no column `{column}`", order.decision.relation);
                order.value(column).map(|value| value.text()).ok_or_else(|| refused(message()))
            }
            Self::Rows(relation) => {
                let rows = order.world.rows(relation).map_err(refused)?;
                Ok(rows.objects().iter().map(|row| format!("{row}\n")).collect())
            }
        }
    }
}
