//! `codebase`: a repository's source files, what they say, and which imports which.

mod folders;
mod go;
mod index;
mod language;
mod one;
mod parse;
mod paths;
mod python;
mod rust;
mod script;
mod tsconfig;
mod walk;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::error::ActuatorError;
use super::facts::assert;
use super::input::{Form, Input, STANDARD_INPUT};
use super::tree::{self, Left};
use super::{ObservationScope, Observer, ProgressSink, Sink, Summary};
use hence_core::fact::Fact;
use hence_core::fault;
use hence_core::meter;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use tracing::debug;

pub(crate) use rust::used as rust_uses;

use index::Index;
use language::Language;
use parse::{Import, Parsed, Wanted};
use walk::{Found, GONE};

/// The name of the observer.
pub const NAME: &str = "codebase";

const DECLARATIONS: &str = "\
input file(path: string, language: name, lines: int).
input import_text(path: string, target: string).
input imports(path: string, other: string).
input class(path: string, name: string).
input function(path: string, name: string).
input doc(path: string, text: string).
input purpose(path: string, text: string).
input integration_point(path: string, call: string).
input directory_doc(path: string, text: string).
";

/// Turns a repository into `file`, `import_text`, `imports`, `class`, `function`, `doc`, `purpose`, `integration_point` and
/// `directory_doc`; one file of it, which is seen as part of its repository, into all but the last.
///
/// Python, JavaScript, TypeScript, Rust and Go are read, by the endings of files. Paths are relative to the root, with
/// `/`; a byte of a name that is not UTF-8 reads as `\xNN`. `import_text` is every import as it is written (a `use` of
/// Rust path by path, `mod x;` as `x`, `from . import x` as `.`); `imports` those that lead to a file inside the root:
/// relative ones, packages and their `__init__.py`, `index` files, aliases of `tsconfig.json`, packages of the
/// workspace, `mod.rs` and paths of crates, packages of Go modules (all their files but tests). `class` also says the
/// structs, enums and traits of Rust and the structs and interfaces of Go. `doc` is the text by which a file speaks of
/// itself, its first 2,000 characters, and `purpose` the first sentence of that. `integration_point` is each call of what
/// a file imports from inside the root. `directory_doc` is what a folder says of itself: the first paragraph of its
/// `README.md`, else the purpose of its `__init__.py`, `mod.rs`, `lib.rs`, `doc.go` or `index` file.
///
/// The root of one file is the nearest folder above it with a `.git`, else with a `Cargo.toml`, `go.mod`, `package.json`
/// or `pyproject.toml`, else its own folder.
///
/// Only reads, and only below the root: no link is followed, and nothing is opened that git ignores, that is called
/// `.env…` or like a key. Text that doesn't parse yields what can be recognised in it. Of a file that has more than
/// 2 MiB, that is not text, or that takes longer than 2 seconds to parse, nothing is reported but that it was left out; the
/// same goes for manifests that can't be understood.
///
/// Asked again, it parses only what reads otherwise than before.
#[derive(Default)]
pub(crate) struct Codebase {
    /// What each file said that was read before, with the hash of its content.
    known: Mutex<BTreeMap<String, Said>>,
}

/// The hash of a file's content and what it says.
type Said = (blake3::Hash, Arc<Parsed>);

/// A file with the hash of its content and what it says.
type Read<'a> = (&'a Found, Language, blake3::Hash, Arc<Parsed>);

