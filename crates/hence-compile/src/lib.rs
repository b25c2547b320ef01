//! From a program to SQL ([`sql`]), or to a Rust module: `crepe!` programs for what lies between aggregates and limits, those between
//! them, and typed structs around all of it.
//!
//! What an undefined operation means is kept apart from the `crepe!` rules: they only note that a rule met
//! one, and such a rule is then matched once more over the final facts, from a description of it, to tell exactly
//! which of its matches have none while everything that doesn't depend on it holds.

mod expression;
mod fingerprint;
mod names;
mod operations;
mod order;
mod programs;
mod rules;
mod shapes;
pub mod sql;
mod stages;
mod text;
mod typed;

use std::fmt::Write as _;

use hence_core::fault::broken;
use hence_core::schema::{Kind, RelationId};
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::ir::{GroundFact, Program};

use expression::Expressions;
pub use fingerprint::{ProgramPart, fingerprint};
pub use operations::undefined;
use programs::{CrepeProgram, matches_arity};
use shapes::{Shape, is_needed};
use stages::{Stages, arity, gathers, matches_table};
use text::{Constants, doc, indented};
use typed::Typed;

/// How a module is written.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The name of the rule set.
    pub name: &'a str,
    /// What it is for, in a sentence.
    pub about: &'a str,
    /// Where the code finds `support`: `hence::packs`, or `crate` inside that crate.
    pub root: &'a str,
}

/// The texts of a rule set.
#[derive(Clone, Debug)]
pub struct Texts<'a> {
    /// All files, for the places of operations.
    pub sources: &'a Sources,
    /// Of each file the declarations and rules, which say again what was compiled.
    pub items: Vec<Vec<&'a str>>,
}

/// A construct that can't be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Where it is.
    pub span: Span,
    /// What it is.
    pub construct: String,
}

/// The module of a program, as text.
///
/// # Errors
/// Everything that crepe can't say.
pub fn compile(program: &Program, texts: &Texts<'_>, options: &Options<'_>) -> Result<String, Vec<Refusal>> {
    let sources = texts.sources;
    let stages = Stages::new(program);
    let mut constants = Constants::default();
    let mut expressions: Vec<Expressions<'_>> =
        (0..).zip(&program.rules).map(|(number, rule)| Expressions::new(program, rule, number)).collect();
    let (mut modules, mut refused) = (String::new(), Vec::new());
    for at in 0..stages.programs {
        let Some(part) = CrepeProgram::new(program, &stages, at) else { continue };
        match part.module(&mut expressions, &mut constants) {
            Ok(text) => modules.push_str(&format!("\n{text}")),
            Err(refusals) => refused.extend(refusals),
        }
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    let mut shapes = String::new();
    for ((number, rule), expressions) in (0..).zip(&program.rules).zip(&mut expressions) {
        if is_needed(rule) {
            let constants = &mut constants;
            let shape = Shape { sources, rule, number, expressions, constants };
            shapes.push_str(&format!("\n{}", shape.write()));
        }
    }
    let functions: Vec<String> = expressions
        .into_iter()
        .zip(&program.rules)
        .filter(|(expressions, _)| !expressions.out.is_empty())
        .map(|(expressions, rule)| format!("// {}\n{}", rule.id, expressions.out))
        .collect();
    let mut compiled = pack(program, &stages, options);
    let constants = constants.show();
    for part in [constants.trim_end(), functions.concat().trim_end()].iter().filter(|part| !part.is_empty()) {
        let _ = writeln!(compiled, "\n{part}");
    }
    compiled.push_str(&shapes);
    compiled.push_str(&modules);
    compiled.push_str(&items(texts));
    Ok(format!(
        "{}{}\n{}{}}}\n",
        head(options),
        Typed::write(program),
        compiled_head(options),
        indented(&compiled)
    ))
}

fn head(options: &Options<'_>) -> String {
    let about = doc(options.about, "Compiled rules.", "").replace("///", "//!");
    let root = options.root;
    let allow = "#[allow(unused_imports, reason = \"which are needed follows the rules\")]";
    format!(
        "//! `{}`, compiled by `hence compile`: edit the rules, not this file.\n//!\n{about}\n\
         {allow}\nuse {root}::support::{{BadFact, BadParam, Bounds, Column, Columns, Name, Record, Row, RunError}};\n\
         {allow}\nuse {root}::support::{{Symbol, Tables, Undetermined, Word, broken, drawn, fill}};\n\npub use compiled::PACK;\n\n",
        options.name,
    )
}

fn compiled_head(options: &Options<'_>) -> String {
    format!(
        "#[allow(\n    dead_code,\n    unused_imports,\n    unreachable_pub,\n    clippy::all,\n    \
         reason = \"what crepe makes of rules, and which names they need\"\n)]\n\
         mod compiled {{\n    use {}::support::*;\n\n",
        options.root
    )
}

/// The description of the rule set, its facts, and the order of its programs.
fn pack(program: &Program, stages: &Stages, options: &Options<'_>) -> String {
    let gathering = program.rules.iter().filter(|rule| gathers(rule));
    let relations = (0..program.relations.len() as u32).map(|id| arity(program, RelationId(id)));
    let arities: Vec<String> =
        relations.chain(gathering.map(matches_arity)).map(|arity| arity.to_string()).collect();
    let numbered = || (0_u32..).zip(&program.rules);
    let rules: Vec<String> =
        numbered().filter(|(_, rule)| is_needed(rule)).map(|(number, _)| format!("&RULE_{number}")).collect();
    let mut run = String::new();
    for at in 0..stages.programs {
        if stages.rules_of(program, at).next().is_some() {
            let _ = writeln!(run, "    program_{at}::run(tables, params);");
        }
        for (number, rule) in stages.rules_of(program, at).filter(|(_, rule)| gathers(rule)) {
            let with = if rule.limit.is_some() { "limit" } else { "aggregate" };
            let table = matches_table(program, number);
            let _ = writeln!(run, "    {with}(tables, {table}, &RULE_{number}, params);");
        }
    }
    format!(
        "/// These rules, as an engine runs them.\n#[rustfmt::skip]\npub static PACK: Pack = Pack {{\n    name: {:?},\n    \
         fingerprint: {:?},\n    relations: &{:?},\n    params: &{:?},\n    rule_ids: &{:?},\n    arities: &[{}],\n    \
         rules: &[{}],\n    decisions: &{:?},\n    texts: &ITEMS,\n    facts,\n    run,\n}};\n\n\
         fn run(tables: &mut Tables, params: &[Word]) {{\n{run}}}\n\n{}",
        options.name,
        fingerprint(program),
        words(program.relations.iter().map(|relation| relation.name)),
        words(program.params.iter().map(|param| param.name)),
        words(program.rules.iter().map(|rule| rule.id)),
        arities.join(", "),
        rules.join(", "),
        decisions(program),
        facts(program),
    )
}

fn decisions(program: &Program) -> Vec<&'static str> {
    let decisions = program.relations.iter().filter(|relation| relation.kind == Kind::Decision);
    let mut names = words(decisions.map(|relation| relation.name));
    names.sort_unstable();
    names
}

