//! Facts recorded under some columns, read and written under others: columns go by name.

use std::collections::BTreeSet;

use hence_core::fault::OrBroken as _;
use hence_core::schema::{Column, ColumnType};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value, Word};

use super::schemas::{Recorded, nameless};

/// How declared columns differ from recorded ones in a way that no fact can be read across.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnDifference {
    /// A recorded column isn't declared any more.
    Removed(Column),
    /// A column is of another type.
    Retyped(Column, ColumnType),
    /// A declared column isn't recorded and has no default.
    New(Column),
}

/// What the facts of a relation are under the columns that rules declare, and back.
///
/// A fact that is older than a column has the default that the column was declared with when the first fact with it was
/// recorded, whatever its default became since; until one is recorded, the default that is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recast {
    /// The columns that are recorded, or will be with the next fact: those that are new come last.
    columns: Vec<Column>,
    types: Vec<Type>,
    /// How many values the oldest facts hold at least.
    least: usize,
    declared: Vec<Column>,
    /// For each declared column, its place among the recorded ones.
    places: Vec<usize>,
    /// Whether both are the same.
    plain: bool,
    /// Whether a recorded fact may hold a name that a declared closed set has lost.
    narrowed: bool,
    /// Whether the columns are others than those recorded.
    changed: bool,
}

impl Recast {
    /// The facts as they are.
    pub fn plain(declared: &[Column]) -> Self {
        Self::over(Recorded::of(declared), declared, (0..declared.len()).collect())
    }

    /// How facts with the columns `recorded` are read under those that are `declared`.
    ///
    /// # Errors
    /// How they differ, where they can't.
    pub fn between(recorded: &Recorded, declared: &[Column]) -> Result<Self, Vec<ColumnDifference>> {
        let differences = differences(&recorded.columns, declared);
        if !differences.is_empty() {
            return Err(differences);
        }
        let mut grown = recorded.clone();
        let mut places = Vec::with_capacity(declared.len());
        for column in declared {
            let known = grown.columns.iter().position(|known| known.name == column.name);
            places.push(known.unwrap_or(grown.columns.len()));
            if known.is_none() {
                grown.columns.push(nameless(column));
            }
        }
        let recast = Self::over(grown, declared, places);
        let same = |(new, old): (&Column, &Column)| takes_all(new, old) && takes_all(old, new);
        let changed = recast.columns.len() != recorded.columns.len()
            || !recast.columns.iter().zip(&recorded.columns).all(same);
        Ok(Self { changed, ..recast })
    }

    fn over(recorded: Recorded, declared: &[Column], places: Vec<usize>) -> Self {
        let Recorded { mut columns, least, .. } = recorded;
        let mut narrowed = false;
        for (column, place) in declared.iter().zip(&places) {
            let held = columns.get_mut(*place).or_broken("each declared column has a recorded one");
            narrowed |= !takes_all(column, held);
            held.ty = nameless(column).ty;
        }
        let plain = least == columns.len() && places.iter().copied().eq(0..columns.len());
        let types = columns.iter().map(|column| column.ty.ty).collect();
        Self { columns, types, least, declared: declared.to_vec(), places, plain, narrowed, changed: false }
    }

    /// Whether facts are the same under both.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Whether a recorded fact may hold a name that a declared closed set has lost.
    pub fn is_narrowed(&self) -> bool {
        self.narrowed
    }

    /// Whether the next fact is recorded with other columns than those before.
    pub fn is_changed(&self) -> bool {
        self.changed
    }

    /// The columns with which the next fact is recorded: those recorded, then what is new.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// A recorded fact under the declared columns; `None` where it doesn't fit them.
    pub fn read(&self, values: &[Value]) -> Option<Vec<Value>> {
        let fits = (self.least..=self.types.len()).contains(&values.len())
            && values.iter().zip(&self.types).all(|(value, ty)| value.ty() == *ty);
        let cell = |(place, column): (&usize, &Column)| {
            let value = values.get(*place).copied().or_else(|| self.default(*place));
            value.filter(|value| column.ty.admits(*value))
        };
        if fits { self.places.iter().zip(&self.declared).map(cell).collect() } else { None }
    }

    /// The declared columns in which a recorded fact of so many values has the default.
    pub fn defaults(&self, held: usize) -> Vec<Symbol> {
        let columns = self.declared.iter().zip(&self.places).filter(|(_, place)| **place >= held);
        columns.map(|(column, _)| column.name).collect()
    }

    /// The forms in which a fact of the declared columns may be recorded: first with every value, then without those
    /// that are defaults, as facts that are older than their columns. None for what isn't a fact of these columns.
    pub fn forms(&self, values: &[Value]) -> Vec<Vec<Value>> {
        if values.len() != self.places.len() {
            return Vec::new();
        }
        let mut cells: Vec<(usize, Value, bool)> = self
            .places
            .iter()
            .zip(values)
            .map(|(place, value)| (*place, *value, self.default(*place) == Some(*value)))
            .collect();
        cells.sort_unstable_by_key(|(place, ..)| *place);
        let held = |cells: &[(usize, Value, bool)]| cells.iter().map(|(_, value, _)| *value).collect();
        let mut forms = vec![held(&cells)];
        while cells.len() > self.least && cells.pop().is_some_and(|(.., is_default)| is_default) {
            forms.push(held(&cells));
        }
        forms
    }

    /// The value of facts that are older than the recorded column at a place.
    fn default(&self, place: usize) -> Option<Value> {
        self.columns.get(place).and_then(|column| column.default)
    }

    /// The types of the recorded columns.
    pub(crate) fn types(&self) -> &[Type] {
        &self.types
    }

    /// How many of the first `wanted` declared columns lead every recorded fact, too.
    pub(crate) fn leading(&self, wanted: usize) -> usize {
        let leads = |(at, place): &(usize, &usize)| at == *place && *at < self.least;
        self.places.iter().take(wanted).enumerate().take_while(leads).count()
    }

    /// The words of a recorded fact under the declared columns; `false` where it lacks one.
    pub(crate) fn words(&self, recorded: &[Word], out: &mut Vec<Word>) -> bool {
        out.clear();
        let default = |place: usize| self.default(place).map(Value::word);
        let cells = self.places.iter().map(|place| recorded.get(*place).copied().or_else(|| default(*place)));
        out.extend(cells.flatten());
        recorded.len() >= self.least && out.len() == self.places.len()
    }
}

fn differences(recorded: &[Column], declared: &[Column]) -> Vec<ColumnDifference> {
    let of = |columns: &[Column], name: Symbol| columns.iter().find(|column| column.name == name).cloned();
    let mut found = Vec::new();
    for column in recorded {
        match of(declared, column.name) {
            None => found.push(ColumnDifference::Removed(column.clone())),
            Some(wanted) if wanted.ty.ty != column.ty.ty => {
                found.push(ColumnDifference::Retyped(column.clone(), wanted.ty));
            }
            Some(_) => {}
        }
    }
    for column in declared {
        if column.default.is_none() && of(recorded, column.name).is_none() {
            found.push(ColumnDifference::New(column.clone()));
        }
    }
    found
}

/// Whether a declared column takes every value that a recorded one may hold.
fn takes_all(declared: &Column, recorded: &Column) -> bool {
    match (&declared.ty.set, &recorded.ty.set) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(now), Some(then)) => {
            let now: BTreeSet<Symbol> = now.members.iter().copied().collect();
            then.members.iter().all(|member| now.contains(member))
        }
    }
}
