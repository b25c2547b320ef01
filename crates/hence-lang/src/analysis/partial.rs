//! Facts that a test gives in part (`p(a: 1, ..)`): what stands in the columns that they leave out.

use std::collections::BTreeSet;

use hence_core::schema::{ColumnType, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Type, Value};

use super::checked::Given;
use super::names::{Entry, Slot};

/// The instant that stands in a column of type `time`: 2026-01-01T00:00:00Z, as in a test that sets no clock.
const INSTANT: i64 = 1_767_225_600_000_000;

/// The values that facts left out so far.
#[derive(Default)]
pub(super) struct Filler {
    /// Those that the test itself writes, by relation and column.
    written: BTreeSet<(RelationId, usize, Value)>,
    /// The number of the last fact with an id filled in.
    last: i64,
}

impl Filler {
    /// Notes the values that a fact states: no id that is filled in is one of them.
    pub(super) fn note(&mut self, relation: RelationId, values: &[Option<Value>]) {
        let stated = values.iter().enumerate().filter_map(|(at, value)| Some((relation, at, (*value)?)));
        self.written.extend(stated);
    }

    /// Fills the columns that `given` leaves out; `None` where the type of one isn't known.
    pub(super) fn fill(&mut self, entry: &Entry, given: &mut Given) -> Option<()> {
        let columns = || given.filled.iter().filter_map(|at| Some((*at, entry.columns.get(*at)?)));
        let ids: Vec<_> = columns().filter(|(at, slot)| is_id(*at, slot)).collect();
        let taken = |number: i64| {
            ids.iter().any(|(at, slot)| {
                let id = slot.ty.as_ref().and_then(|ty| numbered(slot.name, ty, number));
                id.is_some_and(|id| self.written.contains(&(given.relation, *at, id)))
            })
        };
        let number = if ids.is_empty() { 0 } else { (self.last + 1..).find(|number| !taken(*number))? };
        self.last = self.last.max(number);
        let mut values = given.values.clone();
        for (at, slot) in columns() {
            let ty = slot.ty.as_ref()?;
            let id = if is_id(at, slot) { numbered(slot.name, ty, number) } else { None };
            *values.get_mut(at)? = id.unwrap_or_else(|| fixed(ty));
        }
        given.values = values;
        Some(())
    }
}

/// Whether a column tells facts apart: the first one, and those called `id` or `…_id`.
fn is_id(at: usize, slot: &Slot) -> bool {
    let name = slot.name.as_str();
    let plain = slot.ty.as_ref().is_some_and(|ty| ty.set.is_none());
    plain && (at == 0 || name == "id" || name.ends_with("_id"))
}

/// The id of a fact: its number, in the form of the column's type.
fn numbered(column: Symbol, ty: &ColumnType, number: i64) -> Option<Value> {
    match ty.ty {
        Type::Int => Some(Value::Int(number)),
        Type::String => Some(Value::String(Symbol::new(&format!("{column}_{number}")))),
        Type::Name => Some(Value::Name(Symbol::new(&format!("/{column}_{number}")))),
        _ => None,
    }
}

/// The value that stands for every other one of its type.
fn fixed(ty: &ColumnType) -> Value {
    let first = ty.set.as_ref().and_then(|set| set.members.first());
    match ty.ty {
        Type::Bool => Value::Bool(false),
        Type::Int => Value::Int(0),
        Type::Float => Value::Float(Float::ZERO),
        Type::String => Value::String(Symbol::new("")),
        Type::Name => Value::Name(first.copied().unwrap_or_else(|| Symbol::new("/any"))),
        Type::Time => Value::Time(INSTANT),
        Type::Duration => Value::Duration(0),
        Type::List(_) => hence_core::list::of([]),
    }
}
