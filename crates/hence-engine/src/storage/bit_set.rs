//! A bit for each of many things next to each other.
#![expect(clippy::indexing_slicing, reason = "hot: what is added is one of those that there are")]

/// Some of so many things.
pub(super) struct BitSet(Vec<u64>);

impl BitSet {
    /// None yet of `count`.
    pub(super) fn of(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    /// Adds one; whether it is new.
    #[inline]
    pub(super) fn add(&mut self, at: u32) -> bool {
        let (word, bit) = (&mut self.0[at as usize / 64], 1 << (at % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// All, ascending.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.from(0), |at| self.from(at + 1))
    }

    /// The first that is `at` or after it.
    #[inline]
    pub(super) fn from(&self, at: u32) -> Option<u32> {
        let (word, bit) = (at as usize / 64, at % 64);
        let first = self.0.get(word)? >> bit;
        if first != 0 {
            return Some(at + first.trailing_zeros());
        }
        let rest = self.0.iter().enumerate().skip(word + 1).find(|(_, word)| **word != 0);
        rest.map(|(at, word)| at as u32 * 64 + word.trailing_zeros())
    }
}
