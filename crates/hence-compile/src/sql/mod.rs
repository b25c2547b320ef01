//! From a program to a script of SQL that derives the same facts where the tables of its inputs lie.
//!
//! ```text
//!  tables of inputs ─► checked copies, every row once ─► a table for each derived relation, stratum by stratum
//! ```
//!
//! The script is one transaction. It ends with the facts that hence derives, or it stops and changes nothing: where a row is
//! no fact of its input, or where an operation has no result for a match. In Spark, which has no transaction, it is one
//! compound statement, and a relation gets its name when all are derived. What SQL can't say with the same meaning is refused
//! before ([`UnsupportedConstruct`]).

mod aggregate;
mod body;
mod dialect;
mod equality;
mod expression;
mod input;
mod operation;
mod refusal;
mod rule;
mod spark;
mod stratum;
mod tables;

use std::collections::BTreeSet;

use hence_core::schema::{Kind, RelationId};
use hence_core::span::Sources;
use hence_lang::ir::Program;

use body::Context;
pub use dialect::Dialect;
pub use equality::{RelationRows, equality};
pub use refusal::UnsupportedConstruct;
use stratum::Script;

/// The script of a program; `sources` are the texts of its rules, for messages.
///
/// # Errors
/// Everything that SQL can't say with the same meaning.
pub fn script(
    program: &Program,
    sources: &Sources,
    dialect: Dialect,
) -> Result<String, Vec<UnsupportedConstruct>> {
    let context = Context { program, dialect, is_test: false, recursion: None };
    let text = statements(context, sources)?;
    let (begin, schema) = (dialect.begin(), dialect.schema(context.schema()));
    let end = match dialect {
        Dialect::DuckDb | Dialect::Postgres => String::from("COMMIT;\n"),
        Dialect::Spark => format!("{}END;\n", context.publish(kept(program))),
    };
    Ok(format!("{}{begin}{schema}{text}\n{end}", head(program, dialect)))
}

/// The relations that have a table.
fn kept(program: &Program) -> impl Iterator<Item = RelationId> {
    let inputs = inputs(program);
    let all = (0..).map(RelationId).take(program.relations.len());
    all.filter(move |id| program[*id].kind != Kind::Input || inputs.contains(id))
}

/// The statements that make the tables and fill them.
fn statements(context: Context<'_>, sources: &Sources) -> Result<String, Vec<UnsupportedConstruct>> {
    let program = context.program;
    let mut refused = tables::faults(program);
    let mut out = String::new();
    for id in kept(program) {
        let columns = input::declared(context.dialect, &program[id]);
        out.push_str(&format!("CREATE TABLE {} ({columns});\n", context.table(id)));
    }
    inputs(program).iter().for_each(|id| out.push_str(&format!("\n{}", input::copy(context, *id))));
    for stratum in &program.strata {
        match (Script { context, sources, stratum }).write() {
            Ok(text) => out.push_str(&text),
            Err(refusals) => refused.extend(refusals),
        }
    }
    if refused.is_empty() { Ok(out) } else { Err(once(refused)) }
}

/// Each refusal once: rules that were made of one rule are refused for the same place.
fn once(refused: Vec<UnsupportedConstruct>) -> Vec<UnsupportedConstruct> {
    let mut found: Vec<UnsupportedConstruct> = Vec::new();
    for refusal in refused {
        if !found.contains(&refusal) {
            found.push(refusal);
        }
    }
    found
}

/// What the script reads and makes, for its reader.
fn head(program: &Program, dialect: Dialect) -> String {
    let inputs: String = inputs(program).iter().map(|id| input::described(dialect, &program[*id])).collect();
    format!(
        "-- Made by `hence compile --sql`: edit the rules, not this script.\n\
         -- It reads these tables and changes none of them:\n{inputs}{}",
        match dialect {
            Dialect::DuckDb | Dialect::Postgres =>
                "-- It replaces the schema \"hence\", in which each relation is a table, or stops and changes nothing.\n",
            Dialect::Spark =>
                "-- It replaces the schema `hence`, in which each relation is a table, or stops, and no relation is one.\n",
        }
    )
}

/// The inputs that rules read or add to.
fn inputs(program: &Program) -> BTreeSet<RelationId> {
    let used = program.rules.iter().flat_map(|rule| rule.reads().chain([rule.head]));
    used.filter(|id| program[*id].kind == Kind::Input).collect()
}
