//! One evaluation: the model, and the decisions that it leaves undetermined.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use smallvec::SmallVec;
use tracing::field::Empty;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::meter;
use hence_core::schema::{Kind, Relation, RelationId};
use hence_core::span::Sources;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_engine::{Database, Engine, Extent, LimitReached, Limits, Model, Rows, Undefined};
use hence_lang::ir::{Program, RuleId};
use hence_lang::lower;
use hence_lang::lower::unknown::{OpenRow, Unknown, unknown};
use hence_proof::Finder;
use hence_proof::possible;
use hence_proof::proof::{FactPattern, Origins, Proof};

use super::error::SessionError;
use super::ruleset::RuleSet;

/// What follows from a set of facts.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// All facts that follow certainly, and the undefined operations. Where there are any, the relations that say what
    /// follows possibly come after those of the rules.
    pub model: Model,
    /// What follows possibly and not certainly, ascending; relations without any are left out.
    pub undetermined: BTreeMap<RelationId, Vec<FactPattern>>,
    /// Where operations are undefined, unless that is lenient.
    pub unknown: Option<Box<Possible>>,
}

impl Evaluation {
    /// A finder over the evaluation, which is of a program; where something is unknown, over the program that tells
    /// it.
    pub fn finder<'a>(
        &'a self,
        (program, sources): (&'a Program, &'a Sources),
        origins: &'a dyn Origins,
    ) -> Finder<'a> {
        let finder = |program, model| Finder::new(program, model, sources, origins);
        match &self.unknown {
            Some(unknown) => finder(&unknown.of.program, &self.model)
                .unknown(&unknown.of, finder(program, &unknown.lenient)),
            None => finder(program, &self.model),
        }
    }
}

impl Evaluation {
    /// What follows if a match with an undefined operation is false.
    pub fn lenient(&self) -> &Model {
        self.unknown.as_ref().map_or(&self.model, |unknown| &unknown.lenient)
    }

    /// The same evaluation, if a match with an undefined operation is false.
    pub(super) fn into_lenient(self) -> Self {
        let model = self.unknown.map_or(self.model, |unknown| unknown.lenient);
        Self { model, ..Self::default() }
    }

    /// A proof that its finder found, by the rules of the program itself.
    pub(crate) fn by_rules(&self, proof: Proof, program: &Program) -> Proof {
        match &self.unknown {
            Some(unknown) => possible::by_rules(&proof, program, &unknown.of),
            None => proof,
        }
    }
}

/// Rows that follow possibly and not certainly, by relation; what is unknown of them is left open.
pub(crate) type Undetermined = BTreeMap<RelationId, Vec<FactPattern>>;

/// Where operations are undefined.
#[derive(Clone, Debug)]
pub struct Possible {
    /// The program whose model the evaluation holds.
    pub of: Unknown,
    /// What follows if a match with an undefined operation is false.
    pub lenient: Model,
}

/// Evaluates `rules` over `input`, which holds `now` already.
///
/// # Errors
/// The limit that was reached.
pub(super) fn evaluate(
    rules: &RuleSet,
    input: Database,
    engine: &dyn Engine,
    limits: &Limits,
    lenient: bool,
) -> Result<Evaluation, SessionError> {
    evaluate_as(&rules.program, &rules.sources, input, engine, (limits, lenient))
}

/// Evaluates a program by itself, such as one with questions or changed rules in it, over `input`, which holds
/// `now` already; `sources` are the texts that its rules came from.
///
/// # Errors
/// The limit that was reached.
pub fn evaluate_program(
    program: &Program,
    sources: &Sources,
    input: Database,
    engine: &dyn Engine,
    limits: &Limits,
) -> Result<Evaluation, SessionError> {
    evaluate_as(program, sources, input, engine, (limits, false))
}

/// The same, where a match with an undefined operation is false if that is `lenient`.
///
/// # Errors
/// The limit that was reached.
pub(super) fn evaluate_as(
    program: &Program,
    sources: &Sources,
    input: Database,
    engine: &dyn Engine,
    (limits, lenient): (&Limits, bool),
) -> Result<Evaluation, SessionError> {
    meter::enter("evaluating");
    let span = tracing::debug_span!("evaluate", engine = engine.name(), facts = Empty, undefined = Empty);
    let _entered = span.enter();
    let model =
        engine.evaluate(program, input, limits).map_err(|reached| limit(program, sources, &reached))?;
    if !span.is_disabled() {
        span.record("facts", model.relations.iter().map(|extent| extent.rows.len()).sum::<usize>());
        span.record("undefined", model.undefined.len());
    }
    if lenient || model.undefined.is_empty() {
        return Ok(Evaluation { model, ..Evaluation::default() });
    }
    three_valued((program, sources), model, engine, limits)
}

