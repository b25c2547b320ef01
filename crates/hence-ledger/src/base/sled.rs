//! The fact base in sled 0.34.7, kept within the limits in which it was measured to behave.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use hence_core::threads;

use super::scratch::{self, unless_gone};
use super::watched::Health;
use super::{Base, BaseError, Batch, Pair};

/// Bytes of pages that sled keeps in memory.
const CACHE: u64 = 64 << 20;
/// The same for whoever reads none of them.
const LITTLE: u64 = 1 << 20;
/// How often sled writes by itself; without it sled 0.34.7 would write nothing that it is not asked to.
const FLUSH_MS: u64 = 500;
/// How many bytes a base grows before whoever closes it has sled look through what is new.
const LONG: u64 = 8 << 20;
/// How many threads sled begins, and we for it: seven for its files, more where these are busy, one that writes by itself, and
/// those that wait for it.
const THREADS: usize = 12;
/// How often the files of a base are listed to be made durable, where some go away meanwhile.
const MOST_PASSES: usize = 8;
/// How long to wait for the threads of a closed base of this process to let go of its files.
const PATIENCE: Duration = Duration::from_secs(5);

/// A base in a folder of its own.
pub(crate) struct SledBase {
    /// Taken out at closing.
    db: Option<sled::Db>,
    dir: PathBuf,
    health: Health,
    /// How many bytes it took when it was opened.
    opened_size: u64,
    /// Whether the files are a copy, whose end concerns nobody.
    copied: bool,
}

impl SledBase {
    /// Opens the base in `dir`, or makes one there.
    ///
    /// # Errors
    /// If the files are damaged or can't be read.
    pub(crate) fn open(dir: &Path) -> Result<Self, BaseError> {
        check_threads()?;
        fs::create_dir_all(dir).map_err(failed(dir))?;
        remove_generating(dir).map_err(failed(dir))?;
        let opened_size = scratch::size(dir).map_err(failed(dir))?;
        let (health, db) = open_patiently(&config(dir).flush_every_ms(Some(FLUSH_MS)))?;
        Ok(Self { db: Some(db), dir: dir.to_owned(), health, opened_size, copied: false })
    }

    /// Opens a copy of the base in `dir`, where nothing is written or locked. `is_still` says, once the copy is made,
    /// whether the files stayed as they were meanwhile; `None` where they didn't, or there is no room for a copy.
    ///
    /// # Errors
    /// If the files are damaged or can't be read.
    pub(crate) fn copy_of(dir: &Path, is_still: impl FnOnce() -> bool) -> Result<Option<Self>, BaseError> {
        check_threads()?;
        let copied = scratch::copy_of(dir, CACHE);
        let is_full = |error: &io::Error| {
            matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
        };
        if !is_still() || copied.as_ref().is_err_and(is_full) {
            return Ok(None);
        }
        let Some(scratch) = copied.map_err(failed(dir))? else { return Ok(None) };
        remove_generating(scratch.path()).map_err(failed(scratch.path()))?;
        let config = config(scratch.path()).flush_every_ms(None);
        let health = Health::new(config.clone());
        // The open files outlive their names.
        let db = health.wait(move || config.open())?;
        Ok(Some(Self { db: Some(db), dir: dir.to_owned(), health, opened_size: 0, copied: true }))
    }

    fn db(&self) -> Result<&sled::Db, BaseError> {
        self.db.as_ref().ok_or_else(|| BaseError::damaged("the store is closed"))
    }

    fn sync_files(&self) -> io::Result<()> {
        // What was renamed before it was synced has to be found by its other name.
        for _ in 0..MOST_PASSES {
            if self.sync_each()? {
                break;
            }
        }
        if cfg!(unix) { fs::File::open(&self.dir)?.sync_all() } else { Ok(()) }
    }

