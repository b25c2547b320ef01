//! Recorded facts under columns that change: random changes that compare, beside a plain model.

use std::collections::{BTreeMap, BTreeSet};

use hence::session::{CommitRequest, Loader, RuleSet, Session, SessionError, check};
use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{Draft, Ledger, When};
use proptest::prelude::*;

/// A column of the model: its name, its place among the types, its default, and how many names its set has.
#[derive(Clone, Debug, PartialEq)]
struct Column {
    name: String,
    text: bool,
    default: Option<i64>,
    /// The size of its closed set, for a column of names.
    set: Option<i64>,
}

impl Column {
    fn value(&self, number: i64) -> Value {
        match (self.set, self.text) {
            (Some(size), _) => Value::Name(Symbol::new(&format!("/n{}", number.rem_euclid(size)))),
            (None, true) => Value::String(Symbol::new(&format!("t{}", number.rem_euclid(3)))),
            (None, false) => Value::Int(number.rem_euclid(3)),
        }
    }

    fn text(&self) -> String {
        let ty = match (self.set, self.text) {
            (Some(size), _) => (0..size).map(|at| format!("/n{at}")).collect::<Vec<_>>().join(" | "),
            (None, true) => String::from("string"),
            (None, false) => String::from("int"),
        };
        let default = self.default.map(|number| format!(" = {}", self.value(number))).unwrap_or_default();
        format!("{}: {ty}{default}", self.name)
    }
}

