//! Unknown, row by row: what certainly and what possibly follows where operations have no result.

mod agree;
mod random;
mod worlds;
