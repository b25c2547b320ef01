//! Rows of a relation by the values of some columns and in the order of another one, for joins by `<` and its like.

use crate::cells::{Cell, Cells, Slice};
use crate::storage::index::Index;
use hence_core::fault::OrBroken;
use hence_core::index_vec::id;
use hence_core::value::Word;
use std::ops::Range;

id! {
    /// An ordered index of a relation.
    pub(crate) struct OrderedId(u32): "plans name the ordered indexes that their relations have";
}

/// An invariant of [`OrderedIndex`].
const PLACES: &str = "an ordered index has all rows of its relation, which doesn't grow";

/// In which order an index has the rows of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// The key columns, ascending; perhaps none.
    pub(crate) columns: Vec<u32>,
    /// The column by whose words the rows of a key ascend, as ints.
    pub(crate) by: u32,
    /// A column of which it is known at each place how far it reaches until there.
    pub(crate) reach: Option<u32>,
}

/// A copy of a relation that doesn't grow, in order: what a search finds is read from the first place to the last.
#[derive(Debug)]
pub(crate) struct OrderedIndex {
    order: Order,
    /// From a key to the places of its rows.
    groups: Index,
    arity: usize,
    len: u32,
    rows: Cells,
    /// By place the greatest word of the column that reaches furthest among the rows of the same key until there.
    reach: Vec<i64>,
}

impl OrderedIndex {
    /// The `len` rows of a relation in an order.
    pub(crate) fn new(order: Order, rows: Slice<'_>, arity: usize, len: u32) -> Self {
        let mut groups = Index::numbering(order.columns.clone(), arity);
        groups.extend(rows, arity, len);
        let word = |number: u32, column: u32| rows.at(number as usize * arity + column as usize).as_int();
        let mut sorted: Vec<(i64, u32)> = Vec::new();
        groups.for_each_group(|_, numbers| {
            sorted.clear();
            sorted.extend(numbers.iter().map(|number| (word(*number, order.by), *number)));
            sorted.sort_unstable();
            numbers.iter_mut().zip(&sorted).for_each(|(place, (_, number))| *place = *number);
        });
        let mut reach = vec![i64::MIN; if order.reach.is_some() { groups.entries() } else { 0 }];
        if let Some(column) = order.reach {
            groups.for_each_group(|start, numbers| {
                let mut furthest = i64::MIN;
                for (number, place) in numbers.iter().zip(reach.iter_mut().skip(start)) {
                    furthest = furthest.max(word(*number, column));
                    *place = furthest;
                }
            });
        }
        let numbers = groups.take_entries();
        let rows = match rows {
            Slice::Narrow(rows) => Cells::Narrow(in_order(rows, arity, &numbers)),
            Slice::Wide(rows) => Cells::Wide(in_order(rows, arity, &numbers)),
        };
        Self { order, groups, arity, len, rows, reach }
    }

    /// The order of the rows.
    pub(crate) fn order(&self) -> &Order {
        &self.order
    }

    /// How many rows of its relation are in.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The rows, place by place.
    #[inline]
    pub(crate) fn rows(&self) -> Slice<'_> {
        self.rows.view()
    }

    /// The places of a key's rows.
    #[inline]
    pub(crate) fn places(&self, key: &[Word]) -> Range<u32> {
        self.groups.place(key)
    }

    /// The word at a place by which the rows of a key ascend.
    #[inline]
    pub(crate) fn word(&self, place: u32) -> Word {
        self.rows().at(place as usize * self.arity + self.order.by as usize)
    }

    /// How far the rows of the same key reach until a place.
    #[inline]
    pub(crate) fn reach(&self, place: u32) -> Word {
        Word::from_int(*self.reach.get(place as usize).or_broken(PLACES))
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.groups.bytes() + self.rows.bytes() + self.reach.len() * size_of::<i64>()
    }
}

/// Rows one after the other in the order of their numbers.
fn in_order<C: Cell>(rows: &[C], arity: usize, numbers: &[u32]) -> Vec<C> {
    let mut copy = Vec::with_capacity(numbers.len() * arity);
    for number in numbers {
        let from = *number as usize * arity;
        copy.extend_from_slice(rows.get(from..from + arity).or_broken(PLACES));
    }
    copy
}
