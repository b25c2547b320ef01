//! The fact base in sled 0.34.7, kept within the limits in which it was measured to behave.

use std::cell::Cell;
use std::fs;
use std::io;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::thread;
use std::time::{Duration, Instant};

use super::{Base, BaseError, Batch, Pair};

/// Bytes of pages that sled keeps in memory.
const CACHE: u64 = 64 << 20;
/// How often sled writes by itself; without it sled 0.34.7 would write nothing that it is not told to.
const FLUSH_MS: u64 = 500;
/// How long to wait for the threads of a closed base of this process to let go of its files.
const PATIENCE: Duration = Duration::from_secs(5);

/// A base in a folder of its own.
pub struct SledBase {
    /// Taken out at closing.
    db: Option<sled::Db>,
    dir: PathBuf,
}

thread_local! {
    /// Whether this thread is inside sled.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// How the names of sled's own threads begin.
const SLED_THREADS: [&str; 2] = ["sled", "log flusher"];

/// Keeps the texts of sled's panics, which become errors, off standard error; all others go where they went before.
fn hush() {
    static HUSHED: Once = Once::new();
    HUSHED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let thread = thread::current();
            let name = thread.name().unwrap_or_default();
            let of_sled = SLED_THREADS.iter().any(|sled| name.starts_with(sled));
            if !of_sled && !INSIDE.get() {
                before(panic);
            }
        }));
    });
}

/// Calls sled and turns its errors and panics, which damaged files bring about, into a [`BaseError`].
fn guarded<T>(call: impl FnOnce() -> sled::Result<T>) -> Result<T, BaseError> {
    INSIDE.set(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    INSIDE.set(false);
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(BaseError(error.to_string())),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(BaseError(text.unwrap_or("the store gave up").to_owned()))
        }
    }
}

impl SledBase {
    /// Opens the base in `dir`, or makes one there.
    ///
    /// # Errors
    /// If the files are damaged or can't be read.
    pub fn open(dir: &Path) -> Result<Self, BaseError> {
        let failed = |error: io::Error| BaseError(format!("{}: {error}", dir.display()));
        hush();
        fs::create_dir_all(dir).map_err(failed)?;
        remove_generating(dir).map_err(failed)?;
        let config = sled::Config::new()
            .path(dir)
            .cache_capacity(CACHE)
            .flush_every_ms(Some(FLUSH_MS))
            .use_compression(false);
        let end = Instant::now() + PATIENCE;
        loop {
            match guarded(|| config.open()) {
                Ok(db) => return Ok(Self { db: Some(db), dir: dir.to_owned() }),
                Err(error) if error.0.contains("lock") && Instant::now() < end => {
                    thread::sleep(Duration::from_millis(10));
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn db(&self) -> Result<&sled::Db, BaseError> {
        self.db.as_ref().ok_or_else(|| BaseError(String::from("the store is closed")))
    }

    fn sync_files(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            if path.is_file() {
                fs::File::open(path)?.sync_all()?;
            }
        }
        if cfg!(unix) { fs::File::open(&self.dir)?.sync_all() } else { Ok(()) }
    }
}

/// A process killed at the wrong moment leaves a half-written snapshot with which sled never opens again.
fn remove_generating(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "generating") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn owned((key, value): (sled::IVec, sled::IVec)) -> Pair {
    (key.to_vec(), value.to_vec())
}

impl Base for SledBase {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, BaseError> {
        let db = self.db()?;
        guarded(|| db.get(key)).map(|value| value.map(|value| value.to_vec()))
    }

    fn floor(&self, key: &[u8]) -> Result<Option<Pair>, BaseError> {
        let db = self.db()?;
        guarded(|| db.range(..=key).next_back().transpose()).map(|pair| pair.map(owned))
    }

    fn above(&self, key: &[u8]) -> Result<Option<Pair>, BaseError> {
        let db = self.db()?;
        guarded(|| db.get_gt(key)).map(|pair| pair.map(owned))
    }

    fn apply(&self, batch: Batch) -> Result<(), BaseError> {
        let db = self.db()?;
        let mut all = sled::Batch::default();
        for (key, value) in batch {
            match value {
                Some(value) => all.insert(key, value),
                None => all.remove(key),
            }
        }
        guarded(|| db.apply_batch(all))
    }

    fn size(&self) -> u64 {
        let Ok(entries) = fs::read_dir(&self.dir) else { return 0 };
        let files = entries.filter_map(|entry| entry.ok()?.metadata().ok()).filter(fs::Metadata::is_file);
        files.map(|file| file.len()).sum()
    }

    /// sled makes nothing durable by itself, so its files are synced once it has let go of them.
    fn close(&mut self) -> Result<(), BaseError> {
        let Some(db) = self.db.take() else { return Ok(()) };
        guarded(|| {
            db.flush()?;
            drop(db);
            Ok(())
        })?;
        self.sync_files().map_err(|error| BaseError(format!("{}: {error}", self.dir.display())))
    }
}
