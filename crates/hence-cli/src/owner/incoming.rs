//! Lines of standard input for an owner, between which others get their turns.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use super::super::lines::LONGEST_LINE;
use super::{Ask, Event, Mailbox, Work};

/// How many bytes are read at once.
const CHUNK: usize = 64 * 1024;

/// What came.
pub(crate) enum Came {
    /// A line, without what is beyond the longest one may be.
    Line(Vec<u8>),
    /// Somebody asks for a turn.
    Asked(Ask),
    /// Something to do for whoever calls.
    Work(Work),
    /// The time that was waited for.
    Due,
    /// The end: of the input, or by a signal.
    End,
}

/// The lines.
pub(crate) struct Incoming {
    mailbox: Arc<Mailbox>,
    /// What is not handed out yet.
    bytes: Vec<u8>,
    /// Where in it the next line begins.
    at: usize,
    /// How far it was looked through for the end of that line.
    seen: usize,
    /// Whether the rest of a line that is too long is still to come.
    skips: bool,
    /// Whether somebody had a turn after the last line: the next one comes first.
    lent: bool,
    /// A line that comes once more.
    back: Option<Vec<u8>>,
}

impl Incoming {
    /// Those of standard input.
    ///
    /// # Errors
    /// The system gives no thread to read it.
    pub(crate) fn of_standard_input() -> io::Result<Self> {
        let mailbox = Arc::<Mailbox>::default();
        mailbox.read_standard_input(CHUNK)?;
        Ok(Self::of(mailbox))
    }

    /// None: only what is put into `mailbox`.
    pub(crate) fn of(mailbox: Arc<Mailbox>) -> Self {
        Self { mailbox, bytes: Vec::new(), at: 0, seen: 0, skips: false, lent: false, back: None }
    }

    /// Where else to put what is waited for.
    pub(crate) fn mailbox(&self) -> &Arc<Mailbox> {
        &self.mailbox
    }

    /// What comes next, or that `until` has come.
    ///
    /// # Errors
    /// Standard input can't be read.
    pub(crate) fn next(&mut self, until: Option<Instant>) -> io::Result<Came> {
        let input_first = std::mem::take(&mut self.lent);
        if !input_first && let Some(ask) = self.mailbox.asked() {
            return Ok(self.lend(ask));
        }
        self.next_by(|mailbox| mailbox.next(until, input_first))
    }

    /// The line that comes next, or that `until` has come; whoever asks for a turn waits on.
    ///
    /// # Errors
    /// Standard input can't be read.
    pub(crate) fn next_line(&mut self, until: Instant) -> io::Result<Came> {
        self.next_by(|mailbox| mailbox.input(until))
    }

    /// Has a line come once more, before all others.
    pub(crate) fn put_back(&mut self, line: Vec<u8>) {
        self.back = Some(line);
    }

    fn next_by(&mut self, event: impl Fn(&Mailbox) -> Event) -> io::Result<Came> {
        loop {
            if let Some(line) = self.line() {
                return Ok(Came::Line(line));
            }
            match event(&self.mailbox) {
                Event::Chunk(chunk) => self.take(&chunk?),
                Event::Asked(ask) => return Ok(self.lend(ask)),
                Event::Work(work) => return Ok(Came::Work(work)),
                Event::Due => return Ok(Came::Due),
                Event::End if self.at < self.bytes.len() => return Ok(Came::Line(self.rest())),
                Event::End | Event::Stop => return Ok(Came::End),
            }
        }
    }

    fn lend(&mut self, ask: Ask) -> Came {
        self.lent = true;
        Came::Asked(ask)
    }

    fn take(&mut self, chunk: &[u8]) {
        let mut chunk = chunk;
        if self.skips {
            let Some(end) = chunk.iter().position(|byte| *byte == b'\n') else { return };
            self.skips = false;
            chunk = chunk.get(end + 1..).unwrap_or(&[]);
        }
        self.bytes.drain(..self.at);
        self.seen -= self.at;
        self.at = 0;
        self.bytes.extend_from_slice(chunk);
    }

    /// The next whole line, or the beginning of one that is too long.
    fn line(&mut self) -> Option<Vec<u8>> {
        if let Some(line) = self.back.take() {
            return Some(line);
        }
        let longest = LONGEST_LINE as usize + 1;
        let end = self.bytes.get(self.seen..)?.iter().position(|byte| *byte == b'\n');
        let end = end.map(|found| self.seen + found + 1);
        self.seen = end.unwrap_or(self.bytes.len());
        let whole = end.filter(|end| end - self.at <= longest);
        let to = match whole {
            Some(end) => end,
            None if self.seen - self.at >= longest => self.at + longest,
            None => return None,
        };
        let line = self.bytes.get(self.at..to)?.to_vec();
        self.skips = end.is_none();
        self.at = self.seen;
        Some(line)
    }

    fn rest(&mut self) -> Vec<u8> {
        let rest = self.bytes.split_off(self.at);
        (self.at, self.seen) = (0, 0);
        self.bytes.clear();
        rest
    }
}
