//! Which part of partitioned facts a ledger holds: the file `SHARD` of its folder, a line such as `2/4`.

use std::fmt;
use std::io;
use std::path::Path;
use std::str::FromStr;

use hence_core::file::{self, LARGEST_TEXT};
use hence_core::value::Value;

use super::Ledger;
use super::disk::{Disk, OsDisk};
use super::error::LedgerError;

/// The file.
pub(super) const SHARD: &str = "SHARD";
/// The most shards there may be.
const MOST: u32 = 4096;

/// One of so many shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: u32,
    count: u32,
}

impl Shard {
    /// Shard `number`, from 1, of `count`, at most 4096; `None` where there is no such shard.
    pub fn new(number: u32, count: u32) -> Option<Self> {
        (count <= MOST && (1..=count).contains(&number)).then_some(Self { number, count })
    }

    /// Its number, from 1.
    pub fn number(self) -> u32 {
        self.number
    }

    /// How many there are.
    pub fn count(self) -> u32 {
        self.count
    }

    /// The shard of as many in which facts with this value at their partition lie: the first eight bytes of the BLAKE3
    /// hash of its text, big-endian, modulo their count, plus one.
    #[must_use]
    pub fn of(self, value: Value) -> Self {
        let hash = blake3::hash(value.text().as_bytes());
        let first = hash.as_bytes().iter().take(8).fold(0, |sum: u64, byte| sum << 8 | u64::from(*byte));
        let number = first.checked_rem(u64::from(self.count)).and_then(|at| u32::try_from(at).ok());
        Self { number: number.map_or(self.number, |at| at + 1), count: self.count }
    }

    /// Makes `dir` the folder of this shard's ledger, before it has one.
    ///
    /// # Errors
    /// There is something in the folder, or it can't be written.
    pub fn begin(self, dir: &Path) -> Result<(), LedgerError> {
        match std::fs::read_dir(dir).map(|mut entries| entries.next().is_some()) {
            Ok(true) => return Err(LedgerError::Occupied(dir.to_owned())),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(LedgerError::io("list", dir)(error));
            }
            _ => {}
        }
        std::fs::create_dir_all(dir).map_err(LedgerError::io("create", dir))?;
        let path = dir.join(SHARD);
        file::write(&path, format!("{self}\n").as_bytes()).map_err(LedgerError::io("write", &path))?;
        OsDisk.sync_dir(dir).map_err(LedgerError::io("make durable", dir))
    }

    /// The shard whose ledger has this folder; `None` for a ledger that holds all facts.
    ///
    /// # Errors
    /// The file can't be read, or names no shard.
    pub fn read(dir: &Path) -> Result<Option<Self>, LedgerError> {
        let path = dir.join(SHARD);
        let text = match file::read_text(&path, LARGEST_TEXT) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(LedgerError::io("read", &path))?,
        };
        match text.trim_end().parse() {
            Ok(shard) => Ok(Some(shard)),
            Err(NoShard) => {
                let what = format!("{}: expected a line such as `2/4`", path.display());
                Err(LedgerError::Misfit { what })
            }
        }
    }
}

/// A text that names no shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoShard;

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Self, NoShard> {
        let (number, count) = text.split_once('/').ok_or(NoShard)?;
        let whole = |text: &str| text.parse().map_err(|_| NoShard);
        Self::new(whole(number)?, whole(count)?).ok_or(NoShard)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl Ledger {
    /// The shard whose facts it holds; `None` where it holds all.
    pub fn shard(&self) -> Option<Shard> {
        self.shard
    }
}
