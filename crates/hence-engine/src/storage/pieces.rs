//! The lengths of the pieces that groups of an index get.

/// How many entries of an index may be unused beside a part of those in use.
pub(super) const WASTE: usize = 4096;
/// From how many rows on that part is smaller: their memory is worth more time.
const MANY_ROWS: u32 = 1 << 22;

/// One of how many entries is spare when an index of so many rows has been moved together; twice as many may be unused.
fn part(rows: u32) -> u32 {
    if rows < MANY_ROWS { 8 } else { 16 }
}

/// With how many entries an index of so many rows is moved together.
pub(super) fn most_for(rows: u32) -> usize {
    rows as usize + (rows / part(rows)) as usize * 2 + WASTE
}

/// The length of the piece that `len` entries get then.
pub(super) fn with_spare(len: u32, rows: u32) -> u32 {
    len + len / part(rows)
}

/// The length of a class of pieces: 4, 6, 8, 12, 16, 24 and so on.
pub(super) fn room_of(class: usize) -> u32 {
    (4 + 2 * (class as u32 & 1)) << (class / 2)
}

/// The smallest class of at least `room`.
pub(super) fn class_for(room: u32) -> usize {
    class_within(room).map_or(0, |class| class + usize::from(room_of(class) < room))
}

/// The largest class of at most `room`.
pub(super) fn class_within(room: u32) -> Option<usize> {
    let log = room.checked_ilog2().filter(|log| *log >= 2)?;
    Some(2 * (log as usize - 2) + (room >> (log - 1) & 1) as usize)
}
