//! `source`: what the Go source of a generated tool imports, calls and logs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use tree_sitter::{Node, Tree};

use super::error::ActuatorError;
use super::error_text::id;
use super::input::{Form, Input, pauses};
use super::json;
use super::objects::JsonObjects;
use super::tree::{self, Left, Looking};
use super::{Observer, Progress, Scope, Sink, Summary};
use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

/// The name of the observer.
pub const NAME: &str = "source";

const DECLARATIONS: &str = "\
input source_import(tool: string, import: string).
input source_call(tool: string, call: string).
input source_log(tool: string, tag: name).
";

/// The tags that a tool's log lines carry, and their names.
const TAGS: [(&str, &str); 6] = [
    ("[TOOL_ENTRY]", "/entry"),
    ("[TOOL_EXIT]", "/exit"),
    ("[TOOL_ERROR]", "/error"),
    ("[TOOL_TIMING]", "/timing"),
    ("[TOOL_API_CALL]", "/api_call"),
    ("[TOOL_ITERATION]", "/iteration"),
];

/// How functions that log are called: the beginnings of their names, letter case ignored.
const LOGGING: [&str; 10] =
    ["print", "fprint", "log", "debug", "info", "warn", "error", "fatal", "panic", "trace"];

/// Turns Go source into `source_import`, `source_call` and `source_log`.
///
/// A call is reported as it is written (`client.Do`), but by the package's own name where the package is imported under
/// another one or a dot (`import o "os"`, then `o.Remove`, is `os.Remove`), and by what a name means where a
/// function of a package is put into a variable that is called. A tag counts in a string handed to a function that
/// logs by its name. What is in a comment or in another string is neither a call nor a tag. Text that doesn't parse
/// yields what can be recognised in it.
///
/// A file is the source of one tool, called like the file; a folder too, all of its `.go` files but the tests. As JSON
/// Lines: `text`, and where it is known `tool`.
pub struct SourceCode;

/// What one tool's source shows.
#[derive(Default)]
struct Shown {
    imports: BTreeSet<String>,
    calls: BTreeSet<String>,
    tags: BTreeSet<&'static str>,
}

impl SourceCode {
    /// The facts of a tool's source: imports, then calls, then log tags, each in order.
    ///
    /// # Errors
    /// A source that takes too long, a limit.
    pub fn facts(tool: &str, source: &[u8]) -> Result<Vec<Fact>, ActuatorError> {
        let mut shown = Shown::default();
        shown.look(source).map_err(|left| left.of(tool))?;
        Ok(shown.facts(tool))
    }

    fn assert(facts: Vec<Fact>, summary: &mut Summary, sink: &mut Sink<'_>) -> Result<(), ActuatorError> {
        summary.records += 1;
        for fact in facts {
            summary.facts += 1;
            sink(fact)?;
        }
        Ok(())
    }
}

