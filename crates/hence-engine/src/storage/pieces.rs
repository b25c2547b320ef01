//! The lengths of the pieces that groups of an index get.

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
