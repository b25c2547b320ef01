//! Incremental evaluations against the naive engine: random programs under random sequences of changes, each step
//! compared with an evaluation from scratch.

use crate::slow;

use hence_core::schema::RelationId;
use hence_core::value::{Type, Word};
use hence_engine::Naive;
use hence_engine::SemiNaive;
use hence_engine::{Bound, Database, Engine, Limits, Model, Rows};
use hence_engine::{FactChange, Incremental};
use hence_lang::ir::Program;

use crate::random::{self, Dice, LIMITS, Text};

use super::build::{Build, Clause, any};
use super::check::same;

/// A row that is asserted or retracted.
type Step = (RelationId, Vec<Word>, bool);

/// An incremental evaluation, and the facts that were asserted in it.
struct Followed {
    incremental: Incremental,
    input: Database,
}

impl Followed {
    fn new(program: &Program, input: &Database) -> Result<Self, String> {
        let incremental =
            Incremental::new(program, input, &Limits::default()).map_err(|stop| format!("{stop:?}"))?;
        Ok(Self { incremental, input: input.clone() })
    }

    fn apply(&mut self, program: &Program, steps: &[Step]) -> Result<(), String> {
        let edits: Vec<FactChange<'_>> = steps
            .iter()
            .map(|(relation, row, asserted)| FactChange { relation: *relation, row, asserted: *asserted })
            .collect();
        for (relation, row, asserted) in steps {
            let rows = &mut self.input.relations[relation.0 as usize];
            let mut left = Rows::new(rows.arity());
            rows.iter().filter(|other| other != row).for_each(|row| left.push(row));
            asserted.then(|| left.push(row));
            *rows = left;
        }
        // Where a program may run away, it is left alone.
        if Naive.evaluate(program, self.input.clone(), &LIMITS).is_ok() {
            self.incremental.apply(&edits).map_err(|stop| format!("{stop:?}"))?;
        }
        Ok(())
    }

    /// Whether everything is as an evaluation from scratch has it, and what came and went is the difference.
    fn check(&self, program: &Program, before: &Model) -> Result<Option<Model>, String> {
        let Ok(naive) = Naive.evaluate(program, self.input.clone(), &LIMITS) else { return Ok(None) };
        same(program, &naive, &self.incremental.model())?;
        for relation in (0..program.relations.len() as u32).map(RelationId) {
            let sorted = |model: &Model| {
                let rows = model.relations[relation.0 as usize].rows.iter().map(<[Word]>::to_vec);
                rows.collect::<std::collections::BTreeSet<_>>()
            };
            let (old, new) = (sorted(before), sorted(&naive));
            let mut expected: Vec<(Vec<Word>, bool)> =
                new.difference(&old).map(|row| (row.clone(), true)).collect();
            expected.extend(old.difference(&new).map(|row| (row.clone(), false)));
            let mut found: Vec<_> =
                self.incremental.changes(relation).map(|(row, came)| (row.to_vec(), came)).collect();
            expected.sort();
            found.sort();
            if expected != found {
                return Err(format!("changes of {relation:?}: expected {expected:?}, found {found:?}"));
            }
            if self.incremental.len(relation) != new.len() {
                return Err(format!("{relation:?} has another size"));
            }
        }
        Ok(Some(naive))
    }
}

/// A random sequence of changes: rows of the input and others, of any relation, now asserted, now retracted.
fn steps(program: &Program, input: &Database, seed: u64) -> Vec<Vec<Step>> {
    let mut random = Dice::new(seed ^ 0x5eed);
    let mut pool: Vec<(RelationId, Vec<Word>)> = Vec::new();
    for (at, rows) in (0..).zip(&input.relations) {
        pool.extend(rows.iter().map(|row| (RelationId(at), row.to_vec())));
    }
    for _ in 0..4 {
        let relation = RelationId(random.below(given(program)) as u32);
        pool.push((relation, random::row(&mut random, program, relation)));
    }
    let changes = 2 + random.below(8);
    let change = |_| {
        let count = if random.chance(70) { 1 } else { 1 + random.below(5) };
        let step = |_| {
            let (relation, row) = pool[random.below(pool.len())].clone();
            (relation, row, random.chance(50))
        };
        (0..count).map(step).collect()
    };
    (0..changes).map(change).collect()
}

