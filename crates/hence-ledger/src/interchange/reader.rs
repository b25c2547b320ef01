//! What all formats share: the relation being read, the columns of a row, the faults so far.

use hence_core::diagnostic::{self, Diagnostic};
use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::meter::{Meter, Stopped};
use hence_core::schema::{Column, Relation};
use hence_core::span::Span;
use hence_core::value::Value;

use super::codes;
use super::faults::{Faults, Unread};
use super::field::Found;
use super::schemas::Schemas;

/// How `--facts` names a file, where it can: as the facts or the records of `relation`.
pub(super) fn option(file: &str, relation: Option<&str>) -> Option<String> {
    let path = match file {
        "<stdin>" => "-",
        other if other.starts_with('<') => return None,
        path => path,
    };
    let relation = relation.map(|relation| format!("{relation}=")).unwrap_or_default();
    Some(format!("`--facts {relation}{path}`"))
}

/// Takes the rows of one file in.
pub(super) struct Reader<'a, 's> {
    schemas: &'a Schemas<'s>,
    /// What messages call it.
    file: &'a str,
    /// Those of the rows before.
    facts: &'a mut Vec<Fact>,
    faults: Faults,
    unknown: Vec<String>,
    slots: Vec<Slot>,
    /// Looks at the limits row by row.
    meter: Meter,
    stopped: Option<Stopped>,
}

/// A column of the row being read.
#[derive(Clone, Copy)]
enum Slot {
    Empty,
    Filled(Value),
    Faulty,
}

impl<'a, 's> Reader<'a, 's> {
    /// A reader that adds the facts of `file` to `facts`.
    pub(super) fn new(schemas: &'a Schemas<'s>, file: &'a str, facts: &'a mut Vec<Fact>) -> Self {
        Self {
            schemas,
            file,
            facts,
            faults: Faults::default(),
            unknown: Vec::new(),
            slots: Vec::new(),
            meter: Meter::default(),
            stopped: None,
        }
    }

    /// Whether a limit was reached, so that no more is to be read.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// What it reads against.
    pub(super) fn schemas(&self) -> &'a Schemas<'s> {
        self.schemas
    }

