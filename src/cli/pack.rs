//! `hence pack`: the rule packs in the binary.

use std::io::Write;

use clap::{Args, Subcommand};

use crate::schema::Kind;
use crate::session::{RuleSource, shipped};

use super::output;
use super::{DONE, Outcome};

/// List the shipped packs, or show one: what it reads, decides and can be set
#[derive(Debug, Args)]
#[command(after_help = "Example: hence pack show tool_scoring")]
pub(super) struct Pack {
    #[command(subcommand)]
    command: PackCommand,
}

#[derive(Debug, Subcommand)]
enum PackCommand {
    /// List the shipped packs
    List,
    /// Show a pack's relations and parameters
    Show {
        /// The pack
        name: String,
    },
}

impl Pack {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            PackCommand::List => list(),
            PackCommand::Show { name } => show(&name),
        }
    }
}

fn list() -> Outcome {
    let mut out = anstream::stdout().lock();
    for pack in shipped::packs() {
        writeln!(out, "{pack}: {}", shipped::about(pack))?;
    }
    Ok(DONE)
}

fn show(name: &str) -> Outcome {
    let rules = RuleSource { packs: vec![name.to_owned()], ..RuleSource::default() }.build()?;
    let mut out = anstream::stdout().lock();
    writeln!(out, "{name}: {}\n", shipped::about(name))?;
    for (kind, title) in [(Kind::Input, "reads"), (Kind::Decision, "decides"), (Kind::Derived, "derives")] {
        let rows: Vec<Vec<String>> = rules
            .program
            .relations
            .iter()
            .filter(|relation| relation.kind == kind)
            .map(|relation| vec![relation.to_string(), relation.doc.replace('\n', " ")])
            .collect();
        writeln!(out, "{}\n", output::table(&[title.to_owned(), String::new()], &rows))?;
    }
    let params: Vec<Vec<String>> = rules
        .program
        .params
        .iter()
        .map(|param| {
            vec![format!("{}: {} = {}", param.name, param.ty, param.value), param.doc.replace('\n', " ")]
        })
        .collect();
    writeln!(out, "{}", output::table(&[String::from("parameters"), String::new()], &params))?;
    Ok(DONE)
}
