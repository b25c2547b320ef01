//! What leaves the process: every command is given hostile text wherever it takes text, and nothing of it that a
//! terminal obeys, or that hides or reorders what people read, reaches standard output or standard error.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use jiff::{SignedDuration, Timestamp};
use regex::Regex;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::command;

/// A window's title, a background that hence never uses, C1, delete, bidirectional controls, text without width.
const ESCAPES: &str =
    "\u{1b}]0;pwn\u{7}\u{1b}[45m\u{9b}31m\u{7f}\u{8}\u{202e}\u{2066}\u{200f}\u{200b}\u{e0041}";

/// The same with line ends, after which it pretends to be a line of hence.
fn hostile() -> String {
    format!("x{ESCAPES}\rFAKE\u{2028}FAKE\nFAKE y")
}

/// A rule file with hostile text in everything that takes some.
fn rules() -> String {
    let text = hostile().replace('\n', "\\n").replace('\r', "\\r");
    format!(
        "# About {ESCAPES}.\n\n## Said {ESCAPES}.\ninput f(what: string).\n\n## Held {ESCAPES}.\ninput g(n: int).\n\n\
         ## How {ESCAPES}.\nparam limit: string = \"{text}\".\n\n\
         ## Act {ESCAPES}.\ndecision act(what: string).\n\n\
         @id(acts)\n@because(\"{{What}} said {text}\")\nact(What) :- f(What).\n\n\
         ## Undetermined {ESCAPES}.\ndecision never(n: int).\n\n@id(divides)\nnever(M) :- g(N), M = 1 / N.\n\n\
         ## Nothing {ESCAPES}.\ndecision none(what: string).\n\n@id(nothing)\n@because(\"{{What}}\")\n\
         none(What) :- f(What), What = \"{text} and no other\".\n\n\
         ## A line {ESCAPES}.\nrelation report_line(report: name, section: name, line: string).\n\n\
         report_line(/brief, /overnight, What) :- f(What).\n\n## A figure {ESCAPES}.\n\
         relation report_figure(report: name, section: name, figure: string, start: time, value: float).\n\n\
         report_figure(/brief, /overnight, What, Now, 1.0) :- f(What), now(Now).\n"
    )
}

fn tests() -> String {
    let text = hostile().replace('\n', "\\n").replace('\r', "\\r");
    format!(
        "# Tests {ESCAPES}.\n\ntest \"passes {text}\" {{\n    given\n        f(\"{text}\").\n    expect\n        act(_).\n}}\n\n\
         test \"fails {text}\" {{\n    given\n        f(\"{text}\").\n    expect\n        act(\"other {text}\").\n        none(_).\n}}\n"
    )
}

/// A folder in which everything is hostile.
fn folder() -> tempfile::TempDir {
    let dir = crate::memory::folder();
    let at = |name: &str| dir.path().join(name);
    let name = hostile().replace('/', "");
    for folder in ["rules", "bad", "plain"] {
        fs::create_dir(at(folder)).unwrap();
    }
    fs::write(at("rules").join(format!("{name}.dl")), rules()).unwrap();
    let file = format!("import \"{}.dl\".\n\n{}", name.replace('\n', "\\n").replace('\r', "\\r"), tests());
    fs::write(at("rules").join(format!("{name}_test.dl")), file).unwrap();
    fs::write(at("bad").join(format!("{name}.dl")), format!("act({ESCAPES}) :- # {ESCAPES}\n\"{ESCAPES}"))
        .unwrap();
    fs::write(at("plain").join("p.dl"), rules()).unwrap();
    let facts = serde_json::json!({ "f": [hostile()] });
    let numbers = serde_json::json!({ "g": [0] });
    fs::write(at("facts.jsonl"), format!("{facts}\n{numbers}\n")).unwrap();
    fs::write(
        at("bad.jsonl"),
        format!("{}\n", serde_json::json!({ "f": [1, hostile()], "nix": [hostile()] })),
    )
    .unwrap();
    fs::write(at("bad.csv"), format!("{ESCAPES},b\n{ESCAPES},\"{}\"\n", hostile())).unwrap();
    fs::write(at("seen.log"), format!("error[E0308]: mismatched {}\n", hostile())).unwrap();
    fs::write(
        at("seen.py"),
        format!("\"\"\"Says {ESCAPES}.\"\"\"\nimport os\n\ndef f():\n    \"{ESCAPES}\"\n"),
    )
    .unwrap();
    fs::write(
        at("typed"),
        format!(
            "f(\"{ESCAPES}\").\n?- f(X).\n:facts f\n:why act(X)\n:{ESCAPES}\nnix({ESCAPES}.\n:rules\n:undo\n"
        ),
    )
    .unwrap();
    fs::write(at("clock"), "2026-02-09T09:00:00Z").unwrap();
    let toml = |text: &str| serde_json::to_string(text).unwrap().replace('\u{7f}', "\\u007F");
    fs::write(
        at("hence.toml"),
        format!(
            "author = {}\n\n[run_command]\nact = {{ program = \"sh\", args = [\"-c\", {}] }}\n",
            toml(&hostile()),
            toml("cat >&2; printf 'x\\033]0;pwn\\007' >&2; exit 3")
        ),
    )
    .unwrap();
    dir
}

