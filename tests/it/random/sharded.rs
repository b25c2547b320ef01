//! Random programs over partitioned inputs: what the shards derive by themselves is what the whole derives.

use std::collections::BTreeSet;

use hence_core::schema::{Kind, RelationId};
use hence_core::value::{Value, Word};
use hence_engine::{Database, Engine, Model, SemiNaive, Undefined};
use hence_lang::analysis::codes::PARTITION_CROSSED;
use hence_lang::ir::{Program, RuleId};
use hence_ledger::Shard;

use super::{Dice, LIMITS, RuleSet, Text, random};
use crate::slow;

/// So many shards.
const SHARDS: u32 = 3;

/// The program with some inputs partitioned, and without the rules that cross them.
fn partitioned(seed: u64) -> Option<Text> {
    let mut dice = Dice::new(seed);
    let mut text = Text { asserted: Vec::new(), ..random(seed) };
    for line in &mut text.declarations {
        let column = line.strip_prefix("input ").and_then(|rest| {
            let (_, columns) = rest.split_once('(')?;
            let names: Vec<_> = columns.split(", ").filter_map(|column| column.split_once(':')).collect();
            (!names.is_empty() && dice.below(3) > 0)
                .then(|| names[dice.below(names.len().min(2))].0.to_owned())
        });
        // A decision that rests on reference data alone is refused where it is declared.
        *line = line.replacen("decision ", "relation ", 1);
        if let Some(column) = column {
            *line = format!("@partition({column}) {line}");
        }
    }
    loop {
        let mut loader = hence::session::Loader::default();
        loader.text("random.dl", &text.rules());
        let found = hence::session::check(loader.finish(), &[]);
        let faults = &found.faults;
        let errors = faults.diagnostics.iter().filter(|fault| fault.is_error());
        let (crossing, others): (Vec<_>, Vec<_>) = errors.partition(|fault| fault.code == PARTITION_CROSSED);
        match (crossing.is_empty(), others.is_empty()) {
            (true, true) => return Some(text),
            (true, false) => return None,
            _ => {}
        }
        let line =
            |fault: &&hence_core::diagnostic::Diagnostic| faults.sources.place(fault.span().unwrap()).line;
        let lines: Vec<usize> = crossing.iter().map(line).collect();
        let before = text.rules.len();
        text = text.without_lines(&lines);
        if text.rules.len() == before {
            return None;
        }
    }
}

/// The input of a shard: its own facts, and all reference data.
fn of_shard(rules: &RuleSet, input: &Database, shard: Shard) -> Database {
    let program = &rules.program;
    let mut own = Database::new(program);
    for (id, rows) in (0..).map(RelationId).zip(&input.relations) {
        let partition = rules.checked.partitions.iter().find(|partition| partition.relation == id);
        for row in rows.iter() {
            let value = partition.map(|partition| {
                let ty = program[id].columns[partition.column].ty.ty;
                Value::from_word(ty, row[partition.column])
            });
            if value.is_none_or(|value| shard.of(value) == shard) {
                own.push(id, row);
            }
        }
    }
    own
}

fn rows(model: &Model, relation: RelationId) -> BTreeSet<Vec<Word>> {
    model.extent(relation).unwrap().rows.iter().map(<[Word]>::to_vec).collect()
}

/// How what the shards derive differs from what the whole does.
fn difference(program: &Program, whole: &Model, shards: &[Model]) -> Option<String> {
    for id in (0..program.relations.len() as u32).map(RelationId) {
        let name = program[id].name;
        let (all, parts): (_, Vec<_>) =
            (rows(whole, id), shards.iter().map(|model| rows(model, id)).collect());
        let union: BTreeSet<_> = parts.iter().flatten().cloned().collect();
        if union != all {
            return Some(format!("{name}: whole {all:?}, shards {union:?}"));
        }
        let sum: usize = parts.iter().map(BTreeSet::len).sum();
        let everywhere = parts.iter().all(|part| *part == all);
        if sum != all.len() && !everywhere {
            return Some(format!("{name}: neither in one shard each nor in all"));
        }
    }
    let key = |undefined: &Undefined| undefined.rule;
    let of = |models: &[Model]| -> BTreeSet<RuleId> {
        models.iter().flat_map(|model| model.undefined.iter().map(key)).collect()
    };
    (of(std::slice::from_ref(whole)) != of(shards)).then(|| String::from("undefined operations"))
}

#[test]
fn shards_derive_what_the_whole_does() {
    let (mut programs, mut divided) = (0, 0);
    let seeds = slow::size(600, 15_000);
    for seed in 0..seeds {
        let Some(text) = partitioned(seed) else { continue };
        let (rules, input) = super::load(&text).unwrap();
        let evaluate = |input| SemiNaive.evaluate(&rules.program, input, &LIMITS);
        let Ok(whole) = evaluate(input.clone()) else { continue };
        let shards = (1..=SHARDS).map(|number| Shard::new(number, SHARDS).unwrap());
        let shards: Result<Vec<_>, _> =
            shards.map(|shard| evaluate(of_shard(&rules, &input, shard))).collect();
        let Ok(shards) = shards else { continue };
        if let Some(difference) = difference(&rules.program, &whole, &shards) {
            panic!("seed {seed}: {difference}\n{}", text.case());
        }
        programs += u64::from(!rules.checked.partitions.is_empty());
        let derives = |id: &RelationId| {
            let relation = &rules.program[*id];
            let parts = shards.iter().filter(|model| !rows(model, *id).is_empty()).count();
            relation.kind != Kind::Input
                && parts > 0
                && shards.iter().any(|one| rows(one, *id) != rows(&whole, *id))
        };
        divided +=
            u64::from((0..rules.program.relations.len() as u32).map(RelationId).any(|id| derives(&id)));
    }
    println!("{programs} programs, {divided} with divided relations");
    assert!(
        programs * 3 > seeds * 2 && divided * 25 > seeds,
        "too plain: {programs} programs, {divided} divided"
    );
}
