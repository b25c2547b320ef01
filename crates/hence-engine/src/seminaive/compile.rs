//! From an order of literals to the steps of a plan.

use hence_core::fault::{OrBroken, broken};
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::{Arg, Atom, Literal, Rule, RuleId, Term};

use super::code::Code;
use super::known::{IndexId, Known};
use super::plan::{Frame, Origin, Plan, Resume, Search, Side, Sign, Slot, Step};
use super::shape::{Shape, VarSet};
use super::sink::{plain, unranked};
use super::store::Part;

/// A rule to be compiled.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// The rule.
    pub(super) rule: &'a Rule,
    /// Its id.
    pub(super) id: RuleId,
    /// What it needs.
    pub(super) shape: &'a Shape,
    /// For each literal whether its relation still grows in this stratum.
    pub(super) grows: &'a [bool],
    /// The literal that reads the delta; none in the first round.
    pub(super) delta: Option<usize>,
}

impl Source<'_> {
    /// What a positive atom reads: before the delta's literal what was old, behind it everything.
    pub(super) fn part(&self, at: usize) -> Part {
        match self.delta {
            Some(delta) if at == delta => Part::Delta,
            Some(delta) if at < delta && self.is_growing(at) => Part::Old,
            _ => Part::All,
        }
    }

    fn is_growing(&self, at: usize) -> bool {
        *self.grows.get(at).or_broken("it is known of each literal whether its relation grows")
    }
}

/// The plan of a rule in this order; indexes that it uses are built.
pub(super) fn compile(
    source: Source<'_>,
    order: &[usize],
    known: &mut IndexVec<RelationId, Known>,
    params: &[Word],
) -> Plan {
    let compiler = Compiler {
        source,
        known,
        frame: Frame::new(source.rule.variables.len(), params),
        bound: VarSet::default(),
        hidden: Vec::new(),
        needed: needed_after(source.shape, order),
        order,
        placed: Vec::new(),
        met: Vec::new(),
        steps: Vec::new(),
    };
    compiler.plan()
}

struct Compiler<'a> {
    source: Source<'a>,
    known: &'a mut IndexVec<RelationId, Known>,
    frame: Frame,
    bound: VarSet,
    /// Atoms that are only looked for, with variables that stay unbound.
    hidden: Vec<usize>,
    needed: Vec<VarSet>,
    order: &'a [usize],
    placed: Vec<usize>,
    /// Literals that were taken into an earlier step.
    met: Vec<usize>,
    steps: Vec<Step>,
}

/// For each place in the order the variables that something behind it needs.
fn needed_after(shape: &Shape, order: &[usize]) -> Vec<VarSet> {
    let mut needed = VarSet::default();
    shape.head.iter().for_each(|var| {
        needed.insert(*var);
    });
    let mut sets = vec![needed.clone()];
    for literal in order.iter().rev().map(|at| shape.literal(*at)) {
        literal.all.iter().for_each(|var| {
            needed.insert(*var);
        });
        sets.push(needed.clone());
    }
    sets.reverse();
    sets.remove(0);
    sets
}

