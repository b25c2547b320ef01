//! `script`: a script runs in confinement, without files, processes and network of its own; Linux only.
//!
//! This process starts itself as a helper, which confines itself (`confine`) and then becomes the interpreter, so
//! nothing runs between `fork` and `exec`. What the script may still do is asked of this process, line by line.

mod calls;
mod confine;
mod folder;
mod interpreter;
mod request;
mod run;

use std::io;
use std::path::Path;
use std::time::Duration;

use hence_core::value::Value;

use super::carry::{Carrier, Failed, Fate, Order, Report};
use super::script_settings::{NAME, Text};

use folder::Folder;

pub use confine::{HELPER, confined};
pub use interpreter::{INTERPRETERS, Interpreter};

/// What the interpreter of Python runs: the script, with the imports, builtins and helpers that it may have.
const PRELUDE: &str = include_str!("prelude.py");

/// What a script may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// How much address space it has, in MB.
    pub memory: u64,
    /// How much processor time.
    pub cpu: Duration,
    /// How many characters it may write.
    pub output: u64,
    /// How long it may run.
    pub time_limit: Duration,
    /// The hosts, with their ports, that this process fetches from for it.
    pub hosts: Vec<String>,
    /// The relations that it may read.
    pub reads: Vec<String>,
}

/// Runs a script for each decision.
///
/// It gets the decision as one line of JSON on its standard input. A line of its standard output is a fact to be
/// asserted, or a request (`{"$get": URL}`, `{"$post": URL, "data": …}`, `{"$rows": RELATION}`), which is answered by a
/// line on its standard input. It is a single process in a scratch folder of its own, which is gone afterwards.
pub struct Script {
    /// What runs it.
    pub interpreter: Interpreter,
    /// Its text.
    pub text: Text,
    /// What it may do.
    pub allowed: Allowed,
}

impl Carrier for Script {
    fn name(&self) -> &'static str {
        NAME
    }

    fn speaker(&self) -> String {
        match &self.text {
            Text::Column(_) => String::from(NAME),
            Text::File(path) => path.display().to_string(),
        }
    }

    fn carry_out(&self, order: &Order<'_>) -> Result<Report, Failed> {
        let (answer, said) = self.answer(&self.text(order)?, order)?;
        answer.map(|report| Report { said: said.clone(), ..report }).map_err(|stopped| Failed {
            fate: stopped.fate,
            message: format!("the script failed: {}", stopped.why),
            said,
        })
    }
}

impl Script {
    /// Runs a text, which wrote these lines and said this to standard error; why it ended otherwise where that is its own
    /// fault.
    ///
    /// # Errors
    /// It could not run.
    #[cfg(feature = "scan")]
    pub(super) fn try_text(
        &self,
        text: &str,
        order: &Order<'_>,
    ) -> Result<(Result<String, String>, String), Failed> {
        let (answer, said) = self.answer(text, order)?;
        match answer {
            Ok(report) => Ok((Ok(report.lines), said)),
            Err(stopped) if stopped.ran => Ok((Err(stopped.why), said)),
            Err(stopped) => Err(Failed { fate: stopped.fate, message: stopped.why, said }),
        }
    }

    fn answer(&self, text: &str, order: &Order<'_>) -> Result<(run::Answer, String), Failed> {
        let folder = Folder::with(text).map_err(|error| {
            Failed::new(Fate::Undone, format!("the script of {} can't be laid out: {error}", order.id))
        })?;
        Ok(run::run(self, order, &folder))
    }

    fn text(&self, order: &Order<'_>) -> Result<String, Failed> {
        let refused = |message: String| Failed::new(Fate::Refused, message);
        match &self.text {
            Text::Column(column) => match order.value(column) {
                Some(Value::String(text)) => Ok(text.as_str().to_owned()),
                Some(other) => Err(refused(format!("`{column}` of {} is {other}, not a text", order.id))),
                None => Err(refused(format!("`{}` has no column `{column}`", order.decision.relation))),
            },
            Text::File(path) => read(path).map_err(|error| {
                Failed::new(Fate::Undone, format!("can't read `{}`: {error}", path.display()))
            }),
        }
    }
}

fn read(path: &Path) -> io::Result<String> {
    let bytes = hence_core::file::read(path, hence_core::file::LARGEST_TEXT)?;
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}
