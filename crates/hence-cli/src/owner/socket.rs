//! The file of an owner's socket: bound in the store's folder, told from one that was left behind.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use hence_runtime::owner::{NAME, connect, reach};

/// A socket in a store's folder; the file goes with it, unless another has taken its place.
pub(super) struct Bound {
    /// What others connect to.
    pub(super) listener: UnixListener,
    path: PathBuf,
    /// Device and number of the file.
    file: (u64, u64),
}

impl Bound {
    /// Binds the socket of a store whose lock this process holds; one that nobody listens to any more is replaced.
    ///
    /// # Errors
    /// Somebody listens (`AddrInUse`), there is something else of that name, or the system refuses.
    pub(super) fn new(store: &Path) -> io::Result<Self> {
        remove_left_behind(store)?;
        let listener = reach(store, |path| UnixListener::bind(path))?;
        let path = store.join(NAME);
        fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        let file = id(&path)?;
        Ok(Self { listener, path, file })
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if id(&self.path).is_ok_and(|file| file == self.file) {
            // One that stays is found to be left behind.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn id(path: &Path) -> io::Result<(u64, u64)> {
    let data = fs::symlink_metadata(path)?;
    Ok((data.dev(), data.ino()))
}

fn remove_left_behind(store: &Path) -> io::Result<()> {
    let path = store.join(NAME);
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(data) if !data.file_type().is_socket() => {
            return Err(io::Error::other(format!("`{}` is not a socket; remove it", path.display())));
        }
        Ok(_) => {}
    }
    match connect(store) {
        Ok(_) => Err(io::ErrorKind::AddrInUse.into()),
        Err(_) => fs::remove_file(&path),
    }
}
