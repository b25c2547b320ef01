//! Inputs that go on: what was seen so far is handed over before each wait for more.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hence_core::file;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use hence_core::{fault, threads};

/// How long to wait before a file is looked at again.
const PAUSE: Duration = Duration::from_millis(100);
/// After so long without anything new, what is there is taken to be whole.
const QUIET: Duration = Duration::from_millis(500);
/// How many bytes are read from standard input at once.
const CHUNK: usize = 64 * 1024;

/// Standard input to its end, or a file as it grows until somebody interrupts; once it has been quiet for a while, a
/// read answers [`io::ErrorKind::WouldBlock`].
pub(super) enum Stream {
    /// Standard input.
    Standard(Piped),
    /// A file.
    Growing(Growing),
}

impl Stream {
    /// The file `path`, or standard input where it is `-`.
    pub(super) fn open(path: &str) -> io::Result<Self> {
        match path {
            "-" => Piped::new().map(Self::Standard),
            path => Growing::open(Path::new(path)).map(Self::Growing),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Standard(piped) => piped.read(buffer),
            Self::Growing(growing) => growing.read(buffer),
        }
    }
}

/// Standard input, read by a thread of its own, since a read waits for as long as it likes.
pub(super) struct Piped {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: io::Cursor<Vec<u8>>,
    quiet: bool,
    /// The thread, until its end was seen.
    reader: Option<JoinHandle<()>>,
}

impl Piped {
    fn new() -> io::Result<Self> {
        let (send, chunks) = sync_channel(4);
        let reader = threads::begin("input", move || {
            let mut input = io::stdin().lock();
            let mut buffer = vec![0; CHUNK];
            loop {
                let read = input.read(&mut buffer);
                let over = !matches!(read, Ok(1..));
                let chunk = read.map(|count| buffer.iter().take(count).copied().collect());
                if send.send(chunk).is_err() || over {
                    return;
                }
            }
        })?;
        Ok(Self { chunks, chunk: io::Cursor::default(), quiet: false, reader: Some(reader) })
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.chunk.read(buffer)?;
        if count > 0 {
            return Ok(count);
        }
        let next = if self.quiet {
            self.chunks.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            self.chunks.recv_timeout(QUIET)
        };
        self.quiet = matches!(next, Err(RecvTimeoutError::Timeout));
        match next {
            Ok(chunk) => {
                self.chunk = io::Cursor::new(chunk?);
                self.chunk.read(buffer)
            }
            Err(RecvTimeoutError::Timeout) => Err(io::ErrorKind::WouldBlock.into()),
            Err(RecvTimeoutError::Disconnected) => {
                // One that failed has not come to the end of the input.
                if let Some(reader) = self.reader.take() {
                    fault::joined(reader.join());
                }
                Ok(0)
            }
        }
    }
}

/// A file that others write, cut or replace by a new one of its name.
pub(super) struct Growing {
    path: PathBuf,
    file: File,
    /// How much of it was read.
    at: u64,
    /// Whether what was read ends with a line.
    line_ended: bool,
    /// How long nothing has come; none once that was said.
    quiet: Option<Duration>,
    /// Whether somebody interrupts.
    stop: Arc<AtomicBool>,
}

impl Growing {
    fn open(path: &Path) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // Whoever interrupts twice does not want to wait for a clean end.
            flag::register_conditional_default(signal, Arc::clone(&stop))?;
            flag::register(signal, Arc::clone(&stop))?;
        }
        let (path, file) = (path.to_owned(), file::open(path)?);
        Ok(Self { path, file, at: 0, line_ended: true, quiet: None, stop })
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.stop.load(Ordering::Relaxed) {
            let count = self.file.read(buffer)?;
            if let Some(last) = buffer.get(..count).and_then(<[u8]>::last) {
                self.at = self.at.saturating_add(count as u64);
                self.line_ended = *last == b'\n';
                self.quiet = Some(Duration::ZERO);
                return Ok(count);
            }
            if self.renewed()? {
                // What the old file ended with and what the new one begins with are two lines.
                if let (false, Some(first)) =
                    (std::mem::replace(&mut self.line_ended, true), buffer.first_mut())
                {
                    *first = b'\n';
                    return Ok(1);
                }
                continue;
            }
            if let Some(quiet) = self.quiet.take() {
                if quiet >= QUIET {
                    return Err(io::ErrorKind::WouldBlock.into());
                }
                self.quiet = Some(quiet + PAUSE);
            }
            thread::sleep(PAUSE);
        }
        Ok(0)
    }

    /// Goes to the beginning of a file that was cut, or of the one that has taken its place.
    fn renewed(&mut self) -> io::Result<bool> {
        let held = self.file.metadata()?;
        if held.len() < self.at {
            self.at = self.file.seek(SeekFrom::Start(0))?;
            return Ok(true);
        }
        // Between the old file's removal and the new one's creation there is none.
        let Some(named) = there(std::fs::metadata(&self.path))? else { return Ok(false) };
        if same(&held, &named) {
            return Ok(false);
        }
        // The old file may have grown until it was replaced; the new one may be gone again.
        if held.len() > self.at {
            return Ok(false);
        }
        let Some(file) = there(file::open(&self.path))? else { return Ok(false) };
        (self.file, self.at) = (file, 0);
        Ok(true)
    }
}

/// What was found, where there is anything at all.
fn there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether both are of one file.
#[cfg(unix)]
fn same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Whether both are of one file, as far as the system tells.
#[cfg(not(unix))]
fn same(one: &Metadata, other: &Metadata) -> bool {
    one.created().ok() == other.created().ok()
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
