//! `quality`: what a tool's output was like against what was expected of it.

use std::path::Path;

use serde_json::Value as Json;

use super::error::ActuatorError;
use super::facts::{each_object, float, name};
use super::input::{Form, Input};
use super::json::{self, Object};
use super::table::{PatternTable, Shipped};
use super::{Observer, Sink, Summary, words};
use hence_core::fact::Fact;
use hence_core::value::Value;

/// The name of the observer.
pub const NAME: &str = "quality";

const SIGNALS: Shipped = Shipped {
    file: "output_signals.csv",
    columns: ["signal", "pattern"],
    text: include_str!("../../../facts/output_signals.csv"),
    names: true,
    case: false,
    unicode: true,
    pattern: str::to_owned,
};

/// How bad an issue is that a pattern shows.
const SEVERITY: [(&str, f64); 4] =
    [("/incomplete", 0.7), ("/pagination", 0.7), ("/rate_limit", 0.8), ("/partial_failure", 0.5)];

/// How bad output is at least that is shorter than expected, or took longer; at most 1.
const LEAST: f64 = 0.7;

/// How bad a failure is that left output all the same, and one that left none.
const PARTLY: f64 = 0.5;
const WHOLLY: f64 = 1.0;

const DECLARATIONS: &str = "\
input quality(run: int, completeness: float, accuracy: float, efficiency: float, relevance: float).
input quality_issue(run: int, issue: name, severity: float).
";

/// Turns outputs of tools into `quality_issue`, and where everything is known that it is judged by, into `quality`.
///
/// JSON objects: `run` (an int), `output` (a text), and where they are known `min_size` (the characters expected at least),
/// `latency_ms` and `max_latency_ms`, `error` (the text of an error), `intent` (what the user wanted).
///
/// | issue | when | severity |
/// | --- | --- | --- |
/// | `/incomplete` | the output is shorter than expected | 0.7, up to 1 by the share that is missing |
/// | `/incomplete`, `/pagination`, `/rate_limit` | a mark of it is in the output or the error | 0.7, 0.7, 0.8 |
/// | `/slow` | it took longer than expected | 0.7, up to 1 by the share that was too much |
/// | `/partial_failure` | a mark of it, or an error beside output | 0.5; 1 for an error without output |
///
/// `facts/output_signals.csv` (`signal,pattern`) has the marks, letter case ignored. Of several reasons for an issue the
/// worst counts.
///
/// `quality` needs `min_size`, both latencies and `intent`: completeness is the share of the size expected (at most half
/// where a mark says that there is more), accuracy 1, 0.5 with an error or a mark of failure and 0 with an error and no
/// output, efficiency the share of the time expected, relevance the share of the intent's words of more than 3 letters
/// that are in the output.
pub struct Quality {
    signals: PatternTable,
}

/// An output, and what was expected of it.
struct Judged {
    run: i64,
    output: String,
    error: Option<String>,
    intent: Option<String>,
    min_size: Option<f64>,
    latency: Option<f64>,
    max_latency: Option<f64>,
}

impl Judged {
    fn read(object: &mut Object<'_>) -> Result<Self, ActuatorError> {
        let number = |value: &Json| value.as_f64().filter(|number| *number >= 0.0);
        let expected = "a number, 0 or more";
        Ok(Self {
            run: object.required("run", "an int", Json::as_i64)?,
            output: object.required("output", "what the tool gave: a string", json::text)?,
            error: object.optional("error", "the text of an error: a string", json::text)?,
            intent: object.optional("intent", "what the user wanted: a string", json::text)?,
            min_size: object.optional("min_size", expected, number)?,
            latency: object.optional("latency_ms", expected, number)?,
            max_latency: object.optional("max_latency_ms", expected, number)?,
        })
    }

    /// The share of the size expected, at most 1.
    fn size(&self) -> Option<f64> {
        self.min_size.map(|least| share(self.output.chars().count() as f64, least))
    }

    /// The share of the time taken that was expected, at most 1.
    fn speed(&self) -> Option<f64> {
        self.max_latency.zip(self.latency).map(|(most, taken)| share(most, taken))
    }

    fn failed(&self) -> Option<f64> {
        self.error.as_ref().map(|_| if self.output.trim().is_empty() { WHOLLY } else { PARTLY })
    }

