//! From a rule to the steps of a plan, for batch and incremental evaluation alike: which view each literal reads, and
//! with what the plan begins, are parameters.

use hence_core::fault::{OrBroken, broken};
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::{Expr, VarId};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Arg, Atom, Literal};

use super::distinct::{gives_each_once, slots_of, without_duplicates};
use super::expr::CompiledExpr;
use super::frame::{Frame, Slot};
use super::head::compile_head;
use super::order::SHARED;
use super::roles::Role;
use super::shape::{VarSet, needed_after};
use super::source::{Catalog, Choice, JoinOrder, RuleSource, Start, Wanted};
use super::steps::{
    AccessPath, BoundedPath, ColumnSlots, HeadWord, Plan, PlanStep, Remainder, RowPattern, Sign, StepOrigin,
    nearest_loops,
};
use crate::storage::index::IndexId;
use crate::storage::view::View;

/// An invariant of [`Compiler`].
const PLACES: &str = "an order has a literal at each of its places";

/// The plan of a rule; indexes that it uses are built.
pub(crate) fn compile(source: RuleSource<'_>, catalog: &mut dyn Catalog, params: &[Word]) -> Plan {
    let mut compiler = Compiler::new(source, catalog, params);
    let start = compiler.start();
    compiler.order = compiler.order();
    compiler.needed = needed_after(source.shape, &compiler.order);
    compiler.plan(start)
}

/// The order of a plan's literals.
pub(super) fn order_of(source: RuleSource<'_>, catalog: &mut dyn Catalog) -> Vec<usize> {
    let mut compiler = Compiler::new(source, catalog, &[]);
    compiler.start();
    compiler.order()
}

/// Whether a plan has its literals in the order in which they would be put now.
pub(crate) fn is_current(plan: &Plan, source: RuleSource<'_>, catalog: &mut dyn Catalog) -> bool {
    let mut compiler = Compiler::new(source, catalog, &[]);
    compiler.start();
    let literals = plan.order.iter().filter_map(|origin| match origin {
        StepOrigin::Literal(at) => Some(*at),
        StepOrigin::Head(_) => None,
    });
    literals.eq(compiler.order())
}

/// A plan in the making.
pub(super) struct Compiler<'a> {
    pub(super) source: RuleSource<'a>,
    pub(super) catalog: &'a mut dyn Catalog,
    pub(super) frame: Frame,
    pub(super) bound: VarSet,
    /// The computed terms of the head that are yet to be compared, by column, with the slots of the words wanted.
    pub(super) unchecked: Vec<(usize, Slot)>,
    /// Atoms of which only some row is looked up, with variables that stay unbound.
    hidden: Vec<usize>,
    /// For each place in the order the variables that something after it needs.
    needed: Vec<VarSet>,
    pub(super) order: Vec<usize>,
    pub(super) placed: Vec<usize>,
    /// Literals that were taken into an earlier step.
    pub(super) joined: Vec<usize>,
    pub(super) steps: Vec<PlanStep>,
    origins: Vec<StepOrigin>,
}

impl<'a> Compiler<'a> {
    fn new(source: RuleSource<'a>, catalog: &'a mut dyn Catalog, params: &[Word]) -> Self {
        // A plan that begins with a head keeps the words of its computed terms beside the variables.
        let terms = match source.start {
            Start::Head | Start::Columns(_) => source.rule.terms.len(),
            Start::Nothing | Start::Row(_) | Start::Variables(_) | Start::Left(_) => 0,
        };
        Self {
            source,
            catalog,
            frame: Frame::new(source.rule.variables.len() + terms, params, source.shape.moving),
            bound: VarSet::default(),
            unchecked: Vec::new(),
            hidden: Vec::new(),
            needed: Vec::new(),
            order: Vec::new(),
            placed: Vec::new(),
            joined: Vec::new(),
            steps: Vec::new(),
            origins: Vec::new(),
        }
    }

