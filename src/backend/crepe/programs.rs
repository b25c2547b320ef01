//! The `crepe!` programs of a rule set, and what hands tables to them and takes their facts.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::builtins::expr::ParamId;
use crate::ir::{Program, Rule};
use crate::schema::RelationId;

use super::Refusal;
use super::expression::Expressions;
use super::names;
use super::plan::{Plan, arity, gathers, matches_table, open_columns};
use super::rules::{CrepeRule, params_of};
use super::text::{Constants, indented, item};

/// A relation of a `crepe!` program: its name, its table, its number of columns.
struct Shown {
    name: String,
    table: usize,
    arity: usize,
}

/// One program that is being written.
pub(super) struct CrepeProgram<'a, 'w> {
    program: &'a Program,
    plan: &'w Plan,
    at: usize,
    params: BTreeSet<ParamId>,
}

impl<'a, 'w> CrepeProgram<'a, 'w> {
    /// The program at `at`.
    pub(super) fn new(program: &'a Program, plan: &'w Plan, at: usize) -> Self {
        let params = plan.rules_of(program, at).flat_map(|(_, rule)| params_of(rule)).collect();
        Self { program, plan, at, params }
    }

    /// The module with the program; the functions of its rules are written where they belong.
    ///
    /// # Errors
    /// What crepe can't say.
    pub(super) fn module(
        &self,
        expressions: &mut [Expressions<'a>],
        constants: &mut Constants,
    ) -> Result<String, Vec<Refusal>> {
        let (mut rules, mut refused) = (String::new(), Vec::new());
        for (number, rule) in self.plan.rules_of(self.program, self.at) {
            let Some(expressions) = expressions.get_mut(number as usize) else { continue };
            match CrepeRule::new(self.program, rule, number, expressions, constants).write(&self.params) {
                Ok(text) => rules.push_str(&format!("\n{text}")),
                Err(refusal) => refused.push(refusal),
            }
        }
        if !refused.is_empty() {
            return Err(refused);
        }
        let mut out = format!("mod program_{} {{\n    use super::*;\n\n    crepe::crepe! {{\n", self.at);
        if !self.params.is_empty() {
            let _ = writeln!(out, "        @input\n        struct Parameters({});", words(self.params.len()));
        }
        for (kind, shown) in [("input", self.inputs()), ("output", self.outputs())] {
            for one in shown {
                let _ = writeln!(out, "        @{kind}\n        struct {}({});", one.name, words(one.arity));
            }
        }
        for one in self.given() {
            let columns = columns("c", one.arity).join(", ");
            let _ = writeln!(
                out,
                "\n        {}({columns}) <-\n            {}({columns});",
                &one.name.replacen('G', "R", 1),
                one.name
            );
        }
        out.push_str(&rules);
        let _ = write!(out, "    }}\n\n{}}}\n", indented(&self.function()));
        Ok(out)
    }

    fn shown(&self, prefix: &str, relation: RelationId) -> Shown {
        let name = names::relation(self.program, relation).replacen('R', prefix, 1);
        Shown { name, table: relation.0 as usize, arity: arity(self.program, relation) }
    }

    /// The relations whose facts come from outside although the program derives them.
    fn given(&self) -> Vec<Shown> {
        let derived = self.plan.derived_by(self.at).into_iter();
        derived.filter(|relation| self.plan.is_given(*relation)).map(|one| self.shown("G", one)).collect()
    }

    fn inputs(&self) -> Vec<Shown> {
        let read = self.plan.read_by(self.program, self.at).into_iter().map(|one| self.shown("R", one));
        read.chain(self.given()).collect()
    }

    fn outputs(&self) -> Vec<Shown> {
        let derived = self.plan.derived_by(self.at).into_iter().map(|one| self.shown("R", one));
        let rules = self.plan.rules_of(self.program, self.at).filter(|(_, rule)| gathers(rule));
        let matches = rules.map(|(number, rule)| Shown {
            name: format!("M{number}"),
            table: matches_table(self.program, number),
            arity: matches_arity(rule),
        });
        derived.chain(matches).collect()
    }

    /// The function that runs the program over the tables.
    fn function(&self) -> String {
        let unused = if self.params.is_empty() { "_" } else { "" };
        let (inputs, outputs) = (self.inputs(), self.outputs());
        let idle = if inputs.is_empty() && outputs.is_empty() { "_" } else { "" };
        let mut out = format!("pub(super) fn run({idle}tables: &mut Tables, {unused}params: &[Word]) {{\n");
        let mutable = if inputs.is_empty() && self.params.is_empty() { "" } else { "mut " };
        let _ = writeln!(out, "    let {mutable}crepe = Crepe::new();");
        if !self.params.is_empty() {
            let _ = writeln!(out, "    let m = Match {{ vars: &[], params }};");
            let params: Vec<String> =
                self.params.iter().map(|param| format!("m.param({})", param.0)).collect();
            let _ = writeln!(out, "    crepe.extend([Parameters({})]);", params.join(", "));
        }
        for Shown { name, table, arity } in inputs {
            let row = columns("c", arity).join(", ");
            let _ = writeln!(out, "    crepe.extend(tables.rows({table}).map(|[{row}]| {name}({row})));");
        }
        let names: Vec<String> = outputs.iter().map(|one| names::snake(&one.name)).collect();
        if names.is_empty() {
            out.push_str("    crepe.run_with_hasher::<ahash::RandomState>();\n");
        } else {
            let comma = if names.len() == 1 { "," } else { "" };
            let run = "crepe.run_with_hasher::<ahash::RandomState>()";
            let _ = writeln!(out, "    let ({}{comma}) = {run};", names.join(", "));
        }
        for (one, name) in outputs.iter().zip(names) {
            let row: Vec<String> = (0..one.arity).map(|at| format!("row.{at}")).collect();
            let row = row.join(", ");
            let _ = writeln!(out, "    tables.set({}, {name}.iter().map(|row| [{row}]));", one.table);
        }
        out.push_str("}\n");
        item(&out, 2)
    }
}

/// How many columns the matches of a rule have.
pub(super) fn matches_arity(rule: &Rule) -> usize {
    (rule.variables.len() + open_columns(rule)).max(1)
}

fn words(count: usize) -> String {
    vec!["Word"; count].join(", ")
}

fn columns(name: &str, count: usize) -> Vec<String> {
    (0..count).map(|at| format!("{name}{at}")).collect()
}
