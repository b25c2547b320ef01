//! Coverage and mutants of rule tests: what they count, what they show, what the shipped packs reach.

use std::fs;
use std::path::Path;
use std::time::Duration;

use hence::ruletest::coverage::{Coverage, PointKind, measure};
use hence::ruletest::mutate::{Mutation, mutate};
use hence::ruletest::{Selection, Suite, TestReport, TestVerdict};

fn suite(text: &str) -> Suite {
    let folder = crate::memory::folder();
    let file = folder.path().join("rules.dl");
    fs::write(&file, text).unwrap();
    Suite::load(&[file]).unwrap_or_else(|error| panic!("{error}"))
}

fn coverage(text: &str) -> Coverage {
    measure(&suite(text), &Selection::default())
}

/// What no test reaches, as text.
fn gaps(text: &str) -> Vec<String> {
    let coverage = coverage(text);
    let points = coverage.files.iter().flat_map(|file| file.gaps()).filter(|point| !point.binds);
    points.map(|point| format!("{}: {}", point.line, point.gap())).collect()
}

fn mutation(text: &str) -> Mutation {
    mutate(&suite(text), &Selection::default(), None)
}

fn survivors(text: &str) -> Vec<String> {
    let mutation = mutation(text);
    mutation.files.iter().flat_map(|file| &file.survivors).map(|survivor| survivor.change.clone()).collect()
}

const AGE: &str = "## People.\ninput person(name: string, age: int).\n\
    ## Of age.\ndecision adult(name: string).\n\
    @because(\"{N} is {A}\")\nadult(N) :-\n    person(N, A),\n    A >= 18.\n";

fn age(tests: &str) -> String {
    format!("{AGE}{tests}")
}

#[test]
fn a_boundary_that_no_test_has_is_named_with_its_line() {
    let text = age(
        "test \"t\" { given person(\"old\", 40). person(\"young\", 4). expect exactly adult { (\"old\") } }",
    );
    assert_eq!(gaps(&text), ["8: `A >= 18` is never tested at its boundary: no test has `A = 18`"]);
    let text = age("test \"t\" { given person(\"at\", 18). person(\"young\", 17). expect adult(\"at\"). }");
    assert_eq!(gaps(&text), Vec::<String>::new());
}

#[test]
fn a_rule_that_never_fires_and_a_comparison_of_one_side_are_gaps() {
    let text = age("test \"t\" { given person(\"young\", 4). expect no adult(_). }");
    let found = gaps(&text);
    assert!(found.contains(&String::from("6: never fires")), "{found:?}");
    assert!(found.contains(&String::from("8: `A >= 18` never holds")), "{found:?}");
    let text = age("test \"t\" { given person(\"old\", 18). expect adult(_). }");
    assert_eq!(gaps(&text), ["8: `A >= 18` never fails while all else holds"]);
}

#[test]
fn negations_conditions_limits_and_sentences_are_counted() {
    let rules = "## I.\ninput p(x: int, ok: bool).\n## B.\ninput barred(x: int).\n\
        @because(\"{X} is in\")\nq(X, if(Ok, 1, 0)) :- p(X, Ok), !barred(X).\n\
        first(X) :- q(X, _) limit 1 by X.\n";
    let text = format!("{rules}test \"t\" {{ given p(1, true). expect first(1). q(1, 1). }}");
    assert_eq!(
        gaps(&text),
        [
            "6: `!barred(X)` never decides: in no test does it alone stop the rule",
            "6: `Ok` never fails while all else holds",
            "7: `limit 1 by X` never excludes anything",
        ]
    );
    let text = format!(
        "{rules}test \"t\" {{ given p(1, true). p(2, false). p(3, true). barred(3). expect first(1). }}"
    );
    assert_eq!(gaps(&text), Vec::<String>::new());
    let kinds = |kind| coverage(&text).files[0].points.iter().filter(|point| point.kind == kind).count();
    assert_eq!((kinds(PointKind::Sentence), kinds(PointKind::LeftOut), kinds(PointKind::Rule)), (1, 1, 2));
}

#[test]
fn a_missing_boundary_lets_mutants_survive_and_the_test_at_it_notices_them() {
    let far = age(
        "test \"t\" { given person(\"old\", 40). person(\"young\", 4). expect exactly adult { (\"old\") } }",
    );
    assert_eq!(survivors(&far), ["`A >= 18` is `A > 18`", "18 is 17", "18 is 19"]);
    let near = age(
        "test \"t\" { given person(\"at\", 18). person(\"under\", 17). expect exactly adult { (\"at\") } }",
    );
    assert_eq!(survivors(&near), Vec::<String>::new());
    assert_eq!(mutation(&near).score(), 100.0);
}

