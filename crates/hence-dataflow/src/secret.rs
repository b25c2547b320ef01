//! Who may take part: the secret that all processes of a cluster know, and how two of them prove to each other that they do
//! before anything else is said.
//!
//! ```text
//!  joins ──► hello: number, hosts, nonce                                  waits
//!        ◄── hello, keyed hash of both hellos ("answer")
//!        ──► keyed hash of both hellos ("join")
//! ```
//!
//! What follows is sealed with keys that both make of the secret and the two hellos.

use std::fmt;

/// The secret of a cluster.
#[derive(Clone)]
pub struct Secret([u8; KEY]);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// The secret of the text that all processes have.
    pub fn new(text: &str) -> Self {
        Self(blake3::derive_key("hence cluster, the secret of all processes, version 1", text.as_bytes()))
    }

    /// What proves that this side, in this part, knows the secret.
    pub(crate) fn proof(&self, part: Part, hellos: &Hellos) -> blake3::Hash {
        self.keyed(part.proof(), hellos)
    }

    /// The key of what the side in this part sends.
    pub(crate) fn key(&self, part: Part, hellos: &Hellos) -> [u8; KEY] {
        *self.keyed(part.key(), hellos).as_bytes()
    }

    fn keyed(&self, label: &str, hellos: &Hellos) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(&[label.len() as u8]).update(label.as_bytes());
        hasher.update(&hellos.joins).update(&hellos.waits).finalize()
    }
}

/// The bytes of a key, a nonce, a hash.
pub(crate) const KEY: usize = 32;

/// The two sides of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// It connects.
    Joins,
    /// It waits for others.
    Waits,
}

impl Part {
    fn proof(self) -> &'static str {
        match self {
            Self::Joins => "join",
            Self::Waits => "answer",
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Joins => "key of what joins",
            Self::Waits => "key of what waits",
        }
    }
}

/// What both sides said first.
pub(crate) struct Hellos {
    pub(crate) joins: [u8; HELLO],
    pub(crate) waits: [u8; HELLO],
}

/// The first bytes of a hello: this protocol.
const PROTOCOL: [u8; 8] = *b"hence\0\0\x02";
/// The protocol, the number of the process, the hash of the hosts, a nonce.
pub(crate) const HELLO: usize = 8 + 8 + KEY + KEY;

/// What a process says first.
pub(crate) struct Hello {
    pub(crate) process: u64,
    /// The hash of the file of hosts.
    pub(crate) hosts: [u8; KEY],
    nonce: [u8; KEY],
}

impl Hello {
    /// With a fresh nonce.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub(crate) fn new(process: u64, hosts: [u8; KEY]) -> Result<Self, getrandom::Error> {
        let mut nonce = [0; KEY];
        getrandom::fill(&mut nonce)?;
        Ok(Self { process, hosts, nonce })
    }

    pub(crate) fn bytes(&self) -> [u8; HELLO] {
        let mut bytes = [0; HELLO];
        let number = self.process.to_be_bytes();
        let parts = PROTOCOL.iter().chain(&number);
        let all = parts.chain(&self.hosts).chain(&self.nonce);
        bytes.iter_mut().zip(all).for_each(|(place, byte)| *place = *byte);
        bytes
    }

    /// `None` where it is none.
    pub(crate) fn read(bytes: &[u8; HELLO]) -> Option<Self> {
        let (number, rest) = bytes.strip_prefix(&PROTOCOL)?.split_first_chunk::<8>()?;
        let (hosts, nonce) = rest.split_first_chunk::<KEY>()?;
        Some(Self { process: u64::from_be_bytes(*number), hosts: *hosts, nonce: *nonce.first_chunk()? })
    }
}