impl Compiler<'_> {
    fn plan(mut self) -> Plan {
        let order = self.order;
        let rest = self.split_delta(order);
        for &at in order.iter().skip(self.placed.len()) {
            if !self.met.contains(&at) {
                self.literal(at);
            }
            self.placed.push(at);
        }
        if let (Some(rest), Some(delta)) = (rest, self.source.delta) {
            self.steps.push(Step::Every(rest));
            self.placed.push(delta);
        }
        let back = nearest_loops(&self.steps);
        let after_match = self.after_match(&back);
        let reads = self.reads();
        let resume = self.resume(None);
        let head = self.head();
        let tail = self.tail(&head, after_match);
        self.placed.retain(|at| !self.met.contains(at));
        Plan {
            rule: self.source.id,
            delta: self.source.delta,
            after_match,
            reads,
            resume,
            head,
            tail,
            back,
            order: self.placed,
            steps: self.steps,
            frame: self.frame,
        }
    }

    /// Where the plan begins with the new facts of `p(K, R)`, `R` stands only in the head, and an index on `K` is
    /// there anyway: loops over the new keys first and leaves their facts to the end, so that what lies between is
    /// done once a key. The search for the facts of a key.
    fn split_delta(&mut self, order: &[usize]) -> Option<Search> {
        let shape = self.source.shape;
        let at = *order.first().filter(|at| Some(**at) == self.source.delta && order.len() > 1)?;
        let Literal::Atom(atom) = self.source.rule.literal(at) else { broken("only atoms read a delta") };
        let [Arg::Var(first), Arg::Var(second)] = *atom.args else { return None };
        if shape.counts_matches || shape.may_fail || first == second {
            return None;
        }
        let others = || order.iter().skip(1).map(|other| shape.literal(*other));
        let joins = |var: VarId| others().any(|needs| needs.all.contains(&var));
        let (key, rest, column) = match (joins(first), joins(second)) {
            (true, false) => (first, second, 0),
            (false, true) => (second, first, 1),
            _ => return None,
        };
        let relation = atom.relation;
        let index = self.known[relation].find_index(&[column]).filter(|_| shape.head.contains(&rest))?;
        self.steps.push(Step::Keys { relation, index, slot: key.into() });
        self.bound.insert(key);
        self.placed.push(at);
        let (by, binds) = (Some((index, vec![key.into()])), vec![(1 - column, rest.into())]);
        Some(Search { relation, part: Part::Delta, by, binds, checks: Vec::new() })
    }

    fn literal(&mut self, at: usize) {
        let step = match self.source.rule.literal(at) {
            Literal::Atom(atom) => self.positive(at, atom),
            Literal::Not(atom) => self.negative(atom),
            Literal::Test { expr, .. } => Step::Test(Code::new(expr, &mut self.frame), self.resume(Some(at))),
            Literal::Bind { var, expr, .. } => {
                let resume = self.resume(Some(at));
                self.bound.insert(*var);
                Step::Let((*var).into(), Code::new(expr, &mut self.frame), resume)
            }
            Literal::Each { var, generator, args, .. } => {
                let resume = self.resume(Some(at));
                self.bound.insert(*var);
                let args = args.iter().map(|arg| Code::new(arg, &mut self.frame)).collect();
                Step::Each((*var).into(), generator.clone(), args, resume)
            }
        };
        self.steps.push(step);
    }

    fn positive(&mut self, at: usize, atom: &Atom) -> Step {
        let part = self.source.part(at);
        let relation = atom.relation;
        if let Some(row) = self.whole_row(atom) {
            return Step::Member { relation, part, row, sign: Sign::Present };
        }
        let search = self.search(atom, part);
        let binds = search.binds.iter().map(|(_, slot)| VarId(slot.0));
        let needed = self.needed_after_this();
        let is_needed = |var| needed.contains(var);
        if self.source.shape.counts_matches || binds.clone().any(is_needed) {
            if let Some(step) = self.meet(at, atom, &search) {
                return step;
            }
            binds.for_each(|var| {
                self.bound.insert(var);
            });
            return Step::Every(self.without_unneeded(search));
        }
        if !search.binds.is_empty() {
            self.hidden.push(at);
        }
        Step::Some(search, Sign::Present)
    }

    /// The variables that something behind the literal at hand needs.
    fn needed_after_this(&self) -> &VarSet {
        let place = self.placed.len();
        self.needed.get(place).or_broken("it is known of each place of an order what is needed behind it")
    }

    /// The step for an atom that binds all it has open, with the atoms behind it that have the same open but another
    /// key: the edges that close a cycle.
    fn meet(&mut self, at: usize, atom: &Atom, search: &Search) -> Option<Step> {
        let (open, key) = self.split(atom).filter(|_| search.by.is_some())?;
        let mut searches = vec![(at, search.clone())];
        for &other in self.order.iter().skip(self.placed.len()).filter(|other| **other != at) {
            let Literal::Atom(atom) = self.source.rule.literal(other) else { continue };
            let ready = self.bound.covers(&self.source.shape.literal(other).before);
            let closes = |(others, bound): (Vec<&Arg>, Vec<&Arg>)| {
                are_same(&others, &open) && !bound.is_empty() && !are_same(&bound, &key)
            };
            if ready && self.split(atom).is_some_and(closes) {
                let search = self.search(atom, self.source.part(other));
                searches.extend(search.by.is_some().then_some((other, search)));
            }
        }
        if searches.len() < 2 {
            return None;
        }
        search.slots().for_each(|slot| {
            self.bound.insert(VarId(slot.0));
        });
        self.met.extend(searches.iter().skip(1).map(|(literal, _)| *literal));
        let side = |(literal, search)| {
            let Literal::Atom(atom) = self.source.rule.literal(literal) else { broken("only atoms meet") };
            let row = self.whole_row(atom).or_broken("the sides of a meeting bind all that they have open");
            Side { literal, search, row }
        };
        Some(Step::Meet(searches.into_iter().map(side).collect()))
    }

    /// The open variables of an atom and its bound arguments; none if it leaves a column open or has a variable twice
    /// that it binds.
    fn split<'r>(&self, atom: &'r Atom) -> Option<(Vec<&'r Arg>, Vec<&'r Arg>)> {
        let (bound, open): (Vec<&Arg>, Vec<&Arg>) = atom.args.iter().partition(|arg| self.bound.binds(arg));
        let once = |arg: &&Arg| **arg != Arg::Any && open.iter().filter(|other| *other == arg).count() == 1;
        open.iter().all(once).then_some((open, bound))
    }

    /// The search without bindings that nothing reads, not even a report.
    fn without_unneeded(&self, mut search: Search) -> Search {
        if !self.source.shape.may_fail {
            let needed = self.needed_after_this();
            let checks = std::mem::take(&mut search.checks);
            search.binds.retain(|(_, slot)| {
                needed.contains(VarId(slot.0)) || checks.iter().any(|(_, other)| other == slot)
            });
            search.checks = checks;
        }
        search
    }

    fn negative(&mut self, atom: &Atom) -> Step {
        match self.whole_row(atom) {
            Some(row) => {
                let relation = atom.relation;
                Step::Member { relation, part: Part::All, row, sign: Sign::Absent }
            }
            None => Step::Some(self.search(atom, Part::All), Sign::Absent),
        }
    }

    /// The slot of an argument that is bound before its atom.
    fn slot(&mut self, arg: &Arg) -> Option<Slot> {
        match arg {
            Arg::Any => None,
            Arg::Var(var) => self.bound.contains(*var).then_some((*var).into()),
            Arg::Const(value) => Some(self.frame.constant(value.word())),
            Arg::Param(param) => Some(self.frame.param(*param)),
        }
    }

    fn whole_row(&mut self, atom: &Atom) -> Option<Vec<Slot>> {
        atom.args.iter().map(|arg| self.slot(arg)).collect()
    }

    fn search(&mut self, atom: &Atom, part: Part) -> Search {
        let (mut key, mut binds, mut checks) = (Vec::new(), Vec::new(), Vec::new());
        for (column, arg) in (0u32..).zip(&atom.args) {
            match (self.slot(arg), arg) {
                (Some(slot), _) => key.push((column, slot)),
                (None, Arg::Var(var)) if binds.iter().any(|(_, slot)| *slot == Slot::from(*var)) => {
                    checks.push((column, (*var).into()))
                }
                (None, Arg::Var(var)) => binds.push((column, (*var).into())),
                _ => {}
            }
        }
        let relation = atom.relation;
        let by = self.index(relation, part, &key);
        if by.is_none() {
            checks.extend(&key);
        }
        let by = by.map(|index| (index, key.iter().map(|(_, slot)| *slot).collect()));
        Search { relation, part, by, binds, checks }
    }

    /// The index for a key, unless looking at all rows is as good: few rows, or one look only.
    fn index(&mut self, relation: RelationId, part: Part, key: &[(u32, Slot)]) -> Option<IndexId> {
        let once =
            !self.steps.iter().any(Step::is_loop) && (self.source.delta.is_none() || part == Part::Delta);
        let stratum = self.source.rule.body.iter().zip(self.source.grows);
        let grows = stratum.into_iter().any(|(literal, grows)| match literal {
            Literal::Atom(atom) | Literal::Not(atom) => *grows && atom.relation == relation,
            _ => false,
        });
        let known = &mut self.known[relation];
        let columns: Vec<u32> = key.iter().map(|(column, _)| *column).collect();
        let few = !grows && known.is_small();
        if columns.is_empty() || few || (once && known.find_index(&columns).is_none()) {
            return None;
        }
        Some(known.index_on(&columns))
    }

    /// What is bound and what is open before literal `at`, or behind the body.
    fn resume(&self, at: Option<usize>) -> Resume {
        if !self.source.shape.may_fail {
            return Resume::default();
        }
        let body = 0..self.source.rule.body.len();
        let is_open = |other: &usize| {
            Some(*other) != at && (!self.placed.contains(other) || self.hidden.contains(other))
        };
        let pending = body.filter(is_open).collect();
        Resume { bound: self.bound.iter().collect(), pending, in_head: at.is_none() }
    }

    /// The code of the head, as [`Plan::head`] lists it.
    fn head(&mut self) -> Vec<Code> {
        let rule = self.source.rule;
        let mut head = Vec::new();
        if let Some(limit) = &rule.limit {
            let keys = std::iter::once(&limit.count).chain(limit.by.iter().map(|(key, _)| key));
            head.extend(keys.map(|key| Code::new(key, &mut self.frame)));
            head.extend(limit.per.iter().map(|var| Code::Slot((*var).into())));
            head.extend(unranked(rule, limit).map(|term| Code::new(term, &mut self.frame)));
        } else {
            head.extend(plain(rule).map(|term| Code::new(term, &mut self.frame)));
            let args = rule.terms.iter().flat_map(|term| match term {
                Term::Aggregate { args, .. } => args.as_slice(),
                Term::Expr(_) => &[],
            });
            head.extend(args.map(|arg| Code::new(arg, &mut self.frame)));
        }
        head
    }

    /// The origins of a fact's words, if nothing but writing it down follows the innermost loop over rows.
    fn tail(&self, head: &[Code], after_match: Option<usize>) -> Option<Vec<Origin>> {
        let rule = self.source.rule;
        let last = self.steps.len().checked_sub(1)?;
        let Some(Step::Every(search)) = self.steps.get(last) else { return None };
        if rule.is_aggregate() || rule.limit.is_some() || head.is_empty() {
            return None;
        }
        if after_match != Some(last) || !search.checks.is_empty() {
            return None;
        }
        let origin = |code: &Code| match code {
            Code::Slot(slot) => {
                let bound = search.binds.iter().find(|(_, bound)| bound == slot);
                Some(bound.map_or(Origin::Slot(*slot), |(column, _)| Origin::Column(*column)))
            }
            _ => None,
        };
        head.iter().map(origin).collect()
    }

    /// Where to go on after a match.
    fn after_match(&self, back: &[Option<usize>]) -> Option<usize> {
        let shape = self.source.shape;
        if shape.counts_matches || shape.may_fail {
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

    /// The relations that must hold something for a match, or for a report: an atom that waits for an operation is
    /// skipped where that fails.
    fn reads(&self) -> Vec<(RelationId, Part)> {
        let atoms = self.source.rule.body.iter().enumerate().filter_map(|(at, literal)| match literal {
            Literal::Atom(atom) => {
                let waits = !self.source.shape.literal(at).before.is_empty();
                (!waits).then(|| (atom.relation, self.source.part(at)))
            }
            _ => None,
        });
        atoms.collect()
    }
}

/// Whether two lists hold the same arguments.
fn are_same(some: &[&Arg], others: &[&Arg]) -> bool {
    some.iter().all(|arg| others.contains(arg)) && others.iter().all(|arg| some.contains(arg))
}

/// For each step, and behind the last, the nearest loop before it.
fn nearest_loops(steps: &[Step]) -> Vec<Option<usize>> {
    let mut back = vec![None];
    let mut nearest = None;
    for (at, step) in steps.iter().enumerate() {
        if step.is_loop() {
            nearest = Some(at);
        }
        back.push(nearest);
    }
    back
}
