//! `[tools]` of `hence.toml`: where generated tools are, and what a run of one may do.

use std::path::PathBuf;

use hence_actuators::factory_settings::{DECISIONS, FactorySettings, TIME_LIMIT};
use hence_actuators::script_settings::{MEMORY, OUTPUT};

use super::super::carried::Means;
use super::super::settings::TOOLS;
use super::super::shown;
use super::carry::Said;
use super::{DeTable, Kind, Range, Reading};

/// What is said of tools.
const KEYS: [(&str, Kind); 9] = [
    ("folder", Kind::Text),
    ("interpreter", Kind::Text),
    ("memory", Kind::Count),
    ("cpu", Kind::TimeLimit),
    ("output", Kind::Count),
    ("hosts", Kind::Texts),
    ("reads", Kind::Texts),
    ("timeout", Kind::TimeLimit),
    ("as", Kind::Text),
];

impl Reading<'_> {
    /// `folder = "tools"`, `hosts = ["127.0.0.1:8080"]`
    pub(super) fn tools(&mut self, key: Range<usize>, table: &DeTable<'_>) {
        let Some(mut said) = self.said(TOOLS, &KEYS, table) else { return };
        let author = said.text("as");
        let beside = self.path.parent().unwrap_or(self.path).to_owned();
        match said.tools(|path| shown(&beside.join(path))) {
            Ok(settings) => self.crew(TOOLS, key, &DECISIONS, author.as_deref(), &Means::Factory(settings)),
            Err(what) => self.wrong(key, format!("`{TOOLS}`: {what}")),
        }
    }
}

impl Said<'_> {
    fn tools(&mut self, beside: impl Fn(&str) -> PathBuf) -> Result<FactorySettings, String> {
        let folder = self.text("folder").ok_or("missing folder; expected `folder = \"…\"`")?;
        Ok(FactorySettings {
            folder: beside(&folder),
            interpreter: self.text("interpreter").unwrap_or_else(|| String::from("python3")),
            memory: self.count("memory").unwrap_or(MEMORY),
            cpu: self.duration("cpu"),
            output: self.count("output").unwrap_or(OUTPUT),
            hosts: self.texts("hosts"),
            reads: self.texts("reads"),
            time_limit: self.duration("timeout").unwrap_or(TIME_LIMIT),
        })
    }
}
