//! `[plan]` of `hence.toml`: the folder in which plans are carried out, and the programs that check their changes.

use std::path::PathBuf;

use hence_actuators::plan_settings::{DECISIONS, PlanSettings, TIME_LIMIT};

use super::super::carried::{Carried, Means};
use super::super::settings::PLAN;
use super::super::shown;
use super::carry::{POLICY, Said};
use super::{DeTable, Kind, Range, Reading};

/// What is said of plans.
const KEYS: [(&str, Kind); 7] = [
    ("folder", Kind::Text),
    ("typecheck", Kind::Texts),
    ("tests", Kind::Texts),
    ("env", Kind::Texts),
    ("allow", Kind::Texts),
    ("timeout", Kind::TimeLimit),
    ("as", Kind::Text),
];

impl Reading<'_> {
    /// `folder = "work"`, `typecheck = ["cargo", "check"]`, `tests = ["cargo", "test"]`
    pub(super) fn plan(&mut self, key: Range<usize>, table: &DeTable<'_>) {
        let Some(mut said) = self.said(PLAN, &KEYS, table) else { return };
        let author = said.text("as");
        let beside = self.path.parent().unwrap_or(self.path).to_owned();
        match said.plan(|path| shown(&beside.join(path))) {
            Ok(settings) => self.crew(PLAN, key, &DECISIONS, author.as_deref(), &Means::Plan(settings)),
            Err(what) => self.wrong(key, format!("`{PLAN}`: {what}")),
        }
    }

    /// The decisions of a table that is about several of them.
    pub(super) fn crew(
        &mut self,
        table: &'static str,
        key: Range<usize>,
        decisions: &[&str],
        author: Option<&str>,
        means: &Means,
    ) {
        for decision in decisions {
            let carried = Carried {
                decision: String::from(*decision),
                table,
                policy: POLICY,
                time_limit: means.time_limit(),
                author: author.map(str::to_owned),
                means: means.clone(),
                origin: self.origin(self.span(key.clone())),
                key: key.clone(),
            };
            if let Err(what) = self.carry(carried) {
                self.wrong(key.clone(), format!("`{table}`: {what}"));
            }
        }
    }
}

impl Said<'_> {
    fn plan(&mut self, beside: impl Fn(&str) -> PathBuf) -> Result<PlanSettings, String> {
        let folder = self.text("folder").ok_or("missing folder; expected `folder = \"…\"`")?;
        let tests = self.texts("tests");
        if tests.is_empty() {
            return Err(String::from(
                "missing tests; expected `tests = [\"…\"]` with the program that runs them and its arguments",
            ));
        }
        Ok(PlanSettings {
            folder: beside(&folder),
            typecheck: self.texts("typecheck"),
            tests,
            env: self.texts("env"),
            allow: self.texts("allow"),
            time_limit: self.duration("timeout").unwrap_or(TIME_LIMIT),
        })
    }
}
