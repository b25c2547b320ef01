//! What becomes of matches: facts, groups of aggregates, heads under a limit.

use super::emit::ROWS_PER_LOOK;
use crate::exec::context::{ExecContext, Sink};
use crate::exec::emit::Emitter;
use crate::storage::hash::TOGETHER;
use crate::storage::row_interner::RowInterner;
use hence_core::meter::Bound;

use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexVec;
use hence_core::value::Word;
use hence_lang::builtins::aggregate::GroupStates;
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
    columns: Vec<AggregateColumn>,
    width: usize,
    /// Matches that are yet to be taken in, some of them together.
    waiting: Vec<Word>,
    /// Words a match.
    stride: usize,
    /// Room for the numbers of the groups of matches.
    numbers: Vec<u32>,
}

/// An aggregate of a head.
#[derive(Debug)]
struct AggregateColumn {
    /// By group.
    states: Box<dyn GroupStates>,
    /// How many arguments it has.
    width: usize,
}

impl Groups {
    /// No groups yet of an aggregate rule.
    pub(crate) fn new(id: RuleId, rule: &Rule) -> Self {
        let width = rule.terms.iter().filter(|term| matches!(term, Term::Expr(_))).count();
        let columns = rule.terms.iter().filter_map(|term| match term {
            Term::Aggregate { aggregate, args, .. } => {
                let types: Vec<_> = args.iter().map(|arg| arg.ty).collect();
                Some(AggregateColumn { states: aggregate.states(&types), width: types.len() })
            }
            Term::Expr(_) => None,
        });
        let columns: Vec<AggregateColumn> = columns.collect();
        let stride = width + columns.iter().map(|column| column.width).sum::<usize>();
        let (waiting, numbers) = (Vec::new(), Vec::new());
        Self { id, groups: RowInterner::new(width), columns, width, waiting, stride, numbers }
    }

    /// How many columns a group has.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Forgets all matches.
    pub(crate) fn clear(&mut self) {
        self.groups.clear();
        self.waiting.clear();
        self.columns.iter_mut().for_each(|column| column.states.clear());
    }

    /// Adds the fact of each group that has a value for every aggregate.
    pub(crate) fn finish(
        &mut self,
        rule: &Rule,
        facts: &mut Emitter<'_>,
        context: &mut ExecContext<'_, '_>,
    ) -> Result<(), Bound> {
        self.take_in(context)?;
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
                        match column.states.finish(at as usize) {
                            Some(word) => row.push(word),
                            None => {
                                whole = false;
                                context.reports.add(self.id, *span, self.bindings(rule, at).as_slice());
                            }
                        }
                    }
                }
            }
            if whole {
                facts.take(&row, context)?;
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

impl Groups {
    /// Takes in the matches that wait.
    fn take_in(&mut self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        let before = self.groups.len();
        let stride = self.stride.max(1);
        self.numbers.clear();
        if self.width > 0 {
            self.groups.insert_all(&self.waiting, stride, &mut self.numbers);
        } else if !self.waiting.is_empty() {
            self.groups.insert(&[]);
            self.numbers.resize(self.waiting.len() / stride, 0);
        }
        (before..self.groups.len()).for_each(|_| self.push_group());
        let mut from = self.width;
        for column in &mut self.columns {
            let args = from..from + column.width;
            from = args.end;
            column.states.add_all(&self.numbers, &self.waiting, stride, args);
        }
        self.waiting.clear();
        self.weigh(before, context)
    }

    fn push_group(&mut self) {
        self.columns.iter_mut().for_each(|column| column.states.push_group());
    }

    /// Measures the memory now and then, where there were `before` groups.
    fn weigh(&self, before: u32, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        if u64::from(before) / ROWS_PER_LOOK == u64::from(self.groups.len()) / ROWS_PER_LOOK {
            return Ok(());
        }
        let states = self.columns.iter().map(|column| column.states.bytes()).sum::<usize>();
        context.weigh(self.groups.bytes() + states)
    }

    /// Takes in a match without words, of which there is one group.
    fn take_empty(&mut self) {
        if self.groups.insert(&[]).1 {
            self.push_group();
        }
        self.columns.iter_mut().for_each(|column| column.states.add(0, &[]));
    }

    fn take_in_if_full(&mut self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        if self.waiting.len() < TOGETHER * self.stride { Ok(()) } else { self.take_in(context) }
    }
}

impl Sink for Groups {
    fn take(&mut self, row: &[Word], context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        if self.stride == 0 {
            self.take_empty();
            return Ok(());
        }
        self.waiting.extend_from_slice(row);
        self.take_in_if_full(context)
    }

    fn take_all(&mut self, rows: &[Word], _: usize, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.waiting.extend_from_slice(rows);
        self.take_in_if_full(context)
    }

    fn swap_batch(&mut self, _: usize, words: &mut Vec<Word>) -> usize {
        std::mem::swap(&mut self.waiting, words);
        TOGETHER * self.stride
    }

    fn flush(&mut self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.take_in(context)
    }
}
