//! How much memory this process may have: the machine's, that of its control groups, and what `ulimit` leaves it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const MIB: u64 = 1 << 20;
/// Which part of the memory is taken unless more is asked for: others are on the machine, too.
const SHARE: u64 = 2;
/// Which part of the address space, of which more is spoken for than used: stacks, and vectors while they move.
const SHARE_OF_ADDRESSES: u64 = 4;

/// The most memory that this process takes unless it is told otherwise, in whole mebibytes; none where the system doesn't
/// tell.
pub fn default_memory() -> Option<u64> {
    let shared = available().map(|bytes| bytes / SHARE);
    let addresses = addresses().map(|bytes| bytes / SHARE_OF_ADDRESSES);
    let most = shared.into_iter().chain(addresses).min();
    most.map(|bytes| (bytes / MIB).max(1) * MIB)
}

/// What the machine and the control groups have for this process, in bytes.
fn available() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    total().into_iter().chain(of_groups(&groups, Path::new("/sys/fs/cgroup"))).min()
}

fn total() -> Option<u64> {
    kibibytes("/proc/meminfo", "MemTotal:")?.checked_mul(1024)
}

/// The figure of that name, in kibibytes, in a file of the system.
pub(crate) fn kibibytes(file: &str, name: &str) -> Option<u64> {
    line(file, name)?.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// How many bytes of address space this process may have, where that is limited (`ulimit -v`).
pub fn addresses() -> Option<u64> {
    static LIMIT: OnceLock<Option<u64>> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        line("/proc/self/limits", "Max address space")?.split_whitespace().next()?.parse().ok()
    })
}

/// What a file of the system says after a name at the beginning of a line.
fn line(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned)
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