#[test]
fn what_the_body_implies_and_counts_that_agree_are_left_out() {
    let rules = "## I.\ninput p(x: int).\nq(X) :- p(X).\nr(X) :- q(X), p(X).\nn(count(X)) :- q(X).\n\
        test \"t\" { given p(1). p(2). expect exactly r { (1) (2) } exactly n { (2) } }";
    let found = mutation(rules);
    assert_eq!(found.files[0].equivalent, 3);
    assert_eq!(survivors(rules), Vec::<String>::new());
}

#[test]
fn mutants_of_tables_parameters_and_limits_are_noticed_or_named() {
    let rules = "## P.\nparam top: int = 1.\n## W.\nrelation weight(x: name, w: int).\nweight(/a, 1).\n\
        weight(/b, 2).\nbest(X) :- weight(X, W) limit top by W desc.\n";
    let weak = format!("{rules}test \"t\" {{ expect best(/b). }}");
    let found = survivors(&weak);
    assert!(found.contains(&String::from("`top` is 2 instead of 1")), "{found:?}");
    assert!(found.contains(&String::from("`weight(/a, 1).` is removed")), "{found:?}");
    let strong = format!(
        "{rules}test \"t\" {{ expect exactly best {{ (/b) }} exactly weight {{ (/a, 1) (/b, 2) }} }}"
    );
    assert_eq!(survivors(&strong), Vec::<String>::new());
}

#[test]
fn a_budget_of_nothing_runs_nothing() {
    let text = age("test \"t\" { given person(\"at\", 18). expect adult(_). }");
    let found = mutate(&suite(&text), &Selection::default(), Some(Duration::ZERO));
    assert_eq!((found.files[0].killed, found.files[0].survivors.len()), (0, 0));
    assert!(found.files[0].not_run > 0);
}

#[test]
fn the_packs_reach_every_line_boundary_and_sentence() {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let suite = Suite::load(&[rules]).unwrap_or_else(|error| panic!("{error}"));
    let mut gaps = Vec::new();
    for file in measure(&suite, &Selection::default()).files {
        let points = file.gaps().filter(|point| point.kind != PointKind::Refused);
        gaps.extend(points.map(|point| format!("{}:{}: {}", file.name, point.line, point.gap())));
    }
    assert!(gaps.is_empty(), "{}", gaps.join("\n"));
}

#[test]
fn every_step_counts_for_coverage_and_mutants() {
    let rules = "## A run.\ninput run(ok: bool, took: int).\n## Slow.\ndecision slow(took: int).\n\
                 @because(\"{T}\")\nslow(T) :- run(ok: true, took: T), T >= 10.\n";
    let test = |steps: &str| {
        format!("{rules}test \"t\" {{ given run(true, 9). run(false, 10). expect no slow(_). {steps} }}\n")
    };
    assert!(!survivors(&test("")).is_empty() && !gaps(&test("")).is_empty());
    let stepped =
        test("then run(true, 10). expect exactly slow { (10) } then !run(true, 10). expect no slow(_).");
    assert_eq!(gaps(&stepped), Vec::<String>::new());
    assert_eq!(survivors(&stepped), Vec::<String>::new());
}

#[test]
fn rules_of_a_file_of_tests_are_helpers_and_not_counted() {
    let folder = crate::memory::folder();
    let rules = "## A number.\ninput n(x: int).\nbig(X) :- n(X), X > 5.\n";
    let test = "import \"a.dl\".\nboth(X, Y) :- big(X), big(Y), X < Y, Y < 100.\nlimit_of(7).\n\
                test \"t\" { given n(5). n(6). expect exactly big { (6) } no both(_, _). }\n";
    std::fs::write(folder.path().join("a.dl"), rules).unwrap();
    std::fs::write(folder.path().join("a_test.dl"), test).unwrap();
    let suite = Suite::load(&[folder.path().to_owned()]).unwrap();
    let selection = Selection::default();
    let covered = measure(&suite, &selection);
    assert!(covered.files.iter().all(|file| file.name.ends_with("a.dl")), "{covered:?}");
    let mutation = mutate(&suite, &selection, None);
    assert!(mutation.files.iter().all(|file| file.name.ends_with("a.dl")), "{mutation:?}");
    assert_eq!(mutation.score(), 100.0);
}

/// Channels that nobody with drugs uses, and what is sent to each patient.
const CHANNELS: &str = "## How.\ntype channel = /sms | /letter | /call.\n## P.\n\
    input patient(patient: string, channel: channel).\n## T.\ninput takes(patient: string, drug: string).\n\
    unused(Channel) :-\n    Channel in channel,\n    \
    N = count { patient(patient: P, channel: Channel), takes(patient: P) },\n    N = 0.\n";

