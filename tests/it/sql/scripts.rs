//! Scripts that compare, of cases that there are anyway.

use std::ops::Range;
use std::path::Path;

use hence::session::sql::Dialect;
use hence::session::{Loader, RuleSet, check};
use hence_compile::sql;
use hence_core::schema::{Kind, RelationId};
use hence_core::span::Sources;
use hence_core::value::Value;
use hence_engine::{Database, Engine, Limits, Model, Rows, SemiNaive};
use hence_lang::analysis;
use hence_lang::ir::Program;

use crate::{files, golden, random as random_programs};

/// What becomes of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Equal,
    /// An operation has no result.
    Stops,
}

/// A script and what becomes of it.
pub(super) struct Script {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) expected: Expected,
}

/// The script of a program over an input; `None` where SQL can't say it, or where a limit is reached.
fn of(
    (name, dialect): (String, Dialect),
    (program, sources): (&Program, &Sources),
    input: &Database,
    limits: &Limits,
) -> Option<Script> {
    let model = SemiNaive.evaluate(program, input.clone(), limits).ok()?;
    let given = |id: RelationId| values(program, id, input.rows(id).into_iter().flat_map(Rows::iter));
    let derived = |id: RelationId| extent(program, &model, id);
    let text = sql::equality(program, sources, dialect, (&given, &derived)).ok()?;
    let expected = if model.undefined.is_empty() { Expected::Equal } else { Expected::Stops };
    Some(Script { name, text, expected })
}

fn extent(program: &Program, model: &Model, id: RelationId) -> Vec<Vec<Value>> {
    values(program, id, model.extent(id).unwrap().rows.iter())
}

fn values<'r>(
    program: &Program,
    id: RelationId,
    rows: impl Iterator<Item = &'r [hence_core::value::Word]>,
) -> Vec<Vec<Value>> {
    let types: Vec<_> = program[id].types().collect();
    rows.map(|row| row.iter().zip(&types).map(|(word, ty)| Value::from_word(*ty, *word)).collect()).collect()
}

/// The good cases of the corpus whose facts are in them, one of `every` so many.
pub(super) fn corpus(dialect: Dialect, every: usize) -> Vec<Script> {
    let cases = files::cases("good").into_iter().step_by(every);
    cases.filter_map(|path| case(dialect, &path)).collect()
}

fn case(dialect: Dialect, path: &Path) -> Option<Script> {
    let mut loader = Loader::default();
    loader.path(path).ok()?;
    let rules = *check(loader.finish(), &[]).rules?;
    let input = input(&rules, path)?;
    without_effects(&rules)?;
    let name = path.display().to_string();
    of((name, dialect), (&rules.program, &rules.sources), &input, &Limits::default())
}

/// The facts in the comments of a case, and the clock of those that set none.
fn input(rules: &RuleSet, path: &Path) -> Option<Database> {
    let text = std::fs::read_to_string(path).ok()?;
    if text.lines().any(|line| line.starts_with("#! ") && line != "#! warnings" && line != "#! lenient") {
        return None;
    }
    let facts: String =
        text.lines().filter_map(|line| line.strip_prefix("#> ")).map(|line| format!("{line}\n")).collect();
    let mut sources = rules.sources.clone();
    let (tree, faults) = hence_syntax::parse(sources.add("facts", facts.as_str()), &facts);
    let (typed, more) = analysis::check_facts(&rules.checked, &tree, &sources);
    if !faults.is_empty() || !more.is_empty() {
        return None;
    }
    let mut input = Database::new(&rules.program);
    let now = rules.program.find("now".into())?;
    input.push(now, &[Value::Time(1_767_225_600_000_000).word()]);
    for (id, values, _) in typed {
        input.push(id, &values.iter().map(|value| value.word()).collect::<Vec<_>>());
    }
    Some(input)
}

fn without_effects(rules: &RuleSet) -> Option<()> {
    rules.checked.effects.is_empty().then_some(())
}

/// The golden cases of packs that SQL can say, at most so many of each.
pub(super) fn golden(dialect: Dialect, most: usize) -> Vec<Script> {
    let mut all = Vec::new();
    for pack in golden::packs() {
        let rules = golden::rules(pack);
        for (at, case) in golden::cases(pack).iter().take(most).enumerate() {
            let (session, now) = golden::session(&rules, case);
            let name = format!("{pack} {at}");
            match session.sql_equality(dialect, now) {
                Ok(text) => all.push(Script { name, text, expected: Expected::Equal }),
                Err(_) => break,
            }
        }
    }
    all
}

/// Random programs, without the rules that SQL can't say.
pub(super) fn random(dialect: Dialect, seeds: Range<u64>) -> Vec<Script> {
    seeds.filter_map(|seed| random_one(dialect, seed)).collect()
}

fn random_one(dialect: Dialect, seed: u64) -> Option<Script> {
    let mut text = random_programs::random(seed);
    for _ in 0..20 {
        let (rules, mut input) = random_programs::load(&text).ok()?;
        let program = &rules.program;
        if let Err(refused) = sql::script(program, &rules.sources, dialect) {
            let lines: Vec<usize> = refused.iter().map(|one| rules.sources.place(one.span).line).collect();
            text = text.without_lines(&lines);
            continue;
        }
        if program.rules.is_empty() {
            return None;
        }
        for (relation, rows) in program.relations.iter().zip(&mut input.relations) {
            if relation.kind != Kind::Input {
                rows.clear();
            }
        }
        let (name, limits) = (format!("seed {seed}"), &random_programs::LIMITS);
        return of((name, dialect), (program, &rules.sources), &input, limits);
    }
    None
}
