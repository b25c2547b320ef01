//! The `crepe!` programs of a rule set, and what hands tables to them and takes their facts.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_lang::ir::{Program, Rule};

use super::Refusal;
use super::expression::Expressions;
use super::names;
use super::order::looked_up;
use super::rules::CrepeRule;
use super::stages::{Stages, arity, gathers, matches_table, open_columns};
use super::text::{Constants, indented, item};

/// The widest row that support code has a struct for, and so the widest whose sets are compiled once for all
/// relations; a wider relation gets a struct from crepe.
const WIDEST: usize = 24;

/// A relation of a `crepe!` program: its name, its table, its number of columns.
struct Shown {
    name: String,
    table: usize,
    arity: usize,
}

/// One program that is being written.
pub(super) struct CrepeProgram<'a, 'w> {
    program: &'a Program,
    stages: &'w Stages,
    at: usize,
    /// Relations that are read row by row only: from their tables, and so without a set of their own.
    scanned: BTreeSet<RelationId>,
}

impl<'a, 'w> CrepeProgram<'a, 'w> {
    /// The program at `at`; `None` where there is nothing for crepe to derive.
    pub(super) fn new(program: &'a Program, stages: &'w Stages, at: usize) -> Option<Self> {
        stages.rules_of(program, at).next()?;
        let looked_up: BTreeSet<RelationId> =
            stages.rules_of(program, at).flat_map(|(_, rule)| looked_up(rule)).collect();
        let read = stages.read_by(program, at).into_iter();
        let scanned = read.filter(|relation| !looked_up.contains(relation)).collect();
        Some(Self { program, stages, at, scanned })
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
        for (number, rule) in self.stages.rules_of(self.program, self.at) {
            let expressions = expressions.get_mut(number as usize).or_broken("each rule has its expressions");
            match CrepeRule::new(self.program, (number, rule), &self.scanned, expressions, constants).write()
            {
                Ok(text) => rules.push_str(&format!("\n{text}")),
                Err(refusal) => refused.push(refusal),
            }
        }
        if !refused.is_empty() {
            return Err(refused);
        }
        let mut out = format!("mod program_{} {{\n    use super::*;\n{}", self.at, self.structs());
        out.push_str("\n    crepe::crepe! {\n        @input\n        #[cfg(any())]\n        struct Source<'a>(Input<'a>);\n");
        for Shown { name, arity, .. } in self.outputs().into_iter().chain(self.sources()) {
            let shared = if arity <= WIDEST { "        #[cfg(any())]\n" } else { "" };
            let _ = writeln!(out, "        @output\n{shared}        struct {name}({});", words(arity));
        }
        for Shown { name, table, arity } in self.sources().into_iter().chain(self.given()) {
            let row = columns("c", arity).join(", ");
            let _ = writeln!(
                out,
                "\n        {name}({row}) <-\n            Source(input),\n            for [{row}] in input.rows({table});"
            );
        }
        out.push_str(&rules);
        let _ = write!(out, "    }}\n\n{}}}\n", indented(&self.function()));
        Ok(out)
    }

    fn shown(&self, relation: RelationId) -> Shown {
        let name = names::relation(self.program, relation);
        Shown { name, table: relation.0 as usize, arity: arity(self.program, relation) }
    }

    /// The relations that the program derives and of which facts come from outside, too.
    fn given(&self) -> Vec<Shown> {
        let derived = self.stages.derived_by(self.at).into_iter();
        derived.filter(|relation| self.stages.is_given(*relation)).map(|one| self.shown(one)).collect()
    }

    /// The relations that the program only reads, and needs as sets. They are outputs, too, because crepe takes an
    /// attribute on a struct with `@` only.
    fn sources(&self) -> Vec<Shown> {
        let read = self.stages.read_by(self.program, self.at).into_iter();
        read.filter(|relation| !self.scanned.contains(relation)).map(|one| self.shown(one)).collect()
    }

    fn outputs(&self) -> Vec<Shown> {
        let derived = self.stages.derived_by(self.at).into_iter().map(|one| self.shown(one));
        let rules = self.stages.rules_of(self.program, self.at).filter(|(_, rule)| gathers(rule));
        let matches = rules.map(|(number, rule)| Shown {
            name: format!("M{number}"),
            table: matches_table(self.program, number),
            arity: matches_arity(rule),
        });
        derived.chain(matches).collect()
    }

    /// The structs of the relations: one for all of a width, so that sets of them are compiled once.
    fn structs(&self) -> String {
        let all = self.sources().into_iter().chain(self.outputs()).filter(|one| one.arity <= WIDEST);
        let names: String = all.map(|one| format!("        Row{} as {},\n", one.arity, one.name)).collect();
        format!(
            "    // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.\n    \
            #[rustfmt::skip]\n    use super::{{\n{names}    }};\n"
        )
    }

    /// The function that runs the program over the tables.
    fn function(&self) -> String {
        let outputs = self.outputs();
        let mut out = String::from("pub(super) fn run(tables: &mut Tables, params: &[Word]) {\n");
        out.push_str(
            "    let mut crepe = Crepe::new();\n    crepe.extend([Source(Input::new(tables, params))]);\n",
        );
        let names: Vec<String> = outputs.iter().map(|one| names::snake(&one.name)).collect();
        let rest = if names.len() == 1 { "," } else { "" };
        let rest = if self.sources().is_empty() { rest } else { ", .." };
        let run = "crepe.run_with_hasher::<ahash::RandomState>()";
        let _ = writeln!(out, "    let ({}{rest}) = {run};", names.join(", "));
        for (Shown { table, arity, .. }, name) in outputs.iter().zip(names) {
            if *arity <= WIDEST {
                let _ = writeln!(out, "    tables.set({table}, &{name});");
            } else {
                let row: Vec<String> = (0..*arity).map(|at| format!("row.{at}")).collect();
                let rows = format!("{name}.iter().map(|row| [{}])", row.join(", "));
                let _ = writeln!(out, "    tables.set_wide({table}, {rows});");
            }
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
