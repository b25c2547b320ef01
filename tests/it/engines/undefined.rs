//! Operations without a result: what is reported, whatever the order of the literals.

use hence_core::schema::RelationId;
use hence_core::value::{Type, Value, Word};
use hence_engine::UNDEFINED_KEPT;
use hence_lang::builtins::expr::Expr;
use hence_lang::builtins::generator::Generator;
use hence_lang::ir::{Literal, Program};

use super::build::{Build, Clause, any, int, text};
use super::check::{facts, ints, model};

const INTS: [Type; 2] = [Type::Int, Type::Int];

/// The reports: position of the operation, and the bindings as text.
fn reports(program: &Program, rows: &[(RelationId, &[&[i64]])]) -> Vec<(u32, Vec<Option<i64>>)> {
    let model = model(program, &ints(program, rows));
    let bindings = |all: &[Option<Word>]| all.iter().map(|value| value.map(Word::as_int)).collect();
    model.undefined.iter().map(|report| (report.span.start, bindings(&report.bindings))).collect()
}

/// Every order of the body.
fn orders(body: &[Literal]) -> Vec<Vec<Literal>> {
    if body.is_empty() {
        return vec![Vec::new()];
    }
    let rest = |at: usize| [&body[..at], &body[at + 1..]].concat();
    let all = (0..body.len()).flat_map(|at| orders(&rest(at)).into_iter().map(move |order| (at, order)));
    all.map(|(at, order)| std::iter::once(body[at].clone()).chain(order).collect()).collect()
}

#[test]
fn a_guard_saves_in_any_order_and_its_absence_reports() {
    for guarded in [true, false] {
        let mut b = Build::default();
        let (p, out) = (b.input("p", &INTS), b.derived("out", &INTS));
        let mut rule = Clause::new(out);
        let [a, n, x] = rule.ints(["A", "N", "X"]);
        let quotient = b.call("/", &[&a, &n]);
        let (guard, large) = (b.call("!=", &[&n, &int(0)]), b.call(">", &[&x, &int(2)]));
        let place = quotient.span.start;
        let mut rule = rule.head(&[&a, &x]).atom(p, &[&a, &n]).bind(&x, quotient).test(large);
        if guarded {
            rule = rule.test(guard);
        }
        for order in orders(&rule.body) {
            let mut b = Build::default();
            b.input("p", &INTS);
            b.derived("out", &INTS);
            b.rule(Clause { body: order, ..rule.clone() });
            let program = b.finish();
            let rows: &[(RelationId, &[&[i64]])] = &[(p, &[&[6, 2], &[6, 3], &[7, 0], &[8, 0]])];
            assert_eq!(facts(&program, &ints(&program, rows), out), ["6 3"]);
            let wanted = [(place, vec![Some(7), Some(0), None]), (place, vec![Some(8), Some(0), None])];
            assert_eq!(reports(&program, rows), if guarded { &[][..] } else { &wanted });
        }
    }
}

/// `out(A) :- p(A, N), X = A / N, <more>`, in every order; the reports, which must not depend on it.
fn with_more(more: impl Fn(&mut Build, Clause, [&Expr; 3]) -> Clause) -> Vec<Vec<Option<i64>>> {
    let mut b = Build::default();
    let (p, q) = (b.input("p", &INTS), b.input("q", &INTS));
    let out = b.derived("out", &[Type::Int]);
    let mut rule = Clause::new(out);
    let [a, n, x] = rule.ints(["A", "N", "X"]);
    let quotient = b.call("/", &[&a, &n]);
    let rule = rule.head(&[&a]).atom(p, &[&a, &n]).bind(&x, quotient);
    let rule = more(&mut b, rule, [&a, &n, &x]);
    let relations = b.program.relations.clone();
    let all = orders(&rule.body).into_iter().map(|body| {
        let mut b = Build::default();
        b.program.relations = relations.clone();
        b.rule(Clause { body, ..rule.clone() });
        let program = b.finish();
        let rows: &[(RelationId, &[&[i64]])] = &[(p, &[&[6, 2], &[7, 0]]), (q, &[&[7, 1], &[7, 2], &[3, 5]])];
        reports(&program, rows).into_iter().map(|(_, bindings)| bindings).collect::<Vec<_>>()
    });
    let mut all: Vec<_> = all.collect();
    all.dedup();
    assert_eq!(all.len(), 1, "the order changes the reports: {all:?}");
    all.remove(0)
}

/// The relation `q(int, int)` of [`with_more`].
const Q: RelationId = RelationId(1);

#[test]
fn an_atom_that_depends_on_the_operation_neither_saves_nor_refutes() {
    let none = with_more(|_, rule, [_, _, x]| rule.atom(Q, &[x, &int(99)]));
    assert_eq!(none, [[Some(7), Some(0), None]]);
}