    fn order(&mut self) -> Vec<usize> {
        let source = self.source;
        let chosen = source.delta().zip(source.choice).map(|(delta, choice)| [delta, choice.next]);
        let first = chosen.as_ref().map_or(source.lead.as_slice(), |first| first.as_slice());
        let order = self.order_from(first);
        // What depends on an undefined operation is never ready.
        assert!(
            order.len() == source.literals().len() || matches!(source.start, Start::Left(_)),
            "some order makes each literal ready"
        );
        self.better_order(&order).unwrap_or(order)
    }

    fn push(&mut self, step: PlanStep, origin: StepOrigin) {
        self.steps.push(step);
        self.origins.push(origin);
    }

    /// Compares those computed terms of the head whose variables are bound.
    fn check_terms(&mut self) {
        let rule = self.source.rule;
        for (column, slot) in std::mem::take(&mut self.unchecked) {
            let Some(Term::Expr(expr)) = rule.terms.get(column) else {
                broken("only expressions are compared")
            };
            let mut ready = true;
            expr.for_each_var(&mut |var| ready &= self.bound.contains(var));
            if ready {
                let step = PlanStep::Same(slot, self.expr(expr));
                self.push(step, StepOrigin::Head(column));
            } else {
                self.unchecked.push((column, slot));
            }
        }
    }

    fn plan(mut self, start: RowPattern) -> Plan {
        let rest = self.split_delta();
        self.check_terms();
        for place in self.placed.len()..self.order.len() {
            let at = *self.order.get(place).or_broken(PLACES);
            if place == 1 {
                self.choose();
            }
            if !self.joined.contains(&at) {
                self.literal(at);
            }
            self.placed.push(at);
            if self.source.order == JoinOrder::Cost {
                self.check_terms();
            }
        }
        self.check_terms();
        if let (Some(rest), Some(delta)) = (rest, self.source.delta()) {
            self.push(PlanStep::Every(rest), StepOrigin::Literal(delta));
        }
        self.check_head(&start);
        let head = compile_head(self.source.rule, &mut self.frame);
        if !self.every_match_counts() && !self.source.shape.may_fail {
            let steps = (std::mem::take(&mut self.steps), std::mem::take(&mut self.origins));
            (self.steps, self.origins) = without_duplicates(steps, &slots_of(&head), self.catalog);
        }
        let back = nearest_loops(&self.steps);
        let after_match = self.after_match(&back);
        let reads = self.reads();
        let remainder = self.remainder(None);
        let tail = self.tail(&head, after_match);
        let ranked = self.steps.iter().enumerate();
        let ranked = ranked.filter_map(|(at, step)| Some((at, step.ranked()?))).collect();
        Plan {
            rule: self.source.id,
            delta: self.source.delta(),
            delta_of: self
                .source
                .delta()
                .and_then(|at| self.source.rule.literal(at).atom())
                .map(|atom| atom.relation),
            new_facts: 0..u32::MAX,
            start,
            after_match,
            reads,
            remainder,
            head,
            tail,
            back,
            ranked,
            distinct: !self.source.shape.may_fail && gives_each_once(self.source.rule),
            order: self.origins,
            steps: self.steps,
            frame: self.frame,
        }
    }

