//! Where rules carry personal values: which columns hold them or what is computed from them, and which columns beside
//! them say whose they are.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use hence_core::schema::RelationId;
use hence_core::value::Value;

use super::super::checked::{Aggregated, Checked, Literal, Rule};
use crate::builtins::aggregate::Aggregate;
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::op::Op;
use crate::builtins::term::Term;

/// A column of a relation.
pub(super) type Place = (RelationId, usize);

/// What holds whose values they are: a variable, or a value that the rule names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holder {
    Var(VarId),
    Is(Value),
}

/// What holds the subject of some values, of all of them alike.
pub(super) type Holders = BTreeSet<Holder>;

/// The personal values of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Carried {
    /// The declared column that they come from first.
    origin: Place,
    /// The columns of the same relation that say whose they are, whatever rule they came by.
    subjects: BTreeSet<usize>,
}

/// The columns that carry personal values or what is computed from them, of any type: what functions, generators and
/// aggregates give, what equals it, and what two comparisons by order hold against it. What another condition says by
/// holding or not is carried by nothing, and no count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carriers(BTreeMap<Place, Carried>);

impl Carriers {
    /// Those of checked rules.
    pub fn of(checked: &Checked) -> Self {
        let mut found = Self::default();
        for (id, relation) in (0u32..).map(RelationId).zip(&checked.relations) {
            for personal in &relation.personal {
                let (origin, subjects) = ((id, personal.column), BTreeSet::from([personal.subject]));
                found.0.insert(origin, Carried { origin, subjects });
            }
        }
        let is_declared = found.0.clone();
        while !found.0.is_empty() && found.spread(checked) {}
        while found.narrow(checked, &is_declared) {}
        found
    }

