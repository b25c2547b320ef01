//! Tests of rules: those of the shipped packs pass, and failures say what a rule author needs.

use std::fs;
use std::path::Path;

use hence::ruletest::{RowDifference, Selection, Suite, TestFailure, TestVerdict};

/// The rules of most tests here.
const RULES: &str = r#"
## What was learned of a tool.
input learned(tool: string, runs: int, success: float, quality: float).
## The tool is being made again.
input active(tool: string).
## The floor.
param floor: float = 0.5.
@id(poor_after_three)
poor(Tool) :- learned(Tool, Runs, _, Quality), Runs >= 3, Quality < floor.
## Make the tool again.
decision refine(tool: string).
refine(Tool) :- poor(Tool), !active(Tool).
## Quality by success.
decision ratio(tool: string, ratio: float).
ratio(Tool, Quality / Success) :- learned(Tool, _, Success, Quality).
"#;

/// What became of one test over [`RULES`].
fn verdict(body: &str) -> TestVerdict {
    let folder = crate::memory::folder();
    run_in(folder.path(), body)
}

fn run_in(folder: &Path, body: &str) -> TestVerdict {
    let file = folder.join("rules.dl");
    fs::write(&file, format!("{RULES}test \"t\" {{ {body} }}")).unwrap();
    let report = Suite::load(&[file]).unwrap_or_else(|error| panic!("{error}")).run(&Selection::default());
    report.tests().next().unwrap().verdict.clone()
}

fn passes(body: &str) {
    let verdict = verdict(body);
    assert!(matches!(verdict, TestVerdict::Passed), "{verdict:?}");
}

/// The failures of a test that must fail.
fn failures(body: &str) -> Vec<TestFailure> {
    match verdict(body) {
        TestVerdict::Failed(failures) => failures,
        other => panic!("`{body}`: {other:?}"),
    }
}

#[test]
fn all_rule_tests_of_the_packs_pass() {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    hence::testing::run(rules).unwrap_or_else(|failures| panic!("{failures}"));
}

#[test]
fn every_pack_has_tests_of_its_own_in_the_binary() {
    let tests = hence::session::shipped::tests();
    for pack in hence::session::shipped::packs() {
        assert!(tests.contains(&format!("{pack}/{pack}_test.dl").as_str()), "`{pack}` has no tests");
    }
    let report = Suite::shipped().unwrap_or_else(|error| panic!("{error}")).run(&Selection::default());
    assert!(report.all_passed(), "{report}");
}

