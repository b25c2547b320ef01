//! The exact report of undefined operations: a rule that met one is matched once more over the final facts. Each
//! match in which some operation is undefined, while all literals that don't depend on it hold, is reported.

use std::collections::{BTreeSet, HashMap};

use hence_core::fault::OrBroken;
use hence_core::value::Word;
use hence_lang::builtins::expr::filled;

use super::eval::{At, Eval};
use super::pack::Report;
use super::rule::{Arg, Match, Rule, Step, Term, VARIABLES};
use super::table::{Table, Tables};

/// The rows of a table by the values of some columns.
type Index = HashMap<Vec<Word>, Vec<usize>, ahash::RandomState>;

/// The matches of one rule with an undefined operation.
pub(super) fn undefined_operations(tables: &Tables, rule: &Rule, params: &[Word]) -> Vec<Report> {
    let first = Partial {
        bindings: vec![None; rule.variables.len()],
        pending: (0..rule.body.len()).collect(),
        failed: Vec::new(),
    };
    let mut undefined =
        UndefinedReport { tables, rule, params, indexes: HashMap::new(), found: BTreeSet::new() };
    let mut open = vec![first];
    while let Some(partial) = open.pop() {
        match undefined.ready(&partial) {
            Some(at) => undefined.extend(partial, at, &mut open),
            None => undefined.report(partial),
        }
    }
    let report = |(at, bindings)| Report { rule: rule.number, at, bindings };
    undefined.found.into_iter().map(report).collect()
}

/// A match of a part of the body; a variable whose operation had no result stays unbound.
#[derive(Clone)]
struct Partial {
    bindings: Vec<Option<Word>>,
    pending: Vec<usize>,
    failed: Vec<At>,
}

struct UndefinedReport<'a> {
    tables: &'a Tables,
    rule: &'a Rule,
    params: &'a [Word],
    /// By literal and columns known.
    indexes: HashMap<(usize, Vec<usize>), Index>,
    found: BTreeSet<(At, Vec<Option<Word>>)>,
}

impl UndefinedReport<'_> {
    /// The first pending literal whose variables are bound, as far as it doesn't bind them itself.
    fn ready(&self, partial: &Partial) -> Option<usize> {
        let bound = |var: &u32| partial.value(*var).is_some();
        let variables = |args: &'static [Arg]| {
            args.iter().filter_map(|arg| match arg {
                Arg::Var(var) => Some(var),
                _ => None,
            })
        };
        partial.pending.iter().copied().find(|at| match step(self.rule, *at) {
            Step::Atom(_, args) => variables(args).all(|var| bound(var) || !self.computes(*var)),
            Step::Not(_, args) => variables(args).all(bound),
            Step::Bind(_, reads, _) | Step::Test(reads, _) | Step::Each(_, reads, _) => {
                reads.iter().all(bound)
            }
        })
    }

    fn computes(&self, var: u32) -> bool {
        self.rule.body.iter().any(|step| match step {
            Step::Bind(bound, ..) | Step::Each(bound, ..) => *bound == var,
            _ => false,
        })
    }

    fn extend(&mut self, mut partial: Partial, at: usize, open: &mut Vec<Partial>) {
        partial.pending.retain(|pending| *pending != at);
        let rule = self.rule;
        match step(rule, at) {
            Step::Atom(table, args) => open.extend(self.join(at, *table, args, &partial)),
            Step::Not(table, args) => {
                if self.join(at, *table, args, &partial).is_empty() {
                    open.push(partial);
                }
            }
            Step::Bind(var, _, compute) => {
                match self.with(&partial, compute) {
                    Ok(word) => partial.bind(*var, word),
                    Err(none) => partial.failed.push(none),
                }
                open.push(partial);
            }
            Step::Test(_, compute) => {
                match self.with(&partial, compute) {
                    Ok(word) if !word.as_bool() => return,
                    Ok(_) => {}
                    Err(none) => partial.failed.push(none),
                }
                open.push(partial);
            }
            Step::Each(var, _, elements) => match self.with(&partial, elements) {
                Ok(elements) => open.extend(elements.map(|word| partial.with(*var, word))),
                Err(none) => {
                    partial.failed.push(none);
                    open.push(partial);
                }
            },
        }
    }

    fn with<T>(&self, partial: &Partial, of: impl FnOnce(&Match<'_>) -> T) -> T {
        of(&Match { vars: &filled(&partial.bindings), params: self.params })
    }

    /// The matches with each row of a table that fits.
    fn join(&mut self, at: usize, table: usize, args: &'static [Arg], partial: &Partial) -> Vec<Partial> {
        let table = self.tables.get(table);
        let wanted: Vec<Option<Word>> = args
            .iter()
            .map(|arg| match arg {
                Arg::Any => None,
                Arg::Var(var) => partial.value(*var),
                Arg::Is(compute) => {
                    let value = self.with(partial, compute).ok();
                    Some(value.or_broken("a literal or parameter has a value"))
                }
            })
            .collect();
        let known: Vec<usize> =
            wanted.iter().enumerate().filter(|(_, word)| word.is_some()).map(|(at, _)| at).collect();
        let key: Vec<Word> = wanted.iter().copied().flatten().collect();
        let index = self.indexes.entry((at, known)).or_insert_with_key(|(_, known)| indexed(table, known));
        let rows = index.get(&key).into_iter().flatten();
        rows.filter_map(|row| partial.unify(args, table.row(*row))).collect()
    }

    fn report(&mut self, partial: Partial) {
        let mut failed = partial.failed.clone();
        if failed.is_empty() {
            failed = self.with(&partial, |of| head_failures(self.rule, of));
        }
        self.found.extend(failed.into_iter().map(|at| (at, partial.bindings.clone())));
    }
}