    /// The declared column that the values of a column come from; none where they are not personal.
    pub fn origin(&self, relation: RelationId, column: usize) -> Option<(RelationId, usize)> {
        self.0.get(&(relation, column)).map(|carried| carried.origin)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each column with the declared one that its values come from.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Place, Place)> + '_ {
        self.0.iter().map(|(place, carried)| (*place, carried.origin))
    }

    /// The declared columns that rules fill with values of others than the subject that they name, with where those
    /// come from.
    pub(super) fn strayed(&self, checked: &Checked) -> BTreeMap<Place, Place> {
        let mut strayed = BTreeMap::new();
        self.for_each_flow(checked, &mut |place, carried| {
            let (relation, column) = place;
            let declared = checked[relation].personal.iter().find(|personal| personal.column == column);
            if declared.is_some_and(|declared| !carried.subjects.contains(&declared.subject)) {
                strayed.entry(place).or_insert(carried.origin);
            }
        });
        strayed
    }

    /// Carries values over every rule once; whether another column has some now.
    fn spread(&mut self, checked: &Checked) -> bool {
        let mut found = Vec::new();
        self.for_each_flow(checked, &mut |place, carried| found.push((place, carried.origin)));
        let before = self.0.len();
        for (place, origin) in found {
            let subjects = (0..checked[place.0].columns.len()).collect();
            self.0.entry(place).or_insert(Carried { origin, subjects });
        }
        self.0.len() > before
    }

    /// Keeps the columns of subjects that hold them by every rule; whether some went.
    fn narrow(&mut self, checked: &Checked, declared: &BTreeMap<Place, Carried>) -> bool {
        let mut narrowed = self.0.clone();
        self.for_each_flow(checked, &mut |place, carried| {
            if let Some(known) = narrowed.get_mut(&place).filter(|_| !declared.contains_key(&place)) {
                known.subjects.retain(|column| carried.subjects.contains(column));
            }
        });
        let changed = narrowed != self.0;
        self.0 = narrowed;
        changed
    }

    /// Hands each column that a rule or an effect fills with personal values to `each`.
    fn for_each_flow(&self, checked: &Checked, each: &mut dyn FnMut(Place, Carried)) {
        for rule in &checked.rules {
            let vars = self.of_rule(rule);
            for (column, term) in rule.terms.iter().enumerate() {
                let Some((origin, holders)) = vars.of_term(term) else { continue };
                let terms = rule.terms.iter().enumerate();
                let subjects =
                    terms.filter(|(_, term)| holder(term).is_some_and(|one| holders.contains(&one)));
                let subjects = subjects.map(|(column, _)| column).collect();
                each((rule.head, column), Carried { origin, subjects });
            }
        }
        for effect in &checked.effects {
            for (column, own) in effect.columns.iter().enumerate() {
                let Some(carried) = own.and_then(|own| self.0.get(&(effect.relation, own))) else { continue };
                let columns = effect.columns.iter().enumerate();
                let subjects =
                    columns.filter(|(_, own)| own.is_some_and(|own| carried.subjects.contains(&own)));
                let subjects = subjects.map(|(column, _)| column).collect();
                each((effect.input, column), Carried { origin: carried.origin, subjects });
            }
        }
    }

    /// The variables of a rule that have personal values.
    pub(super) fn of_rule(&self, rule: &Rule) -> Vars {
        let mut vars = Vars::default();
        if !self.0.is_empty() {
            self.follow(&rule.body, &mut vars);
        }
        vars
    }

    fn follow(&self, body: &[Literal], vars: &mut Vars) {
        let same = Same::of(body);
        let compared = Compared::of(body);
        loop {
            let before = vars.clone();
            for literal in body {
                self.literal(literal, &same, vars);
            }
            compared.equate(vars);
            if *vars == before && !compared.hold(vars) {
                return;
            }
        }
    }

    fn literal(&self, literal: &Literal, same: &Same, vars: &mut Vars) {
        if let Some(atom) = literal.positive() {
            for (column, arg) in atom.args.iter().enumerate() {
                let (Some(carried), Some(expr)) = (self.0.get(&(atom.relation, column)), arg.expr()) else {
                    continue;
                };
                let subjects = carried.subjects.iter().filter_map(|column| atom.args.get(*column));
                let holders = same.all(subjects.filter_map(|arg| holds(arg.expr()?)).collect());
                for var in vars.plain(expr) {
                    vars.add(var, carried.origin, holders.clone());
                }
            }
            return;
        }
        match literal {
            Literal::Aggregate(of) => self.aggregate(of, vars),
            Literal::Bind { var, expr, .. } => vars.take(*var, std::slice::from_ref(expr)),
            Literal::Each { var, args, .. } => vars.take(*var, args),
            Literal::Test { .. } | Literal::Atom { .. } => {}
        }
    }

    fn aggregate(&self, of: &Aggregated, vars: &mut Vars) {
        let mut inner = vars.renamed(of.shared.iter().copied());
        self.follow(&of.body, &mut inner);
        let outer = inner.renamed(of.shared.iter().map(|(outer, inner)| (*inner, *outer)));
        for (var, (origin, holders)) in outer.0 {
            vars.add(var, origin, holders);
        }
        let result = of.binds.or(match of.target.kind {
            ExprKind::Var(var) => Some(var),
            _ => None,
        });
        if let Some((origin, holders)) = inner.aggregated(of.aggregate, &of.args)
            && let Some(result) = result
        {
            let names: BTreeMap<VarId, VarId> =
                of.shared.iter().map(|(outer, inner)| (*inner, *outer)).collect();
            vars.add(result, origin, renamed(&holders, &names));
        }
    }
}

/// Variables with personal values: the declared column that these come from, and what holds their subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Vars(BTreeMap<VarId, (Place, Holders)>);

impl Vars {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn carries(&self, var: VarId) -> bool {
        self.0.contains_key(&var)
    }

    /// Where the values of a term come from, if some are personal, and what holds their subject.
    pub(super) fn of_term(&self, term: &Term) -> Option<(Place, Holders)> {
        match term {
            Term::Expr(expr) => self.of_exprs(std::slice::from_ref(expr)),
            Term::Aggregate { aggregate, args, .. } => self.aggregated(*aggregate, args),
        }
    }