#[test]
fn a_mutant_of_what_an_aggregate_counts_is_the_rule_changed_by_hand() {
    let all = "patient(\"p\", /call). patient(\"q\", /letter). takes(\"p\", \"a\").";
    let text = format!("{CHANNELS}test \"t\" {{ given {all} expect exactly unused {{ (/letter) (/sms) }} }}");
    assert_eq!(survivors(&text), Vec::<String>::new());
    let weak = format!("{CHANNELS}test \"t\" {{ given {all} expect unused(/sms). no unused(/call). }}");
    assert_eq!(survivors(&weak), ["`takes(patient: P)` is dropped"]);
}

#[test]
fn an_aggregate_in_a_body_is_one_point_and_what_its_braces_need_another() {
    let given = "patient(\"p\", /call). patient(\"q\", /letter). takes(\"p\", \"a\").";
    let text = format!("{CHANNELS}test \"t\" {{ given {given} expect unused(/sms). }}");
    assert_eq!(gaps(&text), Vec::<String>::new());
    let text = format!("{CHANNELS}test \"t\" {{ given patient(\"p\", /call). expect unused(/sms). }}");
    assert_eq!(
        gaps(&text),
        [
            "9: `N = count { patient(patient: P, channel: Channel), takes(patient: P) }` never fails while all else holds",
            "9: `takes(patient: P)` is never reached or never satisfied",
        ]
    );
}

/// What each customer bought and sent back lately.
const HABITS: &str = "## S.\ninput sale(customer: string, pieces: int, at: time).\n\
    ## B.\ninput back(customer: string, pieces: int, at: time).\n\
    habits(C, Bought, Back) :-\n    sale(customer: C),\n    now(Now),\n    \
    Bought = sum(P) { sale(C, P, At), Now - At < 52w },\n    \
    Back = sum(P) { back(C, P, At), Now - At < 52w }.\n";

#[test]
fn two_aggregates_with_the_clock_outside_their_braces_can_be_covered_and_their_mutants_noticed() {
    let text = format!(
        "{HABITS}test \"t\" {{ now @2026-01-01T00:00:00Z. \
         given sale(\"a\", 2, @2025-12-01T00:00:00Z). sale(\"a\", 3, @2025-11-01T00:00:00Z). \
         sale(\"a\", 9, @2025-01-02T00:00:00Z). sale(\"b\", 9, @2024-12-01T00:00:00Z). \
         back(\"a\", 1, @2025-12-05T00:00:00Z). back(\"a\", 1, @2025-12-06T00:00:00Z). \
         back(\"a\", 7, @2025-01-02T00:00:00Z). back(\"a\", 8, @2024-01-02T00:00:00Z). \
         back(\"c\", 8, @2025-12-06T00:00:00Z). sale(\"d\", 5, @2025-01-03T00:00:00Z). \
         back(\"d\", 4, @2025-01-03T00:00:00Z). \
         expect exactly habits {{ (\"a\", 5, 2) (\"b\", 0, 0) (\"d\", 5, 4) }} }}"
    );
    assert_eq!(gaps(&text), Vec::<String>::new());
    assert_eq!(survivors(&text), Vec::<String>::new());
}

#[test]
fn an_aggregate_that_is_compared_is_told_as_it_stands() {
    let rules = "## W.\ninput want(of: string, n: int).\n## H.\ninput have(of: string).\n\
        right(X) :- want(X, N), N = count { have(X) }.\n\
        pair(X) :- want(of: X), 2 = count { have(X) }.\n";
    let text = format!("{rules}test \"t\" {{ given want(\"a\", 1). have(\"a\"). expect right(\"a\"). }}");
    assert_eq!(
        gaps(&text),
        [
            "5: `N = count { have(X) }` never fails while all else holds",
            "6: never fires",
            "6: `2 = count { have(X) }` never holds",
        ]
    );
    assert_eq!(
        survivors(&text),
        [
            "`N = count { have(X) }` is dropped",
            "`count` is `max(1)`",
            "rule `pair#1` is removed",
            "`2 = count { have(X) }` is dropped",
            "2 is 1",
            "2 is 3",
            "`count` is `max(1)`",
        ]
    );
}

