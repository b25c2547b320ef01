//! Typed expressions over the variables and parameters of a rule, and the one evaluator of their meaning.

use hence_core::fault::OrBroken;
use hence_core::index_vec::{Id, id};
use hence_core::span::Span;
use hence_core::value::{Type, Value, Word};

use super::op::Op;
use super::pattern::Pattern;

id! {
    /// A variable of a rule, by its place in the rule's table of variables.
    pub struct VarId(pub u32): "the number of a variable is that of one of its rule's variables";
}

id! {
    /// A parameter, by its place in the rule set's table of parameters.
    pub struct ParamId(pub u32): "the number of a parameter is that of one of its program's parameters";
}

/// A typed expression and its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Type,
    /// Its place in the text, for reports of undefined operations.
    pub span: Span,
}

/// The kinds of typed expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A literal.
    Const(Value),
    /// A variable.
    Var(VarId),
    /// A parameter; its value is the rule set's.
    Param(ParamId),
    /// An operation on the values of all its operands.
    Call(Op, Vec<Expr>),
    /// `matches(text, pattern)`.
    Matches(Box<Expr>, Pattern),
    /// `a and b`: false where either is false, undefined only where neither decides.
    And(Box<Expr>, Box<Expr>),
    /// `a or b`: true where either is true, undefined only where neither decides.
    Or(Box<Expr>, Box<Expr>),
    /// `if(condition, then, otherwise)`: only the branch taken is evaluated.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A value that isn't known; it has no result. No rule file can write it, [`crate::lower::unknown`] does.
    Unknown,
    /// Whether the operand has no result. No rule file can write it, [`crate::lower::unknown`] does.
    Undefined(Box<Expr>),
}

/// An undefined operation (division by zero, overflow, …), and its place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NoResult(pub Span);

impl Expr {
    /// The value under `vars` (by [`VarId`]) and `params` (by [`ParamId`]).
    ///
    /// # Errors
    /// The first undefined operation in the order of the text on which the value depends.
    pub fn eval(&self, vars: &[Word], params: &[Word]) -> Result<Word, NoResult> {
        match &self.kind {
            ExprKind::Const(value) => Ok(value.word()),
            ExprKind::Var(var) => Ok(*vars.get(var.at()).or_broken(VarId::INVARIANT)),
            ExprKind::Param(param) => Ok(*params.get(param.at()).or_broken(ParamId::INVARIANT)),
            ExprKind::Call(op, args) => self.call(*op, args, vars, params),
            ExprKind::Matches(text, pattern) => {
                let text = text.eval(vars, params)?.as_symbol();
                Ok(Word::from_bool(pattern.is_match(text.as_str())))
            }
            ExprKind::And(left, right) => decide(left, right, false, vars, params),
            ExprKind::Or(left, right) => decide(left, right, true, vars, params),
            ExprKind::If(condition, then, otherwise) => {
                let branch = if condition.eval(vars, params)?.as_bool() { then } else { otherwise };
                branch.eval(vars, params)
            }
            ExprKind::Unknown => Err(NoResult(self.span)),
            ExprKind::Undefined(operand) => Ok(Word::from_bool(operand.eval(vars, params).is_err())),
        }
    }

    /// The value under bindings that may leave other variables open.
    ///
    /// # Errors
    /// As [`Expr::eval`].
    pub fn eval_bound(&self, bindings: &[Option<Word>], params: &[Word]) -> Result<Word, NoResult> {
        self.check_bound(bindings);
        self.eval(&filled(bindings), params)
    }

    /// Asserts that the bindings hold every variable of the expression.
    pub fn check_bound(&self, bindings: &[Option<Word>]) {
        self.for_each_var(&mut |var| {
            let value = bindings.get(var.at()).or_broken(VarId::INVARIANT);
            value.or_broken("the variables of an expression are bound before it is evaluated");
        });
    }

    fn call(&self, op: Op, args: &[Expr], vars: &[Word], params: &[Word]) -> Result<Word, NoResult> {
        let words: smallvec::SmallVec<[Word; 4]> =
            args.iter().map(|arg| arg.eval(vars, params)).collect::<Result<_, _>>()?;
        op.apply(&words).ok_or(NoResult(self.span))
    }

