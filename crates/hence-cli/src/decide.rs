//! `hence decide`: facts in, decisions with their reasons out, all of it recorded.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use hence_core::fact::Fact;
use hence_ledger::interchange::Mapping;
use hence_ledger::{Decision, Lapsed, When};
use hence_proof::proof::FactPattern;
use hence_session::{CommitOutcome, CommitRequest, FactFiles, RecordFile, Session};

use super::carry::Carry;
use super::diagnostics::count;
use super::due::Due;
use super::follow::Follow;
use super::options::{ChangeOptions, EngineOptions, FactOptions, RuleOptions, moment};
use super::output::{self, Format};
use super::owner::{Incoming, LONGEST_TURN};
use super::past::{Asking, Past};
use super::records::Records;
use super::said::{Refused, Said};
use super::speaker::Speakers;
use super::told::Told;
use super::{DONE, Failure, Outcome, UNDETERMINED, config, effects, open, terminal, time};

/// Assert facts, draw decisions and record both
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hence decide --facts facts/agent_week.jsonl\n  \
    agent | hence decide --follow")]
pub(super) struct Decide {
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    /// Show what would be decided, and record nothing
    #[arg(long)]
    dry_run: bool,
    /// With --dry-run, decide as of a past moment, with the rules, parameters and clock of that time: the number of
    /// a transaction, or a time
    #[arg(long, value_name = "TX|TIME", value_parser = moment, allow_negative_numbers = true, requires = "dry_run")]
    as_of: Option<When>,
    /// Show every current decision, not only those drawn now
    #[arg(long)]
    all: bool,
    /// Read facts as JSON lines from standard input and answer each line with its changes, as JSON lines; refused lines
    /// change nothing and set the exit status
    #[arg(long, conflicts_with_all = ["dry_run", "all", "format"])]
    follow: bool,
    /// With --follow, take the lines up to a blank one as one transaction
    #[arg(long, requires = "follow")]
    batch: bool,
    #[command(flatten)]
    about: ChangeOptions,
    /// Carry out what is due in the outbox: file the requests that decisions offer, and hand decisions to the carriers
    /// that `[carry]` of hence.toml names
    #[arg(long, conflicts_with = "dry_run")]
    carry_out: bool,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

impl Decide {
    pub(super) fn run(self) -> Outcome {
        self.run_by(|session, _| Ok((session, Given::default())))
    }

    /// Whether the options name an engine.
    #[cfg(feature = "dataflow")]
    pub(super) fn names_engine(&self) -> bool {
        self.engine.engine.is_some()
    }

    /// The largest memory that the options name, in bytes.
    #[cfg(feature = "dataflow")]
    pub(super) fn named_memory(&self) -> Option<u64> {
        self.engine.named_memory()
    }

    /// Decides with the session that `prepare` makes of the one that the options ask for, and with what that is given.
    pub(super) fn run_by(
        self,
        prepare: impl FnOnce(Session, Beginning) -> Result<(Session, Given), Failure>,
    ) -> Outcome {
        let Asking { session, now, .. } = self.asking()?;
        let clock_moves = self.follow && self.facts.now.is_none();
        let beginning = Beginning { now, clock_moves, lenient: self.engine.lenient()? };
        let (session, given) = prepare(session, beginning)?;
        let mut session = session.with_unchanged_recorded(config::get().records_unchanged());
        session.check_columns()?;
        open::warn_of_undeclared(&session)?;
        let mut files = self.facts.files_or_own(session.rules())?.on(self.engine.readers());
        let lines = if self.follow { records_of_lines(&mut files)? } else { None };
        let author = self.about.author()?;
        let mut assertions = hence_session::read_facts(&open::reading_for(session.rules(), &author), &files)?;
        assertions.extend(given.assertions);
        let source = match (given.source, self.facts.source("")) {
            (None, _) => self.facts.source("decide"),
            (Some(own), files) if files.is_empty() => own.to_owned(),
            (Some(own), files) => format!("{own}, {files}"),
        };
        let carry = if self.carry_out { Some(Carry::new(&session, self.all)?) } else { None };
        if self.follow {
            let first = Said::before_lines(assertions, given.retractions, given.note);
            return self.follow(session, (author, first), lines, carry);
        }
        let notes = [self.about.note.clone(), given.note.clone()];
        let note = notes.into_iter().flatten().reduce(|own, given| format!("{own}; {given}"));
        let change = CommitRequest {
            assertions,
            retractions: given.retractions,
            author: author.clone(),
            source: source.clone(),
            time: time::wall_clock(),
            note,
            now,
            expect_tx: self.about.expect_tx,
            list: self.all,
            ..CommitRequest::default()
        };
        let decided = session.commit(change, self.dry_run)?;
        if let (Some(note), None, false) = (given.note, &decided.committed, self.dry_run) {
            remark(&mut session, author, (source, given.source), note)?;
        }
        output::reports(&decided.reports);
        self.print(&decided)?;
        if let Some(mut carry) = carry {
            let mut events = Vec::new();
            carry.after(&mut session, &decided, now, &mut events)?;
            for event in events {
                if event.is_carried() {
                    output::aside(&format!("{} carried out {} {}", event.by, event.id, event.decision));
                }
                event.decided.iter().try_for_each(|decided| self.print(decided))?;
            }
        }
        output::undetermined(self.format, decided.undetermined.iter());
        Ok(if decided.undetermined.is_empty() { DONE } else { UNDETERMINED })
    }

