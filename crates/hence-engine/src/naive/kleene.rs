//! Kleene's three values, by themselves: what a program comes to where operations have no result, slow and plain. It
//! goes through every possible match, with rows in which values are unknown, and knows nothing of the program that
//! [`hence_lang::lower::unknown`] makes; the other engines are right about the unknown where they agree with this.

mod groups;
mod matching;

use std::collections::BTreeSet;

use super::Naive;
use crate::limits::{Budget, LimitReached, Limits};
use crate::model::Database;
use hence_core::fault::OrBroken;
use hence_core::index_vec::{Id, IndexVec};
use hence_core::meter::Bound;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::{Expr, ExprKind, ParamId, VarId};
use hence_lang::ir::{Program, Rule, RuleId, Stratum};
use matching::Match;

/// Values, some of them unknown.
pub(super) type PartialRow = Vec<Option<Word>>;

/// What certainly and what possibly follows.
#[derive(Clone, Debug, Default)]
pub struct ThreeValued {
    /// The facts that certainly follow, by relation.
    pub certain: IndexVec<RelationId, BTreeSet<Vec<Word>>>,
    /// Those that possibly follow, the certain ones included.
    pub possible: IndexVec<RelationId, BTreeSet<Vec<Option<Word>>>>,
}

impl Naive {
    /// What certainly and what possibly follows.
    ///
    /// # Errors
    /// The limit that was reached first.
    pub fn three_valued(
        &self,
        program: &Program,
        input: &Database,
        limits: &Limits,
    ) -> Result<ThreeValued, LimitReached> {
        let len = program.relations.len();
        let facts = ThreeValued {
            certain: IndexVec::filled(BTreeSet::new(), len),
            possible: IndexVec::filled(BTreeSet::new(), len),
        };
        let mut run =
            ThreeValuedRun { program, params: program.param_words(), facts, budget: Budget::new(limits) };
        for (relation, rows) in (0..).map(RelationId).zip(&input.relations) {
            rows.iter().for_each(|row| run.add_certain(relation, row.to_vec()));
        }
        for fact in &program.facts {
            run.add_certain(fact.relation, fact.values.iter().map(|value| value.word()).collect());
        }
        program.strata.iter().try_for_each(|stratum| run.stratum(stratum))?;
        Ok(run.facts)
    }
}

/// An evaluation at work.
struct ThreeValuedRun<'p> {
    program: &'p Program,
    params: Vec<Word>,
    facts: ThreeValued,
    budget: Budget,
}

impl ThreeValuedRun<'_> {
    fn add_certain(&mut self, relation: RelationId, row: Vec<Word>) {
        self.facts.possible[relation].insert(row.iter().copied().map(Some).collect());
        self.facts.certain[relation].insert(row);
    }

    /// Rounds until one derives nothing new.
    fn stratum(&mut self, stratum: &Stratum) -> Result<(), LimitReached> {
        for round in 1.. {
            let before = self.size(stratum);
            for &id in &stratum.rules {
                let stopped = |bound| LimitReached::at(bound, self.program, id);
                self.budget.round(round).map_err(stopped)?;
                self.rule(id).map_err(|bound| LimitReached::at(bound, self.program, id))?;
            }
            if self.size(stratum) == before || !stratum.recursive {
                break;
            }
        }
        Ok(())
    }

    fn size(&self, stratum: &Stratum) -> usize {
        let size = |relation: &RelationId| {
            self.facts.certain[*relation].len() + self.facts.possible[*relation].len()
        };
        stratum.relations.iter().map(size).sum()
    }

    fn rule(&mut self, id: RuleId) -> Result<(), Bound> {
        let rule = &self.program[id];
        let matches = self.matches(rule)?;
        let heads = if rule.is_aggregate() {
            self.aggregated(rule, matches)
        } else if let Some(limit) = &rule.limit {
            self.limited(rule, limit, matches)
        } else {
            matches.iter().map(|found| (self.head(rule, found), found.certain)).collect()
        };
        for (row, certain) in heads {
            let known: Option<Vec<Word>> = row.iter().copied().collect();
            if let Some(known) = known.filter(|_| certain) {
                self.facts.certain[rule.head].insert(known);
            }
            let is_new = self.facts.possible[rule.head].insert(row);
            self.budget.spend(u64::from(is_new))?;
        }
        Ok(())
    }

    fn head(&self, rule: &Rule, found: &Match) -> PartialRow {
        rule.head_exprs().map(|term| self.value(term, &found.vars)).collect()
    }

    /// The value of an expression where some variables may be unknown; `None` where it is unknown.
    fn value(&self, expr: &Expr, vars: &[Option<Word>]) -> Option<Word> {
        let value = |part: &Expr| self.value(part, vars);
        match &expr.kind {
            ExprKind::Const(value) => Some(value.word()),
            ExprKind::Var(var) => *vars.get(var.at()).or_broken(VarId::INVARIANT),
            ExprKind::Param(param) => Some(*self.params.get(param.at()).or_broken(ParamId::INVARIANT)),
            ExprKind::Call(op, args) => op.apply(&args.iter().map(value).collect::<Option<Vec<_>>>()?),
            ExprKind::Matches(text, pattern) => {
                value(text).map(|text| Word::from_bool(pattern.is_match(text.as_symbol().as_str())))
            }
            ExprKind::And(left, right) => connect(value(left), value(right), false),
            ExprKind::Or(left, right) => connect(value(left), value(right), true),
            ExprKind::If(condition, then, otherwise) => {
                if value(condition)?.as_bool() {
                    value(then)
                } else {
                    value(otherwise)
                }
            }
            ExprKind::Unknown => None,
            ExprKind::Undefined(part) => Some(Word::from_bool(value(part).is_none())),
        }
    }
}

/// `and`, which a false side decides, and `or`, which a true one does.
fn connect(left: Option<Word>, right: Option<Word>, deciding: bool) -> Option<Word> {
    match (left.map(Word::as_bool), right.map(Word::as_bool)) {
        (Some(side), _) | (_, Some(side)) if side == deciding => Some(Word::from_bool(deciding)),
        (Some(_), Some(_)) => Some(Word::from_bool(!deciding)),
        _ => None,
    }
}
