//! Small pieces of the sentences that diagnostics are made of.

use std::fmt::Display;

use hence_core::schema::ColumnType;
use hence_core::value::Type;

/// A type with its article: `an int`, `a float`.
pub(super) fn a(ty: Type) -> String {
    let article = if ty == Type::Int { "an" } else { "a" };
    format!("{article} {ty}")
}

/// A column's type with its article; a closed set by its name or its members.
pub(super) fn a_column(ty: &ColumnType) -> String {
    if ty.element().is_some() {
        return format!("a `{ty}`");
    }
    match &ty.set {
        Some(_) => format!("one of `{ty}`"),
        None => a(ty.ty),
    }
}

/// A number of things: `1 column`, `3 columns`.
pub(super) fn count(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// A list in prose: `a, b or c`.
pub(super) fn list<T: Display>(items: &[T], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.to_string(),
        [init @ .., end] => {
            let init: Vec<_> = init.iter().map(ToString::to_string).collect();
            format!("{} {last} {end}", init.join(", "))
        }
    }
}

/// The first and the last of many steps, and how many between are left out: nobody reads more.
pub(super) fn ends<T>(steps: &[T]) -> (impl Iterator<Item = &T>, usize) {
    let kept = if steps.len() > 2 * ENDS { ENDS } else { steps.len() };
    let (first, rest) = steps.split_at(kept);
    let left_out = rest.len().saturating_sub(ENDS);
    (first.iter().chain(rest.iter().skip(left_out)), left_out)
}

/// How many steps are shown at each end.
const ENDS: usize = 8;
