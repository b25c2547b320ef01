//! What the names of a file mean: modules and functions by the names that imports and variables give them.

use std::collections::{BTreeMap, BTreeSet};

/// How many meanings a name may have; what has more is any of them.
const MOST: usize = 64;

/// Names of one file.
pub(super) struct Names {
    /// What stands between the parts of a name.
    separator: &'static str,
    meanings: BTreeMap<String, BTreeSet<String>>,
}

impl Names {
    pub(super) fn new(separator: &'static str) -> Self {
        Self { separator, meanings: BTreeMap::new() }
    }

    /// Notes that `name` means `meaning`.
    pub(super) fn add(&mut self, name: &str, meaning: &str) {
        let meanings = self.meanings.entry(name.to_owned()).or_default();
        if name != meaning && meanings.len() < MOST {
            meanings.insert(meaning.to_owned());
        }
    }

    /// What a variable holds, where it is put together of known names.
    pub(super) fn hold(&mut self, variable: &str, value: &str) {
        let first = value.split(self.separator).next().unwrap_or(value);
        if value.contains(self.separator) || self.meanings.contains_key(first) {
            for meaning in self.meant(value) {
                self.add(variable, &meaning);
            }
        }
    }

    /// What a name, maybe of several parts, means; itself where nothing is known of it.
    pub(super) fn meant(&self, written: &str) -> Vec<String> {
        let (first, rest) =
            written.split_once(self.separator).map_or((written, None), |(first, rest)| (first, Some(rest)));
        let Some(meanings) = self.meanings.get(first).filter(|meanings| !meanings.is_empty()) else {
            return vec![written.to_owned()];
        };
        let whole = |meaning: &String| match rest {
            Some(rest) => format!("{meaning}{}{rest}", self.separator),
            None => meaning.clone(),
        };
        meanings.iter().map(whole).collect()
    }
}
