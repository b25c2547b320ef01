//! Questions of each kind over facts made for them: what is read of a ledger, and that the answer is the same.

use hence::session::{EvaluationScope, Loader, RuleSet, Session, check};
use hence_core::fact::Fact;
use hence_core::schema::Kind;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_engine::SemiNaive;
use hence_engine::{Database, Engine, LimitReached, Limits, Model};
use hence_lang::ir::Program;
use hence_ledger::{Draft, When};

use super::{NOW, ledger, session};

const RULES: &str = r#"
## A way from one place to the next.
input edge(from: int, to: int).
## Where the way is closed.
input closed(at: int).
## A reading of a sensor.
input reading(sensor: string, level: int, kind: /warm | /cold).
## From here on a reading is high.
param high: int = 90.
## The sensor that is watched.
param watched: string = "s7".

## Whom a place leads to.
path(A, B) :- edge(A, B).
path(A, C) :- path(A, B), edge(B, C).
## What can be reached without a closed place.
open(A, B) :- path(A, B), !closed(B).
## How many readings a sensor has, and its highest.
summary(S, count(), max(L)) :- reading(S, L, _).
## The highest readings of a sensor.
top(S, L, R) :- reading(S, L, _) limit 2 per S by L desc as R.
## The highest readings of all.
best(S, L) :- reading(S, L, _) limit 3 by L desc.
## What is to be told.
decision alert(sensor: string, level: int).
@because("{Sensor} read {Level}, more than {high}")
alert(Sensor, Level) :- reading(Sensor, Level, /warm), Level > high, !muted(Sensor).
## The watched sensor.
relation muted(sensor: string).
muted(S) :- reading(S, 13, /cold).
## The share of a sensor.
decision share(sensor: string, part: int).
share(S, 100 / L) :- reading(S, L, _).
## A reading of the sensor that is watched.
seen(L) :- reading(watched, L, _).
"#;

fn rules() -> RuleSet {
    let mut loader = Loader::default();
    loader.text("ways.dl", RULES);
    let findings = check(loader.finish(), &[]);
    *findings.rules.unwrap_or_else(|| panic!("{:?}", findings.faults.diagnostics))
}

/// Chains of 20 places each, and 40 sensors with 25 readings each.
fn facts() -> Vec<Fact> {
    let int = |at: i64| Value::Int(at);
    let edges = (0..4000).filter(|at| at % 20 != 19).map(|at| Fact::new("edge", [int(at), int(at + 1)]));
    let closed = (0..40).map(|at| Fact::new("closed", [int(at * 100 + 5)]));
    let kind = |at: i64| Value::Name(Symbol::new(if at % 2 == 0 { "/warm" } else { "/cold" }));
    let readings = (0..1000).map(|at| {
        let sensor = Value::String(Symbol::new(&format!("s{}", at % 40)));
        Fact::new("reading", [sensor, int(at * 7 % 101), kind(at / 40)])
    });
    edges.chain(closed).chain(readings).collect()
}

/// The engine, which tells how many input facts it was given last.
#[derive(Default)]
struct Counting(std::sync::Arc<std::sync::atomic::AtomicUsize>);

impl Engine for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn evaluate(&self, program: &Program, input: Database, limits: &Limits) -> Result<Model, LimitReached> {
        let own = program.relations.iter().zip(&input.relations);
        let own = own
            .filter(|(relation, _)| relation.kind == Kind::Input && !relation.name.as_str().starts_with('?'));
        self.0.store(own.map(|(_, rows)| rows.len()).sum(), std::sync::atomic::Ordering::Relaxed);
        SemiNaive.evaluate(program, input, limits)
    }
}

/// The rows of the answer, which must be those from everything, and how many facts were read for them.
fn ask(question: &str) -> (usize, usize) {
    let (rules, facts) = (rules(), facts());
    let everything = session(&rules, &facts, EvaluationScope::Everything).query(question, NOW).unwrap();
    let counting = Counting::default();
    let read = counting.0.clone();
    let sliced = session(&rules, &facts, EvaluationScope::Facts).with_engine(Box::new(counting));
    let answer = sliced.query(question, NOW).unwrap();
    assert_eq!(answer.rows, everything.rows, "{question}");
    (answer.rows.len(), read.load(std::sync::atomic::Ordering::Relaxed))
}

