//! What is reported where an operation has no result: the rare, slow path beside the plans.

use crate::exec::context::ExecContext;
use crate::exec::matches::{MatchCursor, Monitor, TupleSource};
use crate::limits::Budget;
use crate::plan::compile::compile;
use crate::plan::frame::Slot;
use crate::plan::order::guess;
use crate::plan::roles::{Role, plain_roles};
use crate::plan::shape::{Shape, head_exprs};
use crate::plan::source::{Catalog, JoinOrder, RuleSource, Start, Wanted};
use crate::plan::steps::{AccessPath, Plan, Remainder};
use crate::storage::index::IndexId;
use crate::storage::pending::Pending;
use crate::storage::stable::Stable;
use crate::storage::view::View;
use hence_core::fault::OrBroken;
use hence_core::index_vec::{IndexSlice, IndexVec};
use hence_core::meter::Bound;
use hence_core::schema::RelationId;
use hence_core::span::Span;
use hence_core::value::Word;
use hence_lang::builtins::expr::{NoResult, VarId};
use hence_lang::ir::{Rule, RuleId};
use smallvec::SmallVec;

/// The searches after the undefined operations of a rule. The variable of such an operation stays unbound, so literals
/// that depend on it never become ready; once all others hold, the operation is reported.
///
/// They read all stable tuples, whatever view of them the plan reads: reports are a set, and what holds now holds in
/// the end.
pub(crate) struct UndefinedSearch<'r> {
    id: RuleId,
    rule: &'r Rule,
    shape: Shape,
    roles: SmallVec<[Role; 8]>,
    /// The plans for what is left after an operation, made when they are first needed.
    plans: Vec<(Remainder, Plan)>,
}

/// A match with undefined operations, and the literals that are left.
struct PartialMatch {
    /// The words of the bound variables.
    words: Vec<Word>,
    left: Remainder,
    failed: Vec<Span>,
}

impl<'r> UndefinedSearch<'r> {
    /// The searches of a rule.
    pub(crate) fn new(id: RuleId, rule: &'r Rule) -> Self {
        Self { id, rule, shape: Shape::new(rule), roles: plain_roles(rule), plans: Vec::new() }
    }

    /// Follows a match after an operation of the body or of the head through all literals that are left.
    pub(crate) fn run(
        &mut self,
        words: &[Word],
        left: &Remainder,
        none: NoResult,
        context: &mut ExecContext<'_, '_>,
    ) -> Result<(), Bound> {
        let (id, rule) = (self.id, self.rule);
        let failed = if left.in_head { Vec::new() } else { vec![none.0] };
        let mut open = vec![PartialMatch::new(words, left, failed)];
        let mut cursor = MatchCursor::default();
        while let Some(partial) = open.pop() {
            let plan = self.plan(&partial.left, context);
            cursor.begin(plan, &partial.words);
            let source = StableTuples { stable: context.stable, pending: context.pending.view() };
            loop {
                let mut monitor =
                    UndefinedMonitor { budget: context.budget, plan, partial: &partial, open: &mut open };
                if !cursor.next(plan, &source, context.params, &mut monitor)? {
                    break;
                }
                let bound = &plan.remainder.bound;
                for (span, bindings) in reports(rule, &partial, bound, cursor.words(), context.params) {
                    context.reports.add(id, span, bindings.as_slice());
                }
            }
        }
        Ok(())
    }

    /// The plan for what is left of the rule.
    fn plan(&mut self, left: &Remainder, context: &ExecContext<'_, '_>) -> &Plan {
        let made = self.plans.iter().position(|(known, _)| known == left);
        let at = made.unwrap_or_else(|| {
            let literals = self.rule.body.len();
            let source = RuleSource {
                rule: self.rule,
                id: self.id,
                shape: &self.shape,
                roles: &self.roles,
                own: &vec![false; literals],
                views: &vec![View::All; literals],
                start: Start::Left(left),
                order: JoinOrder::Cost,
                wanted: Wanted::Bindings,
                lead: None,
                choice: None,
            };
            let plan = compile(source, &mut StableCatalog(context.stable), context.params);
            self.plans.push((left.clone(), plan));
            self.plans.len() - 1
        });
        &self.plans.get(at).or_broken("a plan is kept where it was put").1
    }
}

