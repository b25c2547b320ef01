//! Sets of many narrow rows by one of their columns: for each value there a small table of what the other columns hold.
#![expect(
    clippy::indexing_slicing,
    reason = "hot: groups are made before they are looked at, and places are below the room of their group"
)]

use crate::cells::{Cells, Slice, zeros};
use crate::storage::bitmap::worth_while;
use crate::storage::hash::TOGETHER;
use crate::storage::statistics::distinct_keys;
use hence_core::fault::OrBroken;
use hence_core::value::Word;

/// From how many rows a value on groups are worth while.
const LEAST: f64 = 3.0;
/// How many bits the other columns have together: a place holds them plus 1.
const BITS: u32 = 31;
/// The rows of a group per place at the fullest, in eighths, and of one with at least [`MANY`] places: there memory counts
/// for more than a few places more that are looked at, next to each other.
const FULLEST: [usize; 2] = [6, 7];
const MANY: usize = 64;
const SMALLEST: usize = 4;
/// How many groups are looked at to see how dense they are.
const SAMPLE: usize = 64;
/// An invariant of those who add rows.
const OUTSIDE: &str = "a row comes into a set only once";
/// An invariant of those who take rows out or number them anew.
const INSIDE: &str = "what is taken out of a set, or gets another number there, is in";

/// Rows of a few columns. Rules mostly derive them in runs that share a value, so a row is looked for where the one before it
/// was. It is there itself: no other place has to be read.
#[derive(Debug)]
pub(crate) struct GroupedRows {
    /// The column that they are grouped by.
    key: usize,
    /// By column which bits are kept, and how far they are shifted; none of the key.
    fields: [Field; Self::MOST_COLUMNS],
    /// Whether the number of each row is kept.
    numbered: bool,
    /// By the value of the key.
    groups: Vec<Group>,
    rows: usize,
    /// How many groups have rows.
    used: usize,
    /// How many words all groups take.
    room: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Field {
    shift: u32,
    /// The bits of a word that are among them, and those that no word may have.
    kept: u64,
    beyond: u64,
}

/// The rows that share a value of the key: an open-addressing table with linear probing. Where rows are numbered, their
/// numbers are in a second half.
#[derive(Clone, Debug, Default)]
struct Group {
    places: Box<[u32]>,
    len: u32,
}

/// A row that is looked for: its group, its bits, and in a group with so many places the first that is looked at.
#[derive(Clone, Copy, Default)]
struct Sought {
    key: u32,
    rest: u32,
    room: u32,
    home: u32,
}

impl GroupedRows {
    /// Rows with more columns are never grouped.
    pub(crate) const MOST_COLUMNS: usize = 4;

