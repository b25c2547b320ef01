//! Hooks in settings: ours is put in, or renewed where it is, and everything else stays.

use serde_json::{Value as Json, json};

use crate::host::Hook;
use crate::json::Object;

/// Has the list `hooks.EVENT` of settings hold `entry`, and no other of the gate's.
pub(super) fn put(settings: &mut Object, event: &str, entry: Json) {
    let hooks = settings.entry("hooks").or_insert_with(|| json!({}));
    if !hooks.is_object() {
        *hooks = json!({});
    }
    let Some(hooks) = hooks.as_object_mut() else { return };
    let list = hooks.entry(event).or_insert_with(|| json!([]));
    if !list.is_array() {
        *list = json!([]);
    }
    let Some(list) = list.as_array_mut() else { return };
    list.retain(|kept| !is_ours(kept));
    list.push(entry);
}

/// Whether an entry runs `hence gate`.
fn is_ours(entry: &Json) -> bool {
    match entry {
        Json::Object(fields) => {
            let runs = ["command", "bash"].iter().any(|name| {
                let command = fields.get(*name).and_then(Json::as_str).unwrap_or_default();
                let arguments = fields.get("args").and_then(|args| args.get(0)?.as_str()) == Some("gate");
                command.contains("hence") && (command.contains(" gate") || arguments)
            });
            runs || fields
                .get("hooks")
                .and_then(Json::as_array)
                .is_some_and(|all| all.iter().all(is_ours) && !all.is_empty())
        }
        _ => false,
    }
}

/// The command as one line for a shell.
pub(super) fn line(hook: &Hook<'_>) -> String {
    let words = std::iter::once(hook.program).chain(hook.arguments.iter().map(String::as_str));
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-=:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
