//! Slots of numbers, packed: each field takes as many bytes as the widest number that it ever held, in all slots alike.
#![expect(
    clippy::indexing_slicing,
    reason = "hot: slots and fields are numbers that the owner of the slots has from them"
)]

use crate::cells::reserve;
use crate::rows::Row;
use crate::storage::hash::hash_all;
use hence_core::fault::OrBroken;
use hence_core::value::Word;

/// No slot, no group, no rank.
pub(crate) const NONE: u32 = u32::MAX;

/// So many bytes follow the last slot, so that each field can be read as a whole word.
const PADDING: usize = size_of::<u64>();

/// An invariant of [`PackedSlots`].
const PADDED: &str = "a word is at hand from the beginning of every field";

/// Slots of a byte of flags and of fields: the columns of a row, some numbers, and then links to other slots.
#[derive(Debug)]
pub(crate) struct PackedSlots {
    columns: usize,
    /// The first field of a link; those before it, after the columns, are numbers.
    links: usize,
    fields: Vec<PackedField>,
    /// Bytes a slot.
    stride: usize,
    bytes: Vec<u8>,
    len: u32,
}

/// Where a field is.
#[derive(Clone, Copy, Debug)]
struct PackedField {
    /// The first byte, from that of the slot.
    at: u32,
    /// By how many bits a word that begins there is too wide.
    shift: u32,
}

impl PackedField {
    fn width(self) -> u32 {
        size_of::<u64>() as u32 - self.shift / u8::BITS
    }

    #[inline]
    fn fits(self, word: Word) -> bool {
        self.narrowed(word.0) == word
    }

    /// The word whose low bytes these are.
    #[inline]
    fn narrowed(self, bits: u64) -> Word {
        Word((bits.wrapping_shl(self.shift) as i64).wrapping_shr(self.shift) as u64)
    }

    /// What it holds in the slot that `bytes` begin with.
    #[inline]
    fn read(self, bytes: &[u8]) -> Word {
        let at = self.at as usize;
        let word = bytes.get(at..at + PADDING).and_then(<[u8]>::first_chunk).or_broken(PADDED);
        self.narrowed(u64::from_le_bytes(*word))
    }

    /// Has it hold a word that fits.
    #[inline]
    fn write(self, bytes: &mut [u8], word: Word) {
        let at = self.at as usize;
        let place = bytes.get_mut(at..at + PADDING).and_then(<[u8]>::first_chunk_mut).or_broken(PADDED);
        let mask = u64::MAX.wrapping_shr(self.shift);
        *place = (u64::from_le_bytes(*place) & !mask | word.0 & mask).to_le_bytes();
    }
}

/// How many bytes a word needs, its sign included.
fn width(word: Word) -> u32 {
    let number = word.0 as i64;
    (u64::BITS - (number ^ (number >> (u64::BITS - 1))).leading_zeros() + 1).div_ceil(u8::BITS)
}

/// The word of a link to a slot; [`NONE`] takes no more room than small ones.
#[inline]
fn link_to(slot: u32) -> Word {
    Word::from_int(i64::from(slot as i32))
}

impl PackedSlots {
    /// No slots with so many columns and numbers.
    pub(crate) fn new(columns: usize, numbers: usize) -> Self {
        let links = columns + numbers;
        let (fields, stride) = laid_out(&vec![1; links]);
        Self { columns, links, fields, stride, bytes: vec![0; PADDING], len: 0 }
    }

    /// How many slots there are.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The flags of a slot.
    #[inline]
    pub(crate) fn flags(&self, slot: u32) -> u8 {
        self.bytes[self.begin(slot)]
    }

    /// Gives a slot other flags.
    #[inline]
    pub(crate) fn put_flags(&mut self, slot: u32, flags: u8) {
        let at = self.begin(slot);
        self.bytes[at] = flags;
    }

    /// One of the numbers of a slot.
    #[inline]
    pub(crate) fn number(&self, slot: u32, number: usize) -> i64 {
        self.get(slot, self.columns + number).as_int()
    }

    /// Gives a slot another number.
    #[inline]
    pub(crate) fn put_number(&mut self, slot: u32, number: usize, to: i64) {
        let (field, word) = (self.columns + number, Word::from_int(to));
        if !self.fields[field].fits(word) {
            self.widen(field, word);
        }
        self.write(slot, field, word);
    }

    /// The slot that a link leads to, or [`NONE`].
    #[inline]
    pub(crate) fn link(&self, slot: u32, link: usize) -> u32 {
        self.get(slot, link).0 as u32
    }

    /// Lets a link lead to another slot that there is, or to [`NONE`].
    #[inline]
    pub(crate) fn put_link(&mut self, slot: u32, link: usize, to: u32) {
        self.write(slot, link, link_to(to));
    }

