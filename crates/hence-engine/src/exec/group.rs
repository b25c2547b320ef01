//! What becomes of matches: facts, groups of aggregates, heads under a limit.

use super::emit::ROWS_PER_LOOK;
use crate::cells::Cells;
use crate::exec::context::{ExecContext, Sink};
use crate::exec::emit::Emitter;
use crate::exec::parts::Part;
use crate::report::Reports;
use crate::storage::hash::TOGETHER;
use crate::storage::row_interner::RowInterner;
use hence_core::meter::Bound;

use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexVec;
use hence_core::value::Word;
use hence_lang::builtins::aggregate::GroupStates;
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::ir::{Rule, RuleId, Term};

use std::ops::Range;

/// An invariant of sinks.
pub(crate) const MATCH: &str = "a match has the words that its sink takes in";
/// An invariant of [`Groups`].
const STATES: &str = "a group has a word for each plain term and a state for each aggregate of the head";
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
        self.flush(context)?;
        let mut rows = Vec::new();
        for groups in self.blocks() {
            self.rows(rule, groups, &mut rows, context.reports);
            facts.take_all(&rows, rule.terms.len(), context)?;
        }
        Ok(())
    }

    /// The same facts by themselves.
    pub(crate) fn to_cells(&self, rule: &Rule, reports: &mut Reports<'_>) -> Cells {
        let (mut rows, mut cells) = (Vec::new(), Cells::default());
        for groups in self.blocks() {
            self.rows(rule, groups, &mut rows, reports);
            cells.admit(&rows);
            cells.extend_from_slice(&rows);
        }
        cells
    }

    /// All groups, some of them together.
    fn blocks(&self) -> impl Iterator<Item = Range<u32>> + use<> {
        let all = self.groups.len();
        (0..all).step_by(TOGETHER).map(move |first| first..all.min(first + TOGETHER as u32))
    }

    /// The facts of groups, and reports of what is undefined of them.
    fn rows(&self, rule: &Rule, groups: Range<u32>, rows: &mut Vec<Word>, reports: &mut Reports<'_>) {
        rows.resize(groups.len() * rule.terms.len(), Word::default());
        if !self.write(rule, groups.clone(), rows) {
            self.report(rule, groups, rows, reports);
        }
    }

    /// Writes the facts of groups down; whether all of them are there.
    fn write(&self, rule: &Rule, groups: Range<u32>, rows: &mut [Word]) -> bool {
        let (mut plain, mut columns, mut whole) = (0, self.columns.iter(), true);
        for (at, term) in rule.terms.iter().enumerate() {
            if let Term::Aggregate { .. } = term {
                let groups = groups.start as usize..groups.end as usize;
                let column = columns.next().or_broken(STATES);
                whole &= column.states.finish_all(groups, rows, rule.terms.len(), at);
            } else {
                for (group, row) in groups.clone().zip(rows.chunks_exact_mut(rule.terms.len())) {
                    let word = self.groups.row(group).get(plain).or_broken(STATES);
                    *row.get_mut(at).or_broken(STATES) = *word;
                }
                plain += 1;
            }
        }
        whole
    }

    /// Reports what is undefined of groups, and leaves their facts out.
    #[cold]
    fn report(&self, rule: &Rule, groups: Range<u32>, rows: &mut Vec<Word>, reports: &mut Reports<'_>) {
        let (width, mut kept) = (rule.terms.len(), 0);
        for (group, from) in groups.zip((0..).step_by(width)) {
            let (mut columns, mut whole) = (self.columns.iter(), true);
            for (at, term) in rule.terms.iter().enumerate() {
                let Term::Aggregate { span, .. } = term else { continue };
                let place = rows.get_mut(from + at).or_broken(STATES);
                match columns.next().or_broken(STATES).states.finish(group as usize) {
                    Some(word) => *place = word,
                    None => {
                        whole = false;
                        reports.add(self.id, *span, self.bindings(rule, group).as_slice());
                    }
                }
            }
            if whole {
                rows.copy_within(from..from + width, kept);
                kept += width;
            }
        }
        rows.truncate(kept);
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
    fn take_in_waiting(&mut self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        let waiting = std::mem::take(&mut self.waiting);
        let taken = self.take_in(&waiting, context);
        self.waiting = waiting;
        self.waiting.clear();
        taken
    }

    /// Takes in matches, some of them together.
    fn take_in(&mut self, matches: &[Word], context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        let before = self.groups.len();
        let stride = self.stride.max(1);
        for matches in matches.chunks(TOGETHER * stride) {
            let known = self.groups.len();
            self.numbers.clear();
            if self.width > 0 {
                self.groups.insert_all(matches, stride, &mut self.numbers);
            } else {
                self.groups.insert(&[]);
                self.numbers.resize(matches.len() / stride, 0);
            }
            self.push_groups((self.groups.len() - known) as usize);
            let mut from = self.width;
            for column in &mut self.columns {
                let args = from..from + column.width;
                from = args.end;
                column.states.add_all(&self.numbers, matches, stride, args);
            }
        }
        self.weigh(before, context)
    }

    fn push_groups(&mut self, count: usize) {
        self.columns.iter_mut().for_each(|column| column.states.push_groups(count));
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
            self.push_groups(1);
        }
        self.columns.iter_mut().for_each(|column| column.states.add(0, &[]));
    }
}

impl Part for Groups {
    fn merge(&mut self, other: &Self, owns: impl Fn(&[Word]) -> bool) {
        let (mut numbers, mut from) = (Vec::new(), Vec::new());
        let before = self.groups.len();
        for at in (0..other.groups.len()).filter(|at| owns(other.groups.row(*at))) {
            numbers.push(self.groups.insert(other.groups.row(at)).0);
            from.push(at);
        }
        self.push_groups((self.groups.len() - before) as usize);
        for (column, other) in self.columns.iter_mut().zip(&other.columns) {
            column.states.merge_all(&numbers, &*other.states, &from);
        }
    }

    fn groups(&self) -> u32 {
        self.groups.len()
    }

    fn size(&self) -> usize {
        self.groups.len() as usize
    }
}

impl Sink for Groups {
    fn take(&mut self, row: &[Word], context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        if self.stride == 0 {
            self.take_empty();
            return Ok(());
        }
        self.waiting.extend_from_slice(row);
        if self.waiting.len() < TOGETHER * self.stride { Ok(()) } else { self.flush(context) }
    }

    fn take_all(&mut self, rows: &[Word], _: usize, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.take_in(rows, context)
    }

    fn swap_batch(&mut self, _: usize, words: &mut Vec<Word>) -> usize {
        std::mem::swap(&mut self.waiting, words);
        TOGETHER * self.stride
    }

    fn flush(&mut self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.take_in_waiting(context)
    }
}