#[test]
fn every_form_of_expectation_holds_where_it_should() {
    passes(
        r#"given learned("a", 3, 0.9, 0.3). expect refine("a"). no refine("b"). exactly refine { ("a") }"#,
    );
    passes(r#"given learned("a", 3, 0.9, 0.3). expect ratio("a", 0.333) ~ 0.001. exactly active { }"#);
    passes(r#"given learned("a", 3, 0.9, 0.3). expect learned(T, N, _, _), refine(T), N > 2, !active(T)."#);
    passes(r#"given learned("a", 3, 0.9, 0.3). expect refine("a") because poor_after_three."#);
    passes(r#"set floor = 0.3. given learned("a", 3, 0.9, 0.3). expect no poor(_)."#);
    passes(r#"now @2026-02-03T12:00:00Z. expect exactly now { (@2026-02-03T12:00:00Z) }"#);
    passes(r#"expect exactly now { (@2026-01-01T00:00:00Z) }"#);
    passes(r#"given poor("derived"). expect refine("derived")."#);
}

#[test]
fn each_test_has_its_own_facts_and_parameters() {
    let folder = crate::memory::folder();
    let file = folder.path().join("rules.dl");
    let tests = r#"
test "one" { set floor = 0.9. given learned("a", 3, 0.9, 0.8). expect refine("a"). }
test "two" { given learned("b", 3, 0.9, 0.8). expect no refine(_). exactly learned { ("b", 3, 0.9, 0.8) } }"#;
    fs::write(&file, format!("{RULES}{tests}")).unwrap();
    hence::testing::run(file).unwrap_or_else(|failures| panic!("{failures}"));
}

#[test]
fn a_failure_names_the_literal_and_shows_the_nearest_facts_first() {
    let found =
        failures(r#"given poor("bb"). poor("zz"). poor("ab"). poor("az"). poor("qq"). expect refine("aa")."#);
    assert_eq!(found[0].text, r#"refine("aa")"#);
    assert_eq!(found[0].instead, [r#"refine("ab")."#, r#"refine("az")."#, r#"refine("bb")."#]);
    assert_eq!(found[0].more, 2);
    let found = failures(r#"given learned("a", 3, 0.9, 0.3). expect learned(T, N, _, Q), N > 2, Q > 0.5."#);
    assert_eq!(found[0].text, "Q > 0.5");
    assert_eq!(found[0].says, "does not hold with Q = 0.3");
}

#[test]
fn a_failure_tells_why_not_down_to_the_condition() {
    let found = failures(r#"given learned("a", 2, 0.9, 0.3). expect refine("a")."#);
    let why = found[0].why.join("\n");
    assert!(why.contains("`Runs >= 3` with Runs = 2"), "{why}");
    let found = failures(r#"given learned("a", 3, 0.9, 0.3). active("a"). expect refine("a")."#);
    assert!(found[0].why[0].contains(r#"is stopped by `active("a")`"#), "{:?}", found[0].why);
}

#[test]
fn what_must_not_hold_is_shown_with_its_proof() {
    let found = failures(r#"given learned("a", 3, 0.9, 0.3). expect no refine(_)."#);
    assert_eq!(found[0].instead, [r#"refine("a")."#]);
    assert!(found[0].why.join("\n").contains("refine#1"), "{:?}", found[0].why);
}

#[test]
fn a_whole_relation_is_compared_as_a_sorted_difference() {
    let found = failures(r#"given poor("a"). poor("c"). expect exactly refine { ("d") ("c") ("b") }"#);
    let row = |text: &str| text.to_owned();
    assert_eq!(
        found[0].difference,
        [
            RowDifference::Unexpected(row(r#"("a")"#)),
            RowDifference::Missing(row(r#"("b")"#)),
            RowDifference::Missing(row(r#"("d")"#)),
        ]
    );
}

#[test]
fn a_reason_that_is_in_no_proof_fails() {
    let found = failures(r#"given poor("a"). expect refine("a") because poor_after_three."#);
    assert_eq!(found[0].says, "it holds, but no proof of it uses `poor_after_three`");
}

#[test]
fn an_undetermined_decision_fails_what_expects_anything_of_it() {
    for expected in [r#"no ratio("x", _)."#, "exactly ratio { }", r#"ratio("x", 0.5)."#] {
        let found = failures(&format!(r#"given learned("x", 1, 0.0, 0.3). expect {expected}"#));
        assert!(found[0].says.contains("`ratio` is undetermined"), "{}", found[0].says);
        assert!(found[0].why[0].contains("`Quality / Success` is undefined"), "{:?}", found[0].why);
    }
    passes(r#"given learned("x", 1, 0.0, 0.3). expect no ratio("b", _). no refine(_)."#);
}

#[test]
fn facts_come_from_files_beside_the_test_derived_ones_too() {
    let folder = crate::memory::folder();
    let lines = "{\"learned\": [\"a\", 3, 0.9, 0.3]}\n{\"poor\": [\"b\"]}\n";
    fs::write(folder.path().join("week.jsonl"), lines).unwrap();
    fs::write(folder.path().join("more.dl"), "active(\"a\").\npoor(\"c\").\n").unwrap();
    let body = r#"given from "week.jsonl". from "more.dl". expect exactly refine { ("b") ("c") }"#;
    let verdict = run_in(folder.path(), body);
    assert!(matches!(verdict, TestVerdict::Passed), "{verdict:?}");
    let verdict = run_in(folder.path(), r#"given from "nowhere.jsonl". expect no refine(_)."#);
    let TestVerdict::Broken(why) = verdict else { panic!("{verdict:?}") };
    assert!(why.contains("nowhere.jsonl"), "{why}");
}

#[test]
fn the_report_has_the_order_of_the_text_whatever_the_number_of_jobs() {
    let folder = crate::memory::folder();
    let tests: String = (0..40)
        .map(|n| format!("test \"t{n}\" {{ given poor(\"{n}\"). expect refine(\"{}\"). }}\n", n % 7))
        .collect();
    fs::write(folder.path().join("a.dl"), format!("{RULES}{tests}")).unwrap();
    let suite = Suite::load(&[folder.path().to_owned()]).unwrap_or_else(|error| panic!("{error}"));
    let told = |jobs| suite.run(&Selection { jobs, ..Selection::default() }).to_string();
    assert_eq!(told(1), told(8));
    let stopped = suite.run(&Selection { fail_fast: true, jobs: 8, ..Selection::default() });
    assert_eq!((stopped.passed(), stopped.failed(), stopped.count()), (7, 1, 8));
    let some = suite.run(&Selection { filter: Some(String::from("T1")), ..Selection::default() });
    assert_eq!(some.count(), 11);
}

#[test]
fn faulty_rules_are_an_error_and_files_without_tests_are_left_alone() {
    let folder = crate::memory::folder();
    fs::write(folder.path().join("other.dl"), "nonsense(((").unwrap();
    fs::write(folder.path().join("a.dl"), format!("{RULES}test \"t\" {{ expect nothing_such(1). }}"))
        .unwrap();
    let error = Suite::load(&[folder.path().to_owned()]).unwrap_err().to_string();
    assert!(error.contains("nothing_such") && !error.contains("other.dl"), "{error}");
    fs::remove_file(folder.path().join("a.dl")).unwrap();
    assert!(hence::testing::run(folder.path()).is_err());
}

#[test]
fn columns_left_out_are_filled_in_with_ids_of_their_own() {
    passes(
        "given learned(quality: 0.1, runs: 5, ..). learned(quality: 0.1, runs: 5, ..). learned(\"tool_1\", 5, 1.0, 0.1). \
         expect exactly poor { (\"tool_1\") (\"tool_2\") (\"tool_3\") }",
    );
}

#[test]
fn a_failure_shows_what_was_filled_in() {
    let failures = failures(
        "given learned(tool: \"a\", quality: 0.1, ..). active(..). expect refine(\"a\"). learned(\"a\", 3, _, _).",
    );
    assert!(failures.iter().all(|failure| failure.step.is_none()));
    assert_eq!(failures[1].instead, ["learned(\"a\", 0, 0.0, 0.1)."]);
    assert_eq!(failures[1].filled, ["learned(runs: 0, success: 0.0) in line 16"]);
}

#[test]
fn steps_are_one_session() {
    passes(
        "given learned(\"a\", 3, 0.9, 0.3). \
         expect refine(\"a\"). \
         then active(\"a\"). \
         expect no refine(_). \
         then !active(\"a\"). learned(\"b\", 5, 0.9, 0.1). \
         expect exactly refine { (\"a\") (\"b\") } \
         then now @2026-03-01T00:00:00Z. \
         expect now(@2026-03-01T00:00:00Z). refine(\"b\") because poor_after_three.",
    );
}

#[test]
fn a_failure_of_a_step_says_which_and_why_there() {
    let failures = failures(
        "now @2026-02-03T12:00:00Z. given learned(\"a\", 3, 0.9, 0.3). expect refine(\"a\"). \
         then active(\"a\"). !active(\"b\"). expect refine(\"a\"). \
         then !active(\"a\"). now @2026-02-03T13:00:00Z. expect no refine(_).",
    );
    let steps: Vec<_> = failures.iter().map(|failure| failure.step.as_ref().unwrap().to_string()).collect();
    let (second, third) = ("step 2 of 3, at @2026-02-03T12:00:00Z", "step 3 of 3, at @2026-02-03T13:00:00Z");
    assert_eq!(steps, [second, second, third]);
    assert_eq!(failures[0].text, "!active(\"b\").");
    assert!(failures[0].says.starts_with("retracts nothing"), "{}", failures[0].says);
    assert!(failures[1].why[0].contains("is stopped by `active(\"a\")`"), "{:?}", failures[1].why);
    assert!(failures[2].why[0].contains("refine(\"a\")"), "{:?}", failures[2].why);
}

#[test]
fn files_give_facts_in_a_step() {
    let folder = crate::memory::folder();
    fs::write(folder.path().join("more.jsonl"), "{\"active\": [\"a\"]}\n").unwrap();
    let test = "given learned(\"a\", 3, 0.9, 0.3). expect refine(\"a\"). then from \"more.jsonl\" expect no refine(_).";
    let verdict = run_in(folder.path(), test);
    assert!(matches!(verdict, TestVerdict::Passed), "{verdict:?}");
}

#[test]
fn a_float_out_of_its_distance_is_shown() {
    let failures = failures("given learned(\"a\", 3, 0.5, 0.25). expect ratio(\"a\", 0.4) ~ 0.01.");
    assert_eq!(failures[0].text, "ratio(\"a\", 0.4) ~ 0.01");
    assert_eq!(failures[0].says, "nothing matches within 0.01; found instead");
    assert_eq!(failures[0].instead, ["ratio(\"a\", 0.5)."]);
}

#[test]
fn a_missing_row_is_told_why() {
    let failures = failures("given learned(\"a\", 2, 0.5, 0.25). expect exactly poor { (\"a\") }");
    assert!(failures[0].why[0].contains("stops at `Runs >= 3` with Runs = 2"), "{:?}", failures[0].why);
}

#[test]
fn rules_that_build_on_a_pack_are_tested_with_it_and_the_pack_is_not_counted() {
    let folder = crate::memory::folder();
    let file = folder.path().join("mine.dl");
    let text = "## Put a goal before a person.\ndecision ask(plan: string).\nask(Plan) :- step(plan: Plan, index: 0).\n\
        test \"t\" { given step(\"a\", 0, \"f\"). step(\"b\", 1, \"f\"). expect exactly ask { (\"a\") } }";
    fs::write(&file, text).unwrap();
    assert!(Suite::load(std::slice::from_ref(&file)).is_err());
    let suite = Suite::of(&[file], &[String::from("planning")]).unwrap_or_else(|error| panic!("{error}"));
    let mine = Selection { filter: Some(String::from("mine.dl")), ..Selection::default() };
    assert_eq!(suite.run(&mine).passed(), 1);
    let own =
        Suite { files: suite.files.into_iter().filter(|file| file.name.ends_with("mine.dl")).collect() };
    let covered = hence::ruletest::coverage::measure(&own, &mine);
    let mutated = hence::ruletest::mutate::mutate(&own, &mine, None);
    assert_eq!((covered.files.len(), mutated.files.len()), (1, 1));
    assert_eq!((covered.total().percent(), mutated.score()), (100.0, 100.0));
}