#[derive(Clone, Debug)]
enum Step {
    Assert(Vec<i64>),
    Retract(Vec<i64>),
    Add(bool, Option<i64>, i64),
    Swap(usize, usize),
    Grow(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let values = || prop::collection::vec(0i64..4, 8);
    prop_oneof![
        4 => values().prop_map(Step::Assert),
        3 => values().prop_map(Step::Retract),
        1 => (any::<bool>(), prop::option::of(1i64..3), 0i64..3).prop_map(|(text, set, default)| Step::Add(text, set, default)),
        1 => (0usize..6, 0usize..6).prop_map(|(a, b)| Step::Swap(a, b)),
        1 => (0usize..6).prop_map(Step::Grow),
    ]
}

fn rules(columns: &[Column]) -> RuleSet {
    let columns: Vec<String> = columns.iter().map(Column::text).collect();
    let mut loader = Loader::default();
    loader.text(
        "rules.dl",
        &format!(
            "input r({}). decision d(a: string, b: string). d(A, B) :- r(a: A, b: B).",
            columns.join(", ")
        ),
    );
    *check(loader.finish(), &[]).rules.unwrap()
}

type Row = BTreeMap<String, Value>;

fn row(columns: &[Column], numbers: &[i64]) -> Row {
    columns.iter().zip(numbers).map(|(column, number)| (column.name.clone(), column.value(*number))).collect()
}

fn fact(columns: &[Column], row: &Row) -> Fact {
    Fact::new("r", columns.iter().map(|column| row[&column.name]).collect::<Vec<_>>())
}

/// The model's rows under these columns: those that came later have their defaults.
fn facts(columns: &[Column], rows: &BTreeSet<Row>) -> Vec<Fact> {
    let filled = |row: &Row| {
        let mut row = row.clone();
        for column in columns {
            row.entry(column.name.clone()).or_insert_with(|| column.value(column.default.unwrap_or(0)));
        }
        fact(columns, &row)
    };
    let all: BTreeSet<Fact> = rows.iter().map(filled).collect();
    all.into_iter().collect()
}

fn given(session: &Session) -> Vec<Fact> {
    session.given().unwrap().into_iter().filter(|fact| fact.relation.as_str() == "r").collect()
}

fn commit(session: &mut Session, assertions: Vec<Fact>, retractions: Vec<Fact>) -> (usize, usize) {
    let change = CommitRequest {
        assertions,
        retractions,
        author: "ada".into(),
        list: true,
        ..CommitRequest::default()
    };
    let outcome = session.commit(change, false).unwrap();
    if session.rules().program.find(Symbol::new("d")).is_some() {
        let decided: BTreeSet<Fact> = outcome.standing.into_iter().map(|decision| decision.fact).collect();
        let relation = session.rules().program.find(Symbol::new("r")).unwrap();
        let relation = session.rules().program.relation(relation).unwrap();
        let place = |name: &str| relation.column(Symbol::new(name)).unwrap();
        let (a, b) = (place("a"), place("b"));
        let wanted = given(session).into_iter().map(|fact| Fact::new("d", [fact.values[a], fact.values[b]]));
        assert_eq!(decided, wanted.collect());
    }
    (outcome.changes.added.len(), outcome.changes.removed.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn changes_that_compare_lose_and_swap_nothing(steps in prop::collection::vec(step(), 1..40)) {
        let mut columns = vec![
            Column { name: "a".into(), text: true, default: None, set: None },
            Column { name: "b".into(), text: true, default: None, set: None },
            Column { name: "c".into(), text: false, default: None, set: Some(1) },
        ];
        let mut rows: BTreeSet<Row> = BTreeSet::new();
        let mut past: Vec<(u64, Vec<Column>, Vec<Fact>)> = Vec::new();
        let mut session = Session::over_ledger(rules(&columns), Ledger::memory().unwrap());
        for step in steps {
            let before = columns.clone();
            match step {
                Step::Assert(numbers) => {
                    let row = row(&columns, &numbers);
                    let (added, _) = commit(&mut session, vec![fact(&columns, &row)], Vec::new());
                    prop_assert_eq!(added, usize::from(rows.insert(row)));
                }
                Step::Retract(numbers) => {
                    let row = row(&columns, &numbers);
                    let (_, removed) = commit(&mut session, Vec::new(), vec![fact(&columns, &row)]);
                    prop_assert_eq!(removed, usize::from(rows.remove(&row)));
                }
                Step::Add(text, set, default) => {
                    if columns.len() < 7 {
                        let name = format!("n{}", columns.len());
                        let column = Column { name: name.clone(), text, default: Some(default), set };
                        rows = rows.into_iter().map(|mut row| { row.insert(name.clone(), column.value(default)); row }).collect();
                        columns.push(column);
                    }
                }
                Step::Swap(a, b) => {
                    let len = columns.len();
                    columns.swap(a % len, b % len);
                }
                Step::Grow(at) => {
                    let len = columns.len();
                    // A default keeps its value.
                    let column = &mut columns[at % len];
                    column.default = column.default.map(|number| number.rem_euclid(column.set.unwrap_or(3)));
                    column.set = column.set.map(|size| size + 1);
                }
            }
            // As long as nothing else is declared, what follows is kept from commit to commit.
            if columns != before {
                session = session.with_rules(rules(&columns));
            }
            let wanted = facts(&columns, &rows);
            prop_assert_eq!(given(&session), wanted.clone());
            past.push((session.ledger().unwrap().last_tx(), columns.clone(), wanted));
        }
        for (tx, then, wanted) in past.iter().filter(|(tx, ..)| *tx > 0) {
            // The columns of then read what stood then, and so do those of now.
            session = session.with_rules(rules(then)).with_as_of(When::Tx(*tx));
            prop_assert_eq!(&given(&session), wanted);
            session = session.with_rules(rules(&columns));
            let by_name: BTreeSet<Row> = wanted
                .iter()
                .map(|fact| then.iter().map(|column| column.name.clone()).zip(fact.values.clone()).collect())
                .collect();
            prop_assert_eq!(given(&session), facts(&columns, &by_name));
            session = session.with_as_of(When::Now);
        }
        if session.ledger().unwrap().last_tx() == 0 {
            return Ok(());
        }
        let mut written = Vec::new();
        session.ledger().unwrap().export(1..=u64::MAX, &mut written).unwrap();
        let mut copy = Ledger::memory().unwrap();
        copy.import(&mut written.as_slice(), None).unwrap();
        copy.compact(0, "ada").unwrap();
        prop_assert!(copy.verify().unwrap().differences.is_empty());
        let copy = Session::over_ledger(rules(&columns), copy);
        prop_assert_eq!(given(&copy), facts(&columns, &rows));
    }
}

fn rules_of(text: &str) -> RuleSet {
    let mut loader = Loader::default();
    loader.text("rules.dl", text);
    *check(loader.finish(), &[]).rules.unwrap()
}

fn text(text: &str) -> Value {
    Value::String(Symbol::new(text))
}

/// A ledger as an earlier version wrote it: facts without their columns, and the rules of its decisions if any.
fn earlier(facts: &[Fact], rules: Option<&str>) -> Ledger {
    let mut ledger = Ledger::memory().unwrap();
    let rules = rules.map(|text| rules_of(text).recorded());
    let clock = rules.as_ref().map(|_| 0);
    ledger.commit(&Draft { assertions: facts.to_vec(), rules, clock, ..Draft::default() }).unwrap();
    ledger
}

/// What rules see of the relation `r`, or what is said of it.
fn seen(ledger: Ledger, rules: &str) -> Result<Vec<Fact>, String> {
    let session = Session::over_ledger(rules_of(rules), ledger);
    match session.derive(&[String::from("q")], 0) {
        Ok(derived) => Ok(derived.relations.into_iter().flat_map(|(_, _, facts)| facts).collect()),
        Err(SessionError::Faults(faults)) => Err(faults.lines().collect::<Vec<_>>().join("\n")),
        Err(other) => Err(other.to_string()),
    }
}

const AB: &str = "input r(a: string, b: string). relation q(a: string, b: string). q(A, B) :- r(a: A, b: B).";
const BA: &str = "input r(b: string, a: string). relation q(a: string, b: string). q(A, B) :- r(a: A, b: B).";
const ABC: &str =
    "input r(a: string, b: string, c: int = 7). relation q(a: string, c: int). q(A, C) :- r(a: A, c: C).";
const OTHER: &str = "input r(x: string, b: string). relation q(a: string). q(A) :- r(A, _).";
const LONGER: &str = "input r(a: string, b: string, c: int). relation q(a: string). q(A) :- r(A, _, _).";
const INTS: &str = "input r(a: int, b: int). relation q(a: int). q(A) :- r(A, _).";

#[test]
fn facts_of_an_earlier_version_have_the_columns_of_the_rules_that_it_recorded() {
    let facts = [Fact::new("r", [text("one"), text("two")])];
    let q = |values: &[Value]| Ok(vec![Fact::new("q", values)]);
    assert_eq!(seen(earlier(&facts, Some(AB)), AB), q(&[text("one"), text("two")]));
    assert_eq!(seen(earlier(&facts, Some(AB)), BA), q(&[text("one"), text("two")]));
    assert_eq!(seen(earlier(&facts, Some(AB)), ABC), q(&[text("one"), Value::Int(7)]));
    let refused = seen(earlier(&facts, Some(AB)), OTHER).unwrap_err();
    assert!(
        refused.contains("E617") && refused.contains("recorded as `r(a: string, b: string)`"),
        "{refused}"
    );
}

#[test]
fn facts_of_an_earlier_version_without_rules_are_told_by_their_values() {
    let facts = [Fact::new("r", [text("one"), text("two")])];
    assert_eq!(seen(earlier(&facts, None), OTHER), Ok(vec![Fact::new("q", [text("one")])]));
    for rules in [LONGER, INTS] {
        let refused = seen(earlier(&facts, None), rules).unwrap_err();
        assert!(refused.contains("E617") && refused.contains("1 recorded fact"), "{refused}");
        assert!(refused.contains("since transaction 1") && refused.contains("old.r(C1, C2)"), "{refused}");
    }
    let both = [facts[0].clone(), Fact::new("r", [Value::Int(1), Value::Int(2)])];
    assert!(seen(earlier(&both, None), AB).unwrap_err().contains("E617"), "no fact is left out");
}

#[test]
fn a_commit_records_the_columns_of_facts_from_before() {
    let mut session =
        Session::over_ledger(rules_of(ABC), earlier(&[Fact::new("r", [text("one"), text("two")])], Some(AB)));
    let fact = Fact::new("r", [text("three"), text("four"), Value::Int(8)]);
    assert_eq!(commit(&mut session, vec![fact], Vec::new()), (1, 0));
    let older = Fact::new("r", [text("one"), text("two"), Value::Int(7)]);
    assert_eq!(commit(&mut session, vec![older.clone()], Vec::new()), (0, 0));
    assert_eq!(commit(&mut session, Vec::new(), vec![older]), (0, 1));
    let ledger = session.ledger().unwrap();
    let recorded = ledger.recorded(Symbol::new("r"), When::Now).unwrap().unwrap();
    let names: Vec<&str> = recorded.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!((names, recorded.least), (vec!["a", "b", "c"], 2));
    assert_eq!(ledger.info(2).unwrap().schemas.len(), 2, "those of the facts from before, then the new ones");
}

#[test]
fn a_default_is_that_of_the_first_fact_with_its_column() {
    let mut session = Session::over_ledger(rules_of(AB), Ledger::memory().unwrap());
    let row = |a: &str, c: Option<i64>| {
        let values = [text(a), text("b")].into_iter().chain(c.map(Value::Int));
        Fact::new("r", values.collect::<Vec<_>>())
    };
    commit(&mut session, vec![row("old", None)], Vec::new());
    session = session.with_rules(rules_of(ABC));
    commit(&mut session, vec![row("new", Some(7))], Vec::new());
    session = session.with_rules(rules_of(&ABC.replace("= 7", "= 9")));
    assert_eq!(given(&session), [row("new", Some(7)), row("old", Some(7))]);
}

#[test]
fn a_ledger_takes_no_facts_that_its_columns_do_not() {
    let mut session = Session::over_ledger(rules_of(AB), Ledger::memory().unwrap());
    commit(&mut session, vec![Fact::new("r", [text("a"), text("b")])], Vec::new());
    let mut written = Vec::new();
    session.ledger().unwrap().export(1..=u64::MAX, &mut written).unwrap();
    let written = String::from_utf8(written).unwrap();
    let mut copy = Ledger::memory().unwrap();
    copy.import(&mut written.as_bytes(), None).unwrap();
    for values in [vec![text("a")], vec![text("a"), Value::Int(1)], vec![text("a"), text("b"), text("c")]] {
        let draft = Draft { assertions: vec![Fact::new("r", values)], ..Draft::default() };
        let refused = copy.commit(&draft).unwrap_err().to_string();
        assert!(
            refused.contains("doesn't match the recorded columns `r(a: string, b: string)`"),
            "{refused}"
        );
    }
    let mut other = Ledger::memory().unwrap();
    let changed = written.replace("[\"a\", \"b\"]", "[\"a\"]").replace("[\"a\",\"b\"]", "[\"a\"]");
    let refused = other.import(&mut changed.as_bytes(), None).unwrap_err().to_string();
    assert!(
        refused.contains("line 1") && refused.contains("doesn't match the recorded columns"),
        "{refused}"
    );
}

#[test]
fn facts_of_a_session_without_a_ledger_are_never_left_out() {
    let facts = vec![Fact::new("r", [text("a")])];
    let refused = Session::over_facts(rules_of(AB), facts).err().unwrap().to_string();
    assert!(refused.contains("expected 2 terms for `r`, found 1"), "{refused}");
}
