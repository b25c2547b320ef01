//! `[authzen]` of `hence.toml`: how the requests of the AuthZEN API become facts, and which decision answers them.

use std::collections::BTreeMap;

use hence_actuators::template::Template;

use super::super::authzen::{Authzen, AuthzenLine, KNOWN};
use super::super::settings::AUTHZEN;
use super::{DeTable, DeValue, Range, Reading, found};

/// The entities whose facts may depend on their type or name.
const ENTITIES: [&str; 3] = ["subject", "action", "resource"];
/// What may be said.
const KEYS: [&str; 9] =
    ["decision", "denied", "ask", "review", "record", "facts", "subject", "action", "resource"];

impl Reading<'_> {
    /// `decision = "may(user = $subject.id, action = $action.name, record = $resource.id)"`
    pub(super) fn authzen(&mut self, key: Range<usize>, table: &DeTable<'_>) {
        let (mut decisions, mut facts, mut by_type) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
        let mut record = false;
        for (word, value) in table {
            let path = format!("{AUTHZEN}.{}", word.get_ref());
            match (word.get_ref().as_ref(), value.get_ref()) {
                (name @ ("decision" | "denied" | "ask" | "review"), DeValue::String(text)) => {
                    if let Some(template) = self.template(&path, value.span(), text) {
                        decisions.insert(name.to_owned(), template);
                    }
                }
                ("record", DeValue::Boolean(flag)) => {
                    record = *flag;
                    self.line(&path, &flag.to_string(), value.span(), None);
                }
                ("facts", DeValue::Array(_)) => facts = self.templates(&path, value.span(), value.get_ref()),
                (name, DeValue::Table(inner)) if ENTITIES.contains(&name) => {
                    let entity = ENTITIES.into_iter().find(|entity| *entity == name).unwrap_or_default();
                    let types = inner.iter().map(|(word, value)| {
                        let path = format!("{path}.{}", word.get_ref());
                        (word.get_ref().to_string(), self.templates(&path, value.span(), value.get_ref()))
                    });
                    by_type.insert(entity, types.collect());
                }
                (name, other) if KEYS.contains(&name) => {
                    let due = match name {
                        "record" => "`true` or `false`",
                        "facts" => "a list of templates",
                        name if ENTITIES.contains(&name) => "a table of types, each with a list of templates",
                        _ => "a template",
                    };
                    self.wrong(value.span(), format!("`{path}`: expected {due}, found {}", found(other)));
                }
                (name, _) => self.unknown(name, &path, word.span(), KEYS.to_vec()),
            }
        }
        let Some(decision) = decisions.remove("decision") else {
            let form = "\"may(user = $subject.id, action = $action.name, record = $resource.id)\"";
            return self.wrong(key, format!("`{AUTHZEN}`: missing decision; expected `decision = {form}`"));
        };
        let mut take = |name: &str| decisions.remove(name);
        let (denied, ask, review) = (take("denied"), take("ask"), take("review"));
        self.values.authzen = Some(Authzen { decision, denied, ask, review, record, facts, by_type });
    }

    fn templates(&mut self, path: &str, place: Range<usize>, value: &DeValue<'_>) -> Vec<Template> {
        let DeValue::Array(items) = value else {
            self.wrong(place, format!("`{path}`: expected a list of templates, found {}", found(value)));
            return Vec::new();
        };
        let read = |item: &toml::Spanned<DeValue<'_>>| match item.get_ref() {
            DeValue::String(text) => self.template(path, item.span(), text),
            other => {
                self.wrong(item.span(), format!("`{path}`: expected a template, found {}", found(other)));
                None
            }
        };
        items.iter().filter_map(read).collect()
    }

    fn line(&mut self, path: &str, text: &str, place: Range<usize>, template: Option<Template>) {
        let origin = self.origin(self.span(place.clone()));
        let (path, text) = (path.to_owned(), text.to_owned());
        self.values.authzen_lines.push(AuthzenLine { path, text, template, origin, place });
    }

    fn template(&mut self, path: &str, place: Range<usize>, text: &str) -> Option<Template> {
        match Template::with(text, &KNOWN) {
            Ok(template) if template.is_given() => {
                self.line(path, text, place, Some(template.clone()));
                Some(template)
            }
            Ok(_) => {
                let message = format!("`{path}`: each value is of the request, such as `$subject.id`");
                self.wrong(place, message);
                None
            }
            Err(why) => {
                self.wrong(place, format!("`{path}`: {why}"));
                None
            }
        }
    }
}
