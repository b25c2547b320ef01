//! `factory`: takes generated tools from a draft to the registry, and runs them with JSON in and out; Linux only.

mod inject;
mod registry;
mod work;

use std::time::Instant;

use serde_json::json;

use super::carry::{Carrier, Failed, Fate, Order, Report};
use super::error::ActuatorError;
use super::error_text::ErrorText;
use super::factory_settings::{FactorySettings, NAME};
use super::plan::journal;
use super::plan::place::Root;
use super::quality::Quality;
use super::script::{Allowed, Interpreter, Script};
use super::script_settings::Text;
use super::source::SourceCode;

/// Carries out what the rules for generated tools decide.
///
/// `take_tool` puts the log points into a version, writes its file and states what its source shows. `pass_stage` has it
/// pass a stage: at the safety check its file is still what was looked at; at the compilation it is loaded in confinement
/// and its tests run; at the registration it comes into service. `run_tool` runs the version in service in confinement.
///
/// A tool in Python is a text that defines `run`, which gets and gives what JSON has. Of Go, only the syntax is checked:
/// no stage after the safety check is passed.
pub struct Factory {
    settings: FactorySettings,
    interpreter: Interpreter,
    source: SourceCode,
    errors: ErrorText,
    quality: Quality,
}

/// What a stage came to: lines of facts, or the error of the tool.
type Stage = Result<String, String>;

impl Factory {
    /// By these settings.
    ///
    /// # Errors
    /// The interpreter isn't there.
    pub fn new(settings: FactorySettings) -> Result<Self, ActuatorError> {
        let missing = |why: String| ActuatorError::Read {
            input: settings.interpreter.clone(),
            source: std::io::Error::other(why),
        };
        let interpreter = Interpreter::find(&settings.interpreter).map_err(missing)?;
        Ok(Self {
            interpreter,
            source: SourceCode::from_tables(None)?,
            errors: ErrorText::from_tables(None)?,
            quality: Quality::from_tables(None)?,
            settings,
        })
    }

    fn script(&self) -> Script {
        let settings = &self.settings;
        let allowed = Allowed {
            memory: settings.memory,
            cpu: settings.cpu.unwrap_or(settings.time_limit),
            output: settings.output,
            time_limit: settings.time_limit,
            hosts: settings.hosts.clone(),
            reads: settings.reads.clone(),
        };
        // The text is handed to each run.
        Script { interpreter: self.interpreter.clone(), text: Text::Column(String::new()), allowed }
    }

    /// Runs a text in confinement; what it wrote, or why it failed, and what it logged.
    fn run(&self, text: &str, order: &Order<'_>) -> Result<(Result<String, String>, String), Failed> {
        let (ran, said) = self.script().try_text(text, order)?;
        // The last line of a traceback says what went wrong.
        let ran = ran.map_err(|why| match said.lines().rfind(|line| !line.trim().is_empty()) {
            Some(last) => format!("{why}: {last}"),
            None => why,
        });
        Ok((ran, said))
    }
}

impl Carrier for Factory {
    fn name(&self) -> &'static str {
        NAME
    }

    fn carry_out(&self, order: &Order<'_>) -> Result<Report, Failed> {
        let folder = &self.settings.folder;
        let undone = |error: std::io::Error| {
            Failed::new(Fate::Undone, format!("the folder of tools `{}`: {error}", folder.display()))
        };
        std::fs::create_dir_all(folder).map_err(undone)?;
        let root = Root::open(folder).map_err(undone)?;
        let Some(_lock) = journal::lock(&root).map_err(undone)? else {
            return Err(Failed::new(
                Fate::Undone,
                format!("another process works in `{}`", folder.display()),
            ));
        };
        let begun = Instant::now();
        let lines = match order.decision.relation.as_str() {
            "take_tool" => self.take(&root, order),
            "pass_stage" => self.pass(&root, order),
            "run_tool" => self.execute(&root, order, begun),
            other => {
                Err(Failed::new(Fate::Refused, format!("`{other}` is none of the decisions about tools")))
            }
        }?;
        Ok(Report { lines, ..Report::default() })
    }
}

/// A fact as a line.
fn line(relation: &str, values: &serde_json::Value) -> String {
    format!("{}\n", json!({ relation: values }))
}
