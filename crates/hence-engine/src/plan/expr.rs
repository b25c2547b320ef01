//! Expressions over the frame of a plan: variables first, then the constants and parameters that the plan uses.

use crate::plan::frame::{Frame, Slot};
use hence_core::fault::OrBroken;
use hence_core::index_vec::{Id, IndexSlice};
use hence_core::span::Span;
use hence_core::value::Word;
use hence_lang::builtins::expr::{Expr, ExprKind, NoResult, ParamId};
use hence_lang::builtins::op::Op;
use smallvec::SmallVec;

/// A compiled expression.
#[derive(Clone, Debug)]
pub(crate) enum CompiledExpr {
    /// A word of the frame.
    Slot(Slot),
    /// A parameter that moves.
    Param(ParamId),
    /// An operation with one operand.
    One(Op, Span, Box<CompiledExpr>),
    /// An operation on two words of the frame.
    Flat(Op, Span, Slot, Slot),
    /// An operation with two operands.
    Two(Op, Span, Box<[CompiledExpr; 2]>),
    /// Everything else, as the shared evaluator has it.
    Whole(Box<Expr>),
}

impl CompiledExpr {
    /// The code of an expression; its constants go into the frame.
    pub(crate) fn new(expr: &Expr, frame: &mut Frame) -> Self {
        match &expr.kind {
            ExprKind::Var(var) => Self::Slot((*var).into()),
            ExprKind::Const(value) => Self::Slot(frame.constant(value.word())),
            ExprKind::Param(param) if frame.moves(*param) => Self::Param(*param),
            ExprKind::Param(param) => Self::Slot(frame.param(*param)),
            ExprKind::Call(op, args) => match args.as_slice() {
                [a] => Self::One(*op, expr.span, Box::new(Self::new(a, frame))),
                [a, b] => match (Self::new(a, frame), Self::new(b, frame)) {
                    (Self::Slot(a), Self::Slot(b)) => Self::Flat(*op, expr.span, a, b),
                    (a, b) => Self::Two(*op, expr.span, Box::new([a, b])),
                },
                _ => Self::Whole(Box::new(expr.clone())),
            },
            _ => Self::Whole(Box::new(expr.clone())),
        }
    }

    /// Visits the slots of the frame that it reads.
    pub(crate) fn for_each_slot(&self, visit: &mut impl FnMut(Slot)) {
        match self {
            Self::Slot(slot) => visit(*slot),
            Self::Param(_) => {}
            Self::One(_, _, a) => a.for_each_slot(visit),
            Self::Flat(_, _, a, b) => [*a, *b].into_iter().for_each(visit),
            Self::Two(_, _, both) => both.iter().for_each(|code| code.for_each_slot(visit)),
            Self::Whole(expr) => expr.for_each_var(&mut |var| visit(var.into())),
        }
    }

    /// The value over a frame.
    #[inline]
    pub(crate) fn eval(&self, frame: IndexSlice<'_, Slot, Word>, params: &[Word]) -> Result<Word, NoResult> {
        match self {
            Self::Slot(slot) => Ok(frame[*slot]),
            Self::Flat(op, span, a, b) => op.apply_two(frame[*a], frame[*b]).ok_or(NoResult(*span)),
            other => other.eval_nested(frame, params),
        }
    }

    fn eval_nested(&self, frame: IndexSlice<'_, Slot, Word>, params: &[Word]) -> Result<Word, NoResult> {
        match self {
            Self::One(op, span, a) => op.apply(&[a.eval(frame, params)?]).ok_or(NoResult(*span)),
            Self::Two(op, span, both) => {
                let [a, b] = &**both;
                let words = [a.eval(frame, params)?, b.eval(frame, params)?];
                op.apply(&words).ok_or(NoResult(*span))
            }
            Self::Param(param) => Ok(*params.get(param.at()).or_broken(ParamId::INVARIANT)),
            Self::Whole(expr) => expr.eval(frame.as_slice(), params),
            flat => flat.eval(frame, params),
        }
    }
}

/// The values of the arguments of a generator.
pub(crate) type Words = SmallVec<[Word; 4]>;

/// The values of expressions over a frame.
pub(crate) fn eval_all(
    exprs: &[CompiledExpr],
    frame: IndexSlice<'_, Slot, Word>,
    params: &[Word],
) -> Result<Words, NoResult> {
    exprs.iter().map(|expr| expr.eval(frame, params)).collect()
}
