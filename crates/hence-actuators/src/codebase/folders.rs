//! What the folders of a repository say of themselves.

use std::collections::BTreeMap;

use super::parse::first_sentence;
use super::walk::Found;
use super::{Read, content, paths};
use crate::Summary;
use crate::error::ActuatorError;
use crate::facts::string;
use hence_core::fact::Fact;

/// The files that speak for their folder, the surest first.
const SPEAKERS: [&str; 10] = [
    "__init__.py",
    "lib.rs",
    "mod.rs",
    "doc.go",
    "index.ts",
    "index.tsx",
    "index.js",
    "index.jsx",
    "main.go",
    "main.rs",
];

/// How many paragraphs of a `README.md` are looked at.
const MOST_PARTS: usize = 200;

/// What each folder says of itself, by path; the root is `.`.
pub(super) fn facts(
    files: &[Found],
    read: &[Read<'_>],
    summary: &mut Summary,
) -> Result<Vec<Fact>, ActuatorError> {
    let mut docs = BTreeMap::new();
    for found in files.iter().filter(|found| paths::name(&found.path).eq_ignore_ascii_case("readme.md")) {
        match content(found)? {
            Ok(bytes) => {
                let doc = paragraph(&String::from_utf8_lossy(&bytes));
                docs.extend(doc.map(|doc| (paths::folder(&found.path).to_owned(), doc)));
            }
            Err(why) => summary.leave_out(why, &found.path),
        }
    }
    for speaker in SPEAKERS {
        for (found, _, _, parsed) in read.iter().filter(|(found, ..)| paths::name(&found.path) == speaker) {
            if let Some(doc) = parsed.purpose() {
                docs.entry(paths::folder(&found.path).to_owned()).or_insert(doc);
            }
        }
    }
    let root = |folder: String| if folder.is_empty() { String::from(".") } else { folder };
    let facts = docs
        .into_iter()
        .map(|(folder, doc)| Fact::new("directory_doc", [string(&root(folder)), string(&doc)]));
    Ok(facts.collect())
}

/// The first sentence of the first paragraph that is text: no heading, picture or markup.
fn paragraph(text: &str) -> Option<String> {
    let is_text = |part: &&str| {
        !part.is_empty() && !part.starts_with(['#', '<', '!', '`', '|', '-', '=']) && !part.starts_with("[!")
    };
    let parts = text.split("\n\n").map(|part| {
        let part = part.trim();
        // A heading may have its text right below it.
        part.split_once('\n')
            .filter(|(first, _)| first.starts_with('#'))
            .map_or(part, |(_, rest)| rest.trim())
    });
    let found = parts.take(MOST_PARTS).find(is_text)?;
    first_sentence(found)
}
