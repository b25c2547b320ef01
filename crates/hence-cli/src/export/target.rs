//! Where a result goes: standard output, a file that has it whole or not at all, or what takes it as it comes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use hence_core::file;
use hence_core::whole_file::WholeFile;

use super::{elsewhere, unwritable};
use crate::records::Records;
use crate::terminal::{self, Out};
use crate::{Failure, output};

/// Where a result goes.
pub(super) enum Target {
    /// Standard output.
    Out,
    /// A file, which gets its name when the result is whole.
    File(PathBuf, WholeFile),
    /// A pipe or a device.
    Stream(PathBuf, File),
}

impl Target {
    /// The file `output`, which is nowhere in a ledger: what an export reads it must not write over.
    ///
    /// # Errors
    /// It is in a ledger, or can't be written.
    pub(super) fn of(output: Option<&Path>) -> Result<Self, Failure> {
        let Some(named) = output else { return Ok(Self::Out) };
        let failed = |error| unwritable(named, &error);
        elsewhere(named, &file::folder(named).canonicalize().map_err(failed)?)?;
        // What links lead to is replaced, not the link; that of a pipe leads to nothing that has a path.
        let found = named.canonicalize();
        if let Ok(found) = &found {
            elsewhere(named, found)?;
        }
        let path = found.unwrap_or_else(|_| named.to_owned());
        if is_stream(named) {
            return Ok(Self::Stream(named.to_owned(), file::stream(named).map_err(failed)?));
        }
        Ok(Self::File(named.to_owned(), WholeFile::create(&path).map_err(failed)?))
    }

    /// What the result is written to; `None` for standard output.
    pub(super) fn file(&self) -> Result<Option<File>, Failure> {
        let (named, file) = match self {
            Self::Out => return Ok(None),
            Self::File(named, file) => (named, file.file()),
            Self::Stream(named, file) => (named, file.try_clone()),
        };
        file.map(Some).map_err(|error| unwritable(named, &error))
    }

    pub(super) fn records(&self) -> Result<Records, Failure> {
        Ok(self.file()?.map_or_else(Records::out, |file| Records::into(Box::new(file))))
    }

    pub(super) fn bytes(&self) -> Result<Box<dyn Write>, Failure> {
        Ok(match self.file()? {
            Some(file) => Box::new(BufWriter::new(file)),
            None => Box::new(BufWriter::new(terminal::bytes())),
        })
    }

    /// The same bytes in a file and on standard output: what is hidden in strings of JSON is escaped there.
    pub(super) fn json(&self) -> Result<Out, Failure> {
        Ok(match self.file()? {
            Some(file) => terminal::json_into(Box::new(BufWriter::new(file))),
            None => terminal::json(),
        })
    }

    /// Says that so much is `written`, once it is there under its name.
    pub(super) fn end(self, written: &str) -> Result<(), Failure> {
        let named = match self {
            Self::Out => return Ok(()),
            Self::File(named, file) => {
                file.finish().map_err(|error| unwritable(&named, &error))?;
                named
            }
            Self::Stream(named, _) => named,
        };
        output::aside(&format!("{written} written to {}", named.display()));
        Ok(())
    }
}

/// Whether there is something that can't be replaced by a file. What `/dev/stdout` leads to is somebody else's, even if
/// it is a file.
pub(super) fn is_stream(path: &Path) -> bool {
    path.starts_with("/dev") || path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}
