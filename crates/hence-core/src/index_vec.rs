//! Lists by numbers of a type of their own: the number of something else is a compile error, one without an entry a
//! fault of hence.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use crate::fault::OrBroken;

/// A number that says which entry of a list.
pub trait Id: Copy {
    /// What holds of every such number.
    const INVARIANT: &'static str;

    /// The number of the entry at a place.
    fn new(at: usize) -> Self;

    /// The place of the entry.
    fn at(self) -> usize;
}

/// Declares the type of such a number.
#[macro_export]
macro_rules! id {
    ($(#[$doc:meta])* $vis:vis struct $name:ident($field:vis u32): $invariant:literal;) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis struct $name($field u32);

        impl $crate::index_vec::Id for $name {
            const INVARIANT: &'static str = $invariant;

            fn new(at: usize) -> Self {
                Self(at as u32)
            }

            #[inline]
            fn at(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub use id;

/// Entries by their numbers.
pub struct IndexVec<I, T> {
    entries: Vec<T>,
    ids: PhantomData<fn(I)>,
}

impl<I: Id, T> IndexVec<I, T> {
    /// So many entries, all the same.
    pub fn filled(entry: T, len: usize) -> Self
    where
        T: Clone,
    {
        vec![entry; len].into()
    }

    /// Adds an entry; its number.
    pub fn push(&mut self, entry: T) -> I {
        self.entries.push(entry);
        I::new(self.entries.len() - 1)
    }

    /// How many entries there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.entries.iter()
    }

    /// The entries in their order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.entries.iter_mut()
    }

    /// The numbers, ascending.
    pub fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        (0..self.entries.len()).map(I::new)
    }

    /// The entries with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (I, &T)> {
        self.entries.iter().enumerate().map(|(at, entry)| (I::new(at), entry))
    }

    /// The same list, to be read.
    #[inline]
    pub fn view(&self) -> IndexSlice<'_, I, T> {
        IndexSlice { entries: &self.entries, ids: PhantomData }
    }

    /// The entries without their numbers.
    pub fn as_slice(&self) -> &[T] {
        &self.entries
    }

    /// The entries without their numbers, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.entries
    }

    /// Takes all entries out, and keeps the room.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

impl<I: Id, T> Index<I> for IndexVec<I, T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, id: I) -> &T {
        self.entries.get(id.at()).or_broken(I::INVARIANT)
    }
}

impl<I: Id, T> IndexMut<I> for IndexVec<I, T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, id: I) -> &mut T {
        self.entries.get_mut(id.at()).or_broken(I::INVARIANT)
    }
}

impl<I, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(entries: Vec<T>) -> Self {
        Self { entries, ids: PhantomData }
    }
}

impl<I, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(entries: A) -> Self {
        Vec::from_iter(entries).into()
    }
}

impl<I, T> IntoIterator for IndexVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T: Clone> Clone for IndexVec<I, T> {
    fn clone(&self) -> Self {
        self.entries.clone().into()
    }

    fn clone_from(&mut self, other: &Self) {
        self.entries.clone_from(&other.entries);
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.fmt(out)
    }
}

/// An [`IndexVec`] to be read; as cheap as a slice.
pub struct IndexSlice<'a, I, T> {
    entries: &'a [T],
    ids: PhantomData<fn(I)>,
}

impl<'a, I: Id, T> IndexSlice<'a, I, T> {
    /// The entries without their numbers.
    #[inline]
    pub fn as_slice(self) -> &'a [T] {
        self.entries
    }

    /// The entry with a number.
    #[inline]
    #[track_caller]
    pub fn get(self, id: I) -> &'a T {
        self.entries.get(id.at()).or_broken(I::INVARIANT)
    }
}

impl<'a, I, T> From<&'a [T]> for IndexSlice<'a, I, T> {
    #[inline]
    fn from(entries: &'a [T]) -> Self {
        Self { entries, ids: PhantomData }
    }
}

impl<I, T> Clone for IndexSlice<'_, I, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I, T> Copy for IndexSlice<'_, I, T> {}

impl<I: Id, T> Index<I> for IndexSlice<'_, I, T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, id: I) -> &T {
        self.entries.get(id.at()).or_broken(I::INVARIANT)
    }
}