#[test]
fn what_such_an_atom_alone_would_bind_is_unknown_and_what_another_binds_is_known() {
    let alone = with_more(|_, mut rule, [_, _, x]| {
        let [y] = rule.ints(["Y"]);
        rule.atom(Q, &[x, &y])
    });
    assert_eq!(alone, [[Some(7), Some(0), None, None]]);
    let both = with_more(|_, mut rule, [a, _, x]| {
        let [y] = rule.ints(["Y"]);
        rule.atom(Q, &[x, &y]).atom(Q, &[a, &y])
    });
    assert_eq!(both, [[Some(7), Some(0), None, Some(1)], [Some(7), Some(0), None, Some(2)]]);
}

#[test]
fn an_independent_atom_that_fails_refutes() {
    let refuted = with_more(|_, rule, [a, _, _]| rule.atom(Q, &[a, &int(99)]));
    assert!(refuted.is_empty());
    let refuted = with_more(|_, rule, [a, _, _]| rule.not(Q, &[a, &int(2)]));
    assert!(refuted.is_empty());
    let kept = with_more(|_, rule, [a, _, x]| rule.not(Q, &[a, &int(3)]).not(Q, &[x, &int(1)]));
    assert_eq!(kept, [[Some(7), Some(0), None]]);
}

#[test]
fn what_follows_from_a_failed_value_is_unknown_too() {
    let chain = with_more(|b, mut rule, [_, _, x]| {
        let [y, z] = rule.ints(["Y", "Z"]);
        let next = b.call("+", &[x, &int(1)]);
        let equal = b.call("=", &[&z, &int(-5)]);
        rule.bind(&y, next).each(&z, Generator::Range, &[&int(0), &y]).test(equal)
    });
    assert_eq!(chain, [[Some(7), Some(0), None, None, None]]);
}

#[test]
fn independent_operations_are_each_reported() {
    let both = with_more(|b, mut rule, [a, n, _]| {
        let [y] = rule.ints(["Y"]);
        let rest = b.call("%", &[a, n]);
        rule.bind(&y, rest)
    });
    assert_eq!(both, [[Some(7), Some(0), None, None], [Some(7), Some(0), None, None]]);
}

#[test]
fn elements_and_facts_beside_the_operation_are_part_of_the_report() {
    let each = with_more(|_, mut rule, [a, _, _]| {
        let [y, z] = rule.ints(["Y", "Z"]);
        rule.each(&y, Generator::Range, &[&int(0), &int(2)]).atom(Q, &[a, &z])
    });
    let row = |y, z| vec![Some(7), Some(0), None, Some(y), Some(z)];
    assert_eq!(each, [row(0, 1), row(0, 2), row(1, 1), row(1, 2)]);
}

#[test]
fn a_head_without_a_result_reports_every_match() {
    let mut b = Build::default();
    let (p, q) = (b.input("p", &INTS), b.input("q", &INTS));
    let out = b.derived("out", &INTS);
    let mut rule = Clause::new(out);
    let [a, n, y] = rule.ints(["A", "N", "Y"]);
    let (quotient, rest) = (b.call("/", &[&a, &n]), b.call("%", &[&a, &n]));
    let places = (quotient.span.start, rest.span.start);
    // `Y` is wanted by nothing but the report.
    b.rule(rule.head(&[&quotient, &rest]).atom(p, &[&a, &n]).atom(q, &[&a, &y]));
    let program = b.finish();
    let rows: &[(RelationId, &[&[i64]])] = &[(p, &[&[7, 0], &[9, 4]]), (q, &[&[7, 1], &[7, 2], &[9, 1]])];
    assert_eq!(facts(&program, &ints(&program, rows), out), ["2 1"]);
    let row = |y| vec![Some(7), Some(0), Some(y)];
    let all = [(places.0, row(1)), (places.0, row(2)), (places.1, row(1)), (places.1, row(2))];
    assert_eq!(reports(&program, rows), all);
}

#[test]
fn a_recursive_rule_reports_what_its_last_facts_make_undefined() {
    let mut b = Build::default();
    let (start, n) = (b.input("start", &[Type::Int]), b.derived("n", &[Type::Int]));
    let mut base = Clause::new(n);
    let [x] = base.ints(["X"]);
    b.rule(base.head(&[&x]).atom(start, &[&x]));
    let mut step = Clause::new(n);
    let [x, y] = step.ints(["X", "Y"]);
    let quotient = b.call("/", &[&int(12), &x]);
    let less = b.call("-", &[&x, &int(1)]);
    b.rule(step.head(&[&less]).atom(n, &[&x]).bind(&y, quotient).test(b_true(&y)));
    let program = b.finish();
    let rows: &[(RelationId, &[&[i64]])] = &[(start, &[&[3]])];
    assert_eq!(facts(&program, &ints(&program, rows), n), ["0", "1", "2", "3"]);
    assert_eq!(reports(&program, rows).iter().map(|(_, b)| b.clone()).collect::<Vec<_>>(), [[Some(0), None]]);
}

/// A test that holds and reads a variable.
fn b_true(var: &Expr) -> Expr {
    Build::default().call("=", &[var, var])
}

