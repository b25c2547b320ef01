//! The places of the variables of expressions, the placeholders of `format` included.

use std::collections::HashMap;

use crate::builtins::expr::VarId;
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_syntax::tree::{BodyAggregate, Expr, ExprKind, Ident, Limit, Literal, Rule};

use super::names::{is_aggregate, is_function, is_generator};
use super::placeholder::{Piece, is_variable, pieces};

/// The variables of a rule in the order of their first place.
#[derive(Clone, Debug, Default)]
pub(super) struct Vars {
    names: Vec<Symbol>,
    ids: HashMap<Symbol, VarId>,
}

impl Vars {
    /// The variable called `name`, added where it is new.
    pub(super) fn add(&mut self, name: Symbol) -> VarId {
        *self.ids.entry(name).or_insert_with(|| {
            self.names.push(name);
            VarId(self.names.len() as u32 - 1)
        })
    }

    /// The variable called `name`.
    pub(super) fn get(&self, name: Symbol) -> Option<VarId> {
        self.ids.get(&name).copied()
    }

    /// The name of a variable.
    pub(super) fn name(&self, var: VarId) -> Symbol {
        *self.names.get(var.at()).or_broken(VarId::INVARIANT)
    }

    /// The names in order.
    pub(super) fn names(&self) -> &[Symbol] {
        &self.names
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The variables of a whole rule: head, body, limit.
    pub(super) fn of_rule(rule: &Rule, sources: &Sources) -> Self {
        let mut vars = Self::default();
        rule.terms.iter().for_each(|term| vars.add_all(term, sources));
        vars.add_body(&rule.body, sources);
        if let Some(limit) = &rule.limit {
            vars.add_limit(limit, sources);
        }
        vars
    }

    /// The variables of an aggregate's arguments and inner body.
    pub(super) fn of_aggregate(of: &BodyAggregate, sources: &Sources) -> Self {
        let mut vars = Self::default();
        of.args.iter().for_each(|arg| vars.add_all(arg, sources));
        vars.add_body(&of.body, sources);
        vars
    }

    /// The variables of a body alone.
    pub(super) fn of_body(body: &[Literal], sources: &Sources) -> Self {
        let mut vars = Self::default();
        vars.add_body(body, sources);
        vars
    }

    fn add_all(&mut self, expr: &Expr, sources: &Sources) {
        for_each_use(expr, sources, &mut |name, _| {
            self.add(name);
        });
    }

    fn add_body(&mut self, body: &[Literal], sources: &Sources) {
        body.iter().flat_map(Literal::exprs).for_each(|expr| self.add_all(expr, sources));
    }

    fn add_limit(&mut self, limit: &Limit, sources: &Sources) {
        self.add_all(&limit.count, sources);
        limit.per.iter().for_each(|ident| {
            self.add(ident.name);
        });
        limit.by.iter().for_each(|(key, _)| self.add_all(key, sources));
        if let Some(rank) = limit.rank {
            self.add(rank.name);
        }
    }
}

/// Calls `visit` with each use of a variable in the inner body and the arguments of an aggregate.
pub(super) fn for_each_inner_use(of: &BodyAggregate, sources: &Sources, visit: &mut dyn FnMut(Symbol, Span)) {
    // The parser refuses an aggregate inside another.
    let exprs = of.args.iter().chain(of.body.iter().flat_map(Literal::exprs));
    exprs.for_each(|expr| for_each_use(expr, sources, visit));
}

/// Calls `visit` with each use of a variable in `expr`, left to right.
pub(super) fn for_each_use(expr: &Expr, sources: &Sources, visit: &mut dyn FnMut(Symbol, Span)) {
    match &expr.kind {
        ExprKind::Variable(name) => visit(*name, expr.span),
        ExprKind::Unary(_, inner) => for_each_use(inner, sources, visit),
        ExprKind::Binary(_, left, right) | ExprKind::In(left, right) => {
            for_each_use(left, sources, visit);
            for_each_use(right, sources, visit);
        }
        ExprKind::Call(name, args) if name.name.as_str() == "format" => {
            args.iter().for_each(|arg| placeholders(arg, sources, visit));
        }
        // The variables of a body that was written as the term of an aggregate are its own.
        ExprKind::Call(name, args) if over_relation(*name, args).is_some() => {}
        ExprKind::List(args) | ExprKind::Call(_, args) => {
            args.iter().for_each(|arg| for_each_use(arg, sources, visit))
        }
        ExprKind::Wildcard | ExprKind::Literal(_) | ExprKind::Ident(_) | ExprKind::Error => {}
    }
}

/// The atom of `max(p(Y))`: its relation and its terms.
pub(super) fn over_relation(aggregate: Ident, args: &[Expr]) -> Option<(Ident, &[Expr])> {
    let [Expr { kind: ExprKind::Call(relation, terms), .. }] = args else { return None };
    let name = relation.name.as_str();
    let is_value = is_function(name) || is_aggregate(name) || is_generator(name) || name == "if";
    (is_aggregate(aggregate.name.as_str()) && !is_value).then_some((*relation, terms))
}

fn placeholders(arg: &Expr, sources: &Sources, visit: &mut dyn FnMut(Symbol, Span)) {
    let ExprKind::Literal(Value::String(text)) = arg.kind else {
        return for_each_use(arg, sources, visit);
    };
    for piece in pieces(text.as_str(), arg.span, sources).0 {
        if let Piece::Hole(name, _, span) = piece
            && is_variable(name)
        {
            visit(name, span);
        }
    }
}

/// How many operations and operands an expression has.
pub(super) fn size(expr: &Expr) -> usize {
    match &expr.kind {
        ExprKind::Unary(_, inner) => 1 + size(inner),
        ExprKind::Binary(_, left, right) | ExprKind::In(left, right) => 1 + size(left) + size(right),
        ExprKind::List(args) | ExprKind::Call(_, args) => 1 + args.iter().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// The variable that an expression consists of.
pub(super) fn lone(expr: &Expr, vars: &Vars) -> Option<VarId> {
    match expr.kind {
        ExprKind::Variable(name) => vars.get(name),
        _ => None,
    }
}

/// Whether this is `[]`, which has no type to give to a variable.
pub(super) fn is_empty_list(right: &Expr) -> bool {
    matches!(&right.kind, ExprKind::List(elements) if elements.is_empty())
}
