//! What a fuzz run does with bytes that come from outside: exports, mails, reports, source, schedules, registries, receipts.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use hence::session::{Schedules, Session};
use hence_actuators::carry::{Carrier, FactRows, Order, World};
use hence_actuators::mcp::McpActuator;
use hence_actuators::mcp_settings::{McpSettings, Registry};
use hence_actuators::{Form, Input, Observer, observer, relations};
use hence_core::fact::Fact;
use hence_core::json;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{Note, Receipt};

thread_local! {
    /// The observers, whose tables are read once.
    static OBSERVERS: RefCell<BTreeMap<String, Rc<dyn Observer>>> = RefCell::default();
}

fn known(name: &str) -> Rc<dyn Observer> {
    let make = || Rc::from(observer(name, None).expect("a known observer"));
    OBSERVERS.with_borrow_mut(|known| Rc::clone(known.entry(name.to_owned()).or_insert_with(make)))
}

/// Observes bytes twice: both times the same facts, of relations that the observer declares, or the same error.
fn observe(name: &str, input: &str, form: Form, bytes: &[u8]) {
    let observer = known(name);
    let look = || {
        let (mut reader, mut facts) = (bytes, Vec::new());
        let seen = observer.observe(Input::new(input, Some(form), &mut reader), &mut |fact| {
            facts.push(fact);
            Ok(())
        });
        (facts, seen.map_err(|error| error.to_string()))
    };
    let (facts, seen) = look();
    for fact in &facts {
        let is_declared = relations(observer.as_ref()).any(|relation| relation == fact.relation.as_str());
        assert!(is_declared, "{fact}");
        let line = json::line(fact);
        assert!(!line.contains('\n'), "{line}");
    }
    match &seen {
        Ok(summary) => assert_eq!(summary.facts, facts.len() as u64),
        Err(error) => assert!(!error.is_empty()),
    }
    assert_eq!(look(), (facts, seen));
}

/// Reads bytes as exports of OpenTelemetry and lines of an agent, in JSON and in protobuf.
pub fn spans(bytes: &[u8]) {
    observe("tool-run", "log", Form::Json, bytes);
    observe("tool-run", "log", Form::Protobuf, bytes);
}

/// Reads bytes as mails of an mbox, and as tickets.
pub fn events(bytes: &[u8]) {
    observe("event", "inbox", Form::Mail, bytes);
    observe("event", "inbox", Form::Json, bytes);
}

/// Reads bytes as the output of a test runner, a JUnit report among them, and as attempts.
pub fn tests(bytes: &[u8]) {
    observe("test-output", "plan.log", Form::Text, bytes);
    observe("test-output", "plan.log", Form::Json, bytes);
}

/// Reads bytes as source of each language.
pub fn source(bytes: &[u8]) {
    for name in ["a.go", "a.py", "a.js", "a.ts", "a.rs", "a.sh", "a"] {
        observe("source", name, Form::Text, bytes);
    }
    observe("source", "a.jsonl", Form::Json, bytes);
}

/// Reads bytes as drafts before and after.
pub fn edits(bytes: &[u8]) {
    observe("edit", "edits", Form::Json, bytes);
}

/// Reads the first line of bytes as a cron expression and the second as a zone; the instants of it ascend.
pub fn schedules(bytes: &[u8]) {
    const RULES: &str = "input schedule(name: string, cron: string, zone: string).\n\
        input tick(name: string, at: time).\nrelation r(x: string).\nr(X) :- schedule(X, _, _), tick(X, _).\n";
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut lines = text.lines();
    let text = |text: &str| Value::String(Symbol::new(text));
    let (cron, zone) = (lines.next().unwrap_or_default(), lines.next().unwrap_or("UTC"));
    let rules = super::check(RULES).rules.expect("correct rules");
    let fact = Fact::new("schedule", [text("s"), text(cron), text(zone)]);
    let mut session = Session::over_facts(*rules, vec![fact]).unwrap();
    let mut now = 1_770_000_000_000_000;
    let Ok(Some(mut schedules)) = Schedules::of(&mut session, now) else { return };
    assert!(schedules.next().is_some() || !schedules.take_faults().is_empty() || !cron.is_empty());
    for _ in 0..3 {
        let Some(next) = schedules.next() else { return };
        assert!(next > now, "{cron}: {next} is not after {now}");
        assert_eq!(schedules.due(next, next).len(), 1, "{cron}");
        now = next;
    }
}

/// Nothing else holds.
struct Empty;

impl World for Empty {
    fn rows(&self, _: &str) -> Result<FactRows, String> {
        Ok(FactRows::default())
    }
}

/// A file of this run's own.
fn own_file() -> PathBuf {
    std::env::temp_dir().join(format!("hence-fuzz-{}", std::process::id()))
}

/// Reads bytes as a registry of servers; what is stated of it is facts, each on a line.
pub fn registries(bytes: &[u8]) {
    let path = own_file();
    fs::write(&path, bytes).expect("a file for a registry");
    let settings = McpSettings {
        registries: vec![Registry::File(path.clone())],
        servers: path.clone(),
        programs: Vec::new(),
        hosts: Vec::new(),
        env: Vec::new(),
        time_limit: Duration::from_secs(10),
    };
    let text = |text: &str| Value::String(Symbol::new(text));
    let decision = Fact::new("search_servers", [text("g"), text("shopify orders")]);
    let columns = ["gap", "capability"].map(str::to_owned);
    let order = Order {
        id: "1.1",
        attempt: 1,
        decision: &decision,
        columns: &columns,
        rule: None,
        because: None,
        now: 0,
        world: &Empty,
    };
    let found = McpActuator { settings }.carry_out(&order);
    let _ = fs::remove_file(&path);
    match found {
        Ok(report) => {
            let lines: Vec<&str> = report.lines.lines().collect();
            assert!(
                lines.iter().all(|line| line.starts_with('{') && line.ends_with('}')),
                "{}",
                report.lines
            );
            assert!(lines.last().is_some_and(|line| line.contains("servers_searched")), "{}", report.lines);
        }
        Err(failed) => assert!(!failed.message.is_empty()),
    }
}

/// Reads bytes as a signed note and as a receipt; what is read is written and read again, and what it proves is checked.
pub fn receipts(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(note) = Note::parse(text) {
        assert_eq!(note.text(), text);
    }
    let Ok(json) = serde_json::from_str(text) else { return };
    let Ok((receipt, place)) = Receipt::read(&json) else { return };
    let _ = receipt.check();
    assert_eq!(Receipt::read(&receipt.json(place)), Ok((receipt, place)));
}