fn step(rule: &Rule, at: usize) -> &'static Step {
    rule.body.get(at).or_broken("the number of a literal is that of one of its rule's literals")
}

/// The operations of the head without a result.
fn head_failures(rule: &Rule, of: &Match<'_>) -> Vec<At> {
    let limit = rule.limit.as_ref();
    let terms = rule.terms.iter().filter(|term| !term.is_rank(limit));
    let mut values: Vec<Eval> = terms.filter_map(|term| term.value(of)).collect();
    for term in rule.terms {
        if let Term::Of(_, computes, _) = term {
            values.extend(computes.iter().map(|(_, compute)| compute(of)));
        }
    }
    if let Some(limit) = limit {
        values.push((limit.count)(of));
        values.extend(limit.by.iter().map(|(key, ..)| key(of)));
    }
    values.into_iter().filter_map(Eval::err).collect()
}

fn indexed(table: &Table, columns: &[usize]) -> Index {
    let mut index = Index::default();
    for (at, row) in table.iter().enumerate() {
        let word =
            |column: &usize| *row.get(*column).or_broken("the columns of a key are those of its table");
        let key = columns.iter().map(word).collect();
        index.entry(key).or_default().push(at);
    }
    index
}

impl Partial {
    fn value(&self, var: u32) -> Option<Word> {
        *self.bindings.get(var as usize).or_broken(VARIABLES)
    }

    fn bind(&mut self, var: u32, word: Word) {
        *self.bindings.get_mut(var as usize).or_broken(VARIABLES) = Some(word);
    }

    fn with(&self, var: u32, word: Word) -> Self {
        let mut longer = self.clone();
        longer.bind(var, word);
        longer
    }

    /// The match with a row, unless a variable that occurs twice differs.
    fn unify(&self, args: &[Arg], row: &[Word]) -> Option<Self> {
        let mut longer = self.clone();
        for (arg, word) in args.iter().zip(row) {
            if let Arg::Var(var) = arg {
                if longer.value(*var).is_some_and(|known| known != *word) {
                    return None;
                }
                longer.bind(*var, *word);
            }
        }
        Some(longer)
    }
}
