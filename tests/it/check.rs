//! The checker: what it makes of rules, queries, atoms and facts, and that no text makes it panic.

use crate::slow;
use std::fmt::Write as _;

use hence_core::diagnostic::Diagnostic;
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::analysis::checked::{Checked, Literal};
use hence_lang::analysis::{check, check_atom, check_facts, check_query};
use hence_lang::builtins::term::{Part, Term};
use hence_syntax::{parse, parse_fact, parse_query};

use crate::files::cases;

/// Parses and checks texts, the faults of the parser before those of the checker.
fn checked(texts: &[(&str, &str)], sets: &[(Symbol, Value)]) -> (Checked, Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let mut faults = Vec::new();
    let files: Vec<_> = texts
        .iter()
        .map(|(name, text)| {
            let (file, mut found) = parse(sources.add(*name, *text), text);
            faults.append(&mut found);
            file
        })
        .collect();
    let (checked, mut found) = check(&files, &sources, sets);
    faults.append(&mut found);
    (checked, faults, sources)
}

fn clean(text: &str) -> (Checked, Sources) {
    let (checked, faults, sources) = checked(&[("t.dl", text)], &[]);
    assert_eq!(show_all(&faults, &sources), "", "faults where none are expected");
    (checked, sources)
}

fn faults(text: &str) -> String {
    let (_, faults, sources) = checked(&[("t.dl", text)], &[]);
    show_all(&faults, &sources)
}

fn show_all(faults: &[Diagnostic], sources: &Sources) -> String {
    faults.iter().map(|fault| show(fault, sources)).collect()
}

/// A diagnostic as plain lines: where, the marked text, what is said of it.
fn show(fault: &Diagnostic, sources: &Sources) -> String {
    let mut out = format!("{}: {}\n", fault.code, fault.message);
    for label in &fault.labels {
        let place = sources.place(label.span);
        let text = mark(label.span, sources);
        let sep = if label.text.is_empty() { "" } else { ": " };
        let _ = writeln!(out, "  {}:{} `{text}`{sep}{}", place.line, place.column, label.text);
    }
    fault.notes.iter().for_each(|note| out.push_str(&format!("  note: {note}\n")));
    fault.help.iter().for_each(|help| out.push_str(&format!("  help: {help}\n")));
    out
}

fn mark(span: Span, sources: &Sources) -> String {
    let text = sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= 40 { text } else { text.chars().take(38).chain(" …".chars()).collect() }
}

fn values_text(values: &[Value]) -> String {
    format!("({})", values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}

#[test]
fn a_parameter_takes_the_value_of_the_run() {
    let text = "param floor: float = 0.5.\nparam mode: /a | /b = /a.\n";
    let half = |value: f64| Value::Float(hence_core::value::Float::new(value).expect("finite"));
    let sets = [(Symbol::new("floor"), half(0.7)), (Symbol::new("mode"), Value::Name(Symbol::new("/b")))];
    let (program, faults, _) = checked(&[("t.dl", text)], &sets);
    assert!(faults.is_empty());
    assert_eq!(program.params[0].value, half(0.7));
    assert_eq!(program.params[0].default, half(0.5));
    assert_eq!(program.params[1].value, Value::Name(Symbol::new("/b")));
}

#[test]
fn a_faulty_set_is_told_without_a_place() {
    let text = "param floor: float = 0.5.\nparam mode: /high | /low = /low.\n";
    let sets = [
        (Symbol::new("flor"), Value::Int(1)),
        (Symbol::new("floor"), Value::Int(1)),
        (Symbol::new("mode"), Value::Name(Symbol::new("/hihg"))),
    ];
    let (_, faults, sources) = checked(&[("t.dl", text)], &sets);
    assert!(faults.iter().all(|fault| fault.labels.is_empty()));
    assert_eq!(
        show_all(&faults, &sources),
        "E209: unknown parameter `flor`\n  help: did you mean `floor`?\n\
         E301: `1` is an int, but the parameter `floor` is a float\n  help: write `1.0`\n\
         E304: the parameter `mode` can't be `/hihg`\n  \
         note: expected `/high` or `/low`\n  help: did you mean `/high`?\n"
    );
}

#[test]
fn rules_of_a_relation_are_counted_over_all_files() {
    let (program, faults, _) = checked(
        &[
            ("a.dl", "input p(a: int).\nq(X) :- p(X), X > 1.\n@id(mine)\nq(X) :- p(X), X > 2.\n"),
            ("b.dl", "q(X) :- p(X), X > 3.\nr(X) :- q(X).\n"),
        ],
        &[],
    );
    assert!(faults.is_empty());
    let ids: Vec<_> = program.rules.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids, ["q#1", "mine", "q#3", "r#1"]);
}

