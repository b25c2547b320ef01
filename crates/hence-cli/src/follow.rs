//! `hence decide --follow`: facts line by line in, decisions drawn and lapsed line by line out.

use std::io::{self, Write};
use std::time::Instant;

use serde::Serialize;
use serde_json::{Value as Json, json};

use hence_core::literal;
use hence_core::meter;
use hence_ledger::interchange::Mapping;
use hence_ledger::{Lapsed, Ledger};
use hence_session::{CommitOutcome, CommitRequest, Session};

use super::carry::Carry;
use super::change_line::{ChangeLine, EndLine};
use super::due::Due;
use super::idle::Idle;
use super::lines::LONGEST_LINE;
use super::owner::{Ask, Came, Incoming, Owner};
use super::room::{Stage, Unanswered};
use super::said::{self, Changes, MOST_FAULTS, Refused, Said, faults};
use super::speaker::Speakers;
use super::told::Told;
use super::{Failure, Outcome, due, effects, open, output, time};

/// How messages call the input.
pub(super) const STREAM: &str = "<stdin>";

/// A session that answers every line, or every batch of lines.
pub(super) struct Follow {
    /// What decides.
    pub(super) session: Session,
    /// Who says what lines say, and the rules under which that is read.
    pub(super) speakers: Speakers,
    /// How the ledger calls what brings them.
    pub(super) source: &'static str,
    /// The clock; the wall clock where there is none.
    pub(super) now: Option<i64>,
    /// Whether a blank line ends a transaction, instead of every line.
    pub(super) batch: bool,
    /// How many bytes the lines of one transaction may have.
    pub(super) most: u64,
    /// How lines are read that are plain records of one relation.
    pub(super) records: Option<Mapping>,
    /// Who carries decisions out.
    pub(super) carry: Option<Carry>,
    /// What was not taken.
    pub(super) refused: Refused,
    /// What a fact base that failed kept from an answer.
    pub(super) unanswered: Option<Unanswered>,
    /// How often the ledger was opened again since a step went well.
    pub(super) reopenings: u32,
    /// Where lines come from.
    pub(super) incoming: Incoming,
    /// What lends the ledger to others between them.
    pub(super) owner: Option<Owner>,
    /// What falls due by itself.
    pub(super) due: Due,
    /// Who reads the session after each step.
    pub(super) readers: Option<Readers>,
    /// When it ends by itself, for want of work.
    pub(super) idle: Option<Idle>,
    /// What was said of undetermined decisions.
    pub(super) told: Told,
    /// What was recorded for requests and is not durable yet.
    #[cfg(feature = "server")]
    pub(super) group: Vec<super::http::Joined>,
    /// Under which keys requests were recorded.
    #[cfg(feature = "server")]
    pub(super) keys: super::http::Keys,
}

/// What follows a step.
enum Next {
    /// Another one.
    Step,
    /// The end.
    End,
    /// A turn of somebody else.
    Lend(Ask),
}

/// Who reads a session.
pub(super) type Readers = Box<dyn Fn(&Session)>;

impl Follow {
    /// Commits what is said first if it says something, then answers what comes in to its end, and what falls due meanwhile.
    pub(super) fn run(mut self, first: Said, out: &mut dyn Write) -> Outcome {
        if !first.changes_nothing() {
            self.answer(first, out)?;
        }
        self.begin(out)?;
        let (mut said, mut number) = (Said::default(), 0u64);
        loop {
            if self.is_stopped() {
                self = match self.opened_again(None, &mut said, &mut number, out)? {
                    Ok(opened) => opened,
                    Err(status) => return Ok(status),
                };
            }
            let next = match self.step(&mut said, &mut number, out) {
                Ok(next) => {
                    if !self.is_stopped() {
                        self.reopenings = 0;
                    }
                    next
                }
                Err(failure) => self.outlive(failure).map(|()| Next::Step)?,
            };
            match next {
                Next::Step => {}
                // What came last waits for the ledger to be opened again.
                Next::End if self.unanswered.is_some() => {}
                Next::End => break,
                Next::Lend(ask) => {
                    self = match self.opened_again(Some(ask), &mut said, &mut number, out)? {
                        Ok(opened) => opened,
                        Err(status) => return Ok(status),
                    };
                }
            }
        }
        open::show_notices(&self.session.close());
        Ok(self.refused.status(self.batch))
    }

