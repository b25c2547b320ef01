//! What becomes of matches: facts, groups of aggregates, heads under a limit.

use super::emit::ROWS_PER_LOOK;
use crate::exec::context::{ExecContext, Sink};
use crate::exec::emit::Emitter;
use crate::storage::row_interner::RowInterner;
use hence_core::meter::Bound;

use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexVec;
use hence_core::value::Word;
use hence_lang::builtins::column::Column;
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::ir::{Rule, RuleId, Term};

use smallvec::SmallVec;

/// An invariant of sinks.
pub(crate) const MATCH: &str = "a match has the words that its sink takes in";
/// Matches by group, each with its aggregates.
#[derive(Debug)]
pub(crate) struct Groups {
    id: RuleId,
    groups: RowInterner,
    columns: Vec<Column>,
    width: usize,
}

impl Groups {
    /// No groups yet of an aggregate rule.
    pub(crate) fn new(id: RuleId, rule: &Rule) -> Self {
        let width = rule.terms.iter().filter(|term| matches!(term, Term::Expr(_))).count();
        let columns = rule.terms.iter().filter_map(|term| match term {
            Term::Aggregate { aggregate, args, .. } => {
                Some(Column::new(*aggregate, args.iter().map(|arg| arg.ty).collect()))
            }
            Term::Expr(_) => None,
        });
        Self { id, groups: RowInterner::new(width), columns: columns.collect(), width }
    }

    /// How many columns a group has.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Forgets all matches.
    pub(crate) fn clear(&mut self) {
        self.groups.clear();
        self.columns.iter_mut().for_each(Column::clear);
    }

    /// Adds the fact of each group that has a value for every aggregate.
    pub(crate) fn finish(
        &self,
        rule: &Rule,
        facts: &mut Emitter<'_>,
        site: &mut ExecContext<'_, '_>,
    ) -> Result<(), Bound> {
        let mut row = SmallVec::<[Word; 8]>::new();
        for at in 0..self.groups.len() {
            row.clear();
            let mut whole = true;
            let (mut plain, mut columns) = (self.groups.row(at).iter(), self.columns.iter());
            for term in &rule.terms {
                match term {
                    Term::Expr(_) => {
                        row.push(*plain.next().or_broken("a group has a word for each plain term"))
                    }
                    Term::Aggregate { span, .. } => {
                        let column = columns.next().or_broken("each aggregate of a head has its states");
                        match column.finish(at as usize) {
                            Some(word) => row.push(word),
                            None => {
                                whole = false;
                                site.reports.add(self.id, *span, self.bindings(rule, at).as_slice());
                            }
                        }
                    }
                }
            }
            if whole {
                facts.take(&row, site)?;
            }
        }
        Ok(())
    }

    /// The variables that a group determines: those that are themselves a column of it.
    fn bindings(&self, rule: &Rule, group: u32) -> IndexVec<VarId, Option<Word>> {
        let mut bindings = IndexVec::filled(None, rule.variables.len());
        let plain = rule.terms.iter().filter(|term| matches!(term, Term::Expr(_)));
        for (term, word) in plain.zip(self.groups.row(group)) {
            if let Term::Expr(Expr { kind: ExprKind::Var(var), .. }) = term {
                bindings[*var] = Some(*word);
            }
        }
        bindings
    }
}

impl Sink for Groups {
    fn take(&mut self, row: &[Word], site: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        let (group, mut args) = row.split_at_checked(self.width).or_broken(MATCH);
        let (number, new) = self.groups.insert(group);
        if new {
            self.columns.iter_mut().for_each(Column::push_group);
            if u64::from(number + 1).is_multiple_of(ROWS_PER_LOOK) {
                site.weigh(self.groups.bytes() + self.columns.iter().map(Column::bytes).sum::<usize>())?;
            }
        }
        for column in &mut self.columns {
            let (own, rest) = args.split_at_checked(column.width()).or_broken(MATCH);
            column.add(number as usize, own);
            args = rest;
        }
        Ok(())
    }
}