    /// Where the plan begins with the delta of `p(K, R)`, only the head needs `R`, and there is an index on `K` anyway:
    /// loops over the new keys first and leaves their facts to the end, so that the steps between run once a key. `K` and `R`
    /// may be several columns. The access path to the facts of a key.
    fn split_delta(&mut self) -> Option<AccessPath> {
        let shape = self.source.shape;
        let at =
            *self.order.first().filter(|at| Some(**at) == self.source.delta() && self.order.len() > 1)?;
        let Literal::Atom(atom) = self.source.rule.literal(at) else { broken("only atoms read a delta") };
        if shape.counts_matches || shape.may_fail {
            return None;
        }
        let mut vars: Vec<(u32, VarId)> = Vec::new();
        for (column, arg) in (0u32..).zip(&atom.args) {
            match arg {
                Arg::Var(var) if vars.iter().all(|(_, other)| other != var) => vars.push((column, *var)),
                _ => return None,
            }
        }
        let others = || self.order.iter().skip(1).map(|other| shape.literal(*other));
        let joins = |var: VarId| others().any(|required| required.all.contains(&var));
        let (key, rest): (Vec<_>, Vec<_>) = vars.into_iter().partition(|(_, var)| joins(*var));
        if key.is_empty() || rest.is_empty() || !rest.iter().all(|(_, var)| shape.head.contains(var)) {
            return None;
        }
        let (relation, columns) = (atom.relation, key.iter().map(|(column, _)| *column).collect::<Vec<_>>());
        if self.catalog.estimate(relation, View::All, &columns) < SHARED {
            return None;
        }
        let index = self.catalog.find_index(relation, &columns)?;
        let slots = |vars: Vec<(u32, VarId)>| vars.into_iter().map(|(column, var)| (column, Slot::from(var)));
        self.placed.push(at);
        key.iter().for_each(|(_, var)| {
            self.bound.insert(*var);
        });
        let key: ColumnSlots = slots(key).collect();
        let keys = PlanStep::Keys { relation, index, view: View::Delta, slots: key.to_vec() };
        self.push(keys, StepOrigin::Literal(at));
        let row = RowPattern { binds: slots(rest).collect(), checks: ColumnSlots::new() };
        Some(AccessPath { relation, view: View::Delta, key, index: Some(index), row })
    }

    /// Takes only those new facts that go this way faster than the other, if both have an index.
    fn choose(&mut self) {
        let Some(Choice { next, other, takes_ties }) = self.source.choice else { return };
        let [next_path, other_path] = [next, other].map(|at| match self.source.rule.literal(at) {
            Literal::Atom(atom) => self.access_path(atom, self.source.view(at), false),
            _ => broken("a plan chooses among atoms"),
        });
        if next_path.index.is_some() && other_path.index.is_some() {
            let step = PlanStep::Fewer { next: next_path, other: other_path, takes_ties };
            self.push(step, StepOrigin::Literal(next));
        }
    }