/// How many relations may be given facts; those that aggregates were made into come after them.
fn given(program: &Program) -> usize {
    let made = |at: &usize| hence_lang::lower::is_made(program, RelationId(*at as u32));
    (0..program.relations.len()).find(made).unwrap_or(program.relations.len())
}

/// How an incremental evaluation differs from one from scratch, if it does; and how many changes were compared.
fn difference(program: &Program, input: &Database, changes: &[Vec<Step>]) -> Result<u64, String> {
    let nothing = Model {
        relations: input.relations.iter().map(|_| Default::default()).collect(),
        undefined: Vec::new(),
    };
    if Naive.evaluate(program, input.clone(), &LIMITS).is_err() {
        return Ok(0);
    }
    let mut followed = Followed::new(program, input)?;
    let Some(mut before) = followed.check(program, &nothing)? else { return Ok(0) };
    let mut compared = 0;
    for (at, change) in changes.iter().enumerate() {
        followed.apply(program, change).map_err(|stop| format!("change {at}: {stop}"))?;
        match followed.check(program, &before).map_err(|difference| format!("change {at}: {difference}"))? {
            Some(model) => before = model,
            None => return Ok(compared),
        }
        compared += 1;
    }
    Ok(compared)
}

fn run(seeds: std::ops::Range<u64>) {
    let mut compared = 0;
    let total = seeds.end - seeds.start;
    for seed in seeds {
        let text = random::random(seed);
        let (rules, input) = random::load(&text).unwrap();
        let changes = steps(&rules.program, &input, seed);
        match difference(&rules.program, &input, &changes) {
            Ok(count) => compared += count,
            Err(_) => report(seed, text, changes),
        }
    }
    assert!(compared > total * 3, "only {compared} changes were compared");
}

/// Panics with a smallest program, input and sequence that still differ.
fn report(seed: u64, text: Text, mut changes: Vec<Vec<Step>>) {
    let relations = given(&random::load(&text).unwrap().0.program);
    // The changes name relations by their numbers, so none is left out.
    let differs = |text: &Text, changes: &[Vec<Step>]| {
        let (rules, input) = random::load(text).ok()?;
        let same = given(&rules.program) == relations;
        same.then(|| difference(&rules.program, &input, changes).err())?
    };
    let mut at = 0;
    while at < changes.len() {
        let mut fewer = changes.clone();
        fewer.remove(at);
        match differs(&text, &fewer) {
            Some(_) => changes = fewer,
            None => at += 1,
        }
    }
    let small = random::shrink(text, |smaller| differs(smaller, &changes).is_some());
    panic!("seed {seed}: {}\n{}\n{changes:?}", differs(&small, &changes).unwrap(), small.case());
}

#[test]
fn random_changes_leave_what_an_evaluation_from_scratch_gives() {
    run(0..900);
}

#[test]
fn more_random_changes_leave_what_an_evaluation_from_scratch_gives() {
    run(900..1800);
}

#[test]
fn many_random_changes_leave_what_an_evaluation_from_scratch_gives() {
    slow::seeds(5_000, run);
}

/// Paths along edges, and those who are on none.
fn paths() -> (Program, [RelationId; 4]) {
    let mut build = Build::default();
    let edge = build.input("edge", &[Type::Int, Type::Int]);
    let node = build.input("node", &[Type::Int]);
    let path = build.derived("path", &[Type::Int, Type::Int]);
    let lone = build.derived("lone", &[Type::Int]);
    let mut clause = Clause::new(path);
    let [x, y] = clause.ints(["X", "Y"]);
    build.rule(clause.atom(edge, &[&x, &y]).head(&[&x, &y]));
    let mut clause = Clause::new(path);
    let [x, y, z] = clause.ints(["X", "Y", "Z"]);
    build.rule(clause.atom(path, &[&x, &y]).atom(edge, &[&y, &z]).head(&[&x, &z]));
    let mut clause = Clause::new(lone);
    let [x] = clause.ints(["X"]);
    build.rule(clause.atom(node, &[&x]).not(path, &[&x, &any()]).head(&[&x]));
    (build.finish(), [edge, node, path, lone])
}

fn ints<const N: usize>(row: [i64; N]) -> Vec<Word> {
    row.iter().map(|int| Word::from_int(*int)).collect()
}

