//! What the factory does: takes a version in, has it pass a stage, runs it.

use std::io;
use std::time::Instant;

use serde_json::{Map, Value as Json, json};

use hence_core::fact::Fact;
use hence_core::json as values;
use hence_core::value::Value;

use super::super::carry::{Failed, Fate, Order};
use super::super::plan::facts::{cut, lines};
use super::super::plan::place::Root;
use super::registry::{self, Version};
use super::{Factory, Stage, inject, line};

/// The key of the line in which a run says what it gave.
const RESULT: &str = "$result";
/// What loads a tool without running it.
const LOADED: &str = "\nif not callable(run):\n    raise TypeError(\"`run` is not callable\")\n";
/// What runs it.
const RUN: &str = "\nimport json as _tool_json\n\
    print(\"\\n\" + _tool_json.dumps({\"$result\": run(_tool_json.loads(decision[\"values\"][\"input\"]))}))\n";

/// A version of a tool, as a decision names it.
struct Named {
    source: String,
    tool: String,
    version: i64,
    language: String,
}

impl Named {
    fn of(order: &Order<'_>) -> Result<Self, Failed> {
        let version = match order.value("version") {
            Some(Value::Int(version)) => version,
            _ => return Err(columns(order)),
        };
        let language = text(order, "language")?.trim_start_matches('/').to_owned();
        Ok(Self { source: text(order, "source")?, tool: text(order, "tool")?, version, language })
    }

    fn file(&self) -> String {
        registry::file(&self.tool, self.version, &self.language)
    }

    fn passed(&self, stage: &str) -> String {
        line("stage_passed", &json!({ "tool": self.source, "stage": stage }))
    }
}

impl Factory {
    /// The lines of a stage: what it states, or that the version failed there.
    fn told(&self, named: &Named, stage: &str, result: Stage) -> String {
        match result {
            Ok(told) => format!("{told}{}", named.passed(stage)),
            Err(why) => {
                let error = format!("{}{stage}", named.source);
                let failed = json!({ "source": named.source, "stage": stage, "error": error });
                format!("{}{}", line("tool_failed", &failed), self.error(&error, &why))
            }
        }
    }

    fn error(&self, error: &str, text: &str) -> String {
        let kept = line("failure_text", &json!({ "error": error, "text": cut(text) }));
        format!("{}{kept}", lines(&self.errors.facts(error, text)))
    }

    pub(super) fn take(&self, root: &Root, order: &Order<'_>) -> Result<String, Failed> {
        let named = Named::of(order)?;
        let taken = self.taken(root, &named, &text(order, "text")?).map_err(undone)?;
        Ok(self.told(&named, "/specification", taken))
    }

    /// What the source of a version shows, once it has its log points and is on the disk.
    fn taken(&self, root: &Root, named: &Named, text: &str) -> io::Result<Stage> {
        if !registry::is_name(&named.tool) {
            let message = "expected the name of a tool in a-z, 0-9 and `_`, of at most 64 letters";
            return Ok(Err(format!("{message}, found `{}`", cut(&named.tool))));
        }
        let logged = match inject::logged(&named.language, text) {
            Ok(logged) => logged,
            Err(why) => return Ok(Err(why)),
        };
        root.replace(&named.file(), logged.as_bytes(), None)?;
        let shown = self.source.of_language(&named.source, &named.language, logged.as_bytes());
        Ok(shown.map(|facts| lines(&facts)).map_err(|error| error.to_string()))
    }

    pub(super) fn pass(&self, root: &Root, order: &Order<'_>) -> Result<String, Failed> {
        let named = Named::of(order)?;
        let stage = text(order, "stage")?;
        let result = match stage.as_str() {
            "/safety_check" => self.checked(root, &named, order)?,
            "/compilation" => self.compiled(root, &named, order)?,
            "/registration" => self.registered(root, &named, order)?,
            other => return Err(Failed::new(Fate::Refused, format!("unknown stage `{other}`"))),
        };
        Ok(self.told(&named, &stage, result))
    }