    /// Does what comes next, up to an end or a turn of somebody else.
    fn step(&mut self, said: &mut Said, number: &mut u64, out: &mut dyn Write) -> Result<Next, Failure> {
        self.settle_at_rest(out)?;
        if self.is_stopped() {
            return Ok(Next::Step);
        }
        self.publish();
        let until = self.wakes()?.map(due::deadline).into_iter().chain(self.due.again);
        let until = until.chain(self.idle.map(Idle::until)).min();
        match self.came(until, out)? {
            Came::Line(bytes) => {
                *number = number.saturating_add(1);
                self.take_line((*number, &bytes), said, out)?;
            }
            Came::End => {
                if !said.is_empty() {
                    self.answer(std::mem::take(said), out)?;
                }
                return Ok(Next::End);
            }
            Came::Work(work) => work(self, out)?,
            Came::Due if self.idle.is_some_and(|idle| idle.is_over(self.session.ledger())) => {
                return Ok(Next::End);
            }
            Came::Due => self.wake(out)?,
            Came::Asked(ask) => {
                // What fell due before a turn comes before what is recorded in it.
                self.fall_due(time::wall_clock(), out).or_else(|failure| self.outlive(failure))?;
                return Ok(Next::Lend(ask));
            }
        }
        Ok(Next::Step)
    }

    /// What comes next; where that isn't work for somebody else, those are answered first who wait.
    fn came(&mut self, until: Option<Instant>, out: &mut dyn Write) -> Result<Came, Failure> {
        let came = self.incoming.next(until)?;
        if !matches!(came, Came::Work(_)) {
            self.settle(out)?;
        }
        Ok(came)
    }

    /// Takes in a line, and answers what is said where it ends with that.
    fn take_line(
        &mut self,
        (number, bytes): (u64, &[u8]),
        said: &mut Said,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let blank = bytes.trim_ascii().is_empty();
        if !blank {
            said.line = if said.is_empty() { number } else { said.line };
            self.add(number, bytes, said);
        }
        if !said.is_empty() && (blank || !self.batch) {
            self.answer(std::mem::take(said), out)?;
        }
        Ok(())
    }

    /// Answers those who wait for what was recorded, unless somebody else joins them.
    #[cfg(feature = "server")]
    fn settle_at_rest(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        if self.incoming.mailbox().waiting_work() > 0 { Ok(()) } else { self.settle(out) }
    }

    /// Nobody waits: no request is answered here.
    #[cfg(not(feature = "server"))]
    fn settle_at_rest(&mut self, _: &mut dyn Write) -> Result<(), Failure> {
        Ok(())
    }

    /// As above.
    #[cfg(not(feature = "server"))]
    fn settle(&mut self, _: &mut dyn Write) -> Result<(), Failure> {
        Ok(())
    }

    /// Does what there was no room for, and what has fallen due.
    fn wake(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        self.go_on(out)?;
        self.fall_due(time::wall_clock(), out)
    }

    /// Tells whoever is to be told what the session is like now, once that is durable.
    pub(super) fn publish(&self) {
        if let Some(readers) = &self.readers
            && self.session.ledger().is_none_or(Ledger::is_durable)
        {
            readers(&self.session);
        }
    }

    /// Adds what a line says to `said`, unless that is refused already: then what follows is not kept either.
    fn add(&mut self, number: u64, bytes: &[u8], said: &mut Said) {
        if said.is_over {
            return;
        }
        said.bytes = said.bytes.saturating_add(bytes.len() as u64);
        let why = if said.bytes > self.most {
            format!(
                "the lines up to the next blank one exceed {} bytes, an eighth of --max-memory",
                self.most
            )
        } else if said.faults.len() >= MOST_FAULTS {
            String::from("more errors are not shown")
        } else {
            return self.read(number, bytes, said);
        };
        said.is_over = true;
        said.faults.push(json!({ "message": why, "line": number }));
        said.forget();
    }