    /// What messages call what is read.
    pub(super) fn file(&self) -> &'a str {
        self.file
    }

    /// Whether `name` is of no relation and was not reported yet; from now on it is.
    pub(super) fn is_new_unknown(&mut self, name: &str) -> bool {
        let is_new = self.schemas.lacks(name) && !self.unknown.iter().any(|known| known == name);
        if is_new {
            self.unknown.push(name.to_owned());
        }
        is_new
    }

    /// Adds the facts of rows that others have read.
    pub(super) fn add(&mut self, mut facts: Vec<Fact>) {
        self.facts.append(&mut facts);
    }

    /// How many facts there are.
    pub(super) fn count(&self) -> usize {
        self.facts.len()
    }

    /// Ends the file: its facts are all there, unless this is an error.
    pub(super) fn finish(self) -> Result<(), Unread> {
        match self.stopped {
            Some(stopped) => Err(Unread::Stopped(stopped)),
            None => self.faults.finish().map_err(Unread::Faults),
        }
    }

    /// The faults found so far.
    pub(super) fn faults(&mut self) -> &mut Faults {
        &mut self.faults
    }

    /// Reports a fault.
    pub(super) fn fault(&mut self, fault: Diagnostic) {
        self.faults.push(fault);
    }

    /// The relation called `name`. One that can't be asserted is reported where it first appears.
    pub(super) fn relation(&mut self, name: &str, place: Span) -> Option<&'s Relation> {
        match self.schemas.find(name) {
            Ok(relation) => Some(relation),
            Err(fault) => {
                if !self.unknown.iter().any(|known| known == name) {
                    self.unknown.push(name.to_owned());
                    self.fault(fault.at(place, ""));
                }
                None
            }
        }
    }

    /// Begins a row of a relation.
    pub(super) fn begin(&mut self, relation: &Relation) {
        let bound = self.meter.step().err();
        self.stopped = self.stopped.or(bound.map(|bound| Stopped { bound, doing: "reading facts" }));
        self.slots.clear();
        self.slots.resize(relation.columns.len(), Slot::Empty);
    }

    /// Whether the column at `at` is there already.
    pub(super) fn has(&self, at: usize) -> bool {
        !matches!(self.slots.get(at), None | Some(Slot::Empty))
    }

    /// Puts what was found into the column at `at`, where there is one.
    pub(super) fn put(&mut self, relation: &Relation, at: usize, found: &Found<'_>, place: Span) {
        let (Some(column), Some(slot)) = (relation.columns.get(at), self.slots.get_mut(at)) else { return };
        match found.value(&column.ty) {
            Ok(value) => *slot = Slot::Filled(value),
            Err(fault) => {
                *slot = Slot::Faulty;
                let label = format!("column `{}: {}` of `{}`", column.name, column.ty, relation.name);
                self.faults.push(fault.at(place, label));
            }
        }
    }

    /// Ends a row: adds its fact, with the defaults of the columns that it leaves out, or reports those that are
    /// missing.
    pub(super) fn end(&mut self, relation: &Relation, place: Span) {
        self.end_or(relation, place, &|missing| missing_columns(relation, missing));
    }

    /// The same; `fault` is what is said of the missing columns.
    pub(super) fn end_or(
        &mut self,
        relation: &Relation,
        place: Span,
        fault: &dyn Fn(&[&Column]) -> Diagnostic,
    ) {
        let missing: Vec<_> = self
            .slots
            .iter()
            .zip(&relation.columns)
            .filter(|(slot, column)| matches!(slot, Slot::Empty) && column.default.is_none())
            .map(|(_, column)| column)
            .collect();
        if !missing.is_empty() {
            self.faults.push(fault(&missing).at(place, ""));
        }
        if self.faults.is_empty() {
            let values = self.slots.iter().zip(&relation.columns).map(|(slot, column)| match slot {
                Slot::Filled(value) => Some(*value),
                Slot::Empty => column.default,
                Slot::Faulty => None,
            });
            let whole =
                |value: Option<Value>| value.or_broken("a row without faults has a value in every column");
            self.facts.push(Fact { relation: relation.name, values: values.map(whole).collect() });
        }
    }
}

/// Columns that a fact must have and doesn't.
pub(super) fn missing_columns(relation: &Relation, missing: &[&Column]) -> Diagnostic {
    let names: Vec<_> = missing.iter().map(|column| format!("`{column}`")).collect();
    let plural = if missing.len() == 1 { "column" } else { "columns" };
    let message = format!("missing {plural} {} of `{}`", names.join(", "), relation.name);
    Diagnostic::new(codes::MISSING_COLUMN, message).note(format!("the relation is `{relation}`"))
}

/// A column that the relation doesn't have.
pub(super) fn unknown_column(relation: &Relation, name: &str) -> Diagnostic {
    let message = format!("`{}` has no column `{name}`", relation.name);
    let fault = Diagnostic::new(codes::UNKNOWN_COLUMN, message);
    match diagnostic::nearest(name, relation.columns.iter().map(|column| column.name.as_str())) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => fault.note(format!("the relation is `{relation}`")),
    }
}

/// A duplicate column.
pub(super) fn duplicate_column(relation: &Relation, name: &str) -> Diagnostic {
    let message = format!("duplicate column `{name}` of `{}`", relation.name);
    Diagnostic::new(codes::DUPLICATE_COLUMN, message).help("keep one of them")
}

/// Another number of columns than the relation, or the head of its table, has.
pub(super) fn column_count(relation: &Relation, due: usize, found: usize) -> Diagnostic {
    let plural = if due == 1 { "column" } else { "columns" };
    let header = if due == relation.columns.len() { "" } else { " by the header of its table" };
    let message = format!("expected {due} {plural} for `{}`{header}, found {found}", relation.name);
    Diagnostic::new(codes::COLUMN_COUNT, message).note(format!("the relation is `{relation}`"))
}
