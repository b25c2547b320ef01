//! Inputs that go on: what was seen so far is handed over before each wait for more.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::thread;
use std::time::Duration;

/// How long to wait before a file is looked at again.
const PAUSE: Duration = Duration::from_millis(200);

/// Standard input to its end, or a file as it grows.
pub(super) enum Stream {
    /// Standard input.
    Standard(io::Stdin),
    /// A file, and how much of it was read.
    Growing(File, u64),
}

impl Stream {
    /// The file `path`, or standard input where it is `-`.
    pub(super) fn open(path: &str) -> io::Result<Self> {
        match path {
            "-" => Ok(Self::Standard(io::stdin())),
            path => Ok(Self::Growing(File::open(path)?, 0)),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Standard(input) => input.read(buffer),
            Self::Growing(file, at) => loop {
                let count = file.read(buffer)?;
                if count > 0 {
                    *at = at.saturating_add(count as u64);
                    return Ok(count);
                }
                // A log that was cut begins anew.
                if file.metadata()?.len() < *at {
                    *at = file.seek(SeekFrom::Start(0))?;
                    continue;
                }
                thread::sleep(PAUSE);
            },
        }
    }
}

/// A stream before each read of which something is done.
pub(super) struct Before<'a, R> {
    /// The stream.
    pub(super) stream: R,
    /// What is done.
    pub(super) act: &'a mut dyn FnMut() -> io::Result<()>,
}

impl<R: Read> Read for Before<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (self.act)()?;
        self.stream.read(buffer)
    }
}
