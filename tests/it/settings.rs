//! Settings: every command that takes rules resolves them, their parameters and the limits in the same one way; what
//! `hence.toml` restricts nothing widens; rules of a folder are never left out unsaid.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;

use super::command;

/// What a command came to: status, standard output, standard error.
pub(crate) struct Ran(pub(crate) i32, pub(crate) String, pub(crate) String);

pub(crate) fn run(folder: &Path, args: &[&str], variables: &[(&str, &str)], input: &str) -> Ran {
    let mut command = command::hence(folder, args);
    command.envs(variables.iter().copied());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Who refuses its arguments need not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran(output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// What a command says, which ends with this status.
pub(crate) fn said(at: &Path, status: i32, args: &[&str]) -> String {
    let Ran(found, out, err) = run(at, args, &[], "");
    assert_eq!(found, status, "{args:?}: {out}{err}");
    format!("{out}{err}")
}

pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = crate::memory::folder();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

pub(crate) const RULES: &str = "\
## A number.
input n(x: int).

## From here on a number is big.
param floor: int = 1.

## A big number.
decision big(x: int).

@because(\"{X} is above {floor}\")
big(X) :- n(X), X > floor.

test \"nothing is big of itself\" {
    given
        n(1).
    expect
        no big(_).
}
";

/// A project whose settings make 3 small: without them, `floor` is 1, and it would be big.
fn project() -> TempDir {
    let other = RULES.replace("X > floor", "X >= floor");
    folder(&[
        ("hence.toml", "rules = [\"mine.dl\"]\n[params]\nfloor = 5\n"),
        ("mine.dl", RULES),
        ("other.dl", &other),
        (
            "plain.dl",
            "input n(x: int).\n\n## Any.\ndecision seen(x: int).\n\n@because(\"{X}\")\nseen(X) :- n(X).\n",
        ),
        ("facts.jsonl", "{\"n\": [3]}\n{\"n\": [5]}\n{\"n\": [7]}\n"),
    ])
}

/// Commands that take rules: arguments, standard input, status, what is said on standard output, and what is not.
const ASKED: [(&[&str], &str, i32, &str, &str); 17] = [
    (
        &["report", "cost", "--rules", "mine.dl", "--pack", "loop", "--facts", "facts.jsonl"],
        "",
        0,
        "# Costs",
        "error",
    ),
    (&["derive", "--facts", "facts.jsonl", "--format", "jsonl"], "", 0, "[7]", "[3]"),
    (&["query", "big(X)", "--facts", "facts.jsonl", "--format", "jsonl"], "", 0, "7", "3"),
    (&["why", "big(7)", "--facts", "facts.jsonl"], "", 0, "7 is above 5", "above 1"),
    (&["why", "big(3)", "--facts", "facts.jsonl"], "", 1, "", "above"),
    (&["why-not", "big(3)", "--facts", "facts.jsonl"], "", 0, "5", "holds already"),
    (&["what-if", "--assert", "n(4)", "--facts", "facts.jsonl"], "", 0, "nothing would change", "big(4)"),
    (&["what-if", "--rules", "other.dl", "--facts", "facts.jsonl"], "", 0, "+ big(5)", "big(3)"),
    (&["what-if", "--rules", "plain.dl", "--facts", "facts.jsonl"], "", 0, "- big(7)", "big(3)"),
    (&["decide", "--facts", "facts.jsonl", "--dry-run", "--format", "jsonl"], "", 0, "[7]", "[3]"),
    (&["repl", "--facts", "facts.jsonl"], "big(3)?\nbig(7)?\n", 0, "no\nyes", "yes\nyes"),
    (
        &["bench", "--facts", "facts.jsonl", "--runs", "1", "--format", "json"],
        "",
        0,
        "\"facts\": 1,",
        "\"facts\": 3,",
    ),
    (&["check"], "", 0, "1 file, 1 rule: no errors", "error["),
    (&["test"], "", 0, "1 passed in 1 file", "failed"),
    (&["fmt", "--check"], "", 0, "", "+++"),
    (&["doc"], "", 0, "# mine", "packs"),
    (&["compile", "mine.dl"], "", 0, "A big number", "select_tool"),
];

/// Commands that read a ledger in which the same was recorded.
const RECORDED: [(&[&str], i32, &str, &str); 13] = [
    (&["decide", "--all", "--format", "jsonl"], 0, "[7]", "[3]"),
    (&["facts", "n", "--format", "jsonl"], 0, "[3]", "big"),
    (&["history", "n(3)"], 0, "transaction 1", "never recorded"),
    (&["param", "list"], 0, "floor: int = 5", "default"),
    (&["review", "list"], 0, "", "error"),
    (&["outbox"], 0, "", "error"),
    (&["carry"], 0, "", "error"),
    (&["why", "1.1"], 0, "7 is above 5", "above 1"),
    (&["replay"], 0, "no decision flips", "stands:"),
    (&["replay", "--rules", "other.dl"], 1, "big(5)", "big(3)"),
    (&["verify"], 0, "each as recorded", "difference"),
    (&["export", "--format", "dl"], 0, "n(3).", "error"),
    (&["retract", "n(8)"], 0, "nothing to record", "recorded as"),
];

/// Commands that take no rules.
const WITHOUT_RULES: [&str; 17] = [
    "backup",
    "init",
    "explain",
    "log",
    "status",
    "rebuild",
    "import",
    "compact",
    "decisions",
    "pack",
    "principal",
    "config",
    "completions",
    "help",
    "check-proof",
    "head",
    "receipt",
];

#[test]
fn the_settings_hold_in_every_command() {
    let project = project();
    let mut faults = Vec::new();
    let mut check = |args: &[&str], ran: Ran, status: i32, says: &str, not: &str| {
        let Ran(found, out, err) = ran;
        if found != status || !out.contains(says) || (!not.is_empty() && out.contains(not)) {
            faults.push(format!(
                "{args:?}: exit {found}, not {status}, or not {says:?} without {not:?}\n{out}{err}"
            ));
        }
    };
    for (args, input, status, says, not) in ASKED {
        check(args, run(project.path(), args, &[], input), status, says, not);
    }
    let decide = ["decide", "--facts", "facts.jsonl"];
    check(&decide, run(project.path(), &decide, &[], ""), 0, "1 decision drawn", "3 decisions");
    for (args, status, says, not) in RECORDED {
        check(args, run(project.path(), args, &[], ""), status, says, not);
    }
    let proof = run(project.path(), &["why", "big(7)", "--format", "json"], &[], "").1;
    let trusting = ["check-proof", "--trust-leaves"];
    check(&trusting, run(project.path(), &trusting, &[], &proof), 0, "accepted", "refused");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_command_is_in_the_list_above() {
    let help = run(Path::new("."), &["help"], &[], "").1;
    let commands =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = commands
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty());
    let asked = |name: &str| ASKED.iter().any(|(args, ..)| args[0] == name);
    let recorded = |name: &str| RECORDED.iter().any(|(args, ..)| args[0] == name);
    // `gate` and `mcp-gate` ask the owner that `serve` is, `token` takes no rules, `assert` and `erase` are as `retract`, `observe` and `migrate` as `assert`, `serve` goes on as `decide --follow` does, and `shard` runs others.
    let known = |name: &str| {
        asked(name)
            || recorded(name)
            || WITHOUT_RULES.contains(&name)
            || ["assert", "erase", "observe", "migrate", "serve", "gate", "mcp-gate", "mcp", "token", "shard"]
                .contains(&name)
    };
    let unknown: Vec<_> = names.filter(|name| !known(name)).collect();
    assert!(unknown.is_empty(), "say in `ASKED` or `RECORDED` how the settings hold in {unknown:?}");
}

#[test]
fn a_parameter_that_the_rules_do_not_have_is_an_error_where_it_is_meant_for_them() {
    let project = project();
    for args in [
        ["derive", "--rules", "plain.dl"],
        ["bench", "--rules", "plain.dl"],
        ["derive", "--rules", "mine.dl"],
    ] {
        let args = [&args[..], &["--facts", "facts.jsonl", "--set", "roof=2"]].concat();
        let Ran(status, _, said) = run(project.path(), &args, &[], "");
        assert!(status == 2 && said.contains("unknown parameter `roof`"), "{args:?}: {status} {said}");
    }
    let other = run(project.path(), &["derive", "--rules", "plain.dl", "--facts", "facts.jsonl"], &[], "");
    assert_eq!(other.0, 0, "{}", other.2);
    fs::write(project.path().join("hence.toml"), "rules = [\"plain.dl\"]\n[params]\nfloor = 5\n").unwrap();
    let configured = run(project.path(), &["derive", "--facts", "facts.jsonl"], &[], "");
    assert!(configured.0 == 2 && configured.2.contains("unknown parameter `floor`"), "{}", configured.2);
    let unread = run(project.path(), &["derive", "--rules", "nowhere.dl", "--facts", "facts.jsonl"], &[], "");
    assert!(unread.0 == 2 && unread.2.contains("nowhere.dl"), "{}", unread.2);
}

pub(crate) const BROKEN: &str = "input  p(a: int).\nq(X) :- r(X).\n";

#[test]
fn rules_of_a_folder_are_looked_at_or_named() {
    let of_rules = folder(&[("rules/a.dl", BROKEN), ("facts.jsonl", "{\"p\": [1]}\n")]);
    let loose = folder(&[("a.dl", BROKEN), ("b_test.dl", "test \"t\" { expect no p(_). }\n")]);
    let below = folder(&[
        ("hence.toml", "[params]\n"),
        ("rules/a.dl", RULES),
        ("sub/rules/a.dl", BROKEN),
        ("loose/x.dl", BROKEN),
    ]);
    let without = folder(&[("hence.toml", "[params]\n"), ("sub/rules/a.dl", BROKEN)]);
    let nothing = folder(&[]);
    let linked = below.path().join("sub");
    let cases: [(&Path, &str); 6] = [
        (of_rules.path(), "a.dl"),
        (loose.path(), "`a.dl`, `b_test.dl`"),
        (&linked, "`rules`"),
        (&below.path().join("loose"), "`x.dl`"),
        (&without.path().join("sub"), "a.dl"),
        (nothing.path(), "no rules found"),
    ];
    for (folder, named) in cases {
        for command in [&["check"][..], &["test"], &["fmt", "--check"]] {
            let Ran(status, out, said) = run(folder, command, &[], "");
            let shown = format!("{out}{said}");
            assert!(status != 0, "{command:?} in {folder:?}\n{shown}");
            assert!(!shown.contains("autonomy") && !shown.contains("no errors"), "{command:?}\n{shown}");
            assert!(
                command[0] == "fmt" && folder == of_rules.path() || shown.contains(named) || status == 1,
                "{command:?}\n{shown}"
            );
        }
    }
    let Ran(status, _, said) = run(of_rules.path(), &["derive", "--facts", "facts.jsonl"], &[], "");
    assert!(status == 2 && said.contains("rules/a.dl:2:9"), "{said}");
    let Ran(_, _, said) = run(loose.path(), &["derive", "--facts", "-"], &[], "");
    assert!(said.contains("the rules are the shipped packs") && said.contains("`--rules a.dl"), "{said}");
}

#[test]
fn a_faulty_file_without_tests_lets_no_test_pass() {
    let project = folder(&[("rules/a.dl", RULES), ("rules/b.dl", BROKEN)]);
    let Ran(status, _, said) = run(project.path(), &["test"], &[], "");
    assert!(status == 2 && said.contains("rules/b.dl:2:9"), "{status} {said}");
}

#[test]
fn nothing_to_lay_out_is_said() {
    let empty = folder(&[("rules/note.txt", ""), ("hence.toml", "")]);
    for args in
        [&["fmt", "--check"][..], &["fmt", "--check", "rules"], &["check"], &["check", "rules"], &["derive"]]
    {
        let Ran(status, out, said) = run(empty.path(), args, &[], "p( 1 ).\n");
        assert!(
            status == 2 && said.contains("contains no rule file") && out.is_empty(),
            "{args:?}: {status} {out}{said}"
        );
    }
    let Ran(status, out, _) = run(empty.path(), &["fmt", "-"], &[], "p( 1 ).\n");
    assert_eq!((status, out.as_str()), (0, "p(1).\n"));
}

#[test]
fn what_the_file_restricts_no_variable_widens() {
    let toml = "authors = [\"ada\", \"grace\"]\nlenient = false\n[limits]\nfacts = 10\ntime = \"10s\"\n\
                [redact]\npatterns = [\"sk-[0-9]+\"]\n";
    let project = folder(&[("hence.toml", toml), ("rules/a.dl", RULES), ("f.jsonl", "{\"n\": [3]}\n")]);
    let settings =
        |variables: &[(&str, &str)]| run(project.path(), &["config", "--format", "jsonl"], variables, "");
    let variables = [
        ("HENCE_AUTHORS", "grace,mallory"),
        ("HENCE_LENIENT", "true"),
        ("HENCE_MAX_FACTS", "1000"),
        ("HENCE_TIMEOUT", "5s"),
        ("HENCE_REDACT", "pw=.*"),
    ];
    let Ran(_, shown, said) = settings(&variables);
    for (key, value, origin) in [
        ("authors", "grace", "hence.toml:1, HENCE_AUTHORS"),
        ("lenient", "false", "hence.toml:2"),
        ("limits.facts", "10", "hence.toml:4"),
        ("limits.time", "5s", "HENCE_TIMEOUT"),
        ("redact.patterns", "sk-[0-9]+, pw=.*", "hence.toml:7, HENCE_REDACT"),
    ] {
        let line = format!("{{\"key\": \"{key}\", \"value\": \"{value}\", \"origin\": \"{origin}\"");
        assert!(shown.contains(&line), "{line}\n{shown}");
    }
    for unheeded in
        ["HENCE_AUTHORS names `mallory`", "HENCE_LENIENT asks for true", "HENCE_MAX_FACTS asks for 1000"]
    {
        assert!(said.contains(unheeded), "{unheeded}\n{said}");
    }
    let assert = |author, variables: &[(&str, &str)]| {
        run(project.path(), &["assert", "n(1)", "--as", author, "--store", ":memory:"], variables, "").0
    };
    assert_eq!([assert("ada", &[]), assert("mallory", &[])], [0, 2]);
    assert_eq!(assert("mallory", &[("HENCE_AUTHORS", "mallory")]), 2);
    assert_eq!(assert("ada", &[("HENCE_AUTHORS", "mallory")]), 2);
    assert_eq!([assert("ada", &variables[..1]), assert("grace", &variables[..1])], [2, 0]);
    assert_eq!(run(project.path(), &["assert", "n(1)"], &[("HENCE_AUTHOR", "eve")], "").0, 2);
    let Ran(status, _, said) = run(project.path(), &["derive", "--facts", "f.jsonl", "--lenient"], &[], "");
    assert!(status == 2 && said.contains("hence.toml:2 says `lenient = false`"), "{said}");
    fs::write(project.path().join("hence.toml"), "authors = []\n").unwrap();
    assert_eq!(assert("ada", &[]), 2);
}

#[test]
fn a_ledger_at_a_glance_says_where_its_settings_come_from() {
    let project = folder(&[("hence.toml", "authors = [\"ada\"]\nstore = \"led\"\n"), ("rules/a.dl", RULES)]);
    assert_eq!(run(project.path(), &["assert", "n(1)"], &[], "").0, 0);
    let Ran(_, shown, _) = run(project.path(), &["status"], &[], "");
    for line in [
        "ledger        led (hence.toml:2)",
        "rules         rules (beside hence.toml)",
        "authors       ada (hence.toml:1)",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    let Ran(_, shown, _) = run(project.path(), &["status"], &[("HENCE_RULES", "rules/a.dl")], "");
    assert!(shown.contains("rules         rules/a.dl (HENCE_RULES)"), "{shown}");
}

#[cfg(unix)]
#[test]
fn settings_of_somebody_else_are_not_obeyed_unless_named() {
    let project = folder(&[("hence.toml", "lenient = true\n"), ("rules/a.dl", RULES)]);
    let toml = project.path().join("hence.toml");
    // Only root can give a file away.
    if std::os::unix::fs::chown(&toml, Some(65_534), None).is_err() {
        return;
    }
    let show = |variables: &[(&str, &str)]| run(project.path(), &["config"], variables, "");
    let Ran(status, out, said) = show(&[]);
    assert!(status == 2 && out.is_empty(), "{out}");
    assert!(said.contains("hence.toml` belongs to user 65534") && said.contains("HENCE_TRUST="), "{said}");
    let path = toml.display().to_string();
    for named in [path.as_str(), project.path().to_str().unwrap()] {
        assert_eq!(show(&[("HENCE_TRUST", named)]).0, 0);
    }
    assert_eq!(show(&[("HENCE_TRUST", "/")]).0, 2);
    let below = project.path().join("below");
    fs::create_dir(&below).unwrap();
    assert_eq!(run(&below, &["config"], &[], "").0, 2);
    std::os::unix::fs::chown(&toml, Some(0), None).unwrap();
    std::os::unix::fs::chown(project.path(), Some(65_534), None).unwrap();
    assert_eq!(show(&[]).0, 2);
}

#[test]
fn an_option_takes_one_value_and_leaves_the_arguments() {
    let project = project();
    let orders: [&[&str]; 4] = [
        &["derive", "big", "--rules", "mine.dl", "--facts", "facts.jsonl", "--format", "jsonl"],
        &["derive", "--rules", "mine.dl", "--facts", "facts.jsonl", "--format", "jsonl", "big"],
        &["derive", "--facts", "facts.jsonl", "--rules", "mine.dl", "big", "--format", "jsonl"],
        &["derive", "--format", "jsonl", "--facts", "facts.jsonl", "big", "--rules", "mine.dl"],
    ];
    for args in orders {
        let Ran(status, out, said) = run(project.path(), args, &[], "");
        assert_eq!((status, out.as_str()), (0, "{\"big\": [7]}\n"), "{args:?}\n{said}");
    }
    let several: [&[&str]; 3] = [
        &["derive", "seen", "--rules", "mine.dl,plain.dl"],
        &["derive", "seen", "--rules", "mine.dl", "--rules", "plain.dl"],
        &["what-if", "--base", "mine.dl", "--rules", "plain.dl", "--retract", "n(3)"],
    ];
    fs::write(project.path().join("plain.dl"), "seen(X) :- n(X).\n").unwrap();
    for args in &several[..2] {
        let Ran(status, _, said) =
            run(project.path(), &[args, &["--facts", "facts.jsonl"][..]].concat(), &[], "");
        assert_eq!(status, 0, "{args:?}\n{said}");
    }
    fs::write(project.path().join("a,b.jsonl"), "{\"n\": [9]}\n").unwrap();
    let Ran(_, out, said) = run(
        project.path(),
        &["derive", "--facts", "a,b.jsonl", "--facts", "facts.jsonl", "--format", "jsonl"],
        &[],
        "",
    );
    assert_eq!(out, "{\"big\": [7]}\n{\"big\": [9]}\n", "{said}");
}

#[test]
fn the_old_form_of_several_values_is_answered_with_the_new_one() {
    let project = project();
    let cases: [(&[&str], &str); 6] = [
        (&["query", "--rules", "mine.dl", "plain.dl", "n(X)"], "--rules mine.dl --rules plain.dl"),
        (
            &["derive", "--rules", "mine.dl", "plain.dl", "--facts", "facts.jsonl"],
            "--rules mine.dl --rules plain.dl",
        ),
        (&["decide", "--facts", "facts.jsonl", "mine.dl"], "--facts facts.jsonl --facts mine.dl"),
        (&["decide", "--facts", "facts.jsonl", "gone.jsonl"], "--facts facts.jsonl --facts gone.jsonl"),
        (&["derive", "--pack", "errors", "goals", "--facts", "facts.jsonl"], "--pack errors --pack goals"),
        (&["what-if", "--base", "mine.dl", "plain.dl"], "--base mine.dl --base plain.dl"),
    ];
    for (args, better) in cases {
        let Ran(status, _, said) = run(project.path(), args, &[], "");
        assert!(status == 2 && said.contains(&format!("write `{better}`")), "{args:?}: {status}\n{said}");
    }
}

#[test]
fn lints_are_for_check_and_quiet_leaves_out_what_nobody_needs() {
    let noisy =
        "input p(k: string, n: int).\na(K, count(N)) :- p(K, N).\nb(K, Once) :- p(K, Once), p(Twice, _).\n";
    let project = folder(&[("noisy.dl", noisy), ("f.jsonl", "{\"p\": [\"k\", 1]}\n")]);
    let asked: [&[&str]; 5] = [
        &["query", "a(K, N)"],
        &["derive", "a"],
        &["why", "a(\"k\", 1)"],
        &["decide", "--dry-run"],
        &["what-if", "--assert", "p(\"x\", 1)", "--base", "noisy.dl"],
    ];
    for args in asked {
        let rules: &[&str] = if args[0] == "what-if" { &[] } else { &["--rules", "noisy.dl"] };
        let args = [args, rules, &["--facts", "f.jsonl"]].concat();
        let Ran(status, out, said) = run(project.path(), &args, &[], "");
        assert_eq!(status, 0, "{args:?}\n{said}");
        let lints: Vec<_> = said.lines().filter(|line| line.contains("warning")).collect();
        // What explains and compares speaks of decisions alone.
        let explains = ["why", "what-if"].contains(&args[0]);
        assert_eq!(lints.len(), usize::from(!explains), "{args:?}\n{said}");
        let end = " in these rules; `hence check noisy.dl` shows them";
        assert!(lints.iter().all(|line| line.ends_with(end)), "{said}");
        for quiet in ["-q", "--quiet"] {
            for at in [0, args.len()] {
                let mut args = args.clone();
                args.insert(at, quiet);
                let Ran(quiet_status, quiet_out, said) = run(project.path(), &args, &[], "");
                assert_eq!((quiet_status, quiet_out, said.as_str()), (status, out.clone(), ""), "{args:?}");
            }
        }
    }
    let Ran(_, _, said) = run(project.path(), &["check", "noisy.dl"], &[], "");
    assert!(said.contains("[W2"), "{said}");
    let Ran(status, _, said) = run(project.path(), &["-q", "check", "missing.dl"], &[], "");
    assert!(status == 2 && said.contains("missing.dl"), "an error is never quiet: {said}");
}

#[test]
fn a_measurement_begins_with_one_figure() {
    let project = project();
    let Ran(status, _, said) =
        run(project.path(), &["bench", "--facts", "facts.jsonl", "--runs", "2"], &[], "");
    assert!(
        status == 0 && said.starts_with("the first run took ") && said.contains("; 2 runs are measured"),
        "{said}"
    );
    let other = ["bench", "--facts", "facts.jsonl", "--engine", "naive"];
    let Ran(status, _, said) = run(project.path(), &other, &[], "");
    assert!(status == 2 && said.contains("not --engine naive"), "{said}");
}

#[test]
fn packs_that_a_rule_set_holds_and_names_are_loaded_once() {
    let errors = include_str!("../../rules/errors/errors.dl");
    let categories = include_str!("../../rules/errors/signal_category.dl");
    let dir = folder(&[
        ("hence.toml", "packs = [\"errors\"]\nrules = [\"rules\"]\n"),
        ("rules/errors/errors.dl", errors),
        ("rules/errors/signal_category.dl", categories),
    ]);
    let Ran(status, _, told) = run(dir.path(), &["check"], &[], "");
    assert_eq!(status, 0, "{told}");
    // What was changed since it was copied is another file, and both are shown.
    fs::write(dir.path().join("rules/errors/errors.dl"), format!("{errors}\n# Changed.\n")).unwrap();
    let Ran(status, out, told) = run(dir.path(), &["check"], &[], "");
    assert_ne!(status, 0);
    assert!(format!("{out}{told}").contains("E202"), "{out}{told}");
}
