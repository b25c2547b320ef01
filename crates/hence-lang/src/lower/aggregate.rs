//! Aggregates with a body of their own: a relation for each, which holds its value for every group.
//!
//! `change(C), N = count { approval(C, _) }` reads `?count(C, N)`, which two rules derive:
//! - `?count(C, count()) :- approval(C, _).`
//! - `?count(C, 0) :- change(C), !approval(C, _).`, where the aggregate has a value over nothing. Where the body is more
//!   than an atom, what is negated is a relation of its own: `?some(C) :- approval(C, _), ….`
//!
//! Where the body doesn't bind the group by itself, or can be undefined, it is evaluated only for the groups that the
//! rule asks for: `?groups(C) :- change(C).` comes first in each of these rules. Where that depends on the rule itself,
//! see [`super::candidates`].

use std::collections::BTreeSet;

use super::body::{flatten, read};
use crate::analysis::checked::Aggregated;
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::rule;
use crate::builtins::term::{Term, Variable};
use crate::ir::{Arg, Atom, Literal, Program, Rule, parts};
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::{Column, Kind, Relation, RelationId};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

/// What the names of relations begin with that only help the values of an aggregate.
const HELP: [&str; 4] = ["groups of ", "matches of ", CANDIDATES, GIVEN];
/// Of the relations that hold what a recursion could come to, whatever its aggregates are.
pub(super) const CANDIDATES: &str = "candidates of ";
/// Of those that hold what is given of a relation of such a recursion.
pub(super) const GIVEN: &str = "given of ";

/// Whether a relation was made for an aggregate with a body of its own. Its name shows that body, braces and all.
pub fn is_made(program: &Program, relation: RelationId) -> bool {
    program[relation].name.as_str().contains('{')
}

/// Whether a relation holds the values of such an aggregate.
pub fn holds_values(program: &Program, relation: RelationId) -> bool {
    is_made(program, relation) && !helps_values(program, relation)
}

/// Whether a relation is only there for the values of such an aggregate.
pub fn helps_values(program: &Program, relation: RelationId) -> bool {
    let name = program[relation].name.as_str();
    is_made(program, relation) && HELP.iter().any(|help| name.starts_with(help))
}

/// The relations and rules that the aggregates of one rule need.
pub(super) struct Values<'a> {
    first: usize,
    pub(super) relations: Vec<Relation>,
    pub(super) rules: Vec<Rule>,
    /// The rules among them that derive the groups for which an aggregate is evaluated.
    pub(super) groups: Vec<Groups>,
    /// The rule, as the names of the relations show it.
    of: Symbol,
    asked: Vec<Asked<'a>>,
}

/// A rule that derives the groups for which an aggregate is evaluated.
pub(super) struct Groups {
    /// Its place among the rules.
    pub(super) rule: usize,
    /// What in the aggregate may have no result, so that it may not be evaluated for more groups than are asked for.
    pub(super) fails: Option<Span>,
}

/// An aggregate, the relation of its values, and the variable of the rule that takes them.
struct Asked<'a> {
    of: &'a Aggregated,
    relation: RelationId,
    value: VarId,
}

impl<'a> Values<'a> {
    /// For the rule called `of` and a program that has `first` relations.
    pub(super) fn new(first: usize, of: Symbol) -> Self {
        Self { first, relations: Vec::new(), rules: Vec::new(), groups: Vec::new(), of, asked: Vec::new() }
    }

    /// The relation of the values of an aggregate, which `value` of the rule takes.
    pub(super) fn relation(
        &mut self,
        of: &'a Aggregated,
        value: VarId,
        variables: &[Variable],
    ) -> RelationId {
        let name = |var: VarId| variables.get(var.at()).or_broken(VarId::INVARIANT).name;
        let mut columns = group(of, variables);
        columns.push(Column::new(name(value), of.ty.clone()));
        let relation = self.make("", columns, of);
        self.asked.push(Asked { of, relation, value });
        relation
    }

    fn make(&mut self, help: &str, columns: Vec<Column>, of: &Aggregated) -> RelationId {
        let id = RelationId((self.first + self.relations.len()) as u32);
        let name = format!("{help}{} in {}", of.text, self.of);
        let known = |name: &str| self.relations.iter().any(|other| other.name.as_str() == name);
        let again = (2..).map(|at| format!("{name} ({at})"));
        let name = [name.clone()].into_iter().chain(again).find(|name| !known(name));
        let name = Symbol::new(&name.or_broken("there are more numbers than relations"));
        let (doc, requires) = (String::new(), None);
        self.relations.push(Relation {
            name,
            kind: Kind::Derived,
            columns,
            doc,
            requires,
            authors: None,
            personal: Vec::new(),
            span: of.span,
        });
        id
    }

    /// Makes the rules for the aggregates of `rule`; `together` are the relations that depend on its head.
    pub(super) fn derive(&mut self, rule: &Rule, together: &[RelationId]) {
        for asked in std::mem::take(&mut self.asked) {
            Deriving { values: self, rule, together, asked: &asked }.derive();
        }
    }
}

