//! Bodies without expressions inside atoms: each gets a variable of its own.

use crate::analysis::checked::{self, Aggregated};
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::generator::Generator;
use crate::builtins::op::Op;
use crate::builtins::term::Variable;
use crate::ir::{Arg, Atom, Literal};
use hence_core::fault::OrBroken;
use hence_core::schema::{ColumnType, RelationId};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::Type;

use super::aggregate::Values;
use super::order::{Late, late};

/// The body and the variables of a rule, with those that were made here after the others.
///
/// `p(X + 1)` becomes `$1 = X + 1, p($1)`, so that an engine can look the value up; where `X` is bound only by what
/// is looked up, as in `p(X, X + 1)`, it becomes `p(X, $1), $1 = X + 1`, a test.
///
/// An aggregate with a body of its own becomes an atom of a relation that holds its values: see [`Values`].
pub(super) fn flatten<'a>(
    body: &'a [checked::Literal],
    variables: &[Variable],
    values: &mut Values<'a>,
) -> (Vec<Literal>, Vec<Variable>) {
    let mut flat = Flat { literals: Vec::new(), variables: variables.to_vec(), late: late(body), values };
    body.iter().enumerate().for_each(|(at, literal)| flat.literal(at, literal));
    (flat.literals, flat.variables)
}

/// A body that is being flattened.
struct Flat<'a, 'v> {
    literals: Vec<Literal>,
    variables: Vec<Variable>,
    late: Late,
    values: &'v mut Values<'a>,
}

impl<'a> Flat<'a, '_> {
    fn literal(&mut self, at: usize, literal: &'a checked::Literal) {
        match literal {
            checked::Literal::Atom { negated, relation, args, span } => {
                self.atom(at, *negated, *relation, args, *span);
            }
            checked::Literal::Bind { var, expr, span } => {
                self.literals.push(Literal::Bind { var: *var, expr: expr.clone(), span: *span });
            }
            checked::Literal::Test { expr, span } => {
                self.literals.push(Literal::Test { expr: expr.clone(), span: *span });
            }
            checked::Literal::Aggregate(of) => self.aggregate(of),
            checked::Literal::Each { var, bound, generator, args, span } => {
                self.each(*var, *bound, generator, args, *span);
            }
        }
    }

    fn atom(&mut self, at: usize, negated: bool, relation: RelationId, args: &[checked::Arg], span: Span) {
        let mut tests = Vec::new();
        let mut flat = Vec::with_capacity(args.len());
        for (column, arg) in args.iter().enumerate() {
            flat.push(match arg {
                checked::Arg::Any => Arg::Any,
                checked::Arg::Expr(expr) => match expr.kind {
                    ExprKind::Const(value) => Arg::Const(value),
                    ExprKind::Var(var) => Arg::Var(var),
                    ExprKind::Param(param) => Arg::Param(param),
                    _ => {
                        let var = make(&mut self.variables, expr.ty);
                        if self.late.contains(&(at, column)) {
                            tests.push(equal(read(var, expr.ty, expr.span), expr.clone(), expr.span));
                        } else {
                            self.literals.push(Literal::Bind { var, expr: expr.clone(), span: expr.span });
                        }
                        Arg::Var(var)
                    }
                },
            });
        }
        let atom = Atom { relation, args: flat, span };
        self.literals.push(if negated { Literal::Not(atom) } else { Literal::Atom(atom) });
        self.literals.append(&mut tests);
    }

    /// `N = count { … }` as `?count(G, N)`, where `G` is the group; what is no variable of its own is compared.
    fn aggregate(&mut self, of: &'a Aggregated) {
        let value = of.binds.unwrap_or_else(|| make(&mut self.variables, of.ty.ty));
        let group = of.shared.iter().map(|(rule, _)| Arg::Var(*rule));
        let args = group.chain([Arg::Var(value)]).collect();
        let relation = self.values.relation(of, value, &self.variables);
        self.literals.push(Literal::Atom(Atom { relation, args, span: of.span }));
        if of.binds.is_none() {
            self.literals.push(equal(of.target.clone(), read(value, of.ty.ty, of.span), of.span));
        }
    }

    /// `X in g` where something else binds `X`: a new variable runs over the elements and must equal `X`; for a
    /// range two comparisons do, however long it is.
    fn each(&mut self, var: VarId, bound: bool, generator: &Generator, args: &[Expr], span: Span) {
        if let (true, Generator::Range, [from, to]) = (bound, generator, args) {
            return self.between(var, from, to, span);
        }
        let ty = generator.element();
        let element = if bound { make(&mut self.variables, ty) } else { var };
        self.literals.push(Literal::Each {
            var: element,
            generator: generator.clone(),
            args: args.to_vec(),
            span,
        });
        if bound {
            self.literals.push(equal(read(var, ty, span), read(element, ty, span), span));
        }
    }

    /// `from <= X`, `X < to`; both ends are computed before, so that neither comparison hides the other's end.
    fn between(&mut self, var: VarId, from: &Expr, to: &Expr, span: Span) {
        let (from, to) = (self.computed(from), self.computed(to));
        let compare = |op, end| {
            let kind = ExprKind::Call(op, vec![read(var, Type::Int, span), end]);
            Expr { kind, ty: Type::Bool, span }
        };
        let both = (compare(Op::GreaterEqual, from), compare(Op::Less, to));
        let kind = ExprKind::And(Box::new(both.0), Box::new(both.1));
        self.literals.push(Literal::Test { expr: Expr { kind, ty: Type::Bool, span }, span });
    }

    /// The expression, or a new variable that holds its value.
    fn computed(&mut self, expr: &Expr) -> Expr {
        if matches!(expr.kind, ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Param(_)) {
            return expr.clone();
        }
        let var = make(&mut self.variables, expr.ty);
        self.literals.push(Literal::Bind { var, expr: expr.clone(), span: expr.span });
        read(var, expr.ty, expr.span)
    }
}

/// A new variable.
pub(super) fn make(variables: &mut Vec<Variable>, ty: Type) -> VarId {
    let is_made = |variable: &&Variable| variable.name.as_str().starts_with(|c: char| c.is_ascii_digit());
    // Made variables are at the end, so the last one says how many there are.
    let number = |made: &Variable| {
        let number = made.name.as_str().parse::<u32>().ok();
        number.or_broken("variables that are made here are called by numbers")
    };
    let last = variables.last().filter(is_made).map_or(0, number);
    let name = Symbol::new(&last.saturating_add(1).to_string());
    variables.push(Variable { name, ty: ColumnType::plain(ty) });
    VarId(variables.len() as u32 - 1)
}

/// The value of a variable.
pub(super) fn read(var: VarId, ty: Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Var(var), ty, span }
}

/// The test that two values are the same.
pub(super) fn equal(left: Expr, right: Expr, span: Span) -> Literal {
    let kind = ExprKind::Call(Op::Equal, vec![left, right]);
    Literal::Test { expr: Expr { kind, ty: Type::Bool, span }, span }
}
