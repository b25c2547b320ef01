//! Rules as Soufflé, Mangle, Prolog, Rego and crepe write them, turned into the hence form for messages.

mod aggregate;
mod alternatives;
mod call;
mod clause;
mod construct;
mod declaration;
mod habit;
mod prolog;
mod python;
mod query;
mod scan;
mod select;
mod spelling;
mod sql;
mod statement;
mod value;
mod variable;

pub(super) use construct::names_columns;
pub(super) use declaration::{Declared, crepe, declared_in, mangle, souffle, type_name};
pub(super) use habit::{Habit, habit};
pub(super) use statement::statement;
pub(super) use variable::has_lower_variables;
pub use variable::variable_form;

use scan::{Piece, join, scan};

/// How long the first line of a clause is where it has an aggregate with `#` and ends the clause.
pub(super) fn hashed_line(text: &str) -> Option<usize> {
    let line = text.lines().next()?.trim_end();
    let marked = line
        .match_indices('#')
        .any(|(at, _)| spelling::hashed_aggregate(line.get(at..).unwrap_or("")).is_some());
    (marked && line.ends_with('.')).then_some(line.len())
}

/// Longer texts are not rewritten.
const LONGEST: usize = 400;

/// The hence form of one line, or of a part of a clause; `None` where it has nothing foreign.
pub(super) fn line(text: &str) -> Option<String> {
    rewritten(text, |pieces| {
        let pieces = clause::marks(call::functions(pieces));
        variable::lower_relations(clause::alternatives(pieces))
    })
}

/// The hence form of a whole clause, of one whose variables are written in lower case if that is said; `None`
/// where it has nothing foreign that is known.
pub(super) fn clause(text: &str, lower_variables: bool) -> Option<String> {
    rewritten(text, |pieces| {
        let pieces = clause::rego(pieces);
        let pieces = aggregate::souffle(aggregate::mangle(call::functions(pieces)));
        let pieces = variable::lower_relations(clause::marks(pieces));
        let pieces = if lower_variables { call::souffle(variable::raise_variables(pieces)) } else { pieces };
        clause::alternatives(pieces)
    })
}

fn rewritten(text: &str, change: impl Fn(Vec<Piece>) -> Vec<Piece>) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let pieces = scan(text);
    let before = join(&pieces);
    let pieces = change(pieces);
    if pieces.iter().any(|piece| piece.is(";")) {
        return None;
    }
    let after = join(&pieces);
    (before != after || text.contains('\'')).then_some(after)
}
