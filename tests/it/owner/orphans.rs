//! Carriers of an owner that is killed: they end with it, and none runs beside the next attempt.

use crate::slow;
use std::fs;
use std::path::Path;

use super::{Owner, assert_fact, until};

const RULES: &str = "## Asked.\ninput f(n: int).\n\n## Act.\ndecision act(n: int).\n\n@because(\"{N} asks\")\nact(N) :- f(N).\n";

/// A program that says which processes of earlier attempts run beside it, and then runs on with a process below it.
const PROGRAM: &str = "cat > /dev/null\nfor pid in $(cat pids); do\n\
    grep -s ') [^ZX]' /proc/$pid/stat >> beside\ndone\n\
    sleep 1000 & echo $! >> pids\necho $$ >> pids\necho $HENCE_ATTEMPT >> begun\nwait\n";

fn lines(dir: &Path, name: &str) -> usize {
    fs::read_to_string(dir.join(name)).unwrap_or_default().lines().count()
}

/// Whether all processes of attempts have ended; one that nobody waits for does nothing any more.
fn all_ended(dir: &Path) -> bool {
    let pids = fs::read_to_string(dir.join("pids")).unwrap();
    let stat = |pid: &str| fs::read_to_string(format!("/proc/{pid}/stat"));
    pids.lines().all(|pid| stat(pid).map_or(true, |stat| stat.contains(") Z")))
}

fn folder() -> tempfile::TempDir {
    let dir = super::folder();
    fs::write(dir.path().join("retry.dl"), RULES).unwrap();
    fs::write(dir.path().join("program.sh"), PROGRAM).unwrap();
    fs::write(dir.path().join("pids"), "").unwrap();
    let carry = "carrier = \"command\", program = \"sh\", args = [\"program.sh\"], timeout = \"900s\", attempts = 100";
    let settings = format!("rules = [\"retry.dl\"]\n\n[carry]\nact = {{ {carry} }}\n");
    fs::write(dir.path().join("hence.toml"), settings).unwrap();
    dir
}

#[test]
fn no_program_of_a_killed_owner_runs_beside_the_next_attempt() {
    let dir = folder();
    let rounds = slow::size(3, 100);
    let mut owner = Owner::new(dir.path(), &[]);
    assert_fact(dir.path(), "f(1)");
    for round in 1..rounds {
        until("the program runs", || lines(dir.path(), "begun") == round);
        owner.process.kill().unwrap();
        owner = Owner::new(dir.path(), &[]);
    }
    until("the program runs", || lines(dir.path(), "begun") == rounds);
    assert_eq!(fs::read_to_string(dir.path().join("beside")).unwrap_or_default(), "");
    assert_eq!(owner.stop().1, 0);
    assert_eq!(lines(dir.path(), "pids"), 2 * rounds);
    until("everything ends with its owner", || all_ended(dir.path()));
}

#[test]
fn a_program_ends_with_its_owner_though_no_other_one_comes() {
    let dir = folder();
    let mut owner = Owner::new(dir.path(), &[]);
    assert_fact(dir.path(), "f(1)");
    until("the program runs", || lines(dir.path(), "begun") == 1);
    owner.process.kill().unwrap();
    until("everything ends with its owner", || all_ended(dir.path()));
}
