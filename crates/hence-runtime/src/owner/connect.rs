//! The way to an owner's socket, through the store's folder.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// The name of the socket, in the ledger's folder.
pub const NAME: &str = "owner.sock";
/// The longest path that the address of a socket holds on every system.
const LONGEST: usize = 100;

/// Connects to the owner of a store.
///
/// # Errors
/// There is none, or it is another user's.
pub fn connect(store: &Path) -> io::Result<UnixStream> {
    let stream = reach(store, |path| UnixStream::connect(path))?;
    match stranger(&stream)? {
        None => Ok(stream),
        Some(user) => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("the owner of the ledger is user {user}"),
        )),
    }
}

/// Works with a path to the socket that is short enough, whatever the store's is.
///
/// # Errors
/// The folder of the store can't be opened; those of `work`.
pub fn reach<T>(store: &Path, work: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    let path = store.join(NAME);
    if path.as_os_str().len() <= LONGEST {
        return work(&path);
    }
    let folder = File::open(store)?;
    work(&Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(NAME))
}

/// The user of the other side, where that is not this process's.
///
/// # Errors
/// The system does not tell who is at the other side.
#[cfg(target_os = "linux")]
pub fn stranger(stream: &UnixStream) -> io::Result<Option<u32>> {
    let other = rustix::net::sockopt::socket_peercred(stream)?.uid;
    Ok((other != rustix::process::geteuid()).then(|| other.as_raw()))
}

/// No user: the permissions of the file keep others away.
///
/// # Errors
/// None.
#[cfg(not(target_os = "linux"))]
pub fn stranger(_: &UnixStream) -> io::Result<Option<u32>> {
    Ok(None)
}