/// Calls of every command, in an order in which each finds what it needs: `H` is hostile text, `F` a fact with some.
const CALLS: &str = r#"decide --facts facts.jsonl --note H --as H --carry-out
decide --facts facts.jsonl --all
decide --dry-run --all --format json
decide --dry-run --all --format jsonl
decide --dry-run --all --format csv
decide --follow
decide --facts bad.jsonl
decide --facts bad.csv
migrate plain/p.dl
migrate H
backup copy
backup H
assert F --note H --as H
assert F --as H
assert f(H) --expect-tx 99
check
check bad
check bad --format json
check bad --format sarif
check H
explain H
explain
compile plain/p.dl
compile bad
fmt --check plain rules
fmt bad
fmt -
doc
doc --format html
doc --format dot
doc --format mermaid
doc --format svg
doc bad
repl
query f(X)
query f(X) --format json
query f(X) --format jsonl
query f(X) --format csv
query f(H
derive
derive act --format csv
derive act --format jsonl
derive H
why act(X)
why act(X) --format json
why act(X) --format dot
why act(X) --format mermaid
why act(X) --format html
why act("H")
why-not none(X)
why-not none(X) --format json
what-if --retract F
what-if --retract F --format jsonl
what-if --set limit="H"
report brief
report brief --format html
report H
replay
replay --rules plain
replay --rules plain --format json
check-proof H
history F
log
log --facts-too
log --jsonl --facts-too
log --by H
facts
facts f
facts f --format csv
facts f --format json
status
verify
verify --head H
verify --since H
head
head prove H
head check H H H
receipt 1.1
receipt H
receipt check H
check-proof --head H
export
export --format dl
export --format csv --relation f
observe error-text seen.log
observe source seen.py
observe error-text H
observe H seen.log
review list
review approve H --as H
serve
serve --turn H
serve H --rules H
review list --format csv
review show H
review reject H --as H --reason H
param list
param set H --as H
param set most=2 --as H
param unset H --as H
carry --as H
carry --format jsonl
outbox
outbox list --all --format csv
outbox list --all --format json
outbox show 1.1
outbox show 1.1 --format jsonl
outbox show H
outbox retry 1.1 --as H
outbox skip 1.1 --as H
pack list
pack show H
principal list
principal list --format csv
principal key H
principal add H --role H
principal revoke H --as H
pack show errors
pack show errors --set H=1
test
test --verbose --coverage
test --format json
test --format junit
test --format tap
test --format github
test --mutate --budget 1s
bench --facts facts.jsonl --runs 1
bench --facts facts.jsonl --runs 1 --format json
config
config --format json
config --format csv
config --as H
completions bash
compact
rebuild
export --output export.jsonl
import export.jsonl --store other
import bad.jsonl --store third
init H
retract F
decisions
decisions F
decisions --value H
erase H
gate report
gate approve H
gate --host H
mcp-gate -- H
shard begin H --count 1
shard begin H --count 1
shard assert H F --rules plain
shard run H -- verify
shard run plain -- H
token list
token create H
--version"#;

/// Those calls as words, each with the file that is typed.
fn calls() -> Vec<(Vec<String>, &'static str)> {
    let text = hostile();
    let quoted = text.replace('\n', "\\n").replace('\r', "\\r");
    let fact = format!("f(\"{quoted}\")");
    let words = |line: &str| -> Vec<String> {
        line.split(' ')
            .map(|word| match word {
                "F" => fact.clone(),
                word => word.replace('H', &text),
            })
            .collect()
    };
    let typed = |words: &Vec<String>| match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["repl"] => "typed",
        ["fmt", "-"] => "plain/p.dl",
        ["decide", "--follow"] => "facts.jsonl",
        _ => "/dev/null",
    };
    CALLS.lines().map(words).map(|words| (words.clone(), typed(&words))).collect()
}