/// What follows certainly and what follows possibly, where the model of `program` reports undefined operations.
///
/// # Errors
/// The limit that was reached.
pub(super) fn three_valued(
    (program, sources): (&Program, &Sources),
    lenient: Model,
    engine: &dyn Engine,
    limits: &Limits,
) -> Result<Evaluation, SessionError> {
    let of = unknown(program, heads(program, &lenient.undefined));
    let mut input = Database::new(&of.program);
    // What is given is what an evaluation begins with.
    for (relation, extent) in (0..).map(RelationId).zip(&lenient.relations) {
        let given = *extent.rounds.first().or_broken("a relation begins with what is given");
        extent.rows.iter().take(given).for_each(|row| input.push(relation, row));
    }
    let evaluated = engine.evaluate(&of.program, input, limits);
    let mut model = evaluated.map_err(|reached| limit_of_unknown(program, sources, &of, reached))?;
    model.undefined.clone_from(&lenient.undefined);
    let undetermined = undetermined(program, &of, |id| {
        let rows = extent(&model, id).rows.iter();
        rows.map(<[Word]>::to_vec).collect()
    });
    Ok(Evaluation { model, undetermined, unknown: Some(Box::new(Possible { of, lenient })) })
}

/// A limit that was reached on the way to what follows possibly, as one of the rules themselves.
pub(super) fn limit_of_unknown(
    program: &Program,
    sources: &Sources,
    of: &Unknown,
    reached: LimitReached,
) -> SessionError {
    let id = of.program[reached.rule].id;
    let rule = program.rules.iter().position(|rule| rule.id == id).unwrap_or_default();
    let rule = RuleId(rule as u32);
    limit(program, sources, &LimitReached { rule, relation: program[rule].head, ..reached })
}

/// The rows that follow possibly and not certainly.
pub(super) fn undetermined(
    program: &Program,
    of: &Unknown,
    rows: impl Fn(RelationId) -> Vec<Vec<Word>>,
) -> Undetermined {
    let pattern = |id: RelationId, args| FactPattern { relation: program[id].name, args };
    let patterns =
        |(id, rows): (RelationId, Vec<OpenRow>)| (id, rows.into_iter().map(|row| pattern(id, row)).collect());
    of.undetermined(program, rows).into_iter().map(patterns).collect()
}

/// Whether a fact may be one of those that follow possibly.
pub(super) fn is_undetermined(program: &Program, undetermined: &Undetermined, fact: &Fact) -> bool {
    let open = program.find(fact.relation).and_then(|id| undetermined.get(&id));
    open.is_some_and(|open| open.iter().any(|pattern| pattern.agrees(fact)))
}

/// What of a relation follows possibly and not certainly.
pub(super) fn open_of(undetermined: &Undetermined, relation: RelationId) -> &[FactPattern] {
    undetermined.get(&relation).map_or(&[], Vec::as_slice)
}

/// Those of the rows that are decisions, ascending.
pub(super) fn undetermined_decisions(program: &Program, undetermined: &Undetermined) -> Vec<FactPattern> {
    if undetermined.is_empty() {
        return Vec::new();
    }
    let decisions = undetermined.iter().filter(|(id, _)| program[**id].kind == Kind::Decision);
    let mut rows: Vec<FactPattern> = decisions.flat_map(|(_, rows)| rows.iter().cloned()).collect();
    rows.sort_by_key(|row| row.relation);
    rows
}

/// The relations of the rules that reported something.
pub(super) fn heads<'a>(
    program: &Program,
    undefined: impl IntoIterator<Item = &'a Undefined>,
) -> BTreeSet<RelationId> {
    undefined.into_iter().map(|report| program[report.rule].head).collect()
}

/// The relations that depend on the head of a rule in which an operation is undefined.
pub(super) fn undetermined_relations<'a>(
    program: &Program,
    undefined: impl IntoIterator<Item = &'a Undefined>,
) -> BTreeSet<RelationId> {
    heads(program, undefined).into_iter().flat_map(|head| program.dependents(head)).collect()
}

/// The decisions among them.
pub(super) fn concerned<'a>(
    program: &Program,
    undefined: impl IntoIterator<Item = &'a Undefined>,
) -> BTreeSet<RelationId> {
    let mut relations = undetermined_relations(program, undefined);
    relations.retain(|relation| program[*relation].kind == Kind::Decision);
    relations
}

pub(super) fn limit(program: &Program, sources: &Sources, reached: &LimitReached) -> SessionError {
    let rule = &program[reached.rule];
    let place = sources.place(rule.span).to_string();
    let (rule, relation) = match lower::is_answer(program, rule.head) {
        true => (String::from("the question"), String::from("its answers")),
        false => (format!("`{}`", rule.id), format!("`{}`", program[reached.relation].name)),
    };
    SessionError::Limit { bound: reached.bound, rule, place, relation }
}

