//! `observe test-output`: how many tests failed, by what five runners print, and never a wrong number.

use crate::actuators::{observe, observe_bytes, refused};

/// The number of failed tests, or the error.
fn failed(text: &str) -> Result<usize, String> {
    let (facts, _) =
        observe_bytes("test-output", "p1.log", None, text.as_bytes()).map_err(|error| error.to_string())?;
    let rest = facts[0].to_string();
    let number = rest.strip_prefix("final_tests(\"p1\", ").and_then(|rest| rest.strip_suffix(')')).unwrap();
    Ok(number.parse().unwrap())
}

const PYTEST: &str = "\
============================= test session starts ==============================
platform linux -- Python 3.12.3, pytest-8.0.0
collected 4 items

tests/test_a.py .F.E                                                     [100%]

=================================== FAILURES ===================================
E       AssertionError: assert 1 == 2
------------------------------ Captured log call -------------------------------
ERROR    root:a.py:3 it broke
=========================== short test summary info ============================
FAILED tests/test_a.py::test_b - AssertionError: assert 1 == 2
ERROR tests/test_a.py::test_d - fixture 'x' not found
\u{1b}[31m==================== \u{1b}[1m1 failed\u{1b}[0m, 2 passed, 1 error in 0.12s (0:00:00) =====================\u{1b}[0m
";

const CARGO: &str = "\
   Compiling cart v0.1.0
     Running unittests src/lib.rs (target/debug/deps/cart-1)

running 3 tests
test adds ... ok
test removes ... FAILED
test later ... ignored

failures:

---- removes stdout ----
thread 'removes' panicked at src/lib.rs:4:9

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests cart

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

const GO: &str = "\
=== RUN   TestAdd
--- PASS: TestAdd (0.00s)
=== RUN   TestRemove
=== RUN   TestRemove/empty
    --- FAIL: TestRemove/empty (0.00s)
--- FAIL: TestRemove (0.00s)
FAIL
FAIL\texample.com/cart\t0.003s
ok  \texample.com/store\t0.002s
?   \texample.com/types\t[no test files]
FAIL\texample.com/broken [build failed]
FAIL
";

const GO_JSON: &str = r#"{"Action":"start","Package":"cart"}
{"Action":"run","Package":"cart","Test":"TestA"}
{"Action":"output","Package":"cart","Test":"TestA","Output":"--- FAIL: TestA (0.00s)\n"}
{"Action":"fail","Package":"cart","Test":"TestA/sub"}
{"Action":"fail","Package":"cart","Test":"TestA"}
{"Action":"fail","Package":"cart","Elapsed":0.01}
{"Action":"build-fail","ImportPath":"broken"}
{"Action":"start","Package":"broken"}
{"Action":"fail","Package":"broken","FailedBuild":"broken"}
{"Action":"start","Package":"store"}
{"Action":"pass","Package":"store"}
"#;

const JEST: &str = "\
PASS src/a.test.ts
FAIL src/b.test.ts (5.2 s)
  \u{25cf} adds › two numbers

    expect(received).toBe(expected)

FAIL src/c.test.ts
  \u{25cf} Test suite failed to run

    SyntaxError: Unexpected token

Test Suites: 2 failed, 1 passed, 3 total
Tests:       1 failed, 1 skipped, 4 passed, 6 total
Snapshots:   0 total
Time:        6.1 s
";

const JUNIT: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<testsuites name="all">
  <testsuite name="cart" tests="3" failures="1" errors="1" skipped="0">
    <testcase classname="cart" name="adds"/>
    <testcase name="removes"><failure message="1 != 2">at &lt;cart&gt;</failure></testcase>
    <testcase name="sorts"><error type="E"/><system-out><![CDATA[<failure/>]]></system-out></testcase>
  </testsuite>
</testsuites>
"#;

#[test]
fn the_runner_is_told_by_its_output() {
    for (text, expected) in [(PYTEST, 2), (CARGO, 1), (GO, 2), (GO_JSON, 2), (JEST, 2), (JUNIT, 2)] {
        assert_eq!(failed(text), Ok(expected), "{text}");
    }
    assert_eq!(failed("....\n4 passed, 1 warning in 0.03s\n"), Ok(0));
    assert_eq!(failed("no tests ran in 0.01s\n"), Ok(0));
    assert_eq!(failed("error: could not compile `cart` (lib) due to 2 previous errors\n"), Ok(1));
    let report =
        r#"{"numFailedTests": 2, "numPassedTests": 3, "numTotalTests": 5, "numRuntimeErrorTestSuites": 1}"#;
    assert_eq!(failed(report), Ok(3));
    let died = "running 2 tests\ntest a ... FAILED\nerror: test failed, to rerun pass `--lib`\n\n\
        Caused by:\n  process didn't exit successfully: `cart-1` (signal: 6, SIGABRT)\n";
    assert_eq!(failed(died), Ok(2));
}

#[test]
fn the_end_of_output_that_was_cut_is_missed() {
    let cut = |text: &str, at: &str| failed(text.split_once(at).unwrap().0).unwrap_err();
    assert_eq!(
        cut(PYTEST, "\u{1b}[31m"),
        "p1.log:13: expected the summary of pytest, such as `1 failed, 2 passed in 0.12s`, found the end"
    );
    assert_eq!(
        cut(CARGO, "failures:"),
        "p1.log:8: expected the `test result:` of the 3 tests that begin at line 4, found the end"
    );
    assert_eq!(
        cut(GO, "FAIL\n"),
        "p1.log:6: expected the line that ends the package, such as `FAIL\tNAME`, found the end"
    );
    assert_eq!(
        cut(GO_JSON, "{\"Action\":\"pass\""),
        "p1.log:10: expected the end of package `store`, found the end"
    );
    assert_eq!(
        cut(JEST, "Tests:"),
        "p1.log:12: expected `Test Suites:` and `Tests:`, the summary of jest, found the end"
    );
    assert_eq!(cut(JUNIT, "</testsuites>"), "p1.log:8: expected the end of its elements, found the end");
    let json = failed(&GO_JSON[..GO_JSON.len() - 9]).unwrap_err();
    assert_eq!(json, "p1.log:11: expected a JSON object of `go test -json`, found something else");
}

#[test]
fn forged_outcomes_do_not_fit() {
    let forged = |text: &str, from: &str, to: &str| failed(&text.replacen(from, to, 1)).unwrap_err();
    // A test prints what its runner would.
    assert_eq!(
        forged(
            CARGO,
            "test adds ... ok",
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out"
        ),
        "p1.log:14: expected `running N tests` before it, found `test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measur`"
    );
    assert_eq!(
        forged(CARGO, "1 passed; 1 failed", "2 passed; 0 failed"),
        "p1.log:14: expected a result of 3 tests, found `test result: FAILED. 2 passed; 0 failed; 1 ignored; 0 measur`"
    );
    assert!(
        forged(PYTEST, "collected 4", "== 9 passed in 1s ==\ncollected 4")
            .contains("expected one summary of pytest")
    );
    assert!(
        forged(PYTEST, "1 failed\u{1b}[0m, 2 passed, 1 error", "4 passed")
            .contains("a summary that counts the 2 failures")
    );
    assert!(forged(JEST, "1 failed, 1 skipped", "1 skipped").contains("parts that add up to the total"));
    assert!(forged(GO, "FAIL\texample.com/cart", "ok  \texample.com/cart").contains("a package that fails"));
    assert!(
        forged(JUNIT, "failures=\"1\"", "failures=\"0\"")
            .contains("a suite of 3 tests and 1 failures and errors, found 3 and 2")
    );
    let two = format!("{PYTEST}{CARGO}");
    assert!(
        failed(&two)
            .unwrap_err()
            .contains("the output of one test runner, found that of pytest and that of cargo test")
    );
    for nothing in ["", "all is well\n", "{}", "{\"a\": 1}\n", "<html></html>"] {
        assert!(failed(nothing).unwrap_err().contains("expected "), "{nothing}");
    }
}

#[test]
fn hostile_output_is_read_in_bounded_time() {
    let bomb = format!("<!DOCTYPE x [<!ENTITY a \"{}\">]><testsuites/>", "b".repeat(1_000));
    assert!(failed(&bomb).unwrap_err().contains("a report without a document type"));
    let deep = "<testsuite>".repeat(100_000);
    assert!(failed(&deep).unwrap_err().contains("elements nested at most 64 deep"));
    let cases = format!("<testsuite>{}</testsuite>", "<testcase/>\n".repeat(100_000));
    assert_eq!(failed(&cases), Ok(0));
    assert!(failed(&"[".repeat(1 << 20)).is_err());
    assert!(failed(&format!("{{\"a\":{}", "[".repeat(1 << 20))).is_err());
    let long = format!("{}\n3 failed in 0.1s\n", "x".repeat(4 << 20));
    assert_eq!(failed(&long), Ok(3));
    assert!(failed("99999999999999999999 failed in 1s\n").is_err());
    let strange = observe_bytes("test-output", "p1.log", None, b"\xff\xfe\n1 passed in 0.1s\n").unwrap();
    assert_eq!(strange.0[0].to_string(), "final_tests(\"p1\", 0)");
}

#[test]
fn failures_leave_their_signals_and_attempts_their_outcome() {
    assert_eq!(
        observe("test-output", "p2.log", None, "AssertionError\n1 failed in 0.1s\n"),
        [
            r#"final_tests("p2", 1)"#,
            r#"error("p2/tests", 31)"#,
            r#"error_signal("p2/tests", /assertion_error)"#,
        ]
    );
    let lines = r#"
{"plan": "p", "text": "2 passed in 0.1s", "exit": 0}
{"plan": "p", "index": 0, "n": 1, "exit": 0}
{"plan": "p", "index": 1, "n": 1, "exit": 2, "text": "a.ts(1,1): error TS2304: Cannot find name 'x'."}
{"plan": "p", "index": 1, "n": 2, "write_failed": "EACCES"}
"#;
    let facts = observe("test-output", "in.jsonl", None, lines);
    let told: Vec<&str> =
        facts.iter().map(String::as_str).filter(|fact| !fact.starts_with("error")).collect();
    assert_eq!(
        told,
        [
            r#"final_tests("p", 0)"#,
            r#"attempt("p", 0, 1, /ok, true)"#,
            r#"failed_attempt("p", 1, 1, /type_error, "p/1/1")"#,
            r#"failed_attempt("p", 1, 2, /write_failed, "p/1/2")"#,
        ]
    );
    assert!(facts.contains(&String::from(r#"error_signal("p/1/1", /ts_error)"#)), "{facts:?}");
    assert_eq!(
        refused("test-output", r#"{"plan": "p", "text": "2 passed in 0.1s", "exit": 1}"#),
        "in.jsonl:1: expected `exit` to be 0, since no test failed, found another status (line 1 of `text`)"
    );
    assert_eq!(
        refused("test-output", r#"{"plan": "p", "index": 0, "n": 1}"#),
        "in.jsonl:1: expected `exit` to be an exit status: an int, found no such field"
    );
    let unnamed = observe_bytes("test-output", "-", None, b"1 passed in 1s").unwrap_err().to_string();
    assert_eq!(
        unnamed,
        "-:1: expected a file called like its plan, or objects with `plan`, found standard input"
    );
}
