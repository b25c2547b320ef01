//! Who says a line of a stream: whoever brings it, or somebody whom the line names.

use serde_json::{Map, Value as Json};

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_ledger::{Ed25519Signature, Said};
use hence_session::{RuleSet, Session};

use super::{config, open};

/// The word that names who says a line.
pub(super) const AS: &str = "as";
/// The word before their signature.
pub(super) const SIGNATURE: &str = "signature";

/// Who says lines, and the rules under which their facts are read.
pub(super) struct Speakers {
    /// Who brings the lines.
    author: String,
    /// What the facts of whoever brings the lines are read under.
    rules: RuleSet,
    /// Somebody else whom a line named last, and what their facts are read under.
    other: Option<(String, RuleSet)>,
}

/// Whom a line names, and what it says beside that.
pub(super) struct Named {
    author: String,
    signature: Option<Ed25519Signature>,
    /// Whether that is who brings the line.
    is_own: bool,
    /// The line without both.
    pub(super) rest: String,
}

impl Named {
    /// Facts as what is said by whom the line names.
    pub(super) fn say<'f>(&'f self, facts: &'f [Fact]) -> impl Iterator<Item = Said> + 'f {
        facts.iter().filter(|_| !self.is_own).map(|fact| Said {
            fact: fact.clone(),
            author: self.author.clone(),
            signature: self.signature,
        })
    }
}

impl Speakers {
    /// `author` brings the lines.
    pub(super) fn new(rules: &RuleSet, author: String) -> Self {
        let rules = open::reading_for(rules, &author).into_owned();
        Self { author, rules, other: None }
    }

    /// Who brings the lines.
    pub(super) fn author(&self) -> &str {
        &self.author
    }

    /// Whom a line names, if anybody; or why it is not taken.
    pub(super) fn named(&mut self, session: &Session, text: &str) -> Result<Option<Named>, String> {
        let Some(mut named) = named(session, text)? else { return Ok(None) };
        named.is_own = named.author == self.author;
        config::get().check_author(&named.author)?;
        if self.other.as_ref().is_none_or(|(last, _)| *last != named.author) {
            let rules = open::reading_for(session.rules(), &named.author).into_owned();
            self.other = Some((named.author.clone(), rules));
        }
        Ok(Some(named))
    }

    /// What the facts of a line are read under.
    pub(super) fn rules(&self, named: Option<&Named>) -> &RuleSet {
        match (&self.other, named) {
            (Some((_, rules)), Some(_)) => rules,
            _ => &self.rules,
        }
    }
}

/// Whom a line names; nobody, where the rules have a relation `as`.
fn named(session: &Session, text: &str) -> Result<Option<Named>, String> {
    if !text.contains("\"as\"") || session.rules().program.find(Symbol::new(AS)).is_some() {
        return Ok(None);
    }
    // What isn't an object is left to whoever reads facts.
    let Ok(mut fields) = serde_json::from_str::<Map<String, Json>>(text) else { return Ok(None) };
    let Some(said) = fields.remove(AS) else { return Ok(None) };
    let author = match said {
        Json::String(said) if !said.is_empty() => said,
        other => {
            let expected = format!("expected a name such as \"ada\", found {other}");
            return Err(format!("`{AS}` names who says the line: {expected}"));
        }
    };
    let signature = match fields.remove(SIGNATURE) {
        None => None,
        Some(Json::String(text)) => Some(text.parse().map_err(|_| unread(&text))?),
        Some(other) => return Err(unread(&other.to_string())),
    };
    Ok(Some(Named { author, signature, is_own: false, rest: Json::Object(fields).to_string() }))
}

fn unread(found: &str) -> String {
    format!(
        "`{SIGNATURE}`: expected 128 hexadecimal digits, as `hence principal sign` prints them, found {found}"
    )
}
