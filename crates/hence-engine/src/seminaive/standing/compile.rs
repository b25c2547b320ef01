//! From a rule and a beginning to the steps of a standing plan.

use crate::seminaive::code::Code;
use crate::seminaive::plan::{Frame, Slot};
use crate::seminaive::shape::VarSet;
use crate::seminaive::sink::{plain, unranked};
use hence_core::fault::broken;
use hence_core::value::Word;
use hence_lang::builtins::expr::ExprKind;
use hence_lang::ir::{Arg, Atom, Literal, Rule, Term};

use super::plan::{Mode, Plan, Search, Start, Step, View};
use super::planning::{Source, order};
use super::roles::Role;
use super::store::Store;

/// The plan of a rule for a beginning; indexes that it uses are built.
pub(super) fn compile(source: Source<'_>, mode: Mode, store: &mut Store, params: &[Word]) -> Plan {
    let frame = Frame::new(source.rule.variables.len(), params);
    let mut compiler = Compiler { source, mode, store, frame, bound: VarSet::default(), steps: Vec::new() };
    let start = compiler.start();
    let order = order(source, mode.literal(), compiler.bound.clone(), compiler.store);
    let mut own = Vec::new();
    for at in order {
        if let (true, Literal::Atom(atom)) = (source.is_own(at), source.rule.literal(at)) {
            own.push((compiler.steps.len(), atom.relation));
        }
        let step = compiler.literal(at);
        compiler.steps.push(step);
    }
    let head = compiler.head();
    let reads = source.rule.reads().map(|relation| (relation, compiler.store.table(relation).len()));
    let sizes = reads.collect();
    let back = nearest_loops(&compiler.steps);
    Plan { start, steps: compiler.steps, back, own, frame: compiler.frame, head, sizes }
}

struct Compiler<'a> {
    source: Source<'a>,
    mode: Mode,
    store: &'a mut Store,
    frame: Frame,
    bound: VarSet,
    steps: Vec<Step>,
}

impl Compiler<'_> {
    fn rule(&self) -> &Rule {
        self.source.rule
    }

    /// What is bound before the first step.
    fn start(&mut self) -> Start {
        let rule = self.source.rule;
        if let Some(at) = self.mode.literal() {
            let (Literal::Atom(atom) | Literal::Not(atom)) = rule.literal(at) else {
                broken("plans begin with rows of atoms")
            };
            let role = self.source.role(at);
            let is_key = |column: u32| match role {
                Role::Some(keys) => keys.contains(&column),
                _ => true,
            };
            let args = (0u32..).zip(atom.args.iter().copied()).filter(|(column, _)| is_key(*column));
            return self.fit(args.collect());
        }
        if self.mode != Mode::Head {
            return Start::default();
        }
        let terms = (0u32..).zip(plain(rule)).filter_map(|(column, term)| match term.kind {
            ExprKind::Var(var) => Some((column, Arg::Var(var))),
            ExprKind::Const(value) => Some((column, Arg::Const(value))),
            _ => None,
        });
        self.fit(terms.collect())
    }

    /// How a row fits arguments; binds their variables.
    fn fit(&mut self, args: Vec<(u32, Arg)>) -> Start {
        let mut fit = Start::default();
        for (column, arg) in args {
            match (self.slot(&arg), arg) {
                (Some(slot), _) => fit.checks.push((column, slot)),
                (None, Arg::Var(var)) => {
                    self.bound.insert(var);
                    fit.binds.push((column, var.into()));
                }
                _ => {}
            }
        }
        fit
    }

    /// The slot of an argument that is bound.
    fn slot(&mut self, arg: &Arg) -> Option<Slot> {
        match arg {
            Arg::Any => None,
            Arg::Var(var) => self.bound.contains(*var).then_some((*var).into()),
            Arg::Const(value) => Some(self.frame.constant(value.word())),
            Arg::Param(param) => Some(self.frame.param(*param)),
        }
    }

    fn view(&self, at: usize) -> View {
        match self.mode {
            _ if self.source.is_own(at) => View::Ranked,
            Mode::Delta(delta) if at > delta => View::Old,
            Mode::Without(_) => View::Old,
            _ => View::New,
        }
    }

    fn literal(&mut self, at: usize) -> Step {
        match self.source.rule.literal(at) {
            Literal::Atom(atom) => self.atom(at, atom, true),
            Literal::Not(atom) => self.atom(at, atom, false),
            Literal::Test { expr, .. } => Step::Test(Code::new(expr, &mut self.frame)),
            Literal::Bind { var, expr, .. } => {
                let code = Code::new(expr, &mut self.frame);
                if self.bound.insert(*var) {
                    Step::Let((*var).into(), code)
                } else {
                    Step::Same((*var).into(), code)
                }
            }
            Literal::Each { var, generator, args, .. } => {
                let args = args.iter().map(|arg| Code::new(arg, &mut self.frame)).collect();
                if self.bound.insert(*var) {
                    Step::Each((*var).into(), generator.clone(), args)
                } else {
                    Step::Among((*var).into(), generator.clone(), args)
                }
            }
        }
    }

    fn atom(&mut self, at: usize, atom: &Atom, wanted: bool) -> Step {
        let (relation, view) = (atom.relation, self.view(at));
        let slots: Option<Vec<Slot>> = atom.args.iter().map(|arg| self.slot(arg)).collect();
        if let Some(row) = slots {
            return Step::Member { relation, view, row, wanted };
        }
        let (mut key, mut open) = (Vec::new(), Vec::new());
        for (column, arg) in (0u32..).zip(&atom.args) {
            match self.slot(arg) {
                Some(slot) => key.push((column, slot)),
                None => open.push((column, *arg)),
            }
        }
        let exists = matches!(self.source.role(at), Role::Some(_));
        let columns: Vec<u32> = key.iter().map(|(column, _)| *column).collect();
        let by = (exists || !columns.is_empty()).then(|| {
            let slots = key.iter().map(|(_, slot)| *slot).collect();
            (self.store.table_mut(relation).index_on(&columns), slots)
        });
        if exists {
            return Step::Some(Search { relation, view, by, fit: Start::default() }, wanted);
        }
        Step::Every(Search { relation, view, by, fit: self.fit(open) })
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
            return head;
        }
        head.extend(plain(rule).map(|term| Code::new(term, &mut self.frame)));
        let args = self.rule().terms.iter().flat_map(|term| match term {
            Term::Aggregate { args, .. } => args.clone(),
            Term::Expr(_) => Vec::new(),
        });
        let args: Vec<_> = args.collect();
        head.extend(args.iter().map(|arg| Code::new(arg, &mut self.frame)));
        head
    }
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