/// All rows of a relation.
pub(super) fn extent(model: &Model, relation: RelationId) -> &Extent {
    model.extent(relation).or_broken("a model holds every relation of its program")
}

/// The rows of a relation as facts, in ascending order of their values.
pub fn facts_of(program: &Program, model: &Model, relation: RelationId) -> Vec<Fact> {
    let rows = extent(model, relation).rows.iter();
    let mut facts: Vec<Fact> = rows.map(|row| fact_of(program, relation, row)).collect();
    facts.sort_unstable();
    facts
}

/// A row as a fact.
pub(super) fn fact_of(program: &Program, relation: RelationId, row: &[Word]) -> Fact {
    let schema = &program[relation];
    let values = schema.types().zip(row).map(|(ty, word)| Value::from_word(ty, *word));
    Fact { relation: schema.name, values: values.collect() }
}

/// Adds the clock of a run to `database`.
pub(super) fn add_now(program: &Program, database: &mut Database, now: i64) {
    add_fact(program, database, &Fact::new(Symbol::new("now"), [Value::Time(now)]));
}

/// Adds `fact` to `database`; `false` where the program has no such relation of that shape.
pub(super) fn add_fact(program: &Program, database: &mut Database, fact: &Fact) -> bool {
    let Some(relation) = program.find(fact.relation) else { return false };
    program.relation(relation).is_some_and(|schema| add(schema, relation, database, fact))
}

/// Adds `fact`, which stands, to `database`; one of a relation that the program doesn't have is read by no rule.
///
/// # Errors
/// The relation has other columns.
pub(super) fn add_standing(
    program: &Program,
    database: &mut Database,
    fact: &Fact,
) -> Result<(), SessionError> {
    match program.find(fact.relation).and_then(|id| Some((id, program.relation(id)?))) {
        Some((id, schema)) if !add(schema, id, database, fact) => Err(misfit(schema, fact)),
        _ => Ok(()),
    }
}

fn misfit(schema: &Relation, fact: &Fact) -> SessionError {
    SessionError::Unknown { message: format!("`{fact}` does not have the columns of `{schema}`") }
}

/// Whether a fact has the columns of a relation.
pub(super) fn fits(schema: &Relation, fact: &Fact) -> bool {
    schema.columns.len() == fact.values.len()
        && schema.types().zip(&fact.values).all(|(ty, value)| ty == value.ty())
}

/// Adds a fact to `database`, or takes it out; one that the program doesn't have is read by no rule.
pub(super) fn set(program: &Program, database: &mut Database, fact: &Fact, stands: bool) {
    let held = holds(program, database, fact);
    let Some(relation) = program.find(fact.relation).filter(|_| held != stands) else { return };
    let row: Vec<Word> = fact.values.iter().map(|value| value.word()).collect();
    if stands {
        add_fact(program, database, fact);
    } else if let Some(rows) = database.relations.get_mut(relation.0 as usize) {
        let mut kept = Rows::new(rows.arity());
        rows.iter().filter(|other| *other != row).for_each(|other| kept.push(other));
        *rows = kept;
    }
}

/// Whether `database` holds a fact.
pub(super) fn holds(program: &Program, database: &Database, fact: &Fact) -> bool {
    let Some(relation) = program.find(fact.relation) else { return false };
    let row: Vec<Word> = fact.values.iter().map(|value| value.word()).collect();
    database.rows(relation).is_some_and(|rows| rows.iter().any(|other| other == row))
}

fn add(schema: &Relation, relation: RelationId, database: &mut Database, fact: &Fact) -> bool {
    let fits = fits(schema, fact);
    if fits {
        let row: SmallVec<[Word; 8]> = fact.values.iter().map(|value| value.word()).collect();
        database.push(relation, &row);
    }
    fits
}

/// Some relations of a program by name, for many facts.
pub(super) struct Named<'p>(HashMap<Symbol, (RelationId, &'p Relation), ahash::RandomState>);

impl<'p> Named<'p> {
    /// The names of `relations`.
    pub(super) fn new(program: &'p Program, relations: &BTreeSet<RelationId>) -> Self {
        let named = relations.iter().map(|id| (program[*id].name, (*id, &program[*id])));
        Self(named.collect())
    }

    /// Adds the facts that are of one of the relations to `database`.
    ///
    /// # Errors
    /// A fact with other columns than its relation.
    pub(super) fn add_all(&self, database: &mut Database, facts: &[Fact]) -> Result<(), SessionError> {
        for facts in facts.chunk_by(|fact, next| fact.relation == next.relation) {
            let named = facts.first().and_then(|fact| self.0.get(&fact.relation));
            let Some((id, schema)) = named else { continue };
            if let Some(fact) = facts.iter().find(|fact| !add(schema, *id, database, fact)) {
                return Err(misfit(schema, fact));
            }
        }
        Ok(())
    }
}
