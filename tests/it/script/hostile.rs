//! Every row of `rows` is run and contained: a script that got out would say so.

use crate::slow;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::Value as Json;

use super::super::command;
use super::rows::{self, End};

/// How a hostile script begins: past what the prelude takes away, so that only the process's confinement is left.
const START: &str = "import collections\nsys = collections._sys\nload = sys.modules['builtins'].__import__\n\
    os = load('os')\nopen = load('io').open\ntarget = '$DIR/canary/file'\n\
    def reach(path):\n    d = os.open(path, os.O_RDONLY)\n\
    def assert_not(wrong):\n    if wrong: raise OSError(1, 'it failed')\n\
    def missing():\n    raise KeyError('missing')\n\
    def raw(*words):\n    c = load('ctypes')\n    f = c.CDLL(None, use_errno=True).syscall\n\
    \x20   if f(*[c.c_long(word) for word in words]) < 0: raise OSError(c.get_errno(), 'no call')\n\
    def inherited():\n    found = []\n    for n in range(3, 64):\n        try:\n            os.fstat(n)\n            os.read(n, 1)\n            found.append(n)\n        except OSError: pass\n    return found\n\
    def attempt():\n    ";
const END: &str = "\ntry:\n    attempt()\nexcept BaseException as error:\n\
    \x20   fact('seen', name=decision['values']['name'], what=f'{type(error).__name__} {getattr(error, \"errno\", None)}')\n\
    else:\n    fact('seen', name=decision['values']['name'], what='it got out')\n";

/// The errors that say that something is not allowed, is too much, or is not there for the script.
const REFUSALS: [&str; 16] = [
    "OSError 12",
    "gaierror -3",
    "PermissionError 1",
    "PermissionError 13",
    "OSError 1",
    "OSError 38",
    "OSError 24",
    "OSError 27",
    "OSError 22",
    "OSError 18",
    "MemoryError None",
    "RecursionError None",
    "RuntimeError None",
    "KeyError None",
    "gaierror -2",
    "URLError None",
];

/// The rows that are run: each fifth, or all with `HENCE_SLOW`.
fn chosen() -> Vec<(String, End, String)> {
    let step = slow::size(5, 1);
    rows::all().into_iter().step_by(step).collect()
}

#[test]
fn two_hundred_hostile_scripts_are_contained() {
    assert!(rows::all().len() >= 200 || cfg!(not(target_arch = "x86_64")), "{}", rows::all().len());
    let dir = super::python(", timeout = \"4s\", cpu = \"1s\"");
    fs::create_dir_all(dir.path().join("canary")).unwrap();
    fs::create_dir_all(dir.path().join(".config/hence/keys")).unwrap();
    fs::write(dir.path().join(".config/hence/keys/ada"), "a key").unwrap();
    fs::write(dir.path().join("canary/file"), "canary").unwrap();
    fs::set_permissions(dir.path().join("canary/file"), fs::Permissions::from_mode(0o666)).unwrap();
    let place = dir.path().to_str().unwrap();
    let rows = chosen();
    let script = |(name, _, code): &(String, End, String)| {
        (name.clone(), format!("{START}{code}{END}").replace("$DIR", place))
    };
    let events = super::carry(dir.path(), &rows.iter().map(script).collect::<Vec<_>>());
    assert_eq!(events.len(), rows.len());
    let told = told(&super::facts(dir.path(), "seen"));
    let event_of = |name: &str| {
        let start = format!("act(\"{name}\", ");
        events.iter().find(|event| event["decision"].as_str().is_some_and(|text| text.starts_with(&start)))
    };
    let mut wrong = Vec::new();
    for (name, end, _) in &rows {
        let said = told.get(name).map(String::as_str);
        let is_given_up = event_of(name).is_some_and(|event| event["state"] == "given up");
        let right = match end {
            End::Refused => said.is_some_and(|said| REFUSALS.contains(&said)),
            End::Stopped => said.is_none() && is_given_up,
        };
        if !right {
            wrong.push(format!("{name}: {said:?}, {:?}", event_of(name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(fs::read_to_string(dir.path().join("canary/file")).unwrap(), "canary");
    assert_eq!(fs::read_dir(dir.path().join("canary")).unwrap().count(), 1);
    let mode = fs::metadata(dir.path().join("canary/file")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o666);
    for left in ["/tmp/hence-was-here", "/dev/shm/hence-was-here", "/var/tmp/hence-was-here"] {
        assert!(!std::path::Path::new(left).exists(), "{left}");
    }
}

fn told(lines: &str) -> BTreeMap<String, String> {
    let pair = |line: &str| {
        let fact: Json = serde_json::from_str(line).unwrap();
        let words: Vec<String> = serde_json::from_value(fact["seen"].clone()).unwrap();
        (words[0].clone(), words[1].clone())
    };
    lines.lines().map(pair).collect()
}

#[test]
fn nothing_is_hidden_in_folders_that_are_too_deep_to_be_looked_into() {
    let dir = super::python(", timeout = \"30s\"");
    let code = format!(
        "{START}for n in range(40):\n        os.mkdir('d' * 250)\n        os.chdir('d' * 250)\n    load('time').sleep(99){END}"
    );
    let event = super::one(dir.path(), &code);
    assert!(event["detail"].as_str().is_some_and(|why| why.contains("files and folders")), "{event}");
}

#[test]
fn a_script_inherits_no_file_that_hence_had_open() {
    let dir = super::python("");
    fs::write(dir.path().join("secret"), "a secret").unwrap();
    let code = format!("{START}assert_not(not inherited()){END}").replace("$DIR", "");
    let fact = format!("{}\n", serde_json::json!({ "f": ["open", code] }));
    fs::write(dir.path().join("facts.jsonl"), fact).unwrap();
    let line = "exec 7<secret 9<secret; hence decide --carry-out --facts facts.jsonl";
    let output = command::shell(dir.path(), line).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(
        super::facts(dir.path(), "seen").contains("PermissionError 1"),
        "{}",
        super::facts(dir.path(), "seen")
    );
}

#[test]
fn a_script_ends_with_the_hence_that_started_it() {
    let dir = super::python(", timeout = \"60s\"");
    let code = format!("{START}os.write(2, b'x')\n    load('time').sleep(60){END}").replace("$DIR", "");
    let fact = format!("{}\n", serde_json::json!({ "f": ["sleep", code] }));
    fs::write(dir.path().join("facts.jsonl"), fact).unwrap();
    let mut child = command::hence(dir.path(), &["decide", "--carry-out", "--facts", "facts.jsonl"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let script = wait(|| child_of(child.id()));
    child.kill().unwrap();
    child.wait().unwrap();
    wait(|| is_gone(script).then_some(()));
}

/// Waits for something that must come within seconds.
fn wait<T>(come: impl Fn() -> Option<T>) -> T {
    let begun = std::time::Instant::now();
    loop {
        if let Some(found) = come() {
            return found;
        }
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "it does not come");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// The process that this one started, once it is Python.
fn child_of(process: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).ok()?;
    let child = children.split_whitespace().next()?.parse().ok()?;
    let name = fs::read_to_string(format!("/proc/{child}/comm")).ok()?;
    name.starts_with("python").then_some(child)
}

fn is_gone(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat"));
    status.map_or(true, |status| status.contains(") Z"))
}
