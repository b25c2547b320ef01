//! `from role, … as column` of an input: the roles once each, the column one that can hold a name.

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
    let column = written.column.and_then(|column| author_column(column, entry, out));
    Authors { roles: roles(&written.roles, out), column }
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

/// The column after `as`, which holds a string or a name.
fn author_column(column: Ident, entry: &Entry, out: &mut Vec<Diagnostic>) -> Option<usize> {
    let Some(at) = entry.column(column.name) else {
        out.push(unknown_column(entry, column));
        return None;
    };
    let slot = entry.columns.get(at)?;
    let ty = slot.ty.as_ref()?;
    if ty.ty == Type::String {
        return Some(at);
    }
    let message = format!("the column `{}` is {} and can't name an author", column.name, a_column(ty));
    out.push(
        error(codes::WRONG_TYPE, message, column.span)
            .at(slot.origin, "declared here")
            .help("an author is a string: declare the column as `string`"),
    );
    None
}
