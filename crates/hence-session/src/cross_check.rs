//! Cross-checks: decisions by two engines that share no evaluator, and nothing recorded where they differ.

use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::time::Instant;

use hence_core::fact::Fact;
use hence_core::fault::{self, Fault, OrBroken};
use hence_core::meter;
use hence_core::schema::{Kind, RelationId};
use hence_core::value::Word;
use hence_engine::SemiNaive;
use hence_engine::{Database, Engine, LimitReached, Limits, Model, Rows, Undefined};
use hence_lang::ir::{Program, RuleId};
use hence_lang::lower;
use hence_packs::support::{Bounds, Pack};

use super::Session;
use super::compiled::{COMPILED, Code, Compilations, CompiledPart, Each, gives_derived, out_of_time};
use super::error::SessionError;
use super::evaluation;

/// What records call the two engines together.
pub(super) const BOTH: &str = "both";

/// The embedded engine and compiled code together. Each evaluation is the embedded engine's; every relation that
/// compiled packs of the program derive is evaluated once more by their code. Where the two differ in a fact, or in an
/// undefined operation, that is a fault of hence and the evaluation ends. Rules that were not compiled, and
/// facts given to derived relations, are the embedded engine's alone.
#[derive(Debug, Default)]
pub struct Both {
    code: Compilations,
}

impl Both {
    /// The engines over a compiled rule set of one's own, beside the shipped ones.
    pub fn of(pack: &'static Pack) -> Self {
        Self { code: Compilations::with(pack) }
    }
}

impl Engine for Both {
    fn name(&self) -> &'static str {
        BOTH
    }

    fn evaluate(&self, program: &Program, input: Database, limits: &Limits) -> Result<Model, LimitReached> {
        let known = self.code.of(program);
        let comparable = !gives_derived(program, &input);
        let model = SemiNaive.evaluate(program, input, limits)?;
        for part in known.parts.iter().filter(|_| comparable) {
            let code = run(part, program, &|id, visit| rows_of(&model, id, visit), limits)?;
            if let Some(difference) = compare(part, program, &model, &code) {
                fault::contradiction(difference);
            }
        }
        Ok(model)
    }
}

/// Hands over the rows of a relation of a model.
pub(super) fn rows_of(model: &Model, id: RelationId, visit: &mut dyn FnMut(&[Word])) {
    evaluation::extent(model, id).rows.iter().for_each(visit);
}

/// How a model and the code of a part of its program differ, if they do. A question may have evaluated only some strata.
fn compare(part: &CompiledPart, program: &Program, model: &Model, code: &Code<'_>) -> Option<String> {
    let derived: BTreeSet<RelationId> =
        program.strata.iter().flat_map(|stratum| &stratum.relations).copied().collect();
    let relations: Vec<RelationId> =
        part.part.relations.iter().copied().filter(|id| derived.contains(id)).collect();
    let sides = [SemiNaive.name(), COMPILED];
    let ours = |id: RelationId, visit: &mut dyn FnMut(&[Word])| rows_of(model, id, visit);
    let theirs = |id: RelationId, visit: &mut dyn FnMut(&[Word])| code.each(program, id, visit);
    let facts = relations.iter().find_map(|id| in_facts(program, *id, (&ours, &theirs), sides));
    facts.or_else(|| {
        let rules: BTreeSet<RuleId> = part.part.rules.iter().copied().collect();
        let of_part =
            |one: &&Undefined| rules.contains(&one.rule) && derived.contains(&program[one.rule].head);
        let theirs = code.undefined(program);
        let theirs: BTreeSet<&Undefined> = theirs.iter().filter(of_part).collect();
        let ours: BTreeSet<&Undefined> = model.undefined.iter().filter(of_part).collect();
        let rule = &program[ours.symmetric_difference(&theirs).next()?.rule];
        let how = format!("on undefined operations in `{}`", rule.id);
        Some(disagree(sides, program[rule.head].name.as_str(), &how))
    })
}

/// The smallest fact of a relation that one of two sides derives alone, told in a sentence.
fn in_facts(
    program: &Program,
    relation: RelationId,
    (one, other): (&Each<'_>, &Each<'_>),
    sides: [&str; 2],
) -> Option<String> {
    let all = |each: &Each<'_>| {
        let mut rows: Vec<Vec<Word>> = Vec::new();
        each(relation, &mut |row| rows.push(row.to_vec()));
        rows.sort_unstable();
        rows.dedup();
        rows
    };
    let (one, other) = (all(one), all(other));
    if one == other {
        return None;
    }
    let alone = |rows: &[Vec<Word>], others: &[Vec<Word>]| -> Option<Fact> {
        let alone = rows.iter().filter(|row| others.binary_search(row).is_err());
        alone.map(|row| evaluation::fact_of(program, relation, row)).min()
    };
    let [first, second] = sides;
    let only = [(alone(&one, &other), first), (alone(&other, &one), second)];
    let only = only.into_iter().filter_map(|(fact, side)| Some((fact?, side)));
    let (fact, side) = only.min()?;
    Some(disagree(sides, program[relation].name.as_str(), &format!("only `{side}` derives {fact}")))
}

fn disagree([one, other]: [&str; 2], relation: &str, how: &str) -> String {
    format!("the engines `{one}` and `{other}` disagree on `{relation}`: {how}; nothing was recorded")
}

