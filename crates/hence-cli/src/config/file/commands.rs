//! `[run_command]` of `hence.toml`: programs that carry decisions out, each for the decisions of one relation.

use super::super::carried::{Carried, Means};
use super::super::settings::RUN_COMMAND;
use super::carry::{POLICY, TIME_LIMIT};
use super::{DeTable, DeValue, Kind, Range, Reading, found};

/// What is said of a program.
const KEYS: [(&str, Kind); 4] =
    [("program", Kind::Text), ("args", Kind::Texts), ("time_limit", Kind::TimeLimit), ("env", Kind::Texts)];

impl Reading<'_> {
    /// `republish = { program = "scripts/republish", args = ["--now"], time_limit = "10s", env = ["TOKEN"] }`
    pub(super) fn commands(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = format!("{RUN_COMMAND}.{}", key.get_ref());
            let DeValue::Table(inner) = value.get_ref() else {
                let other = found(value.get_ref());
                let message = format!(
                    "`{name}`: expected a table such as `{{ program = \"scripts/tell\" }}`, found {other}"
                );
                self.wrong(value.span(), message);
                continue;
            };
            if let Err(what) = self.command(key.get_ref(), key.span(), inner) {
                self.wrong(key.span(), format!("`{name}`: {what}"));
            }
        }
    }

    fn command(&mut self, decision: &str, key: Range<usize>, table: &DeTable<'_>) -> Result<(), String> {
        let named = table.iter().any(|(word, _)| word.get_ref().as_ref() == "program");
        let said = self.said(&format!("{RUN_COMMAND}.{decision}"), &KEYS, table);
        let missing = || String::from("missing program; expected `program = \"…\"` with a path or a name");
        if !named {
            return Err(missing());
        }
        let Some(mut said) = said else { return Ok(()) };
        let program = said.text("program").filter(|program| !program.is_empty()).ok_or_else(missing)?;
        let carried = Carried {
            decision: decision.to_owned(),
            table: RUN_COMMAND,
            policy: POLICY,
            time_limit: said.duration("time_limit").unwrap_or(TIME_LIMIT),
            author: None,
            means: Means::Command { program, args: said.texts("args"), env: said.texts("env") },
            origin: self.origin(self.span(key.clone())),
            key,
        };
        self.carry(carried)
    }
}
