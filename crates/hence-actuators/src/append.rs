//! `file`: a decision becomes a line of a file, or a file of its own, exactly once.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use hence_core::file::{self, said};

use super::carry::{Carrier, Failed, Fate, Order, Report};

/// The name of the carrier.
pub const NAME: &str = "file";

/// No line that is looked through for a key is longer, in bytes.
const LONGEST_LINE: u64 = 64 << 20;

/// Where decisions are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppendTarget {
    /// A line at the end of this file.
    Lines(PathBuf),
    /// A file `ID.json` in this folder.
    Folder(PathBuf),
}

/// Writes each decision down; one that is there already, by its id, is not written again.
pub struct Append {
    /// Where.
    pub place: AppendTarget,
}

impl Carrier for Append {
    fn name(&self) -> &'static str {
        NAME
    }

    fn carry_out(&self, order: &Order<'_>) -> Result<Report, Failed> {
        let (written, path) = match &self.place {
            AppendTarget::Lines(path) => (append(path, order), path),
            AppendTarget::Folder(folder) => (put(folder, order), folder),
        };
        // Whatever was written before an error is found by its key when it is tried again.
        let failed = |error: io::Error| {
            // What is no regular file never becomes one, and could not be looked through for what is there.
            let is_final = matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::IsADirectory);
            let fate = if is_final { Fate::Refused } else { Fate::Undone };
            Failed::new(fate, format!("can't write to `{}`: {}", path.display(), said(&error)))
        };
        written.map(|()| Report::default()).map_err(failed)
    }
}

/// Writes a file of its own under another name, then gives it its own.
fn put(folder: &Path, order: &Order<'_>) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let (path, new) = (folder.join(format!("{}.json", order.id)), folder.join(format!(".{}.new", order.id)));
    if path.try_exists()? {
        return Ok(());
    }
    let mut file = File::create(&new)?;
    file.write_all(order.message().as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, &path)?;
    File::open(folder)?.sync_all()
}

/// Appends a line, unless an earlier attempt did.
fn append(path: &Path, order: &Order<'_>) -> io::Result<()> {
    let mut file = file::append(path)?;
    let message = order.message();
    if order.attempt > 1 && holds(&file, order.id)? {
        return Ok(());
    }
    if !ends_with_line(&mut file)? {
        // What an attempt left half-way is a line of its own, which no reader takes for a decision.
        file.write_all(b"\n")?;
    }
    file.write_all(message.as_bytes())?;
    file.sync_all()
}

/// Whether a line of the file is the decision with this id.
fn holds(file: &File, id: &str) -> io::Result<bool> {
    let mut lines = BufReader::new(file);
    lines.seek(SeekFrom::Start(0))?;
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(false);
        }
        let found = serde_json::from_slice::<Json>(&line).ok();
        if line.ends_with(b"\n")
            && found.is_some_and(|found| found.get("id").and_then(Json::as_str) == Some(id))
        {
            return Ok(true);
        }
    }
}

fn ends_with_line(file: &mut File) -> io::Result<bool> {
    let end = file.seek(SeekFrom::End(0))?;
    if end == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::Start(end - 1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