    /// An empty set for rows like these, `of` partitions of which take as many each; none where it isn't worth while.
    /// It is grouped by the column `varied` only where no other serves.
    pub(crate) fn for_rows(
        parts: [Slice<'_>; 2],
        arity: usize,
        of: usize,
        varied: usize,
        numbered: bool,
    ) -> Option<Self> {
        let [stable, pending] = parts;
        let larger = if stable.len() < pending.len() { pending } else { stable };
        if !(2..=Self::MOST_COLUMNS).contains(&arity) {
            return None;
        }
        let rows = (larger.len() / arity) as f64;
        let mean = |column: usize| rows / distinct_keys(larger, arity, &[column as u32]) / of as f64;
        let means = (0..arity).map(|column| (column == varied, mean(column), column));
        let fits = means.filter(|(_, mean, _)| *mean >= LEAST);
        let (_, _, key) = fits.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)))?;
        let keys = parts.iter().flat_map(|part| part.iter().skip(key).step_by(arity));
        let most = keys.map(|word| word.0 as usize).max().unwrap_or(0);
        let mut set = Self {
            key,
            fields: fields(parts, arity, key)?,
            numbered,
            groups: Vec::new(),
            rows: parts.iter().map(|part| part.len() / arity).sum(),
            used: 0,
            room: 0,
        };
        let reaches = set.reach(most);
        set.rows = 0;
        reaches.then_some(set)
    }

    /// Adds rows, and appends those that are new to `pending`, the first as number `len`; how many rows were taken, which
    /// are less than all if a value is too large or too few rows share one.
    pub(crate) fn take<const N: usize>(
        &mut self,
        rows: &[[Word; N]],
        pending: &mut Cells,
        mut len: u32,
    ) -> usize {
        if self.used as f64 * LEAST > 2.0 * (self.rows + SMALLEST) as f64 {
            return 0;
        }
        pending.admit(rows.as_flattened());
        let mut taken = 0;
        for rows in rows.chunks(TOGETHER) {
            let mut sought = [Sought::default(); TOGETHER];
            let found = rows.iter().map_while(|row| self.split(row)).zip(&mut sought);
            let count = found.map(|((key, rest), sought)| (sought.key, sought.rest) = (key, rest)).count();
            let Some(sought) = sought.get_mut(..count).filter(|sought| self.reach_all(sought)) else { break };
            self.look_at(sought);
            for (row, sought) in rows.iter().zip(sought) {
                if self.add_new(*sought, len) {
                    pending.extend_from_slice(row);
                    len += 1;
                }
            }
            taken += count;
            if count < rows.len() {
                break;
            }
        }
        taken
    }

    /// Adds a row that isn't in yet; whether it could be.
    pub(crate) fn add(&mut self, row: Slice<'_>, number: u32) -> bool {
        let Some((key, rest)) = self.split_of(row).filter(|place| self.reach(place.0 as usize)) else {
            return false;
        };
        self.find_or_insert(key, rest, number);
        true
    }

    /// The number of a row, which is `number` where it isn't in yet and comes in; none if a value is too large.
    pub(crate) fn number_of(&mut self, row: &[Word], number: u32) -> Option<u32> {
        let (key, rest) = self.split(row).filter(|place| self.reach(place.0 as usize))?;
        Some(self.find_or_insert(key, rest, number).unwrap_or(number))
    }

    /// The number of a row, or 0 where rows have none.
    #[inline]
    pub(crate) fn find(&self, row: &[Word]) -> Option<u32> {
        let (key, rest) = self.split(row)?;
        let group = self.groups.get(key as usize)?;
        let room = group.room(self.numbered);
        let at = group.find(room, rest).ok()?;
        Some(if self.numbered { group.places[room + at] } else { 0 })
    }

    /// Gives a row another number.
    pub(crate) fn renumber(&mut self, row: Slice<'_>, number: u32) {
        if self.numbered {
            let (key, rest) = self.split_of(row).or_broken(INSIDE);
            let group = &mut self.groups[key as usize];
            let room = group.room(true);
            let at = group.find(room, rest).ok().or_broken(INSIDE);
            group.places[room + at] = number;
        }
    }

    /// Takes a row out.
    pub(crate) fn remove(&mut self, row: Slice<'_>) {
        let (key, rest) = self.split_of(row).or_broken(INSIDE);
        let group = &mut self.groups[key as usize];
        group.remove(rest, self.numbered);
        self.used -= usize::from(group.len == 0);
        self.rows -= 1;
    }

    /// The rows, which are numbered, each with its number; the columns that they don't have are 0.
    pub(crate) fn each(&self) -> impl Iterator<Item = ([Word; Self::MOST_COLUMNS], u32)> {
        (0..).zip(&self.groups).flat_map(move |(key, group)| {
            let (places, numbers) = group.places.split_at(group.room(true));
            let taken = places.iter().zip(numbers).filter(|(place, _)| **place != 0);
            taken.map(move |(place, number)| (self.join(key, place - 1), *number))
        })
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Whether so many rows of two columns share 64 neighbouring values of `column` that bitmaps are worth while, by a sample
    /// of the groups; not known, so no, where they are grouped by it.
    pub(crate) fn is_dense(&self, column: usize) -> bool {
        if column == self.key {
            return false;
        }
        let taken: Vec<&Group> = self.groups.iter().filter(|group| group.len > 0).collect();
        let (mut rows, mut blocks) = (0, 0);
        for group in taken.iter().step_by(taken.len().div_ceil(SAMPLE).max(1)) {
            let places = group.places.iter().take(group.room(self.numbered)).filter(|place| **place != 0);
            let mut own: Vec<u32> = places.map(|place| (place - 1) / 64).collect();
            rows += own.len();
            own.sort_unstable();
            own.dedup();
            blocks += own.len();
        }
        worth_while(rows) > blocks
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Group>() + self.room * 4
    }

    /// The value of the key and the bits of the other columns, if they are small enough.
    #[inline]
    fn split(&self, row: &[Word]) -> Option<(u32, u32)> {
        let (mut rest, mut beyond) = (0, 0);
        for (word, field) in row.iter().zip(&self.fields) {
            rest |= (word.0 & field.kept) << field.shift;
            beyond |= word.0 & field.beyond;
        }
        (beyond == 0).then_some((row[self.key].0 as u32, rest as u32))
    }

    /// The reverse of [`GroupedRows::split`].
    fn join(&self, key: u64, rest: u32) -> [Word; Self::MOST_COLUMNS] {
        std::array::from_fn(|at| {
            let Field { shift, kept, .. } = self.fields[at];
            Word(if at == self.key { key } else { u64::from(rest) >> shift & kept })
        })
    }

    fn split_of(&self, row: Slice<'_>) -> Option<(u32, u32)> {
        let mut words = [Word::default(); Self::MOST_COLUMNS];
        words.iter_mut().zip(row.iter()).for_each(|(word, cell)| *word = cell);
        self.split(&words[..row.len()])
    }

    /// Makes sure that the groups of some rows are there; whether there are not far too many.
    fn reach_all(&mut self, sought: &[Sought]) -> bool {
        self.reach(sought.iter().map(|row| row.key as usize).max().unwrap_or(0))
    }

    fn reach(&mut self, most: usize) -> bool {
        let may = most < self.groups.len() || most < 4 * self.rows + 1024;
        if may && most >= self.groups.len() {
            self.groups.resize(most + 1, Group::default());
        }
        may
    }

    /// Where each row is looked for first: all of them at once, so that the processor waits for many cache lines at the same
    /// time, and does not compute this in between.
    #[inline]
    fn look_at(&self, sought: &mut [Sought]) {
        let seen = sought.iter_mut().fold(0, |seen, row| {
            let group = &self.groups[row.key as usize];
            row.room = group.room(self.numbered) as u32;
            row.home = home(row.rest, row.room as usize) as u32;
            seen ^ group.places.get(row.home as usize).map_or(0, |place| *place)
        });
        std::hint::black_box(seen);
    }

    /// Adds a row as number `number`, unless it is in; whether it wasn't.
    #[inline]
    fn add_new(&mut self, Sought { key, rest, room, home: first }: Sought, number: u32) -> bool {
        let group = &self.groups[key as usize];
        let now = group.room(self.numbered);
        let from = if now == room as usize { first as usize } else { home(rest, now) };
        match group.probe(from, now, rest) {
            Ok(_) => false,
            Err(free) => {
                self.insert(key, rest, number, free);
                true
            }
        }
    }

    /// The number of a row, 0 where rows have none; one that isn't in yet comes in.
    #[inline]
    fn find_or_insert(&mut self, key: u32, rest: u32, number: u32) -> Option<u32> {
        let group = &self.groups[key as usize];
        let room = group.room(self.numbered);
        match group.find(room, rest) {
            Ok(at) => Some(if self.numbered { group.places[room + at] } else { 0 }),
            Err(free) => {
                self.insert(key, rest, number, free);
                None
            }
        }
    }

    /// Adds a row that isn't in; `free` is the place for it unless its group is full.
    #[inline]
    fn insert(&mut self, key: u32, rest: u32, number: u32, mut free: usize) {
        let group = &mut self.groups[key as usize];
        let mut room = group.room(self.numbered);
        if group.len as usize * 8 >= room * FULLEST[usize::from(room >= MANY)] {
            self.room += group.grow(self.numbered);
            room = group.room(self.numbered);
            free = group.find(room, rest).err().or_broken(OUTSIDE);
        }
        self.used += usize::from(group.len == 0);
        self.rows += 1;
        group.len += 1;
        group.places[free] = rest + 1;
        if self.numbered {
            group.places[room + free] = number;
        }
    }
}