impl Observer for Codebase {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "source code in a folder: its files, their definitions and their imports"
    }

    fn declarations(&self) -> &'static str {
        DECLARATIONS
    }

    fn scope(&self, of_folder: bool) -> ObservationScope {
        if of_folder { ObservationScope::Whole } else { ObservationScope::Subject }
    }

    fn forms(&self) -> &'static [Form] {
        &[]
    }

    fn observe(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        let name = input.name();
        if name == STANDARD_INPUT {
            return Err(ActuatorError::NoFolder { observer: NAME, input: name.to_owned() });
        }
        let mut summary = Summary::default();
        assert(one::facts(Path::new(name), &mut summary)?, &mut summary, sink)?;
        Ok(summary)
    }

    fn observe_folder(
        &self,
        root: &Path,
        progress: &ProgressSink<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<Summary, ActuatorError> {
        let unreadable = |source| ActuatorError::Read { input: root.display().to_string(), source };
        let root = root.canonicalize().map_err(unreadable)?;
        let mut summary = Summary::default();
        let files = walk::walk(&root, &mut summary)?;
        let manifests = manifests(&files, &mut summary)?;
        let read = self.read_all(&files, progress, &mut summary)?;
        let index = Index::new(read.iter().map(|(found, ..)| found.path.as_str()), &manifests);
        index.faulty.iter().for_each(|path| summary.leave_out("not a manifest despite its name", path));
        for (found, language, _, parsed) in &read {
            summary.records += 1;
            meter::check("reading source code")?;
            for fact in facts(&index, &found.path, *language, parsed) {
                summary.facts += 1;
                sink(fact)?;
            }
        }
        for fact in folders::facts(&files, &read, &mut summary)? {
            summary.facts += 1;
            sink(fact)?;
        }
        Ok(summary)
    }

    fn watched(&self, root: &Path) -> Result<Vec<PathBuf>, ActuatorError> {
        folders(root)
    }
}

/// The folders below `root` that an observation looks into, `root` among them.
///
/// # Errors
/// A folder that can't be read, and a limit.
pub fn folders(root: &Path) -> Result<Vec<PathBuf>, ActuatorError> {
    let unreadable = |source| ActuatorError::Read { input: root.display().to_string(), source };
    walk::folders(&root.canonicalize().map_err(unreadable)?)
}

/// The texts of the files that say how things are called, and of those that they extend.
fn manifests(files: &[Found], summary: &mut Summary) -> Result<BTreeMap<String, String>, ActuatorError> {
    let mut manifests = BTreeMap::new();
    let mut open: Vec<&Found> = files.iter().filter(|found| index::is_manifest(&found.path)).collect();
    while let Some(found) = open.pop() {
        let text = match content(found)? {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(why) => {
                summary.leave_out(why, &found.path);
                continue;
            }
        };
        if let Some(other) = tsconfig::extends(&found.path, &text)
            && !manifests.contains_key(&other)
            && let Ok(at) = files.binary_search_by(|found| found.path.cmp(&other))
        {
            open.extend(files.get(at).filter(|other| other.path != found.path));
        }
        manifests.insert(found.path.clone(), text);
    }
    Ok(manifests)
}

/// A file's bytes, or why it is left out.
fn content(found: &Found) -> Result<Result<Vec<u8>, &'static str>, ActuatorError> {
    tree::read(&found.location).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(Err(GONE)),
        io::ErrorKind::Unsupported | io::ErrorKind::IsADirectory => Ok(Err("not a regular file")),
        _ => Err(ActuatorError::Read { input: found.path.clone(), source: error }),
    })
}

/// What a file says, or why it is left out.
fn read(found: &Found, language: Language) -> Result<Result<Parsed, &'static str>, ActuatorError> {
    match content(found)? {
        Ok(source) => parsed(found, language, &source),
        Err(why) => Ok(Err(why)),
    }
}

/// What a file with this content says, or why it is left out.
fn parsed(
    found: &Found,
    language: Language,
    source: &[u8],
) -> Result<Result<Parsed, &'static str>, ActuatorError> {
    match parse::parse(&found.path, language, source) {
        Ok(parsed) => Ok(Ok(parsed)),
        // Only a language that a file is not in has a reason of its own, and files are told by their endings here.
        Err(Left::File(why)) => Ok(Err(match why {
            Cow::Borrowed(why) => why,
            Cow::Owned(_) => "of another language than its name says",
        })),
        Err(Left::Stopped(stopped)) => Err(stopped.into()),
    }
}

