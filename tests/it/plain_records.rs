//! Plain records as facts: objects and tables whose fields are columns, others ignored, by option and by `[facts]`.

use super::settings::{Ran, folder, run};

const RULES: &str = "## One execution of one tool.\ninput tool_run(run: int, tool: string, ok: bool = true, \
    took: duration).\n## Slow.\ndecision slow(run: int, tool: string).\n@because(\"{R} took {L}\")\n\
    slow(R, T) :- tool_run(run: R, tool: T, ok: true, took: L), L > 1s.\n";

const RUNS: &str = "{\"run\": 1, \"tool\": \"web\", \"took\": \"2s\", \"host\": {\"name\": \"a\", \"n\": [1]}}\n\
    \n{\"n\": 1e999, \"run\": 2, \"tool\": \"files\", \"ok\": null, \"took\": \"3s\", \"tool\\u0020\": 7}\n";

const MAPPED: &str =
    "[facts]\ntool_run = { file = \"data/runs.jsonl\", columns = { tool = \"tool_name\", run = \"id\" } }\n";

const NAMED: &str =
    "{\"id\": 7, \"tool_name\": \"web\", \"tool\": \"no\", \"took\": \"5s\", \"run\": \"x\"}\n";

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    folder(&[&[("hence.toml", ""), ("rules/a.dl", RULES)], files].concat())
}

fn derived(project: &tempfile::TempDir, facts: &[&str], input: &str) -> Ran {
    let args = facts.iter().flat_map(|facts| ["--facts", facts]);
    let args: Vec<&str> = ["derive", "--format", "csv"].into_iter().chain(args).collect();
    run(project.path(), &args, &[], input)
}

#[test]
fn fields_are_columns_and_others_are_ignored() {
    let project = project(&[("runs.jsonl", RUNS), ("runs.log", RUNS)]);
    for file in ["tool_run=runs.jsonl", "tool_run=runs.log"] {
        let Ran(status, out, said) = derived(&project, &[file], "");
        assert_eq!((status, out.as_str()), (0, "run,tool\n1,web\n2,files\n"), "{said}");
    }
    let Ran(status, out, said) = derived(&project, &["tool_run=-"], RUNS);
    assert_eq!((status, out.as_str()), (0, "run,tool\n1,web\n2,files\n"), "{said}");
    let Ran(status, _, said) = derived(&project, &["runs.jsonl"], "");
    assert!(status == 2 && said.contains("expected"), "a fact line has no other fields: {said}");
}

#[test]
fn each_fault_of_a_record_has_its_place_and_nothing_is_taken() {
    let faulty = [
        ("{\"run\": [1], \"tool\": \"a\", \"took\": \"2s\"}", "1:9", "expected an int, found a list"),
        (
            "{\"run\": {\"n\": 1}, \"tool\": \"a\", \"took\": \"2s\"}",
            "1:9",
            "expected an int, found an object",
        ),
        ("{\"run\": null, \"tool\": \"a\", \"took\": \"2s\"}", "1:9", "expected an int, found `null`"),
        (
            "{\"run\": 99999999999999999999, \"tool\": \"a\", \"took\": \"2s\"}",
            "1:9",
            "beyond the range of `int`",
        ),
        ("{\"run\": 1, \"tool\": \"a\", \"took\": \"2s\", \"run\": 2}", "1:39", "duplicate field `run`"),
        ("{\"run\": 1, \"took\": \"2s\"}", "1:1", "missing field `tool: string` of a record of `tool_run`"),
        ("{\"run\": 1, \"tool\": \"a\", \"took\": 2}", "1:33", "expected a duration, found the int `2`"),
        ("[{\"run\": 1}]", "1:1", "one record per line: `jq -c '.[]' FILE`"),
        ("{\"tool_run\": {\"run\": 1}}", "1:1", "`--facts runs.jsonl` reads it"),
        ("{\"run\": 1, \"toool\": \"a\", \"took\": \"2s\"}", "1:1", "columns = { tool = \"toool\" }"),
        ("{\"run\": 1, \"tool\": \"a\", \"took\": \"2s\"} x", "1:39", "expected the end of the line"),
    ];
    for (line, place, says) in faulty {
        let good = "{\"run\": 1, \"tool\": \"web\", \"took\": \"2s\"}\n";
        let project = project(&[("runs.jsonl", &format!("{line}\n{good}"))]);
        let args = ["decide", "--facts", "tool_run=runs.jsonl"];
        let Ran(status, out, said) = run(project.path(), &args, &[], "");
        assert!(status == 2 && out.is_empty(), "{line}: {status} {out} {said}");
        assert!(said.contains(&format!("runs.jsonl:{place}")) && said.contains(says), "{line}:\n{said}");
        let Ran(_, log, _) = run(project.path(), &["log", "--format", "jsonl"], &[], "");
        assert!(log.is_empty(), "{line}: nothing is recorded, but {log}");
    }
}

