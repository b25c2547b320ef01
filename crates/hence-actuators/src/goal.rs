//! `goal`: what a goal's text says of its domain, its shape, and the tools that suit it.

use std::path::Path;

use super::error::ActuatorError;
use super::error_text::id;
use super::input::{Form, Input};
use super::json::{self, Object};
use super::objects::JsonObjects;
use super::table::{self, PatternTable, Shipped};
use super::{Observer, Sink, Summary, words};
use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Value};

/// The name of the observer.
pub const NAME: &str = "goal";

/// Keywords shorter than this are whole words; others may go on (`market` in `marketing`).
const OPEN_KEYWORD: usize = 4;

/// What a longer keyword ends with that is a whole word, too.
const WHOLE: char = '.';

const DOMAINS: Shipped = Shipped {
    file: "domain_keywords.csv",
    columns: ["domain", "keyword"],
    text: include_str!("../../../facts/domain_keywords.csv"),
    names: true,
    case: false,
    unicode: true,
    pattern: keyword_pattern,
};

const TOOLS: Shipped = Shipped {
    file: "tool_patterns.csv",
    columns: ["tool", "pattern"],
    text: include_str!("../../../facts/tool_patterns.csv"),
    names: false,
    case: false,
    unicode: true,
    pattern: str::to_owned,
};

const SHAPES: Shipped = Shipped {
    file: "goal_signals.csv",
    columns: ["signal", "pattern"],
    text: include_str!("../../../facts/goal_signals.csv"),
    names: true,
    case: false,
    unicode: true,
    pattern: str::to_owned,
};

const TASKS: Shipped = Shipped {
    file: "task_signals.csv",
    columns: ["signal", "pattern"],
    text: include_str!("../../../facts/task_signals.csv"),
    names: true,
    case: false,
    unicode: true,
    pattern: str::to_owned,
};

const DECLARATIONS: &str = "\
input goal(goal: string, text: string).
input goal_domain_given(goal: string, domain: name).
input domain_signal(goal: string, domain: name).
input goal_signal(goal: string, signal: name).
input pattern_match(goal: string, tool: string, matched: int, total: int).
input task(task: string, text: string).
input task_signal(task: string, signal: name).
input task_word(task: string, word: string).
input topic_word(task: string, word: string).
input learning_word(learning: string, field: name, word: string).
input cached_word(fingerprint: string, word: string).
input potential_goal(frame: string, overlap: float).
";

fn keyword_pattern(cell: &str) -> String {
    let whole = cell.strip_suffix(WHOLE);
    let keyword = whole.unwrap_or(cell);
    let is_whole = whole.is_some() || keyword.chars().count() < OPEN_KEYWORD;
    let end = if is_whole { r"s?\b" } else { "" };
    format!(r"\b{}{end}", regex::escape(keyword))
}

/// Turns goals into `goal`, `domain_signal`, `goal_signal` and `pattern_match`, and a domain that the user gave
/// into `goal_domain_given`.
///
/// Letter case is ignored. `facts/domain_keywords.csv` (`domain,keyword`) gives the keywords of a domain: from four
/// letters on one matches at the start of a word; a shorter one, and one that ends with a full stop (`ether.`), as a
/// whole word, also with a plural s. `facts/tool_patterns.csv`
/// (`tool,pattern`) gives the patterns of a tool; `pattern_match` is returned for tools of which at least one
/// matches. `facts/goal_signals.csv` (`signal,pattern`) gives the shapes of a goal.
///
/// As lines, each is a goal whose id is the input's name and the line (on standard input `goal-` and a hash of the
/// text). As JSON objects: `text`, and where they are known `goal` (the id) and `domain_given`.
///
/// Other JSON objects give words of more than 3 letters, in lower case, for what is remembered, and the overlap of
/// words between texts (those that both have among all that either has):
///
/// | fields | what they give |
/// | --- | --- |
/// | `task`, `text` | `task`, `task_signal` by `facts/task_signals.csv` (`signal,pattern`), `task_word`, `topic_word` |
/// | `learning`, and some of `trigger`, `lesson`, `applies_to`, `fix` | `learning_word` by field |
/// | `fingerprint`, `text` | `cached_word`: the topic words |
/// | `frame`, `goal_text` (of the frame), `text` (of the goal that may begin) | `potential_goal` |
pub struct Goal {
    domains: PatternTable,
    tools: PatternTable,
    shapes: PatternTable,
    tasks: PatternTable,
}

impl Goal {
    /// With the shipped tables, or those of the folder `tables`.
    ///
    /// # Errors
    /// A table that can't be read.
    pub fn from_tables(tables: Option<&Path>) -> Result<Self, ActuatorError> {
        Ok(Self {
            domains: PatternTable::load(&DOMAINS, tables)?,
            tools: PatternTable::load(&TOOLS, tables)?,
            shapes: PatternTable::load(&SHAPES, tables)?,
            tasks: PatternTable::load(&TASKS, tables)?,
        })
    }

