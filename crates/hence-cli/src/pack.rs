//! `hence pack`: the rule packs in the binary.

use std::io::Write;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Map, Value as Json, json};

use hence_core::schema::{Kind, Relation};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::ir::{Param, Program};
use hence_session::shipped;

use super::options::{RuleOptions, parameter};
use super::terminal::{self, Out};
use super::{DONE, Outcome, config, output};

/// List the shipped packs, or show one: its inputs, decisions and parameters
#[derive(Debug, Args)]
#[command(after_help = "Example: hence pack show tool_scoring")]
pub(super) struct Pack {
    #[command(subcommand)]
    command: PackCommand,
}

#[derive(Debug, Subcommand)]
enum PackCommand {
    /// List the shipped packs
    List {
        /// The output format
        #[arg(long, value_enum, default_value = "text")]
        format: Form,
    },
    /// Show a pack: its relations, and its parameters with their values and where each is set
    Show {
        /// The pack
        name: String,
        /// Set a parameter, such as `lowest_score=0.2`
        #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parameter)]
        sets: Vec<(Symbol, Value)>,
        /// The output format
        #[arg(long, value_enum, default_value = "text")]
        format: Form,
    },
}

/// The forms of what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// Readable tables.
    Text,
    /// One JSON document.
    Json,
}

/// The kinds of relations in the order in which they are shown, with a word for each.
const KINDS: [(Kind, &str); 3] =
    [(Kind::Input, "reads"), (Kind::Decision, "decides"), (Kind::Derived, "derives")];

impl Pack {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            PackCommand::List { format } => list(format),
            PackCommand::Show { name, sets, format } => show(name, sets, format),
        }
    }
}

fn out(format: Form) -> Out {
    match format {
        Form::Text => terminal::text(),
        Form::Json => terminal::json(),
    }
}

fn list(format: Form) -> Outcome {
    let mut out = out(format);
    let packs = shipped::packs();
    match format {
        Form::Text => {
            for pack in packs {
                writeln!(out, "{pack}: {}", shipped::about(pack))?;
            }
        }
        Form::Json => {
            let all = packs.iter().map(|pack| json!({ "pack": pack, "about": shipped::about(pack) }));
            writeln!(out, "{:#}", Json::Array(all.collect()))?;
        }
    }
    Ok(DONE)
}

fn show(name: String, sets: Vec<(Symbol, Value)>, format: Form) -> Outcome {
    let options = RuleOptions::named(&[], std::slice::from_ref(&name), &sets);
    let program = options.source().build()?.program;
    let origin = |param: &Param| config::get().param_origin(param.name.as_str(), &options.sets);
    let mut out = out(format);
    match format {
        Form::Text => {
            writeln!(out, "{name}: {}", shipped::about(&name))?;
            writeln!(out)?;
            for (kind, title) in KINDS {
                let rows: Vec<Vec<String>> = of_kind(&program, kind)
                    .map(|relation| vec![relation.to_string(), on_one_line(&relation.doc)])
                    .collect();
                out.lines(&output::table(&[title, "about"].map(str::to_owned), &rows))?;
                writeln!(out)?;
            }
            let header = ["parameter", "from", "about"].map(str::to_owned);
            let params: Vec<Vec<String>> = program
                .params
                .iter()
                .map(|param| {
                    let value = format!("{}: {} = {}", param.name, param.ty, param.value);
                    vec![value, origin(param), on_one_line(&param.doc)]
                })
                .collect();
            out.lines(&output::table(&header, &params))?;
        }
        Form::Json => {
            let mut shown = Map::new();
            shown.insert("pack".into(), json!(name));
            shown.insert("about".into(), json!(shipped::about(&name)));
            for (kind, title) in KINDS {
                shown.insert(title.into(), of_kind(&program, kind).map(relation_json).collect());
            }
            let params = program.params.iter().map(|param| param_json(param, &origin(param)));
            shown.insert("parameters".into(), params.collect());
            let shown = Json::Object(shown);
            writeln!(out, "{shown:#}")?;
        }
    }
    Ok(DONE)
}

fn of_kind(program: &Program, kind: Kind) -> impl Iterator<Item = &Relation> {
    program.relations.iter().filter(move |relation| relation.kind == kind)
}

fn relation_json(relation: &Relation) -> Json {
    let columns = relation.columns.iter().map(|column| {
        let mut shown = json!({ "name": column.name.as_str(), "type": column.ty.to_string() });
        if let (Some(fields), Some(default)) = (shown.as_object_mut(), column.default) {
            fields.insert(String::from("default"), output::json_value(default));
        }
        shown
    });
    let columns: Vec<Json> = columns.collect();
    json!({ "relation": relation.name.as_str(), "columns": columns, "doc": on_one_line(&relation.doc) })
}

fn param_json(param: &Param, origin: &str) -> Json {
    json!({
        "name": param.name.as_str(), "type": param.ty.to_string(), "value": output::json_value(param.value),
        "default": output::json_value(param.default), "from": origin, "doc": on_one_line(&param.doc),
    })
}

fn on_one_line(doc: &str) -> String {
    doc.replace('\n', " ")
}
