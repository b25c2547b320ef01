//! Registries: entries of servers, in the form of the official registry or in a shorter one, and how well they fit.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::{Value as Json, json};

use hence_core::file;

use super::super::carry::{Failed, Fate};
use super::super::http::Request;
use super::super::mcp_settings::{McpSettings, Registry};
use super::super::words::singular;

/// The largest registry that is read, in bytes, and how many entries are looked at in all.
const LARGEST: u64 = 16 << 20;
const MOST_ENTRIES: usize = 20_000;
/// How many pages of a registry are asked for, and how many entries a page has.
const PAGES: usize = 10;
const PAGE: usize = 100;
/// How many entries are stated.
const BEST: usize = 20;
/// The longest name of a server.
const LONGEST: usize = 200;
/// What a word in the name is worth beside one anywhere.
const IN_NAME: f64 = 0.3;

/// An entry of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) transport: &'static str,
    /// A URL, or a program with its arguments in JSON.
    pub(super) at: String,
    /// The variables and headers that it needs.
    pub(super) auth: Vec<String>,
}

/// The entries that fit a capability, the best first, with the share in which they do.
pub(super) fn search(
    settings: &McpSettings,
    capability: &str,
    end: Instant,
) -> Result<Vec<(Entry, f64)>, Failed> {
    let wanted = singular(capability);
    let mut found: Vec<(Entry, f64)> = Vec::new();
    let mut looked_at = 0;
    for registry in &settings.registries {
        let entries = match registry {
            Registry::File(path) => of_file(path)?,
            Registry::Url(url) => of_url(url, capability, end)?,
        };
        looked_at += entries.len();
        if looked_at > MOST_ENTRIES {
            let message = format!("the registries have more than {MOST_ENTRIES} entries");
            return Err(Failed::new(Fate::Refused, message));
        }
        for entry in entries.iter().filter_map(entry) {
            let score = score(&wanted, &entry);
            let is_known = found.iter().any(|(known, _)| known.name == entry.name);
            if score > 0.0 && !is_known {
                found.push((entry, score));
            }
        }
    }
    found
        .sort_by(|(one, score), (other, than)| than.total_cmp(score).then_with(|| one.name.cmp(&other.name)));
    found.truncate(BEST);
    Ok(found)
}

fn of_file(path: &std::path::Path) -> Result<Vec<Json>, Failed> {
    let wrong = |why: String| Failed::new(Fate::Undone, format!("the registry `{}`: {why}", path.display()));
    let text = file::read_text(path, LARGEST).map_err(|error| wrong(error.to_string()))?;
    let json: Json =
        serde_json::from_str(&text).map_err(|error| wrong(format!("it is not JSON: {error}")))?;
    list(&json).ok_or_else(|| wrong(String::from("expected a list of servers, or an object with `servers`")))
}

/// The entries that a registry has for a capability, page by page.
fn of_url(url: &str, capability: &str, end: Instant) -> Result<Vec<Json>, Failed> {
    let told = |why: String| Failed::new(Fate::Undone, format!("the registry `{url}`: {why}"));
    let (mut entries, mut cursor) = (Vec::new(), None);
    for _ in 0..PAGES {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(told(String::from("it took too long")));
        }
        let join = if url.contains('?') { '&' } else { '?' };
        let next = cursor.map(|cursor: String| format!("&cursor={}", escaped(&cursor))).unwrap_or_default();
        let page = format!("{url}{join}limit={PAGE}&search={}{next}", escaped(capability));
        let request = Request { url: page, headers: Vec::new(), body: None, time_limit: left };
        let answer = request.send().map_err(|failed| told(failed.message))?;
        answer.check().map_err(|failed| told(failed.message))?;
        let text = answer.text.map_err(told)?;
        let json: Json =
            serde_json::from_str(&text).map_err(|error| told(format!("it is not JSON: {error}")))?;
        entries.extend(list(&json).ok_or_else(|| told(String::from("its answer has no `servers`")))?);
        let metadata = json.get("metadata");
        cursor = ["nextCursor", "next_cursor"]
            .into_iter()
            .find_map(|key| metadata?.get(key)?.as_str().filter(|cursor| !cursor.is_empty()))
            .map(str::to_owned);
        if cursor.is_none() || entries.len() > MOST_ENTRIES {
            break;
        }
    }
    Ok(entries)
}

fn list(json: &Json) -> Option<Vec<Json>> {
    json.as_array().or_else(|| json.get("servers")?.as_array()).cloned()
}

/// A text as a part of a URL (RFC 3986, unreserved characters).
fn escaped(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// What an entry says, where it says how its server is reached.
fn entry(json: &Json) -> Option<Entry> {
    // The interface of the registry puts the server beside what the registry knows of it.
    let server = json.get("server").unwrap_or(json);
    let text = |of: &Json, key: &str| of.get(key).and_then(Json::as_str).map(str::to_owned);
    let name = text(server, "name").filter(|name| is_name(name))?;
    let description = text(server, "description").unwrap_or_default();
    let first = |key: &str| server.get(key)?.as_array()?.first().cloned();
    let (transport, at, auth) = if let Some(url) = text(server, "url") {
        ("/http", url, names(server.get("headers")))
    } else if let Some(program) = text(server, "command") {
        ("/stdio", command(&program, server.get("args")), names(server.get("env")))
    } else if let Some(remote) = first("remotes") {
        ("/http", text(&remote, "url")?, names(remote.get("headers")))
    } else {
        let package = first("packages")?;
        ("/stdio", packaged(&package)?, names(package.get("environmentVariables")))
    };
    Some(Entry { name, description, transport, at, auth })
}

fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-/@".contains(letter);
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(fits)
}

fn command(program: &str, args: Option<&Json>) -> String {
    let args = args.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
    json!([program].into_iter().chain(args).collect::<Vec<_>>()).to_string()
}

/// How a package is started by the program that its registry has for that.
fn packaged(package: &Json) -> Option<String> {
    let text = |keys: [&str; 2]| keys.into_iter().find_map(|key| package.get(key)?.as_str());
    let name = text(["identifier", "name"])?;
    let version = package.get("version").and_then(Json::as_str);
    let words = match text(["registryType", "registry_type"])? {
        "npm" => {
            let package = version.map_or_else(|| name.to_owned(), |version| format!("{name}@{version}"));
            json!(["npx", "-y", package])
        }
        "pypi" => {
            let package = version.map_or_else(|| name.to_owned(), |version| format!("{name}=={version}"));
            json!(["uvx", package])
        }
        _ => return None,
    };
    Some(words.to_string())
}

/// The names of what a server needs: texts, objects with a name, or the keys of an object.
fn names(needs: Option<&Json>) -> Vec<String> {
    let name = |need: &Json| need.as_str().or_else(|| need.get("name")?.as_str()).map(str::to_owned);
    match needs {
        Some(Json::Array(needs)) => needs.iter().filter_map(name).collect(),
        Some(Json::Object(needs)) => needs.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

/// The share of the wanted words that an entry has, those in its name more.
fn score(wanted: &BTreeSet<String>, entry: &Entry) -> f64 {
    let (name, all) = (singular(&entry.name), singular(&format!("{} {}", entry.name, entry.description)));
    let share = |has: &BTreeSet<String>| wanted.intersection(has).count() as f64 / wanted.len().max(1) as f64;
    let score = (1.0 - IN_NAME) * share(&all) + IN_NAME * share(&name);
    (score * 1e4).round() / 1e4
}
