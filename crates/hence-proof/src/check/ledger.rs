//! What a proof says of its ledger: the moment, who asserted each leaf and how surely, who set which parameter.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::schema::{Kind, Relation};
use hence_core::value::Value;
use hence_lang::builtins::expr::ParamId;

use super::read::{self, Head};
use super::step::StepJson;
use super::{Checker, Verdict};
use crate::moment::Moment;

/// A fact as a ledger holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Who said it.
    pub author: String,
    /// Whether a signature of the author holds.
    pub signed: bool,
    /// When, in microseconds since the epoch.
    pub time: i64,
    /// Where it came from.
    pub source: String,
    /// The transaction that asserted it.
    pub transaction: u64,
    /// The columns that are newer than it, and so have their defaults.
    pub defaults: Vec<String>,
    /// The number and the sentence of the step, where an effect asserted it.
    pub step: Option<(u64, Option<String>)>,
}

/// A parameter as a ledger holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value, as a literal.
    pub value: String,
    /// Who set it.
    pub author: String,
    /// When, in microseconds since the epoch.
    pub time: i64,
    /// The transaction that set it.
    pub transaction: u64,
}

/// Where leaves are looked up, as of the moment of the proof.
pub trait Leaves {
    /// How the ledger holds a fact; `None` for one that it doesn't hold, such as the clock.
    ///
    /// # Errors
    /// Why the ledger can't be read.
    fn leaf(&self, relation: &Relation, fact: &Fact) -> Result<Option<Leaf>, String>;

    /// Since which transaction a relation has the columns that it has; `None` where none were recorded.
    ///
    /// # Errors
    /// Why the ledger can't be read.
    fn columns_since(&self, relation: &Relation) -> Result<Option<u64>, String>;
}

/// A ledger at the moment that a proof names.
#[derive(Clone, Copy)]
pub struct LedgerAtMoment<'a> {
    /// The moment, without schemas.
    pub moment: &'a Moment,
    /// The transaction that recorded the rules of then.
    pub rules_by: Option<u64>,
    /// The parameters recorded by then.
    pub parameters: &'a [Parameter],
    /// The facts of then.
    pub leaves: &'a dyn Leaves,
}

impl Checker<'_> {
    /// Whether the ledger holds a leaf as its step says.
    pub(super) fn origin(&mut self, at: usize, origin: &Json, head: &Head) -> Verdict {
        let Some(ledger) = self.known.ledger else {
            if !origin.is_null() && (self.known.asserted.is_some() || self.known.model.is_some()) {
                self.trust(at, "who asserted the fact");
            }
            return Ok(());
        };
        let relation = &self.program[head.relation];
        let values = relation.types().zip(&head.row).map(|(ty, word)| Value::from_word(ty, *word));
        let fact = Fact { relation: relation.name, values: values.collect() };
        let right = ledger.leaves.leaf(relation, &fact)?.map_or(Json::Null, |leaf| shown(&leaf));
        equal("origin", origin, &right)
    }

    /// Whether the members of the whole proof that concern the ledger are as it says.
    pub(super) fn moment(&mut self, proof: &Json, steps: &[&StepJson]) -> Verdict {
        let proof = read::object(proof, "a proof")?;
        let Some(ledger) = self.known.ledger else {
            if ["ledger", "as_of", "parameters"].iter().any(|member| proof.contains_key(*member)) {
                self.on_trust.push(String::from("the ledger: its head, transaction, clock and parameters"));
            }
            return Ok(());
        };
        let mut right = whole(ledger.moment);
        let schemas = self.schemas(steps)?;
        if let Some(members) = right.as_object_mut() {
            members.insert(String::from("schemas"), schemas);
        }
        equal("ledger", read::member(proof, "ledger")?, &right)?;
        if let Some(as_of) = proof.get("as_of") {
            as_of_agrees(as_of, &right, ledger.rules_by)?;
        }
        let parameters = self.parameters(steps, ledger.parameters)?;
        equal("parameters", proof.get("parameters").unwrap_or(&json!([])), &parameters)
    }

    /// Since when the relations of the leaves have their columns.
    fn schemas(&self, steps: &[&StepJson]) -> Verdict<Json> {
        let mut schemas = Map::new();
        let Some(ledger) = self.known.ledger else { return Ok(Json::Object(schemas)) };
        let leaves = steps.iter().zip(self.heads).filter(|(step, _)| is(step, "assertion"));
        let relations: BTreeSet<_> = leaves.map(|(_, head)| head.relation).collect();
        for relation in relations.into_iter().map(|id| &self.program[id]) {
            if relation.kind == Kind::Input
                && let Some(since) = ledger.leaves.columns_since(relation)?
            {
                schemas.insert(relation.name.to_string(), since.into());
            }
        }
        Ok(Json::Object(schemas))
    }

    /// The recorded parameters that rules of the proof read, where they have the recorded values.
    fn parameters(&self, steps: &[&StepJson], recorded: &[Parameter]) -> Verdict<Json> {
        let ids: BTreeSet<&str> = steps.iter().filter_map(|step| step.get("rule")?.as_str()).collect();
        let rules: Vec<_> = self.program.rules.iter().filter(|rule| ids.contains(rule.id.as_str())).collect();
        let mut read = Vec::new();
        for (at, param) in (0..).map(ParamId).zip(&self.program.params) {
            let of =
                |one: &&Parameter| param.name.as_str() == one.name && param.value.to_string() == one.value;
            let one = recorded.iter().find(of).filter(|_| rules.iter().any(|rule| rule.reads_param(at)));
            read.extend(one);
        }
        read.sort_by(|one, other| one.name.cmp(&other.name));
        let shown = |one: &Parameter| {
            json!({
                "name": one.name, "value": one.value, "author": one.author,
                "time": literal::time_text(one.time), "transaction": one.transaction,
            })
        };
        Ok(read.into_iter().map(shown).collect())
    }
}