/// an incremental evaluation beside the facts that it was told, compared with one from scratch after each change.
struct Checked {
    program: Program,
    incremental: Incremental,
    facts: std::collections::BTreeSet<(RelationId, Vec<Word>)>,
}

impl Checked {
    fn new(program: Program) -> Self {
        let incremental = Incremental::new(&program, &Database::new(&program), &Limits::default()).unwrap();
        Self { program, incremental, facts: Default::default() }
    }

    /// Takes changes in; how many steps that took.
    fn change(&mut self, changes: &[(RelationId, Vec<Word>, bool)]) -> u64 {
        let before = self.incremental.steps();
        let edit = |(relation, row, asserted): &'_ (RelationId, Vec<Word>, bool)| {
            match asserted {
                true => self.facts.insert((*relation, row.clone())),
                false => self.facts.remove(&(*relation, row.clone())),
            };
        };
        changes.iter().for_each(edit);
        let edits = changes.iter().map(|(relation, row, asserted)| FactChange {
            relation: *relation,
            row,
            asserted: *asserted,
        });
        self.incremental.apply(&edits.collect::<Vec<_>>()).unwrap();
        let steps = self.incremental.steps() - before;
        let fresh = self.recomputed().model();
        let scratch = SemiNaive.evaluate(&self.program, self.input(), &Limits::default()).unwrap();
        same(&self.program, &scratch, &fresh).unwrap();
        same(&self.program, &scratch, &self.incremental.model()).unwrap();
        steps
    }

    fn input(&self) -> Database {
        let mut input = Database::new(&self.program);
        self.facts.iter().for_each(|(relation, row)| input.push(*relation, row));
        input
    }

    fn recomputed(&self) -> Incremental {
        Incremental::new(&self.program, &self.input(), &Limits::default()).unwrap()
    }
}

#[test]
fn a_circle_goes_with_its_only_support() {
    let (program, [edge, node, path, lone]) = paths();
    let mut checked = Checked::new(program);
    let circle = |from: i64| (1..5).map(move |at| (edge, ints([from + at, from + at % 4 + 1]), true));
    checked.change(&circle(0).chain(circle(10)).chain([(node, ints([20]), true)]).collect::<Vec<_>>());
    assert_eq!((checked.incremental.len(path), checked.incremental.len(lone)), (32, 1));
    checked.change(&[(edge, ints([20, 1]), true)]);
    assert!(checked.incremental.holds(path, &ints([20, 4])) && checked.incremental.len(lone) == 0);
    checked.change(&[(edge, ints([20, 1]), false)]);
    assert_eq!((checked.incremental.len(path), checked.incremental.len(lone)), (32, 1));
    checked.change(&[(edge, ints([2, 3]), false), (edge, ints([11, 12]), false)]);
    assert_eq!(checked.incremental.len(path), 12);
}

#[test]
fn a_detour_raises_ranks_and_a_short_cut_lowers_them() {
    let (program, [edge, _, path, _]) = paths();
    let mut checked = Checked::new(program);
    let chain = (0..30).map(|at| (edge, ints([at, at + 1]), true));
    checked.change(&chain.chain([(edge, ints([3, 20]), true)]).collect::<Vec<_>>());
    for asserted in [false, true, false] {
        checked.change(&[(edge, ints([3, 20]), asserted)]);
        assert_eq!(checked.incremental.len(path), 30 * 31 / 2);
    }
}

/// The cost of a change follows what it touches, and never gets far above that of starting from scratch.
#[test]
fn a_recursion_is_derived_anew_where_that_is_cheaper() {
    let (program, [edge, ..]) = paths();
    let mut checked = Checked::new(program);
    let chain: Vec<_> = (0..120).map(|at| (edge, ints([at, at + 1]), true)).collect();
    checked.change(&chain);
    let scratch = checked.recomputed().steps();
    let leaf = checked.change(&[(edge, ints([500, 501]), true)]);
    assert!(leaf * 50 < scratch, "{leaf} steps for a lone edge, {scratch} from scratch");
    for at in [60, 1, 119] {
        for asserted in [false, true] {
            let steps = checked.change(&[(edge, ints([at, at + 1]), asserted)]);
            let scratch = checked.recomputed().steps();
            assert!(steps * 10 <= scratch * 12 + 20_000, "{steps} steps at {at}, {scratch} from scratch");
        }
    }
}

