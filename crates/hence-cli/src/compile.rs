//! `hence compile`: rules as a Rust module, as a small package that decides by itself, or as a script of SQL.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use hence_core::file;
use hence_session::compiled::{self, Options};
use hence_session::sql::{self, Dialect};
use hence_session::{FactFiles, RuleSet, RuleSource, Session, SessionError, read_facts};

use super::options::RuleOptions;
use super::{DONE, Failure, Outcome, terminal, time};

/// Compile rules into a Rust module, or into SQL
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hence compile rules/errors -o src/errors.rs\n  \
    hence compile rules/errors --crate decide_errors\n  \
    hence compile rules/errors --sql duckdb -o errors.sql")]
pub(super) struct Compile {
    /// Rule files and folders, as with --rules
    #[arg(value_name = "RULES", required_unless_present_any = ["rules", "packs"])]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    rules: RuleOptions,
    /// Write the module, or the script, to this file [default: standard output]
    #[arg(short, long, value_name = "FILE", conflicts_with = "package")]
    output: Option<PathBuf>,
    /// Write a package with the module and a `main` that reads facts and prints decisions
    #[arg(long = "crate", value_name = "DIR")]
    package: Option<PathBuf>,
    /// The package's dependency on hence, in Cargo syntax [default: the version of this binary]
    #[arg(long, value_name = "DIR", requires = "package")]
    hence: Option<PathBuf>,
    /// Write a script of SQL for this database
    #[arg(long, value_name = "DATABASE", conflicts_with = "package")]
    sql: Option<Database>,
    /// Write a script that compares the tables of the SQL with what hence derives from these facts, repeatable; it
    /// changes nothing in the database
    #[arg(long, value_name = "FACTS", requires = "sql")]
    test: Vec<PathBuf>,
    /// The clock of --test [default: the wall clock]
    #[arg(long, value_name = "TIME", value_parser = time::parse, requires = "test")]
    now: Option<i64>,
}

/// The databases that there is SQL for.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Database {
    /// DuckDB
    #[value(name = "duckdb")]
    DuckDb,
    /// PostgreSQL
    Postgres,
    /// Apache Spark
    Spark,
}

impl Compile {
    pub(super) fn run(self) -> Outcome {
        let source = self.rules.with_paths(&self.paths).source();
        let rules = source.build()?;
        if let Some(database) = self.sql {
            let script = self.script(rules, database)?;
            match &self.output {
                Some(file) => write(file, &script)?,
                None => terminal::bytes().write_all(script.as_bytes())?,
            }
            return Ok(DONE);
        }
        let name = self.name(&source);
        let about = format!("Decisions: {}.", decisions(&rules));
        let module =
            compiled::compile(&rules, &Options { name: &name, about: &about, root: "hence::packs" })?;
        match (&self.output, &self.package) {
            (Some(file), _) => write(file, &module)?,
            (None, Some(folder)) => self.package(folder, &name, &module, &rules)?,
            (None, None) => terminal::bytes().write_all(module.as_bytes())?,
        }
        Ok(DONE)
    }

    /// The script that derives, or the one that compares.
    fn script(&self, rules: RuleSet, database: Database) -> Result<String, Failure> {
        let dialect = match database {
            Database::DuckDb => Dialect::DuckDb,
            Database::Postgres => Dialect::Postgres,
            Database::Spark => Dialect::Spark,
        };
        if self.test.is_empty() {
            return Ok(sql::script(&rules, dialect)?);
        }
        let facts = read_facts(&rules, &FactFiles::of(self.test.clone()))?;
        let now = self.now.unwrap_or_else(time::wall_clock);
        Ok(Session::over_facts(rules, facts)?.sql_equality(dialect, now)?)
    }