impl Observer for SourceCode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "the Go source of a generated tool: what it imports, calls and logs"
    }

    fn declarations(&self) -> &'static str {
        DECLARATIONS
    }

    fn scope(&self) -> Scope {
        Scope::Subject
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Text, Form::Json]
    }

    fn observe(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        let mut summary = Summary::default();
        if input.form(NAME, self.forms())? == Form::Json {
            let mut lines = JsonObjects::new(input);
            while let Some(mut object) = lines.next()? {
                let given = object.optional("tool", "the name of a tool: a string", json::id)?;
                let text = object.required("text", "Go source: a string", json::text)?;
                let place = object.place;
                let tool = given
                    .unwrap_or_else(|| id(place.input, Some(place.line), "source", &hash(text.as_bytes())));
                Self::assert(Self::facts(&tool, text.as_bytes())?, &mut summary, sink)?;
                object.leave(&mut summary);
            }
            return Ok(summary);
        }
        let name = input.name();
        let mut source = Vec::new();
        let mut reader = input.into_reader().take(tree::LARGEST + 1);
        while let Err(source) = reader.read_to_end(&mut source) {
            if !pauses(&source) {
                return Err(ActuatorError::Read { input: name.to_owned(), source });
            }
        }
        fit(&source).map_err(|why| Left::File(why).of(name))?;
        let stem = Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let tool = id(&stem.unwrap_or_else(|| name.to_owned()), None, "source", &hash(&source));
        let mut shown = Shown::default();
        shown.look(&source).map_err(|left| left.of(name))?;
        Self::assert(shown.facts(&tool), &mut summary, sink)?;
        Ok(summary)
    }

    fn observe_folder(
        &self,
        root: &Path,
        _: &Progress<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<Summary, ActuatorError> {
        let fault = |source| ActuatorError::Read { input: root.display().to_string(), source };
        let mut shown = Shown::default();
        for entry in fs::read_dir(root).map_err(fault)? {
            let entry = entry.map_err(fault)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().map_err(fault)?;
            if kind.is_dir() || !name.ends_with(".go") || name.ends_with("_test.go") {
                continue;
            }
            let name = entry.path().display().to_string();
            if !kind.is_file() {
                // What it leads to is a part of the tool for its compiler.
                let why =
                    if kind.is_symlink() { "a link, which is not followed" } else { "not a regular file" };
                return Err(Left::File(why).of(&name));
            }
            let source = tree::read(&entry.path());
            let source = source.map_err(|source| ActuatorError::Read { input: name.clone(), source })?;
            let source = source.map_err(|why| Left::File(why).of(&name))?;
            shown.look(&source).map_err(|left| left.of(&name))?;
        }
        let tool = root.canonicalize().map_err(fault)?;
        let unnamed =
            || fault(io::Error::other("a tool is named for its folder, and this folder has no name"));
        let tool = tool.file_name().ok_or_else(unnamed)?.to_string_lossy().into_owned();
        let mut summary = Summary::default();
        Self::assert(shown.facts(&tool), &mut summary, sink)?;
        Ok(summary)
    }
}

/// Whether bytes may be source code; otherwise why not.
fn fit(source: &[u8]) -> Result<(), &'static str> {
    if source.len() as u64 > tree::LARGEST {
        return Err(tree::TOO_LARGE);
    }
    if tree::is_text(source) { Ok(()) } else { Err(tree::NO_TEXT) }
}

fn hash(source: &[u8]) -> String {
    blake3::hash(source).to_hex().chars().take(16).collect()
}

/// What names mean in one file.
#[derive(Default)]
struct Names {
    /// Packages by the name that they have in this file.
    packages: BTreeMap<String, String>,
    /// Packages whose names need no package before them.
    dotted: Vec<String>,
    /// Functions of packages by the variables that hold them.
    held: BTreeMap<String, BTreeSet<String>>,
    /// Functions that the file declares itself.
    own: BTreeSet<String>,
}

impl Shown {
    fn facts(self, tool: &str) -> Vec<Fact> {
        let text = |text: &str| Value::String(Symbol::new(text));
        let tool = text(tool);
        let imports = self.imports.iter().map(|import| Fact::new("source_import", [tool, text(import)]));
        let calls = self.calls.iter().map(|call| Fact::new("source_call", [tool, text(call)]));
        let tags = self.tags.iter().map(|tag| Fact::new("source_log", [tool, Value::Name(Symbol::new(tag))]));
        imports.chain(calls).chain(tags).collect()
    }

    /// Takes in one file.
    fn look(&mut self, source: &[u8]) -> Result<(), Left> {
        let mut looking = Looking::begin();
        let tree = looking.parse(&tree_sitter_go::LANGUAGE.into(), source)?;
        let names = Names::of(&mut looking, &tree, source)?;
        looking.visit(&tree, &mut |node, _| match node.kind() {
            "import_spec" => self.imports.extend(import(node, source)),
            "call_expression" => self.call(node, source, &names),
            // `[]T(x)` and the like; of a package's type it reads like a call.
            "type_conversion_expression" => {
                let of = node.child_by_field_name("type").filter(|of| of.kind() == "qualified_type");
                self.calls.extend(of.map(|of| names.selected(&tree::text(of, source))));
            }
            _ => {}
        })
    }

