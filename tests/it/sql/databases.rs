//! The databases that scripts run in, each in a folder of its own under `target`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use hence::session::sql::Dialect;
use serde_json::{Value as Json, json};

use super::scripts::Script;

/// A database.
pub(super) enum Database {
    /// The Python of an environment that has DuckDB.
    DuckDb(PathBuf),
    /// A server that listens in this folder.
    Postgres(Server),
    /// The Python of an environment that has PySpark.
    Spark(PathBuf),
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/sql").join(name)
}

/// Says why a test is left out.
fn skipped(why: &str) {
    println!("skipped: {why}");
}

/// The Python of an environment with this module, made where there is none.
fn environment(name: &str, module: &str, package: &str) -> Option<PathBuf> {
    // Two tests that make it at once would take each other's files away.
    static MAKING: Mutex<()> = Mutex::new(());
    let _held = MAKING.lock();
    let python = folder(name).join("bin/python");
    let import = format!("import {module}");
    let has_it = || {
        let asked = Command::new(&python).args(["-c", &import]).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    if !has_it() {
        let made = Command::new("python3").args(["-m", "venv"]).arg(folder(name)).output();
        let pip = ["-m", "pip", "install", "--quiet", "--timeout", "10", "--retries", "1", package];
        let installed = made.and_then(|_| Command::new(&python).args(pip).output());
        if !installed.is_ok_and(|done| done.status.success()) || !has_it() {
            skipped(&format!("{package} can't be installed from the Python registry"));
            return None;
        }
    }
    Some(python)
}

impl Database {
    /// DuckDB from the Python registry.
    pub(super) fn duckdb() -> Option<Self> {
        environment("duckdb", "duckdb", "duckdb").map(Self::DuckDb)
    }

    /// Spark from the Python registry, where there is a Java.
    pub(super) fn spark() -> Option<Self> {
        if done(Command::new("java").arg("-version")).is_none() {
            skipped("there is no Java here");
            return None;
        }
        environment("spark", "pyspark", "pyspark==4.3.0").map(Self::Spark)
    }

    /// PostgreSQL, where it is installed.
    pub(super) fn postgres() -> Option<Self> {
        match Server::start() {
            Some(server) => Some(Self::Postgres(server)),
            None => {
                skipped("there is no PostgreSQL here");
                None
            }
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::DuckDb(_) => "duckdb",
            Self::Postgres(_) => "postgres",
            Self::Spark(_) => "spark",
        }
    }

    pub(super) fn dialect(&self) -> Dialect {
        match self {
            Self::DuckDb(_) => Dialect::DuckDb,
            Self::Postgres(_) => Dialect::Postgres,
            Self::Spark(_) => Dialect::Spark,
        }
    }

    /// Whether a script may stop with this message although every operation has a result: sums of floats that the script
    /// does not add up, and what PostgreSQL makes an error of: floats that overflow or underflow, the character NUL.
    pub(super) fn may_stop(&self, why: &str) -> bool {
        let inexact =
            ["NOT NULL constraint failed", "violates not-null constraint", "an aggregate has no exact value"];
        inexact.iter().any(|one| why.contains(one))
            || matches!(self, Self::Postgres(_))
                && ["out of range", "null character not permitted"].iter().any(|one| why.contains(one))
    }

    /// What becomes of each script.
    pub(super) fn run(&self, scripts: &[Script]) -> Vec<(String, String)> {
        match self {
            Self::DuckDb(python) => in_python(python, "duckdb_run.py", scripts),
            Self::Spark(python) => in_python(python, "spark_run.py", scripts),
            Self::Postgres(server) => {
                scripts.iter().map(|script| (script.name.clone(), server.run(&script.text))).collect()
            }
        }
    }
}

fn in_python(python: &Path, program: &str, scripts: &[Script]) -> Vec<(String, String)> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/sql").join(program);
    let lines: String = scripts
        .iter()
        .map(|script| format!("{}\n", json!({"name": script.name, "script": script.text})))
        .collect();
    let mut child =
        Command::new(python).arg(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeding = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    feeding.join().unwrap().unwrap();
    let answer = |line: &str| {
        let line: Json = serde_json::from_str(line).unwrap();
        let text = |key: &str| line[key].as_str().unwrap().to_owned();
        (text("name"), text("became"))
    };
    String::from_utf8(output.stdout).unwrap().lines().map(answer).collect()
}

/// A PostgreSQL server of our own, which ends with the test.
pub(super) struct Server {
    folder: PathBuf,
}

/// A command of PostgreSQL, whose server does not run as root.
fn command(program: &str) -> Command {
    let nobody = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    if nobody {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", program]);
        command
    } else {
        Command::new(program)
    }
}

fn done(command: &mut Command) -> Option<()> {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()
        .filter(|status| status.success())
        .map(drop)
}

impl Server {
    fn start() -> Option<Self> {
        // The path of a socket is short, and its folder open to the user that the server runs as.
        let folder = std::env::temp_dir().join(format!("hence-sql-{}", std::process::id()));
        done(command("mkdir").arg(&folder))?;
        let server = Self { folder };
        let data = server.folder.join("data");
        done(
            command("initdb")
                .args(["--encoding=UTF8", "--locale=C.UTF-8", "--auth=trust", "-U", "postgres", "-D"])
                .arg(&data),
        )?;
        let options = format!(
            "-c listen_addresses= -c unix_socket_directories={} -c fsync=off",
            server.folder.display()
        );
        done(
            command("pg_ctl")
                .args(["-w", "-l"])
                .arg(server.folder.join("log"))
                .arg("-D")
                .arg(&data)
                .args(["-o", &options, "start"]),
        )?;
        Some(server)
    }

    fn run(&self, script: &str) -> String {
        let mut psql = Command::new("psql");
        psql.args([
            "-X",
            "-q",
            "-t",
            "-A",
            "-v",
            "ON_ERROR_STOP=1",
            "-U",
            "postgres",
            "-d",
            "postgres",
            "-h",
        ]);
        psql.arg(&self.folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = psql.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let text = script.to_owned();
        let feeding = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
        let output = child.wait_with_output().unwrap();
        drop(feeding.join());
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() && said.lines().any(|line| line == "equal") {
            return String::from("equal");
        }
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let data = self.folder.join("data");
        let _ = done(command("pg_ctl").args(["-m", "immediate", "-D"]).arg(&data).arg("stop"));
        drop(fs::remove_dir_all(&self.folder));
    }
}