    /// Decides on each line of standard input, after what files assert.
    fn follow(
        self,
        session: Session,
        (author, first): (String, Said),
        lines: Option<Mapping>,
        carry: Option<Carry>,
    ) -> Outcome {
        if let (Some(expected), Some(ledger)) = (self.about.expect_tx, session.ledger()) {
            ledger.expect(expected).map_err(open::failure)?;
        }
        let (now, batch) = (self.facts.now, self.batch);
        // What is read of a line takes several times its bytes.
        let most = self.engine.limits().memory.map_or(u64::MAX, |memory| memory / 8);
        let speakers = Speakers::new(session.rules(), author);
        let incoming = Incoming::of_standard_input()
            .map_err(|error| Failure::Usage(format!("can't read standard input: {error}")))?;
        let owner = open::lending(&self.facts, incoming.mailbox(), LONGEST_TURN)?;
        let follow = Follow {
            session: session.keeping(),
            speakers,
            source: "decide --follow",
            now,
            batch,
            most,
            carry,
            records: lines,
            refused: Refused::default(),
            unanswered: None,
            reopenings: 0,
            incoming,
            owner,
            due: Due::default(),
            readers: None,
            idle: None,
            told: Told::default(),
            #[cfg(feature = "server")]
            group: Vec::new(),
            #[cfg(feature = "server")]
            keys: super::http::Keys::default(),
        };
        follow.run(first, &mut terminal::json())
    }

    /// The session that decides, and at which clock.
    fn asking(&self) -> Result<Asking, Failure> {
        let (rules, facts, engine) = (&self.rules, &self.facts, &self.engine);
        match self.as_of {
            Some(moment) => Past { rules, facts, engine }.asking(moment),
            None => {
                let session = match self.follow {
                    true => open::for_owning(rules, facts, engine)?,
                    false => open::for_writing(rules, facts, engine, self.dry_run)?,
                };
                let now = time::of(&session, facts.now)?;
                Ok(Asking { session, now, as_of: None })
            }
        }
    }

