//! Observers look at the world and return facts, carriers carry decisions out; neither holds a store.
//!
//! An observer reads one input as a stream and hands every fact to a sink. It decides nothing: what a text looks
//! like becomes a *signal*, and rules say what follows from it. Whoever owns the sink commits the facts of an
//! input in one transaction once [`Observer::observe`] has returned without an error, and drops them otherwise.

pub mod append;
pub mod card;
pub mod carry;
#[cfg(feature = "scan")]
pub mod codebase;
pub mod edit;
mod error;
pub mod error_text;
pub mod event;
#[cfg(all(feature = "scan", feature = "sandbox", target_os = "linux"))]
pub mod factory;
pub mod factory_settings;
mod facts;
pub mod file_requests;
pub mod git;
pub mod goal;
mod group;
mod http;
mod input;
mod json;
pub mod keeper;
pub mod mac;
#[cfg(feature = "mail")]
pub mod mail;
pub mod mail_settings;
pub mod mcp;
pub mod mcp_settings;
pub mod model;
mod objects;
mod otlp;
#[cfg(all(feature = "scan", unix))]
pub mod plan;
pub mod plan_settings;
mod protobuf;
pub mod quality;
pub mod reply;
pub mod run_command;
mod scan;
#[cfg(all(feature = "sandbox", target_os = "linux"))]
pub mod script;
pub mod script_settings;
pub mod similarity;
#[cfg(feature = "scan")]
pub mod source;
mod table;
pub mod template;
pub mod test_output;
#[cfg(feature = "tls")]
mod tls;
pub mod tool_run;
#[cfg(feature = "scan")]
mod tree;
pub mod webhook;
mod words;

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use hence_core::diagnostic::nearest;
use hence_core::fact::Fact;
use hence_core::file;
use hence_core::meter;
use tracing::debug_span;
use tracing::field::Empty;

pub use error::{ActuatorError, SinkError};
pub use group::keep_signals;
pub use http::is_reached;
pub use input::{Form, Input};

use edit::DraftEdit;
use error_text::ErrorText;
use event::Event;
use goal::Goal;
use quality::Quality;
use test_output::TestOutput;
use tool_run::ToolRun;

/// Takes the facts of an observation, one at a time.
pub type Sink<'a> = dyn FnMut(Fact) -> Result<(), SinkError> + 'a;

/// Receives how many of how many things are done, from any thread.
pub type ProgressSink<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// What an observation says of current facts that it does not return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservationScope {
    /// Nothing: it reports what happened, and what happened before stays.
    Nothing,
    /// Facts of its relations about the same thing, identified by the first column, no longer hold.
    Subject,
    /// No other fact of its relations holds any longer.
    Whole,
}

/// Something that looks at an input and returns what it sees as facts.
pub trait Observer {
    /// The name by which `hence observe` knows it.
    fn name(&self) -> &'static str;

    /// One line for the list of observers.
    fn about(&self) -> &'static str;

    /// The relations whose facts it returns, as declarations of a rule file, one a line.
    fn declarations(&self) -> &'static str;

    /// What an observation, of a folder or of a file, says of current facts that it does not return.
    fn scope(&self, of_folder: bool) -> ObservationScope {
        let _ = of_folder;
        ObservationScope::Nothing
    }

    /// The forms of input that it reads; the first is meant where neither the user nor the file's name says.
    fn forms(&self) -> &'static [Form];

    /// Reads `input` to its end and hands the facts to `sink`, in the order of the input.
    ///
    /// # Errors
    /// The first line that isn't what it should be, a failure to read, or what the sink refused with.
    fn observe(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError>;

    /// Looks at the folder `root` and hands the facts to `sink`; `progress` receives how much of the work is done.
    ///
    /// # Errors
    /// As [`Observer::observe`]; most observers look at no folder.
    fn observe_folder(
        &self,
        root: &Path,
        progress: &ProgressSink<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<Summary, ActuatorError> {
        let _ = (progress, sink);
        Err(ActuatorError::Folder { observer: self.name(), input: root.display().to_string() })
    }

    /// The folders in which what it says of the folder `root` may change.
    ///
    /// # Errors
    /// As [`Observer::observe_folder`]; what most observers look at changes at the end alone, and is followed.
    fn watched(&self, root: &Path) -> Result<Vec<PathBuf>, ActuatorError> {
        Err(ActuatorError::Unwatched { observer: self.name(), input: root.display().to_string() })
    }
}

/// What an observation came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Texts, lines or spans that facts were returned for.
    pub records: u64,
    /// Records in which there was nothing to see: log lines without a signal, spans that are not a tool call.
    pub skipped: u64,
    /// Facts handed over.
    pub facts: u64,
    /// What was passed over although it may have held something to see: how much for each reason, and the first of it.
    pub left_out: BTreeMap<&'static str, (u64, String)>,
    /// Fields of JSON objects that mean nothing to the observer, with how often; the first 32 of them.
    pub ignored: BTreeMap<String, u64>,
}

/// How many different ignored fields a summary names.
const IGNORED_FIELDS: usize = 32;

impl Summary {
    fn ignore(&mut self, field: &str) {
        if let Some(count) = self.ignored.get_mut(field) {
            *count += 1;
        } else if self.ignored.len() < IGNORED_FIELDS {
            self.ignored.insert(field.to_owned(), 1);
        }
    }

