//! Chains of calls: wave after wave, what observes side by side, what changes in order; all changes are kept, or none.

use std::collections::BTreeMap;
use std::thread::{self, Builder};

use regex::{Captures, Regex};
use serde_json::{Value as Json, json};

use hence_core::fault::OrBroken;

use super::super::carry::{Failed, Fate};
use super::edit::Edit;
use super::facts::{Row, column, cut, line, text};
use super::journal::Journal;
use super::{Place, Work, failed};

/// How many calls run side by side.
const TOGETHER: usize = 4;
/// How many calls a chain may have.
const MOST_CALLS: usize = 200;

/// What a call gave, by field; or why it failed.
type Gave = Result<BTreeMap<&'static str, String>, String>;

/// A call.
#[derive(Debug)]
struct Call {
    id: String,
    tool: String,
    wave: i64,
    place: i64,
    args: BTreeMap<String, String>,
    needs: Vec<String>,
}

impl Call {
    fn changes(&self) -> bool {
        matches!(self.tool.as_str(), "/write" | "/edit")
    }

    fn arg(&self, name: &str) -> Result<&str, String> {
        self.args.get(name).map(String::as_str).ok_or_else(|| format!("missing `call_arg` /{name}"))
    }
}

impl Work<'_> {
    pub(super) fn run_chain(&self) -> Result<String, Failed> {
        let chain = column(self.order, "chain")?.text();
        let name = format!("chain {chain}");
        if let Some(lines) = self.answered(&name)? {
            return Ok(lines);
        }
        let calls = self.calls(&chain)?;
        let mut journal = Journal::begin(self.place.root, self.order.id, &name, &self.at());
        let mut gave: BTreeMap<&str, Gave> = BTreeMap::new();
        let mut stopped = false;
        for wave in calls.chunk_by(|one, other| one.wave == other.wave) {
            let ready =
                |call: &Call| if stopped { Err(String::from("not run")) } else { resolved(call, &gave) };
            let ready: Vec<Result<Call, String>> = wave.iter().map(ready).collect();
            let results = self.place.wave(&mut journal, &ready);
            let fails = |(call, result): (&Call, &Gave)| {
                result.is_err() && (call.changes() || matches!(call.tool.as_str(), "/test" | "/typecheck"))
            };
            stopped |= wave.iter().zip(&results).any(fails);
            gave.extend(wave.iter().map(|call| call.id.as_str()).zip(results));
        }
        let kept = !stopped && gave.values().all(Result::is_ok);
        let lines = told(&chain, &calls, &gave, kept);
        if kept { journal.keep(&lines) } else { journal.undo() }.map_err(failed)?;
        Ok(lines)
    }

    /// The calls of a chain, by wave and place.
    fn calls(&self, chain: &str) -> Result<Vec<Call>, Failed> {
        let of_chain = |relation: &str| self.rows(relation, &[("chain", json!(chain))]);
        let (rows, waves, places) = (of_chain("call")?, of_chain("call_wave")?, of_chain("call_place")?);
        let (args, needs) = (of_chain("call_arg")?, of_chain("call_needs")?);
        if rows.len() > MOST_CALLS {
            let message = format!("{chain} has {} calls; {MOST_CALLS} are the most", rows.len());
            return Err(Failed::new(Fate::Refused, message));
        }
        let number = |rows: &[Row], id: &str, column: &str| {
            let row = rows.iter().find(|row| text(row, "call") == Some(id))?;
            row.get(column).and_then(Json::as_i64)
        };
        let call = |row: &Row| {
            let id = text(row, "call")?;
            let of_call = |row: &&Row| text(row, "call") == Some(id);
            let arg = |row: &Row| {
                let arg = text(row, "arg")?.trim_start_matches('/').to_owned();
                Some((arg, text(row, "value")?.to_owned()))
            };
            Some(Call {
                id: id.to_owned(),
                tool: text(row, "tool")?.to_owned(),
                wave: number(&waves, id, "wave")?,
                place: number(&places, id, "place").unwrap_or(i64::MAX),
                args: args.iter().filter(of_call).filter_map(arg).collect(),
                needs: needs
                    .iter()
                    .filter(of_call)
                    .filter_map(|row| text(row, "other").map(str::to_owned))
                    .collect(),
            })
        };
        let mut calls: Vec<Call> = rows.iter().filter_map(call).collect();
        calls.sort_by(|one, other| (one.wave, one.place, &one.id).cmp(&(other.wave, other.place, &other.id)));
        Ok(calls)
    }
}

