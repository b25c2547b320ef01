//! Where the values of columns come from: copied from columns of other relations, or computed from them.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::checked::{Arg, Checked, Effect, Literal, Rule};
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::term::Term;
use hence_core::schema::RelationId;

/// A column of a relation.
type Column = (RelationId, usize);

/// A step of a value from a column to another one.
struct Step {
    from: Column,
    to: Column,
    /// Whether it is another value there.
    is_computed: bool,
}

/// Whether the values of an effect are computed from those that it asserted before: a circle of columns of relations in
/// `circle`, through its own, on which a rule computes that `makes` new values.
pub(super) fn renew(
    checked: &Checked,
    effect: &Effect,
    circle: &[RelationId],
    makes: impl Fn(&Rule) -> bool,
) -> bool {
    let mut steps = Vec::new();
    for rule in checked.rules.iter().filter(|rule| circle.contains(&rule.head)) {
        let new = makes(rule);
        let found = Sources { rule, circle }.steps();
        steps.extend(found.map(|step| Step { is_computed: step.is_computed && new, ..step }));
    }
    for effect in checked.effects.iter().filter(|effect| !effect.retracts) {
        let columns = effect.columns.iter().enumerate().filter_map(|(to, from)| Some(((*from)?, to)));
        steps.extend(columns.map(|(from, to)| Step {
            from: (effect.relation, from),
            to: (effect.input, to),
            is_computed: false,
        }));
    }
    let own: BTreeSet<Column> = effect.columns.iter().flatten().map(|at| (effect.relation, *at)).collect();
    own.into_iter().any(|column| {
        let after = reached(&steps, column, |step| (step.from, step.to));
        let before = reached(&steps, column, |step| (step.to, step.from));
        steps.iter().any(|step| step.is_computed && after.contains(&step.from) && before.contains(&step.to))
    })
}

fn reached(steps: &[Step], start: Column, ends: impl Fn(&Step) -> (Column, Column)) -> BTreeSet<Column> {
    let mut next: BTreeMap<Column, Vec<Column>> = BTreeMap::new();
    for (from, to) in steps.iter().map(ends) {
        next.entry(from).or_default().push(to);
    }
    let (mut reached, mut open) = (BTreeSet::from([start]), vec![start]);
    while let Some(column) = open.pop() {
        for to in next.get(&column).into_iter().flatten() {
            if reached.insert(*to) {
                open.push(*to);
            }
        }
    }
    reached
}

/// Where the values of a rule come from.
struct Sources<'a> {
    rule: &'a Rule,
    /// The relations whose values count.
    circle: &'a [RelationId],
}

impl Sources<'_> {
    fn steps(self) -> impl Iterator<Item = Step> {
        let mut steps = Vec::new();
        for (at, term) in self.rule.terms.iter().enumerate() {
            let mut found = BTreeSet::new();
            match term {
                Term::Expr(expr) => self.of_expr(expr, false, &mut found, &mut BTreeSet::new()),
                Term::Aggregate { .. } => found.extend(self.all(&self.rule.body)),
            }
            let to = (self.rule.head, at);
            steps.extend(found.into_iter().map(|(from, is_computed)| Step { from, to, is_computed }));
        }
        steps.into_iter()
    }

    /// All columns that a body reads, of which an aggregate is computed.
    fn all(&self, body: &[Literal]) -> BTreeSet<(Column, bool)> {
        let atoms = body.iter().filter_map(Literal::positive).filter(|atom| self.counts(atom.relation));
        atoms.flat_map(|atom| (0..atom.args.len()).map(move |at| ((atom.relation, at), true))).collect()
    }

    fn counts(&self, relation: RelationId) -> bool {
        self.circle.contains(&relation)
    }

    fn of_expr(
        &self,
        expr: &Expr,
        is_computed: bool,
        found: &mut BTreeSet<(Column, bool)>,
        seen: &mut BTreeSet<VarId>,
    ) {
        let is_computed = is_computed || !matches!(expr.kind, ExprKind::Var(_));
        let mut vars = Vec::new();
        expr.for_each_var(&mut |var| vars.push(var));
        for var in vars {
            if seen.insert(var) {
                self.of_var(var, is_computed, found, seen);
            }
        }
    }

    /// The columns that a variable has its value from. One that an atom outside the circle binds has no new ones.
    fn of_var(
        &self,
        var: VarId,
        is_computed: bool,
        found: &mut BTreeSet<(Column, bool)>,
        seen: &mut BTreeSet<VarId>,
    ) {
        let mut columns = Vec::new();
        for literal in &self.rule.body {
            match literal {
                Literal::Atom { negated: false, relation, args, .. } => {
                    let binds = |arg: &Arg| matches!(arg, Arg::Expr(Expr { kind: ExprKind::Var(own), .. }) if *own == var);
                    for (at, _) in args.iter().enumerate().filter(|(_, arg)| binds(arg)) {
                        if !self.counts(*relation) {
                            return;
                        }
                        columns.push(((*relation, at), is_computed));
                    }
                }
                Literal::Bind { var: own, expr, .. } if *own == var => {
                    self.of_expr(expr, is_computed, found, seen);
                }
                Literal::Each { var: own, args, .. } if *own == var => {
                    args.iter().for_each(|arg| self.of_expr(arg, true, found, seen));
                }
                Literal::Aggregate(of) if of.binds == Some(var) => columns.extend(self.all(&of.body)),
                _ => {}
            }
        }
        found.extend(columns);
    }
}
