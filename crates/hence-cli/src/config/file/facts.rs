//! `[facts]` of `hence.toml`: the files that hold records of the project's inputs, and the fields of their columns.

use std::path::{Component, Path, PathBuf};

use hence_ledger::interchange::Mapping;
use hence_session::RecordFile;

use super::super::settings::FACTS;
use super::super::values::Records;
use super::{DeTable, DeValue, Range, Reading, found, shown};

/// A column with its field, and where it stands.
type NamedColumn = ((String, String), Range<usize>);

/// What is said of a file of records.
const KEYS: [&str; 2] = ["file", "columns"];

impl Reading<'_> {
    /// `tool_run = { file = "runs.jsonl", columns = { tool = "tool_name" } }`, or only `tool_run = "runs.jsonl"`.
    pub(super) fn facts(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            let (relation, span) = (key.get_ref().to_string(), key.span());
            match value.get_ref() {
                DeValue::String(file) => self.records(relation, span, Some((file, value.span())), Vec::new()),
                DeValue::Table(inner) => self.records_of(relation, span, inner),
                other => {
                    let message = format!(
                        "`{FACTS}.{relation}`: expected a path, or a table such as `{{ file = \"runs.jsonl\" }}`, \
                        found {}",
                        found(other)
                    );
                    self.wrong(value.span(), message);
                }
            }
        }
    }

    fn records_of(&mut self, relation: String, key: Range<usize>, table: &DeTable<'_>) {
        let (mut file, mut columns) = (None, Vec::new());
        for (word, value) in table {
            let path = format!("{FACTS}.{relation}.{}", word.get_ref());
            match (word.get_ref().as_ref(), value.get_ref()) {
                ("file", DeValue::String(text)) => file = Some((text.as_ref(), value.span())),
                ("columns", DeValue::Table(inner)) => columns = self.columns(&path, inner),
                (name @ ("file" | "columns"), other) => {
                    let due = if name == "file" { "a path" } else { "a table of columns and fields" };
                    self.wrong(value.span(), format!("`{path}`: expected {due}, found {}", found(other)));
                }
                (name, _) => self.unknown(name, &path, word.span(), KEYS.to_vec()),
            }
        }
        self.records(relation, key, file, columns);
    }

    fn columns(&mut self, path: &str, table: &DeTable<'_>) -> Vec<NamedColumn> {
        let mut columns = Vec::new();
        for (column, value) in table {
            match value.get_ref() {
                DeValue::String(field) => {
                    columns.push(((column.get_ref().to_string(), field.to_string()), column.span()));
                }
                other => {
                    let name = column.get_ref();
                    let message =
                        format!("`{path}.{name}`: expected the name of a field, found {}", found(other));
                    self.wrong(value.span(), message);
                }
            }
        }
        columns
    }

    fn records(
        &mut self,
        relation: String,
        key: Range<usize>,
        file: Option<(&str, Range<usize>)>,
        columns: Vec<NamedColumn>,
    ) {
        let Some((file, place)) = file else {
            let message = format!("`{FACTS}.{relation}`: missing file; expected `file = \"…\"` with a path");
            return self.wrong(key, message);
        };
        if leaves(Path::new(file)) {
            let message = format!("`{FACTS}.{relation}`: `{file}` is outside the folder of this file");
            return self.wrong(place, message);
        }
        let origin = self.origin(self.span(key.clone()));
        let path = shown(&self.path.parent().unwrap_or(self.path).join(file));
        let (columns, column_keys) = columns.into_iter().unzip();
        let file = RecordFile { path, mapping: Mapping { relation, columns } };
        self.values.facts.push(Records { file, origin, key, place, column_keys });
    }
}

/// Whether a path is absolute or leads out of the folder that it is relative to.
fn leaves(path: &Path) -> bool {
    let mut below = PathBuf::new();
    path.components().any(|part| match part {
        Component::Normal(name) => {
            below.push(name);
            false
        }
        Component::CurDir => false,
        Component::ParentDir => !below.pop(),
        Component::RootDir | Component::Prefix(_) => true,
    })
}