impl Place<'_> {
    /// Runs the calls of one wave: first what observes, then what changes, then what checks.
    fn wave(&self, journal: &mut Journal<'_>, calls: &[Result<Call, String>]) -> Vec<Gave> {
        let is_check = |call: &Call| matches!(call.tool.as_str(), "/test" | "/typecheck");
        let mut results: Vec<Option<Gave>> =
            calls.iter().map(|call| call.as_ref().err().cloned().map(Err)).collect();
        let which = |wanted: &dyn Fn(&Call) -> bool| -> Vec<(usize, &Call)> {
            let calls = calls.iter().enumerate().filter_map(|(at, call)| Some((at, call.as_ref().ok()?)));
            calls.filter(|(_, call)| wanted(call)).collect()
        };
        let mut give = |given: Vec<(usize, Gave)>| {
            for (at, gave) in given {
                if let Some(place) = results.get_mut(at) {
                    *place = Some(gave);
                }
            }
        };
        give(self.side_by_side(&which(&|call| !call.changes() && !is_check(call))));
        let changes = which(&Call::changes).into_iter();
        give(changes.map(|(at, call)| (at, self.change(journal, call))).collect());
        give(self.side_by_side(&which(&is_check)));
        results.into_iter().map(|gave| gave.or_broken("every call of a wave is run")).collect()
    }

    fn side_by_side(&self, calls: &[(usize, &Call)]) -> Vec<(usize, Gave)> {
        let mut given = Vec::new();
        for some in calls.chunks(TOGETHER) {
            thread::scope(|scope| {
                // What gets no thread is done here, while the others run.
                let start = |call| Builder::new().spawn_scoped(scope, move || self.observe(call)).ok();
                let started: Vec<_> = some.iter().map(|(at, call)| (*at, *call, start(*call))).collect();
                for (at, call, running) in started {
                    let gave = running.map_or_else(
                        || self.observe(call),
                        |running| {
                            let fault = |_| Err(String::from("it ended by a fault of hence"));
                            running.join().unwrap_or_else(fault)
                        },
                    );
                    given.push((at, gave));
                }
            });
        }
        given
    }

    fn change(&self, journal: &mut Journal<'_>, call: &Call) -> Gave {
        let path = call.arg("path")?.to_owned();
        let edit = match call.tool.as_str() {
            "/write" => Edit::new_file(path.clone(), call.arg("content")?.to_owned()),
            _ => Edit::in_place(path.clone(), call.arg("old")?.to_owned(), call.arg("new")?.to_owned()),
        };
        self.write(journal, &edit).map_err(|unwritten| unwritten.why)?;
        Ok(BTreeMap::from([("path", path)]))
    }

    fn observe(&self, call: &Call) -> Gave {
        match call.tool.as_str() {
            "/read" => {
                let path = call.arg("path")?;
                let found = self.root.read(path).map_err(|error| error.to_string())?;
                let found = found.ok_or_else(|| format!("there is no `{path}`"))?;
                let content = String::from_utf8(found.bytes).map_err(|_| format!("`{path}` is not UTF-8"))?;
                let lines = content.lines().count().to_string();
                Ok(BTreeMap::from([("path", path.to_owned()), ("lines", lines), ("content", content)]))
            }
            "/list" => self.list(call.args.get("path").map_or("", String::as_str)),
            "/search" => self.search(call.arg("pattern")?, call.args.get("glob").map(String::as_str)),
            "/typecheck" => checked(self.typecheck()),
            "/test" => checked(self.tests()),
            other => Err(format!(
                "unknown tool `{other}`; expected /read, /search, /list, /write, /edit, /test or /typecheck"
            )),
        }
    }
}

/// A call with what others gave in its arguments.
fn resolved(call: &Call, gave: &BTreeMap<&str, Gave>) -> Result<Call, String> {
    if let Some(other) = call.needs.iter().find(|other| gave.get(other.as_str()).is_none_or(Result::is_err)) {
        return Err(format!("it needs {other}, which failed"));
    }
    let place =
        Regex::new(r"\{\{([^{}.]+)\.([^{}]+)\}\}").ok().or_broken("the pattern of places is well-formed");
    let mut missing = None;
    let mut fill = |text: &str| {
        let of = |found: &Captures<'_>| {
            let (id, field) =
                (found.get(1).map_or("", |id| id.as_str()), found.get(2).map_or("", |it| it.as_str()));
            let known = call.needs.iter().any(|other| other == id);
            let value = gave.get(id).filter(|_| known).and_then(|gave| gave.as_ref().ok()?.get(field));
            value.cloned().unwrap_or_else(|| {
                missing = Some(format!("`{{{{{id}.{field}}}}}` is no output of a call that it needs"));
                String::new()
            })
        };
        place.replace_all(text, of).into_owned()
    };
    let args = call.args.iter().map(|(name, text)| (name.clone(), fill(text))).collect();
    match missing {
        Some(why) => Err(why),
        None => Ok(Call { id: call.id.clone(), tool: call.tool.clone(), args, needs: Vec::new(), ..*call }),
    }
}

fn checked(checked: super::check::Checked) -> Gave {
    if checked.failed > 0 {
        return Err(checked.text);
    }
    Ok(BTreeMap::from([("failed", String::from("0")), ("output", checked.text)]))
}

/// The facts of a chain that ran.
fn told(chain: &str, calls: &[Call], gave: &BTreeMap<&str, Gave>, kept: bool) -> String {
    let mut lines = String::new();
    for call in calls {
        let Some(gave) = gave.get(call.id.as_str()) else { continue };
        let error = gave.as_ref().err().map_or("", String::as_str);
        lines.push_str(&line(
            "call_ended",
            &json!({ "chain": chain, "call": call.id, "ok": gave.is_ok(), "error": cut(error) }),
        ));
        for (field, text) in gave.iter().flatten() {
            let field = format!("/{field}");
            lines.push_str(&line(
                "call_output",
                &json!({ "chain": chain, "call": call.id, "field": field, "text": cut(text) }),
            ));
        }
    }
    lines.push_str(&line("chain_ended", &json!({ "chain": chain, "kept": kept })));
    lines
}