/// Runs the code of a part as long as it may take; how much it matches is bounded by what was evaluated before.
fn run<'p>(
    part: &'p CompiledPart,
    program: &Program,
    each: &Each<'_>,
    limits: &Limits,
) -> Result<Code<'p>, LimitReached> {
    let deadline = limits.time.and_then(|time| Instant::now().checked_add(time));
    let inputs = |id: RelationId, visit: &mut dyn FnMut(&[Word])| {
        if program[id].kind == Kind::Input {
            each(id, visit);
        }
    };
    let code = part.run(program, &inputs, &Bounds { matches: u64::MAX, deadline });
    code.map_err(|_| out_of_time(limits.time.or_broken("nothing but time bounds the second evaluation")))
}

/// The packs whose decisions a session evaluates twice before it records them.
#[derive(Debug, Default)]
pub(super) struct CrossCheck {
    packs: Vec<&'static Pack>,
    /// Those that the rules of the session hold.
    parts: OnceLock<Vec<CompiledPart>>,
}

impl CrossCheck {
    pub(super) fn new(packs: Vec<&'static Pack>) -> Self {
        Self { packs, parts: OnceLock::new() }
    }

    /// The same packs for other rules.
    pub(super) fn renewed(self) -> Self {
        Self::new(self.packs)
    }

    fn parts(&self, program: &Program) -> &[CompiledPart] {
        self.parts
            .get_or_init(|| self.packs.iter().filter_map(|pack| CompiledPart::of(program, pack)).collect())
    }
}

/// The decisions of a part as the other engine has them.
struct Second {
    engine: &'static str,
    /// By relation.
    decisions: Database,
    undetermined: BTreeSet<RelationId>,
}

impl Session {
    /// The same, with the decisions of these compiled packs evaluated twice before a commit records anything: by the
    /// session's engine and by their code (by the embedded engine, where the session's runs compiled code). Where the
    /// two differ, the commit is [`SessionError::Fault`], nothing is recorded, and the session goes on as it was. A
    /// pack that the rules do not hold as it was compiled is not checked ([`Session::unchecked`]).
    ///
    /// A check reads all facts of its pack's inputs, also where the engine maintains its model incrementally.
    #[must_use]
    pub fn with_cross_check(mut self, packs: Vec<&'static Pack>) -> Self {
        self.cross_check = CrossCheck::new(packs);
        self
    }

    /// The packs to be cross-checked whose relations the rules declare, with other rules than were compiled.
    pub fn unchecked(&self) -> Vec<&'static str> {
        let program = &self.rules.program;
        let CrossCheck { packs, .. } = &self.cross_check;
        let checked = self.cross_check.parts(program);
        let is_checked = |pack: &Pack| checked.iter().any(|part| part.pack.name == pack.name);
        let declared = |pack: &Pack| pack.relations.iter().all(|name| program.find((*name).into()).is_some());
        let unchecked = packs.iter().filter(|pack| !is_checked(pack) && declared(pack));
        unchecked.map(|pack| pack.name).collect()
    }

    /// Checks the decisions that are about to be recorded: those of the relations whose rows `each` hands over, without
    /// what is unknown where operations are `undefined`: a match with such an operation is false.
    pub(super) fn cross_check(&self, undefined: &[Undefined], each: &Each<'_>) -> Result<(), SessionError> {
        let program = &self.rules.program;
        let parts = self.cross_check.parts(program);
        if parts.is_empty() {
            return Ok(());
        }
        let undetermined = evaluation::concerned(program, undefined);
        for part in parts {
            meter::enter("cross-checking decisions");
            let _span = tracing::debug_span!("cross_check", pack = part.pack.name).entered();
            let decisions = part.decisions(program);
            let second = self.second(part, &decisions, each)?;
            let sides @ [ours, theirs] = [self.engine.name(), second.engine];
            let again = |id: RelationId, visit: &mut dyn FnMut(&[Word])| {
                second.decisions.rows(id).into_iter().flat_map(Rows::iter).for_each(visit);
            };
            for id in &decisions {
                let how = match (undetermined.contains(id), second.undetermined.contains(id)) {
                    (true, false) => Some(alone(program, *id, sides, ours)),
                    (false, true) => Some(alone(program, *id, sides, theirs)),
                    _ => in_facts(program, *id, (each, &again), sides),
                };
                if let Some(what) = how {
                    return Err(Fault { what, place: None }.into());
                }
            }
        }
        Ok(())
    }

    fn second(
        &self,
        part: &CompiledPart,
        decisions: &[RelationId],
        each: &Each<'_>,
    ) -> Result<Second, SessionError> {
        let program = &self.rules.program;
        let limit = |reached| evaluation::limit(program, &self.rules.sources, &reached);
        let mut rows = Database::new(program);
        let (engine, undefined) = if self.engine.name() == COMPILED {
            let needed = lower::needed(program, decisions.iter().copied());
            let mut input = Database::new(program);
            for id in needed.iter().filter(|id| program[**id].kind == Kind::Input) {
                each(*id, &mut |row| input.push(*id, row));
            }
            let relevant = lower::relevant(program, &needed);
            let model = SemiNaive.evaluate(&relevant, input, &self.limits).map_err(limit)?;
            for id in decisions {
                rows_of(&model, *id, &mut |row| rows.push(*id, row));
            }
            (SemiNaive.name(), model.undefined)
        } else {
            let code = run(part, program, each, &self.limits).map_err(limit)?;
            for id in decisions {
                code.each(program, *id, &mut |row| rows.push(*id, row));
            }
            (COMPILED, code.undefined(program))
        };
        let undetermined = evaluation::concerned(program, &undefined);
        Ok(Second { engine, decisions: rows, undetermined })
    }
}

fn alone(program: &Program, relation: RelationId, sides: [&str; 2], side: &str) -> String {
    let relation = program[relation].name;
    disagree(sides, relation.as_str(), &format!("only `{side}` leaves it undetermined"))
}