#[test]
fn a_recursive_atom_that_waits_for_the_operation_is_skipped_even_where_it_has_no_facts() {
    let mut b = Build::default();
    let (p, r) = (b.input("p", &INTS), b.derived("r", &[Type::Int]));
    let mut rule = Clause::new(r);
    let [a, n, x] = rule.ints(["A", "N", "X"]);
    let quotient = b.call("/", &[&a, &n]);
    b.rule(rule.head(&[&a]).atom(r, &[&x]).atom(p, &[&a, &n]).bind(&x, quotient));
    let program = b.finish();
    let rows: &[(RelationId, &[&[i64]])] = &[(p, &[&[4, 2], &[7, 0]])];
    assert_eq!(reports(&program, rows).len(), 1);
    let rows: &[(RelationId, &[&[i64]])] = &[(p, &[&[4, 2], &[8, 2], &[7, 0]]), (r, &[&[2]])];
    assert_eq!(facts(&program, &ints(&program, rows), r), ["2", "4", "8"]);
    assert_eq!(reports(&program, rows).len(), 1);
}

#[test]
fn an_aggregate_leaves_a_failing_match_out_and_reports_a_group_without_a_value() {
    let mut b = Build::default();
    let p = b.input("p", &[Type::Int; 3]);
    let (means, sums) = (b.derived("means", &INTS), b.derived("sums", &INTS));
    let mut rule = Clause::new(means);
    let [t, a, n] = rule.ints(["T", "A", "N"]);
    let quotient = b.call("/", &[&a, &n]);
    let max = b.aggregate("max", &[&quotient]);
    b.rule(rule.head(&[&t]).term(max).atom(p, &[&t, &a, &n]));
    let mut rule = Clause::new(sums);
    let [t, a] = rule.ints(["T", "A"]);
    let sum = b.aggregate("sum", &[&a]);
    b.rule(rule.head(&[&t]).term(sum).atom(p, &[&t, &a, &any()]));
    let program = b.finish();
    let rows: &[(RelationId, &[&[i64]])] =
        &[(p, &[&[1, 8, 2], &[1, 9, 0], &[2, 5, 0], &[3, i64::MAX, 1], &[3, 1, 1]])];
    assert_eq!(facts(&program, &ints(&program, rows), means), ["1 4".to_owned(), format!("3 {}", i64::MAX)]);
    assert_eq!(facts(&program, &ints(&program, rows), sums), ["1 17", "2 5"]);
    let bindings: Vec<_> = reports(&program, rows).into_iter().map(|(_, bindings)| bindings).collect();
    let left_out = |t, a| vec![Some(t), Some(a), Some(0)];
    assert_eq!(bindings, [left_out(1, 9), left_out(2, 5), vec![Some(3), None]]);
}

#[test]
fn keys_and_count_of_a_limit_are_reported_like_the_head() {
    let mut b = Build::default();
    let zero = b.param("zero", Value::Int(0));
    let (p, best, none) = (b.input("p", &INTS), b.derived("best", &INTS), b.derived("none", &[Type::Int]));
    let mut rule = Clause::new(best);
    let [a, n, r] = rule.ints(["A", "N", "R"]);
    let key = b.call("/", &[&a, &n]);
    let rule = rule.head(&[&a, &r]).atom(p, &[&a, &n]);
    b.rule(rule.limit(int(1), &[], &[(&key, true)], Some(&r)));
    let mut rule = Clause::new(none);
    let [a] = rule.ints(["A"]);
    let count = b.call("/", &[&int(1), &zero]);
    b.rule(rule.head(&[&a]).atom(p, &[&a, &any()]).limit(count, &[], &[(&a, false)], None));
    let program = b.finish();
    let rows: &[(RelationId, &[&[i64]])] = &[(p, &[&[8, 2], &[9, 3], &[7, 0]])];
    assert_eq!(facts(&program, &ints(&program, rows), best), ["8 1"]);
    assert!(facts(&program, &ints(&program, rows), none).is_empty());
    let bindings: Vec<_> = reports(&program, rows).into_iter().map(|(_, bindings)| bindings).collect();
    let single = |a: i64| vec![Some(a)];
    assert_eq!(bindings, [vec![Some(7), Some(0), None], single(7), single(8), single(9)]);
}

#[test]
fn the_smallest_reports_are_kept_by_value_and_not_by_number_of_symbol() {
    let mut b = Build::default();
    let (p, out) = (b.input("p", &[Type::String]), b.derived("out", &[Type::Int]));
    let mut rule = Clause::new(out);
    let s = rule.var("S", Type::String);
    let number = b.call("int", &[&s]);
    b.rule(rule.head(&[&number]).atom(p, &[&s]));
    let program = b.finish();
    let mut input = hence_engine::Database::new(&program);
    let names: Vec<String> = (0..40).rev().map(|at| format!("kept-{at:02}")).collect();
    names.iter().for_each(|name| input.push(p, &[text(name).word()]));
    let model = model(&program, &input);
    let kept = model.undefined.iter().map(|report| report.bindings[0].unwrap().as_symbol().as_str());
    let wanted: Vec<&str> = names.iter().rev().take(UNDEFINED_KEPT).map(String::as_str).collect();
    assert_eq!(kept.collect::<Vec<_>>(), wanted);
}
