//! Reading an export line by line, a line never held as text: one may be as long as the largest transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Read};

use serde::Deserialize as _;

use super::Line;
use crate::content::Change;
use crate::error;
use crate::list::{ChangeList, ReadChanges};
use hence_core::symbol::Symbol;

/// The longest line that is read.
const LINE_LIMIT: u64 = 1 << 30;

/// The bytes of one line, without its end.
struct OneLine<'r> {
    input: &'r mut dyn BufRead,
    left: u64,
    /// Whether the end of the line was seen.
    ended: bool,
    failed: Option<String>,
}

impl Read for OneLine<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended || self.left == 0 || buffer.is_empty() {
            return Ok(0);
        }
        let most = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let held = match self.input.fill_buf() {
            Ok(held) => held,
            Err(error) => {
                self.failed = Some(error.to_string());
                return Err(error);
            }
        };
        let held = held.get(..most).unwrap_or(held);
        let end = held.iter().position(|byte| *byte == b'\n');
        let len = end.unwrap_or(held.len());
        for (to, from) in buffer.iter_mut().zip(held.iter().take(len)) {
            *to = *from;
        }
        self.ended = end.is_some();
        self.input.consume(len + usize::from(self.ended));
        self.left -= len as u64;
        // What is empty in the middle of a line ends it for the reader.
        Ok(len)
    }
}

/// The next line of an export.
pub(super) fn one_line(input: &mut dyn BufRead) -> Result<Line<ReadChanges>, String> {
    let mut bytes = OneLine { input, left: LINE_LIMIT, ended: false, failed: None };
    let mut json = serde_json::Deserializer::from_reader(io::BufReader::new(&mut bytes));
    let read = Line::deserialize(&mut json).and_then(|line| json.end().map(|()| line));
    drop(json);
    match read {
        Ok(line) => Ok(line),
        Err(error) => {
            let drained = io::copy(&mut bytes, &mut io::sink());
            if let (Some(failed), _) | (None, Some(failed)) =
                (bytes.failed.take(), drained.err().map(|error| error.to_string()))
            {
                return Err(format!("the file can't be read: {failed}"));
            }
            let cut = if bytes.ended { "" } else { "the file ends in the middle of a line: " };
            Err(format!("{cut}{}", error::malformed(&error)))
        }
    }
}

/// The relation of a change that is there twice. Where those of each kind ascend, as those of every export do, none is.
pub(super) fn repeated(changes: &ChangeList<'_>) -> Option<Symbol> {
    let key = |change: &Change<'_>| (change.code(), change.relation);
    let mut last: BTreeMap<u64, (Symbol, &[u8])> = BTreeMap::new();
    let ascends = changes.iter().all(|change| {
        let now = (change.relation, change.tuple);
        last.insert(change.code(), now).is_none_or(|before| before < now)
    });
    if ascends {
        return None;
    }
    let mut seen = BTreeSet::new();
    changes.iter().find(|change| !seen.insert((key(change), change.tuple))).map(|change| change.relation)
}
