//! What a command goes through more than once: its functions, and loops over words.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tree_sitter::Node;

use super::glob;
use super::parse::text;
use super::walk::{Stdin, Walk};
use super::word::Word;

/// How often the body of a loop over known words is gone through.
const MOST_ROUNDS: usize = 16;

/// A function of the command's own.
#[derive(Default)]
pub(super) struct Function {
    /// What it may do: it may be made more than once.
    bodies: Vec<String>,
    /// The folders in which that was gone through.
    folders: BTreeSet<PathBuf>,
}

impl Walk {
    /// A function: its body is gone through where it is made, and again where it is called from another folder.
    pub(super) fn function(&mut self, node: Node<'_>, source: &str) -> Option<String> {
        if let (Some(name), Some(body)) = (node.child_by_field_name("name"), node.child_by_field_name("body"))
        {
            let whole = source.get(body.start_byte()..node.end_byte()).unwrap_or_default();
            let function = self.functions.entry(text(name, source).to_owned()).or_default();
            function.bodies.push(whole.to_owned());
            function.folders.clone_from(&self.folders);
        }
        self.forget(node, source);
        self.each(node, source, &Stdin::Piped);
        self.forget(node, source)
    }

    /// Whether the command has made a function of that name.
    pub(super) fn is_function(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    /// Takes in a call of a function; whether it is one.
    pub(super) fn call(&mut self, name: &str) -> bool {
        let Some(function) = self.functions.get_mut(name) else { return false };
        if !self.folders.is_subset(&function.folders) {
            function.folders.extend(self.folders.iter().cloned());
            let bodies = function.bodies.clone();
            let before = self.variables.clone();
            bodies.iter().for_each(|body| self.read(body));
            // Which of the bodies it is isn't known.
            for (name, value) in &mut self.variables {
                if before.get(name) != Some(value) {
                    *value = None;
                }
            }
        }
        true
    }

    /// The words that a pattern becomes, from the folder that the command happens in; itself where there are none, or too many.
    fn files_of(&self, word: Word) -> Vec<Word> {
        let Some(folder) = self.folder().filter(|_| word.is_pattern) else { return vec![word] };
        let found = word.as_known().and_then(|pattern| glob::files(Path::new(&folder), pattern));
        let name = |path: &PathBuf| path.strip_prefix(&folder).unwrap_or(path).to_string_lossy().into_owned();
        match found.filter(|found| !found.is_empty()) {
            Some(found) => found.iter().map(|path| Word::known(name(path))).collect(),
            None => vec![word],
        }
    }

    /// A loop over words: its body once for each, where they are known and few.
    pub(super) fn over_words(&mut self, node: Node<'_>, source: &str, stdin: &Stdin) -> Option<String> {
        let variable = node.child_by_field_name("variable").map(|node| text(node, source).to_owned());
        let body = node.child_by_field_name("body");
        let values: Vec<Node<'_>> = node.children_by_field_name("value", &mut node.walk()).collect();
        let mut words = Vec::new();
        let mut is_foreign = false;
        for value in &values {
            let found = self.words(*value, source);
            words.extend(found.into_iter().flat_map(|word| self.files_of(word)));
            is_foreign |= self.is_foreign(*value, source);
        }
        words.iter().for_each(|word| self.evaluated(&word.text));
        self.forget(node, source);
        let (Some(variable), Some(body)) = (variable, body) else { return None };
        let few =
            words.len() <= MOST_ROUNDS && !words.is_empty() && words.iter().all(|word| !word.is_pattern);
        let rounds: Vec<Option<String>> = match few {
            true => words.iter().map(|word| word.as_known().map(str::to_owned)).collect(),
            false => vec![None],
        };
        if is_foreign {
            self.foreign.insert(variable.clone());
        }
        for value in rounds {
            self.variables.insert(variable.clone(), value);
            self.each(body, source, stdin);
        }
        self.variables.insert(variable, None);
        self.forget(node, source)
    }
}
