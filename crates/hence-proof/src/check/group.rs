//! The group of an aggregate: its columns, its value, the inputs shown, and whether they are all.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use hence_core::span::Span;
use hence_core::value::Word;
use hence_lang::builtins::aggregate::{Accumulator, Aggregate};
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Atom, Literal, Rule};

use super::matches::{Matches, words};
use super::read::{self, Head};
use super::step::all_bound;
use super::{Checker, Verdict};

impl Checker<'_> {
    pub(super) fn aggregate(
        &mut self,
        at: usize,
        rule: &Rule,
        head: &Head,
        vars: &[Option<Word>],
        premises: &[Json],
    ) -> Verdict<Vec<usize>> {
        let [premise] = premises else { return Err(String::from("an aggregate has one premise")) };
        let group = read::object(premise, "a premise")?;
        let group = read::object(read::member(group, "aggregate")?, "the group")?;
        self.columns(rule, head, group)?;
        self.group_vars(rule, head, vars)?;
        let matches = read::number(group, "matches")?;
        let (mut refers, mut seen, mut all) = (Vec::new(), BTreeSet::new(), Vec::new());
        for (number, input) in read::array(group, "inputs")?.iter().enumerate() {
            let checked = self.input(at, rule, head, input);
            let (bound, below) = checked.map_err(|message| format!("input {}: {message}", number + 1))?;
            if !seen.insert(choice(rule, &bound, &below)) {
                return Err(format!("duplicate input {}", number + 1));
            }
            refers.extend(below);
            all.push(bound);
        }
        if all.is_empty() || all.len() > matches {
            return Err(format!("{} inputs are shown for {matches} matches", all.len()));
        }
        self.complete(at, rule, head, matches, all)?;
        Ok(refers)
    }

    /// An aggregate in the body of a rule: its group, or that nothing matches.
    pub(super) fn values(
        &mut self,
        at: usize,
        atom: &Atom,
        vars: &[Word],
        premise: &Json,
    ) -> Verdict<Vec<usize>> {
        let row: Option<Vec<Word>> = atom.args.iter().map(|arg| self.arg(arg, vars)).collect();
        let head = Head { relation: atom.relation, row: row.ok_or("an aggregate without a value")? };
        let rules = self.program.rules.iter().filter(|rule| rule.head == atom.relation);
        let (group, nothing): (Vec<_>, Vec<_>) = rules.partition(|rule| rule.is_aggregate());
        let rule = *group.first().ok_or("no rule gives the values of an aggregate")?;
        let shown =
            read::object(read::member(read::object(premise, "a premise")?, "aggregate")?, "the group")?;
        if read::number(shown, "matches")? > 0 {
            let given = |at: usize| {
                let is = |term: &Term| matches!(term, Term::Expr(Expr { kind: ExprKind::Var(var), .. }) if var.0 as usize == at);
                rule.terms.iter().position(is).and_then(|column| head.row.get(column)).copied()
            };
            let vars: Vec<_> = (0..rule.variables.len()).map(given).collect();
            return self.aggregate(at, rule, &head, &vars, std::slice::from_ref(premise));
        }
        self.columns(rule, &head, shown)?;
        let zero = nothing.first().and_then(|rule| match rule.terms.last() {
            Some(Term::Expr(expr)) => expr.eval(&[], &self.params).ok(),
            _ => None,
        });
        if zero.is_none() || zero.as_ref() != head.row.last() || !read::array(shown, "inputs")?.is_empty() {
            return Err(String::from("the aggregate has another value over nothing"));
        }
        match self.matches_of(rule, &head) {
            Some(found) if !found.is_empty() => Err(format!("the group has {} matches, not 0", found.len())),
            Some(_) => Ok(Vec::new()),
            None => {
                self.trust(at, "the completeness of the group");
                Ok(Vec::new())
            }
        }
    }

    /// The columns of the group and of the aggregates, with the values of the head.
    fn columns(&self, rule: &Rule, head: &Head, group: &serde_json::Map<String, Json>) -> Verdict {
        let by = read::object(read::member(group, "by")?, "`by`")?;
        let results = read::object(read::member(group, "results")?, "`results`")?;
        if by.len() + results.len() != head.row.len() {
            return Err(String::from("the columns of the group are not those of the relation"));
        }
        let relation = self.program.relation(head.relation).ok_or("unknown relation")?;
        if by.len() + results.len() != relation.columns.len() {
            return Err(String::from("the columns of the group are not those of the head"));
        }
        for ((column, term), word) in relation.columns.iter().zip(&rule.terms).zip(&head.row) {
            let name = column.name.as_str();
            let json = match term {
                Term::Expr(_) => read::member(by, name)?,
                Term::Aggregate { span, .. } => {
                    let result = read::object(read::member(results, name)?, "a result")?;
                    self.written(read::text(result, "written")?, *span)?;
                    read::member(result, "value")?
                }
            };
            if read::word(&column.ty, json)? != *word {
                return Err(format!("`{name}` has another value in the head"));
            }
        }
        Ok(())
    }

    /// Bindings of the whole step are those that columns of the head give, and no others.
    fn group_vars(&self, rule: &Rule, head: &Head, vars: &[Option<Word>]) -> Verdict {
        for (at, (variable, given)) in rule.variables.iter().zip(vars).enumerate() {
            let column = rule.terms.iter().position(|term| match term {
                Term::Expr(expr) => matches!(expr.kind, ExprKind::Var(var) if var.0 as usize == at),
                Term::Aggregate { .. } => false,
            });
            if column.and_then(|column| head.row.get(column)).copied() != *given {
                return Err(format!("`{}` has another value in the head", variable.name));
            }
        }
        Ok(())
    }

    fn input(
        &mut self,
        at: usize,
        rule: &Rule,
        head: &Head,
        input: &Json,
    ) -> Verdict<(Vec<Word>, Vec<usize>)> {
        let input = read::object(input, "an input")?;
        let vars = all_bound(rule, &read::bindings(rule, read::member(input, "bindings")?)?)?;
        self.meets(rule, head, &vars)?;
        let below = self.body(at, rule, &vars, read::array(input, "premises")?)?;
        let shown = read::array(input, "args")?;
        let args: Vec<_> = aggregates(rule).map(|(_, _, args, _)| args).collect();
        if shown.len() != args.len() {
            return Err(String::from("the arguments are not those of the aggregates"));
        }
        for (shown, args) in shown.iter().zip(args) {
            let shown = shown.as_array().filter(|shown| shown.len() == args.len());
            let shown = shown.ok_or("the arguments are not those of the aggregate")?;
            for (json, arg) in shown.iter().zip(args) {
                let word = read::word(&hence_core::schema::ColumnType::plain(arg.ty), json)?;
                if arg.eval(&vars, &self.params) != Ok(word) {
                    return Err(String::from("an argument has another value"));
                }
            }
        }
        Ok((vars, below))
    }

    /// The value of the group over all of its matches: those shown where they are all, else those that the facts
    /// give, else on trust (a count must at least be the number of matches).
    fn complete(
        &mut self,
        at: usize,
        rule: &Rule,
        head: &Head,
        matches: usize,
        shown: Vec<Vec<Word>>,
    ) -> Verdict {
        for (column, aggregate, _, _) in aggregates(rule) {
            let counted = Word::from_int(i64::try_from(matches).unwrap_or(i64::MAX));
            if aggregate == Aggregate::Count && head.row.get(column) != Some(&counted) {
                return Err(String::from("the count is not the number of matches"));
            }
        }
        let whole = shown.len() == matches;
        match self.matches_of(rule, head) {
            Some(found) if found.len() != matches => {
                Err(format!("the group has {} matches, not {matches}", found.len()))
            }
            Some(found) => self.value(rule, head, &found),
            None => {
                self.trust(at, "the completeness of the group");
                if whole { self.value(rule, head, &shown) } else { Ok(()) }
            }
        }
    }

    /// All matches of the group, where the facts are known.
    fn matches_of(&self, rule: &Rule, head: &Head) -> Option<Vec<Vec<Word>>> {
        let mut start = vec![None; rule.variables.len()];
        for (term, word) in rule.terms.iter().zip(&head.row) {
            if let Term::Expr(Expr { kind: ExprKind::Var(var), .. }) = term
                && let Some(slot) = start.get_mut(var.0 as usize)
            {
                *slot = Some(*word);
            }
        }
        let all = Matches::new(self, rule).all(start)?;
        let mut all: Vec<_> = all.iter().map(words).collect();
        all.retain(|vars| {
            let args = aggregates(rule).flat_map(|(_, _, args, _)| args);
            self.meets(rule, head, vars).is_ok()
                && args.into_iter().all(|arg| arg.eval(vars, &self.params).is_ok())
        });
        Some(all)
    }

    fn value(&self, rule: &Rule, head: &Head, matches: &[Vec<Word>]) -> Verdict {
        for (column, aggregate, args, _) in aggregates(rule) {
            let types: Vec<_> = args.iter().map(|arg| arg.ty).collect();
            let mut state = Accumulator::new(aggregate, &types);
            for vars in matches {
                let words: Result<Vec<_>, _> = args.iter().map(|arg| arg.eval(vars, &self.params)).collect();
                state.add(&words.map_err(|_| "an argument has no value")?);
            }
            if state.finish().as_ref() != head.row.get(column) {
                return Err(format!("the inputs give another value for column {}", column + 1));
            }
        }
        Ok(())
    }
}

/// The aggregates of a head with their columns, arguments and places.
fn aggregates(rule: &Rule) -> impl Iterator<Item = (usize, Aggregate, &[Expr], Span)> {
    rule.terms.iter().enumerate().filter_map(|(column, term)| match term {
        Term::Aggregate { aggregate, args, span } => Some((column, *aggregate, args.as_slice(), *span)),
        Term::Expr(_) => None,
    })
}

/// What tells one match from another: the facts and elements chosen.
fn choice(rule: &Rule, vars: &[Word], below: &[usize]) -> (Vec<usize>, Vec<Option<Word>>) {
    let choosing = rule.body.iter().filter(|literal| literal.chooses());
    let element = |literal: &Literal| literal.computed().and_then(|var| vars.get(var.0 as usize).copied());
    (below.to_vec(), choosing.map(element).collect())
}
