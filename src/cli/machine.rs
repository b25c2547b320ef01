//! How much memory this process may have: the machine's, that of its control groups, and what `ulimit` leaves it.

use std::fs;
use std::path::{Path, PathBuf};

use hence_core::meter;

const MIB: u64 = 1 << 20;
/// Which part of the memory is taken unless more is asked for: others are on the machine, too.
const SHARE: u64 = 2;
/// Which part of the address space, of which more is spoken for than used: stacks, and vectors while they move.
const SHARE_OF_ADDRESSES: u64 = 4;

/// The most memory that this process takes unless it is told otherwise, in whole mebibytes; none where the system doesn't
/// tell.
pub(super) fn default_memory() -> Option<u64> {
    let shared = available().map(|bytes| bytes / SHARE);
    let addresses = meter::addresses().map(|bytes| bytes / SHARE_OF_ADDRESSES);
    let most = shared.into_iter().chain(addresses).min();
    most.map(|bytes| (bytes / MIB).max(1) * MIB)
}

/// What the machine and the control groups have for this process, in bytes.
fn available() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    total().into_iter().chain(of_groups(&groups, Path::new("/sys/fs/cgroup"))).min()
}

fn total() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The limits of the control groups that `/proc/self/cgroup` names, and of those around them, of both versions.
fn of_groups(groups: &str, mounted: &Path) -> Option<u64> {
    let limits = groups.lines().flat_map(|line| {
        let fields: Vec<&str> = line.splitn(3, ':').collect();
        let [_, controllers, group] = *fields.as_slice() else { return Vec::new() };
        let (root, file) = if controllers.is_empty() {
            (mounted.to_owned(), "memory.max")
        } else if controllers.split(',').any(|controller| controller == "memory") {
            (mounted.join("memory"), "memory.limit_in_bytes")
        } else {
            return Vec::new();
        };
        let group = PathBuf::from(group.trim_start_matches('/'));
        group.ancestors().map(|around| root.join(around).join(file)).collect()
    });
    limits.filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok()).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_group_takes_what_those_around_it_leave() {
        let mounted = tempfile::tempdir().unwrap();
        let write = |file: &str, limit: &str| {
            let file = mounted.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, limit).unwrap();
        };
        write("a/memory.max", "3000\n");
        write("a/b/memory.max", "max\n");
        write("memory/c/memory.limit_in_bytes", "2000\n");
        write("cpu/memory.limit_in_bytes", "1\n");
        let limit = |groups| of_groups(groups, mounted.path());
        assert_eq!(limit("0::/a/b\n"), Some(3000));
        assert_eq!(limit("4:cpu,memory:/c/d\n3:cpu:/\n0::/a\n"), Some(2000));
        // What a container sees of the host's name for it is not mounted there, its own limit at the top is.
        write("memory.max", "1000\n");
        assert_eq!(limit("0::/host/names/it\n"), Some(1000));
        assert_eq!(limit("nonsense"), None);
    }
}
