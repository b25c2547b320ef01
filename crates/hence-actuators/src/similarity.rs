//! `similarity`: which texts of an input are alike, and what may help with an event.

mod bm25;
mod vector;

use serde_json::Value as Json;

use super::error::ActuatorError;
use super::facts::{float, name, string};
use super::input::{Form, Input};
use super::json::{self, Object};
use super::objects::JsonObjects;
use super::{Observer, Sink, Summary, table};
use bm25::{Index, rounded};
use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::meter;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use vector::Vector;

/// The name of the observer.
pub const NAME: &str = "similarity";

/// How many texts an input may have.
const MOST_TEXTS: usize = 2_000;

/// Texts that are less alike are not told of.
const FLOOR: f64 = 0.1;

/// How many candidates of a kind an event has.
const MOST_CANDIDATES: usize = 20;

/// So many characters are a token, where nobody counted.
const TOKEN: usize = 4;

const DECLARATIONS: &str = "\
input candidate(event: string, item: string, kind: name, similarity: float, tokens: int).
input candidate_at(event: string, item: string, at: time).
input event_similarity(a: string, b: string, similarity: float).
input similar(a: string, b: string, similarity: float).
";

/// Compares the texts of an input by their words, and turns what is alike into `event_similarity` (events), `similar`
/// (edits and rejections), and `candidate` with `candidate_at`: what may help with each event.
///
/// JSON objects, at most 2,000; what each is, its id says:
///
/// | fields | what it is |
/// | --- | --- |
/// | `event`, `text`, and where they are known `subject`, `sender`, `source`, `type`, `at`, `tokens` | an event, as `observe event` reads it |
/// | `incident`, `knowledge` or `action`, `text`, and where it is known `tokens` | something that may help |
/// | `edit` or `rejection`, `text` | what an edit put in, or why a draft was refused |
///
/// The similarity is BM25 over words of three letters or more without stop words, as a share of what a text says of
/// itself, from 0 to 1; between two events, two edits or two rejections the mean of both directions. Each word weighs at
/// least 1, and of a text 200 different words count. What is below 0.1 is left out, and an event has at most 20
/// candidates of each kind: the most similar `/incident`, `/knowledge` and `/action`; the latest earlier events of its
/// `/sender`, and, as `/recent`, of its source and type. Where both texts come with a `vector`, which an embedding model gave
/// them, the similarity is the cosine of these, and 0 where that is less. Tokens are a quarter of the characters where nobody counted.
pub(crate) struct Similarity;

/// A text of the input.
struct Item {
    kind: &'static str,
    id: String,
    text: String,
    tokens: i64,
    sender: Option<String>,
    /// The source and the type.
    stream: Option<(Symbol, Symbol)>,
    at: Option<i64>,
    vector: Option<Vector>,
}

/// What an item is, by the field with its id.
const KINDS: [&str; 6] = ["event", "incident", "knowledge", "action", "edit", "rejection"];

impl Item {
    fn read(object: &mut Object<'_>) -> Result<Self, ActuatorError> {
        let kind = KINDS.into_iter().find(|kind| object.has(kind));
        let place = object.place;
        let kind =
            kind.ok_or_else(|| place.fault(&format!("one of `{}`", KINDS.join("`, `")), "no such field"))?;
        let id = object.required(kind, "an id: a string or an int", json::id)?;
        let body = object.required("text", "a text: a string", json::text)?;
        let subject = object.optional("subject", "a string", json::text)?.unwrap_or_default();
        let text = format!("{subject}\n{body}");
        let named = |value: &Json| value.as_str().and_then(table::name);
        let (source, of_type) =
            (object.optional("source", "a name", named)?, object.optional("type", "a name", named)?);
        let tokens =
            object.optional("tokens", "an int, 0 or more", |value| value.as_i64().filter(|all| *all >= 0))?;
        let estimate = text.trim().chars().count().div_ceil(TOKEN);
        Ok(Self {
            kind,
            id,
            tokens: tokens.unwrap_or_else(|| i64::try_from(estimate).unwrap_or(i64::MAX)),
            sender: object.optional("sender", "a string", json::text)?.filter(|sender| !sender.is_empty()),
            stream: source.zip(of_type),
            at: object.optional("at", "a time such as \"2026-02-03T14:23:45Z\"", |value| {
                value.as_str().and_then(literal::parse_time)
            })?,
            vector: object.optional("vector", vector::WANTED, Vector::read)?,
            text,
        })
    }
}

