//! Steps: one change each, kept or undone; the tests at their end, the fix pass, and rollback.

use serde_json::{Value as Json, json};

use hence_core::json;

use super::super::carry::{Failed, Fate};
use super::edit::{Edit, Unwritten};
use super::facts::{column, line};
use super::journal::{self, Journal};
use super::{Work, failed};

/// Which attempt at which step of which plan.
struct Which {
    plan: String,
    index: Json,
    n: Json,
}

impl Which {
    fn name(&self) -> String {
        name(&self.plan, &self.index)
    }

    fn error(&self) -> String {
        format!("{}/{}/{}", self.plan, self.index, self.n)
    }
}

/// The name of a step in the journal.
fn name(plan: &str, index: &Json) -> String {
    format!("step {plan} {index}")
}

impl Work<'_> {
    fn plan(&self) -> Result<String, Failed> {
        Ok(column(self.order, "plan")?.text())
    }

    pub(super) fn apply_step(&self) -> Result<String, Failed> {
        let value = |name: &str| column(self.order, name).map(json::value);
        let which = Which { plan: self.plan()?, index: value("index")?, n: value("n")? };
        if let Some(lines) = self.answered(&which.name())? {
            return Ok(lines);
        }
        let edit = self.step_change(&which)?;
        let mut journal = Journal::begin(self.place.root, self.order.id, &which.name(), &self.at());
        if let Err(unwritten) = self.place.write(&mut journal, &edit) {
            journal.undo().map_err(failed)?;
            return Ok(self.failed_attempt(&which, "/write_failed", &unwritten));
        }
        let checked = self.place.typecheck();
        if checked.failed > 0 {
            journal.undo().map_err(failed)?;
            let why = Unwritten { why: checked.text, patterns: Vec::new() };
            return Ok(self.failed_attempt(&which, "/type_error", &why));
        }
        let Which { plan, index, n } = &which;
        let attempt = json!({ "plan": plan, "index": index, "n": n, "outcome": "/ok", "fixable": true });
        let lines = line("attempt", &attempt);
        journal.keep(&lines).map_err(failed)?;
        Ok(lines)
    }

    fn step_change(&self, which: &Which) -> Result<Edit, Failed> {
        let Which { plan, index, n } = which;
        let wanted = [("plan", json!(plan)), ("index", index.clone()), ("n", n.clone())];
        let rows = self.rows("step_change", &wanted)?;
        let [row] = rows.as_slice() else {
            let message = format!("expected one `step_change` for {}, found {}", which.error(), rows.len());
            return Err(Failed::new(Fate::Refused, message));
        };
        let file = column(self.order, "file")?.text();
        Edit::of(&file, row).ok_or_else(|| columns("step_change"))
    }

    fn failed_attempt(&self, which: &Which, outcome: &str, unwritten: &Unwritten) -> String {
        let Which { plan, index, n } = which;
        let error = which.error();
        let attempt = json!({ "plan": plan, "index": index, "n": n, "outcome": outcome, "error": error });
        let shown = unwritten.patterns.iter();
        let patterns: String = shown
            .map(|pattern| line("source_pattern", &json!({ "source": error, "pattern": pattern })))
            .collect();
        format!("{}{}{patterns}", line("failed_attempt", &attempt), self.error(&error, &unwritten.why))
    }

    pub(super) fn test_plan(&self) -> Result<String, Failed> {
        let plan = self.plan()?;
        Ok(self.final_tests(&plan, &self.place.tests()))
    }

    fn final_tests(&self, plan: &str, checked: &super::check::Checked) -> String {
        let tests = line("final_tests", &json!({ "plan": plan, "failed": checked.failed }));
        if checked.failed == 0 {
            return tests;
        }
        format!("{tests}{}", self.error(&format!("{plan}/tests"), &checked.text))
    }

    pub(super) fn apply_fix(&self) -> Result<String, Failed> {
        let plan = self.plan()?;
        let name = format!("fix {plan}");
        if let Some(lines) = self.answered(&name)? {
            return Ok(lines);
        }
        let edits = self.fix_changes(&plan)?;
        let before = self.rows("final_tests", &[("plan", json!(plan))])?;
        let before = before.iter().filter_map(|row| row.get("failed")?.as_u64()).min().unwrap_or(u64::MAX);
        let mut journal = Journal::begin(self.place.root, self.order.id, &name, &self.at());
        let attempt = |fixable: bool| line("fix_attempt", &json!({ "plan": plan, "fixable": fixable }));
        let written = edits.iter().try_for_each(|edit| self.place.write(&mut journal, edit));
        let failure = match written {
            Err(unwritten) => unwritten.why,
            Ok(()) => {
                let types = self.place.typecheck();
                let tests = if types.failed > 0 { types } else { self.place.tests() };
                if (tests.failed as u64) < before {
                    let lines = format!("{}{}", attempt(true), self.final_tests(&plan, &tests));
                    journal.keep(&lines).map_err(failed)?;
                    return Ok(lines);
                }
                tests.text
            }
        };
        journal.undo().map_err(failed)?;
        Ok(format!("{}{}", attempt(false), self.error(&format!("{plan}/fix"), &failure)))
    }

    /// The changes of a fix pass, in their order.
    fn fix_changes(&self, plan: &str) -> Result<Vec<Edit>, Failed> {
        let mut rows = self.rows("fix_change", &[("plan", json!(plan))])?;
        rows.sort_by_key(|row| row.get("place").and_then(Json::as_i64));
        let edit = |row| Edit::of(super::facts::text(row, "file")?, row);
        rows.iter().map(|row| edit(row).ok_or_else(|| columns("fix_change"))).collect()
    }

    pub(super) fn roll_back(&self) -> Result<String, Failed> {
        let plan = self.plan()?;
        let index = json::value(column(self.order, "index")?);
        let name = name(&plan, &index);
        if let Some(done) = journal::done(self.place.root, &name).map_err(failed)? {
            if !done.stands(self.place.root).map_err(failed)? {
                let message = format!("the file of {name} was changed since, and stays as it is");
                return Err(Failed::new(Fate::Refused, message));
            }
            done.undo(self.place.root, &name, (self.order.id, &self.at())).map_err(failed)?;
        }
        Ok(line("rolled_back", &json!({ "plan": plan, "index": index })))
    }
}

fn columns(relation: &str) -> Failed {
    Failed::new(Fate::Refused, format!("the columns of `{relation}` differ from those of the pack `loop`"))
}