#[test]
fn two_declarations_in_two_files_show_both_places() {
    let (_, faults, sources) =
        checked(&[("a.dl", "input p(a: int).\n"), ("b.dl", "\ninput p(a: int).\n")], &[]);
    let places: Vec<_> = faults[0].labels.iter().map(|label| sources.place(label.span).to_string()).collect();
    assert_eq!(places, ["b.dl:2:7", "a.dl:1:7"]);
}

#[test]
fn what_binds_a_variable_does_not_depend_on_the_order_of_the_literals() {
    let literals = ["X = A / B", "X = 3", "p(A, B)", "X in range(0, A)", "Y = X", "Y = A"];
    let mut seen = std::collections::BTreeSet::new();
    for shift in 0..literals.len() {
        let mut turned = literals;
        turned.rotate_left(shift);
        for reverse in [false, true] {
            if reverse {
                turned.reverse();
            }
            let text = format!("input p(a: int, b: int).\nq(X, Y) :- {}.\n", turned.join(", "));
            let (program, sources) = clean(&text);
            let binders: std::collections::BTreeSet<_> = program.rules[0]
                .body
                .iter()
                .filter_map(|literal| match literal {
                    Literal::Bind { span, .. } | Literal::Each { span, bound: false, .. } => {
                        Some(sources.slice(*span).to_owned())
                    }
                    _ => None,
                })
                .collect();
            seen.insert(binders);
        }
    }
    let expected: std::collections::BTreeSet<_> = [String::from("X = 3"), String::from("Y = A")].into();
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [expected]);
}

#[test]
fn a_sentence_knows_variables_parameters_and_columns_of_the_head() {
    let (program, _) = clean(
        "input p(a: string, n: int).\nparam floor: int = 3.\nrelation total(a: string, sum: int).\n\
         @because(\"{A}: {sum} of {floor}\")\ntotal(A, sum(N)) :- p(A, N).\n",
    );
    let parts = &program.rules[0].because.as_ref().expect("a sentence").parts;
    assert!(matches!(
        parts.as_slice(),
        [Part::Var(..), Part::Text(_), Part::Column(1, _), Part::Text(_), Part::Param(..)]
    ));
    assert!(matches!(program.rules[0].terms[1], Term::Aggregate { .. }));
}

#[test]
fn long_chains_are_inferred_in_any_order() {
    let mut text = String::from("input p(a: duration).\n");
    for at in 0..2000 {
        let _ = writeln!(text, "r{}(X) :- r{}(X).", at, at + 1);
    }
    text.push_str("r2000(X) :- p(X).\n");
    let (program, _) = clean(&text);
    assert!(
        program.relations.iter().skip(2).all(|relation| relation.to_string().ends_with("(c1: duration)"))
    );
}

#[test]
fn long_bodies_bind_in_any_order() {
    let literals: Vec<_> = (0..2000).map(|at| format!("X{at} = X{} + 1", at + 1)).collect();
    let (program, _) = clean(&format!("q(X0) :- {}, X2000 = 1.\n", literals.join(", ")));
    assert_eq!(program.rules[0].variables.len(), 2001);
}