/// The facts of all items, event by event, then the pairs.
fn facts(items: &[Item]) -> Result<Vec<Fact>, ActuatorError> {
    let index = Index::new(items.iter().map(|item| item.text.as_str()));
    let mut alike: Vec<Vec<f64>> = (0..items.len()).map(|at| index.alike(at)).collect::<Result<_, _>>()?;
    by_vectors(items, &mut alike)?;
    let mut facts = Vec::new();
    for (event, alike) in items.iter().zip(&alike).filter(|(item, _)| item.kind == "event") {
        for kind in ["incident", "knowledge", "action"] {
            let near = items.iter().zip(alike).filter(|(item, share)| item.kind == kind && **share >= FLOOR);
            let mut near: Vec<(&Item, f64)> = near.map(|(item, share)| (item, *share)).collect();
            near.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.id.cmp(&b.0.id)));
            facts.extend(
                near.iter().take(MOST_CANDIDATES).map(|(item, share)| candidate(event, item, kind, *share)),
            );
        }
        facts.extend(earlier(items, alike, event, "sender", |other| {
            event.sender.is_some() && event.sender == other.sender
        }));
        facts.extend(earlier(items, alike, event, "recent", |other| {
            event.stream.is_some() && event.stream == other.stream
        }));
    }
    for (relation, kinds) in [("event_similarity", &["event"][..]), ("similar", &["edit", "rejection"][..])] {
        for (at, one) in items.iter().enumerate().filter(|(_, item)| kinds.contains(&item.kind)) {
            let others = items.iter().enumerate().skip(at + 1).filter(|(_, other)| other.kind == one.kind);
            let share =
                |of: usize, with: usize| alike.get(of).and_then(|all| all.get(with)).copied().unwrap_or(0.0);
            let pairs = others.map(|(with, other)| (other, f64::midpoint(share(at, with), share(with, at))));
            facts.extend(pairs.filter(|(other, mean)| *mean >= FLOOR && other.id != one.id).map(
                |(other, mean)| {
                    Fact::new(relation, [string(&one.id), string(&other.id), float(rounded(mean))])
                },
            ));
        }
    }
    Ok(facts)
}

/// Puts the cosine in the place of what words say, where both texts have a vector.
fn by_vectors(items: &[Item], alike: &mut [Vec<f64>]) -> Result<(), ActuatorError> {
    for (one, shares) in items.iter().zip(alike) {
        let Some(vector) = &one.vector else { continue };
        meter::check("comparing vectors")?;
        for (other, share) in items.iter().zip(shares) {
            if let Some(other) = &other.vector {
                *share = vector.cosine(other);
            }
        }
    }
    Ok(())
}

fn candidate(event: &Item, item: &Item, kind: &str, share: f64) -> Fact {
    let kind = name(&format!("/{kind}"));
    Fact::new(
        "candidate",
        [string(&event.id), string(&item.id), kind, float(rounded(share)), Value::Int(item.tokens)],
    )
}

/// The latest of the events before one that belong to it in some way.
fn earlier(
    items: &[Item],
    alike: &[f64],
    event: &Item,
    kind: &str,
    belongs: impl Fn(&Item) -> bool,
) -> Vec<Fact> {
    let Some(now) = event.at else { return Vec::new() };
    let events = items.iter().zip(alike).filter(|(item, _)| item.kind == "event" && item.id != event.id);
    let before = events.filter_map(|(item, share)| Some((item, *share, item.at.filter(|at| *at <= now)?)));
    let mut before: Vec<(&Item, f64, i64)> = before.filter(|(item, ..)| belongs(item)).collect();
    before.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.id.cmp(&b.0.id)));
    let found = before.into_iter().take(MOST_CANDIDATES).flat_map(|(item, share, at)| {
        let when = Fact::new("candidate_at", [string(&event.id), string(&item.id), Value::Time(at)]);
        [candidate(event, item, kind, share), when]
    });
    found.collect()
}

impl Observer for Similarity {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "texts of events, incidents, knowledge, actions and edits: which are alike, and what may help with an event"
    }

    fn declarations(&self) -> &'static str {
        DECLARATIONS
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Json]
    }

    fn observe(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        input.form(NAME, self.forms())?;
        let mut objects = JsonObjects::new(input);
        let (mut summary, mut items, mut length) = (Summary::default(), Vec::new(), None);
        while let Some(mut object) = objects.next()? {
            if items.len() == MOST_TEXTS {
                return Err(object.place.fault(&format!("at most {MOST_TEXTS} texts"), "more"));
            }
            let item = Item::read(&mut object)?;
            if let Some(vector) = &item.vector {
                let wanted = *length.get_or_insert(vector.len());
                if vector.len() != wanted {
                    let expected = format!("`vector` to have {wanted} numbers, as the one before");
                    return Err(object.place.fault(&expected, &vector.len().to_string()));
                }
            }
            items.push(item);
            summary.records += 1;
            object.leave(&mut summary);
        }
        for fact in facts(&items)? {
            summary.facts += 1;
            sink(fact)?;
        }
        Ok(summary)
    }
}