/// The declarations and rules, file by file.
fn items(texts: &Texts<'_>) -> String {
    let item = |item: &&str| format!("        {:?},\n", format!("{item}\n"));
    let file =
        |items: &Vec<&str>| format!("    concat!(\n{}    ),\n", items.iter().map(item).collect::<String>());
    let files: String = texts.items.iter().map(file).collect();
    let count = texts.items.len();
    format!("\n/// The rules as text.\n#[rustfmt::skip]\nstatic ITEMS: [&str; {count}] = [\n{files}];\n")
}

fn words(names: impl Iterator<Item = Symbol>) -> Vec<&'static str> {
    names.map(Symbol::as_str).collect()
}

/// The facts of the rule files, a table a relation.
fn facts(program: &Program) -> String {
    let (mut tables, mut fill) = (String::new(), String::new());
    for (id, relation) in program.relations.iter().enumerate() {
        let own: Vec<&GroundFact> =
            program.facts.iter().filter(|fact| fact.relation.0 as usize == id).collect();
        if own.is_empty() {
            continue;
        }
        let rows: String = own.iter().map(|fact| format!("    [{}],\n", row(&fact.values))).collect();
        let _ = write!(
            tables,
            "\n/// The facts of `{}`.\n#[rustfmt::skip]\nstatic FACTS_{id}: [[Cell; {}]; {}] = [\n{rows}];\n",
            relation.name,
            relation.columns.len(),
            own.len()
        );
        let _ = writeln!(fill, "    tables.facts({id}, &FACTS_{id});");
    }
    if fill.is_empty() {
        return String::from("fn facts(_: &mut Tables) {}\n");
    }
    format!("fn facts(tables: &mut Tables) {{\n{fill}}}\n{tables}")
}

fn row(values: &[Value]) -> String {
    let cell = |value: &Value| match value {
        Value::Bool(value) => format!("Cell::B({value})"),
        Value::Int(value) | Value::Time(value) | Value::Duration(value) => format!("Cell::I({value})"),
        Value::Float(value) => format!("Cell::F({:?})", value.get()),
        Value::List(_) => broken("a column of a relation holds no list"),
        Value::String(text) | Value::Name(text) => format!("Cell::T({:?})", text.as_str()),
    };
    values.iter().map(cell).collect::<Vec<_>>().join(", ")
}
