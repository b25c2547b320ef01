//! A rule as workers share it.

use std::sync::Arc;

use hence_core::span::Span;
use hence_core::value::{Type, Word};
use hence_lang::builtins::expr::Expr;
use hence_lang::builtins::generator::Generator;
use hence_lang::ir::{Literal, Program, Rule, Term};

use crate::cell::Cell;
use crate::order::order;

/// What a rule is rendered with.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) rule: Arc<Rule>,
    pub(crate) params: Arc<Vec<Word>>,
    /// The types of the columns of the head.
    pub(crate) types: Arc<Vec<Type>>,
    /// The literals of the body in the order in which they are joined.
    pub(crate) order: Arc<Vec<usize>>,
    /// Whether some operation may have no result.
    pub(crate) reports: bool,
    /// The most elements of a range.
    pub(crate) most: u64,
    /// The places of all operations, in the order of the text: those of one text are the same in every process.
    operations: Arc<Vec<Span>>,
}

impl Context {
    /// What stands for an operation where a range has more elements than are allowed.
    pub(crate) const TOO_MANY: Cell = Cell::Plain(u64::MAX);

    pub(crate) fn new(program: &Program, rule: &Rule, params: &Arc<Vec<Word>>, most: u64) -> Self {
        let mut context = Self {
            params: Arc::clone(params),
            types: Arc::new(program[rule.head].types().collect()),
            order: Arc::new(order(rule)),
            reports: false,
            most,
            operations: Arc::new(operations(rule)),
            rule: Arc::new(rule.clone()),
        };
        context.reports =
            rule.body.iter().any(|literal| context.may_fail(literal)) || context.head_may_fail();
        context
    }

    /// How many variables the rule has.
    pub(crate) fn width(&self) -> usize {
        self.rule.variables.len()
    }

    /// Whether a literal may leave matches without a result.
    pub(crate) fn may_fail(&self, literal: &Literal) -> bool {
        literal.may_fail() || matches!(literal, Literal::Each { generator: Generator::Range, .. })
    }

    /// Whether an expression of the head or of the limit may have no result.
    pub(crate) fn head_may_fail(&self) -> bool {
        let limit = self.rule.limit.iter().flat_map(|limit| limit.keys().chain([&limit.count]));
        self.rule.head_exprs().chain(limit).any(Expr::may_fail)
    }

    /// An operation as workers tell it.
    pub(crate) fn operation(&self, span: Span) -> Cell {
        let at = self.operations.iter().position(|known| *known == span).unwrap_or_default();
        Cell::Plain(at as u64)
    }

    /// The place of an operation that workers tell.
    pub(crate) fn place(&self, operation: Cell) -> Option<Span> {
        self.operations.get(usize::try_from(operation.word().0).ok()?).copied()
    }
}

fn operations(rule: &Rule) -> Vec<Span> {
    let mut places = Vec::new();
    let mut note = |expr: &Expr| places.push(expr.span);
    rule.body.iter().flat_map(Literal::exprs).for_each(|expr| expr.for_each(&mut note));
    rule.head_exprs().for_each(|expr| expr.for_each(&mut note));
    let limit = rule.limit.iter().flat_map(|limit| limit.keys().chain([&limit.count]));
    limit.for_each(|expr| expr.for_each(&mut note));
    places.extend(rule.terms.iter().filter_map(|term| match term {
        Term::Aggregate { span, .. } => Some(*span),
        Term::Expr(_) => None,
    }));
    places
}
