//! What `tsconfig.json` says of paths: `baseUrl` and `paths`, through `extends`.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::paths;

/// How many files may extend one another.
const DEEPEST: usize = 16;

/// Where names lead that are not relative paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Aliases {
    /// The folder that names are looked up in.
    base: Option<String>,
    /// Patterns with at most one `*`, and what they mean, as seen from the root.
    patterns: Vec<(String, Vec<String>)>,
}

/// Reads a configuration and those that it extends.
pub(super) fn read(path: &str, manifests: &BTreeMap<String, String>) -> Option<Aliases> {
    let mut aliases = Aliases::default();
    let mut next = Some(path.to_owned());
    for _ in 0..DEEPEST {
        let Some(path) = next.take() else { break };
        let Some(config) = manifests.get(&path).and_then(|text| config(text)) else { break };
        aliases.add(paths::folder(&path), config.get("compilerOptions"));
        next = extended(&path, &config);
    }
    (aliases != Aliases::default()).then_some(aliases)
}

/// A configuration's content; `None` where it is not JSON, even with comments and trailing commas.
pub(super) fn config(text: &str) -> Option<Json> {
    serde_json::from_str(&plain_json(text)).ok()
}

/// The configuration inside the root that the one at `path` extends.
pub(super) fn extends(path: &str, text: &str) -> Option<String> {
    extended(path, &config(text)?)
}

fn extended(path: &str, config: &Json) -> Option<String> {
    let other = config.get("extends")?.as_str().filter(|other| other.starts_with('.'))?;
    let path = paths::join(paths::folder(path), other)?;
    Some(if path.ends_with(".json") { path } else { format!("{path}.json") })
}

impl Aliases {
    /// What was said first, nearer to the file, wins.
    fn add(&mut self, folder: &str, options: Option<&Json>) {
        let of = |key| options.and_then(|options| options.get(key));
        let base = of("baseUrl").and_then(Json::as_str).and_then(|base| paths::join(folder, base));
        if self.patterns.is_empty() {
            let from = base.clone().unwrap_or_else(|| folder.to_owned());
            for (pattern, targets) in of("paths").and_then(Json::as_object).into_iter().flatten() {
                let targets = targets.as_array().into_iter().flatten().filter_map(Json::as_str);
                let targets = targets.filter_map(|target| paths::join(&from, target)).collect();
                self.patterns.push((pattern.clone(), targets));
            }
            // The most of the name that a pattern fixes before its `*` decides.
            let fixed = |pattern: &str| pattern.split('*').next().map_or(0, str::len);
            self.patterns.sort_by_key(|(pattern, _)| std::cmp::Reverse(fixed(pattern)));
        }
        self.base = self.base.take().or(base);
    }

    /// The paths that a name may mean, the best first.
    pub(super) fn candidates(&self, name: &str) -> Vec<String> {
        for (pattern, targets) in &self.patterns {
            let rest = match pattern.split_once('*') {
                Some((before, after)) => name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)),
                None => (name == pattern).then_some(""),
            };
            if let Some(rest) = rest {
                return targets.iter().map(|target| target.replacen('*', rest, 1)).collect();
            }
        }
        self.base.iter().filter_map(|base| paths::join(base, name)).collect()
    }
}

/// JSON without the comments and trailing commas that these files may have.
fn plain_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let (mut inside, mut escaped) = (false, false);
    while let Some(letter) = letters.next() {
        if inside {
            out.push(letter);
            inside = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
            continue;
        }
        match (letter, letters.peek()) {
            ('/', Some('/')) => while letters.next_if(|next| *next != '\n').is_some() {},
            ('/', Some('*')) => {
                letters.next();
                let mut star = false;
                for next in letters.by_ref() {
                    if star && next == '/' {
                        break;
                    }
                    star = next == '*';
                }
            }
            ('}' | ']', _) => {
                let kept = out.trim_end();
                let kept = kept.strip_suffix(',').unwrap_or(kept).len();
                out.truncate(kept);
                out.push(letter);
            }
            _ => {
                inside = letter == '"';
                out.push(letter);
            }
        }
    }
    out
}