/// Calls with a hostile word in every place where a command takes one, for each command that there is.
fn refused(commands: &BTreeSet<String>) -> Vec<(Vec<String>, &'static str)> {
    let text = hostile();
    let mut calls = vec![vec![text.clone()], vec![format!("--{text}")]];
    for command in commands {
        let option = format!("--{text}");
        let each = [
            &[text.as_str(), &text, &text][..],
            &[&option],
            &["--store", &text],
            &["--rules", &text],
            &["--format", &text],
        ];
        calls.extend(each.iter().map(|words| {
            std::iter::once(command.clone()).chain(words.iter().map(|word| String::from(*word))).collect()
        }));
    }
    calls.into_iter().map(|call| (call, "/dev/null")).collect()
}

/// `hence` in a folder whose wall clock goes on by a minute from call to call, so that the same falls due in any of them.
fn command(dir: &Path, words: &[String], typed: &str) -> Command {
    let clock = dir.join("clock");
    let last: Timestamp = fs::read_to_string(&clock).unwrap().trim().parse().unwrap();
    fs::write(&clock, (last + SignedDuration::from_mins(1)).to_string()).unwrap();
    let mut command = command::hence(dir, words);
    if words[0] == "serve" {
        // It would go on until it is told to stop.
        let mut timeout = Command::new("timeout");
        timeout.args(["--foreground", "--preserve-status", "1", env!("CARGO_BIN_EXE_hence")]).args(words);
        command = command::plain(timeout, dir);
    }
    command.env_remove("NO_COLOR").env("TERM", "xterm-256color");
    command
        .env("HENCE_CLOCK", clock)
        .env("HENCE_HISTORY", dir.join("typed_before"))
        .stdin(File::open(dir.join(typed)).unwrap());
    command
}

