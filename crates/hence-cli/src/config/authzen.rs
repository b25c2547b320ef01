//! `[authzen]` as the service reads it: which facts a request makes, and which decision answers it.

use std::collections::BTreeMap;
use std::ops::Range;

use hence_actuators::template::Template;

use super::Origin;

/// What a template may ask for, as `$subject.id`.
pub(super) const KNOWN: [&str; 5] = ["subject", "action", "resource", "context", "principal"];

/// The mapping.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "server"), allow(dead_code, reason = "only the service reads it"))]
pub(crate) struct Authzen {
    /// What permits.
    pub(crate) decision: Template,
    /// What denies, whatever permits.
    pub(crate) denied: Option<Template>,
    /// What says that a person is to be asked first.
    pub(crate) ask: Option<Template>,
    /// What says that a person is to look at it afterwards.
    pub(crate) review: Option<Template>,
    /// Whether requests and their decisions are recorded.
    pub(crate) record: bool,
    /// The facts that each request makes.
    pub(super) facts: Vec<Template>,
    /// Those of subjects, actions and resources, by type or name.
    pub(super) by_type: BTreeMap<&'static str, BTreeMap<String, Vec<Template>>>,
}

/// What the table says at one place.
#[derive(Clone, Debug)]
pub(super) struct AuthzenLine {
    /// The way to it, such as `authzen.decision`.
    pub(super) path: String,
    /// As it is written.
    pub(super) text: String,
    /// The same as it is read, where it is a template.
    pub(super) template: Option<Template>,
    /// Where it stands.
    pub(super) origin: Origin,
    /// The same in bytes.
    pub(super) place: Range<usize>,
}

#[cfg_attr(not(feature = "server"), allow(dead_code, reason = "only the service reads it"))]
impl Authzen {
    /// The templates of a request about a subject of this type, an action of this name and a resource of this type.
    ///
    /// # Errors
    /// A type that `[authzen]` doesn't have, where it has any.
    pub(crate) fn facts_of(
        &self,
        subject: Option<&str>,
        action: Option<&str>,
        resource: Option<&str>,
    ) -> Result<Vec<&Template>, String> {
        let mut all: Vec<&Template> = self.facts.iter().collect();
        for (entity, word) in [("subject", subject), ("action", action), ("resource", resource)] {
            let (Some(types), Some(word)) = (self.by_type.get(entity), word) else { continue };
            match types.get(word) {
                Some(templates) => all.extend(templates),
                None if entity == "action" => {}
                None => return Err(format!("unknown {entity} type `{word}`")),
            }
        }
        Ok(all)
    }
}
