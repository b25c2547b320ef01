//! A small file system in memory, which tests fill up.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One that is mounted; gone with the value.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts one at a folder, which is made; `None` where only root may, and this is somebody else.
    pub(crate) fn mounted(at: &Path, size: &str) -> Option<Self> {
        fs::create_dir(at).unwrap();
        let options = format!("size={size}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(at);
        let mounted = rustix::process::geteuid().is_root() && mount.status().is_ok_and(|done| done.success());
        if !mounted {
            println!("left out: only root may mount a small file system");
        }
        mounted.then(|| Self(at.to_owned()))
    }

    /// Leaves no room on it.
    pub(crate) fn fill(&self) {
        let mut ballast = File::create(self.ballast()).unwrap();
        while ballast.write_all(&[0; 4096]).is_ok() {}
    }

    /// Makes room again.
    pub(crate) fn free(&self) {
        fs::remove_file(self.ballast()).unwrap();
    }

    /// The file that takes the room.
    pub(crate) fn ballast(&self) -> PathBuf {
        self.0.join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
