//! `hence bench`: what an evaluation costs, by rule and stratum, over several runs; or how rules are evaluated.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};

use hence_core::fault::OrBroken;
use hence_core::schema::{Kind, RelationId};
use hence_engine::RuleProfile;
use hence_lang::ir::{Program, Stratum};
use hence_session::{Session, SessionError};

use super::diagnostics::count;
use super::options::{EngineOptions, FactOptions, RuleOptions};
use super::test::pretty::columns;
use super::{DONE, Failure, Outcome, output, progress, terminal};

/// Measure the cost of an evaluation: time, matches and facts of each rule and stratum
///
/// Facts are read once; each run evaluates all of them from scratch, with the semi-naive engine, after one warm-up
/// run. Times are medians over the runs, with the shortest and the longest. With `--show plan` nothing is measured.
#[derive(Debug, Args)]
#[command(after_help = "Example: hence bench rules/ --facts facts/agent_week.jsonl --runs 20")]
pub(super) struct Bench {
    /// Rule files and folders, as with --rules
    paths: Vec<PathBuf>,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    /// The number of measured runs
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Show this many of the slowest rules; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Show how each rule is evaluated over these facts instead: its steps in the join order, with the columns that
    /// an index finds rows by
    #[arg(long, value_enum, conflicts_with_all = ["runs", "top", "format"])]
    show: Option<Show>,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: BenchFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Show {
    /// The plans of all rules, stratum by stratum.
    Plan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BenchFormat {
    /// Readable text.
    Table,
    /// One JSON document.
    Json,
}

/// What every measurement holds to: `--runs` is at least 1.
const MEASURED: &str = "there is a measured run";

/// Times of several runs.
struct Times {
    sorted: Vec<Duration>,
}

impl Times {
    fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self { sorted: times }
    }

    fn median(&self) -> Duration {
        let at = |place: usize| *self.sorted.get(place).or_broken(MEASURED);
        let (half, odd) = (self.sorted.len() / 2, self.sorted.len() % 2 == 1);
        if odd { at(half) } else { (at(half.saturating_sub(1)) + at(half)) / 2 }
    }

    fn ends(&self) -> (Duration, Duration) {
        (*self.sorted.first().or_broken(MEASURED), *self.sorted.last().or_broken(MEASURED))
    }

    fn cells(&self) -> [String; 2] {
        let (least, most) = self.ends();
        [shown(self.median()), format!("{} to {}", shown(least), shown(most))]
    }

    fn json(&self) -> Json {
        let (least, most) = self.ends();
        json!({
            "median_seconds": self.median().as_secs_f64(),
            "least_seconds": least.as_secs_f64(), "most_seconds": most.as_secs_f64(),
        })
    }
}

/// `1.25 ms`.
fn shown(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    match micros {
        _ if micros < 1_000.0 => format!("{micros:.1} µs"),
        _ if micros < 1_000_000.0 => format!("{:.2} ms", micros / 1e3),
        _ => format!("{:.3} s", micros / 1e6),
    }
}

/// One measured run.
struct Run {
    whole: Duration,
    rules: Vec<RuleProfile>,
}

/// What was measured.
struct Measured {
    input: usize,
    facts: usize,
    runs: Vec<Run>,
}

impl Bench {
    pub(super) fn run(self) -> Outcome {
        let rules = self.rules.with_paths(&self.paths).source().build()?;
        let files = self.facts.files_or_own(&rules)?;
        if files.is_empty() {
            return Err(Failure::Usage(String::from("missing facts; name them with --facts PATH")));
        }
        if let Some(engine) = self.engine.engine.filter(|engine| !engine.is_embedded()) {
            return Err(Failure::Usage(format!(
                "`bench` measures the embedded engine only, not --engine {}",
                engine.word()
            )));
        }
        let facts = hence_session::read_facts(&rules, &files.on(self.engine.readers()))?;
        let session = Session::over_facts(rules, facts)?;
        let session = session.with_limits(self.engine.limits()).with_lenient(self.engine.lenient()?);
        if let Some(Show::Plan) = self.show {
            let plans = session.plans(session.input(self.facts.now())?)?;
            terminal::text().write_all(plans.as_bytes())?;
            return Ok(DONE);
        }
        let measured = self.measure(&session)?;
        let program = &session.rules().program;
        match self.format {
            BenchFormat::Table => self.table(program, &measured)?,
            BenchFormat::Json => {
                output::document(&document(program, &measured))?;
            }
        }
        Ok(DONE)
    }

    fn measure(&self, session: &Session) -> Result<Measured, SessionError> {
        let input = session.input(self.facts.now())?;
        let start = Instant::now();
        let (model, _) = session.profile(input.clone())?;
        let first = start.elapsed();
        output::aside(&format!(
            "the first run took {}; {} are measured",
            shown(first),
            count(self.runs as usize, "run")
        ));
        let mut runs = Vec::new();
        for done in 0..self.runs {
            progress::step("measuring runs", done.into(), self.runs.into());
            let input = input.clone();
            let start = Instant::now();
            let (_, profile) = session.profile(input)?;
            runs.push(Run { whole: start.elapsed(), rules: profile.rules });
        }
        progress::clear();
        let given = model.relations.iter().zip(&session.rules().program.relations);
        let given = given.filter(|(_, relation)| relation.kind == Kind::Input);
        let given = given.map(|(extent, _)| extent.rows.len()).sum();
        let all: usize = model.relations.iter().map(|extent| extent.rows.len()).sum();
        Ok(Measured { input: given, facts: all, runs })
    }