    #[cfg(feature = "scan")]
    fn leave_out(&mut self, why: &'static str, what: &str) {
        self.left_out.entry(why).or_insert_with(|| (0, what.to_owned())).0 += 1;
    }

    /// Counts what another input of the same run came to.
    pub fn add(&mut self, other: &Self) {
        self.records += other.records;
        self.skipped += other.skipped;
        self.facts += other.facts;
        for (why, (count, first)) in &other.left_out {
            self.left_out.entry(why).or_insert_with(|| (0, first.clone())).0 += count;
        }
        for (field, count) in &other.ignored {
            *self.ignored.entry(field.clone()).or_default() += count;
        }
    }
}

type Make = fn(Option<&Path>) -> Result<Box<dyn Observer>, ActuatorError>;

/// Every observer by its name, in the order of the name.
const REGISTRY: &[(&str, Make)] = &[
    #[cfg(feature = "scan")]
    (codebase::NAME, |_| Ok(Box::new(codebase::Codebase::default()))),
    (edit::NAME, |tables| Ok(Box::new(DraftEdit::from_tables(tables)?))),
    (error_text::NAME, |tables| Ok(Box::new(ErrorText::from_tables(tables)?))),
    (event::NAME, |tables| Ok(Box::new(Event::from_tables(tables)?))),
    (git::NAME, |_| Ok(Box::new(git::GitState))),
    (goal::NAME, |tables| Ok(Box::new(Goal::from_tables(tables)?))),
    (quality::NAME, |tables| Ok(Box::new(Quality::from_tables(tables)?))),
    (similarity::NAME, |_| Ok(Box::new(similarity::Similarity))),
    #[cfg(feature = "scan")]
    (source::NAME, |tables| Ok(Box::new(source::SourceCode::from_tables(tables)?))),
    (test_output::NAME, |tables| Ok(Box::new(TestOutput::from_tables(tables)?))),
    (tool_run::NAME, |tables| Ok(Box::new(ToolRun::from_tables(tables)?))),
];

/// The observers of the feature `scan`.
#[cfg(not(feature = "scan"))]
const SCANNERS: [&str; 2] = ["codebase", "source"];

/// The names of all observers, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    REGISTRY.iter().map(|(name, _)| *name)
}

/// The observer called `name`, with the pattern tables of the folder `tables`; a table that isn't there, or all of
/// them without a folder, are the shipped ones.
///
/// # Errors
/// An unknown name, and a table that can't be read.
pub fn observer(name: &str, tables: Option<&Path>) -> Result<Box<dyn Observer>, ActuatorError> {
    if let Some(folder) = tables {
        let read = |source| ActuatorError::Read { input: folder.display().to_string(), source };
        std::fs::read_dir(folder).map_err(read)?;
    }
    match REGISTRY.iter().find(|(known, _)| *known == name) {
        Some((_, make)) => make(tables),
        #[cfg(not(feature = "scan"))]
        None if SCANNERS.contains(&name) => {
            Err(ActuatorError::NotBuilt { name: name.to_owned(), feature: "scan" })
        }
        None => Err(ActuatorError::UnknownObserver {
            name: name.to_owned(),
            nearest: nearest(name, names()).map(str::to_owned),
            known: names().collect::<Vec<_>>().join(", "),
        }),
    }
}

/// The names of the relations whose facts an observer returns.
pub fn relations(observer: &dyn Observer) -> impl Iterator<Item = &'static str> {
    let declarations = observer.declarations().lines();
    declarations.filter_map(|line| line.strip_prefix("input ")?.split_once('(').map(|(name, _)| name))
}

/// Observes the file or folder `path`, or standard input where it is `-`.
///
/// # Errors
/// As [`Observer::observe`], and where the file can't be opened.
pub fn observe_path(
    observer: &dyn Observer,
    path: &str,
    form: Option<Form>,
    progress: &ProgressSink<'_>,
    sink: &mut Sink<'_>,
) -> Result<Summary, ActuatorError> {
    meter::enter("observing");
    logged(observer, || observe_any(observer, path, form, progress, sink))
}

/// Observes an input that grows, until it ends.
///
/// # Errors
/// As [`Observer::observe`].
pub fn observe_stream(
    observer: &dyn Observer,
    input: Input<'_>,
    sink: &mut Sink<'_>,
) -> Result<Summary, ActuatorError> {
    logged(observer, || observer.observe(input, sink))
}

/// In a span that tells what was seen.
fn logged(
    observer: &dyn Observer,
    observe: impl FnOnce() -> Result<Summary, ActuatorError>,
) -> Result<Summary, ActuatorError> {
    let span = debug_span!("observe", observer = observer.name(), records = Empty, facts = Empty);
    let summary = span.in_scope(observe)?;
    span.record("records", summary.records);
    span.record("facts", summary.facts);
    Ok(summary)
}

fn observe_any(
    observer: &dyn Observer,
    path: &str,
    form: Option<Form>,
    progress: &ProgressSink<'_>,
    sink: &mut Sink<'_>,
) -> Result<Summary, ActuatorError> {
    if Path::new(path).is_dir() {
        return observer.observe_folder(Path::new(path), progress, sink);
    }
    if path == input::STANDARD_INPUT {
        return observer.observe(Input::new(path, form, &mut std::io::stdin().lock()), sink);
    }
    let file = file::open(Path::new(path))
        .map_err(|source| ActuatorError::Read { input: path.to_owned(), source })?;
    observer.observe(Input::new(path, form, &mut BufReader::new(file)), sink)
}