/// Whether a step is by this.
fn is(step: &StepJson, by: &str) -> bool {
    step.get("by").and_then(Json::as_str) == Some(by)
}

/// How a proof shows a leaf that a ledger holds.
fn shown(leaf: &Leaf) -> Json {
    let mut shown = json!({
        "author": leaf.author,
        "strength": if leaf.signed { "signed" } else { "claimed" },
        "time": literal::time_text(leaf.time),
        "source": leaf.source,
        "transaction": leaf.transaction,
    });
    if let Some(members) = shown.as_object_mut() {
        if !leaf.defaults.is_empty() {
            members.insert(String::from("defaults"), json!(leaf.defaults));
        }
        if let Some((step, sentence)) = &leaf.step {
            members.insert(String::from("step"), json!(step));
            members.insert(String::from("because"), json!(sentence));
        }
    }
    shown
}

/// How a proof shows its moment, without schemas.
fn whole(moment: &Moment) -> Json {
    let parameters = moment.parameters.iter().map(|(name, value)| (name.clone(), Json::from(value.as_str())));
    let mut shown = json!({
        "head": moment.head,
        "transaction": moment.transaction,
        "clock": literal::time_text(moment.clock),
        "rules": moment.rules,
        "parameters": Json::Object(parameters.collect()),
    });
    if let (Some(members), true) = (shown.as_object_mut(), moment.lenient) {
        members.insert(String::from("lenient"), true.into());
    }
    shown
}

/// What was asked for must be the moment that the proof stands on.
fn as_of_agrees(as_of: &Json, moment: &Json, rules_by: Option<u64>) -> Verdict {
    let as_of = read::object(as_of, "`as_of`")?;
    for (name, given) in as_of {
        match moment.get(name) {
            Some(right) => equal(name, given, right)?,
            None if name == "recorded_by" && (given.is_null() || given.as_u64() == rules_by) => {}
            None => return Err(format!("`{name}` of `as_of` is wrong")),
        }
    }
    Ok(())
}

/// Two values of a member must be the same; names the part that differs.
fn equal(name: &str, given: &Json, right: &Json) -> Verdict {
    if given == right {
        return Ok(());
    }
    if let (Some(given), Some(right)) = (given.as_object(), right.as_object()) {
        for (part, right) in right {
            let given = given.get(part).ok_or_else(|| format!("`{part}` of `{name}` is missing"))?;
            equal(&format!("{name}.{part}"), given, right)?;
        }
        let part = given.keys().find(|part| !right.contains_key(*part)).map_or("", String::as_str);
        return Err(format!("`{name}` has a member `{part}` that the ledger does not give"));
    }
    Err(format!("`{name}` is {given}, the ledger says {right}"))
}
