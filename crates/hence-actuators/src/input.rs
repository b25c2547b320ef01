//! Inputs as observers read them: their names, their forms, and their text in pieces of bounded size.

use std::io::{self, BufRead, Read as _};

use super::error::ActuatorError;
use hence_core::meter;

/// The name of standard input.
pub(super) const STANDARD_INPUT: &str = "-";

/// How many bytes one piece of text has at most.
pub(super) const PIECE: usize = 64 * 1024;

/// How an input is cut into records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// The whole input is one text.
    Text,
    /// Blank lines separate texts.
    Blocks,
    /// Each line is a text; blank lines count for nothing.
    Lines,
    /// A log: a text begins at each line that doesn't begin with white space, and only a text that shows a signal
    /// counts.
    Log,
    /// JSON objects: one a line, over several lines, or all in one array.
    Json,
    /// Mails: one, or those of an mbox.
    Mail,
    /// Messages of protocol buffers.
    Protobuf,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 7] =
        [Self::Text, Self::Blocks, Self::Lines, Self::Log, Self::Json, Self::Mail, Self::Protobuf];

    /// The word for it on the command line.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Blocks => "blocks",
            Self::Lines => "lines",
            Self::Log => "log",
            Self::Json => "jsonl",
            Self::Mail => "mbox",
            Self::Protobuf => "protobuf",
        }
    }

    /// The form that a word names.
    pub fn from_keyword(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.keyword() == word)
    }

    /// The form that a file's name implies, if any.
    fn of_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "jsonl" | "ndjson" => Some(Self::Json),
            "mbox" | "eml" => Some(Self::Mail),
            "pb" | "binpb" => Some(Self::Protobuf),
            _ => None,
        }
    }
}

/// Something to observe.
pub struct Input<'a> {
    name: &'a str,
    form: Option<Form>,
    reader: &'a mut dyn BufRead,
}

impl<'a> Input<'a> {
    /// What `reader` gives, under the name that errors and ids show; `form` where it is known. A reader of something
    /// that goes on may answer [`io::ErrorKind::WouldBlock`] where nothing came for a while: what a text is waiting for
    /// will then not be waited for any longer.
    pub fn new(name: &'a str, form: Option<Form>, reader: &'a mut dyn BufRead) -> Self {
        Self { name, form, reader }
    }

    /// The input's name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The form to read it in: the one given, else the one its name implies, else the first of `forms`.
    pub(super) fn form(&self, observer: &'static str, forms: &[Form]) -> Result<Form, ActuatorError> {
        let named = Form::of_name(self.name).filter(|form| forms.contains(form));
        let form = self.form.or(named).or(forms.first().copied()).unwrap_or(Form::Json);
        if forms.contains(&form) {
            return Ok(form);
        }
        let known = forms.iter().map(|form| format!("`{}`", form.keyword())).collect::<Vec<_>>().join(", ");
        Err(ActuatorError::Form { observer, form: form.keyword(), known })
    }

    pub(super) fn into_reader(self) -> &'a mut dyn BufRead {
        self.reader
    }

    /// The whole text, of at most `limit` bytes; those that are not UTF-8 read as U+FFFD.
    pub(super) fn into_text(self, limit: u64) -> Result<String, ActuatorError> {
        Ok(String::from_utf8_lossy(&self.into_bytes(limit)?).into_owned())
    }

    /// All bytes, at most `limit`.
    pub(super) fn into_bytes(self, limit: u64) -> Result<Vec<u8>, ActuatorError> {
        let fault = |source| ActuatorError::Read { input: self.name.to_owned(), source };
        let mut bytes = Vec::new();
        let mut reader = self.reader.take(limit.saturating_add(1));
        while let Err(error) = reader.read_to_end(&mut bytes) {
            meter::check("reading what is observed")?;
            if !pauses(&error) {
                return Err(fault(error));
            }
        }
        if bytes.len() as u64 > limit {
            let message = format!("it is larger than {} MiB", limit >> 20);
            return Err(fault(io::Error::new(io::ErrorKind::FileTooLarge, message)));
        }
        Ok(bytes)
    }

    pub(super) fn into_pieces(self) -> Pieces<'a> {
        Pieces {
            name: self.name,
            reader: self.reader,
            bytes: Vec::new(),
            text: String::new(),
            line: 0,
            at_start: true,
        }
    }
}

/// Whether a reader says that there is nothing more for now: [`io::ErrorKind::WouldBlock`]. Whoever can't do anything
/// with that reads on, and waits.
pub(super) fn pauses(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}

/// A line, or a part of one that is longer than [`PIECE`], with its line break.
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    /// The line it belongs to, from 1.
    pub(super) line: u64,
    /// Whether the line begins here.
    pub(super) starts_line: bool,
    /// Whether it is not a piece, but a pause between two lines of an input that goes on.
    pub(super) pause: bool,
}

/// The text of an input in pieces. Bytes that are not UTF-8 read as U+FFFD: an error text may hold anything.
pub(super) struct Pieces<'a> {
    name: &'a str,
    reader: &'a mut dyn BufRead,
    bytes: Vec<u8>,
    text: String,
    line: u64,
    at_start: bool,
}

impl Pieces<'_> {
    /// The next piece, `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Piece<'_>>, ActuatorError> {
        meter::check("reading what is observed")?;
        let starts_line = self.at_start;
        self.text.clear();
        // A piece may hold no more than the beginning of a character, which then waits in `bytes`.
        while self.text.is_empty() {
            match self.read() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) if pauses(&error) => {
                    if starts_line && self.bytes.is_empty() {
                        return Ok(Some(Piece { text: "", line: self.line, starts_line, pause: true }));
                    }
                }
                Err(source) => return Err(ActuatorError::Read { input: self.name.to_owned(), source }),
            }
        }
        if self.text.is_empty() {
            return Ok(None);
        }
        self.line += u64::from(starts_line);
        self.at_start = self.text.ends_with('\n');
        Ok(Some(Piece { text: &self.text, line: self.line, starts_line, pause: false }))
    }

    fn read(&mut self) -> io::Result<bool> {
        let count = (&mut *self.reader).take(PIECE as u64).read_until(b'\n', &mut self.bytes)?;
        let waiting = !self.bytes.is_empty();
        decode(&mut self.bytes, &mut self.text, count == 0);
        Ok(count > 0 || waiting)
    }
}

/// Moves `bytes` over to `text`; the beginning of a character at their end stays, unless it is the `end`.
fn decode(bytes: &mut Vec<u8>, text: &mut String, end: bool) {
    let mut from = 0;
    while let Some(rest) = bytes.get(from..).filter(|rest| !rest.is_empty()) {
        let Err(error) = std::str::from_utf8(rest).map(|good| text.push_str(good)) else {
            from = bytes.len();
            break;
        };
        let (good, bad) = rest.split_at(error.valid_up_to());
        text.push_str(&String::from_utf8_lossy(good));
        from += good.len();
        match error.error_len() {
            Some(length) => from += length,
            None if end => from += bad.len(),
            None => break,
        }
        text.push(char::REPLACEMENT_CHARACTER);
    }
    bytes.drain(..from);
}