    fn literal(&mut self, at: usize) {
        let step = match self.source.rule.literal(at) {
            Literal::Atom(atom) => self.atom(at, atom, Sign::Present),
            Literal::Not(atom) => self.atom(at, atom, Sign::Absent),
            Literal::Test { expr, .. } => PlanStep::Test(self.expr(expr), self.remainder(Some(at))),
            Literal::Bind { var, expr, .. } => {
                let remainder = self.remainder(Some(at));
                match (self.bound.insert(*var), (*var).into(), self.expr(expr)) {
                    (true, slot, expr) => PlanStep::Let(slot, expr, remainder),
                    (false, slot, expr) => PlanStep::Same(slot, expr),
                }
            }
            Literal::Each { var, generator, args, .. } => {
                let remainder = self.remainder(Some(at));
                let args = args.iter().map(|arg| self.expr(arg)).collect();
                match (self.bound.insert(*var), (*var).into(), generator.clone()) {
                    (true, slot, generator) => PlanStep::Each(slot, generator, args, remainder),
                    (false, slot, generator) => PlanStep::Among(slot, generator, args),
                }
            }
        };
        self.push(step, StepOrigin::Literal(at));
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> CompiledExpr {
        CompiledExpr::new(expr, &mut self.frame)
    }

    fn atom(&mut self, at: usize, atom: &Atom, sign: Sign) -> PlanStep {
        let (relation, view) = (atom.relation, self.source.view(at));
        if let Some(row) = self.whole_row(atom) {
            return PlanStep::Probe { relation, view, row, sign };
        }
        let exists = matches!(Role::of(self.source.roles, at), Role::Some(_));
        if !exists && let Some(bounded) = self.between(atom, view) {
            self.bind(&bounded.path);
            return PlanStep::Between(bounded);
        }
        let path = self.access_path(atom, view, exists);
        if exists {
            return PlanStep::Some(path, sign);
        }
        if self.every_match_counts() || path.slots().any(|slot| self.is_needed(slot)) {
            if let Some(step) = self.multiway_join(at, atom, &path) {
                return step;
            }
            self.bind(&path);
            return PlanStep::Every(self.without_unneeded(path));
        }
        if !path.row.binds.is_empty() {
            self.hidden.push(at);
        }
        PlanStep::Some(path, sign)
    }

    fn every_match_counts(&self) -> bool {
        self.source.wanted != Wanted::Facts || self.source.shape.counts_matches
    }

    pub(super) fn bind(&mut self, path: &AccessPath) {
        path.slots().for_each(|slot| {
            self.bound.insert(VarId(slot.0));
        });
    }

    /// Whether something after the literal at hand needs a variable.
    fn is_needed(&self, slot: Slot) -> bool {
        let needed = self.needed.get(self.placed.len());
        needed
            .or_broken("it is known of each place of an order what is needed after it")
            .contains(VarId(slot.0))
    }

    /// The access path without bindings that nothing reads, not even a report.
    pub(super) fn without_unneeded(&self, mut path: AccessPath) -> AccessPath {
        if !self.source.shape.may_fail && self.source.wanted != Wanted::Bindings {
            let RowPattern { binds, checks } = &mut path.row;
            binds.retain(|(_, slot)| self.is_needed(*slot) || checks.iter().any(|(_, other)| other == slot));
        }
        path
    }

    /// The slot of an argument that is bound before its atom.
    pub(super) fn slot(&mut self, arg: &Arg) -> Option<Slot> {
        match arg {
            Arg::Any => None,
            Arg::Var(var) => self.bound.contains(*var).then_some((*var).into()),
            Arg::Const(value) => Some(self.frame.constant(value.word())),
            Arg::Param(param) => Some(self.frame.param(*param)),
        }
    }

    pub(super) fn whole_row(&mut self, atom: &Atom) -> Option<Vec<Slot>> {
        atom.args.iter().map(|arg| self.slot(arg)).collect()
    }

    /// The columns of an atom that are known, and what a row of it binds and must equal beside them.
    pub(super) fn pattern(&mut self, atom: &Atom) -> (ColumnSlots, RowPattern) {
        let (mut key, mut row) = (ColumnSlots::new(), RowPattern::default());
        for (column, arg) in (0u32..).zip(&atom.args) {
            match (self.slot(arg), arg) {
                (Some(slot), _) => key.push((column, slot)),
                (None, Arg::Var(var)) if row.binds.iter().any(|(_, slot)| *slot == Slot::from(*var)) => {
                    row.checks.push((column, (*var).into()))
                }
                (None, Arg::Var(var)) => row.binds.push((column, (*var).into())),
                _ => {}
            }
        }
        (key, row)
    }

    pub(super) fn access_path(&mut self, atom: &Atom, view: View, exists: bool) -> AccessPath {
        let (key, mut row) = self.pattern(atom);
        let relation = atom.relation;
        let index = self.index(relation, view, &key, exists);
        if index.is_none() {
            row.checks.extend_from_slice(&key);
        }
        AccessPath { relation, view, key, index, row }
    }

    /// The index for a key, unless a scan is as good: of a few rows, or of all rows just once.
    fn index(
        &mut self,
        relation: RelationId,
        view: View,
        key: &[(u32, Slot)],
        exists: bool,
    ) -> Option<IndexId> {
        let columns: Vec<u32> = key.iter().map(|(column, _)| *column).collect();
        if self.source.wanted != Wanted::Facts {
            let indexed = exists || !columns.is_empty();
            return indexed.then(|| self.catalog.index_on(relation, &columns)).flatten();
        }
        let once = !self.steps.iter().any(PlanStep::is_loop)
            && (self.source.delta().is_none() || view == View::Delta);
        let scan = !self.source.grows(relation) && self.catalog.is_below_scan_threshold(relation);
        if columns.is_empty() || scan || (once && self.catalog.find_index(relation, &columns).is_none()) {
            return None;
        }
        self.catalog.index_on(relation, &columns)
    }

    /// What is bound and which literals are left before literal `at`, or after the body.
    fn remainder(&self, at: Option<usize>) -> Remainder {
        if !self.source.shape.may_fail || self.source.wanted == Wanted::Derivations {
            return Remainder::default();
        }
        let is_left = |other: &usize| {
            Some(*other) != at && (!self.placed.contains(other) || self.hidden.contains(other))
        };
        let literals = self.source.literals().into_iter().filter(is_left).collect();
        Remainder { bound: self.bound.iter().collect(), literals, in_head: at.is_none() }
    }

    /// The origins of a head's words, if the innermost loop over rows only has to write them down.
    fn tail(&self, head: &[CompiledExpr], after_match: Option<usize>) -> Option<Vec<HeadWord>> {
        let last = self.steps.len().checked_sub(1)?;
        let path = match self.steps.get(last)? {
            PlanStep::Every(path) | PlanStep::Between(BoundedPath { path, .. }) => path,
            // All inputs bind the same variable.
            PlanStep::MultiwayJoin(inputs) => {
                inputs.first().map(|input| &input.path).filter(|path| path.row.binds.len() == 1)?
            }
            _ => return None,
        };
        if head.is_empty() || after_match != Some(last) || !path.row.checks.is_empty() {
            return None;
        }
        let origin = |expr: &CompiledExpr| match expr {
            CompiledExpr::Slot(slot) => {
                let bound = path.row.binds.iter().find(|(_, bound)| bound == slot);
                Some(bound.map_or(HeadWord::Slot(*slot), |(column, _)| HeadWord::Column(*column)))
            }
            _ => None,
        };
        head.iter().map(origin).collect()
    }

    /// A variable of the head that nothing binds would be read as whatever the frame holds.
    fn check_head(&self, start: &RowPattern) {
        let bound = |slot: Slot| {
            let at_start = start.binds.iter().any(|(_, known)| *known == slot);
            at_start || self.steps.iter().any(|step| step.binds().contains(&slot))
        };
        let partial = matches!(self.source.start, Start::Left(_));
        if !partial && !self.source.shape.head.iter().all(|var| bound((*var).into())) {
            broken("some step binds each variable of the head");
        }
    }

    /// Where to go on after a match.
    fn after_match(&self, back: &[Option<usize>]) -> Option<usize> {
        let shape = self.source.shape;
        if self.every_match_counts() || shape.may_fail {
            return back.last().copied().flatten();
        }
        let bound_by = |var: &VarId| {
            let mut steps = self.steps.iter().zip(back).enumerate();
            let found = steps.find(|(_, (step, _))| step.binds().contains(&Slot::from(*var)));
            let (at, (step, back)) = found.or_broken("some step binds each variable of the head");
            if step.is_loop() { Some(at) } else { *back }
        };
        shape.head.iter().filter_map(bound_by).max()
    }

    /// The relations that must have facts for a match, or for a report: an atom that waits for an operation is
    /// skipped where that is undefined.
    fn reads(&self) -> Vec<(RelationId, View)> {
        let atoms = self.source.rule.body.iter().enumerate().filter_map(|(at, literal)| match literal {
            Literal::Atom(atom) => {
                let waits = !self.source.shape.literal(at).before.is_empty();
                (!waits).then(|| (atom.relation, self.source.view(at)))
            }
            _ => None,
        });
        atoms.collect()
    }
}