impl Group {
    /// For how many rows it has places.
    #[inline]
    fn room(&self, numbered: bool) -> usize {
        self.places.len() >> u32::from(numbered)
    }

    /// The place of a row, or where it would be.
    #[inline]
    fn find(&self, room: usize, rest: u32) -> Result<usize, usize> {
        self.probe(home(rest, room), room, rest)
    }

    /// The same from the first place that is looked at.
    #[inline]
    fn probe(&self, mut at: usize, room: usize, rest: u32) -> Result<usize, usize> {
        loop {
            match self.places.get(at) {
                None | Some(0) => return Err(at),
                Some(place) if *place == rest + 1 => return Ok(at),
                _ => at = after(at, room),
            }
        }
    }

    /// Half or a third more places: 4, 6, 8, 12, 16 and so on; how many.
    #[cold]
    fn grow(&mut self, numbered: bool) -> usize {
        let room = self.room(numbered);
        let wanted = if room.is_power_of_two() { room + room / 2 } else { (room + 1).next_power_of_two() };
        let wanted = wanted.max(SMALLEST);
        let places = zeros(wanted << u32::from(numbered)).into_boxed_slice();
        let old = std::mem::replace(&mut self.places, places);
        for (at, place) in old.iter().take(room).enumerate().filter(|(_, place)| **place != 0) {
            let (Ok(to) | Err(to)) = self.find(wanted, place - 1);
            self.places[to] = *place;
            if numbered {
                self.places[wanted + to] = old[room + at];
            }
        }
        self.places.len() - old.len()
    }