    /// Whether every file that was listed was still there.
    fn sync_each(&self) -> io::Result<bool> {
        let mut all = true;
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            if unless_gone(fs::metadata(&path))?.is_some_and(|found| !found.is_file()) {
                continue;
            }
            match unless_gone(fs::File::open(&path))? {
                Some(file) => file.sync_all()?,
                None => all = false,
            }
        }
        Ok(all)
    }

    /// sled notes where its pages are when it is opened, and reads all that was written since the last time for that. After
    /// much is written it does so here, once, and not for everybody who asks something. The base is whole without.
    fn look_through(&self) {
        let grown = self.size().map_or(0, |size| size.saturating_sub(self.opened_size));
        if grown >= LONG
            && let Ok((health, db)) =
                open_patiently(&config(&self.dir).flush_every_ms(None).cache_capacity(LITTLE))
        {
            let _ = health.wait(move || {
                drop(db);
                Ok(())
            });
        }
    }

    /// sled makes nothing durable by itself, so its files are synced once it has let go of them.
    fn end(&mut self) -> Result<(), BaseError> {
        let Some(db) = self.db.take() else { return Ok(()) };
        if self.copied || self.health.is_lost() {
            return self.health.let_go(db);
        }
        let whole = self.health.whole();
        let flushes = whole.is_ok();
        let ended = self.health.wait(move || {
            let flushed = if flushes { db.flush().map(drop) } else { Ok(()) };
            drop(db);
            flushed
        });
        whole.and(ended)?;
        self.look_through();
        self.sync_files().map_err(failed(&self.dir))
    }
}

/// Checks that sled gets its threads: for the work of those that it does not get, it waits for good.
fn check_threads() -> Result<(), BaseError> {
    threads::check(THREADS).map_err(|error| BaseError::Medium(error.to_string()))
}

/// Opens the base; one that this process has closed may still be held for a moment.
fn open_patiently(config: &sled::Config) -> Result<(Health, sled::Db), BaseError> {
    let end = Instant::now() + PATIENCE;
    loop {
        let health = Health::new(config.clone());
        let config = config.clone();
        match health.wait(move || config.open()) {
            Ok(db) => return Ok((health, db)),
            Err(error) if error.to_string().contains("lock") && Instant::now() < end => {
                thread::sleep(Duration::from_millis(10));
            }
            Err(error) => return Err(error),
        }
    }
}

fn config(dir: &Path) -> sled::Config {
    sled::Config::new().path(dir).cache_capacity(CACHE).use_compression(false)
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> BaseError {
    move |error| BaseError::of(&error, format!("{}: {error}", path.display()))
}

/// A process killed at the wrong moment leaves a half-written snapshot with which sled never opens again.
fn remove_generating(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "generating") {
            unless_gone(fs::remove_file(path))?;
        }
    }
    Ok(())
}

fn owned((key, value): (sled::IVec, sled::IVec)) -> Pair {
    (key.to_vec(), value.to_vec())
}

/// A batch keeps all reads waiting; a single change is whole without.
fn apply(db: &sled::Db, mut batch: Batch) -> sled::Result<()> {
    if batch.len() == 1
        && let Some((key, value)) = batch.pop()
    {
        return match value {
            Some(value) => db.insert(key, value).map(drop),
            None => db.remove(key).map(drop),
        };
    }
    let mut all = sled::Batch::default();
    for (key, value) in batch {
        match value {
            Some(value) => all.insert(key, value),
            None => all.remove(key),
        }
    }
    db.apply_batch(all)
}

impl Base for SledBase {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, BaseError> {
        let db = self.db()?;
        self.health.read(|| db.get(key)).map(|value| value.map(|value| value.to_vec()))
    }

    fn floor(&self, key: &[u8]) -> Result<Option<Pair>, BaseError> {
        let db = self.db()?;
        self.health.read(|| db.range(..=key).next_back().transpose()).map(|pair| pair.map(owned))
    }

    fn above(&self, key: &[u8]) -> Result<Option<Pair>, BaseError> {
        let db = self.db()?;
        self.health.read(|| db.get_gt(key)).map(|pair| pair.map(owned))
    }

    fn apply(&self, batch: Batch) -> Result<(), BaseError> {
        self.apply_each(vec![batch])
    }

    fn apply_each(&self, batches: Vec<Batch>) -> Result<(), BaseError> {
        let db = self.db()?.clone();
        self.health.change(move || batches.into_iter().try_for_each(|batch| apply(&db, batch)))
    }

    fn is_unreadable(&self) -> bool {
        self.health.is_unreadable()
    }

    fn size(&self) -> Result<u64, BaseError> {
        scratch::size(&self.dir).map_err(failed(&self.dir))
    }

    fn close(&mut self) -> Result<(), BaseError> {
        self.end()
    }
}

impl Drop for SledBase {
    fn drop(&mut self) {
        // Who wants to know how it ended closes it.
        let _ = self.end();
    }
}