impl Codebase {
    /// Reads all source files on all processors, and returns them by path.
    fn read_all<'a>(
        &self,
        files: &'a [Found],
        progress: &ProgressSink<'_>,
        summary: &mut Summary,
    ) -> Result<Vec<Read<'a>>, ActuatorError> {
        let wanted: Vec<(&Found, Language)> =
            files.iter().filter_map(|found| Some((found, Language::of(&found.path)?))).collect();
        let known = std::mem::take(&mut *self.known.lock().unwrap_or_else(PoisonError::into_inner));
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let worker = || {
            let mut all = Vec::new();
            while let Some((found, language)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                all.push((*found, *language, read_again(&known, found, *language)?));
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, wanted.len());
            }
            Ok(all)
        };
        let workers = thread::available_parallelism().map_or(1, std::num::NonZero::get).min(8);
        let all: Result<Vec<Vec<_>>, ActuatorError> = thread::scope(|scope| {
            // Where there can be no more threads, fewer do it.
            let spawn = |_| thread::Builder::new().spawn_scoped(scope, worker).ok();
            let running: Vec<_> = (1..workers).map_while(spawn).collect();
            let own = worker();
            std::iter::once(own)
                .chain(running.into_iter().map(|running| fault::joined(running.join())))
                .collect()
        });
        let mut all: Vec<_> = all?.into_iter().flatten().collect();
        all.sort_by(|a, b| a.0.path.cmp(&b.0.path));
        let mut files = Vec::with_capacity(all.len());
        for (found, language, read) in all {
            match read {
                Ok((hash, parsed)) => files.push((found, language, hash, parsed)),
                Err(why) => summary.leave_out(why, &found.path),
            }
        }
        let seen =
            files.iter().map(|(found, _, hash, parsed)| (found.path.clone(), (*hash, Arc::clone(parsed))));
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = seen.collect();
        Ok(files)
    }
}

/// What a file says, which is what it said before where its content is the same, or why it is left out.
fn read_again(
    known: &BTreeMap<String, Said>,
    found: &Found,
    language: Language,
) -> Result<Result<Said, &'static str>, ActuatorError> {
    let source = match content(found)? {
        Ok(source) => source,
        Err(why) => return Ok(Err(why)),
    };
    let hash = blake3::hash(&source);
    if let Some((old, parsed)) = known.get(&found.path)
        && *old == hash
    {
        return Ok(Ok((hash, Arc::clone(parsed))));
    }
    debug!(path = found.path, "parsing");
    Ok(parsed(found, language, &source)?.map(|parsed| (hash, Arc::new(parsed))))
}

/// The facts of one file, each once: the file, its imports, what it defines, what it says of itself.
fn facts(index: &Index, path: &str, language: Language, parsed: &Parsed) -> Vec<Fact> {
    let text = |text: &str| Value::String(Symbol::new(text));
    let own = text(path);
    let pairs = |relation: &'static str, all: BTreeSet<String>| {
        all.into_iter().map(move |other| Fact::new(relation, [own, Value::String(Symbol::new(&other))]))
    };
    let language = Value::Name(Symbol::new(language.name()));
    let mut facts = vec![Fact::new("file", [own, language, Value::Int(parsed.lines)])];
    let imports = &parsed.imports;
    facts.extend(pairs("import_text", imports.iter().map(|import| import.text.clone()).collect()));
    let found = imports.iter().flat_map(|import| resolve(index, path, &import.wanted));
    facts.extend(pairs("imports", found.collect()));
    facts.extend(pairs("class", parsed.classes.iter().cloned().collect()));
    facts.extend(pairs("function", parsed.functions.iter().cloned().collect()));
    facts.extend(parsed.doc.iter().map(|doc| Fact::new("doc", [own, text(doc)])));
    facts.extend(parsed.purpose().map(|purpose| Fact::new("purpose", [own, text(&purpose)])));
    let inside = |import: &&Import| !resolve(index, path, &import.wanted).is_empty();
    let near: Vec<&Import> = imports.iter().filter(inside).collect();
    let points = parsed.calls.iter().filter(|call| near.iter().any(|import| import.is_called(call)));
    facts.extend(points.map(|call| Fact::new("integration_point", [own, text(call)])));
    facts
}

/// The files inside the root that an import of `path` leads to.
fn resolve(index: &Index, path: &str, wanted: &Wanted) -> Vec<String> {
    match wanted {
        Wanted::Python { dots, module, names } => python::resolve(index, path, *dots, module, names),
        Wanted::Script(specifier) => script::resolve(index, path, specifier).into_iter().collect(),
        Wanted::Rust { path: parts, inline } => {
            rust::resolve(index, path, parts, *inline).into_iter().collect()
        }
        Wanted::RustModule { name, inline, file } => {
            rust::resolve_module(index, path, name, inline, file.as_deref()).into_iter().collect()
        }
        Wanted::Go(package) => go::resolve(index, package),
    }
}
