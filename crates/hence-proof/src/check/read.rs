//! Reads the outer form of a proof: members, facts, values by the types of the program.

use serde_json::{Map, Value as Json};

use hence_core::json;
use hence_core::schema::{ColumnType, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Word};
use hence_lang::ir::{Program, Rule};

use super::Verdict;

/// The form that this checker reads.
const FORM: &str = "hence-proof/1";

/// The form of what follows possibly and not certainly.
const POSSIBLE: &str = "hence-possible/1";

/// A fact as words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) relation: RelationId,
    pub(super) row: Vec<Word>,
}

/// The outer form of a proof.
pub(super) struct Document<'j> {
    pub(super) height: usize,
    pub(super) heads: Vec<Head>,
    pub(super) steps: Vec<&'j Map<String, Json>>,
}

impl<'j> Document<'j> {
    pub(super) fn read(program: &Program, proof: &'j Json) -> Verdict<Self> {
        let proof = object(proof, "a proof")?;
        match member(proof, "format")?.as_str() {
            Some(FORM) => {}
            Some(POSSIBLE) => return Err(String::from("the fact follows possibly, which is no proof of it")),
            other => return Err(format!("expected the format {FORM:?}, found {other:?}")),
        }
        let steps =
            array(proof, "steps")?.iter().map(|step| object(step, "a step")).collect::<Verdict<Vec<_>>>()?;
        let heads =
            steps.iter().map(|step| head(program, member(step, "fact")?)).collect::<Verdict<Vec<_>>>()?;
        let asked = head(program, member(proof, "fact")?)?;
        if heads.first() != Some(&asked) {
            return Err(String::from("the first step is not the proved fact"));
        }
        if !member(proof, "least")?.is_boolean() {
            return Err(String::from("`least` must be a bool"));
        }
        Ok(Self { height: number(proof, "height")?, heads, steps })
    }
}

pub(super) fn object<'j>(json: &'j Json, what: &str) -> Verdict<&'j Map<String, Json>> {
    json.as_object().ok_or_else(|| format!("{what} must be an object"))
}

pub(super) fn member<'j>(map: &'j Map<String, Json>, name: &str) -> Verdict<&'j Json> {
    map.get(name).ok_or_else(|| format!("the member `{name}` is missing"))
}

pub(super) fn array<'j>(map: &'j Map<String, Json>, name: &str) -> Verdict<&'j [Json]> {
    let list = member(map, name)?.as_array().ok_or_else(|| format!("`{name}` must be a list"))?;
    Ok(list)
}

pub(super) fn number(map: &Map<String, Json>, name: &str) -> Verdict<usize> {
    let number = member(map, name)?.as_u64().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| format!("`{name}` must be a whole number"))
}

pub(super) fn text<'j>(map: &'j Map<String, Json>, name: &str) -> Verdict<&'j str> {
    member(map, name)?.as_str().ok_or_else(|| format!("`{name}` must be a string"))
}

/// A relation and the list of its arguments: an object with one member.
pub(super) fn keyed<'j>(program: &Program, json: &'j Json) -> Verdict<(RelationId, &'j [Json])> {
    let map = object(json, "a fact")?;
    let Some((name, args)) = map.iter().next().filter(|_| map.len() == 1) else {
        return Err(String::from("a fact must have one member, named for its relation"));
    };
    let id = program.find(Symbol::new(name)).ok_or_else(|| format!("unknown relation `{name}`"))?;
    let args = args.as_array().ok_or_else(|| format!("the arguments of `{name}` must be a list"))?;
    let arity = program.relation(id).map_or(0, |relation| relation.columns.len());
    if args.len() != arity {
        return Err(format!("`{name}` has {arity} columns, not {}", args.len()));
    }
    Ok((id, args))
}

pub(super) fn head(program: &Program, json: &Json) -> Verdict<Head> {
    let (relation, args) = keyed(program, json)?;
    let columns = program.relation(relation).map_or(&[][..], |relation| &relation.columns);
    let words = columns.iter().zip(args).map(|(column, arg)| word(&column.ty, arg));
    Ok(Head { relation, row: words.collect::<Verdict<_>>()? })
}

/// The word of a value of a known type.
pub(super) fn word(ty: &ColumnType, json: &Json) -> Verdict<Word> {
    // A proof writes a float with its point or exponent.
    let is_written_so = ty.ty != Type::Float || json.is_f64();
    let value = json::read(ty.ty, json).filter(|_| is_written_so);
    let value = value.ok_or_else(|| format!("{json} is not of type {}", ty.ty))?;
    if !ty.admits(value) {
        return Err(format!("{json} is not one of {ty}"));
    }
    Ok(value.word())
}

/// Bindings by variable; every name must be a variable of the rule.
pub(super) fn bindings(rule: &Rule, json: &Json) -> Verdict<Vec<Option<Word>>> {
    let map = object(json, "the bindings")?;
    let mut words = vec![None; rule.variables.len()];
    for (name, json) in map {
        let found =
            rule.variables.iter().zip(&mut words).find(|(variable, _)| variable.name.as_str() == name);
        let (variable, slot) = found.ok_or_else(|| format!("rule `{}` has no variable `{name}`", rule.id))?;
        *slot = Some(word(&variable.ty, json)?);
    }
    Ok(words)
}