/// The columns that a query asks for, or its faults.
fn query(rules: &str, text: &str) -> String {
    let (program, mut sources) = clean(rules);
    let (asked, parsed) = parse_query(sources.add("query", text), text);
    assert!(parsed.is_empty(), "{}", show_all(&parsed, &sources));
    let (query, faults) = check_query(&program, &asked, &sources);
    match query {
        Some(query) => {
            let columns = query.wanted.iter().map(|var| &query.variables[var.0 as usize]);
            columns.map(|var| format!("{}: {}", var.name, var.ty)).collect::<Vec<_>>().join(", ")
        }
        None => show_all(&faults, &sources),
    }
}

const TOOLS: &str = "type risk = /low | /high.\ninput tool(name: string, quality: float, risk: risk).\n\
                     param floor: float = 0.5.\npoor(T, Q) :- tool(T, Q, _), Q < floor.\n";

#[test]
fn a_query_asks_for_its_named_variables() {
    assert_eq!(query(TOOLS, "poor(T, S), S > 0.1"), "T: string, S: float");
    assert_eq!(query(TOOLS, "poor(_T, S), tool(name: _T, risk: R)"), "S: float, R: risk");
    assert_eq!(query(TOOLS, "X = floor * 2.0"), "X: float");
    assert_eq!(query(TOOLS, "tool(_, _, /high)"), "");
}

#[test]
fn a_faulty_query_is_told_like_a_faulty_rule() {
    assert_eq!(
        query(TOOLS, "por(T, S), tool(_, Q, /hihg), Q > 1"),
        "E201: `por` is neither declared nor derived\n  1:1 `por`\n  help: did you mean `poor`?\n\
         E304: the column `risk` of `tool` can't be `/hihg`\n  1:23 `/hihg`\n  \
         2:7 `tool`: the column is declared here\n  note: expected `/low` or `/high`\n  \
         help: did you mean `/high`?\n\
         E302: `>` can't compare a float with an int\n  1:31 `Q > 1`\n  1:31 `Q`: a float\n  1:35 `1`: an int\n  \
         help: write `1.0` instead of `1`\n"
    );
}

/// The values of an atom, `_` for anything, or its faults.
fn atom(text: &str) -> String {
    let (program, mut sources) = clean(TOOLS);
    let (atom, parsed) = parse_fact(sources.add("atom", text), text);
    assert!(parsed.is_empty(), "{}", show_all(&parsed, &sources));
    let (pattern, faults) = check_atom(&program, &atom.expect("an atom"), &sources);
    match pattern {
        Some(pattern) => {
            let show = |value: &Option<Value>| value.map_or(String::from("_"), |value| value.to_string());
            pattern.values.iter().map(show).collect::<Vec<_>>().join(", ")
        }
        None => show_all(&faults, &sources),
    }
}

#[test]
fn an_atom_is_a_pattern_of_values() {
    assert_eq!(atom("poor(\"web\", 0.3)"), "\"web\", 0.3");
    assert_eq!(atom("poor(T, _)"), "_, _");
    assert_eq!(atom("tool(risk: /low, name: \"a\")"), "\"a\", _, /low");
    assert_eq!(atom("poor(\"web\", floor / 2.0)"), "\"web\", 0.25");
    assert!(atom("poor(T, T)").starts_with("E316: "));
    assert!(atom("poor(\"web\", 1)").contains("help: write `1.0`"));
    assert!(atom("poor(\"web\", 1.0 / 0.0)").starts_with("E317: "));
}

