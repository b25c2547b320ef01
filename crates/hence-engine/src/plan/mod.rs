//! From a rule to the steps that find its matches: shapes, join order, compiled steps. Plans are data.

pub(crate) mod body;
mod bounds;
pub(crate) mod choice;
mod choose_order;
pub(crate) mod compile;
pub(crate) mod distinct;
pub(crate) mod expr;
pub(crate) mod frame;
pub(crate) mod head;
pub(crate) mod order;
pub(crate) mod roles;
pub(crate) mod shape;
pub(crate) mod show;
pub(crate) mod source;
mod start;
pub(crate) mod steps;
pub(crate) mod stratum;
mod work;