/// Everything that a call writes to a terminal of so many columns.
pub(crate) fn on_a_terminal(mut command: Command, columns: u16) -> Vec<u8> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    tcsetwinsize(&ours, Winsize { ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let theirs = File::options().read(true).write(true).open(name).unwrap();
    command.stdout(theirs.try_clone().unwrap()).stderr(theirs);
    let mut child = command.spawn().unwrap();
    // The terminal ends once nobody holds its other side.
    drop(command);
    let reader = thread::spawn(move || {
        let (mut said, mut ours) = (Vec::new(), File::from(ours));
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = ours.read(&mut buffer) {
            said.extend_from_slice(&buffer[..count]);
        }
        said
    });
    child.wait().unwrap();
    reader.join().unwrap()
}

/// What hence may write to a terminal beside text: its own styles, and what moves a progress bar.
pub(crate) fn without_own(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let own = Regex::new("\u{1b}\\[(0|1|2|3|4|9[0-7]|3[0-7]|22|38;5;[0-9]+|[0-9];[0-9;]+)?m|\r?\u{1b}\\[2K|\u{1b}\\[[0-9]*[AG]|\r").unwrap();
    own.replace_all(&text, "").into_owned()
}

/// What is wrong with what a call wrote.
fn fault(text: &str) -> Option<String> {
    let hidden = |c: char| c != '\n' && hence_core::literal::is_hidden(c);
    if let Some(c) = text.chars().find(|c| hidden(*c)) {
        let at = text.find(c).unwrap();
        let near: String = text[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
        return Some(format!("{c:?} after {near:?}"));
    }
    text.lines().find(|line| line.starts_with("FAKE")).map(|line| format!("a line of a fact: {line}"))
}

/// The commands that there are.
fn commands(dir: &Path) -> BTreeSet<String> {
    let help = command(dir, &[String::from("--help")], "/dev/null").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    list.lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|word| !word.is_empty() && *word != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn nothing_hostile_reaches_a_pipe_or_a_terminal() {
    let (piped, terminal) = (folder(), folder());
    let commands = commands(piped.path());
    let called: BTreeSet<String> = calls().into_iter().map(|(words, _)| words[0].clone()).collect();
    let missing: Vec<_> = commands.difference(&called).collect();
    assert!(missing.is_empty(), "no hostile call of {missing:?}");
    let mut faults = Vec::new();
    for (words, typed) in calls().into_iter().chain(refused(&commands)) {
        let (output, shown) = thread::scope(|scope| {
            let shown = scope.spawn(|| on_a_terminal(command(terminal.path(), &words, typed), 90));
            let output = command(piped.path(), &words, typed).output().unwrap();
            (output, without_own(&shown.join().unwrap()))
        });
        assert!(output.status.code().is_some_and(|code| code < 70), "{words:?}: {output:?}");
        // Documents for programs keep their bytes; those of CSV and of a formatter are checked elsewhere.
        let bytes = words.iter().any(|word| word == "csv") || words[0] == "compile";
        let out = if bytes { Vec::new() } else { output.stdout };
        for stream in [out, output.stderr] {
            let text = String::from_utf8(stream).unwrap_or_else(|error| panic!("{words:?}: {error}"));
            faults.extend(fault(&text).map(|fault| format!("piped: {words:?}: {fault}")));
        }
        faults.extend(fault(&shown).map(|fault| format!("terminal: {words:?}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn hostile_settings_are_shown_as_what_they_are() {
    let text = hostile();
    let variables = [
        "HENCE_STORE",
        "HENCE_RULES",
        "HENCE_PACKS",
        "HENCE_AUTHOR",
        "HENCE_ENGINE",
        "HENCE_TIMEOUT",
        "HENCE_MAX_FACTS",
        "HENCE_REDACT",
        "HENCE_PARAM_LIMIT",
    ];
    let name = text.replace(['\n', '\r'], "");
    let quoted = serde_json::to_string(&text).unwrap().replace('\u{7f}', "\\u007F");
    let files = [
        format!("{quoted} = 1\n"),
        format!("store = {quoted}\nrules = [{quoted}]\n"),
        format!("engine = {quoted}\n"),
        format!("[limits]\n{quoted} = 2\n"),
        format!("[run_command]\nact = {{ program = {quoted}, {quoted} = 1 }}\n"),
        format!("[carry]\nact = {{ carrier = {quoted}, {quoted} = 1 }}\n"),
        format!("[carry]\nact = {{ carrier = \"webhook\", url = {quoted} }}\n"),
        format!("# {name}\n]"),
        format!("[redact]\npatterns = [\"(\", {quoted}]\n"),
    ];
    let dir = folder();
    let mut faults = Vec::new();
    for words in [
        &["config"][..],
        &["config", "--format", "json"],
        &["check"],
        &["status"],
        &["decide", "--carry-out", "--facts", "facts.jsonl"],
    ] {
        let words: Vec<String> = words.iter().map(|word| String::from(*word)).collect();
        let mut check = |mut command: Command, what: &str| {
            let output = command.output().unwrap();
            for stream in [output.stdout, output.stderr] {
                faults.extend(
                    fault(&String::from_utf8(stream).unwrap())
                        .map(|fault| format!("{what}: {words:?}: {fault}")),
                );
            }
        };
        for variable in variables {
            let mut command = command(dir.path(), &words, "/dev/null");
            command.env(variable, &text);
            check(command, variable);
        }
        for file in &files {
            let dir = folder();
            fs::write(dir.path().join("hence.toml"), file).unwrap();
            check(command(dir.path(), &words, "/dev/null"), file);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_result_that_cannot_be_written_is_told() {
    let (kept, full) = (folder(), folder());
    let mut faults = Vec::new();
    for (words, typed) in calls().into_iter().chain([(vec![String::from("--help")], "/dev/null")]) {
        let said = command(kept.path(), &words, typed).stderr(Stdio::null()).output().unwrap();
        let mut lost = command(full.path(), &words, typed);
        let lost = lost.stdout(File::options().write(true).open("/dev/full").unwrap()).output().unwrap();
        let told = String::from_utf8_lossy(&lost.stderr).contains("could not be written");
        let refused = told && lost.status.code() == Some(2);
        if !said.stdout.is_empty() && !refused {
            faults.push(format!(
                "{words:?}: {:?} {}",
                lost.status.code(),
                String::from_utf8_lossy(&lost.stderr)
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn whoever_stops_reading_is_no_fault() {
    let dir = folder();
    let words = ["doc", "--format", "html"].map(String::from);
    let mut child = command(dir.path(), &words, "/dev/null")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
