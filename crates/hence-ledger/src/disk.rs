//! The few file operations that the journal is made of, behind a trait so that a test can lose or refuse them.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file of the journal, read and written at given places.
pub trait DiskFile: Send + Sync {
    /// Its length in bytes.
    ///
    /// # Errors
    /// What the system reports.
    fn len(&self) -> io::Result<u64>;

    /// Whether it holds nothing.
    ///
    /// # Errors
    /// What the system reports.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Reads up to `buffer.len()` bytes from `offset` on; fewer only at the end of the file.
    ///
    /// # Errors
    /// What the system reports.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all of `bytes` at `offset`.
    ///
    /// # Errors
    /// What the system reports; part of the bytes may have been written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Cuts the file off, or lengthens it with zeros.
    ///
    /// # Errors
    /// What the system reports.
    fn set_len(&self, len: u64) -> io::Result<()>;

    /// Returns once the file's content and length are on the medium.
    ///
    /// # Errors
    /// What the system reports; what is on the medium is unknown then.
    fn sync(&self) -> io::Result<()>;
}

/// Where the journal lies.
pub trait Disk: Send + Sync {
    /// Creates a folder and those above it.
    ///
    /// # Errors
    /// What the system reports.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// The names of the files in a folder, in order.
    ///
    /// # Errors
    /// What the system reports.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;

    /// Opens a file for reading, and for writing too where `write` says so; `create` makes it again and empty.
    ///
    /// # Errors
    /// What the system reports.
    fn open(&self, path: &Path, write: bool, create: bool) -> io::Result<Box<dyn DiskFile>>;

    /// Gives a file another name, replacing what had it.
    ///
    /// # Errors
    /// What the system reports.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Returns once the names in a folder are on the medium.
    ///
    /// # Errors
    /// What the system reports.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
}

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OsDisk;

impl Disk for OsDisk {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let names: io::Result<Vec<_>> =
            fs::read_dir(path)?.map(|entry| entry.map(|e| e.file_name())).collect();
        let mut names: Vec<_> = names?.into_iter().filter_map(|name| name.into_string().ok()).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn open(&self, path: &Path, write: bool, create: bool) -> io::Result<Box<dyn DiskFile>> {
        let file = OpenOptions::new().read(true).write(write).create(create).truncate(create).open(path)?;
        Ok(Box::new(OsFile(file)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }
}

/// One of its files.
pub(crate) struct OsFile(pub(crate) File);

impl OsFile {
    #[cfg(unix)]
    fn read_some(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.0, buffer, offset)
    }

    #[cfg(windows)]
    fn read_some(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&self.0, buffer, offset)
    }

    #[cfg(unix)]
    fn write_some(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::write_at(&self.0, bytes, offset)
    }

    #[cfg(windows)]
    fn write_some(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_write(&self.0, bytes, offset)
    }
}

impl DiskFile for OsFile {
    fn len(&self) -> io::Result<u64> {
        self.0.metadata().map(|metadata| metadata.len())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut done = 0;
        while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match self.read_some(rest, offset + done as u64) {
                Ok(0) => break,
                Ok(read) => done += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut done = 0;
        while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
            match self.write_some(rest, offset + done as u64) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => done += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

/// Files in memory, for tests and for a ledger that isn't kept.
#[derive(Clone, Default)]
pub struct MemoryDisk {
    files: Arc<Mutex<BTreeMap<PathBuf, MemoryFile>>>,
}

#[derive(Clone, Default)]
struct MemoryFile(Arc<Mutex<Vec<u8>>>);

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MemoryDisk {
    /// The content of a file, if there is one of that name.
    pub fn content(&self, path: &Path) -> Option<Vec<u8>> {
        held(&self.files).get(path).map(|file| held(&file.0).clone())
    }

    /// Puts a file there with this content.
    pub fn put(&self, path: &Path, content: Vec<u8>) {
        held(&self.files).insert(path.to_owned(), MemoryFile(Arc::new(Mutex::new(content))));
    }

    /// The paths of all files, in order.
    pub fn paths(&self) -> Vec<PathBuf> {
        held(&self.files).keys().cloned().collect()
    }
}

impl Disk for MemoryDisk {
    fn create_dir(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let files = held(&self.files);
        let inside = files.keys().filter(|file| file.parent() == Some(path));
        Ok(inside.filter_map(|file| file.file_name()?.to_str().map(str::to_owned)).collect())
    }

    fn open(&self, path: &Path, _: bool, create: bool) -> io::Result<Box<dyn DiskFile>> {
        let mut files = held(&self.files);
        if create {
            files.insert(path.to_owned(), MemoryFile::default());
        }
        match files.get(path) {
            Some(file) => Ok(Box::new(file.clone())),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut files = held(&self.files);
        let file = files.remove(from).ok_or(io::ErrorKind::NotFound)?;
        files.insert(to.to_owned(), file);
        Ok(())
    }

    fn sync_dir(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

impl DiskFile for MemoryFile {
    fn len(&self) -> io::Result<u64> {
        Ok(held(&self.0).len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let content = held(&self.0);
        let start = usize::try_from(offset).map_or(content.len(), |start| start.min(content.len()));
        let (_, rest) = content.split_at(start);
        let len = rest.len().min(buffer.len());
        for (to, from) in buffer.iter_mut().zip(rest) {
            *to = *from;
        }
        Ok(len)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let mut content = held(&self.0);
        if content.len() < start + bytes.len() {
            content.resize(start + bytes.len(), 0);
        }
        if let Some(place) = content.get_mut(start..start + bytes.len()) {
            place.copy_from_slice(bytes);
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        held(&self.0).resize(usize::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge)?, 0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}