    /// Adds what a line says to `said`.
    fn read(&mut self, number: u64, bytes: &[u8], said: &mut Said) {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return said.refuse([json!({ "message": "the line is not UTF-8", "line": number })]);
        };
        if bytes.len() as u64 > LONGEST_LINE {
            let message = format!("the line has more than {LONGEST_LINE} bytes");
            return said.refuse([json!({ "message": message, "line": number })]);
        }
        if let Err(stopped) = meter::check("reading facts") {
            (said.is_over, said.is_stopped) = (true, true);
            return said.refuse([json!({ "message": stopped.to_string(), "line": number })]);
        }
        if let Some(mapping) = &self.records {
            return match hence_session::read_record_lines(self.speakers.rules(None), mapping, STREAM, text) {
                Err(error) => said.refuse(faults(&error, number)),
                Ok(facts) => said.take(number, facts, [], false),
            };
        }
        let named = match self.speakers.named(&self.session, text) {
            Ok(named) => named,
            Err(message) => return said.refuse([json!({ "message": message, "line": number })]),
        };
        let text = named.as_ref().map_or(text, |named| &named.rest);
        let retracted = match said::retracted(self.session.rules(), text) {
            Ok(retracted) => retracted,
            Err(message) => return said.refuse([json!({ "message": message, "line": number })]),
        };
        if named.is_some() && retracted.is_some() {
            let message =
                "only assertions name who says them; whoever retracts does so in a line of their own";
            return said.refuse([json!({ "message": message, "line": number })]);
        }
        let rules = self.speakers.rules(named.as_ref());
        let read = match &retracted {
            Some(fact) => hence_session::read_fact_lines(rules, STREAM, fact),
            None => hence_session::read_stream_lines(rules, STREAM, text),
        };
        match read {
            Err(error) => said.refuse(faults(&error, number)),
            Ok(facts) => {
                let brought: Vec<_> = named.iter().flat_map(|named| named.say(&facts)).collect();
                said.take(number, facts, brought, retracted.is_some());
            }
        }
    }

    /// Answers what is said, now or once the ledger is opened again.
    pub(super) fn answer(&mut self, said: Said, out: &mut dyn Write) -> Result<(), Failure> {
        if !said.faults.is_empty() {
            return Ok(self.refuse(Some(said.line), &said.faults, said.is_stopped, out)?);
        }
        let mut unanswered = Unanswered { said: said.clone(), stage: Stage::Begun };
        self.decide_lines(said, &mut unanswered.stage, out).or_else(|failure| {
            self.outlive(failure)?;
            self.unanswered = Some(unanswered).filter(|it| it.stage != Stage::Answered);
            Ok(())
        })
    }

    /// Commits what is said, and writes what came of it.
    fn decide_lines(&mut self, said: Said, stage: &mut Stage, out: &mut dyn Write) -> Result<(), Failure> {
        self.now = said.now.or(self.now);
        let wall = time::wall_clock();
        if self.now.is_none() {
            self.fall_due(wall, out)?;
        }
        let (line, note) = (said.line, said.note.clone());
        let Changes { assertions, said, retractions } = said.changes();
        let change = CommitRequest {
            assertions,
            said,
            retractions,
            author: self.speakers.author().to_owned(),
            source: String::from(self.source),
            note,
            time: wall,
            now: self.clock(wall)?,
            ..CommitRequest::default()
        };
        let now = change.now;
        self.due.rest = None;
        *stage = Stage::Committed(self.session.last_tx());
        match self.session.commit(change, false) {
            Ok(decided) => {
                self.follow_schedules(&decided, now);
                self.write(Some(line), &decided, now, out)?;
                *stage = Stage::Answered;
                self.tell_next_ticks(now, out)
            }
            // What is wrong with the lines leaves the session as it was; what is wrong with the ledger stays wrong.
            Err(error) if error.is_of_the_change() => {
                let stopped = error.is_limit();
                self.due.rest = Some(now);
                Ok(self.refuse(Some(line), &[json!({ "message": error.to_string() })], stopped, out)?)
            }
            Err(error) => self.hold_up(Some(line), error, now, out),
        }
    }

    pub(super) fn refuse(
        &mut self,
        line: Option<u64>,
        errors: &[Json],
        stopped: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.refused.count(line, stopped);
        tell(line, errors, out)
    }

    /// Writes what became of a line, or of an instant.
    pub(super) fn write(
        &mut self,
        line: Option<u64>,
        decided: &CommitOutcome,
        now: i64,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        self.write_changes(decided, out)?;
        self.carry_out(decided, now, out)?;
        self.write_end(line, decided, now, out)
    }

    /// Writes what became of an instant, without carrying anything out.
    #[cfg(feature = "server")]
    pub(super) fn tell(
        &mut self,
        line: Option<u64>,
        decided: &CommitOutcome,
        now: i64,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        self.write_changes(decided, out)?;
        self.write_end(line, decided, now, out)
    }

    fn write_end(
        &mut self,
        line: Option<u64>,
        decided: &CommitOutcome,
        now: i64,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let end = EndLine {
            change: "committed",
            line,
            tx: decided.committed.as_ref().map(|committed| committed.tx),
            asserted: decided.changes.added.len(),
            retracted: decided.changes.removed.len(),
            drawn: decided.drawn.len(),
            lapsed: decided.lapsed.len(),
            standing: decided.standing_count(),
            now: line.is_none().then(|| literal::time_text(now)),
            undetermined: Some(decided.undetermined.len()).filter(|count| *count > 0),
            reports: self.told.fresh(decided),
        };
        write_line(out, &end)?;
        open::show_notices(&self.session.take_notices());
        Ok(out.flush()?)
    }

    /// Carries out what is due, `decided` among it.
    pub(super) fn carry_out(
        &mut self,
        decided: &CommitOutcome,
        now: i64,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let Some(carry) = &mut self.carry else { return Ok(()) };
        // What is carried out was decided for good.
        self.session.make_durable()?;
        let mut events = Vec::new();
        let carried = carry.after(&mut self.session, decided, now, &mut events);
        for event in events {
            if event.is_carried() {
                let carried = ChangeLine::of("carried", Some(event.id), &event.decision);
                write_line(
                    out,
                    &ChangeLine { by: Some(event.by), asserted: Some(event.asserted), ..carried },
                )?;
            }
            for decided in &event.decided {
                self.follow_schedules(decided, now);
                self.write_changes(decided, out)?;
            }
        }
        self.tell_next_ticks(now, out)?;
        match carried {
            Err(Failure::Session(error)) => self.hold_up(None, error, now, out)?,
            carried => carried?,
        }
        Ok(out.flush()?)
    }

    fn write_changes(&mut self, decided: &CommitOutcome, out: &mut dyn Write) -> Result<(), Failure> {
        for (number, step) in (1..).zip(&decided.steps) {
            for change in &step.changes {
                let (rule, because) = (Some(change.rule.as_str()), change.sentence.as_deref());
                let line = ChangeLine::of(effects::verb(change), None, &change.fact);
                write_line(out, &ChangeLine { rule, because, step: Some(number), ..line })?;
            }
        }
        for decision in &decided.drawn {
            let id = decided.id(&decision.fact);
            let (rule, because) = (decision.rule.as_deref(), decision.sentence.as_deref());
            write_line(out, &ChangeLine { rule, because, ..ChangeLine::of("drawn", id, &decision.fact) })?;
        }
        for Lapsed { fact, reason } in &decided.lapsed {
            let id = self.session.decision_id(fact)?;
            write_line(
                out,
                &ChangeLine { because: reason.as_deref(), ..ChangeLine::of("lapsed", id, fact) },
            )?;
        }
        for line in self.told.lines(decided) {
            write_line(out, &line)?;
        }
        Ok(())
    }
}

/// Writes why something was not recorded.
pub(super) fn tell(line: Option<u64>, errors: &[Json], out: &mut dyn Write) -> io::Result<()> {
    write_line(out, &json!({ "change": "error", "line": line, "errors": errors }))?;
    out.flush()
}

fn write_line(out: &mut dyn Write, line: &impl Serialize) -> io::Result<()> {
    writeln!(out, "{}", output::spaced(line))
}
