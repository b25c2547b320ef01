//! The members of a line that describe a transaction: its run, its schemas, its steps.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use hence_core::fact::Fact;
use hence_core::json;
use hence_core::schema::{Column, ColumnType, NameSet};
use hence_core::symbol::Symbol;
use hence_core::value::Type;

use super::typed;
use crate::bytes::Malformed;
use crate::said::Said;
use crate::step::{EffectRound, StepChange};
use crate::transaction::{Run, RunLimits, Schema};

/// How the evaluation ran.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunLine {
    engine: String,
    lenient: bool,
    facts: u64,
    iterations: u64,
    /// Microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<u64>,
    /// Bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<u64>,
    /// The version of the time zone database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    zones: Option<String>,
}

impl From<Run> for RunLine {
    fn from(Run { engine, lenient, limits, zones }: Run) -> Self {
        let RunLimits { facts, iterations, time, memory } = limits;
        Self { engine, lenient, facts, iterations, time, memory, zones }
    }
}

impl From<RunLine> for Run {
    fn from(RunLine { engine, lenient, facts, iterations, time, memory, zones }: RunLine) -> Self {
        Self { engine, lenient, limits: RunLimits { facts, iterations, time, memory }, zones }
    }
}

/// The columns of a relation from here on.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SchemaLine {
    relation: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    renews: bool,
    columns: Vec<ColumnLine>,
}

/// Name, type, the names of a closed set, and the value of facts that are older than the column.
#[derive(Serialize, Deserialize)]
pub(super) struct ColumnLine(
    String,
    String,
    Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")] Option<Json>,
);

impl From<&Schema> for SchemaLine {
    fn from(schema: &Schema) -> Self {
        let column = |Column { name, ty, default }: &Column| {
            let members = ty.set.as_ref().map_or(&[][..], |set| &set.members);
            let members = members.iter().map(ToString::to_string).collect();
            ColumnLine(name.to_string(), ty.ty.keyword().to_owned(), members, default.map(json::typed))
        };
        Self {
            relation: schema.relation.to_string(),
            renews: schema.renews,
            columns: schema.columns.iter().map(column).collect(),
        }
    }
}

pub(super) fn schema(line: &SchemaLine) -> Result<Schema, Malformed> {
    let column = |ColumnLine(name, ty, members, default): &ColumnLine| {
        let ty = Type::of_keyword(ty).ok_or(Malformed("a column has an unknown type"))?;
        let members: Vec<Symbol> = members.iter().map(Symbol::from).collect();
        let set = (!members.is_empty()).then(|| Arc::new(NameSet { name: None, members }));
        let default = default.as_ref().map(typed).transpose()?;
        Ok(Column { name: Symbol::new(name), ty: ColumnType { ty, set }, default })
    };
    let columns: Result<_, Malformed> = line.columns.iter().map(column).collect();
    Ok(Schema { relation: Symbol::new(&line.relation), columns: columns?, renews: line.renews })
}

/// What an effect did: the relation, the values, the rule, its sentence.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum StepLine {
    Assert(String, Vec<Json>, String, Option<String>),
    Retract(String, Vec<Json>, String, Option<String>),
}

impl From<&StepChange> for StepLine {
    fn from(StepChange { fact, asserted, rule, sentence }: &StepChange) -> Self {
        let values = fact.values.iter().copied().map(json::typed).collect();
        let make = if *asserted { Self::Assert } else { Self::Retract };
        make(fact.relation.to_string(), values, rule.clone(), sentence.clone())
    }
}

pub(super) fn step(lines: &[StepLine]) -> Result<EffectRound, Malformed> {
    let change = |line: &StepLine| {
        let (StepLine::Assert(relation, values, rule, sentence)
        | StepLine::Retract(relation, values, rule, sentence)) = line;
        let values: Result<Vec<_>, _> = values.iter().map(typed).collect();
        let asserted = matches!(line, StepLine::Assert(..));
        let fact = Fact::new(Symbol::new(relation), values?);
        Ok(StepChange { fact, asserted, rule: rule.clone(), sentence: sentence.clone() })
    };
    Ok(EffectRound { changes: lines.iter().map(change).collect::<Result<_, Malformed>>()? })
}

/// A fact and who says it: the relation, the values, the author, their signature.
#[derive(Serialize, Deserialize)]
pub(super) struct SaidLine(
    String,
    Vec<Json>,
    String,
    #[serde(default, skip_serializing_if = "Option::is_none")] Option<String>,
);

impl From<&Said> for SaidLine {
    fn from(Said { fact, author, signature }: &Said) -> Self {
        let values = fact.values.iter().copied().map(json::typed).collect();
        let signature = signature.map(|signature| signature.to_string());
        Self(fact.relation.to_string(), values, author.clone(), signature)
    }
}

pub(super) fn said(SaidLine(relation, values, author, signature): &SaidLine) -> Result<Said, Malformed> {
    let values: Result<Vec<_>, _> = values.iter().map(typed).collect();
    let fact = Fact::new(Symbol::new(relation), values?);
    let signature = signature.as_deref().map(str::parse).transpose()?;
    Ok(Said { fact, author: author.clone(), signature })
}
