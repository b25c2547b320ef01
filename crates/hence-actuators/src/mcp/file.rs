//! The file of servers that are connected, in the form that clients of MCP read: written whole, other entries left alone.

use std::io;
use std::path::Path;

use serde_json::{Map, Value as Json, json};

use hence_core::file::{self, LARGEST_TEXT};
use hence_core::whole_file;

use super::super::carry::{Failed, Fate};
use super::{Server, words};

/// The key of servers.
const SERVERS: &str = "mcpServers";

/// Puts a server into the file; one that is there otherwise stays.
pub(super) fn put(path: &Path, server: &Server) -> Result<(), Failed> {
    let told = |fate: Fate, why: String| Failed::new(fate, format!("`{}`: {why}", path.display()));
    let mut all: Map<String, Json> = match file::read_text(path, LARGEST_TEXT) {
        Ok(text) => serde_json::from_str(&text)
            .map_err(|error| told(Fate::Refused, format!("expected an object of JSON: {error}")))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Map::new(),
        Err(error) => return Err(told(Fate::Undone, error.to_string())),
    };
    let servers = all.entry(SERVERS).or_insert_with(|| json!({})).as_object_mut();
    let servers = servers.ok_or_else(|| told(Fate::Refused, format!("`{SERVERS}` is no object")))?;
    let entry = entry(server)?;
    match servers.get(&server.name) {
        Some(known) if *known == entry => return Ok(()),
        Some(_) => {
            return Err(told(Fate::Refused, format!("`{}` is there, and is another server", server.name)));
        }
        None => servers.insert(server.name.clone(), entry),
    };
    let text = format!("{:#}\n", Json::Object(all));
    whole_file::write(path, text.as_bytes()).map_err(|error| told(Fate::Undone, error.to_string()))
}

fn entry(server: &Server) -> Result<Json, Failed> {
    if server.transport == "/http" {
        return Ok(json!({ "type": "http", "url": server.at }));
    }
    let words = words(&server.at)?;
    let (program, args) = words
        .split_first()
        .ok_or_else(|| Failed::new(Fate::Refused, format!("`{}` names no program", server.name)))?;
    Ok(json!({ "type": "stdio", "command": program, "args": args }))
}