    /// The issues with their severities, the worst of each.
    fn issues(&self, signals: &PatternTable) -> Vec<(&'static str, f64)> {
        let text = format!("{}\n{}", self.output, self.error.as_deref().unwrap_or_default());
        let shown = signals.labels_of(&text);
        let marks =
            SEVERITY.into_iter().filter(|(issue, _)| shown.iter().any(|label| label.as_str() == *issue));
        let short = |share: Option<f64>| {
            share.filter(|share| *share < 1.0).map(|share| LEAST + (1.0 - LEAST) * (1.0 - share))
        };
        let measured = [
            ("/incomplete", short(self.size())),
            ("/slow", short(self.speed())),
            ("/partial_failure", self.failed()),
        ];
        let mut issues: Vec<(&str, f64)> = marks.collect();
        for (issue, severity) in measured {
            let Some(severity) = severity else { continue };
            match issues.iter_mut().find(|(known, _)| *known == issue) {
                Some((_, known)) => *known = known.max(severity),
                None => issues.push((issue, severity)),
            }
        }
        issues.sort_unstable_by_key(|(issue, _)| *issue);
        issues
    }

    /// The four dimensions, where all are known: completeness, accuracy, efficiency, relevance.
    fn dimensions(&self, issues: &[(&str, f64)]) -> Option<[f64; 4]> {
        let has = |names: &[&str]| issues.iter().any(|(issue, _)| names.contains(issue));
        let goes_on = has(&["/pagination"]);
        let size = self.size()?;
        let accuracy = match self.failed() {
            Some(severity) => 1.0 - severity,
            None if has(&["/partial_failure"]) => 1.0 - PARTLY,
            None => 1.0,
        };
        let wanted = words::words(self.intent.as_ref()?);
        let given = words::words(&self.output);
        let met = wanted.iter().filter(|word| given.contains(*word)).count();
        Some([
            if goes_on { size.min(0.5) } else { size },
            accuracy,
            self.speed()?,
            share(met as f64, wanted.len() as f64),
        ])
    }
}

/// How much of `whole` a part is, at most 1; all of nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > part { part / whole } else { 1.0 }
}

impl Quality {
    /// With the shipped table of marks, or that of the folder `tables`.
    ///
    /// # Errors
    /// A table that can't be read, or that has a mark of something else than an issue.
    pub fn from_tables(tables: Option<&Path>) -> Result<Self, ActuatorError> {
        let signals = PatternTable::load(&SIGNALS, tables)?;
        let unknown =
            signals.labels().iter().find(|label| !SEVERITY.iter().any(|(issue, _)| label.as_str() == *issue));
        match unknown {
            None => Ok(Self { signals }),
            Some(label) => Err(ActuatorError::Table {
                table: SIGNALS.file.to_owned(),
                line: 0,
                expected: SEVERITY.map(|(issue, _)| issue).join(", "),
                found: format!("`{label}`"),
            }),
        }
    }

    /// The facts of a run's output against what was expected of it: a size, and the time that it took and may take.
    #[cfg(all(feature = "scan", feature = "sandbox", target_os = "linux"))]
    pub(super) fn of_run(
        &self,
        run: i64,
        (output, error): (&str, Option<&str>),
        expected: Option<(f64, (f64, f64), &str)>,
    ) -> Vec<Fact> {
        self.facts(&Judged {
            run,
            output: output.to_owned(),
            error: error.map(str::to_owned),
            intent: expected.map(|(_, _, intent)| intent.to_owned()),
            min_size: expected.map(|(size, _, _)| size),
            latency: expected.map(|(_, (latency, _), _)| latency),
            max_latency: expected.map(|(_, (_, most), _)| most),
        })
    }

    fn facts(&self, judged: &Judged) -> Vec<Fact> {
        let run = Value::Int(judged.run);
        let issues = judged.issues(&self.signals);
        let dimensions = judged.dimensions(&issues);
        let quality = dimensions.map(|all| [run].into_iter().chain(all.map(float)).collect::<Vec<_>>());
        let mut facts: Vec<Fact> = quality.into_iter().map(|columns| Fact::new("quality", columns)).collect();
        let found = issues.into_iter();
        facts.extend(
            found.map(|(issue, severity)| Fact::new("quality_issue", [run, name(issue), float(severity)])),
        );
        facts
    }
}

impl Observer for Quality {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "outputs of tools against what was expected: too short, more pages, too slow, errors"
    }

    fn declarations(&self) -> &'static str {
        DECLARATIONS
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Json]
    }

    fn observe(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        input.form(NAME, self.forms())?;
        each_object(input, sink, |object| Ok(self.facts(&Judged::read(object)?)))
    }
}
