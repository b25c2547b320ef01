//! A script that fills the tables of the inputs, derives, and compares every relation with what hence derives.

use hence_core::schema::RelationId;
use hence_core::span::Sources;
use hence_core::value::{Type, Value};
use hence_lang::ir::Program;

use super::body::Context;
use super::dialect::Dialect;
use super::refusal::UnsupportedConstruct;
use super::{input, inputs, kept, rule, statements, tables};

/// How many rows one statement adds.
const ROWS: usize = 500;

/// The rows of a relation.
pub type RelationRows<'a> = dyn Fn(RelationId) -> Vec<Vec<Value>> + 'a;

/// The script; `given` are the facts of the inputs, `derived` those of every relation. It changes nothing in the database:
/// its last row says `equal`, or it stops at the first relation that differs. In Spark, it replaces the schema `hence_test`
/// and drops it.
///
/// # Errors
/// Everything that SQL can't say with the same meaning.
pub fn equality(
    program: &Program,
    sources: &Sources,
    dialect: Dialect,
    (given, derived): (&RelationRows<'_>, &RelationRows<'_>),
) -> Result<String, Vec<UnsupportedConstruct>> {
    let context = Context { program, dialect, is_test: true, recursion: None };
    let mut out = String::from(
        "-- Made by `hence compile --sql --test`: compares the tables of a script with what hence derives.\n",
    );
    out.push_str(dialect.begin());
    out.push_str(&dialect.schema(context.schema()));
    for id in inputs(program) {
        let own = context.given(id);
        out.push_str(&format!("CREATE TABLE {own} ({});\n", input::declared(dialect, &program[id])));
        insert(&mut out, context, &own, given(id));
    }
    out.push_str(&statements(context, sources)?);
    kept(program).for_each(|id| compare(&mut out, context, id, derived(id)));
    let (drop, end) = match dialect {
        Dialect::DuckDb | Dialect::Postgres => (String::new(), "ROLLBACK"),
        Dialect::Spark => (format!("DROP SCHEMA {} CASCADE;\n", context.schema()), "END"),
    };
    out.push_str(&format!("\n{drop}SELECT 'equal' AS result;\n{end};\n"));
    Ok(out)
}

fn insert(out: &mut String, context: Context<'_>, table: &str, rows: Vec<Vec<Value>>) {
    let rows: Vec<String> = rows.iter().map(|values| rule::row(context, values)).collect();
    for some in rows.chunks(ROWS) {
        out.push_str(&format!("INSERT INTO {table} VALUES {};\n", some.join(", ")));
    }
}

fn compare(out: &mut String, context: Context<'_>, id: RelationId, rows: Vec<Vec<Value>>) {
    let (relation, dialect) = (&context.program[id], context.dialect);
    let (table, expected) = (context.table(id), context.own(&format!("__expected_{}", id.0)));
    out.push_str(&format!("\nCREATE TABLE {expected} ({});\n", input::declared(dialect, relation)));
    insert(out, context, &expected, rows);
    // The two zeros are equal as floats and differ as texts.
    let types: Vec<Type> = relation.types().collect();
    let column = |(at, name): (usize, String)| match types.get(at) {
        Some(Type::Float) => dialect.text_of(&name),
        _ => name,
    };
    let columns: Vec<String> =
        tables::columns(dialect, relation).into_iter().enumerate().map(column).collect();
    let columns = columns.join(", ");
    let beyond = |one: &str, other: &str| {
        format!("(SELECT {columns} FROM {one} EXCEPT SELECT {columns} FROM {other})")
    };
    let from = format!("({} UNION ALL {}) AS d", beyond(&table, &expected), beyond(&expected, &table));
    out.push_str(&dialect.stop(&format!("{} differs from what hence derives", relation.name), &from));
    let twice = format!(
        "(SELECT COUNT(*) AS number FROM {table}) AS a, (SELECT COUNT(*) AS number FROM {expected}) AS e"
    );
    out.push_str(&dialect.stop(
        &format!("{} holds a row twice", relation.name),
        &format!("{twice} WHERE a.number <> e.number"),
    ));
}
