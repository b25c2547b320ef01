//! Mails one by one, of an mbox or of a file that is one mail, in bounded memory.

use std::io::{self, BufRead, Read as _};

use mail_parser::{Message, MessageParser};

use super::{Seen, id, short_hash};
use crate::error::ActuatorError;
use crate::input::{Input, PIECE, pauses};
use crate::json::Place;
use hence_core::meter;
use hence_core::symbol::Symbol;

/// How much of a mail is read, in bytes.
const LONGEST: usize = 1 << 20;

/// The line before each mail of an mbox begins so.
const SEPARATOR: &[u8] = b"From ";

const MICROS: i64 = 1_000_000;

/// The mails of an input.
pub(super) struct Mails<'a> {
    name: &'a str,
    reader: &'a mut dyn BufRead,
    /// The line being read, and where it is: in it, or before it.
    line: u64,
    bytes: Vec<u8>,
    in_line: bool,
    /// Where the mail at hand begins, and what is read of it.
    begun: Option<u64>,
    mail: Vec<u8>,
    after_blank: bool,
    /// Whether a line of an mbox came, where `>From` in a mail stands for `From`.
    is_mbox: bool,
}

/// A mail as it came.
pub(super) struct Mail<'a> {
    place: Place<'a>,
    bytes: Vec<u8>,
}

impl<'a> Mails<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        Self {
            name: input.name(),
            reader: input.into_reader(),
            line: 0,
            bytes: Vec::new(),
            in_line: false,
            begun: None,
            mail: Vec::new(),
            after_blank: true,
            is_mbox: false,
        }
    }

    /// The next mail, `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Mail<'a>>, ActuatorError> {
        loop {
            meter::check("reading what is observed")?;
            let starts_line = !self.in_line;
            if self.read().map_err(|source| ActuatorError::Read { input: self.name.to_owned(), source })? == 0
            {
                return Ok(self.finish());
            }
            self.line += u64::from(starts_line);
            let separates = starts_line && self.after_blank && self.bytes.starts_with(SEPARATOR);
            let blank = starts_line && self.bytes.trim_ascii().is_empty();
            self.after_blank = blank;
            if separates {
                let done = self.finish();
                self.begun = Some(self.line);
                (self.after_blank, self.is_mbox) = (false, true);
                if done.is_some() {
                    return Ok(done);
                }
                continue;
            }
            if self.begun.is_none() && !blank {
                self.begun = Some(self.line);
            }
            if self.begun.is_some() && self.mail.len() < LONGEST {
                let quoted = self.is_mbox && starts_line && is_quoted(&self.bytes);
                self.mail.extend_from_slice(self.bytes.get(usize::from(quoted)..).unwrap_or_default());
            }
        }
    }

    /// Reads on in the line, or the next one; the number of bytes is 0 at the end.
    fn read(&mut self) -> io::Result<usize> {
        self.bytes.clear();
        loop {
            match (&mut *self.reader).take(PIECE as u64).read_until(b'\n', &mut self.bytes) {
                Err(error) if pauses(&error) => {}
                Err(error) => return Err(error),
                Ok(_) => break,
            }
        }
        self.in_line = self.bytes.last().is_some_and(|byte| *byte != b'\n');
        Ok(self.bytes.len())
    }

    fn finish(&mut self) -> Option<Mail<'a>> {
        let line = self.begun.take()?;
        Some(Mail { place: Place { input: self.name, line }, bytes: std::mem::take(&mut self.mail) })
    }
}

/// Whether a line is one that would separate mails, but for the `>` before it.
fn is_quoted(line: &[u8]) -> bool {
    let bare = line.iter().position(|byte| *byte != b'>').unwrap_or(line.len());
    bare > 0 && line.get(bare..).is_some_and(|rest| rest.starts_with(SEPARATOR))
}

impl Mail<'_> {
    /// What the mail says.
    pub(super) fn read(&self) -> Result<Seen, ActuatorError> {
        let parsed = MessageParser::default().parse(&self.bytes);
        let message = parsed.ok_or_else(|| self.place.fault("a mail with headers", "something else"))?;
        let date = message.date().filter(|date| date.is_valid());
        let at = date.and_then(|date| date.to_timestamp().checked_mul(MICROS));
        let at = at.ok_or_else(|| self.place.fault("a mail with a `Date`", "none that is a time"))?;
        let sender = sender(&message);
        let subject = message.subject().unwrap_or_default().to_owned();
        let text = message.body_text(0).unwrap_or_default().into_owned();
        let hash = || short_hash(&format!("{at}\n{sender}\n{subject}\n{text}"));
        let given = message.message_id().filter(|id| !id.is_empty()).map(str::to_owned);
        Ok(Seen {
            event: given.unwrap_or_else(|| id(self.place.input, Some(self.place.line), "event", &hash())),
            source: Symbol::new("/mail"),
            kind: Symbol::new("/message"),
            at,
            sender,
            subject,
            text,
        })
    }
}

/// The address of the first sender; empty where nobody is named.
fn sender(message: &Message<'_>) -> String {
    let first = message.from().and_then(|from| from.first());
    first.and_then(|address| address.address()).unwrap_or_default().to_owned()
}
