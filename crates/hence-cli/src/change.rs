//! `hence assert`, `hence retract`: facts into the ledger and out of it, without drawing decisions.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use hence_core::fact::Fact;
use hence_ledger::{Draft, Tally};
use hence_session::RuleSet;

use super::diagnostics::count;
use super::options::{ChangeOptions, FactOptions, RuleOptions, limit, readers};
use super::{DONE, Failure, Outcome, config, open, progress, terminal, time};

/// The fact that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// The arguments of both commands.
#[derive(Debug, Args)]
pub(super) struct FactArguments {
    /// Facts, such as 'tool("web_search")'; `-` reads them from standard input, JSON lines
    fact: Vec<String>,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    about: ChangeOptions,
    /// The maximum memory, in MiB [default: half of the machine]
    #[arg(long, value_name = "MIB", value_parser = limit)]
    max_memory: Option<u64>,
}

/// Assert facts; they hold until they are retracted
#[derive(Debug, Args)]
#[command(after_help = "Example: hence assert 'tool(\"web_search\")' --note 'added today'")]
pub(super) struct Assert {
    #[command(flatten)]
    facts: FactArguments,
}

/// Retract facts; they no longer hold but stay in the history
#[derive(Debug, Args)]
#[command(after_help = "Example: hence retract 'tool(\"web_search\")'")]
pub(super) struct Retract {
    #[command(flatten)]
    facts: FactArguments,
}

impl Assert {
    pub(super) fn run(self) -> Outcome {
        self.facts.change(assert)
    }
}

impl Retract {
    pub(super) fn run(self) -> Outcome {
        self.facts.change(retract)
    }
}

/// Puts facts into a draft.
pub(super) type Put = fn(&mut Draft, Vec<Fact>);

/// They come.
pub(super) fn assert(draft: &mut Draft, facts: Vec<Fact>) {
    draft.assertions = facts;
}

/// They go.
pub(super) fn retract(draft: &mut Draft, facts: Vec<Fact>) {
    draft.retractions = facts;
}

impl FactArguments {
    fn change(self, put: Put) -> Outcome {
        let (rules, facts) = self.gather()?;
        self.record(&rules, facts, &self.facts, put)
    }

    /// The rules, and the facts that are named.
    pub(super) fn gather(&self) -> Result<(RuleSet, Vec<Fact>), Failure> {
        let rules = self.rules.source().build()?;
        let facts = self.read(&open::reading_for(&rules, &self.about.author()?))?;
        if facts.is_empty() && !self.reads() {
            return Err(Failure::Usage(String::from("missing facts; write one, or name files with --facts")));
        }
        progress::clear();
        Ok((rules, facts))
    }

    /// Records facts in a ledger.
    pub(super) fn record(&self, rules: &RuleSet, facts: Vec<Fact>, store: &FactOptions, put: Put) -> Outcome {
        let mut draft = Draft {
            time: time::wall_clock(),
            author: self.about.author()?,
            source: self.facts.source("command line"),
            note: self.about.note.clone(),
            expect_tx: self.about.expect_tx,
            ..Draft::default()
        };
        put(&mut draft, facts);
        let mut ledger = open::ledger_beside(store, false)?;
        if draft.assertions.iter().any(|fact| rules.holds_instant(fact)) {
            let recorded = ledger.last_where(|info| info.clock.is_some()).map_err(open::failure)?;
            let instant = time::shown(recorded.and_then(|info| info.clock), store.now);
            rules.stamp(&mut draft.assertions, instant);
            draft.clock = Some(instant);
        }
        config::get().roles().check_draft(rules, &ledger, &draft)?;
        hence_session::fit_draft(rules, &ledger, &mut draft)?;
        let committed = ledger.commit_owned(draft).map_err(open::failure);
        progress::clear();
        let committed = committed?;
        open::show_notices(&ledger.close());
        let mut out = terminal::text();
        let tally = tally_text(&committed.tally);
        if !tally.is_empty() {
            writeln!(out, "{tally}")?;
        }
        if committed.recorded {
            writeln!(out, "recorded as transaction {}, head {}", committed.tx, committed.head)?;
        } else {
            writeln!(out, "nothing to record")?;
        }
        Ok(DONE)
    }

    /// The options of the ledger.
    pub(super) fn store(&self) -> &FactOptions {
        &self.facts
    }

    /// Whether facts come from files or standard input, which may hold none.
    fn reads(&self) -> bool {
        !self.facts.files().is_empty() || self.fact.iter().any(|text| text == STANDARD_INPUT)
    }

    fn read(&self, rules: &RuleSet) -> Result<Vec<Fact>, Failure> {
        let mut files = self.facts.files().on(readers());
        files.paths.extend(self.fact.iter().filter(|text| *text == STANDARD_INPUT).map(PathBuf::from));
        let read = hence_session::read_facts_counted(rules, &files, &mut |read| {
            progress::counted("reading facts", read)
        });
        progress::clear();
        let mut facts = read?;
        for text in self.fact.iter().filter(|text| *text != STANDARD_INPUT) {
            if Path::new(text).is_file() {
                let message = format!("`{text}` is a file, not a fact; read it with `--facts {text}`");
                return Err(Failure::Usage(message));
            }
            facts.push(hence_session::read_fact(rules, text)?);
        }
        Ok(facts)
    }
}

/// What came and went, and what was said for nothing.
fn tally_text(tally: &Tally) -> String {
    let parts = [
        (tally.added, "asserted"),
        (tally.removed, "retracted"),
        (tally.present, "already present"),
        (tally.missing, "not present"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{} {what}", count(number as usize, "fact")))
        .collect();
    parts.join(", ")
}