#[test]
fn a_constant_moves_by_one_in_its_last_place_or_of_its_unit() {
    let text = "## Measured.\ninput m(x: float, age: duration).\n## Kept.\ndecision kept(x: float).\n\
        @because(\"{X}\")\nkept(X) :- m(X, A), X > 0.5, X > 0.15, X < 70.0, X > 0.7, A < 7d, A > 2h.\n\
        test \"t\" { given m(9.0, 1d). expect kept(_). }";
    let found = survivors(text);
    for (value, less, more) in [
        ("0.5", "0.4", "0.6"),
        ("0.15", "0.14", "0.16"),
        ("70.0", "69.0", "71.0"),
        ("0.7", "0.6", "0.8"),
        ("7d", "6d", "8d"),
        ("2h", "1h", "3h"),
    ] {
        for neighbour in [less, more] {
            let change = format!("{value} is {neighbour}");
            assert!(found.contains(&change), "{change}: {found:#?}");
        }
    }
}

const STEPS: &str = "
## A step from one place to another.
input edge(from: int, to: int).
## A place that is closed.
input closed(place: int).
reaches(X, Y) :- edge(X, Y), !closed(Y).
reaches(X, Z) :- reaches(X, Y), edge(Y, Z), !closed(Z).
ways(X, count(), max(Y)) :- reaches(X, Y).
few(X) :- edge(X, _), N = 3, ways(X, M, _), M < N.
late(X) :- few(X), now(At), At >= @2026-02-03T12:05:00Z.
## The best.
decision best(place: int, count: int).
@because(\"{X} reaches {N}\")
best(X, N) :- ways(X, N, _) limit 2 by N desc.
";

/// What each step is asked for: all of these, by expecting none.
const ALL: &str =
    " expect exactly reaches {} exactly ways {} exactly few {} exactly late {} exactly best {}\n";

/// Tests of one step each that give the facts which stand after each of a test of several steps, which give and retract
/// facts, of a derived relation too, and move the clock.
fn steps(mut seed: u64) -> String {
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let (mut standing, mut clock) = (Vec::<String>::new(), String::from("2026-02-03T12:00:00Z"));
    let mut several = format!("test \"several\" {{\n now @{clock}.\n{ALL}");
    let mut alone = format!("test \"0\" {{\n now @{clock}.\n{ALL}}}\n");
    for step in 1..=12 {
        several.push_str(" then\n");
        for fact in 0..1 + next(4) {
            let gone = next(3) == 0;
            let (a, b) = (next(4), next(4) + 4 * (fact % 2) * u64::from(!gone));
            let text = match next(6) {
                0 => format!("closed({a})"),
                1 => format!("ways({a}, {b}, {})", next(2)),
                _ => format!("edge({a}, {b})"),
            };
            several.push_str(&format!("  {}{text}.\n", if gone { "!" } else { "" }));
            standing.retain(|other| *other != text);
            if !gone {
                standing.push(text);
            }
        }
        if next(2) == 0 {
            clock = format!("2026-02-03T12:{step:02}:00Z");
            several.push_str(&format!("  now @{clock}.\n"));
        }
        several.push_str(ALL);
        let given: String = standing.iter().map(|fact| format!(" {fact}.")).collect();
        alone.push_str(&format!("test \"{step}\" {{\n now @{clock}.\n given{given}\n{ALL}}}\n"));
    }
    format!("{STEPS}{several}}}\n{alone}")
}

#[test]
fn each_step_is_what_an_evaluation_from_nothing_gives() {
    let folder = crate::memory::folder();
    let (mut runs, mut rows) = (0, 0);
    for seed in 0..40 {
        let path = folder.path().join(format!("{seed}.dl"));
        fs::write(&path, steps(seed)).unwrap();
        // A seed whose steps give and retract one fact at once is refused.
        let Ok(suite) = Suite::load(&[path]) else { continue };
        let report = suite.run(&Selection::default());
        let mut all: Vec<_> = report.tests().map(differences).collect();
        let several = all.remove(0);
        assert_eq!(all.len(), 13);
        let alone: Vec<_> = (1..)
            .zip(all)
            .flat_map(|(at, found)| found.into_iter().map(move |(_, text, row)| (at, text, row)))
            .collect();
        assert_eq!(several, alone, "{}", steps(seed));
        (runs, rows) = (runs + 1, rows + several.len());
    }
    assert!(runs > 20 && rows > 1_000, "{runs} runs with {rows} rows");
}

/// The step, the expectation and the row of each difference.
fn differences(test: &TestReport) -> Vec<(usize, String, String)> {
    let TestVerdict::Failed(failures) = &test.verdict else { return Vec::new() };
    let each = failures.iter().flat_map(|failure| {
        let step = failure.step.as_ref().map_or(1, |step| step.number);
        failure.difference.iter().map(move |row| (step, failure.text.clone(), row.to_string()))
    });
    each.collect()
}