    /// Takes a row out, and moves those after it that would no longer be found.
    fn remove(&mut self, rest: u32, numbered: bool) {
        let room = self.room(numbered);
        let mut hole = self.find(room, rest).ok().or_broken(INSIDE);
        let mut at = after(hole, room);
        while self.places[at] != 0 {
            let from = home(self.places[at] - 1, room);
            if (at + room - from) % room >= (at + room - hole) % room {
                self.places[hole] = self.places[at];
                if numbered {
                    self.places[room + hole] = self.places[room + at];
                }
                hole = at;
            }
            at = after(at, room);
        }
        self.places[hole] = 0;
        self.len -= 1;
    }
}

/// The place after another.
#[inline]
fn after(at: usize, room: usize) -> usize {
    if at + 1 == room { 0 } else { at + 1 }
}

/// Where a row is looked for first.
#[inline]
fn home(rest: u32, room: usize) -> usize {
    ((u64::from(rest.wrapping_mul(0x9e37_79b1)) * room as u64) >> 32) as usize
}

/// The bits of the columns beside the key, each with some to spare where there are.
fn fields(parts: [Slice<'_>; 2], arity: usize, key: usize) -> Option<[Field; GroupedRows::MOST_COLUMNS]> {
    let mut used = [0; GroupedRows::MOST_COLUMNS];
    for rows in parts {
        let Slice::Narrow(cells) = rows else { return None };
        for row in cells.chunks_exact(arity) {
            used.iter_mut().zip(row).for_each(|(used, cell)| *used |= cell);
        }
    }
    used[key] = 0;
    let bits = used.map(|used| u32::BITS - used.leading_zeros());
    let spare = BITS.checked_sub(bits.iter().sum())? / (arity as u32 - 1);
    let mut fields = [Field::default(); GroupedRows::MOST_COLUMNS];
    fields[key].beyond = !u64::from(u32::MAX);
    let mut shift = 0;
    for at in (0..arity).filter(|at| *at != key) {
        let kept = (1 << (bits[at] + spare)) - 1;
        fields[at] = Field { shift, kept, beyond: !kept };
        shift += bits[at] + spare;
    }
    Some(fields)
}
