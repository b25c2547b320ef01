//! What a repository has, for imports to be found in: its files, and what its manifests call things.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::{paths, tsconfig};

/// The files and manifests of a repository.
#[derive(Default)]
pub(super) struct Index {
    /// The source files.
    pub(super) files: BTreeSet<String>,
    /// The source files directly in a folder.
    pub(super) folders: BTreeMap<String, Vec<String>>,
    /// Modules of Go: what they are called, and their folder.
    pub(super) go: Vec<(String, String)>,
    /// Crates of Rust: what they are called in paths, and the file they begin with.
    pub(super) crates: BTreeMap<String, String>,
    /// Folders with a `Cargo.toml`.
    pub(super) crate_folders: BTreeSet<String>,
    /// Packages of JavaScript: their name, their folder, and the files that they say they begin with.
    pub(super) packages: BTreeMap<String, Package>,
    /// What `tsconfig.json` and `jsconfig.json` say of paths, by their folder.
    pub(super) aliases: BTreeMap<String, tsconfig::Aliases>,
    /// Manifests that don't say what manifests say, in the order of their paths.
    pub(super) faulty: Vec<String>,
}

/// A package of JavaScript inside the root.
pub(super) struct Package {
    pub(super) folder: String,
    pub(super) mains: Vec<String>,
}

/// The manifests that are read, by name.
pub(super) fn is_manifest(path: &str) -> bool {
    let name = paths::name(path);
    matches!(name, "go.mod" | "Cargo.toml" | "package.json" | "jsconfig.json")
        || (name.starts_with("tsconfig") && name.ends_with(".json"))
}

impl Index {
    /// The index of source files and of manifests with their texts.
    pub(super) fn new<'a>(
        files: impl IntoIterator<Item = &'a str>,
        manifests: &BTreeMap<String, String>,
    ) -> Self {
        let mut index = Self::default();
        for file in files {
            index.files.insert(file.to_owned());
            index.folders.entry(paths::folder(file).to_owned()).or_default().push(file.to_owned());
        }
        for (path, text) in manifests {
            if index.take(path, text, manifests).is_none() {
                index.faulty.push(path.clone());
            }
        }
        // The longest name is asked first.
        index.go.sort_by(|a, b| (b.0.len(), &a.0, &a.1).cmp(&(a.0.len(), &b.0, &b.1)));
        index
    }

    /// The first of these that is a source file.
    pub(super) fn first(&self, candidates: impl IntoIterator<Item = String>) -> Option<String> {
        candidates.into_iter().find(|path| self.files.contains(path))
    }

    /// Takes in what a manifest says; `None` where it can't be understood.
    fn take(&mut self, path: &str, text: &str, manifests: &BTreeMap<String, String>) -> Option<()> {
        let folder = paths::folder(path);
        match paths::name(path) {
            "go.mod" => self.go_module(folder, text),
            "Cargo.toml" => self.rust_crate(folder, text),
            "package.json" => self.package(folder, text),
            "tsconfig.json" | "jsconfig.json" => {
                if let Some(aliases) = tsconfig::read(path, manifests) {
                    self.aliases.insert(folder.to_owned(), aliases);
                }
                tsconfig::config(text).map(drop)
            }
            // One that another extends.
            _ => tsconfig::config(text).map(drop),
        }
    }

    fn go_module(&mut self, folder: &str, text: &str) -> Option<()> {
        let module = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
        let module = module.split_once("//").map_or(module, |(module, _)| module).trim().trim_matches('"');
        self.go.push((module.to_owned(), folder.to_owned()));
        Some(())
    }

    fn rust_crate(&mut self, folder: &str, text: &str) -> Option<()> {
        self.crate_folders.insert(folder.to_owned());
        let manifest = text.parse::<toml::Table>().ok()?;
        let library = manifest.get("lib");
        let of = |table: Option<&toml::Value>, key| {
            table.and_then(|table| table.get(key)).and_then(toml::Value::as_str).map(str::to_owned)
        };
        let name = of(library, "name").or_else(|| of(manifest.get("package"), "name"));
        let begin = of(library, "path").unwrap_or_else(|| String::from("src/lib.rs"));
        if let (Some(name), Some(begin)) = (name, paths::join(folder, &begin)) {
            self.crates.insert(name.replace('-', "_"), begin);
        }
        Some(())
    }

    fn package(&mut self, folder: &str, text: &str) -> Option<()> {
        let manifest = serde_json::from_str::<Json>(text).ok()?;
        // A package that is not published needs no name; then nothing imports it by one.
        let Some(name) = manifest.get("name").and_then(Json::as_str) else { return Some(()) };
        let mains = ["source", "module", "main", "types"]
            .iter()
            .filter_map(|field| manifest.get(*field).and_then(Json::as_str).map(str::to_owned));
        let package = Package { folder: folder.to_owned(), mains: mains.collect() };
        self.packages.entry(name.to_owned()).or_insert(package);
        Some(())
    }
}
