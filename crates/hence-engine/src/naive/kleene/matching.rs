//! All possible matches of a body: a possible fact for every positive atom, then what is computed, then conditions.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::meter::Bound;
use hence_core::value::Word;
use hence_lang::builtins::expr::{ParamId, VarId};
use hence_lang::ir::{Arg, Atom, Literal, Rule};

use super::{PartialRow, ThreeValuedRun};

/// A possible match.
#[derive(Clone, Debug)]
pub(super) struct Match {
    /// The values of the variables; none of those that are unknown.
    pub(super) vars: PartialRow,
    /// Whether it is certain.
    pub(super) certain: bool,
}

/// A match on its way, with the facts that its positive atoms chose.
#[derive(Clone)]
struct Choice<'a> {
    vars: PartialRow,
    rows: Vec<(&'a Atom, PartialRow)>,
    certain: bool,
}

impl ThreeValuedRun<'_> {
    /// The possible matches, each choice of facts and elements once.
    pub(super) fn matches(&mut self, rule: &Rule) -> Result<Vec<Match>, Bound> {
        let mut found: BTreeMap<(PartialRow, Vec<PartialRow>), bool> = BTreeMap::new();
        for choice in self.choices(rule)? {
            for choice in self.computed(rule, choice)? {
                let rows: Vec<(&Atom, PartialRow)> = choice
                    .rows
                    .iter()
                    .map(|(atom, row)| (*atom, self.completed(atom, row, &choice)))
                    .collect();
                let facts_certain = rows.iter().all(|(atom, row)| {
                    let row: Option<Vec<Word>> = row.iter().copied().collect();
                    row.is_some_and(|row| self.facts.certain[atom.relation].contains(&row))
                });
                if let Some(certain) = self.conditions(rule, &choice) {
                    let certain = certain && facts_certain && choice.certain;
                    let key = (choice.vars, rows.into_iter().map(|(_, row)| row).collect());
                    *found.entry(key).or_default() |= certain;
                }
            }
        }
        Ok(found.into_iter().map(|((vars, _), certain)| Match { vars, certain }).collect())
    }

    /// Every choice of a possible fact for each positive atom.
    fn choices<'a>(&mut self, rule: &'a Rule) -> Result<Vec<Choice<'a>>, Bound> {
        let start = Choice { vars: vec![None; rule.variables.len()], rows: Vec::new(), certain: true };
        let mut choices = vec![start];
        for atom in rule.positive() {
            let mut longer = Vec::new();
            for choice in &choices {
                self.budget.steps(self.facts.possible[atom.relation].len() as u64)?;
                let rows = self.facts.possible[atom.relation].iter();
                longer.extend(rows.filter_map(|row| self.unified(choice, atom, row)));
                // All matches of a rule are held at once.
                self.budget.spend(longer.len() as u64)?;
            }
            choices = longer;
        }
        Ok(choices)
    }

    /// The match with a fact, if they agree in what both know.
    fn unified<'a>(&self, choice: &Choice<'a>, atom: &'a Atom, row: &PartialRow) -> Option<Choice<'a>> {
        let mut choice = choice.clone();
        for (arg, word) in atom.args.iter().zip(row) {
            let (Some(word), wanted) = (word, self.argument(arg, &choice.vars)) else { continue };
            if wanted.is_some_and(|wanted| wanted != *word) {
                return None;
            }
            if let Arg::Var(var) = arg {
                *choice.vars.get_mut(var.at()).or_broken(VarId::INVARIANT) = Some(*word);
            }
        }
        choice.rows.push((atom, row.clone()));
        Some(choice)
    }

    fn argument(&self, arg: &Arg, vars: &[Option<Word>]) -> Option<Word> {
        match arg {
            Arg::Any => None,
            Arg::Var(var) => *vars.get(var.at()).or_broken(VarId::INVARIANT),
            Arg::Const(value) => Some(value.word()),
            Arg::Param(param) => Some(*self.params.get(param.at()).or_broken(ParamId::INVARIANT)),
        }
    }

    /// A fact with what the match knows of its unknown values.
    fn completed(&self, atom: &Atom, row: &PartialRow, choice: &Choice<'_>) -> PartialRow {
        let value = |(arg, word): (&Arg, &Option<Word>)| word.or_else(|| self.argument(arg, &choice.vars));
        atom.args.iter().zip(row).map(value).collect()
    }

    /// The match with every choice of values for what the body computes.
    fn computed<'a>(&mut self, rule: &'a Rule, choice: Choice<'a>) -> Result<Vec<Choice<'a>>, Bound> {
        let mut choices = vec![choice];
        for literal in computing(rule) {
            let mut longer = Vec::new();
            for choice in choices {
                let args: Option<Vec<Word>> =
                    literal.exprs().iter().map(|arg| self.value(arg, &choice.vars)).collect();
                let (Some(args), Some(var)) = (args, literal.computed()) else {
                    longer.push(Choice { certain: false, ..choice });
                    continue;
                };
                for element in literal.outcomes(&args) {
                    self.budget.spend(u64::from(literal.chooses()))?;
                    let mut next = choice.clone();
                    let known = next.vars.get_mut(var.at()).or_broken(VarId::INVARIANT);
                    if known.is_none_or(|known| known == element) {
                        *known = Some(element);
                        longer.push(next);
                    }
                }
            }
            choices = longer;
        }
        Ok(choices)
    }

    /// Whether the conditions hold certainly; `None` where one of them certainly doesn't hold.
    fn conditions(&self, rule: &Rule, choice: &Choice<'_>) -> Option<bool> {
        let mut certain = true;
        for literal in &rule.body {
            match literal {
                Literal::Test { expr, .. } => match self.value(expr, &choice.vars) {
                    Some(word) if !word.as_bool() => return None,
                    Some(_) => {}
                    None => certain = false,
                },
                Literal::Not(atom) => certain &= self.absent(atom, choice)?,
                _ => {}
            }
        }
        Some(certain)
    }

    /// Whether it is certain that no fact matches; `None` where one certainly does.
    fn absent(&self, atom: &Atom, choice: &Choice<'_>) -> Option<bool> {
        let wanted: Vec<Option<Word>> =
            atom.args.iter().map(|arg| self.argument(arg, &choice.vars)).collect();
        if atom.args.iter().zip(&wanted).any(|(arg, word)| *arg != Arg::Any && word.is_none()) {
            return Some(false);
        }
        let agrees = |row: &[Option<Word>]| {
            wanted.iter().zip(row).all(|(wanted, word)| wanted.is_none() || word.is_none() || wanted == word)
        };
        let mut certain = self.facts.certain[atom.relation].iter();
        if certain.any(|row| agrees(&row.iter().copied().map(Some).collect::<Vec<_>>())) {
            return None;
        }
        Some(!self.facts.possible[atom.relation].iter().any(|row| agrees(row)))
    }
}

/// The literals that compute something, each after those whose variables it reads.
fn computing(rule: &Rule) -> Vec<&Literal> {
    let mut open: Vec<&Literal> = rule.body.iter().filter(|literal| literal.computed().is_some()).collect();
    let mut order = Vec::new();
    while !open.is_empty() {
        let waiting: BTreeSet<VarId> = open.iter().filter_map(|literal| literal.computed()).collect();
        let (ready, rest): (Vec<&Literal>, Vec<&Literal>) =
            open.into_iter().partition(|literal| literal.is_ready(|var| !waiting.contains(&var)));
        assert!(!ready.is_empty(), "what a safe rule computes has an order");
        order.extend(ready);
        open = rest;
    }
    order
}