    fn aggregated(&self, aggregate: Aggregate, args: &[Expr]) -> Option<(Place, Holders)> {
        // How many there are says nothing of what they are.
        let counts = matches!(aggregate, Aggregate::Count | Aggregate::CountDistinct);
        self.of_exprs(args).filter(|_| !counts)
    }

    fn of_exprs(&self, exprs: &[Expr]) -> Option<(Place, Holders)> {
        let mut found: Option<(Place, Holders)> = None;
        let mut take = |part: &Expr| {
            let ExprKind::Var(var) = &part.kind else { return };
            let Some((origin, holders)) = self.0.get(var) else { return };
            match &mut found {
                Some((_, all)) => all.retain(|holder| holders.contains(holder)),
                None => found = Some((*origin, holders.clone())),
            }
        };
        exprs.iter().for_each(|expr| expr.for_each(&mut take));
        found
    }

    /// A variable that has the value of personal ones, whichever of them.
    fn add(&mut self, var: VarId, origin: Place, holders: Holders) {
        self.0.entry(var).or_insert_with(|| (origin, Holders::new())).1.extend(holders);
    }

    /// A variable whose value comes from expressions.
    fn take(&mut self, var: VarId, exprs: &[Expr]) {
        if let Some((origin, holders)) = self.of_exprs(exprs) {
            self.add(var, origin, holders);
        }
    }

    /// The variables of an expression that must equal personal values have them, unless it is computed from such values
    /// itself; whose these are, is recorded as it is by declaration.
    fn equal(&mut self, expr: &Expr, (origin, holders): &(Place, Holders)) {
        for var in self.plain(expr) {
            if !holders.contains(&Holder::Var(var)) {
                self.add(var, *origin, holders.clone());
            }
        }
    }

    /// The variables of an expression with no personal value, or one alone; else none.
    fn plain(&self, expr: &Expr) -> BTreeSet<VarId> {
        if let ExprKind::Var(var) = expr.kind {
            return BTreeSet::from([var]);
        }
        let mut found = BTreeSet::new();
        expr.for_each_var(&mut |var| found.extend([var]));
        if found.iter().any(|var| self.carries(*var)) { BTreeSet::new() } else { found }
    }

    /// The variables that have another name elsewhere, by that.
    fn renamed(&self, names: impl Iterator<Item = (VarId, VarId)>) -> Self {
        let names: BTreeMap<VarId, VarId> = names.collect();
        let known = self.0.iter().filter_map(|(var, (origin, holders))| {
            Some((*names.get(var)?, (*origin, renamed(holders, &names))))
        });
        Self(known.collect())
    }
}

fn renamed(holders: &Holders, names: &BTreeMap<VarId, VarId>) -> Holders {
    let name = |holder: &Holder| match holder {
        Holder::Var(var) => names.get(var).copied().map(Holder::Var),
        Holder::Is(_) => Some(*holder),
    };
    holders.iter().filter_map(name).collect()
}

