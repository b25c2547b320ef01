//! How much memory this process may have: the machine's, that of its control groups, and what `ulimit` leaves it.

use std::fs;
use std::path::{Path, PathBuf};

use super::meter;

const MIB: u64 = 1 << 20;
/// Which part of the memory is taken unless more is asked for: others are on the machine, too.
const SHARE: u64 = 2;
/// Which part of the address space, of which more is spoken for than used: stacks, and vectors while they move.
const SHARE_OF_ADDRESSES: u64 = 4;

/// The most memory that this process takes unless it is told otherwise, in whole mebibytes; none where the system doesn't
/// tell.
pub fn default_memory() -> Option<u64> {
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

/// The least limit in bytes of the control groups that `groups`, a `/proc/self/cgroup`, names, and of those around them, of
/// both versions, which are mounted there; none where none has one.
pub fn of_groups(groups: &str, mounted: &Path) -> Option<u64> {
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