    fn table(&self, program: &Program, measured: &Measured) -> std::io::Result<()> {
        let mut out = terminal::text();
        let whole = Times::new(measured.runs.iter().map(|run| run.whole).collect());
        let [median, spread] = whole.cells();
        writeln!(
            out,
            "{} facts in, {} facts in all; {median} a run ({spread}, {} runs)",
            measured.input,
            measured.facts,
            measured.runs.len()
        )?;
        writeln!(out)?;
        let mut rules: Vec<(Times, Vec<String>)> =
            (0..program.rules.len()).map(|at| rule_row(program, measured, at)).collect();
        rules.sort_by_key(|(times, _)| std::cmp::Reverse(times.median()));
        let most = if self.top == 0 { rules.len() } else { self.top };
        let hidden = rules.len().saturating_sub(most);
        let rows: Vec<Vec<String>> = rules.into_iter().take(most).map(|(_, row)| row).collect();
        let header = ["rule", "stratum", "matches", "facts", "rounds", "median", "spread"];
        out.lines(&columns(&header, &rows))?;
        writeln!(out)?;
        let mut strata: Vec<(Duration, Vec<String>)> =
            program.strata.iter().enumerate().filter_map(|of| stratum_row(program, measured, of)).collect();
        strata.sort_by_key(|(median, _)| std::cmp::Reverse(*median));
        let strata: Vec<Vec<String>> = strata.into_iter().take(most).map(|(_, row)| row).collect();
        let header = ["stratum", "number", "rules", "facts", "median", "spread"];
        out.lines(&columns(&header, &strata))?;
        drop(out);
        if hidden > 0 {
            output::aside(&format!(
                "{hidden} faster rules and their strata are not shown; --top 0 shows all"
            ));
        }
        Ok(())
    }
}

fn stratum_of(program: &Program, rule: usize) -> usize {
    let holds = |stratum: &Stratum| stratum.rules.iter().any(|id| id.0 as usize == rule);
    program.strata.iter().position(holds).or_broken("every rule stands in a stratum")
}

fn times_of(measured: &Measured, of: impl Fn(&Run) -> Duration) -> Times {
    Times::new(measured.runs.iter().map(of).collect())
}

/// What a rule did in a run.
fn work(run: &Run, rule: usize) -> &RuleProfile {
    run.rules.get(rule).or_broken("the profile of a run has every rule of its program")
}

/// What a rule did in the first run; only its time differs from run to run.
fn first_work(measured: &Measured, rule: usize) -> &RuleProfile {
    work(measured.runs.first().or_broken(MEASURED), rule)
}

fn rule_times(measured: &Measured, at: usize) -> Times {
    times_of(measured, |run| work(run, at).time)
}

fn rule_row(program: &Program, measured: &Measured, at: usize) -> (Times, Vec<String>) {
    let times = rule_times(measured, at);
    let work = first_work(measured, at);
    let rule = program.rules.get(at).or_broken("a rule that was measured is one of the program");
    let mut row = vec![
        rule.id.to_string(),
        stratum_of(program, at).to_string(),
        work.matches.to_string(),
        work.derived.to_string(),
        work.rounds.to_string(),
    ];
    row.extend(times.cells());
    (times, row)
}

fn stratum_times(stratum: &Stratum, measured: &Measured) -> Times {
    times_of(measured, |run| stratum.rules.iter().map(|id| work(run, id.0 as usize).time).sum())
}

fn stratum_facts(stratum: &Stratum, measured: &Measured) -> u64 {
    stratum.rules.iter().map(|id| first_work(measured, id.0 as usize).derived).sum()
}

/// The row of a stratum, called by its relations; those without rules hold facts of rule files alone.
fn stratum_row(
    program: &Program,
    measured: &Measured,
    (at, stratum): (usize, &Stratum),
) -> Option<(Duration, Vec<String>)> {
    if stratum.rules.is_empty() {
        return None;
    }
    let known = "the relations of a stratum are of its program";
    let name = |id: &RelationId| program.relation(*id).or_broken(known).name.as_str();
    let names: Vec<&str> = stratum.relations.iter().map(name).collect();
    let facts = stratum_facts(stratum, measured);
    let times = stratum_times(stratum, measured);
    let mut row = vec![names.join(", "), at.to_string(), stratum.rules.len().to_string(), facts.to_string()];
    row.extend(times.cells());
    Some((times.median(), row))
}

fn document(program: &Program, measured: &Measured) -> Json {
    let rules: Vec<Json> = program
        .rules
        .iter()
        .enumerate()
        .map(|(at, rule)| {
            let work = first_work(measured, at);
            json!({
                "rule": rule.id.as_str(), "stratum": stratum_of(program, at),
                "matches": work.matches, "facts": work.derived, "rounds": work.rounds, "time": rule_times(measured, at).json(),
            })
        })
        .collect();
    let strata: Vec<Json> = program
        .strata
        .iter()
        .enumerate()
        .map(|(at, stratum)| {
            json!({
                "stratum": at, "facts": stratum_facts(stratum, measured),
                "time": stratum_times(stratum, measured).json(),
            })
        })
        .collect();
    json!({
        "input_facts": measured.input, "facts": measured.facts, "runs": measured.runs.len(),
        "time": times_of(measured, |run| run.whole).json(), "rules": rules, "strata": strata,
    })
}
