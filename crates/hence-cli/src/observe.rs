//! `hence observe`: look at the world through an actuator, and print or record the facts seen.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use hence_actuators as actuators;
use hence_actuators::{Form, Input, ObservationScope, Observer, Summary};
use hence_core::fact::Fact;
use hence_core::file;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{Committed, Draft, Ledger, LedgerError, Redaction};
use hence_session::RuleSet;

#[cfg(feature = "scan")]
use super::changes::Watch;
use super::diagnostics::count;
use super::live::{Before, Stream};
use super::options::RuleOptions;
use super::{DONE, Failure, Outcome, config, open, output, terminal, time};

/// How long a stream waits for a ledger that another process writes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Observe files through an actuator: print the facts seen, or record them with --into
///
/// With --into, facts of relations that the rules don't read are recorded with a warning; facts whose relation the
/// rules declare with other columns are refused, since no rule would ever read them.
#[derive(Debug, Args)]
#[command(
    after_help = "Observers: codebase, edit, error-text, event, git, goal, quality, similarity, source, test-output, tool-run\n\
    Examples:\n  hence observe error-text build.log --into .hence\n  hence observe codebase .\n  \
    hence observe error-text server.log --form log --follow --into .hence"
)]
pub(super) struct Observe {
    /// The observer: codebase, edit, error-text, event, git, goal, quality, similarity, source, test-output or tool-run
    observer: String,
    /// The files, or folders for codebase, git and source; `-` is standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// Record the facts in this ledger instead of printing them
    #[arg(long, value_name = "STORE")]
    into: Option<PathBuf>,
    /// How to split the input into records: text, blocks, lines, log, jsonl, mbox or protobuf
    #[arg(long, value_name = "FORM", value_parser = form)]
    form: Option<Form>,
    /// Follow one input as it grows, and print or record facts at once: standard input to its end, a file
    /// until interrupted
    #[arg(long)]
    follow: bool,
    /// Look at one folder again whenever something in it changes, until interrupted, and record what came and went;
    /// for codebase and git
    #[cfg(feature = "scan")]
    #[arg(long, requires = "into", conflicts_with = "follow")]
    watch: bool,
    /// A folder with tables of patterns to use instead of the shipped ones
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// The author of the facts [default: the system user]
    #[arg(long = "as", value_name = "AUTHOR")]
    author: Option<String>,
    #[command(flatten)]
    rules: RuleOptions,
}

fn form(word: &str) -> Result<Form, String> {
    Form::from_keyword(word).ok_or_else(|| {
        let known: Vec<_> = Form::ALL.iter().map(|form| form.keyword()).collect();
        format!("expected one of {}, found `{word}`", known.join(", "))
    })
}

impl Observe {
    pub(super) fn run(self) -> Outcome {
        let observer = actuators::observer(&self.observer, self.tables.as_deref())
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let rules = match self.into {
            Some(_) => Some(self.rules.source().build()?),
            None => None,
        };
        let redaction = config::get().redaction();
        if self.follow {
            return self.stream(observer.as_ref(), rules.as_ref(), redaction);
        }
        let Some((store, rules)) = self.into.as_ref().zip(rules.as_ref()) else {
            return self.print_all(observer.as_ref(), redaction);
        };
        #[cfg(feature = "scan")]
        if self.watch {
            return self.watch((store, rules), observer.as_ref(), redaction);
        }
        // A ledger takes all of them in one transaction.
        let mut facts: Vec<Fact> = Vec::new();
        let total = self.look(observer.as_ref(), &mut |fact| {
            facts.push(redaction.fact(fact));
            Ok(())
        })?;
        self.show_summary(&total);
        self.record(store, rules, observer.as_ref(), facts)
    }

    /// Looks at a folder, and again after each change in it.
    #[cfg(feature = "scan")]
    fn watch(
        &self,
        (store, rules): (&Path, &RuleSet),
        observer: &dyn Observer,
        redaction: &Redaction,
    ) -> Outcome {
        let [folder] = self.files.as_slice() else {
            return Err(Failure::Usage(String::from("--watch looks at one folder; name one")));
        };
        let mut watch = Watch::new()?;
        let mut warned = BTreeSet::new();
        loop {
            // From here on, so that no change falls between the look and the wait.
            let folders = observer.watched(Path::new(folder))?;
            watch.follow(folders, store.canonicalize().ok().as_deref())?;
            let mut facts: Vec<Fact> = Vec::new();
            self.look(observer, &mut |fact| {
                facts.push(redaction.fact(fact));
                Ok(())
            })?;
            let facts = hence_session::from_shipped(rules, facts);
            let unread =
                unread(rules, &facts)?.into_iter().filter(|relation| warned.insert(relation.clone()));
            warn_of_unread(&unread.collect());
            let committed = self.commit((store, rules), observer, facts, Some(PATIENCE))?;
            if committed.recorded {
                self.show_change(&committed)?;
            }
            if !watch.wait() {
                return Ok(DONE);
            }
        }
    }

