//! Safety: every variable that is used is bound by a positive atom, or by `=` or `in` whose other side is bound.

use std::collections::{HashMap, HashSet};

use crate::builtins::expr::VarId;
use hence_core::diagnostic::{Diagnostic, nearest};
use hence_core::fault::OrBroken;
use hence_core::schema::Kind;
use hence_core::span::{Sources, Span};
use hence_syntax::tree::{Expr, Limit, Rule};

use super::bind::Bound;
use super::clause::Clause;
use super::codes;
use super::equations::Equations;
use super::names::Names;
use super::prose::list;
use super::uses::{Vars, for_each_use};
use super::values::{error, truth};

/// How many unbound variables of a rule are told each by itself.
const MOST_TOLD: usize = 20;
/// How many equations of a ring are shown.
const MOST_STEPS: usize = 8;

/// Where a variable has to be bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Head,
    Negated,
    Condition,
    Argument,
    Generator,
    Limit,
    /// An argument of an aggregate with a body of its own.
    Aggregate,
    /// A variable that the body of an aggregate shares with its rule.
    Shared,
}

impl Role {
    fn phrase(self) -> &'static str {
        match self {
            Self::Head => "used in the head",
            Self::Negated => "used in a negated atom",
            Self::Condition => "used in a condition",
            Self::Argument => "used in an expression inside an atom",
            Self::Generator => "used by a generator",
            Self::Limit => "used by the limit",
            Self::Aggregate => "used by the aggregate",
            Self::Shared => {
                "the rule uses it too, so it gives the group and must be bound outside the braces"
            }
        }
    }
}

/// The uses of variables that must be bound, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Uses {
    all: Vec<(VarId, Span, Role)>,
    /// The rank of the rule's limit.
    pub(super) rank: Option<VarId>,
}

impl Uses {
    /// Takes in every variable of `expr`.
    pub(super) fn expr(&mut self, expr: &Expr, role: Role, vars: &Vars, sources: &Sources) {
        for_each_use(expr, sources, &mut |name, span| {
            let var = vars.get(name).filter(|var| role != Role::Head || Some(*var) != self.rank);
            self.all.extend(var.map(|var| (var, span, role)));
        });
    }

    /// Takes in one variable.
    pub(super) fn var(&mut self, var: VarId, span: Span, role: Role) {
        self.all.push((var, span, role));
    }