    fn call(&mut self, node: Node<'_>, source: &[u8], names: &Names) {
        let Some(function) = node.child_by_field_name("function").map(bare) else { return };
        let written: String =
            tree::text(function, source).chars().filter(|letter| !letter.is_whitespace()).collect();
        match function.kind() {
            "selector_expression" => {
                self.calls.insert(names.selected(&written));
            }
            "identifier" => {
                // Only names that begin with an upper-case letter leave their package.
                let exported = written.starts_with(char::is_uppercase) && !names.own.contains(&written);
                let dotted = names.dotted.iter().filter(|_| exported);
                self.calls.extend(dotted.map(|package| format!("{package}.{written}")));
                self.calls.extend(names.held.get(&written).into_iter().flatten().cloned());
                self.calls.insert(written.clone());
            }
            _ => {}
        }
        let last = written.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        if LOGGING.iter().any(|begin| last.starts_with(begin))
            && let Some(arguments) = node.child_by_field_name("arguments")
        {
            for string in tree::children(arguments).into_iter().flat_map(strings) {
                let text = tree::text(string, source);
                self.tags.extend(TAGS.iter().filter(|(tag, _)| text.contains(tag)).map(|(_, name)| *name));
            }
        }
    }
}

impl Names {
    fn of(looking: &mut Looking, tree: &Tree, source: &[u8]) -> Result<Self, Left> {
        let mut names = Self::default();
        looking.visit(tree, &mut |node, _| match node.kind() {
            "import_spec" => {
                let Some(path) = import(node, source) else { return };
                let package = path.rsplit('/').next().unwrap_or(&path).to_owned();
                match tree::field(node, "name", source).as_deref() {
                    Some(".") => names.dotted.push(package),
                    Some(alias) => drop(names.packages.insert(alias.to_owned(), package)),
                    None => drop(names.packages.insert(package.clone(), package)),
                }
            }
            "function_declaration" => names.own.extend(tree::field(node, "name", source)),
            _ => {}
        })?;
        looking.visit(tree, &mut |node, _| match node.kind() {
            "short_var_declaration" | "assignment_statement" => {
                names.hold(node.child_by_field_name("left"), node.child_by_field_name("right"), source);
            }
            "var_spec" => {
                let name = node.child_by_field_name("name");
                names.hold(name, node.child_by_field_name("value"), source);
            }
            _ => {}
        })?;
        Ok(names)
    }

    /// Notes which variables on the left hold functions of packages on the right.
    fn hold(&mut self, left: Option<Node<'_>>, right: Option<Node<'_>>, source: &[u8]) {
        let (Some(left), Some(right)) = (left, right) else { return };
        let single = left.kind() == "identifier";
        let left: Vec<Node<'_>> = if single { vec![left] } else { tree::children(left) };
        for (variable, value) in left.into_iter().zip(tree::children(right)) {
            let value = bare(value);
            if value.kind() == "selector_expression" && variable.kind() == "identifier" {
                let selected = self.selected(&tree::text(value, source));
                self.held.entry(tree::text(variable, source)).or_default().insert(selected);
            }
        }
    }

    /// `x.f` by the own name of the package that `x` is here, if it is one.
    fn selected(&self, written: &str) -> String {
        let package =
            written.split_once('.').and_then(|(first, rest)| Some((self.packages.get(first)?, rest)));
        package.map_or_else(|| written.to_owned(), |(package, rest)| format!("{package}.{rest}"))
    }
}

/// The path of an import.
fn import(node: Node<'_>, source: &[u8]) -> Option<String> {
    Some(tree::field(node, "path", source)?.trim_matches(['"', '`']).to_owned())
}

/// An expression out of its parentheses.
fn bare(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression" {
        let Some(inner) = node.named_child(0) else { break };
        node = inner;
    }
    node
}

/// The strings that an argument is or is put together of.
fn strings(argument: Node<'_>) -> Vec<Node<'_>> {
    let mut open = vec![argument];
    let mut found = Vec::new();
    while let Some(node) = open.pop() {
        match node.kind() {
            "interpreted_string_literal" | "raw_string_literal" => found.push(node),
            "binary_expression" | "parenthesized_expression" => open.extend(tree::children(node)),
            _ => {}
        }
    }
    found
}
