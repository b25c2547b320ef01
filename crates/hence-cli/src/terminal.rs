//! The standard streams, named nowhere else: whatever is written, no terminal obeys it and nothing in it is hidden.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::Style;

use hence_core::literal::{is_hidden, visible, visible_but};
use hence_core::meter;

/// What becomes of characters that a terminal obeys or that nobody sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Text for people: each is shown as string literals write it, such as `\u{1b}`.
    Text,
    /// JSON: each is escaped as JSON does it, such as `\u001b`; it can only be inside a string.
    Json,
    /// Other documents for programs: all bytes stay.
    Bytes,
}

/// Where results are written.
pub(super) struct Out {
    sink: Box<dyn Write>,
    form: Form,
    /// The beginning of a character whose end is still to come.
    rest: Vec<u8>,
}

/// Whether something is written to standard output.
static ANSWERS: AtomicBool = AtomicBool::new(false);

fn answering() {
    ANSWERS.store(true, Ordering::Relaxed);
    meter::answering();
}

/// Standard output for people. What one `write!` writes is one line: a line break inside it is shown as `\n`, so no
/// fact can pretend to be a line of hence. Text of several lines goes through [`Out::lines`].
pub(super) fn text() -> Out {
    answering();
    Out::new(Form::Text, Box::new(anstream::stdout().lock()))
}

/// Standard output for JSON documents.
pub(super) fn json() -> Out {
    answering();
    Out::new(Form::Json, Box::new(io::stdout().lock()))
}

/// Standard output for other documents that programs read. On a terminal it is text for people.
pub(super) fn bytes() -> Out {
    answering();
    let form = if is_terminal() { Form::Text } else { Form::Bytes };
    Out::new(form, Box::new(io::stdout().lock()))
}

/// Standard error, for people.
pub(super) fn messages() -> Out {
    Out::new(Form::Text, Box::new(anstream::stderr().lock()))
}

/// Standard error, for logs that programs read.
pub(super) fn json_messages() -> Out {
    Out::new(Form::Json, Box::new(io::stderr().lock()))
}

/// A JSON document that goes elsewhere, with the same bytes as on standard output.
pub(super) fn json_into(sink: Box<dyn Write>) -> Out {
    Out::new(Form::Json, sink)
}

/// Whether standard output is a terminal.
pub(super) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether somebody at a terminal reads standard error: progress can be shown there.
pub(super) fn shows_progress() -> bool {
    io::stderr().is_terminal()
}

/// Hands over what is still held back, so that nothing is lost unsaid at the end.
///
/// # Errors
/// Standard output can't be written.
pub(super) fn finish() -> io::Result<()> {
    io::stdout().flush()?;
    if ANSWERS.load(Ordering::Relaxed) { takes_writes() } else { Ok(()) }
}

/// Whether standard output can be written at all: the standard library takes what can't for a place where everything
/// goes.
#[cfg(unix)]
fn takes_writes() -> io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl};
    let mode = fcntl_getfl(io::stdout())? & OFlags::ACCMODE;
    if mode == OFlags::RDONLY {
        return Err(io::Error::other("standard output is open for reading only"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn takes_writes() -> io::Result<()> {
    Ok(())
}

impl Out {
    fn new(form: Form, sink: Box<dyn Write>) -> Self {
        Self { sink, form, rest: Vec::new() }
    }

    /// Writes text of several lines, the last one ended; in it, data must be on one line already.
    pub(super) fn lines(&mut self, text: &str) -> io::Result<()> {
        self.write_all(text.as_bytes())?;
        if text.is_empty() || text.ends_with('\n') { Ok(()) } else { self.write_all(b"\n") }
    }

    /// Writes a part of a line in a style.
    pub(super) fn paint(&mut self, style: Style, part: impl fmt::Display) -> io::Result<()> {
        write!(self.sink, "{style}{}{style:#}", visible(&part.to_string()))
    }

    /// Writes what a renderer put styles into, which took data that was made visible before: of escape sequences
    /// nothing but styles comes through.
    pub(super) fn rendered(&mut self, text: &str) -> io::Result<()> {
        let mut rest = text;
        while let Some(at) = rest.find('\u{1b}') {
            let (before, sequence) = rest.split_at(at);
            self.write_all(before.as_bytes())?;
            let length = style_length(sequence);
            let (style, after) = sequence.split_at(length.unwrap_or(1));
            match length {
                Some(_) => self.sink.write_all(style.as_bytes())?,
                None => self.write_all(style.as_bytes())?,
            }
            rest = after;
        }
        self.write_all(rest.as_bytes())
    }

    fn escaped<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.form {
            Form::Bytes => Cow::Borrowed(text),
            Form::Text => each_line(text),
            Form::Json => json_escaped(text),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.form == Form::Bytes {
            return self.sink.write(bytes);
        }
        let mut taken = std::mem::take(&mut self.rest);
        taken.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&taken) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => taken.len(),
        };
        self.rest = taken.split_off(whole);
        let text = String::from_utf8_lossy(&taken);
        self.sink.write_all(self.escaped(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> io::Result<()> {
        let text = text.to_string();
        if self.form != Form::Text {
            return self.write_all(text.as_bytes());
        }
        let (line, end) = text.strip_suffix('\n').map_or((text.as_str(), ""), |line| (line, "\n"));
        self.sink.write_all(visible(line).as_bytes())?;
        self.sink.write_all(end.as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// The length of the escape sequence that a text begins with, if it sets a style: `ESC [ 1 ; 31 m`.
fn style_length(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    parameters.get(end..)?.starts_with('m').then_some("\u{1b}[".len() + end + "m".len())
}

/// The text with everything made visible but its line breaks.
pub(super) fn each_line(text: &str) -> Cow<'_, str> {
    visible_but(text, &['\n'])
}

/// JSON with every hidden character escaped; it can only be inside a string.
pub(super) fn json_escaped(text: &str) -> Cow<'_, str> {
    let escapes = |c: char| is_hidden(c) && !matches!(c, '\n' | '\r' | '\t');
    if !text.chars().any(escapes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if escapes(c) {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}
