//! Unknown, row by row: from a program whose operations may have no result a program that tells what certainly
//! follows and what possibly follows (Kleene's three values, stratum by stratum).
//!
//! The *cone* is what depends on a rule in which an operation had no result; all else stays as it is. A relation `p`
//! of the cone keeps its name for its certain facts. Beside it stand its possible *versions*, one for each set of
//! columns that can be unknown, which it leaves out: `p?` holds all possible facts whose values are known, the certain
//! ones included, `p?1` those of which the second value is unknown.
//!
//! ```text
//! bad(T) :- run(T, N, M), Rate = N / M, Rate < 2.
//! ok(T) :- run(T, _, _), !bad(T).
//! ```
//! becomes
//! ```text
//! bad(T) :- run(T, N, M), Rate = N / M, Rate < 2.                       what follows certainly
//! bad?(T) :- bad(T).                                                    what follows possibly
//! bad?(T) :- run(T, N, M), undefined(N / M), undefined(unknown < 2).
//! ok(T) :- run(T, _, _), !bad(T), !bad?(T).
//! ok?(T) :- ok(T).
//! ok?(T) :- run(T, _, _), !bad(T).
//! ```
//! It is a program like any other, so every engine evaluates it, under the same limits, and a proof in it shows how a
//! possible fact depends on the operation. An expression over an unknown variable has [`ExprKind::Unknown`] in the
//! variable's place, so it has a value only where the rest of it decides.

mod draft;
mod expression;
mod groups;
mod maker;
mod safe;

use std::collections::{BTreeMap, BTreeSet};

use hence_core::index_vec::IndexVec;
use hence_core::schema::{Relation, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};

#[cfg(doc)]
use crate::builtins::expr::ExprKind;
use crate::ir::Program;
use maker::Maker;

/// The columns of a relation that are unknown in one of its versions, ascending.
pub type Columns = Vec<usize>;

/// The values of a row; `None` for one that is unknown.
pub type OpenRow = Vec<Option<Value>>;

/// A program that tells what certainly and what possibly follows by another one.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// The program. The relations and rules of the other one keep their numbers, and derive what certainly follows.
    pub program: Program,
    /// By relation of the program.
    stands: IndexVec<RelationId, Stands>,
    versions: BTreeMap<RelationId, BTreeMap<Columns, RelationId>>,
    coarse: BTreeSet<Symbol>,
}

/// What the facts of a relation stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stands {
    /// Facts that certainly follow.
    Certain,
    /// Facts of a relation that possibly follow, without the columns that are unknown.
    Possible(RelationId, Columns),
    /// Matches of a rule, and groups of them that are not certain.
    Helper,
}

impl Unknown {
    /// The possible versions of a relation; none of one that depends on no operation without a result.
    pub fn versions(&self, relation: RelationId) -> impl Iterator<Item = (&Columns, RelationId)> {
        self.versions.get(&relation).into_iter().flatten().map(|(unknown, version)| (unknown, *version))
    }

    /// Whether a relation depends on an operation without a result.
    pub fn concerns(&self, relation: RelationId) -> bool {
        self.versions.contains_key(&relation)
    }

    /// The rules with so many ways to hold possibly that more counts as possible than is: whatever those facts are that
    /// may be unknown.
    pub fn coarse(&self) -> &BTreeSet<Symbol> {
        &self.coarse
    }

    /// The rows of each relation of `program` that follow possibly and not certainly, ascending; relations without any are
    /// left out. `rows` gives those of a relation of the program that tells them.
    pub fn undetermined(
        &self,
        program: &Program,
        rows: impl Fn(RelationId) -> Vec<Vec<Word>>,
    ) -> BTreeMap<RelationId, Vec<OpenRow>> {
        let mut all = BTreeMap::new();
        for id in self.versions.keys().copied() {
            let certain: BTreeSet<Vec<Word>> = rows(id).into_iter().collect();
            let mut open: Vec<OpenRow> = Vec::new();
            for (columns, version) in self.versions(id) {
                let rows = rows(version);
                let rows = rows.iter().filter(|row| !columns.is_empty() || !certain.contains(*row));
                open.extend(rows.map(|row| open_row(&program[id], columns, row)));
            }
            if !open.is_empty() {
                open.sort_unstable();
                all.insert(id, open);
            }
        }
        all
    }

    /// What a relation stands for.
    pub fn stands(&self, relation: RelationId) -> &Stands {
        &self.stands[relation]
    }
}

/// A row whose values are known but for some columns.
fn open_row(relation: &Relation, unknown: &[usize], row: &[Word]) -> OpenRow {
    let mut known = row.iter();
    let value = |(at, ty)| match unknown.contains(&at) {
        true => None,
        false => known.next().map(|word| Value::from_word(ty, *word)),
    };
    relation.types().enumerate().map(value).collect()
}

/// The program that tells what certainly and what possibly follows where rules of the relations `heads` met operations
/// without a result, and no others did.
pub fn unknown(program: &Program, heads: impl IntoIterator<Item = RelationId>) -> Unknown {
    let heads: BTreeSet<RelationId> = heads.into_iter().collect();
    let cone = heads.into_iter().flat_map(|head| program.dependents(head)).collect();
    Maker::new(program, cone).run()
}
