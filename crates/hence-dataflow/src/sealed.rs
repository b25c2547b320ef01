//! A connection of which everything is sealed: nobody without its keys can read it, or change what is sent unnoticed.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chacha20poly1305::aead::AeadInPlace;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit, Nonce, Tag};
use timely::communication::allocator::zero_copy::stream::Stream;

use crate::secret::{Hellos, KEY, Part, Secret};

/// The most bytes of a frame, before its tag.
const MOST: usize = 1 << 16;
/// The bytes of a tag.
const TAG: usize = 16;

/// A sealed connection. Frames are numbered in each direction, so none can be left out, repeated or moved; copies go on
/// together.
pub(crate) struct Sealed {
    stream: TcpStream,
    sent: Arc<Mutex<Direction>>,
    heard: Arc<Mutex<Heard>>,
}

/// The frames of one direction.
struct Direction {
    cipher: ChaCha20Poly1305,
    frames: u64,
}

/// What is heard, and not yet read of the last frame.
struct Heard {
    frames: Direction,
    open: Vec<u8>,
    read: usize,
}

impl Sealed {
    /// The connection after both sides, of which this one is in a part, have proven themselves.
    pub(crate) fn new(stream: TcpStream, secret: &Secret, own: Part, hellos: &Hellos) -> Self {
        let other = match own {
            Part::Joins => Part::Waits,
            Part::Waits => Part::Joins,
        };
        let direction = |part| Direction::new(secret.key(part, hellos));
        let heard = Heard { frames: direction(other), open: Vec::new(), read: 0 };
        Self { stream, sent: Arc::new(Mutex::new(direction(own))), heard: Arc::new(Mutex::new(heard)) }
    }
}

impl Direction {
    fn new(key: [u8; KEY]) -> Self {
        Self { cipher: ChaCha20Poly1305::new(&key.into()), frames: 0 }
    }

    /// The nonce of the next frame.
    fn nonce(&mut self) -> io::Result<Nonce> {
        let mut nonce = [0; 12];
        let places = nonce.iter_mut().skip(4);
        places.zip(self.frames.to_be_bytes()).for_each(|(place, byte)| *place = byte);
        self.frames = self.frames.checked_add(1).ok_or_else(|| io::Error::other("too many frames"))?;
        Ok(nonce.into())
    }

    fn seal(&mut self, bytes: &mut [u8]) -> io::Result<Tag> {
        let nonce = self.nonce()?;
        let sealed = self.cipher.encrypt_in_place_detached(&nonce, &[], bytes);
        sealed.map_err(|_| io::Error::other("a frame can't be sealed"))
    }

    fn open(&mut self, bytes: &mut [u8], tag: &[u8; TAG]) -> io::Result<()> {
        let nonce = self.nonce()?;
        let opened = self.cipher.decrypt_in_place_detached(&nonce, &[], bytes, tag.into());
        opened.map_err(|_| invalid("a frame was changed on its way"))
    }
}

impl Heard {
    /// Takes in the next frame; `false` at the end.
    fn next(&mut self, stream: &mut &TcpStream) -> io::Result<bool> {
        let (mut length, mut tag) = ([0; 4], [0; TAG]);
        match stream.read(&mut length)? {
            0 => return Ok(false),
            read => stream.read_exact(length.get_mut(read..).unwrap_or_default())?,
        }
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        if !(1..=MOST).contains(&length) {
            return Err(invalid("a frame has a wrong length"));
        }
        self.open.resize(length, 0);
        stream.read_exact(&mut tag)?;
        stream.read_exact(&mut self.open)?;
        self.read = 0;
        self.frames.open(&mut self.open, &tag)?;
        Ok(true)
    }
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

fn lock<T>(half: &Mutex<T>) -> MutexGuard<'_, T> {
    half.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Read for Sealed {
    fn read(&mut self, place: &mut [u8]) -> io::Result<usize> {
        let mut heard = lock(&self.heard);
        if heard.read == heard.open.len() && (place.is_empty() || !heard.next(&mut &self.stream)?) {
            return Ok(0);
        }
        let rest = heard.open.get(heard.read..).unwrap_or_default();
        let count = rest.len().min(place.len());
        place.iter_mut().zip(rest).for_each(|(place, byte)| *place = *byte);
        heard.read += count;
        Ok(count)
    }
}

impl Write for Sealed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let part = bytes.get(..MOST).unwrap_or(bytes);
        if part.is_empty() {
            return Ok(0);
        }
        let mut sent = lock(&self.sent);
        let mut sealed = part.to_vec();
        let tag = sent.seal(&mut sealed)?;
        let length = u32::try_from(sealed.len()).unwrap_or(u32::MAX).to_be_bytes();
        let frame = [&length[..], tag.as_slice(), &sealed].concat();
        (&self.stream).write_all(&frame)?;
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.stream).flush()
    }
}

impl Stream for Sealed {
    fn try_clone(&self) -> io::Result<Self> {
        let (sent, heard) = (Arc::clone(&self.sent), Arc::clone(&self.heard));
        Ok(Self { stream: self.stream.try_clone()?, sent, heard })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.stream.shutdown(how)
    }
}
