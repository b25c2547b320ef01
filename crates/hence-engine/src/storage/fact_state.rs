//! What a standing evaluation keeps of a fact, in a word or two behind its row.

/// The flags of a fact, and how many matches derive it, of rules that read lower strata only.
#[derive(Clone, Copy, Default)]
pub(crate) struct FactState(pub(crate) u64);

impl FactState {
    /// The flags.
    #[inline]
    pub(crate) fn flags(self) -> u8 {
        self.0 as u8
    }

    /// The same with more flags.
    #[inline]
    pub(crate) fn with(self, flags: u8) -> Self {
        Self(self.0 | u64::from(flags))
    }

    /// The same without some flags.
    #[inline]
    pub(crate) fn without(self, flags: u8) -> Self {
        Self(self.0 & !u64::from(flags))
    }

    /// How many matches derive the fact.
    #[inline]
    pub(crate) fn count(self) -> i64 {
        self.0 as i64 >> u8::BITS
    }

    /// The same with so many matches more.
    #[inline]
    pub(crate) fn counted(self, by: i64) -> Self {
        Self(self.0.wrapping_add((by as u64) << u8::BITS))
    }
}

/// In which round a fact of a recursive relation is derived, and the same or a smaller one that waits to be settled.
#[derive(Clone, Copy)]
pub(crate) struct Ranks(pub(crate) u64);

impl Ranks {
    /// A settled rank and one that waits.
    pub(crate) fn new(settled: u32, best: u32) -> Self {
        Self(u64::from(best) << u32::BITS | u64::from(settled))
    }

    /// The settled rank.
    #[inline]
    pub(crate) fn settled(self) -> u32 {
        self.0 as u32
    }

    /// The settled rank, or a smaller one that waits.
    #[inline]
    pub(crate) fn best(self) -> u32 {
        (self.0 >> u32::BITS) as u32
    }
}