    /// The facts of one goal: the goal itself, then its domains, its shapes and its tools, each in the order of
    /// their table.
    pub fn facts(&self, goal: &str, text: &str) -> Vec<Fact> {
        let goal = Value::String(Symbol::new(goal));
        let mut facts = vec![Fact::new("goal", [goal, Value::String(Symbol::new(text))])];
        let named = |relation: &'static str, labels: Vec<Symbol>| {
            labels.into_iter().map(move |label| Fact::new(relation, [goal, Value::Name(label)]))
        };
        facts.extend(named("domain_signal", self.domains.labels_of(text)));
        facts.extend(named("goal_signal", self.shapes.labels_of(text)));
        facts.extend(self.pattern_matches(goal, text));
        facts
    }

    /// The facts of one task: the task itself, what its words signal, and the words.
    fn task(&self, task: Value, text: &str) -> Vec<Fact> {
        let string = |text: &str| Value::String(Symbol::new(text));
        let mut facts = vec![Fact::new("task", [task, string(text)])];
        let signals = self.tasks.labels_of(text).into_iter();
        facts.extend(signals.map(|signal| Fact::new("task_signal", [task, Value::Name(signal)])));
        facts.extend(words::words(text).iter().map(|word| Fact::new("task_word", [task, string(word)])));
        facts.extend(words::topic(text).iter().map(|word| Fact::new("topic_word", [task, string(word)])));
        facts
    }

    fn pattern_matches(&self, goal: Value, text: &str) -> impl Iterator<Item = Fact> {
        let matched: Vec<Symbol> = self.tools.matches(text, 0).map(|row| self.tools.label(row)).collect();
        let count = |labels: &[Symbol], tool| {
            let count = labels.iter().filter(|label| **label == tool).count();
            Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
        };
        self.tools.labels_of(text).into_iter().map(move |tool| {
            let total = count(self.tools.labels(), tool);
            Fact::new("pattern_match", [goal, Value::String(tool), count(&matched, tool), total])
        })
    }

    fn observe_json(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        let mut lines = JsonObjects::new(input);
        let mut summary = Summary::default();
        while let Some(mut object) = lines.next()? {
            let other = if object.has("task") {
                let id = object.required("task", "an id: a string or an int", json::id)?;
                let text = object.required("text", "a text: a string", json::text)?;
                Some(self.task(Value::String(Symbol::new(&id)), &text))
            } else {
                remembered(&mut object)?
            };
            if let Some(facts) = other {
                assert(facts, &mut summary, sink)?;
                object.leave(&mut summary);
                continue;
            }
            let given = object.optional("goal", "the id of a goal: a string or an int", json::id)?;
            let text = object.required("text", "the text of a goal: a string", json::text)?;
            let domain = object.optional("domain_given", "a name such as \"/marketing\"", |value| {
                value.as_str().and_then(table::name)
            })?;
            let goal = given.unwrap_or_else(|| id_of(object.place.input, object.place.line, &text));
            let mut facts = self.facts(&goal, &text);
            let given = domain.map(|domain| {
                Fact::new("goal_domain_given", [Value::String(Symbol::new(&goal)), Value::Name(domain)])
            });
            facts.splice(1..1, given);
            assert(facts, &mut summary, sink)?;
            object.leave(&mut summary);
        }
        Ok(summary)
    }

    fn observe_lines(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        let name = input.name();
        let mut pieces = input.into_pieces();
        let mut summary = Summary::default();
        while let Some(piece) = pieces.next()? {
            if !piece.starts_line {
                let place = json::Place { input: name, line: piece.line };
                return Err(place.fault("a goal of at most 64 KiB", "a longer line"));
            }
            let text = piece.text.trim();
            if !text.is_empty() {
                assert(self.facts(&id_of(name, piece.line, text), text), &mut summary, sink)?;
            }
        }
        Ok(summary)
    }
}

/// The fields of what was learned.
const LEARNED: [&str; 4] = ["trigger", "lesson", "applies_to", "fix"];

/// The words of something learned or cached, or their overlap for a frame; `None` for a goal.
fn remembered(object: &mut Object<'_>) -> Result<Option<Vec<Fact>>, ActuatorError> {
    let string = |text: &str| Value::String(Symbol::new(text));
    if object.has("fingerprint") {
        let id = string(&object.required("fingerprint", "an id: a string or an int", json::id)?);
        let text = object.required("text", "a text: a string", json::text)?;
        let words = words::topic(&text);
        return Ok(Some(words.iter().map(|word| Fact::new("cached_word", [id, string(word)])).collect()));
    }
    if object.has("learning") {
        let id = string(&object.required("learning", "an id: a string or an int", json::id)?);
        let mut facts = Vec::new();
        for field in LEARNED {
            let text = object.optional(field, "a text: a string", json::text)?.unwrap_or_default();
            let name = Value::Name(Symbol::new(&format!("/{field}")));
            let words = words::words(&text);
            facts.extend(words.iter().map(|word| Fact::new("learning_word", [id, name, string(word)])));
        }
        return Ok(Some(facts));
    }
    if object.has("frame") {
        let id = string(&object.required("frame", "an id: a string or an int", json::id)?);
        let own = object.required("goal_text", "the goal of the frame: a string", json::text)?;
        let text = object.required("text", "the potential goal: a string", json::text)?;
        let overlap = Float::new(words::overlap(&own, &text)).or_broken("a share is a finite number");
        return Ok(Some(vec![Fact::new("potential_goal", [id, Value::Float(overlap)])]));
    }
    Ok(None)
}

fn id_of(input: &str, line: u64, text: &str) -> String {
    let hash: String = blake3::hash(text.as_bytes()).to_hex().chars().take(16).collect();
    id(input, Some(line), "goal", &hash)
}

fn assert(facts: Vec<Fact>, summary: &mut Summary, sink: &mut Sink<'_>) -> Result<(), ActuatorError> {
    summary.records += 1;
    for fact in facts {
        summary.facts += 1;
        sink(fact)?;
    }
    Ok(())
}

impl Observer for Goal {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "goals as text: their domains, their shapes, and how many patterns of each tool they match"
    }

    fn declarations(&self) -> &'static str {
        DECLARATIONS
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Lines, Form::Json]
    }

    fn observe(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        match input.form(NAME, self.forms())? {
            Form::Json => self.observe_json(input, sink),
            _ => self.observe_lines(input, sink),
        }
    }
}
