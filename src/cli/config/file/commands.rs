//! `[run_command]` of `hence.toml`: the programs that carry decisions out, each for the decisions of one relation.

use std::time::Duration;

use hence_core::fault::broken;

use super::super::settings::RUN_COMMAND;
use super::super::values::Command;
use super::{Content, DeTable, DeValue, KIND, Kind, Range, Reading, content, found};

/// How long a program may run if nothing else is said.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// What is said of a program.
const KEYS: [(&str, Kind); 4] =
    [("program", Kind::Text), ("args", Kind::Texts), ("time_limit", Kind::TimeLimit), ("env", Kind::Texts)];

impl Reading<'_> {
    /// `republish = { program = "scripts/republish", args = ["--now"], time_limit = "10s", env = ["TOKEN"] }`
    pub(super) fn commands(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = format!("{RUN_COMMAND}.{}", key.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) => self.command(key.get_ref(), key.span(), inner),
                other => {
                    let message = format!(
                        "`{name}`: expected a table such as `{{ program = \"scripts/tell\" }}`, found {}",
                        found(other)
                    );
                    self.wrong(value.span(), message);
                }
            }
        }
    }

    fn command(&mut self, decision: &str, key: Range<usize>, table: &DeTable<'_>) {
        let mut command = Command {
            decision: decision.to_owned(),
            program: String::new(),
            args: Vec::new(),
            time_limit: TIME_LIMIT,
            env: Vec::new(),
            origin: self.origin(self.span(key.clone())),
            key: key.clone(),
        };
        for (word, value) in table {
            let (name, word_span) = (word.get_ref(), word.span());
            let path = format!("{RUN_COMMAND}.{decision}.{name}");
            let Some((_, kind)) = KEYS.iter().find(|(known, _)| known == name) else {
                let known = KEYS.map(|(known, _)| known).to_vec();
                self.unknown(name, &path, word_span, known);
                continue;
            };
            match content(*kind, value.get_ref()) {
                Ok(content) => command.set(name, content),
                Err(what) => self.wrong(value.span(), format!("`{path}`: {what}")),
            }
        }
        if command.program.is_empty() {
            let message = format!(
                "`{RUN_COMMAND}.{decision}`: missing program; expected `program = \"…\"` with a path or a name"
            );
            self.wrong(key, message);
        }
        self.values.commands.push(command);
    }
}

impl Command {
    fn set(&mut self, name: &str, content: Content) {
        match (name, content) {
            ("program", Content::Text(text)) => self.program = text,
            ("args", Content::Texts(texts)) => self.args = texts,
            ("env", Content::Texts(texts)) => self.env = texts,
            ("time_limit", Content::Duration(duration)) => self.time_limit = duration,
            _ => broken(KIND),
        }
    }
}