/// What the comparisons of a body say where it holds.
#[derive(Default)]
struct Compared<'b> {
    /// The sides that are equal.
    equal: Vec<[Cow<'b, Expr>; 2]>,
    /// The sides that are in an order, each once for it; those that may be equal twice, as for `<=` and `>=`.
    ordered: Vec<[&'b Expr; 2]>,
}

impl<'b> Compared<'b> {
    fn of(body: &'b [Literal]) -> Self {
        let mut found = Self::default();
        for literal in body {
            match literal {
                Literal::Test { expr, .. } => found.read(expr, Some(true), true),
                Literal::Bind { var, expr, span } => {
                    let var = Expr { kind: ExprKind::Var(*var), ty: expr.ty, span: *span };
                    found.equal.push([Cow::Owned(var), Cow::Borrowed(expr)]);
                    found.read(expr, None, false);
                }
                Literal::Atom { .. } | Literal::Each { .. } | Literal::Aggregate(_) => {}
            }
        }
        found
    }

    /// Reads an expression that is true or false as `holds` says, for certain or perhaps. Where that is a value of its
    /// own, other conditions may ask for either: then `!=` is as good as `=`.
    fn read(&mut self, expr: &'b Expr, holds: Option<bool>, certain: bool) {
        match &expr.kind {
            ExprKind::Call(Op::Not, _) => {
                let other = holds.map(|holds| !holds);
                expr.parts().into_iter().for_each(|part| self.read(part, other, certain));
            }
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                let both = Some(matches!(expr.kind, ExprKind::And(..))) == holds;
                self.read(left, holds, certain && both);
                self.read(right, holds, certain && both);
            }
            kind => {
                if let ExprKind::Call(op, sides) = kind
                    && let [left, right] = sides.as_slice()
                {
                    self.compare(op.name(), [left, right], (holds, certain));
                }
                expr.parts().into_iter().for_each(|part| self.read(part, None, false));
            }
        }
    }

    fn compare(&mut self, op: &str, sides: [&'b Expr; 2], (holds, certain): (Option<bool>, bool)) {
        let equal = match op {
            "=" => holds != Some(false),
            "!=" => holds != Some(true),
            "<" | "<=" | ">" | ">=" => {
                self.ordered.push(sides);
                false
            }
            _ => false,
        };
        match (equal, certain) {
            (true, true) => self.equal.push(sides.map(Cow::Borrowed)),
            (true, false) => self.ordered.extend([sides, sides]),
            (false, _) => {}
        }
    }

    /// Gives the variables on one side of an equality what the other carries.
    fn equate(&self, vars: &mut Vars) {
        for [left, right] in &self.equal {
            for (one, other) in [(left, right), (right, left)] {
                if let Some(carried) = vars.of_exprs(std::slice::from_ref(&**other)) {
                    vars.equal(one, &carried);
                }
            }
        }
    }

    /// Gives the variables without personal values that two comparisons hold against such what these carry; whether
    /// there are any. Whose it is, is what both say.
    fn hold(&self, vars: &mut Vars) -> bool {
        let mut held: BTreeMap<VarId, Vec<(Place, Holders)>> = BTreeMap::new();
        for [left, right] in &self.ordered {
            for (one, other) in [(*left, *right), (*right, *left)] {
                let Some(carried) = vars.of_exprs(std::slice::from_ref(other)) else { continue };
                let free = |var: &VarId| !vars.carries(*var) && !carried.1.contains(&Holder::Var(*var));
                for var in vars.plain(one).into_iter().filter(free) {
                    held.entry(var).or_default().push(carried.clone());
                }
            }
        }
        held.retain(|_, carried| carried.len() > 1);
        let any = !held.is_empty();
        for (var, carried) in held {
            let both = |one: (Place, Holders), other: (Place, Holders)| (one.0, &one.1 & &other.1);
            if let Some((origin, holders)) = carried.into_iter().reduce(both) {
                vars.add(var, origin, holders);
            }
        }
        any
    }
}

/// The variables that equal one another.
struct Same(Vec<(Holder, Holder)>);

impl Same {
    fn of(body: &[Literal]) -> Self {
        let pair = |literal: &Literal| match literal {
            Literal::Bind { var, expr, .. } => Some((Holder::Var(*var), holds(expr)?)),
            Literal::Test { expr, .. } => match &expr.kind {
                ExprKind::Call(Op::Equal, sides) => match sides.as_slice() {
                    [left, right] => Some((holds(left)?, holds(right)?)),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        Self(body.iter().filter_map(pair).collect())
    }

    /// These and all that equal one of them.
    fn all(&self, mut holders: Holders) -> Holders {
        loop {
            let before = holders.len();
            for (one, other) in &self.0 {
                if holders.contains(one) || holders.contains(other) {
                    holders.extend([*one, *other]);
                }
            }
            if holders.len() == before {
                return holders;
            }
        }
    }
}

fn holder(term: &Term) -> Option<Holder> {
    match term {
        Term::Expr(expr) => holds(expr),
        Term::Aggregate { .. } => None,
    }
}

fn holds(expr: &Expr) -> Option<Holder> {
    match expr.kind {
        ExprKind::Var(var) => Some(Holder::Var(var)),
        ExprKind::Const(value) => Some(Holder::Is(value)),
        _ => None,
    }
}