#[test]
fn a_recursion_reads_what_is_reachable() {
    let (rows, read) = ask("path(40, X)");
    assert_eq!(rows, 19);
    assert!(read < 30, "{read} facts");
    let (rows, read) = ask("path(X, 45)");
    assert_eq!(rows, 5);
    assert!(read > 3000, "nothing leads from the last column: {read} facts");
}

#[test]
fn a_negated_relation_is_read_where_it_matters() {
    let (rows, read) = ask("open(100, X)");
    assert_eq!(rows, 18);
    assert!(read < 60, "{read} facts");
}

#[test]
fn a_group_is_read_whole_and_no_other() {
    let (rows, read) = ask("summary(\"s3\", N, L)");
    assert_eq!(rows, 1);
    assert!((25..30).contains(&read), "{read} facts");
    let (_, read) = ask("summary(S, 25, L)");
    assert!(read >= 1000, "the count tells no group: {read} facts");
}

#[test]
fn a_limit_is_read_whole_unless_it_is_bound_by_its_group() {
    let (rows, read) = ask("top(\"s3\", L, R)");
    assert_eq!(rows, 2);
    assert!((25..30).contains(&read), "{read} facts");
    let (_, read) = ask("best(\"s3\", L)");
    assert!(read >= 1000, "{read} facts");
}

#[test]
fn a_parameter_and_an_equality_lead_to_facts_like_a_constant() {
    let (rows, read) = ask("seen(L)");
    assert_eq!(rows, 25);
    assert!(read < 30, "{read} facts");
    let (rows, read) = ask("summary(S, N, _), S = \"s9\"");
    assert_eq!(rows, 1);
    assert!(read < 30, "{read} facts");
}

#[test]
fn a_question_joins_what_it_asks() {
    let (rows, read) = ask("path(60, X), edge(X, Y), !closed(Y), Y < 70");
    assert!(rows > 5 && read < 80, "{rows} rows of {read} facts");
}

#[test]
fn a_decision_is_proved_from_what_it_needs() {
    let (rules, facts) = (rules(), facts());
    let everything = session(&rules, &facts, EvaluationScope::Everything);
    let alerts = everything.query("alert(S, L)", NOW).unwrap().rows;
    assert!(alerts.len() > 10);
    let counting = Counting::default();
    let read = counting.0.clone();
    let sliced = session(&rules, &facts, EvaluationScope::Facts).with_engine(Box::new(counting));
    for row in alerts.iter().take(5) {
        let question = format!("alert({}, {})", row[0], row[1]);
        let (one, other) = (everything.why(&question, NOW, None), sliced.why(&question, NOW, None));
        assert_eq!(one.unwrap().proofs, other.unwrap().proofs, "{question}");
    }
    for question in ["path(80, 90)", "summary(\"s4\", _, _)", "top(\"s4\", _, 2)", "path(40, X)"] {
        let (one, other) = (everything.why(question, NOW, None), sliced.why(question, NOW, None));
        assert_eq!(one.unwrap().proofs, other.unwrap().proofs, "{question}");
        let read = read.load(std::sync::atomic::Ordering::Relaxed);
        assert!(read < 40, "{question}: {read} facts");
    }
}

#[test]
fn a_fact_that_does_not_hold_shows_the_nearest_of_all() {
    let (rules, facts) = (rules(), facts());
    let instead = |reach| session(&rules, &facts, reach).why("path(40, 90)", NOW, None).unwrap().instead;
    assert_eq!(instead(EvaluationScope::Facts), instead(EvaluationScope::Everything));
    assert!(!instead(EvaluationScope::Facts).is_empty());
    let refused = |reach| {
        let refused =
            session(&rules, &facts, reach).why_not("open(100, 105)", NOW, std::time::Duration::ZERO);
        format!("{:?}", refused.unwrap().answer)
    };
    assert_eq!(refused(EvaluationScope::Facts), refused(EvaluationScope::Everything));
}

