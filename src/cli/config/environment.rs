//! Settings from the environment: `HENCE_…`, lists divided as paths are, parameters as `HENCE_PARAM_NAME`.

use std::env;

use crate::syntax;

use super::Origin;
use super::settings::{Kind, PARAM_VARIABLE, SETTINGS};
use super::values::{self, Content, Values};

/// Lays what the environment sets over `into`; an empty variable counts as absent.
///
/// # Errors
/// The first variable that holds no fitting value, with what was expected.
pub(super) fn read(into: &mut Values) -> Result<(), String> {
    for setting in &SETTINGS {
        let Some(text) = env::var(setting.variable).ok().filter(|text| !text.is_empty()) else { continue };
        let content = match setting.kind {
            Kind::Paths => values::several(setting.kind, paths(&text)),
            Kind::Texts => {
                values::several(setting.kind, text.split(',').map(|part| part.trim().to_owned()).collect())
            }
            kind => values::one(kind, &text),
        };
        let mut content = content.map_err(|what| format!("{}: {what}", setting.variable))?;
        if let (Kind::Patterns, Content::Texts(texts), Some((Content::Texts(held), _))) =
            (setting.kind, &mut content, into.settings.get(setting.key))
        {
            // The environment adds to what is kept out of the ledger and lets nothing in.
            texts.splice(0..0, held.iter().cloned());
        }
        into.settings.insert(setting.key, (content, Origin::Variable(setting.variable.to_owned())));
    }
    let mut variables: Vec<_> = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    variables.sort();
    for (variable, text) in variables {
        let Some(name) = variable.strip_prefix(PARAM_VARIABLE).filter(|name| !name.is_empty()) else {
            continue;
        };
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
