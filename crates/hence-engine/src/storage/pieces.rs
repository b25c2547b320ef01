//! The pieces of its entries that groups of an index get.
#![expect(clippy::indexing_slicing, reason = "hot: groups and places are those of one index")]

use super::bit_set::BitSet;
use super::parts::by_part;

/// How many entries of an index may be unused beside a part of those in use.
pub(super) const WASTE: usize = 4096;
/// From how many rows on that part is smaller: their memory is worth more time.
const MANY_ROWS: u32 = 1 << 22;

/// How many groups are looked at together.
const TOGETHER: usize = 64;

/// The largest number of a round: a group keeps it beside its room.
pub(super) const MOST_ROUNDS: u32 = u32::MAX >> Room::BITS;

/// One of how many entries is spare when an index of so many rows has been moved together; twice as many may be unused.
fn part(rows: u32) -> u32 {
    if rows < MANY_ROWS { 8 } else { 16 }
}

/// With how many entries an index of so many rows is moved together.
pub(super) fn most_for(rows: u32) -> usize {
    rows as usize + (rows / part(rows)) as usize * 2 + WASTE
}

/// The length of the piece that `len` entries get then.
fn with_spare(len: u32, rows: u32) -> u32 {
    len + len / part(rows)
}

/// The length of a piece in ten bits: exact below 64, then 32 lengths from each power of two to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Room(u32);

impl Room {
    /// How many bits there are.
    pub(super) const BITS: u32 = 10;
    const STEPS: u32 = 32;

    /// The length with these bits.
    #[inline]
    pub(super) fn of(bits: u32) -> Self {
        Self(bits)
    }

    /// Its bits.
    #[inline]
    pub(super) fn bits(self) -> u32 {
        self.0
    }

    /// How many entries.
    #[inline]
    pub(super) fn len(self) -> u32 {
        let shift = (self.0 / Self::STEPS).saturating_sub(1);
        (self.0 - Self::STEPS * shift) << shift
    }

    /// The longest of at most `len`.
    #[inline]
    pub(super) fn within(len: u32) -> Self {
        let shift = (len / Self::STEPS).checked_ilog2().unwrap_or(0);
        Self(Self::STEPS * shift + (len >> shift))
    }

    /// The shortest of at least `len`.
    #[inline]
    pub(super) fn at_least(len: u32) -> Self {
        let within = Self::within(len);
        Self(within.0 + u32::from(within.len() < len))
    }
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

/// A group of an index, which is a piece of its entries: `len` places are taken, `old` of them before the last round that
/// brought some. Without room it starts at 0, which there always is, whatever entries are given back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bucket {
    pub(super) start: u32,
    pub(super) len: u32,
    pub(super) old: u32,
    /// That round, and in the lower bits the [`Room`].
    round_and_room: u32,
}

impl Bucket {
    /// Without entries yet, all of which come in a round.
    pub(super) fn empty(start: u32, room: Room, round: u32) -> Self {
        let mut bucket = Self { start, ..Self::default() };
        bucket.set(round, room);
        bucket
    }

    /// The last round that brought some.
    #[inline]
    pub(super) fn round(self) -> u32 {
        self.round_and_room >> Room::BITS
    }

    /// How many entries it has places for.
    #[inline]
    pub(super) fn room(self) -> Room {
        Room::of(self.round_and_room & ((1 << Room::BITS) - 1))
    }

    /// Sets both.
    #[inline]
    pub(super) fn set(&mut self, round: u32, room: Room) {
        self.round_and_room = round << Room::BITS | room.bits();
    }
}

/// Moves the pieces of groups, which have so many rows, together in place, each with a little room to grow where there is some.
pub(super) fn move_together(groups: &mut [Bucket], entries: &mut Vec<u32>, rows: u32) {
    let mut starts = BitSet::of(entries.len());
    // Until it is moved, the first place of a piece says whose it is, and that group what was there: so pieces are found in the
    // order of their places without sorting.
    for (at, group) in (0u32..).zip(groups.iter_mut()).filter(|(_, group)| group.room().bits() > 0) {
        starts.add(group.start);
        group.start = std::mem::replace(&mut entries[group.start as usize], at);
    }
    let (mut end, mut batch, mut next) = (0, [0; TOGETHER], starts.from(0));
    while next.is_some() {
        let filled = batch.iter_mut().map_while(|place| {
            let start = next?;
            next = starts.from(start + 1);
            *place = start;
            Some(())
        });
        let count = filled.count();
        let batch = &batch[..count];
        // Groups are anywhere: the processor waits for many at once.
        let owner = |start: u32| entries[start as usize] as usize;
        std::hint::black_box(batch.iter().fold(0, |seen, start| seen ^ groups[owner(*start)].len));
        for (at, start) in batch.iter().copied().enumerate() {
            let group = &mut groups[entries[start as usize] as usize];
            entries[start as usize] = group.start;
            if group.len == 0 {
                *group = Bucket::default();
                continue;
            }
            entries.copy_within(start as usize..(start + group.len) as usize, end as usize);
            group.start = end;
            let most = batch.get(at + 1).copied().or(next).map_or(group.room().len(), |next| next - end);
            let room = Room::within(with_spare(group.len, rows).min(most)).max(Room::at_least(group.len));
            group.set(group.round(), room);
            end += room.len();
        }
    }
    entries.truncate(end as usize);
    entries.shrink_to(end as usize / 8 * 9);
}

/// How many groups are next to each other at least when rows are put in their order, and into how many parts they are divided at most.
const PART: (usize, usize) = (1 << 13, 1 << 8);

/// Entries, of each of which the group is known: those of neighbouring groups together, in their order.
pub(super) fn by_group(entries: impl Iterator<Item = (u32, u32)> + Clone, groups: usize) -> Vec<(u32, u32)> {
    let size = PART.0.max(groups.div_ceil(PART.1)).next_power_of_two();
    by_part(entries.map(|entry| (entry.0 as usize / size, entry)), groups.div_ceil(size)).0
}