    /// The row in a slot.
    #[inline]
    pub(crate) fn row(&self, slot: u32) -> PackedRow<'_> {
        PackedRow { bytes: &self.bytes[self.begin(slot)..], fields: &self.fields, columns: self.columns }
    }

    /// Adds a slot with a row, whose flags and other fields are 0.
    pub(crate) fn push(&mut self, row: &[Word]) {
        let last = link_to(self.len);
        if self.fields.get(self.links).is_some_and(|link| !link.fits(last)) {
            self.widen(self.links, last);
        }
        reserve(&mut self.bytes, self.stride);
        self.bytes.resize(self.bytes.len() + self.stride, 0);
        self.len += 1;
        self.put_row(self.len - 1, row);
    }

    /// Gives a slot another row.
    pub(crate) fn put_row(&mut self, slot: u32, row: &[Word]) {
        if !self.fields.iter().zip(row).all(|(field, word)| field.fits(*word)) {
            self.widen_for(row);
        }
        let begin = self.begin(slot);
        let bytes = &mut self.bytes[begin..];
        for (field, word) in self.fields.iter().zip(row) {
            field.write(bytes, *word);
        }
    }

    #[inline]
    fn begin(&self, slot: u32) -> usize {
        (slot as usize).wrapping_mul(self.stride)
    }

    #[inline]
    fn get(&self, slot: u32, field: usize) -> Word {
        self.fields[field].read(&self.bytes[self.begin(slot)..])
    }

    /// Writes a word that fits.
    #[inline]
    fn write(&mut self, slot: u32, field: usize, word: Word) {
        let begin = self.begin(slot);
        self.fields[field].write(&mut self.bytes[begin..], word);
    }

    /// Adds links from each slot to so many others; the field of the first.
    pub(crate) fn add_links(&mut self, count: usize) -> usize {
        let first = self.fields.len();
        let mut widths = self.widths();
        widths.resize(first + count, width(link_to(self.len)));
        self.lay_out(&widths);
        first
    }

    /// Makes room for a row.
    #[cold]
    fn widen_for(&mut self, row: &[Word]) {
        let mut widths = self.widths();
        widths.iter_mut().zip(row).for_each(|(held, word)| *held = width(*word).max(*held));
        self.lay_out(&widths);
    }

    /// Makes room for `word` in a field; in all links, where it is one.
    #[cold]
    fn widen(&mut self, field: usize, word: Word) {
        let mut widths = self.widths();
        let end = if field < self.links { field + 1 } else { widths.len() };
        widths[field..end].fill(width(word));
        self.lay_out(&widths);
    }

    fn widths(&self) -> Vec<u32> {
        self.fields.iter().map(|field| field.width()).collect()
    }

    fn lay_out(&mut self, widths: &[u32]) {
        let (fields, stride) = laid_out(widths);
        let size = self.len as usize * stride + PADDING;
        let mut bytes = Vec::new();
        reserve(&mut bytes, size);
        bytes.resize(size, 0);
        let old = std::mem::replace(self, Self { fields, stride, bytes, ..*self });
        for slot in 0..old.len {
            self.put_flags(slot, old.flags(slot));
            (0..old.fields.len()).for_each(|field| self.write(slot, field, old.get(slot, field)));
        }
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len() + self.fields.capacity() * size_of::<PackedField>()
    }
}

/// Where fields of these widths are, and how many bytes a slot has.
fn laid_out(widths: &[u32]) -> (Vec<PackedField>, usize) {
    let mut end = 1;
    let field = |width: &u32| {
        end += width;
        PackedField { at: end - width, shift: (size_of::<u64>() as u32 - width) * u8::BITS }
    };
    (widths.iter().map(field).collect(), end as usize)
}

/// A row as it lies in its slot.
#[derive(Clone, Copy)]
pub(crate) struct PackedRow<'a> {
    /// From the beginning of the slot.
    bytes: &'a [u8],
    /// The columns, and more after them.
    fields: &'a [PackedField],
    columns: usize,
}

impl PackedRow<'_> {
    /// The word of a column.
    #[inline]
    pub(crate) fn word(self, column: usize) -> Word {
        self.fields[column].read(self.bytes)
    }

    /// The words of all columns.
    #[inline]
    pub(crate) fn words(self) -> impl Iterator<Item = Word> {
        self.fields[..self.columns].iter().map(move |field| field.read(self.bytes))
    }

    /// The row by itself.
    #[inline]
    pub(crate) fn own(self) -> Row {
        self.words().collect()
    }

    /// Whether it is `row`.
    #[inline]
    pub(crate) fn is(self, row: &[Word]) -> bool {
        self.fields.iter().zip(row).all(|(field, word)| field.read(self.bytes) == *word)
    }

    /// The hash of the row.
    #[inline]
    pub(crate) fn hash(self) -> u64 {
        hash_all(self.words())
    }

    /// The hash of the words in some columns.
    #[inline]
    pub(crate) fn hash_of(self, columns: &[u32]) -> u64 {
        hash_all(columns.iter().map(|column| self.word(*column as usize)))
    }

    /// Whether some columns hold the words of `key`.
    #[inline]
    pub(crate) fn has(self, columns: &[u32], key: &[Word]) -> bool {
        match (columns, key) {
            ([column], [word]) => self.word(*column as usize) == *word,
            _ => columns.iter().zip(key).all(|(column, word)| self.word(*column as usize) == *word),
        }
    }

    /// Whether some columns hold what they hold in another row.
    #[inline]
    pub(crate) fn agrees(self, other: Self, columns: &[u32]) -> bool {
        match columns {
            [column] => self.word(*column as usize) == other.word(*column as usize),
            _ => columns.iter().all(|column| self.word(*column as usize) == other.word(*column as usize)),
        }
    }
}