#[test]
fn an_operation_without_a_result_is_found_wherever_the_asked_relation_needs_it() {
    let (rules, facts) = (rules(), facts());
    let sliced = session(&rules, &facts, EvaluationScope::FactsAlways);
    let derived = sliced.derive(&[String::from("share")], NOW).unwrap();
    let open = derived.undetermined.first().unwrap().to_string();
    assert!(open.starts_with("share(") && open.ends_with(", _)"), "{open}");
    assert!(!derived.reports.is_empty());
    // Asked for one sensor, the others are still gone through: what is reported hangs on them.
    let everything = session(&rules, &facts, EvaluationScope::Everything);
    let (one, other) =
        (sliced.query("share(\"s3\", P)", NOW).unwrap(), everything.query("share(\"s3\", P)", NOW).unwrap());
    assert_eq!((one.rows, one.reports), (other.rows, other.reports));
    assert!(!sliced.why("share(\"s3\", 1)", NOW, None).unwrap().undetermined);
    let because = sliced.why(&open, NOW, None).unwrap();
    assert!(because.undetermined && !because.proofs.is_empty());
    // Nothing is said of it where nobody asks.
    let alerts = sliced.derive(&[String::from("alert")], NOW).unwrap();
    assert!(alerts.reports.is_empty() && alerts.undetermined.is_empty());
    assert_eq!(sliced.derive(&[], NOW).unwrap().undetermined, derived.undetermined);
}

#[test]
fn the_past_is_asked_in_full() {
    let (rules, all) = (rules(), facts());
    let mut ledger = ledger(&all);
    let gone: Vec<Fact> = all.iter().filter(|fact| fact.relation.as_str() == "edge").cloned().collect();
    ledger.commit(&Draft { retractions: gone, ..Draft::default() }).unwrap();
    let session = Session::over_ledger(rules, ledger).with_as_of(When::Tx(1));
    let rows = session.query("path(40, X)", NOW).unwrap().rows;
    assert_eq!(rows.len(), 19);
    let session = session.with_as_of(When::Now);
    assert!(session.query("path(40, X)", NOW).unwrap().rows.is_empty());
}

#[test]
fn facts_of_another_shape_and_texts_with_a_zero_byte_are_told_apart() {
    let (rules, mut all) = (rules(), facts());
    let warm = Value::Name(Symbol::new("/warm"));
    let odd = ["a", "a\0", "a\0b"].map(|name| Value::String(Symbol::new(name)));
    all.extend(odd.map(|sensor| Fact::new("reading", [sensor, Value::Int(95), warm])));
    let long = "x".repeat(400);
    for end in ["1", "2"] {
        let sensor = Value::String(Symbol::new(&format!("{long}{end}")));
        all.push(Fact::new("reading", [sensor, Value::Int(97), warm]));
    }
    let [one, other] =
        [EvaluationScope::Everything, EvaluationScope::FactsAlways].map(|reach| session(&rules, &all, reach));
    for sensor in ["\"a\"", "\"a\\u{0}\"", "\"a\\u{0}b\"", &format!("\"{long}1\"")] {
        let question = format!("summary({sensor}, N, L)");
        let rows = one.query(&question, NOW).unwrap().rows;
        assert_eq!(rows.len(), 1, "{question}");
        assert_eq!(rows, other.query(&question, NOW).unwrap().rows, "{question}");
    }
    // A fact of another shape is never left out: no question is answered beside it.
    for odd in [vec![odd[0], Value::Int(96)], vec![odd[0], Value::Bool(true), warm]] {
        let all = [all.as_slice(), &[Fact::new("reading", odd)]].concat();
        for reach in [EvaluationScope::Everything, EvaluationScope::FactsAlways] {
            assert!(session(&rules, &all, reach).query("summary(\"a\", N, L)", NOW).is_err());
        }
    }
}
