//! Settings from the environment: `HENCE_…`, lists divided as paths are, parameters as `HENCE_PARAM_name`.

use std::env;

use crate::syntax;

use super::Origin;
use super::settings::{Kind, PARAM_VARIABLE, SETTINGS};
use super::values::{self, Values};

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
        let content = content.map_err(|what| format!("{}: {what}", setting.variable))?;
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
        let value = syntax::parse_value(&text).unwrap_or_else(|| values::parameter(&text));
        into.params.insert(name.to_owned(), (value, Origin::Variable(variable.clone())));
    }
    Ok(())
}

fn paths(text: &str) -> Vec<String> {
    env::split_paths(text).map(|path| path.display().to_string()).collect()
}