    #[cfg(feature = "scan")]
    fn show_change(&self, committed: &Committed) -> io::Result<()> {
        let tally = &committed.tally;
        let added = count(tally.added as usize, "fact");
        let mut out = terminal::text();
        writeln!(out, "transaction {}: {added} asserted, {} no longer seen", committed.tx, tally.removed)?;
        out.flush()
    }

    /// Looks at every input.
    fn look(&self, observer: &dyn Observer, sink: &mut actuators::Sink<'_>) -> Result<Summary, Failure> {
        let mut total = Summary::default();
        for file in &self.files {
            let bar = bar(file);
            let progress = |done: usize, all: usize| {
                bar.set_length(all as u64);
                bar.set_position(done as u64);
            };
            let seen = actuators::observe_path(observer, file, self.form, &progress, sink);
            bar.finish_and_clear();
            total.add(&seen?);
        }
        Ok(total)
    }

    /// Prints each fact as it is seen, however many there are.
    fn print_all(&self, observer: &dyn Observer, redaction: &Redaction) -> Outcome {
        let mut out = BufWriter::new(terminal::json());
        let mut failed = None;
        let looked = self.look(observer, &mut |fact| {
            write_fact(&mut out, &redaction.fact(fact)).map_err(|error| {
                failed = Some(error);
                "stopped".into()
            })
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        out.flush()?;
        self.show_summary(&looked?);
        Ok(DONE)
    }

    fn show_summary(&self, total: &Summary) {
        output::aside(&format!(
            "{} read, {} seen{}",
            count(total.records as usize, "record"),
            count(total.facts as usize, "fact"),
            if total.skipped > 0 { format!(", {} without facts", total.skipped) } else { String::new() }
        ));
        if !total.left_out.is_empty() {
            let each = total.left_out.iter();
            let each = each.map(|(why, (times, first))| format!("{times} {why}, the first `{first}`"));
            let all: u64 = total.left_out.values().map(|(times, _)| times).sum();
            let files = count(all as usize, "file");
            output::warning(&format!("{files} skipped: {}", each.collect::<Vec<_>>().join("; ")));
        }
        for (field, times) in &total.ignored {
            output::aside(&format!("unknown field `{field}` for {}, ignored ({times})", self.observer));
        }
    }

    fn record(&self, store: &Path, rules: &RuleSet, observer: &dyn Observer, facts: Vec<Fact>) -> Outcome {
        let facts = hence_session::from_shipped(rules, facts);
        let unread = unread(rules, &facts)?;
        let committed = self.commit((store, rules), observer, facts, config::get().wait())?;
        warn_of_unread(&unread);
        let changes = &committed.tally;
        let gone = match changes.removed {
            0 => String::new(),
            gone => format!(", {gone} no longer seen"),
        };
        let added = count(changes.added as usize, "fact");
        let mut out = terminal::text();
        writeln!(out, "{added} asserted, {} already present{gone}", changes.present)?;
        if committed.recorded {
            writeln!(out, "recorded as transaction {}, head {}", committed.tx, committed.head)?;
        } else {
            writeln!(out, "nothing to record")?;
        }
        Ok(DONE)
    }

    fn commit(
        &self,
        (store, rules): (&Path, &RuleSet),
        observer: &dyn Observer,
        facts: Vec<Fact>,
        wait: Option<Duration>,
    ) -> Result<Committed, Failure> {
        let mut ledger = open::write_to(store, wait, &open::options())?;
        let mut draft = Draft {
            time: time::wall_clock(),
            author: config::get().author(self.author.as_deref())?,
            source: format!("{} {}", self.observer, self.files.join(", ")),
            assertions: facts,
            ..Draft::default()
        };
        hence_session::fit_draft(rules, &ledger, &mut draft)?;
        let scope = observer.scope(self.files.iter().any(|file| Path::new(file).is_dir()));
        draft.retractions = gone(&ledger, observer, scope, &draft.assertions).map_err(open::failure)?;
        config::get().roles().check_draft(rules, &ledger, &draft)?;
        ledger.commit(&draft).map_err(open::failure)
    }

    /// Hands over what was seen whenever the input has nothing more yet. The ledger is opened for each transaction, so
    /// that others can decide in between.
    fn stream(&self, observer: &dyn Observer, rules: Option<&RuleSet>, redaction: &Redaction) -> Outcome {
        let [file] = self.files.as_slice() else {
            return Err(Failure::Usage(String::from("--follow reads one input; name one file, or `-`")));
        };
        let stream = Stream::open(file)
            .map_err(|error| Failure::Usage(format!("can't read `{file}`: {}", file::said(&error))))?;
        let seen: RefCell<Vec<Fact>> = RefCell::default();
        let mut failed = None;
        let mut warned = BTreeSet::new();
        let mut hand_over = || -> io::Result<()> {
            let facts = seen.take();
            self.hand_over(observer, facts, rules, &mut warned).map_err(|failure| {
                failed = Some(failure);
                io::Error::other("stopped")
            })
        };
        let mut reader = BufReader::new(Before { stream, act: &mut hand_over });
        let input = Input::new(file, self.form, &mut reader);
        let observed = actuators::observe_stream(observer, input, &mut |fact| {
            seen.borrow_mut().push(redaction.fact(fact));
            Ok(())
        });
        drop(reader);
        match (failed, observed) {
            (Some(failure), _) => Err(failure),
            (None, Err(error)) => Err(error.into()),
            (None, Ok(total)) => {
                self.hand_over(observer, seen.take(), rules, &mut warned)?;
                self.show_summary(&total);
                Ok(DONE)
            }
        }
    }

    fn hand_over(
        &self,
        observer: &dyn Observer,
        facts: Vec<Fact>,
        rules: Option<&RuleSet>,
        warned: &mut BTreeSet<String>,
    ) -> Result<(), Failure> {
        if facts.is_empty() {
            return Ok(());
        }
        let (Some(store), Some(rules)) = (&self.into, rules) else { return Ok(print(&facts)?) };
        let facts = hence_session::from_shipped(rules, facts);
        let unread = unread(rules, &facts)?.into_iter().filter(|relation| warned.insert(relation.clone()));
        warn_of_unread(&unread.collect());
        self.commit((store, rules), observer, facts, Some(PATIENCE)).map(drop)
    }
}

/// The facts that stand and that the observation says to be gone.
fn gone(
    ledger: &Ledger,
    observer: &dyn Observer,
    scope: ObservationScope,
    seen: &[Fact],
) -> Result<Vec<Fact>, LedgerError> {
    if scope == ObservationScope::Nothing {
        return Ok(Vec::new());
    }
    let subjects: BTreeSet<Option<Value>> = seen.iter().map(|fact| fact.values.first().copied()).collect();
    let mut gone = Vec::new();
    for relation in actuators::relations(observer) {
        for fact in ledger.facts(Symbol::new(relation)) {
            let (fact, _) = fact?;
            if scope == ObservationScope::Whole || subjects.contains(&fact.values.first().copied()) {
                gone.push(fact);
            }
        }
    }
    // What is asserted too stays.
    Ok(gone)
}

/// The relations of facts that the rules don't read.
///
/// A relation that the rules declare with other columns is an error: its facts would stand in the ledger and be seen by
/// nobody.
fn unread(rules: &RuleSet, facts: &[Fact]) -> Result<BTreeSet<String>, Failure> {
    let mut unread = BTreeSet::new();
    for fact in facts {
        let known = rules.program.find(fact.relation).and_then(|id| rules.program.relation(id));
        let Some(known) = known else {
            unread.insert(fact.relation.to_string());
            continue;
        };
        let fits = known.columns.len() == fact.values.len()
            && known.types().zip(&fact.values).all(|(ty, value)| ty == value.ty());
        if !fits {
            return Err(Failure::Usage(format!(
                "the fact `{fact}` does not match the declared columns `{known}`; nothing was recorded"
            )));
        }
    }
    Ok(unread)
}

fn warn_of_unread(unread: &BTreeSet<String>) {
    for relation in unread {
        output::note(&format!("the rules do not read `{relation}`; its facts are recorded anyway"));
    }
}

/// How far the scan of a folder is, on a terminal.
fn bar(path: &str) -> ProgressBar {
    if !Path::new(path).is_dir() || !terminal::shows_progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} files") {
        bar.set_style(style);
    }
    bar
}

fn print(facts: &[Fact]) -> io::Result<()> {
    let mut out = terminal::json();
    facts.iter().try_for_each(|fact| write_fact(&mut out, fact))?;
    out.flush()
}

fn write_fact(out: &mut impl Write, fact: &Fact) -> io::Result<()> {
    writeln!(out, "{}", output::spaced(&output::json_fact(fact)))
}
