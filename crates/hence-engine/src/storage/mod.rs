//! Tuples: sets, indexes, partitions. Storage knows no plan.

mod bit_set;
pub(crate) mod bitmap;
pub(crate) mod chain_index;
pub(crate) mod content;
pub(crate) mod distinct;
pub(crate) mod grouped;
pub(crate) mod hash;
pub(crate) mod index;
mod key_table;
pub(crate) mod ordered;
pub(crate) mod packed;
pub(crate) mod partition;
mod parts;
pub(crate) mod pending;
mod pieces;
pub(crate) mod relations;
pub(crate) mod row_interner;
pub(crate) mod row_table;
pub(crate) mod shard;
pub(crate) mod stable;
pub(crate) mod statistics;
pub(crate) mod threads;
pub(crate) mod tuple_set;
pub(crate) mod versioned;
pub(crate) mod view;
