//! An agent's day in one process: it asks before each tool call, reports after it, asks for more freedom and is told
//! why not; and in the evening every decision of the day is asked why.
//!
//! `cargo run --example embed [DIR]` keeps the ledger of the day in DIR, without one in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::io::{self, Write};

use hence::actuators::{Input, observer};
use hence::fact::Fact;
use hence::ledger::{Ledger, OpenOptions};
use hence::literal;
use hence::proof::proof::{NoOrigins, Proof, StepKind};
use hence::proof::{Finder, render};
use hence::session::{self, CommitOutcome, CommitRequest, DecisionId, Roles, RuleSource, Session};
use hence::symbol::Symbol;
use hence::value::Value;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The day, a Tuesday.
const DAY: &str = "2026-02-10";

/// What the world and the agent's people tell it: when, who, and what, as facts are written in rules.
const DAY_OF_OTHERS: [(&str, &str, &[&str]); 11] = [
    // Three complaints of one kind: feedback proposes a constraint.
    (
        "08:10",
        "grace",
        &[
            r#"feedback("f1", "web_search", /marketing, /negative, /penalize, @2026-02-08T10:00:00Z)"#,
            r#"feedback_goal("f1", "pricing")"#,
            r#"feedback("f2", "web_search", /marketing, /negative, /penalize, @2026-02-09T10:00:00Z)"#,
            r#"feedback_goal("f2", "pricing")"#,
            r#"feedback("f3", "web_search", /marketing, /negative, /penalize, @2026-02-10T08:05:00Z)"#,
            r#"feedback_goal("f3", "pricing")"#,
        ],
    ),
    // People edit and reject drafts: the edits teach.
    (
        "08:30",
        "grace",
        &[
            r#"draft_edit("d1", "mail-1", /shorter)"#,
            r#"draft_edit("d2", "mail-2", /shorter)"#,
            r#"draft_rejection("d3", "mail-3")"#,
            r#"similar("d1", "d2", 0.9)"#,
            r#"similar("d2", "d3", 0.85)"#,
        ],
    ),
    // What the lesson becomes takes effect only with a reviewer's yes.
    (
        "08:40",
        "ada",
        &[
            r#"proposal("p1", /strong_rule, 0.9, @2026-02-10T08:35:00Z)"#,
            r#"proposal_review("p1", true, "ada", @2026-02-10T08:40:00Z)"#,
        ],
    ),
    // A monitor sees three errors in an hour where none is usual.
    (
        "10:05",
        "monitor",
        &[
            "event(\"m1\", /api, /server_error, @2026-02-10T09:05:00Z)",
            "event(\"m2\", /api, /server_error, @2026-02-10T09:06:00Z)",
            "event(\"m3\", /api, /server_error, @2026-02-10T09:07:00Z)",
            "event(\"m4\", /db, /slow_query, @2026-02-10T09:07:30Z)",
            r#"event_similarity("m3", "m4", 0.8)"#,
        ],
    ),
    // A guardrail stops a payment until a person lets this one past.
    ("10:30", "agent", &[r#"guarded_event("payment-7", /financial)"#]),
    ("10:45", "ada", &[r#"override_review("payment-7", /financial, true, "ada", @2026-02-10T10:45:00Z)"#]),
    // Somebody wants a report built; a script for it wants too much.
    (
        "11:00",
        "grace",
        &[
            r#"build_request("weekly-report")"#,
            r#"script_import("report.py", "subprocess")"#,
            r#"script_limits("report.py", 30.0, 64.0, 1000)"#,
        ],
    ),
    // A tool was generated: what its source calls, the actuator sees.
    ("11:30", "agent", &[r#"stage_passed("fetch_docs", /specification)"#]),
    // A plan: its first step did not compile, and can be mended.
    (
        "13:00",
        "agent",
        &[
            r#"step("login", 0, "src/login.rs")"#,
            r#"step("login", 1, "src/main.rs")"#,
            r#"attempt("login", 0, 1, /type_error, true)"#,
        ],
    ),
    // A frame of work has grown: a new one is due. A cached context is about a file that has changed.
    (
        "14:00",
        "agent",
        &[
            r#"frame("login", "make people log in")"#,
            r#"frame_state("login", 60, 7, 12, 90000, 200000, 0, 0, 0, 0, 0.1)"#,
            r#"potential_goal("login", 0.1)"#,
            r#"cached("ctx-1", @2026-02-10T13:58:00Z)"#,
            r#"cached_word("ctx-1", "login")"#,
            r#"file_changed("login")"#,
        ],
    ),
    // A task ended, and not all of its reasoning was written down.
    (
        "17:00",
        "agent",
        &[
            r#"trace_step("login", /observe, "the build fails", @2026-02-10T13:05:00Z)"#,
            r#"trace_step("login", /act, "changed the type", @2026-02-10T13:10:00Z)"#,
            r#"trace_outcome("login", /success)"#,
        ],
    ),
];

/// The source of the generated tool: it logs that it begins, and calls what it must not.
const FETCH_DOCS: &str = r#"package tools

import (
	"log"
	"net/http"
	"os"
)

func FetchDocs(url string) (*http.Response, error) {
	log.Println("[ENTRY] fetch_docs")
	os.RemoveAll("/tmp/docs")
	return http.Get(url)
}
"#;

/// The repository that the agent works in: two modules import each other.
const REPOSITORY: [(&str, &str); 3] = [
    ("src/main.rs", "mod login;\nmod session;\n\nfn main() {\n    login::log_in();\n}\n"),
    ("src/login.rs", "use crate::session::Session;\n\npub fn log_in() -> Session {\n    Session::new()\n}\n"),
    ("src/session.rs", "use crate::login::log_in;\n\npub struct Session;\n"),
];

/// A tool call of the agent: when, the tool, and what came of it as the agent logs it.
const CALLS: [(&str, &str, &str); 4] = [
    (
        "09:00",
        "web_search",
        r#"{"run": 1, "tool": "web_search", "domain": "marketing", "ok": true, "at": "2026-02-10T09:00:00Z", "latency": "900ms"}"#,
    ),
    (
        "09:20",
        "read_file",
        r#"{"run": 2, "tool": "read_file", "domain": "engineering", "ok": false, "at": "2026-02-10T09:20:00Z", "latency": "20ms", "error": "error[E0308]: mismatched types"}"#,
    ),
    (
        "09:40",
        "deploy",
        r#"{"run": 3, "tool": "deploy", "ok": true, "at": "2026-02-10T09:40:00Z", "latency": "20s"}"#,
    ),
    (
        "15:00",
        "calculate",
        r#"{"run": 4, "tool": "calculate", "domain": "operations", "ok": false, "at": "2026-02-10T15:00:00Z", "latency": "5ms", "failure_mode": "division_by_zero"}"#,
    ),
];

/// An agent over a session.
struct Agent<'a> {
    session: Session,
    /// Microseconds since the epoch.
    now: i64,
    /// The decisions of the day, in the order in which they were drawn.
    drawn: Vec<DecisionId>,
    log: &'a mut dyn Write,
}

impl Agent<'_> {
    fn at(&mut self, time: &str) -> Result<()> {
        self.now = literal::parse_time(&format!("{DAY}T{time}:00Z")).ok_or("no time")?;
        writeln!(self.log, "\n{time}")?;
        Ok(())
    }

    /// Commits facts, and tells what they decided.
    fn tell(&mut self, author: &str, facts: Vec<Fact>) -> Result<CommitOutcome> {
        let change = CommitRequest {
            assertions: facts,
            author: author.to_owned(),
            source: String::from("embed"),
            time: self.now,
            now: self.now,
            list: true,
            ..CommitRequest::default()
        };
        let outcome = self.session.commit(change, false)?;
        for decision in &outcome.drawn {
            let id = outcome.id(&decision.fact).ok_or("the ledger gives ids")?;
            self.drawn.push(id);
            let because = decision.sentence.as_deref().unwrap_or_default();
            writeln!(self.log, "  {id} {}: {because}", decision.fact)?;
        }
        for lapsed in &outcome.lapsed {
            writeln!(self.log, "  lapsed: {}", lapsed.fact)?;
        }
        Ok(outcome)
    }

    fn say(&mut self, author: &str, facts: &[&str]) -> Result<CommitOutcome> {
        let facts = facts.iter().map(|text| session::read_fact(self.session.rules(), text));
        let facts = facts.collect::<std::result::Result<Vec<_>, _>>()?;
        self.tell(author, facts)
    }

    /// Hands a text, called `input`, to an observer, and commits what it sees.
    fn observe(&mut self, name: &str, input: &str, text: &str) -> Result<CommitOutcome> {
        let mut facts = Vec::new();
        observer(name, None)?.observe(Input::new(input, None, &mut text.as_bytes()), &mut |fact| {
            facts.push(fact);
            Ok(())
        })?;
        self.tell(name, facts)
    }

    /// Scans the repository, and commits what it looks like.
    fn scan(&mut self) -> Result<CommitOutcome> {
        let root = std::env::temp_dir().join(format!("hence-embed-{}-{:p}", std::process::id(), self));
        for (file, text) in REPOSITORY {
            let path = root.join(file);
            fs::create_dir_all(path.parent().ok_or("no folder")?)?;
            fs::write(path, text)?;
        }
        let mut facts = Vec::new();
        let scanned = observer("codebase", None)?.observe_folder(&root, &|_, _| {}, &mut |fact| {
            facts.push(fact);
            Ok(())
        });
        fs::remove_dir_all(&root)?;
        scanned?;
        self.tell("codebase", facts)
    }

    /// Whether a tool may be called now.
    fn may_call(&mut self, call: &str, tool: &str) -> Result<bool> {
        let outcome = self.say("agent", &[&format!("tool_call({call:?}, {tool:?})")])?;
        let allowed = Fact::new("tool_allowed", [Value::String(Symbol::new(tool))]);
        Ok(outcome.standing.iter().any(|decision| decision.fact == allowed))
    }

    /// Asks before the call, makes it, and reports after it.
    fn call(&mut self, number: usize, tool: &str, log: &str) -> Result<()> {
        if self.may_call(&format!("c{number}"), tool)? {
            self.observe("tool-run", "day.jsonl", log)?;
        } else {
            writeln!(self.log, "  the agent does not call {tool}")?;
        }
        Ok(())
    }

    /// Why a decision that the agent hoped for was not drawn.
    fn why_not(&mut self, relation: &str, pattern: &[Option<Value>]) -> Result<String> {
        let rules = self.session.rules();
        let evaluation = self.session.evaluate(self.now)?;
        let finder = Finder::new(&rules.program, &evaluation.model, &rules.sources, &NoOrigins);
        let relation = rules.program.find(Symbol::new(relation)).ok_or("no such relation")?;
        Ok(finder.why_not_briefly(relation, pattern))
    }

    /// Asks for a level, and is told why it is not given.
    fn ask_for_more_freedom(&mut self) -> Result<()> {
        self.at("12:00")?;
        self.say("agent", &[r#"session("s1", true, 0.9, @2026-02-10T11:55:00Z)"#])?;
        self.say("agent", &[r#"escalation_request("r1", 2, "I know my work", @2026-02-10T12:00:00Z)"#])?;
        let wanted = [Some(Value::String(Symbol::new("r1"))), None, None];
        let why = self.why_not("escalate", &wanted)?;
        writeln!(self.log, "  not yet: {why}")?;
        self.at("12:30")?;
        self.say("ada", &[r#"escalation_review("r1", true, "ada", "go on", @2026-02-10T12:30:00Z)"#])?;
        let why = self.why_not("escalate", &wanted)?;
        writeln!(self.log, "  still not: {why}")?;
        Ok(())
    }

    /// What the agent is there for in the morning: its tools, its goals, what it knows of earlier runs.
    fn wake(&mut self) -> Result<()> {
        self.at("08:00")?;
        self.say("ada", &[r#"reviewer("ada")"#])?;
        let tools = CALLS.map(|(_, tool, _)| format!("tool({tool:?})"));
        self.say("agent", &tools.each_ref().map(String::as_str))?;
        let goals = [
            r#"{"goal": "g1", "text": "Design the login page and then compare it with the old one"}"#,
            r#"{"goal": "g2", "text": "Search the web for competitor pricing", "domain_given": "marketing"}"#,
        ];
        self.observe("goal", "day.jsonl", &goals.join("\n"))?;
        for run in 1..=3 {
            let at = format!("@2026-02-0{}T10:00:00Z", run + 5);
            let ran = format!("tool_execution({run}, \"fetch_docs\", true, {at})");
            let quality = format!("quality({run}, 0.3, 0.4, 0.3, 0.4)");
            self.say("judge", &[&ran, &quality])?;
        }
        Ok(())
    }

    /// Asks every decision of the day why, and the codebase, which draws none, about the circle in it. Returns how
    /// many answers each pack gave.
    fn evening(&mut self) -> Result<BTreeMap<String, usize>> {
        let mut packs: BTreeMap<String, usize> = BTreeMap::new();
        let mut shown = BTreeSet::new();
        writeln!(self.log, "\nwhy")?;
        for id in std::mem::take(&mut self.drawn) {
            let drawn = self.session.why_drawn(id, None)?;
            let proof = drawn.proof.ok_or_else(|| format!("{id} has no proof"))?;
            let pack = pack_of(&proof).ok_or_else(|| format!("{id} follows from no rule"))?;
            if shown.insert(pack.clone()) {
                let tree = render::tree(&proof, &drawn.rules.program, &render::Layout::default());
                writeln!(self.log, "\n{pack}, decision {id}\n{tree}")?;
            }
            *packs.entry(pack).or_default() += 1;
        }
        let because = self.session.why("import_cycle(_, _)", self.now, None)?;
        for proof in &because.proofs {
            *packs.entry(pack_of(proof).ok_or("a circle follows from rules")?).or_default() += 1;
            let program = &self.session.rules().program;
            writeln!(self.log, "\n{}", render::tree(proof, program, &render::Layout::default()))?;
        }
        Ok(packs)
    }
}

/// The pack whose rule derives the fact of a proof.
fn pack_of(proof: &Proof) -> Option<String> {
    match &proof.root()?.kind {
        StepKind::Derived(step) => step.place.file.split('/').nth(1).map(str::to_owned),
        _ => None,
    }
}

/// The day from morning to evening over `ledger`; how many decisions of each pack were asked why.
///
/// # Errors
/// Whatever goes wrong.
pub(crate) fn day(ledger: Ledger, log: &mut dyn Write) -> Result<BTreeMap<String, usize>> {
    let roles = Roles::new(BTreeMap::from([(String::from("reviewer"), vec![String::from("ada")])]));
    let session = Session::over_ledger(RuleSource::default().build()?, ledger).with_roles(roles);
    let mut agent = Agent { session, now: 0, drawn: Vec::new(), log };
    agent.wake()?;
    let mut calls = CALLS.iter().enumerate().peekable();
    let mut asked = false;
    for (time, author, facts) in DAY_OF_OTHERS {
        while let Some((number, (at, tool, log))) = calls.next_if(|(_, (at, ..))| *at < time) {
            agent.at(at)?;
            agent.call(number, tool, log)?;
        }
        if !asked && time > "12:00" {
            agent.ask_for_more_freedom()?;
            asked = true;
        }
        agent.at(time)?;
        agent.say(author, facts)?;
        match time {
            "11:30" => drop(agent.observe("source", "fetch_docs.go", FETCH_DOCS)?),
            "13:00" => drop(agent.scan()?),
            _ => {}
        }
    }
    agent.evening()
}

/// Runs the day and prints it.
///
/// # Errors
/// Whatever goes wrong.
fn main() -> Result<()> {
    let ledger = match std::env::args().nth(1) {
        Some(folder) => Ledger::open(folder, &OpenOptions::default())?,
        None => Ledger::memory()?,
    };
    let mut out = io::stdout().lock();
    let packs = day(ledger, &mut out)?;
    writeln!(out, "\nasked why")?;
    for (pack, decisions) in &packs {
        writeln!(out, "  {pack}: {decisions}")?;
    }
    Ok(())
}
