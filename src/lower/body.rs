//! Bodies without expressions inside atoms: each gets a variable of its own that a bind gives its value.

use crate::analysis::checked;
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::generator::Generator;
use crate::builtins::op::Op;
use crate::builtins::term::Variable;
use crate::ir::{Arg, Atom, Literal};
use crate::schema::{ColumnType, RelationId};
use crate::span::Span;
use crate::symbol::Symbol;
use crate::value::Type;

/// The body and the variables of a rule, with those that were made here behind the others.
pub(super) fn flatten(body: &[checked::Literal], variables: &[Variable]) -> (Vec<Literal>, Vec<Variable>) {
    let mut flat = Flat::new(variables);
    body.iter().for_each(|literal| flat.literal(literal));
    flat.finish()
}

/// A body on its way.
pub(super) struct Flat {
    literals: Vec<Literal>,
    variables: Vec<Variable>,
    made: usize,
}

impl Flat {
    pub(super) fn new(variables: &[Variable]) -> Self {
        Self { literals: Vec::new(), variables: variables.to_vec(), made: 0 }
    }

    pub(super) fn finish(self) -> (Vec<Literal>, Vec<Variable>) {
        (self.literals, self.variables)
    }

    pub(super) fn literal(&mut self, literal: &checked::Literal) {
        match literal {
            checked::Literal::Atom { negated, relation, args, span } => {
                self.atom(*negated, *relation, args, *span);
            }
            checked::Literal::Bind { var, expr, span } => {
                self.push(Literal::Bind { var: *var, expr: expr.clone(), span: *span });
            }
            checked::Literal::Test { expr, span } => {
                self.push(Literal::Test { expr: expr.clone(), span: *span });
            }
            checked::Literal::Each { var, bound, generator, args, span } => {
                self.each(*var, *bound, generator, args, *span);
            }
        }
    }

    fn atom(&mut self, negated: bool, relation: RelationId, args: &[checked::Arg], span: Span) {
        let args = args.iter().map(|arg| self.arg(arg)).collect();
        let atom = Atom { relation, args, span };
        self.push(if negated { Literal::Not(atom) } else { Literal::Atom(atom) });
    }

    fn arg(&mut self, arg: &checked::Arg) -> Arg {
        let checked::Arg::Expr(expr) = arg else { return Arg::Any };
        match expr.kind {
            ExprKind::Const(value) => Arg::Const(value),
            ExprKind::Var(var) => Arg::Var(var),
            ExprKind::Param(param) => Arg::Param(param),
            _ => {
                let var = self.make(expr.ty);
                self.push(Literal::Bind { var, expr: expr.clone(), span: expr.span });
                Arg::Var(var)
            }
        }
    }

    /// `X in g` where something else binds `X`: a new variable runs over the elements and must equal `X`.
    fn each(&mut self, var: VarId, bound: bool, generator: &Generator, args: &[Expr], span: Span) {
        let element = if bound { self.make(generator.element()) } else { var };
        self.push(Literal::Each { var: element, generator: generator.clone(), args: args.to_vec(), span });
        if bound {
            let ty = generator.element();
            let sides = [var, element].map(|var| Expr { kind: ExprKind::Var(var), ty, span });
            let kind = ExprKind::Call(Op::Equal, sides.to_vec());
            self.push(Literal::Test { expr: Expr { kind, ty: Type::Bool, span }, span });
        }
    }

    pub(super) fn push(&mut self, literal: Literal) {
        self.literals.push(literal);
    }

    /// A new variable.
    pub(super) fn make(&mut self, ty: Type) -> VarId {
        self.made += 1;
        let name = Symbol::new(&self.made.to_string());
        self.variables.push(Variable { name, ty: ColumnType::plain(ty) });
        VarId(self.variables.len() as u32 - 1)
    }
}
