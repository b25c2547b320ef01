//! Safety: every variable that is used is bound by a positive atom, or by `=` or `in` whose other side is bound.

use crate::builtins::expr::VarId;
use hence_core::diagnostic::{Diagnostic, nearest};
use hence_core::schema::Kind;
use hence_core::span::{Sources, Span};
use hence_syntax::tree::{Expr, Limit, Rule};

use super::bind::Bound;
use super::clause::Clause;
use super::codes;
use super::names::Names;
use super::prose::list;
use super::uses::{Vars, for_each_use};
use super::values::error;

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
        let mut open: Vec<VarId> = Vec::new();
        for (var, _, _) in &self.all {
            if !bound.has(*var) && !open.contains(var) {
                open.push(*var);
            }
        }
        let ring = ring(&open, clauses, vars);
        if let Some((first, _)) = ring.first() {
            out.push(self.in_ring(*first, &ring, vars));
        }
        let waits = |var: &&VarId| ring.iter().any(|(member, _)| member == *var);
        let follows = follows(&open, clauses, vars);
        for var in open.iter().filter(|var| !follows.contains(var) && !waits(var)) {
            out.push(self.unbound(*var, bound, clauses, vars, names));
        }
    }

    /// The error for equations of which each waits for the next.
    fn in_ring(&self, var: VarId, ring: &[(VarId, Span)], vars: &Vars) -> Diagnostic {
        let name = |(var, _): &(VarId, Span)| format!("`{}`", vars.name(*var));
        let names: Vec<_> = ring.iter().map(name).collect();
        let message = format!("unbound variable `{}`: its equations form a ring", vars.name(var));
        let first_use = self.all.iter().find(|(used, _, _)| *used == var).map(|(_, span, _)| *span);
        let mut diagnostic = Diagnostic::new(codes::UNBOUND, message);
        if let Some(span) = first_use {
            diagnostic = diagnostic.at(span, "used here");
        }
        let next = names.iter().cycle().skip(1);
        for ((name, next), (_, span)) in names.iter().zip(next).zip(ring).take(8) {
            diagnostic = diagnostic.at(*span, format!("{name} needs {next}"));
        }
        let steps = names.iter().chain(names.first()).cloned().collect::<Vec<_>>().join(" needs ");
        diagnostic.note(steps).help("bind one of them by a positive atom")
    }

    fn unbound(
        &self,
        var: VarId,
        bound: &Bound,
        clauses: &[Clause<'_>],
        vars: &Vars,
        names: &Names,
    ) -> Diagnostic {
        let name = vars.name(var).as_str();
        let places: Vec<_> = self.all.iter().filter(|(used, _, _)| *used == var).collect();
        let mut diagnostic = Diagnostic::new(codes::UNBOUND, format!("unbound variable `{name}`"));
        for (_, span, role) in places.iter().take(4) {
            diagnostic = diagnostic.at(*span, role.phrase());
        }
        if Some(var) == self.rank {
            return diagnostic.note("the rank is known only in the head, after the limit is applied");
        }
        let diagnostic = match equations(var, clauses, vars)
            .find(|(_, reads)| reads.iter().all(|read| *read != var))
        {
            Some((span, reads)) => {
                let missing: Vec<_> = reads
                    .iter()
                    .filter(|read| !bound.has(**read))
                    .map(|read| vars.name(*read))
                    .map(|name| format!("`{name}`"))
                    .collect();
                let verb = if missing.len() == 1 { "was" } else { "were" };
                diagnostic.at(span, format!("this would bind it if {} {verb} bound", list(&missing, "and")))
            }
            None => diagnostic.note(missing_kind(&places)),
        };
        let known = vars.names().iter().filter(|known| vars.get(**known).is_some_and(|var| bound.has(var)));
        match nearest(name, known.map(|known| known.as_str())) {
            Some(near) if name.len() > 2 => {
                diagnostic.help(format!("the nearest bound variable is `{near}`"))
            }
            _ => with_relation(diagnostic, name, &places, clauses, names),
        }
    }
}

/// The variables that would be bound if all others of `open` were.
fn follows(open: &[VarId], clauses: &[Clause<'_>], vars: &Vars) -> Vec<VarId> {
    let has_equation = |var: &VarId| equations(*var, clauses, vars).next().is_some();
    let mut known: Vec<_> = open.iter().copied().filter(|var| !has_equation(var)).collect();
    let roots = known.len();
    let mut grew = true;
    while grew {
        let fresh: Vec<_> = open
            .iter()
            .copied()
            .filter(|var| !known.contains(var))
            .filter(|var| {
                equations(*var, clauses, vars)
                    .any(|(_, reads)| reads.iter().all(|read| known.contains(read) || !open.contains(read)))
            })
            .collect();
        grew = !fresh.is_empty();
        known.extend(fresh);
    }
    known.split_off(roots)
}

/// Variables of which each has an equation that needs the next one, the last the first; empty where there are none.
fn ring(open: &[VarId], clauses: &[Clause<'_>], vars: &Vars) -> Vec<(VarId, Span)> {
    let needed = |var: VarId| {
        equations(var, clauses, vars).find_map(|(span, reads)| {
            reads.into_iter().find(|read| open.contains(read)).map(|read| (span, read))
        })
    };
    for start in open {
        let (mut path, mut at) = (Vec::new(), *start);
        while let Some((span, next)) = needed(at)
            && path.len() <= open.len()
        {
            path.push((at, span));
            at = next;
            if at == *start {
                return path;
            }
        }
    }
    Vec::new()
}

/// The literals that would bind `var`, with the variables that they read.
fn equations<'c>(
    var: VarId,
    clauses: &'c [Clause<'_>],
    vars: &'c Vars,
) -> impl Iterator<Item = (Span, Vec<VarId>)> + 'c {
    let ways = clauses.iter().flat_map(|clause| clause.ways(vars, &Sources::default()));
    ways.filter(move |way| way.var == var).map(|way| (way.span, way.reads))
}

/// Which kind of binding is missing.
fn missing_kind(places: &[&(VarId, Span, Role)]) -> &'static str {
    if places.iter().all(|(_, _, role)| *role == Role::Negated) {
        "a negated atom binds no variables: it tests that a fact with known values is absent"
    } else {
        "bind it by a positive atom that has it as a term, or by `=` or `in` with a bound other side"
    }
}

/// Help that names inputs with a column called like the variable, or `_`.
fn with_relation(
    diagnostic: Diagnostic,
    name: &str,
    places: &[&(VarId, Span, Role)],
    clauses: &[Clause<'_>],
    names: &Names,
) -> Diagnostic {
    let diagnostic = if places.iter().all(|(_, _, role)| *role == Role::Negated) {
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