    /// The text of a version; why not, where it is not what was looked at.
    fn looked_at(
        &self,
        root: &Root,
        named: &Named,
        order: &Order<'_>,
    ) -> Result<Result<String, String>, Failed> {
        let Some(text) = registry::text(root, &named.file()).map_err(undone)? else {
            return Ok(Err(format!("`{}` is gone", named.file())));
        };
        let shown = match self.source.of_language(&named.source, &named.language, text.as_bytes()) {
            Ok(shown) => shown,
            Err(error) => return Ok(Err(error.to_string())),
        };
        for relation in ["source_import", "source_call", "source_log", "source_pattern"] {
            let known = order.world.rows(relation).map_err(|why| Failed::new(Fate::Refused, why))?;
            let of = |fact: &&Fact| fact.values.first().is_some_and(|of| of.text() == named.source);
            let known: Vec<&Fact> = known.facts.iter().filter(of).collect();
            let found: Vec<&Fact> = shown.iter().filter(|fact| fact.relation.as_str() == relation).collect();
            if found.iter().any(|fact| !known.contains(fact)) {
                return Ok(Err(format!(
                    "`{}` is not what was looked at: another `{relation}`",
                    named.file()
                )));
            }
        }
        Ok(Ok(text))
    }

    fn checked(&self, root: &Root, named: &Named, order: &Order<'_>) -> Result<Stage, Failed> {
        Ok(self.looked_at(root, named, order)?.map(|_| String::new()))
    }

    fn compiled(&self, root: &Root, named: &Named, order: &Order<'_>) -> Result<Stage, Failed> {
        if named.language != "python" {
            return Ok(Err(format!("tools in {} can't be compiled here: hence runs none", named.language)));
        }
        let loaded = match self.looked_at(root, named, order)? {
            Ok(text) => format!("{text}\n{LOADED}{}\n", text_or_none(order, "tests")),
            Err(why) => return Ok(Err(why)),
        };
        let (ran, _) = self.run(&loaded, order)?;
        Ok(ran.map(|_| String::new()))
    }

    /// Puts a version into service, with what it was to mend.
    fn registered(&self, root: &Root, named: &Named, order: &Order<'_>) -> Result<Stage, Failed> {
        let text = match self.looked_at(root, named, order)? {
            Ok(text) => text,
            Err(why) => return Ok(Err(why)),
        };
        let entry = Version {
            source: named.source.clone(),
            version: named.version,
            language: named.language.clone(),
            file: named.file(),
            hash: registry::hash(&text),
        };
        registry::put(root, &named.tool, &entry).map_err(undone)?;
        let mut told = String::new();
        if named.version > 1 {
            let rows = order.world.rows("suggestion").map_err(|why| Failed::new(Fate::Refused, why))?;
            for row in rows.objects() {
                if row.get("tool").and_then(Json::as_str) == Some(&named.tool) {
                    told.push_str(&line("applied_fix", &row));
                }
            }
            let before = format!("{}@{}", named.tool, named.version - 1);
            told.push_str(&line("stage_passed", &json!({ "tool": before, "stage": "/refinement" })));
        }
        Ok(Ok(told))
    }

    pub(super) fn execute(&self, root: &Root, order: &Order<'_>, begun: Instant) -> Result<String, Failed> {
        let (tool, source) = (text(order, "tool")?, text(order, "source")?);
        let run = match order.value("run") {
            Some(Value::Int(run)) => run,
            _ => return Err(columns(order)),
        };
        let entry = registry::find(root, &tool).map_err(undone)?.filter(|entry| entry.source == source);
        let refused = |why: String| Failed::new(Fate::Refused, why);
        let entry = entry.ok_or_else(|| refused(format!("`{source}` is not in service in the registry")))?;
        let code = registry::text(root, &entry.file)
            .map_err(undone)?
            .filter(|text| registry::hash(text) == entry.hash);
        let code = code.ok_or_else(|| refused(format!("`{}` is not what was registered", entry.file)))?;
        let (ran, said) = self.run(&format!("{code}\n{RUN}"), order)?;
        let latency = begun.elapsed();
        let given = ran.and_then(|lines| result(&lines));
        let millis = latency.as_secs_f64() * 1e3;
        Ok(self.run_told((run, &tool, &source), order, given, (millis, &said)))
    }

