//! `from role, … as column, at column` of an input: the roles once each, the columns such as can hold a name and a time.

use hence_core::diagnostic::Diagnostic;
use hence_core::schema::Authors;
use hence_core::symbol::Symbol;
use hence_core::value::Type;
use hence_syntax::tree::{self, Ident};

use super::codes;
use super::draft::unknown_column;
use super::names::Entry;
use super::prose::a_column;
use super::values::error;

/// The role that the rules themselves have: an input that lists it takes effects.
pub(super) const RULES: &str = "rules";

/// Who may assert the facts of the input `entry`.
pub(super) fn authors(written: &tree::Authors, entry: &Entry, out: &mut Vec<Diagnostic>) -> Authors {
    let roles = roles(&written.roles, out);
    let column = written.column.and_then(|column| author_column(column, entry, out));
    let time = written.time.and_then(|column| time_column(column, entry, out));
    Authors { roles, column, time }
}

/// The roles that are written, each once.
pub(super) fn roles(written: &[Ident], out: &mut Vec<Diagnostic>) -> Vec<Symbol> {
    let mut roles: Vec<Ident> = Vec::new();
    for role in written {
        match roles.iter().find(|known| known.name == role.name) {
            Some(first) => out.push(
                Diagnostic::new(codes::ROLE_TWICE, format!("duplicate role `{}`", role.name))
                    .at(role.span, "again here")
                    .at(first.span, "first here")
                    .help("remove one of them"),
            ),
            None => roles.push(*role),
        }
    }
    roles.iter().map(|role| role.name).collect()
}

/// The column after `as`, which holds a string.
fn author_column(column: Ident, entry: &Entry, out: &mut Vec<Diagnostic>) -> Option<usize> {
    let help = "an author is a string: declare the column as `string`";
    column_of((column, Type::String), ("name an author", help), entry, out)
}

/// The column after `at`, which holds a time.
fn time_column(column: Ident, entry: &Entry, out: &mut Vec<Diagnostic>) -> Option<usize> {
    let help = "an instant is a time: declare the column as `time`";
    column_of((column, Type::Time), ("hold an instant", help), entry, out)
}

/// The position of a column, which has to be of this type to do what it is `wanted` for.
fn column_of(
    (column, due): (Ident, Type),
    (wanted, help): (&str, &str),
    entry: &Entry,
    out: &mut Vec<Diagnostic>,
) -> Option<usize> {
    let Some(at) = entry.column(column.name) else {
        out.push(unknown_column(entry, column));
        return None;
    };
    let slot = entry.columns.get(at)?;
    let ty = slot.ty.as_ref()?;
    if ty.ty == due {
        return Some(at);
    }
    let message = format!("the column `{}` is {} and can't {wanted}", column.name, a_column(ty));
    out.push(error(codes::WRONG_TYPE, message, column.span).at(slot.origin, "declared here").help(help));
    None
}