/// The columns of the group.
fn group(of: &Aggregated, variables: &[Variable]) -> Vec<Column> {
    let variable = |var: VarId| variables.get(var.at()).or_broken(VarId::INVARIANT);
    of.shared.iter().map(|(var, _)| Column::new(variable(*var).name, variable(*var).ty.clone())).collect()
}

/// The rules of one aggregate on their way.
struct Deriving<'v, 'a, 'r> {
    values: &'v mut Values<'a>,
    rule: &'r Rule,
    together: &'r [RelationId],
    asked: &'r Asked<'a>,
}

impl Deriving<'_, '_, '_> {
    fn derive(&mut self) {
        let of = self.asked.of;
        let mut none = Values::new(0, self.rule.id);
        let (mut body, variables) = flatten(&of.body, &of.variables, &mut none);
        let failing = body.iter().flat_map(Literal::exprs).chain(&of.args).find(|expr| expr.may_fail());
        let fails = failing.map(|expr| expr.span);
        let alone = parts::bound(&body, BTreeSet::new());
        let closed = self.is_closed(&body, &alone);
        let groups = (!closed || fails.is_some() && !of.shared.is_empty()).then(|| self.groups(fails));
        if let Some(groups) = groups {
            body.insert(0, self.group_atom(groups, |(_, own)| *own));
        }
        let zero = of.aggregate.of_nothing(of.ty.ty);
        let nothing = zero.map(|_| self.nothing(&body, &variables, groups.is_some()));
        let span = of.function;
        let value = Term::Aggregate { aggregate: of.aggregate, args: of.args.clone(), span };
        self.push(self.asked.relation, |(_, own)| *own, Some(value), body, variables);
        if let (Some(zero), Some(nothing)) = (zero, nothing) {
            let mut body = match groups {
                Some(groups) => vec![self.group_atom(groups, |(rule, _)| *rule)],
                None => self.domain(false),
            };
            body.push(nothing);
            let zero = Expr { kind: ExprKind::Const(zero), ty: of.ty.ty, span };
            let variables = self.rule.variables.clone();
            self.push(self.asked.relation, |(rule, _)| *rule, Some(Term::Expr(zero)), body, variables);
        }
    }

    /// Whether the body binds all that it and the head of its rule need.
    fn is_closed(&self, body: &[Literal], bound: &BTreeSet<VarId>) -> bool {
        let ready = body.iter().all(|literal| literal.is_ready(|var| bound.contains(&var)));
        ready && self.asked.of.shared.iter().all(|(_, own)| bound.contains(own))
    }

    /// A relation of the groups that the rule asks for.
    fn groups(&mut self, fails: Option<Span>) -> RelationId {
        let columns = group(self.asked.of, &self.rule.variables);
        let relation = self.values.make("groups of ", columns, self.asked.of);
        let body = self.domain(fails.is_some());
        self.values.groups.push(Groups { rule: self.values.rules.len(), fails });
        self.push(relation, |(rule, _)| *rule, None, body, self.rule.variables.clone());
        relation
    }

    fn group_atom(&self, relation: RelationId, var: impl Fn(&(VarId, VarId)) -> VarId) -> Literal {
        let args = self.asked.of.shared.iter().map(|pair| Arg::Var(var(pair))).collect();
        Literal::Atom(Atom { relation, args, span: self.asked.of.span })
    }

    /// That nothing matches the body, for the variables of the rule.
    fn nothing(&mut self, body: &[Literal], variables: &[Variable], guarded: bool) -> Literal {
        let of = self.asked.of;
        let rule_var = |own: VarId| of.shared.iter().find(|(_, inner)| *inner == own).map(|(rule, _)| *rule);
        if let ([Literal::Atom(atom)], false) = (body, guarded) {
            let mut locals = BTreeSet::new();
            let once = atom.vars().all(|var| rule_var(var).is_some() || locals.insert(var));
            if once {
                let arg = |arg: &Arg| match arg {
                    Arg::Var(var) => rule_var(*var).map_or(Arg::Any, Arg::Var),
                    other => *other,
                };
                return Literal::Not(Atom { args: atom.args.iter().map(arg).collect(), ..atom.clone() });
            }
        }
        let columns = group(of, &self.rule.variables);
        let some = self.values.make("matches of ", columns, of);
        self.push(some, |(_, own)| *own, None, body.to_vec(), variables.to_vec());
        match self.group_atom(some, |(rule, _)| *rule) {
            Literal::Atom(atom) => Literal::Not(atom),
            other => other,
        }
    }

    /// Literals of the rule that bind the group: those that have to, or with `exact` all that don't depend on the
    /// aggregate and can't be undefined.
    fn domain(&self, exact: bool) -> Vec<Literal> {
        let own =
            |literal: &Literal| literal.positive().is_some_and(|atom| atom.relation == self.asked.relation);
        let usable = |literal: &&Literal| !own(literal) && !self.depends(literal);
        let usable: Vec<&Literal> = self.rule.body.iter().filter(usable).collect();
        let mut chosen = BTreeSet::new();
        for (var, _) in &self.asked.of.shared {
            self.provide(*var, &usable, &mut chosen);
        }
        if exact {
            let body = |at: &usize| usable.get(*at).copied().cloned();
            // Another aggregate may ask for its groups by this one.
            let free = |literal: &Literal| {
                self.value(literal).is_none()
                    && !literal.may_fail()
                    && literal.atom().is_none_or(|atom| !self.together.contains(&atom.relation))
            };
            let all = (0..usable.len())
                .filter(|at| chosen.contains(at) || usable.get(*at).is_some_and(|one| free(one)));
            let all: Vec<usize> = all.collect();
            let bound = parts::bound(&all.iter().filter_map(body).collect::<Vec<_>>(), BTreeSet::new());
            let ready =
                |at: &usize| usable.get(*at).is_some_and(|one| one.is_ready(|var| bound.contains(&var)));
            chosen.extend(all.into_iter().filter(ready));
        }
        chosen.iter().filter_map(|at| usable.get(*at).copied().cloned()).collect()
    }

    /// Whether a literal needs the value of this aggregate.
    fn depends(&self, literal: &Literal) -> bool {
        let mut from = BTreeSet::from([self.asked.value]);
        loop {
            let before = from.len();
            for other in &self.rule.body {
                let mut reads = false;
                other.for_each_var(&mut |var| reads |= from.contains(&var));
                if let Some(var) = self.computed(other).filter(|_| reads) {
                    from.insert(var);
                }
            }
            if from.len() == before {
                break;
            }
        }
        let mut reads = false;
        literal.for_each_var(&mut |var| reads |= from.contains(&var));
        reads
    }

    /// The variable that takes the value of an aggregate, where the literal is one.
    fn value(&self, literal: &Literal) -> Option<VarId> {
        literal.positive().filter(|atom| atom.relation.at() >= self.values.first)?.vars().last()
    }

    /// The variable that a literal computes; that of an aggregate is its value.
    fn computed(&self, literal: &Literal) -> Option<VarId> {
        self.value(literal).or_else(|| literal.computed())
    }

    /// Chooses literals that bind `var`: an atom, best of a relation that doesn't depend on the rule and with most of the
    /// group, or what computes it.
    fn provide(&self, var: VarId, usable: &[&Literal], chosen: &mut BTreeSet<usize>) {
        let binds = |at: usize| usable.get(at).is_some_and(|literal| literal.binds().any(|own| own == var));
        let computes = |at: usize| usable.get(at).and_then(|literal| self.computed(literal));
        if chosen.iter().any(|at| binds(*at)) {
            return;
        }
        let atom = |at: &usize| {
            let atom = usable.get(*at)?.positive().filter(|_| computes(*at).is_none())?;
            let inside = self.together.contains(&atom.relation);
            let covers =
                self.asked.of.shared.iter().filter(|(own, _)| atom.vars().any(|var| var == *own)).count();
            Some((inside, usize::MAX - covers, *at))
        };
        let atoms = (0..usable.len()).filter(|at| binds(*at)).filter_map(|at| atom(&at));
        let computing = || (0..usable.len()).find(|at| computes(*at) == Some(var));
        let Some(at) = atoms.min().map(|(.., at)| at).or_else(computing) else { return };
        chosen.insert(at);
        let mut needed = Vec::new();
        if let Some(literal) = usable.get(at).filter(|_| computes(at).is_some()) {
            literal.for_each_needed(&mut |need| needed.push(need));
            let reads = literal.positive().into_iter().flat_map(Atom::vars);
            needed.extend(reads.filter(|own| *own != var));
        }
        needed.into_iter().for_each(|need| self.provide(need, usable, chosen));
    }

    /// Adds a rule whose head is the group, and perhaps a value.
    fn push(
        &mut self,
        head: RelationId,
        var: impl Fn(&(VarId, VarId)) -> VarId,
        value: Option<Term>,
        body: Vec<Literal>,
        variables: Vec<Variable>,
    ) {
        let of = self.asked.of;
        let column = |pair: &(VarId, VarId)| {
            let var = var(pair);
            let ty = variables.get(var.at()).or_broken(VarId::INVARIANT).ty.ty;
            Term::Expr(read(var, ty, of.span))
        };
        let terms = of.shared.iter().map(column).chain(value).collect();
        self.values.rules.push(rule::Rule {
            id: self.rule.id,
            head,
            head_span: of.function,
            terms,
            body,
            variables,
            limit: None,
            because: None,
            doc: String::new(),
            span: of.span,
        });
    }
}

/// The value of an aggregate over nothing, as a rule of its values has it.
pub fn is_of_nothing(rule: &Rule) -> bool {
    !rule.is_aggregate()
        && matches!(
            rule.terms.last(),
            Some(Term::Expr(Expr {
                kind: ExprKind::Const(Value::Int(_) | Value::Float(_) | Value::Duration(_)),
                ..
            }))
        )
}