#[test]
fn a_file_of_facts_holds_facts_of_inputs() {
    let (program, mut sources) = clean(TOOLS);
    let text = "tool(\"a\", 0.5, /low).\ntool(\"b\", 1, /hihg).\npoor(\"a\", 0.5).\np(X) :- q(X).\n";
    let (file, parsed) = parse(sources.add("facts.dl", text), text);
    assert!(parsed.is_empty());
    let (facts, faults) = check_facts(&program, &file, &sources);
    assert_eq!(
        facts.iter().map(|(_, values, _)| values_text(values)).collect::<Vec<_>>(),
        ["(\"a\", 0.5, /low)"]
    );
    let codes: Vec<_> = faults.iter().map(|fault| fault.code.0).collect();
    assert_eq!(codes, ["E301", "E304", "E221", "E316"]);
}

#[test]
fn a_type_clash_between_files_names_both_places() {
    let found = faults("input p(a: int).\ninput q(a: string).\nr(X) :- p(X), q(X).\n");
    assert!(found.contains("3:17 `X`: a string\n  3:11 `X`: an int"), "{found}");
}

#[test]
fn a_fault_is_no_reason_for_others() {
    // Neither the variables of a faulty atom nor the columns of what hangs on it are reported again.
    let found = faults(
        "input p(a: int).\nq(X, Y) :- pp(X), X > 1, Y = X + 1.\nr(X) :- q(X, _).\ns(X) :- r(X), !q(X, X).\n",
    );
    assert_eq!(found.matches("\nE").count() + 1, 1, "{found}");
}

/// A step of a small generator of numbers, the same from run to run.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) as usize
}

/// `text` with one word left out, doubled, or put in the place of another.
fn mutated(text: &str, state: &mut u64) -> String {
    let mut words: Vec<_> =
        text.split_inclusive([' ', ',', '(', ')', '.', '\n', ':', '"', '{', '}']).collect();
    for _ in 0..1 + next(state) % 3 {
        let (a, b) = (next(state) % words.len(), next(state) % words.len());
        match next(state) % 4 {
            0 => {
                words.remove(a);
            }
            1 => words.insert(a, words[b]),
            2 => words.swap(a, b),
            _ => words[a] = words[b],
        }
        if words.is_empty() {
            break;
        }
    }
    words.concat()
}

#[test]
fn any_text_is_checked_without_a_panic_and_with_places_inside_it() {
    let rounds = slow::size(40, 5000);
    let mut state = 7;
    for path in cases("faulty/checker") {
        let text = std::fs::read_to_string(&path).expect("a readable case");
        for _ in 0..rounds {
            let text = mutated(&text, &mut state);
            let (_, faults, sources) = checked(&[("t.dl", &text)], &[]);
            for label in faults.iter().flat_map(|fault| &fault.labels) {
                let inside = text.get(label.span.range()).is_some() && sources.get(label.span.file).is_some();
                assert!(inside, "a place outside of the text: {:?}\n{text}", label);
            }
        }
    }
}

#[test]
fn a_rule_that_is_left_out_was_reported() {
    let mut state = 11;
    for path in cases("faulty/checker") {
        let text = std::fs::read_to_string(&path).expect("a readable case");
        for _ in 0..40 {
            let text = mutated(&text, &mut state);
            let mut sources = Sources::default();
            let (file, mut faults) = parse(sources.add("t.dl", text.as_str()), &text);
            let (program, mut found) = check(std::slice::from_ref(&file), &sources, &[]);
            faults.append(&mut found);
            let count = |wanted: fn(&hence_syntax::tree::Item) -> bool| {
                file.items.iter().filter(|item| wanted(item)).count()
            };
            let rules = count(|item| matches!(item, hence_syntax::tree::Item::Rule(_)));
            let tests = count(|item| matches!(item, hence_syntax::tree::Item::Test(_)));
            let guards = count(
                |item| matches!(item, hence_syntax::tree::Item::Relation(decl) if decl.requires.is_some()),
            );
            let whole = program.rules.len() == rules
                && program.tests.len() == tests
                && program.requires.len() == guards;
            assert!(whole || faults.iter().any(Diagnostic::is_error), "silently left out:\n{text}");
        }
    }
}
