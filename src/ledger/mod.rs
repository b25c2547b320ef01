//! The persisted fact base and decision log.

pub mod interchange;