/// The operations to report of a match: those that failed on its way, else those of the head, with its bindings.
fn reports(
    rule: &Rule,
    partial: &PartialMatch,
    bound: &[VarId],
    words: &[Word],
    params: &[Word],
) -> impl Iterator<Item = (Span, IndexVec<VarId, Option<Word>>)> {
    let frame = IndexSlice::<Slot, Word>::from(words);
    let mut bindings = IndexVec::<VarId, Option<Word>>::filled(None, rule.variables.len());
    bound.iter().for_each(|var| bindings[*var] = Some(frame[(*var).into()]));
    let head = head_exprs(rule).filter(|expr| partial.failed.is_empty() && expr.may_fail());
    let head = head.filter_map(|expr| expr.eval_bound(bindings.as_slice(), params).err());
    let spans: Vec<Span> = partial.failed.iter().copied().chain(head.map(|none| none.0)).collect();
    spans.into_iter().map(move |span| (span, bindings.clone()))
}

impl PartialMatch {
    fn new(words: &[Word], left: &Remainder, failed: Vec<Span>) -> Self {
        let frame = IndexSlice::<Slot, Word>::from(words);
        let words = left.bound.iter().map(|var| frame[(*var).into()]).collect();
        Self { words, left: left.clone(), failed }
    }
}

/// Spends the limits, and keeps matches with another undefined operation for later.
struct UndefinedMonitor<'m> {
    budget: &'m mut Budget,
    plan: &'m Plan,
    partial: &'m PartialMatch,
    open: &'m mut Vec<PartialMatch>,
}

impl Monitor for UndefinedMonitor<'_> {
    type Stop = Bound;

    fn step(&mut self) -> Result<(), Bound> {
        self.budget.step()
    }

    fn generate(&mut self) -> Result<(), Bound> {
        self.budget.spend(1)?;
        self.budget.step()
    }

    fn undefined(&mut self, step: usize, none: NoResult, words: &[Word]) {
        let left =
            self.plan.remainder_of(step).or_broken("an operation of a plan says what is left after it");
        let mut failed = self.partial.failed.clone();
        failed.push(none.0);
        self.open.push(PartialMatch::new(words, left, failed));
    }
}

/// The facts of closed rounds, to be planned for as they are: no index is built.
struct StableCatalog<'a>(IndexSlice<'a, RelationId, Stable>);

impl Catalog for StableCatalog<'_> {
    fn estimate(&mut self, relation: RelationId, _: View, bound: &[u32]) -> f64 {
        let stable = self.0.get(relation);
        guess(f64::from(stable.len()), bound.len(), stable.arity())
    }

    fn find_index(&self, _: RelationId, _: &[u32]) -> Option<IndexId> {
        None
    }

    fn index_on(&mut self, _: RelationId, _: &[u32]) -> Option<IndexId> {
        None
    }

    fn is_below_scan_threshold(&self, _: RelationId) -> bool {
        true
    }
}

/// All facts of closed rounds, looked up by whatever index there is.
struct StableTuples<'a> {
    stable: IndexSlice<'a, RelationId, Stable>,
    pending: IndexSlice<'a, RelationId, Pending>,
}

/// What is left of a loop over rows.
enum StableCandidates<'a> {
    /// Between two numbers.
    Range(std::ops::Range<u32>),
    /// Those that an index lists.
    Listed(std::slice::Iter<'a, u32>),
}

impl<'a> TupleSource for StableTuples<'a> {
    type Candidates = StableCandidates<'a>;

    fn candidates(&self, path: &AccessPath, words: &[Word]) -> StableCandidates<'a> {
        let stable = self.stable.get(path.relation());
        let key: SmallVec<[(u32, Word); 8]> = path.key(words).collect();
        let word = |column: &u32| key.iter().find(|(other, _)| other == column).map(|(_, word)| *word);
        let listed = stable.numbering().find_map(|index| {
            let words = index.columns().iter().map(word).collect::<Option<Vec<Word>>>();
            words.map(|words| index.get(&words, View::All))
        });
        match listed {
            Some(numbers) => StableCandidates::Listed(numbers.iter()),
            None => StableCandidates::Range(0..stable.len()),
        }
    }

    fn next(&self, _: &AccessPath, rows: &mut StableCandidates<'a>) -> Option<u32> {
        match rows {
            StableCandidates::Range(numbers) => numbers.next(),
            StableCandidates::Listed(numbers) => numbers.next().copied(),
        }
    }

    fn tuple(&self, relation: RelationId, number: u32) -> impl Fn(usize) -> Word {
        let row = self.stable.get(relation).row(number);
        move |column| row.at(column)
    }

    fn find(&self, relation: RelationId, row: &[Word]) -> Option<u32> {
        let held = self.pending.get(relation).holds(self.stable.get(relation), row, View::All);
        held.then_some(0)
    }
}
