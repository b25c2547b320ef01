//! Settings from the environment: `HENCE_…`, lists divided as paths are, parameters as `HENCE_PARAM_NAME`. What the file
//! restricts they may restrict further, and never widen.

use std::env;
use std::ffi::OsString;
use std::fmt;

use hence_core::diagnostic::nearest;
use hence_syntax as syntax;

use super::Origin;
use super::settings::{Hold, Kind, OTHERS, PARAM_VARIABLE, PREFIX, SETTINGS, Setting};
use super::values::{self, Content, Values};

/// Lays what the environment sets over `into`; an empty variable counts as absent. What of it does not hold, since the
/// file restricts it, a line each.
///
/// # Errors
/// The first variable that holds no fitting value, with what was expected.
pub(super) fn read(into: &mut Values) -> Result<Vec<String>, String> {
    let mut unheeded = Vec::new();
    for setting in &SETTINGS {
        let Some(text) = variable(setting.variable)? else { continue };
        let content = match setting.kind {
            Kind::Paths => values::several(setting.kind, paths(&text)),
            Kind::Texts | Kind::Compiled | Kind::Masks => {
                values::several(setting.kind, text.split(',').map(|part| part.trim().to_owned()).collect())
            }
            kind => values::one(kind, &text),
        };
        let content = content.map_err(|what| format!("{}: {what}", setting.variable))?;
        let given = (content, Origin::Variable(setting.variable.to_owned()));
        let held = match into.settings.remove(setting.key) {
            None => given,
            Some(file) => {
                let Over { holds, unheeded: what } = over(setting, file, given);
                unheeded.extend(what);
                holds
            }
        };
        into.settings.insert(setting.key, held);
    }
    params(into)?;
    Ok(unheeded)
}

/// A variable that is named like those of hence, and means nothing to it.
#[derive(Clone, Debug)]
pub(super) struct Unknown {
    pub(super) name: String,
    /// The one that was probably meant.
    pub(super) nearest: Option<String>,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown variable {}", self.name)?;
        self.nearest.as_ref().map_or(Ok(()), |near| write!(f, "; did you mean {near}?"))
    }
}

/// The variables that mean nothing, by name.
pub(super) fn unknown() -> Vec<Unknown> {
    let known: Vec<&str> = SETTINGS.iter().map(|setting| setting.variable).chain(OTHERS).collect();
    let means = |name: &str| {
        known.contains(&name) || name.strip_prefix(PARAM_VARIABLE).is_some_and(|param| !param.is_empty())
    };
    let named = |(name, value): (OsString, OsString)| name.into_string().ok().filter(|_| !value.is_empty());
    let mut names: Vec<String> = env::vars_os().filter_map(named).collect();
    names.retain(|name| name.starts_with(PREFIX) && !means(name));
    names.sort();
    let words = || known.iter().filter_map(|name| name.strip_prefix(PREFIX));
    let near =
        |name: &str| nearest(name.strip_prefix(PREFIX)?, words()).map(|word| format!("{PREFIX}{word}"));
    names.into_iter().map(|name| Unknown { nearest: near(&name), name }).collect()
}

/// The text of a variable, where it has one.
fn variable(name: &str) -> Result<Option<String>, String> {
    match env::var(name) {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => Err(format!("{name}: the value is not UTF-8")),
    }
}

/// A setting of the file with what the environment says of it.
struct Over {
    holds: (Content, Origin),
    unheeded: Option<String>,
}

fn over(setting: &Setting, file: (Content, Origin), given: (Content, Origin)) -> Over {
    let (name, variable, place) = (setting.key, setting.variable, file.1.to_string());
    let both = Origin::Both(Box::new(file.1.clone()), variable.to_owned());
    match (setting.hold, file.0, given.0) {
        (Hold::Narrower, Content::Texts(known), Content::Texts(wanted)) => {
            let (held, others): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|name| known.contains(name));
            let others: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
            let unheeded = (!others.is_empty()).then(|| {
                format!(
                    "{variable} names {}, which the `{name}` of {place} do not include: ignored",
                    others.join(", ")
                )
            });
            Over { holds: (Content::Texts(held), both), unheeded }
        }
        (Hold::More, Content::Texts(mut all), Content::Texts(more)) => {
            all.extend(more);
            all.dedup();
            Over { holds: (Content::Texts(all), both), unheeded: None }
        }
        (Hold::Less, known, wanted) if wanted > known => {
            let unheeded = format!(
                "{variable} asks for {wanted}, but `{name}` of {place} allows {known}, which applies"
            );
            Over { holds: (known, file.1), unheeded: Some(unheeded) }
        }
        (Hold::AtLeast, known, wanted) if wanted < known => {
            let unheeded = format!(
                "{variable} asks for {wanted}, but `{name}` of {place} demands {known}, which applies"
            );
            Over { holds: (known, file.1), unheeded: Some(unheeded) }
        }
        (_, _, content) => Over { holds: (content, given.1), unheeded: None },
    }
}

/// Takes in the variables that set parameters.
fn params(into: &mut Values) -> Result<(), String> {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(PARAM_VARIABLE)).collect();
    names.sort();
    for variable in names {
        let Some(name) = variable.strip_prefix(PARAM_VARIABLE).filter(|name| !name.is_empty()) else {
            continue;
        };
        let text = env::var(&variable).map_err(|_| format!("{variable}: the value is not UTF-8"))?;
        // Names of parameters begin with a small letter, so a name all in capitals stands for one in small letters.
        let capitals = !name.contains(|c: char| c.is_lowercase());
        let name = if capitals { name.to_lowercase() } else { name.to_owned() };
        let value = syntax::parse_value(&text).unwrap_or_else(|| values::parameter(&text));
        into.params.insert(name, (value, Origin::Variable(variable.clone())));
    }
    Ok(())
}

/// The variable that sets the parameter `name`, in capitals unless the name has some itself.
pub(super) fn param_variable(name: &str) -> String {
    let plain = !name.contains(|c: char| c.is_uppercase());
    let name = if plain { name.to_uppercase() } else { name.to_owned() };
    format!("{PARAM_VARIABLE}{name}")
}

fn paths(text: &str) -> Vec<String> {
    env::split_paths(text).map(|path| path.display().to_string()).collect()
}