/// Columns, ranks, counts of derivations and numbers of facts may each outgrow the bytes that they took so far.
#[test]
fn numbers_of_any_width_come_and_go() {
    let (program, [edge, _, path, _]) = paths();
    let mut checked = Checked::new(program);
    let powers = (0..63).step_by(6).map(|bits| 1_i64 << bits);
    let mut numbers: Vec<i64> = powers.flat_map(|power| [power - 1, power, -power, -power - 1]).collect();
    numbers.extend([i64::MAX, i64::MIN]);
    numbers.sort_unstable_by_key(|number| number.unsigned_abs());
    numbers.dedup();
    for pair in numbers.windows(2) {
        checked.change(&[(edge, ints([pair[0], pair[1]]), true)]);
    }
    let all = numbers.len() - 1;
    assert_eq!(checked.incremental.len(path), all * (all + 1) / 2);
    for asserted in [false, true] {
        checked.change(&[(edge, ints([numbers[20], numbers[21]]), asserted)]);
    }
    let chain = |asserted| (2_000..2_150).map(move |at| (edge, ints([at, at + 1]), asserted));
    checked.change(&chain(true).collect::<Vec<_>>());
    checked.change(&[(edge, ints([2_140, 2_141]), false)]);

    let mut build = Build::default();
    let edge = build.input("edge", &[Type::Int, Type::Int]);
    let from = build.derived("from", &[Type::Int]);
    let two = build.derived("two", &[Type::Int, Type::Int]);
    let mut clause = Clause::new(from);
    let [x] = clause.ints(["X"]);
    build.rule(clause.atom(edge, &[&x, &any()]).head(&[&x]));
    let mut clause = Clause::new(two);
    let [x, y, z] = clause.ints(["X", "Y", "Z"]);
    build.rule(clause.atom(edge, &[&x, &y]).atom(edge, &[&y, &z]).head(&[&x, &z]));
    let mut checked = Checked::new(build.finish());
    let many = |asserted| (0..34_000).map(move |at| (edge, ints([7, -at]), asserted));
    checked.change(&many(true).take(130).collect::<Vec<_>>());
    checked.change(&many(true).collect::<Vec<_>>());
    checked.change(&[(edge, ints([-33_000, 5]), true)]);
    assert!(checked.incremental.holds(two, &ints([7, 5])));
    checked.change(&many(false).skip(1).collect::<Vec<_>>());
    assert!(checked.incremental.holds(from, &ints([7])) && checked.incremental.len(two) == 0);
    checked.change(&many(false).take(1).collect::<Vec<_>>());
    assert_eq!(checked.incremental.len(from), 1);
}

#[test]
fn nothing_grows_under_the_same_changes_again_and_again() {
    let (program, [edge, node, ..]) = paths();
    let mut incremental = Incremental::new(&program, &Database::new(&program), &Limits::default()).unwrap();
    let rows: Vec<Vec<Word>> = (0..12).map(|at| ints([at, (at * 5 + 1) % 12])).collect();
    let mut most = 0;
    let rounds = slow::size(8_000, 100_000);
    for round in 0..rounds {
        let (row, asserted) = (&rows[round % 12], (round / 12) % 2 == 0);
        let node_row = ints([(round % 7) as i64]);
        let edits = [
            FactChange { relation: edge, row, asserted },
            FactChange { relation: node, row: &node_row, asserted: round % 3 == 0 },
        ];
        incremental.apply(&edits).unwrap();
        match round {
            0..1_000 => most = most.max(incremental.bytes()),
            _ => assert!(
                incremental.bytes() <= most,
                "{} bytes after {round} changes, {most} before",
                incremental.bytes()
            ),
        }
    }
}

#[test]
fn a_limit_stops_an_incremental_evaluation_for_good() {
    let (program, [edge, ..]) = paths();
    let limits = Limits { facts: 50, ..Limits::default() };
    let mut incremental = Incremental::new(&program, &Database::new(&program), &limits).unwrap();
    let rows: Vec<Vec<Word>> = (0..20).map(|at| ints([at, at + 1])).collect();
    let edits: Vec<FactChange<'_>> =
        rows.iter().map(|row| FactChange { relation: edge, row, asserted: true }).collect();
    let stopped = incremental.apply(&edits).unwrap_err();
    assert_eq!(stopped.bound, Bound::Facts(50));
    assert_eq!(incremental.apply(&[]), Err(stopped));
}