    fn print(&self, decided: &CommitOutcome) -> std::io::Result<()> {
        if self.format != Format::Table {
            return print_for_programs(self.format, decided, self.all);
        }
        let shown = if self.all { &decided.standing } else { &decided.drawn };
        print_table(decided, shown, self.dry_run)
    }
}

/// How a decision begins.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "dataflow"), expect(dead_code, reason = "only a cluster looks at it"))]
pub(super) struct Beginning {
    /// The clock.
    pub(super) now: i64,
    /// Whether that moves on.
    pub(super) clock_moves: bool,
    /// Whether a match with an undefined operation is false.
    pub(super) lenient: bool,
}

/// What is decided on beside what the options name.
#[derive(Default)]
pub(super) struct Given {
    pub(super) assertions: Vec<Fact>,
    pub(super) retractions: Vec<Fact>,
    /// Where they come from.
    pub(super) source: Option<&'static str>,
    /// What the ledger is to say of that, though nothing follows from it.
    pub(super) note: Option<String>,
}

/// Says in the ledger what is known of facts that change nothing, unless it says so already.
fn remark(
    session: &mut Session,
    author: String,
    (source, given): (String, Option<&str>),
    note: String,
) -> Result<(), Failure> {
    let Some(ledger) = session.ledger() else { return Ok(()) };
    let last = ledger
        .last_where(|info| given.is_some_and(|given| info.source.starts_with(given)))
        .map_err(open::failure)?;
    if last.and_then(|info| info.note).is_none_or(|last| !last.ends_with(&note)) {
        session.remark(author, source, note, time::wall_clock())?;
    }
    Ok(())
}

/// Tells people what a commit drew and let lapse.
pub(super) fn print_changes(decided: &CommitOutcome) -> io::Result<()> {
    print_table(decided, &decided.drawn, false)
}

fn print_table(decided: &CommitOutcome, shown: &[Decision], dry: bool) -> io::Result<()> {
    let mut out = terminal::text();
    if !shown.is_empty() {
        out.lines(&decisions_table(shown))?;
    }
    for line in effects::lines(&decided.steps) {
        writeln!(out, "{line}")?;
    }
    for Lapsed { fact, reason } in &decided.lapsed {
        let because = reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        writeln!(out, "lapsed: {fact}{because}")?;
    }
    if !shown.is_empty() || !decided.lapsed.is_empty() || !decided.steps.is_empty() {
        writeln!(out)?;
    }
    out.lines(&summary(decided, dry))?;
    if shown.is_empty() && !decided.stands.is_empty() {
        writeln!(out, "in force: {}", by_relation(decided))?;
    }
    out.flush()
}

fn decisions_table(decisions: &[Decision]) -> String {
    let header = [String::from("decision"), String::from("because")];
    let rows: Vec<Vec<String>> = decisions
        .iter()
        .map(|decision| vec![decision.fact.to_string(), decision.sentence.clone().unwrap_or_default()])
        .collect();
    output::table(&header, &rows)
}

/// What happened, and how it was recorded.
fn summary(decided: &CommitOutcome, dry: bool) -> String {
    let changes = &decided.changes;
    let mut facts = format!("{} asserted", count(changes.added.len(), "fact"));
    if !changes.present.is_empty() {
        facts.push_str(&format!(", {} already present", changes.present.len()));
    }
    if !decided.steps.is_empty() {
        facts.push_str(&format!(", {}", count(decided.steps.len(), "step")));
    }
    let decisions = if decided.drawn.is_empty() && decided.lapsed.is_empty() {
        format!("nothing new: {}", standing(decided))
    } else {
        format!(
            "{} drawn, {} lapsed; {}",
            count(decided.drawn.len(), "decision"),
            decided.lapsed.len(),
            standing(decided)
        )
    };
    let recorded = match &decided.committed {
        _ if dry => String::from("nothing was recorded (--dry-run)"),
        Some(committed) => format!("recorded as transaction {}, head {}", committed.tx, committed.head),
        None => String::from("nothing to record"),
    };
    format!("{facts}; {decisions}\n{recorded}")
}

fn standing(decided: &CommitOutcome) -> String {
    let number = count(decided.standing_count(), "decision");
    match decided.kept_open {
        0 => format!("{number} in force"),
        open => format!("{number} in force, {open} of them undetermined now"),
    }
}

fn by_relation(decided: &CommitOutcome) -> String {
    let each = decided.stands.iter().map(|(relation, count)| format!("{relation} {count}"));
    each.collect::<Vec<_>>().join(", ")
}

fn print_for_programs(format: Format, decided: &CommitOutcome, all: bool) -> std::io::Result<()> {
    let drawn = |fact: &Fact| decided.drawn.iter().any(|decision| decision.fact == *fact);
    let shown = if all { &decided.standing } else { &decided.drawn };
    let mut rows = Vec::new();
    for decision in shown {
        let change = if !all || drawn(&decision.fact) { "drawn" } else { "stands" };
        rows.push((change, &decision.fact, decision.rule.as_deref(), decision.sentence.as_deref()));
    }
    for change in decided.steps.iter().flat_map(|step| &step.changes) {
        rows.push((effects::verb(change), &change.fact, Some(&change.rule), change.sentence.as_deref()));
    }
    let lapsed = decided.lapsed.iter();
    rows.extend(lapsed.map(|lapsed| ("lapsed", &lapsed.fact, None, lapsed.reason.as_deref())));
    let object = |(change, fact, rule, because): &(&str, &Fact, Option<&str>, Option<&str>)| {
        let values: Vec<_> = fact.values.iter().map(|value| output::json_value(*value)).collect();
        json!({
            "change": change, "relation": fact.relation.as_str(), "values": values,
            "rule": rule, "because": because,
        })
    };
    let open = |row: &FactPattern| {
        json!({
            "change": "undetermined", "relation": row.relation.as_str(),
            "values": output::open_values(&row.args), "rule": null, "because": null,
        })
    };
    let objects = rows.iter().map(object).chain(decided.undetermined.iter().map(open));
    match format {
        Format::Json => output::documents(objects),
        Format::Jsonl => output::lines(objects),
        Format::Csv | Format::Table => {
            let mut out = Records::out();
            out.write(["change", "decision", "rule", "because"])?;
            for (change, fact, rule, because) in rows {
                let fact = fact.to_string();
                out.write([change, &fact, rule.unwrap_or(""), because.unwrap_or("")])?;
            }
            out.end()
        }
    }
}

/// How the lines of standard input are read as records, where `--facts RELATION=-` says so; they are no file then.
fn records_of_lines(files: &mut FactFiles) -> Result<Option<Mapping>, Failure> {
    let (lines, others) = files.records.drain(..).partition(|file| file.path.as_os_str() == "-");
    files.records = others;
    let mut lines: Vec<RecordFile> = lines;
    match lines.len() {
        0 | 1 => Ok(lines.pop().map(|file| file.mapping)),
        _ => Err(Failure::Usage(String::from(
            "--follow reads the records of one relation from standard input",
        ))),
    }
}
