//! Comma-separated values: for programs with all their bytes, on a terminal with a line a record and nothing hidden.

use std::borrow::Cow;
use std::io::{self, Write};

use hence_core::literal::visible;

use super::terminal;

/// Where records are written.
pub(super) struct Records {
    writer: csv::Writer<Box<dyn Write>>,
    /// Whether people read them.
    shown: bool,
}

impl Records {
    /// Records on standard output.
    pub(super) fn out() -> Self {
        Self { shown: terminal::is_terminal(), ..Self::into(Box::new(terminal::bytes())) }
    }

    /// Records that go elsewhere.
    pub(super) fn into(sink: Box<dyn Write>) -> Self {
        Self { writer: csv::WriterBuilder::new().flexible(true).from_writer(sink), shown: false }
    }

    /// Writes a record.
    ///
    /// # Errors
    /// It can't be written.
    pub(super) fn write(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) -> io::Result<()> {
        for cell in cells {
            let cell = cell.as_ref();
            let cell = if self.shown { visible(cell) } else { Cow::Borrowed(cell) };
            self.writer.write_field(cell.as_bytes())?;
        }
        Ok(self.writer.write_record(None::<&[u8]>)?)
    }

    /// Hands over what is still held back.
    ///
    /// # Errors
    /// It can't be written.
    pub(super) fn end(mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