    /// The facts of a run: that it was, what it gave, what it logged, and how good that is.
    fn run_told(
        &self,
        (run, tool, source): (i64, &str, &str),
        order: &Order<'_>,
        given: Result<String, String>,
        (millis, said): (f64, &str),
    ) -> String {
        let latency = values::value(Value::Duration((millis * 1e3) as i64));
        let at = values::value(Value::Time(order.now));
        let domain = order.value("domain").map(values::value);
        let ran = json!({ "run": run, "tool": tool, "domain": domain, "ok": given.is_ok(), "latency": latency, "at": at });
        let mut told = line("tool_run", &ran);
        told.push_str(&line("version_run", &json!({ "source": source, "run": run })));
        for (tag, name) in inject::TAGS {
            let count = said.matches(tag).count();
            if count > 0 {
                told.push_str(&line("tool_log", &json!({ "run": run, "tag": name, "count": count })));
            }
        }
        let (output, error) = match &given {
            Ok(output) => (output.as_str(), None),
            Err(why) => ("", Some(why.as_str())),
        };
        match error {
            Some(why) => {
                told.push_str(&line("failure_mode", &json!({ "run": run, "mode": "error" })));
                told.push_str(&self.error(&format!("run-{run}"), why));
            }
            None => {
                told.push_str(&line("tool_output", &json!({ "run": run, "output": cut(output) })));
                if !passed_before(order, source) {
                    told.push_str(&line("stage_passed", &json!({ "tool": source, "stage": "/execution" })));
                }
            }
        }
        let expected = expectation(order, tool);
        let expected =
            expected.as_ref().map(|(size, most, intent)| (*size, (millis, *most), intent.as_str()));
        told.push_str(&lines(&self.quality.of_run(run, (output, error), expected)));
        told
    }
}

/// Whether a version has been run before.
fn passed_before(order: &Order<'_>, source: &str) -> bool {
    let rows = order.world.rows("stage_passed").unwrap_or_default();
    rows.facts.iter().any(|fact| matches!(fact.values.as_slice(), [of, Value::Name(stage)] if of.text() == source && stage.as_str() == "/execution"))
}

/// What is expected of a tool: a size, a time in milliseconds, and what it is for.
fn expectation(order: &Order<'_>, tool: &str) -> Option<(f64, f64, String)> {
    let rows = order.world.rows("tool_expectation").ok()?;
    rows.facts.iter().find_map(|fact| match fact.values.as_slice() {
        [Value::String(of), Value::Int(size), Value::Duration(most), Value::String(intent)]
            if of.as_str() == tool =>
        {
            Some((*size as f64, *most as f64 / 1e3, intent.as_str().to_owned()))
        }
        _ => None,
    })
}

/// The last line in which a run says what it gave.
fn result(lines: &str) -> Result<String, String> {
    let given = lines.lines().rev().find_map(|line| {
        let mut object: Map<String, Json> = serde_json::from_str(line).ok()?;
        object.remove(RESULT)
    });
    given.map(|given| given.to_string()).ok_or_else(|| String::from("it gave no result"))
}

fn text(order: &Order<'_>, column: &str) -> Result<String, Failed> {
    order.value(column).map(|value| value.text()).ok_or_else(|| columns(order))
}

fn text_or_none(order: &Order<'_>, column: &str) -> String {
    order.value(column).map(|value| value.text()).unwrap_or_default()
}

fn columns(order: &Order<'_>) -> Failed {
    let relation = order.decision.relation;
    Failed::new(Fate::Refused, format!("the columns of `{relation}` differ from those of the pack `loop`"))
}

fn undone(error: io::Error) -> Failed {
    Failed::new(Fate::Undone, format!("the folder of tools: {error}"))
}