    /// The expressions that it is made of, in the order of the text.
    pub fn parts(&self) -> smallvec::SmallVec<[&Self; 3]> {
        match &self.kind {
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Param(_) | ExprKind::Unknown => {
                smallvec::SmallVec::new()
            }
            ExprKind::Call(_, args) => args.iter().collect(),
            ExprKind::Matches(operand, _) | ExprKind::Undefined(operand) => smallvec::smallvec![&**operand],
            ExprKind::And(left, right) | ExprKind::Or(left, right) => smallvec::smallvec![&**left, &**right],
            ExprKind::If(condition, then, otherwise) => {
                smallvec::smallvec![&**condition, &**then, &**otherwise]
            }
        }
    }

    fn parts_mut(&mut self) -> smallvec::SmallVec<[&mut Self; 3]> {
        match &mut self.kind {
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Param(_) | ExprKind::Unknown => {
                smallvec::SmallVec::new()
            }
            ExprKind::Call(_, args) => args.iter_mut().collect(),
            ExprKind::Matches(text, _) | ExprKind::Undefined(text) => smallvec::smallvec![&mut **text],
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                smallvec::smallvec![&mut **left, &mut **right]
            }
            ExprKind::If(condition, then, otherwise) => {
                smallvec::smallvec![&mut **condition, &mut **then, &mut **otherwise]
            }
        }
    }

    /// The same with each variable replaced by what `with` gives for it, if anything.
    #[must_use]
    pub fn replaced(&self, with: &impl Fn(VarId) -> Option<Self>) -> Self {
        if let ExprKind::Var(var) = self.kind
            && let Some(other) = with(var)
        {
            return other;
        }
        let mut replaced = self.clone();
        replaced.parts_mut().into_iter().for_each(|part| *part = part.replaced(with));
        replaced
    }

    /// Whether it is a literal, a variable or a parameter.
    pub fn is_leaf(&self) -> bool {
        matches!(self.kind, ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Param(_))
    }

    /// Puts every part of it at no place, so that expressions which mean the same are equal.
    pub fn forget_places(&mut self) {
        self.span = Span::default();
        self.parts_mut().into_iter().for_each(Self::forget_places);
    }

    /// Calls `visit` with the expression and all that it is made of, in the order of the text.
    pub fn for_each(&self, visit: &mut impl FnMut(&Self)) {
        visit(self);
        self.parts().into_iter().for_each(|part| part.for_each(visit));
    }

    /// Calls `visit` with each variable of the expression, left to right, once for each occurrence.
    pub fn for_each_var(&self, visit: &mut impl FnMut(VarId)) {
        self.for_each(&mut |expr| {
            if let ExprKind::Var(var) = expr.kind {
                visit(var);
            }
        });
    }

    /// Whether the expression reads a parameter.
    pub fn reads_param(&self, param: ParamId) -> bool {
        self.kind == ExprKind::Param(param) || self.parts().into_iter().any(|part| part.reads_param(param))
    }

    /// Whether some operation of the expression may be undefined.
    pub fn may_fail(&self) -> bool {
        match &self.kind {
            ExprKind::Unknown => true,
            ExprKind::Undefined(_) => false,
            ExprKind::Call(op, _) if op.may_fail() => true,
            _ => self.parts().into_iter().any(Self::may_fail),
        }
    }
}

/// Bindings as [`Expr::eval`] takes them; what is open is read by no expression that [`Expr::check_bound`] accepts.
pub fn filled(bindings: &[Option<Word>]) -> Vec<Word> {
    bindings.iter().map(|value| value.unwrap_or(Word(0))).collect()
}

/// `and` (`deciding` is false) and `or` (`deciding` is true): a side that decides wins over an undefined one.
fn decide(
    left: &Expr,
    right: &Expr,
    deciding: bool,
    vars: &[Word],
    params: &[Word],
) -> Result<Word, NoResult> {
    let first = left.eval(vars, params);
    if first.is_ok_and(|word| word.as_bool() == deciding) {
        return first;
    }
    let second = right.eval(vars, params);
    if second.is_ok_and(|word| word.as_bool() == deciding) {
        return second;
    }
    first.and(second)
}
