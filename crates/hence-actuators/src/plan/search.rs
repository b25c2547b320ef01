//! What a chain looks for in the folder: files as git sees them, bounded in number, size and time.

use std::collections::BTreeMap;
use std::time::Instant;

use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;
use regex::RegexBuilder;

use super::Place;
use super::place::STATE;

/// How many files are looked at, how many lines are given, and how many entries a folder may have.
const MOST_FILES: usize = 20_000;
const MOST_FOUND: usize = 500;
const MOST_ENTRIES: usize = 10_000;
/// How large a pattern may become, in bytes.
const LARGEST_PATTERN: usize = 1 << 20;

impl Place<'_> {
    pub(super) fn list(&self, path: &str) -> Result<BTreeMap<&'static str, String>, String> {
        let entries = self.root.list(path, MOST_ENTRIES).map_err(|error| error.to_string())?;
        let count = entries.len().to_string();
        let name = |(name, is_folder): (String, bool)| if is_folder { format!("{name}/") } else { name };
        let entries: Vec<String> = entries.into_iter().map(name).collect();
        Ok(BTreeMap::from([("count", count), ("entries", entries.join("\n"))]))
    }

    /// The lines that a pattern matches, as `path:line:text`.
    pub(super) fn search(
        &self,
        pattern: &str,
        glob: Option<&str>,
    ) -> Result<BTreeMap<&'static str, String>, String> {
        let regex = RegexBuilder::new(pattern).size_limit(LARGEST_PATTERN).build();
        let regex = regex.map_err(|error| format!("`{pattern}` is no pattern: {error}"))?;
        let (mut found, mut files) = (Vec::new(), Vec::new());
        for path in self.files(glob)? {
            if self.end.is_some_and(|end| Instant::now() >= end) {
                return Err(String::from("the search took too long"));
            }
            // What is too large, a link or gone meanwhile is passed over.
            let Ok(Some(content)) = self.root.read(&path) else { continue };
            let Ok(text) = String::from_utf8(content.bytes) else { continue };
            let lines = (1..).zip(text.lines()).filter(|(_, line)| regex.is_match(line));
            let before = found.len();
            found.extend(
                lines.map(|(number, line)| format!("{path}:{number}:{line}")).take(MOST_FOUND - before),
            );
            if found.len() > before {
                files.push(path);
            }
            if found.len() >= MOST_FOUND {
                break;
            }
        }
        Ok(BTreeMap::from([
            ("count", found.len().to_string()),
            ("path", files.first().cloned().unwrap_or_default()),
            ("files", files.join("\n")),
            ("matches", found.join("\n")),
        ]))
    }

    fn files(&self, glob: Option<&str>) -> Result<Vec<String>, String> {
        let root = &self.root.path;
        let mut wanted = OverrideBuilder::new(root);
        if let Some(glob) = glob {
            wanted.add(glob).map_err(|error| format!("`{glob}` is no glob: {error}"))?;
        }
        let wanted = wanted.build().map_err(|error| error.to_string())?;
        let walk = WalkBuilder::new(root)
            .overrides(wanted)
            .parents(false)
            .git_global(false)
            .require_git(false)
            .follow_links(false)
            .filter_entry(|entry| entry.file_name() != STATE)
            .build();
        let mut files = Vec::new();
        for entry in walk.flatten() {
            let path = entry.path().strip_prefix(root).ok().and_then(|path| path.to_str());
            if let Some(path) = path.filter(|_| entry.file_type().is_some_and(|kind| kind.is_file())) {
                files.push(path.to_owned());
            }
            if files.len() > MOST_FILES {
                return Err(format!("the folder has more than {MOST_FILES} files"));
            }
        }
        files.sort();
        Ok(files)
    }
}