    /// The name of the rule set: of the package, the file, the first rules.
    fn name(&self, source: &RuleSource) -> String {
        let named = self.package.as_ref().or(self.output.as_ref()).or(source.paths.first());
        let stem = named.and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy().into_owned());
        let name = stem.or_else(|| source.packs.first().cloned()).unwrap_or_default();
        let name: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
            .collect();
        if name.starts_with(|c: char| c.is_ascii_lowercase()) { name } else { format!("rules_{name}") }
    }

    fn package(&self, folder: &Path, name: &str, module: &str, rules: &RuleSet) -> Result<(), Failure> {
        let source = folder.join("src");
        for folder in [&source, &folder.join("rules")] {
            fs::create_dir_all(folder)
                .map_err(|source| SessionError::Write { path: folder.to_owned(), source })?;
        }
        let version = env!("CARGO_PKG_VERSION");
        let hence = match &self.hence {
            Some(path) => format!("{{ path = {:?} }}", path.display().to_string()),
            None => format!("{version:?}"),
        };
        write(
            &folder.join("Cargo.toml"),
            &format!(
                "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
                 crepe = \"0.2\"\nhence = {hence}\n\n[workspace]\n"
            ),
        )?;
        write(&source.join("rules.rs"), module)?;
        let mut texts = String::new();
        for (at, (_, text)) in rules.sources.iter().enumerate() {
            write(&folder.join(format!("rules/{at}.dl")), text.text())?;
            texts.push_str(&format!("    ({:?}, include_str!(\"../rules/{at}.dl\")),\n", text.name()));
        }
        write(&source.join("main.rs"), &MAIN.replace("NAME", name).replace("TEXTS", &texts))
    }
}

/// The program of a package: facts in, decisions out.
const MAIN: &str = r#"//! NAME: reads facts, one JSON object a line, from the file named or from standard input, and prints the decisions
//! that follow.

use std::io::Read;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use hence::json;
use hence::literal::visible;
use hence::session::{SessionError, compiled};

#[allow(dead_code, reason = "its structs are for code of your own")]
mod rules;

/// The rules that were compiled, as they were loaded.
const RULES: &[(&str, &str)] = &[
TEXTS];

/// The facts, and what messages call the place they came from.
fn facts() -> Result<(String, String), String> {
    let (mut text, name) = (String::new(), std::env::args().nth(1));
    let read = match &name {
        Some(path) => std::fs::read_to_string(path).map(|read| text = read),
        None => std::io::stdin().read_to_string(&mut text).map(drop),
    };
    let name = name.unwrap_or_else(|| String::from("<standard input>"));
    read.map_err(|error| format!("`{name}` can't be read: {error}"))?;
    Ok((name, text))
}

fn main() -> ExitCode {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as i64);
    let (name, lines) = match facts() {
        Ok(facts) => facts,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    match compiled::decide(&rules::PACK, RULES, (&name, &lines), now) {
        Ok(decided) => {
            let facts = decided.relations.iter().flat_map(|(.., facts)| facts);
            facts.for_each(|fact| println!("{}", json::line(fact)));
            decided.reports.iter().for_each(|report| eprintln!("warning: {report}"));
            let undetermined = |name| eprintln!("warning: `{name}` is undetermined");
            decided.undetermined.iter().for_each(undetermined);
            ExitCode::from(if decided.undetermined.is_empty() { 0 } else { 4 })
        }
        Err(error) => {
            match &error {
                SessionError::Faults(faults) => faults.lines().for_each(|line| eprintln!("{}", visible(&line))),
                error => eprintln!("error: {}", visible(&error.to_string())),
            }
            ExitCode::from(error.status())
        }
    }
}
"#;

fn decisions(rules: &RuleSet) -> String {
    let all =
        rules.program.relations.iter().filter(|relation| relation.kind == hence_core::schema::Kind::Decision);
    let names: Vec<String> = all.map(|relation| format!("`{}`", relation.name)).collect();
    if names.is_empty() { String::from("none") } else { names.join(", ") }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let fault = |source| Failure::Session(SessionError::Write { path: path.to_owned(), source });
    file::write(path, text.as_bytes()).map_err(fault)
}
