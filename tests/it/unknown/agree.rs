//! What certainly and what possibly follows by the program that `lower::unknown` makes beside what the naive evaluator
//! of three values finds.

use std::collections::BTreeSet;

use hence_core::schema::RelationId;
use hence_core::value::{Value, Word};
use hence_engine::{Database, Engine, Limits, Model, Naive, SemiNaive, ThreeValued};
use hence_lang::ir::{Program, invariants};
use hence_lang::lower::unknown::{Unknown, unknown};

/// A row, some of its values unknown.
pub(super) type PartialRow = Vec<Option<Word>>;

/// The program for what the evaluation of `program` reported.
pub(super) fn of(program: &Program, model: &Model) -> Unknown {
    unknown(program, model.undefined.iter().map(|report| program[report.rule].head))
}

/// What possibly follows for a relation by a model of a program that tells it.
pub(super) fn possible<'m>(
    of: &Unknown,
    relation: RelationId,
    rows: impl Fn(RelationId) -> Vec<Vec<Word>> + 'm,
) -> BTreeSet<PartialRow> {
    if !of.concerns(relation) {
        return rows(relation).into_iter().map(|row| row.into_iter().map(Some).collect()).collect();
    }
    let arity = of.program[relation].columns.len();
    let versions = of.versions(relation).flat_map(|(columns, version)| {
        rows(version).into_iter().map(move |row| {
            let mut known = row.into_iter();
            let column = |at| if columns.contains(&at) { None } else { known.next() };
            (0..arity).map(column).collect()
        })
    });
    versions.collect()
}

/// The rows of a model.
pub(super) fn rows(model: &Model, relation: RelationId) -> Vec<Vec<Word>> {
    model.relations[relation.0 as usize].rows.iter().map(<[Word]>::to_vec).collect()
}

/// How many rows are undetermined, and how both differ if they do; `None` where nothing is undefined or a limit is
/// reached.
pub(super) fn compare(program: &Program, input: &Database, limits: &Limits) -> Result<Option<usize>, String> {
    let Ok(model) = SemiNaive.evaluate(program, input.clone(), limits) else { return Ok(None) };
    if model.undefined.is_empty() {
        return Ok(None);
    }
    let Ok(expected) = Naive.three_valued(program, input, limits) else { return Ok(None) };
    let of = of(program, &model);
    if let [first, ..] = invariants::broken(&of.program).as_slice() {
        return Err(format!("the program breaks an invariant: {first}\n{}", of.program));
    }
    let mut wide = input.clone();
    wide.relations.extend(Database::new(&of.program).relations.into_iter().skip(program.relations.len()));
    let found = if of.program.rules.len() < 40 {
        crate::engines::check::compare(&of.program, &wide, limits)?
    } else {
        SemiNaive.evaluate(&of.program, wide, limits).ok()
    };
    let Some(found) = found else { return Ok(None) };
    let mut undetermined = 0;
    for relation in (0..program.relations.len() as u32).map(RelationId) {
        let certain: BTreeSet<Vec<Word>> = rows(&found, relation).into_iter().collect();
        if !of.coarse().is_empty() {
            coarser(
                &expected,
                relation,
                &certain,
                &possible(&of, relation, |relation| rows(&found, relation)),
            )?;
            continue;
        }
        if certain != expected.certain[relation] {
            let sides = (&expected.certain[relation], &certain);
            return Err(format!("certain {}: {sides:?}\n{}", program[relation].name, of.program));
        }
        let possible = possible(&of, relation, |relation| rows(&found, relation));
        if possible != expected.possible[relation] {
            let (wanted, found) =
                (shown(program, relation, &expected.possible[relation]), shown(program, relation, &possible));
            let name = program[relation].name;
            return Err(format!("possible {name}: naive {wanted:?}\nfound {found:?}\n{}", of.program));
        }
        undetermined += possible.len() - certain.len();
    }
    Ok(Some(undetermined))
}

/// Whether less is certain and more is possible.
fn coarser(
    expected: &ThreeValued,
    relation: RelationId,
    certain: &BTreeSet<Vec<Word>>,
    possible: &BTreeSet<PartialRow>,
) -> Result<(), String> {
    let covers = |wide: &PartialRow, row: &PartialRow| {
        wide.iter().zip(row).all(|(wide, word)| wide.is_none() || wide == word)
    };
    let is_covered = |row: &PartialRow| possible.iter().any(|wide| covers(wide, row));
    if certain.is_subset(&expected.certain[relation]) && expected.possible[relation].iter().all(is_covered) {
        return Ok(());
    }
    Err(format!("coarse rules err on the wrong side: {expected:?}, found {certain:?} and {possible:?}"))
}

/// Rows as text.
pub(super) fn shown(program: &Program, relation: RelationId, rows: &BTreeSet<PartialRow>) -> Vec<String> {
    let types: Vec<_> = program[relation].types().collect();
    let value = |(ty, word): (&_, &Option<Word>)| match word {
        Some(word) => Value::from_word(*ty, *word).to_string(),
        None => String::from("?"),
    };
    rows.iter().map(|row| types.iter().zip(row).map(value).collect::<Vec<_>>().join(" ")).collect()
}