    /// Takes in what the literals of a body use.
    pub(super) fn body(&mut self, clauses: &[Clause<'_>], vars: &Vars, sources: &Sources) {
        clauses.iter().for_each(|clause| clause.add_uses(self, vars, sources));
    }

    /// Takes in what a limit uses.
    pub(super) fn limit(&mut self, limit: &Limit, vars: &Vars, sources: &Sources) {
        for ident in &limit.per {
            if let Some(var) = vars.get(ident.name) {
                self.var(var, ident.span, Role::Limit);
            }
        }
        limit.by.iter().for_each(|(key, _)| self.expr(key, Role::Limit, vars, sources));
    }

    /// Reports each variable that is used and not bound, once; not those that an `=` would bind if another one
    /// that is reported was bound.
    pub(super) fn report(
        &self,
        bound: &Bound,
        clauses: &[Clause<'_>],
        vars: &Vars,
        names: &Names,
        out: &mut Vec<Diagnostic>,
    ) {
        let mut places: HashMap<VarId, Vec<(Span, Role)>> = HashMap::new();
        let mut open = Vec::new();
        for (var, span, role) in self.all.iter().filter(|(var, ..)| !bound.has(*var)) {
            let places = places.entry(*var).or_default();
            if places.is_empty() {
                open.push((*var, *span));
            }
            places.push((*span, *role));
        }
        if open.is_empty() {
            return;
        }
        let equations = Equations::of(clauses, vars, open.iter().map(|(var, _)| *var));
        let ring = equations.ring();
        if let Some((first, _)) = ring.first() {
            let used = open.iter().find(|(var, _)| var == first).map(|(_, span)| *span);
            out.push(in_ring(*first, used, &ring, vars));
        }
        let waits: HashSet<VarId> = ring.iter().map(|(var, _)| *var).collect();
        let follows = equations.followers();
        let mut told = open.iter().filter(|(var, _)| !follows.contains(var) && !waits.contains(var));
        for (var, _) in told.by_ref().take(MOST_TOLD) {
            let places = places.get(var).or_broken("a variable that is not bound has a place");
            out.push(self.unbound((*var, places), bound, clauses, &equations, vars, names));
        }
        if let Some((_, span)) = told.next() {
            let message = format!("{} more unbound variables in one rule", told.count() + 1);
            out.push(error(codes::UNBOUND, message, *span));
        }
    }

    fn unbound(
        &self,
        (var, places): (VarId, &[(Span, Role)]),
        bound: &Bound,
        clauses: &[Clause<'_>],
        equations: &Equations,
        vars: &Vars,
        names: &Names,
    ) -> Diagnostic {
        let name = vars.name(var).as_str();
        let mut diagnostic = Diagnostic::new(codes::UNBOUND, format!("unbound variable `{name}`"));
        for (span, role) in places.iter().take(4) {
            diagnostic = diagnostic.at(*span, role.phrase());
        }
        if let Some(meant) = truth(name) {
            return diagnostic.help(format!("the value is written `{meant}`"));
        }
        if Some(var) == self.rank {
            return diagnostic.note("the rank is known only in the head, after the limit is applied");
        }
        let diagnostic = match equations.with(var).find(|(_, reads)| reads.iter().all(|read| *read != var)) {
            Some((span, reads)) => {
                let missing: Vec<_> = reads
                    .iter()
                    .filter(|read| !bound.has(**read))
                    .map(|read| vars.name(*read))
                    .map(|name| format!("`{name}`"))
                    .collect();
                let verb = if missing.len() == 1 { "was" } else { "were" };
                diagnostic.at(*span, format!("this would bind it if {} {verb} bound", list(&missing, "and")))
            }
            None => diagnostic.note(missing_kind(places)),
        };
        let known = vars.names().iter().filter(|known| vars.get(**known).is_some_and(|var| bound.has(var)));
        match nearest(name, known.map(|known| known.as_str())) {
            Some(near) if name.len() > 2 => {
                diagnostic.help(format!("the nearest bound variable is `{near}`"))
            }
            _ => with_relation(diagnostic, name, places, clauses, names),
        }
    }
}

/// The error for equations of which each waits for the next.
fn in_ring(var: VarId, used: Option<Span>, ring: &[(VarId, Span)], vars: &Vars) -> Diagnostic {
    let name = |(var, _): &(VarId, Span)| format!("`{}`", vars.name(*var));
    let names: Vec<_> = ring.iter().map(name).collect();
    let message = format!("unbound variable `{}`: its equations form a ring", vars.name(var));
    let mut diagnostic = Diagnostic::new(codes::UNBOUND, message);
    if let Some(span) = used {
        diagnostic = diagnostic.at(span, "used here");
    }
    let next = names.iter().cycle().skip(1);
    for ((name, next), (_, span)) in names.iter().zip(next).zip(ring).take(MOST_STEPS) {
        diagnostic = diagnostic.at(*span, format!("{name} needs {next}"));
    }
    let mut steps =
        names.iter().chain(names.first()).take(MOST_STEPS + 1).cloned().collect::<Vec<_>>().join(" needs ");
    if names.len() > MOST_STEPS {
        steps.push_str(&format!(", and so on: {} variables form the ring", names.len()));
    }
    diagnostic.note(steps).help("bind one of them by a positive atom")
}

/// Which kind of binding is missing.
fn missing_kind(places: &[(Span, Role)]) -> &'static str {
    if places.iter().all(|(_, role)| *role == Role::Negated) {
        "a negated atom binds no variables: it tests that a fact with known values is absent"
    } else {
        "bind it by a positive atom that has it as a term, or by `=` or `in` with a bound other side"
    }
}

/// Help that names inputs with a column called like the variable, or `_`.
fn with_relation(
    diagnostic: Diagnostic,
    name: &str,
    places: &[(Span, Role)],
    clauses: &[Clause<'_>],
    names: &Names,
) -> Diagnostic {
    let diagnostic = if places.iter().all(|(_, role)| *role == Role::Negated) {
        diagnostic.help("write `_` if no fact may match, whatever its value")
    } else {
        diagnostic
    };
    let refused = |at: usize| {
        clauses.iter().any(
            |clause| matches!(clause, Clause::Atom { negated: true, relation, .. } if relation.0 as usize == at),
        )
    };
    let column = snake(name);
    let holders: Vec<_> = names
        .relations
        .iter()
        .enumerate()
        .filter(|(at, entry)| entry.kind == Kind::Input && !refused(*at))
        .filter(|(_, entry)| entry.columns.iter().any(|slot| slot.name.as_str() == column))
        .take(3)
        .map(|(_, entry)| format!("`{}({column}: {name})`", entry.name))
        .collect();
    match holders.as_slice() {
        [] => diagnostic,
        _ => diagnostic.help(format!("{} would bind it", list(&holders, "or"))),
    }
}

/// `ToolName` as `tool_name`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && at > 0 && !out.ends_with('_') {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Reports the variables of a fact, which has no body to bind them.
pub(super) fn fact(rule: &Rule, sources: &Sources, out: &mut Vec<Diagnostic>) {
    for term in &rule.terms {
        for_each_use(term, sources, &mut |name, span| {
            let message = format!("unbound variable `{name}` in a fact");
            out.push(
                error(codes::VARIABLE_IN_FACT, message, span)
                    .help(format!("write a string (`\"{name}\"`), or give the rule a body: `:- …`")),
            );
        });
    }
}
