//! Inputs: a checked copy of each table that rules read, every row once.

use hence_core::literal::{FIRST_TIME, LAST_TIME};
use hence_core::schema::{Column, Relation, RelationId};
use hence_core::value::{Type, Value};

use super::body::Context;
use super::dialect::{Dialect, zero};
use super::tables::columns;

/// The columns of a relation's table as they are declared.
pub(super) fn declared(dialect: Dialect, relation: &Relation) -> String {
    let types: Vec<Type> = relation.types().collect();
    let ty = |at: usize| types.get(at).copied().unwrap_or(Type::Bool);
    let all = columns(dialect, relation).into_iter().enumerate();
    all.map(|(at, name)| format!("{name} {} NOT NULL", dialect.column(ty(at)))).collect::<Vec<_>>().join(", ")
}

/// What the table of an input is to have, for the reader of the script.
pub(super) fn described(dialect: Dialect, relation: &Relation) -> String {
    let unit = |ty| if matches!(ty, Type::Time | Type::Duration) { " of microseconds" } else { "" };
    let described = |(column, name): (&Column, String)| {
        format!("{name} {}{}", dialect.ty(column.ty.ty), unit(column.ty.ty))
    };
    let all: Vec<String> = relation.columns.iter().zip(columns(dialect, relation)).map(described).collect();
    let all = if all.is_empty() {
        format!("{} BOOLEAN, TRUE in its only row", dialect.identifier("_"))
    } else {
        all.join(", ")
    };
    format!("--   {} ({all})\n", dialect.identifier(relation.name.as_str()))
}

/// The statements that check the table of an input and copy it.
pub(super) fn copy(context: Context<'_>, id: RelationId) -> String {
    let (relation, dialect) = (&context.program[id], context.dialect);
    let (own, copy) = (context.given(id), context.table(id));
    let because = format!("a row of \"{}\" is no fact of the input", relation.name);
    let mut checks: Vec<String> = relation
        .columns
        .iter()
        .zip(columns(dialect, relation))
        .map(|(column, name)| check(dialect, column, &name))
        .collect();
    if checks.is_empty() {
        checks.push(dialect.identifier("_"));
    }
    let from = format!("{own} WHERE ({}) IS NOT TRUE", checks.join(" AND "));
    let mut out = dialect.stop(&because, &from);
    let values: Vec<String> = match relation.columns.len() {
        0 => columns(dialect, relation),
        _ => relation
            .types()
            .zip(columns(dialect, relation))
            .map(|(ty, name)| value(dialect, ty, name))
            .collect(),
    };
    out.push_str(&format!("INSERT INTO {copy} SELECT DISTINCT {} FROM {own};\n", values.join(", ")));
    if relation.name.as_str() == "now" {
        let from = format!("(SELECT COUNT(*) AS number FROM {copy}) AS c WHERE c.number <> 1");
        out.push_str(&dialect.stop("\"now\" has to hold one row, the instant of the evaluation", &from));
    }
    out
}

/// A value as rules know it.
fn value(dialect: Dialect, ty: Type, name: String) -> String {
    match ty {
        Type::Float => {
            let zero = dialect.literal(zero());
            format!("CASE WHEN {name} = {zero} THEN {zero} ELSE {name} END")
        }
        _ => compared(dialect, ty, name),
    }
}

/// A column whose texts are compared byte by byte, whatever its own collation.
fn compared(dialect: Dialect, ty: Type, name: String) -> String {
    if ty.is_text() { dialect.bytewise(&name) } else { name }
}

/// That a value of a column is one of the input's.
fn check(dialect: Dialect, column: &Column, name: &str) -> String {
    let ty = column.ty.ty;
    let accepted: Vec<String> = dialect.accepted(ty).iter().map(|ty| format!("'{ty}'")).collect();
    let is_typed = format!("{name} IS NOT NULL AND {} IN ({})", dialect.type_of(name), accepted.join(", "));
    let name = &compared(dialect, ty, name.to_owned());
    let more = match (ty, &column.ty.set) {
        (Type::Float, _) => dialect.is_finite(name),
        (Type::Time, _) => format!("{name} BETWEEN {FIRST_TIME} AND {LAST_TIME}"),
        (Type::Name, Some(set)) => {
            let members: Vec<String> =
                set.members.iter().map(|member| dialect.literal(Value::Name(*member))).collect();
            format!("{name} IN ({})", members.join(", "))
        }
        (Type::Name, None) => dialect.is_name(name),
        _ => return is_typed,
    };
    format!("{is_typed} AND {more}")
}
