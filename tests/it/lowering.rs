//! Programs as engines get them, in their text form.

use hence_lang::analysis::check_query;
use hence_lang::analysis::checked::Expectation;
use hence_lang::ir::Program;
use hence_lang::ir::invariants::broken;
use hence_lang::lower::{Query, lower, with_queries, with_query};

use crate::cases::{Case, from_text};

/// A program, a question, and the text of the rule that answers it.
fn asked(case: &mut Case, question: &str) -> String {
    let id = case.sources.add("query", question);
    let (asked, faults) = hence_syntax::parse_query(id, question);
    assert!(faults.is_empty(), "{faults:?}");
    let (query, faults) = check_query(&case.checked, &asked, &case.sources);
    assert!(faults.is_empty(), "{faults:?}");
    let program = lower(&case.checked).unwrap();
    let (with, answers) = with_query(&program, &Query::from(&query.unwrap()));
    assert_eq!(with.relation(answers).map(|relation| relation.columns.len()), Some(1));
    last_stratum(&with, &program)
}

/// What `with` has after the text of `program`.
fn last_stratum(with: &Program, program: &Program) -> String {
    assert_eq!(broken(with), Vec::<String>::new());
    let (text, before) = (with.to_string(), program.to_string());
    text.strip_prefix(before.as_str()).unwrap().to_owned()
}

#[test]
fn a_query_is_one_rule_more() {
    let mut case = from_text("q.dl", "input p(x: int, y: float). d(X) :- p(X, _).");
    let wanted = "
# stratum 2
relation ?3(X: int).
# ?3
?3(X) :-
    p(X, _Y),
    _Y > 0.5,
    $1 = X + 1,
    !d($1).
";
    assert_eq!(asked(&mut case, "p(X, _Y), _Y > 0.5, !d(X + 1)"), wanted);
}

#[test]
fn what_a_query_computes_for_an_atom_leaves_it() {
    let mut case = from_text("q.dl", "input p(x: int). d(X) :- p(X).");
    let wanted = "
# stratum 2
relation ?3(Y: int).
# ?3
?3(Y) :-
    d(Y),
    $1 = Y + 1,
    p($1).
";
    assert_eq!(asked(&mut case, "d(Y), p(Y + 1)"), wanted);
}

#[test]
fn expectations_compare_floats_within_their_distance() {
    let text = "input p(x: int, y: float). d(X, Y) :- p(X, Y).
        test \"near\" { given p(1, 0.5). expect d(1, 0.25 * 2.0) ~ 0.01. d(X, Y) ~ 0.01, Y > 0.1. }";
    let case = from_text("t.dl", text);
    let program = lower(&case.checked).unwrap();
    let expected: Vec<_> = case.checked.tests[0].expectations().filter_map(expectation).collect();
    let (with, answers) = with_queries(&program, &expected);
    assert_eq!(answers.len(), 2);
    let wanted = "
# stratum 2
relation ?3().
# ?3
?3() :-
    d(1, $1),
    abs($1 - (0.25 * 2.0)) <= 0.01.

# stratum 3
relation ?4().
# ?4
?4() :-
    d(X, Y),
    Y > 0.1.
";
    assert_eq!(last_stratum(&with, &program), wanted);
}

fn expectation(of: &Expectation) -> Option<Query<'_>> {
    match of {
        Expectation::Body { body, variables, within, span, .. } => {
            Some(Query { within, ..Query::new(body, variables, &[], *span) })
        }
        Expectation::Undetermined { .. } | Expectation::Exactly { .. } => None,
    }
}