#[test]
fn a_relation_that_takes_no_facts_is_refused() {
    let project = project(&[("runs.jsonl", RUNS)]);
    let Ran(status, _, said) = derived(&project, &["tol_run=runs.jsonl"], "");
    assert!(
        status == 2 && said.contains("unknown relation `tol_run`") && said.contains("`tool_run`?"),
        "{said}"
    );
    let Ran(status, _, said) = derived(&project, &["slow=runs.jsonl"], "");
    assert!(status == 2 && said.contains("`slow` is derived, not an input"), "{said}");
}

#[test]
fn tables_may_have_further_columns() {
    let csv = "host,tool,run,took\nx,web,1,2s\ny,files,2,1ms\n";
    let project = project(&[("runs.csv", csv), ("runs.tsv", &csv.replace(',', "\t")), ("tool_run.csv", csv)]);
    for file in ["tool_run=runs.csv", "tool_run=runs.tsv"] {
        let Ran(status, out, said) = derived(&project, &[file], "");
        assert_eq!((status, out.as_str()), (0, "run,tool\n1,web\n"), "{said}");
    }
    let Ran(status, _, said) = derived(&project, &["tool_run.csv"], "");
    assert!(status == 2 && said.contains("`tool_run` has no column `host`"), "{said}");
}

#[test]
fn the_settings_name_files_and_their_fields() {
    let csv = "id,tool_name,took\n8,files,2s\n";
    let files = [("hence.toml", MAPPED), ("data/runs.jsonl", NAMED), ("runs.csv", csv)];
    let project = project(&files);
    let Ran(status, out, said) = derived(&project, &[], "");
    assert_eq!(
        (status, out.as_str()),
        (0, "run,tool\n7,web\n"),
        "without a ledger they are the facts: {said}"
    );
    for facts in ["tool_run", "tool_run=data/runs.jsonl"] {
        assert_eq!(derived(&project, &[facts], "").1, "run,tool\n7,web\n", "{facts}");
    }
    assert_eq!(derived(&project, &["tool_run=runs.csv"], "").1, "run,tool\n8,files\n");
    let Ran(_, out, _) = run(project.path(), &["config"], &[], "");
    assert!(
        out.contains("facts.tool_run") && out.contains("data/runs.jsonl") && out.contains("tool = tool_name"),
        "{out}"
    );
    let Ran(status, out, said) = run(project.path(), &["decide", "--format", "csv"], &[], "");
    assert!(status == 0 && out.contains("7"), "{out}{said}");
    std::fs::remove_file(project.path().join("data/runs.jsonl")).unwrap();
    let Ran(status, out, said) = derived(&project, &[], "");
    assert_eq!((status, out.as_str()), (0, "run,tool\n7,web\n"), "from then on the ledger is asked: {said}");
}

#[test]
fn settings_that_are_wrong_say_so() {
    let wrong = [
        ("tool_run = { file = \"../runs.jsonl\" }", "`../runs.jsonl` is outside the folder"),
        ("tool_run = \"/tmp/runs.jsonl\"", "`/tmp/runs.jsonl` is outside the folder"),
        ("tool_run = { columns = { tool = \"x\" } }", "missing file"),
        ("tool_run = { file = 3 }", "expected a path, found `3`"),
        ("tool_run = { file = \"a.jsonl\", column = {} }", "did you mean `columns`?"),
        (
            "tool_run = { file = \"a.jsonl\", columns = { tool = 3 } }",
            "expected the name of a field, found `3`",
        ),
        ("tool_run = 3", "expected a path, or a table"),
        ("tool_run = { file = \"a.jsonl\", columns = { tol = \"x\" } }", "`tool_run` has no column `tol`"),
    ];
    for (line, says) in wrong {
        let project = project(&[("hence.toml", &format!("[facts]\n{line}\n")), ("a.jsonl", RUNS)]);
        let Ran(status, _, said) = derived(&project, &[], "");
        assert!(status == 2 && said.contains(says), "{line}:\n{said}");
    }
    #[cfg(unix)]
    {
        let (project, other) =
            (project(&[("hence.toml", "[facts]\ntool_run = \"a.jsonl\"\n")]), folder(&[("b.jsonl", RUNS)]));
        std::os::unix::fs::symlink(other.path().join("b.jsonl"), project.path().join("a.jsonl")).unwrap();
        let Ran(status, _, said) = derived(&project, &[], "");
        assert!(status == 2 && said.contains("is a link out of the folder of hence.toml"), "{said}");
    }
}

#[test]
fn a_stream_may_be_of_records() {
    let project = project(&[]);
    let lines = "{\"run\": 1, \"tool\": \"web\", \"took\": \"2s\", \"x\": 1}\n{\"run\": 2}\n{\"run\": 3, \"tool\": \"b\", \"took\": \"9s\"}\n";
    let args = ["decide", "--follow", "--facts", "tool_run=-"];
    let Ran(status, out, said) = run(project.path(), &args, &[], lines);
    assert!(status != 0 && said.contains("1 line refused, the first at line 2"), "{said}");
    let drawn = out.lines().filter(|line| line.contains("\"change\": \"drawn\"")).count();
    assert!(drawn == 2 && out.contains("missing fields `tool: string`, `took: duration`"), "{out}");
}
