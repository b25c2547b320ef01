//! `edit`: what people changed in a draft, kind by kind.

mod change;

use std::path::Path;

use super::error::ActuatorError;
use super::error_text::{id, short_hash};
use super::facts::{each_object, name, string};
use super::input::{Form, Input};
use super::json::{self, Object};
use super::table::{PatternTable, Shipped};
use super::{Observer, Sink, Summary};
use change::{Draft, Markers};
use hence_core::fact::Fact;

/// The name of the observer.
pub const NAME: &str = "edit";

/// The longest draft that is compared, in bytes.
const LONGEST: usize = 32 * 1024;

const MARKERS: Shipped = Shipped {
    file: "draft_markers.csv",
    columns: ["marker", "pattern"],
    text: include_str!("../../../facts/draft_markers.csv"),
    names: true,
    case: false,
    unicode: true,
    pattern: str::to_owned,
};

const DECLARATIONS: &str = "\
input draft_edit(edit: string, event: string, change: name).
input edit_text(edit: string, removed: string, added: string).
input draft_rejection(rejection: string, event: string).
input rejection_text(rejection: string, reason: string).
";

/// Turns two versions of a draft into `draft_edit`, one for each kind of change, with `edit_text`, and a rejected draft
/// into `draft_rejection`, with `rejection_text` where somebody said why.
///
/// JSON objects: `event` (what the draft answers), `before` (the draft, at most 32 KiB), where it is known `edit` (an id;
/// else the input's name and the line), and either `after` (as it was sent) or `rejected`, the reason as a string, or
/// `true`. The item of a change is called `EDIT/CHANGE`:
///
/// | change | when | what was removed and added |
/// | --- | --- | --- |
/// | `/greeting` | the lines that greet or take leave differ | these lines |
/// | `/tone` | other markers of tone show in the text | the markers |
/// | `/length` | at least 5 words and a fifth of the words more or fewer | `shorter` or `longer` |
/// | `/structure` | other numbers of paragraphs, list items or headings, or the same lines in another order | which |
/// | `/content` | words of more than 3 letters, or numbers, are others | the words of the lines that differ |
///
/// `facts/draft_markers.csv` (`marker,pattern`) says what greets (`/greeting`, `/closing`); its other markers are of tone.
/// Letter case is ignored, and what a marker matches is no content.
pub struct DraftEdit {
    markers: Markers,
}

impl DraftEdit {
    /// With the shipped table of markers, or that of the folder `tables`.
    ///
    /// # Errors
    /// A table that can't be read.
    pub fn from_tables(tables: Option<&Path>) -> Result<Self, ActuatorError> {
        Ok(Self { markers: Markers::new(PatternTable::load(&MARKERS, tables)?) })
    }

    fn facts(&self, object: &mut Object<'_>) -> Result<Vec<Fact>, ActuatorError> {
        let draft = |value: &_| json::text(value).filter(|text| text.len() <= LONGEST);
        let given = object.optional("edit", "the id of an edit: a string or an int", json::id)?;
        let event = object.required("event", "the id of an event: a string or an int", json::id)?;
        let before = object.required("before", "a draft: a string of at most 32 KiB", draft)?;
        let after = object.optional("after", "a draft: a string of at most 32 KiB", draft)?;
        let rejected = object.optional("rejected", "a reason: a string, or `true`", reason)?;
        let place = object.place;
        let hash = || short_hash(&format!("{event}\n{before}"));
        let edit = given.unwrap_or_else(|| id(place.input, Some(place.line), "edit", &hash()));
        match (after, rejected) {
            (Some(after), None) => Ok(self.edited(&edit, &event, &before, &after)),
            (None, Some(reason)) => Ok(refused(&edit, &event, reason)),
            (None, None) => Err(place.fault("`after` or `rejected`", "no such field")),
            (Some(_), Some(_)) => Err(place.fault("`after` or `rejected`", "both")),
        }
    }

    fn edited(&self, edit: &str, event: &str, before: &str, after: &str) -> Vec<Fact> {
        let (before, after) = (Draft::new(&self.markers, before), Draft::new(&self.markers, after));
        let changes = before.changes(&after).into_iter();
        let facts = changes.flat_map(|change| {
            let item = string(&format!("{edit}{}", change.kind));
            [
                Fact::new("draft_edit", [item, string(event), name(change.kind)]),
                Fact::new("edit_text", [item, string(&change.removed), string(&change.added)]),
            ]
        });
        facts.collect()
    }
}

/// A refusal, with the reason where there is one.
fn refused(rejection: &str, event: &str, reason: Option<String>) -> Vec<Fact> {
    let item = string(rejection);
    let mut facts = vec![Fact::new("draft_rejection", [item, string(event)])];
    facts.extend(reason.map(|reason| Fact::new("rejection_text", [item, string(&reason)])));
    facts
}

/// The reason of a refusal; `Some(None)` where there is none.
fn reason(value: &serde_json::Value) -> Option<Option<String>> {
    match value.as_bool() {
        Some(rejected) => rejected.then_some(None),
        None => json::text(value).map(Some),
    }
}

impl Observer for DraftEdit {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "drafts as an agent wrote them and as people sent them: what kind of change each edit made"
    }

    fn declarations(&self) -> &'static str {
        DECLARATIONS
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Json]
    }

    fn observe(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        input.form(NAME, self.forms())?;
        each_object(input, sink, |object| self.facts(object))
    }
}
