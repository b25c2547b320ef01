//! Types of expressions: from a written expression to one whose every operation is resolved.

use std::sync::Arc;

use crate::builtins::expr::{Expr, ExprKind, ParamId, VarId};
use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::index_vec::{Id, IndexVec};
use hence_core::schema::{ColumnType, NameSet};
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_syntax::tree::{self, BinaryOp, UnaryOp};

use super::codes;
use super::declare::unknown_param;
use super::names::{Names, is_aggregate, is_function, is_generator};
use super::prose::a;
use super::uses::{Vars, for_each_use, over_relation};
use super::values::{error, negated, outside};

/// What is known of a variable's type, and where from.
#[derive(Clone, Debug, Default)]
pub(super) struct VarType {
    pub(super) ty: Option<ColumnType>,
    pub(super) origin: Span,
}

/// Types the expressions of one rule. `None` as the type of an expression means that nothing more is to be said:
/// it was reported, or depends on something that was.
pub(super) struct Typer<'a> {
    pub(super) names: &'a Names,
    pub(super) sources: &'a Sources,
    pub(super) vars: &'a Vars,
    pub(super) known: IndexVec<VarId, VarType>,
    pub(super) out: Vec<Diagnostic>,
    /// Whether something was met that was reported elsewhere.
    pub(super) poisoned: bool,
}

impl<'a> Typer<'a> {
    /// A typer that knows nothing yet of the types of `vars`.
    pub(super) fn new(names: &'a Names, sources: &'a Sources, vars: &'a Vars) -> Self {
        Self {
            names,
            sources,
            vars,
            known: IndexVec::filled(VarType::default(), vars.len()),
            out: Vec::new(),
            poisoned: false,
        }
    }

    /// What is known of a variable.
    pub(super) fn known(&self, var: VarId) -> &VarType {
        &self.known[var]
    }

    /// The typed form of `written`.
    pub(super) fn expr(&mut self, written: &tree::Expr) -> Option<Expr> {
        let span = written.span;
        match &written.kind {
            tree::ExprKind::Wildcard => self.fail(
                error(codes::WILDCARD_VALUE, "`_` is anonymous and has no value", span)
                    .help("name the variable and bind it in the body"),
            ),
            tree::ExprKind::Variable(name) => self.variable(*name, span),
            tree::ExprKind::Literal(value) => Some(constant(*value, span)),
            tree::ExprKind::Ident(name) => self.scalar_param(*name, span),
            tree::ExprKind::Unary(UnaryOp::Negate, inner) => self.negate(inner, span),
            tree::ExprKind::Unary(UnaryOp::Not, inner) => {
                let inner = self.bool(inner)?;
                self.operation("not", vec![inner], span)
            }
            tree::ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span),
            tree::ExprKind::Call(name, args) => self.call(*name, args, span),
            tree::ExprKind::List(_) => {
                let diagnostic = error(codes::MISPLACED_LIST, "a list is no term", span);
                self.fail(diagnostic.help("bind its elements in the body: `X in […]`"))
            }
            tree::ExprKind::In(left, right) => {
                let left = self.expr(left)?;
                self.membership(left, right, span)
            }
            tree::ExprKind::Error => self.poison(),
        }
    }

    /// Reports and gives nothing.
    pub(super) fn fail<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.out.push(diagnostic);
        None
    }

    /// Gives nothing for something that was reported elsewhere.
    pub(super) fn poison<T>(&mut self) -> Option<T> {
        self.poisoned = true;
        None
    }

    /// The variable called `name` as an expression.
    pub(super) fn variable(&mut self, name: Symbol, span: Span) -> Option<Expr> {
        let var = self.vars.get(name)?;
        let ty = self.known(var).ty.as_ref()?.ty;
        Some(Expr { kind: ExprKind::Var(var), ty, span })
    }

    /// The parameter called `name` as an expression.
    pub(super) fn param(&mut self, name: Symbol, span: Span) -> Option<Expr> {
        if let Some((id, param)) = self.names.param(name) {
            return Some(Expr { kind: ExprKind::Param(id), ty: param.ty.ty, span });
        }
        if self.names.broken_params.contains(&name) {
            return self.poison();
        }
        if self.names.relation(name).is_some() {
            let message = format!("the relation `{name}` has no parentheses");
            let fault = error(codes::RELATION_AS_VALUE, message, span);
            let has_columns = self.names.find(name).is_some_and(|(_, entry)| !entry.columns.is_empty());
            return self.fail(fault.help(match has_columns {
                true => format!(
                    "write `{name}(…)` as a literal of the body, or `count {{ {name}(…) }}` for the number of its facts"
                ),
                false => format!("write `{name}()` as a literal of the body"),
            }));
        }
        let diagnostic = unknown_param(self.names, name).at(span, "");
        self.fail(if diagnostic.help.is_empty() {
            diagnostic.help(format!(
                "a variable starts with an upper-case letter, a name with a slash (`/{name}`), and a string \
                 is in quotes (`\"{name}\"`)"
            ))
        } else {
            diagnostic
        })
    }

    fn negate(&mut self, inner: &tree::Expr, span: Span) -> Option<Expr> {
        let inner = self.expr(inner)?;
        if let ExprKind::Const(value) = inner.kind
            && let Some(value) = negated(value)
        {
            return Some(constant(value, span));
        }
        self.operation("-", vec![inner], span)
    }

    fn binary(&mut self, op: BinaryOp, left: &tree::Expr, right: &tree::Expr, span: Span) -> Option<Expr> {
        if let BinaryOp::And | BinaryOp::Or = op {
            let (left, right) = (self.bool(left), self.bool(right));
            let (left, right) = (Box::new(left?), Box::new(right?));
            let kind =
                if op == BinaryOp::And { ExprKind::And(left, right) } else { ExprKind::Or(left, right) };
            return Some(Expr { kind, ty: Type::Bool, span });
        }
        let (left, right) = (self.expr(left), self.expr(right));
        let (left, right) = (left?, right?);
        if let BinaryOp::Equal | BinaryOp::NotEqual = op {
            self.comparable(&left, &right)?;
        }
        self.operation(op.symbol(), vec![left, right], span)
    }

    /// An expression that must be a bool.
    pub(super) fn bool(&mut self, written: &tree::Expr) -> Option<Expr> {
        let expr = self.expr(written)?;
        if expr.ty == Type::Bool {
            return Some(expr);
        }
        let text = self.sources.slice(expr.span);
        let message = format!("expected a condition, but `{text}` is {}", a(expr.ty));
        let diagnostic = error(codes::NOT_BOOL, message, expr.span);
        self.fail(diagnostic.help(format!("compare it with something: `{text} = …`, `{text} > …`")))
    }

    /// Whether the sides of an `=` may ever be equal, as far as closed sets tell.
    pub(super) fn comparable(&mut self, left: &Expr, right: &Expr) -> Option<()> {
        let sets = (self.set_of(left), self.set_of(right));
        match sets {
            (Some(set), None) => self.within(right, &set, self.place(left)),
            (None, Some(set)) => self.within(left, &set, self.place(right)),
            (Some(a), Some(b)) if disjoint(&a, &b) => {
                let diagnostic = disjoint_sets(left.span.to(right.span), &a, &b);
                self.fail(diagnostic)
            }
            _ => Some(()),
        }
    }

    fn place(&self, expr: &Expr) -> String {
        format!("`{}`", self.sources.slice(expr.span))
    }

    /// Whether each name that `expr` may be as written is in `set`.
    pub(super) fn within(&mut self, expr: &Expr, set: &Arc<NameSet>, place: String) -> Option<()> {
        match &expr.kind {
            ExprKind::Const(Value::Name(name)) if !set.members.contains(name) => {
                let diagnostic = outside(*name, set, &place).at(expr.span, "");
                self.fail(diagnostic)
            }
            ExprKind::If(_, then, otherwise) => {
                let then = self.within(then, set, place.clone());
                self.within(otherwise, set, place).and(then)
            }
            _ => match self.set_of(expr) {
                Some(other) if disjoint(set, &other) => {
                    let diagnostic = disjoint_sets(expr.span, &other, set);
                    self.fail(diagnostic)
                }
                _ => Some(()),
            },
        }
    }

    /// The closed set that the value of an expression is known to be of.
    pub(super) fn set_of(&self, expr: &Expr) -> Option<Arc<NameSet>> {
        match &expr.kind {
            ExprKind::Var(var) => self.known(*var).ty.as_ref()?.set.clone(),
            ExprKind::Param(param) => {
                self.names.params.get(param.at()).or_broken(ParamId::INVARIANT).ty.set.clone()
            }
            ExprKind::If(_, then, otherwise) => {
                let (then, otherwise) = (self.set_of(then)?, self.set_of(otherwise)?);
                (then.members == otherwise.members).then_some(then)
            }
            _ => None,
        }
    }

    /// The type of an expression with its closed set.
    pub(super) fn column_type(&self, expr: &Expr) -> ColumnType {
        ColumnType { ty: expr.ty, set: self.set_of(expr) }
    }

    fn call(&mut self, name: tree::Ident, args: &[tree::Expr], span: Span) -> Option<Expr> {
        match name.name.as_str() {
            "if" => self.choice(name, args, span),
            "matches" => self.matches(name, args, span),
            "replace_all" => self.replace_all(name, args, span),
            "format" => self.format(name, args, span),
            word if is_aggregate(word) && (!is_function(word) || args.len() == 1) => {
                self.misplaced_aggregate(name, args)
            }
            word if is_generator(word) => self.fail(
                error(codes::MISPLACED_GENERATOR, format!("`{word}` is a generator, not a value"), name.span)
                    .help(format!("bind its elements to a variable in the body: `X in {word}(…)`")),
            ),
            word if is_function(word) => {
                let args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
                let args = args.into_iter().collect::<Option<Vec<_>>>()?;
                self.operation(word, args, span)
            }
            _ => self.unknown_function(name),
        }
    }

    /// `max(p(T, Y))` as `max(Y) { p(T, Y) }`: the value is the last variable.
    fn in_braces(&self, name: tree::Ident, args: &[tree::Expr], terms: &[tree::Expr]) -> String {
        let mut last = None;
        for term in terms {
            for_each_use(term, self.sources, &mut |variable, _| last = Some(variable));
        }
        let body = args.first().map_or("", |atom| self.sources.slice(atom.span));
        match last.filter(|_| name.name.as_str() != "count") {
            Some(value) => format!("{}({value}) {{ {body} }}", name.name),
            None => format!("{} {{ {body} }}", name.name),
        }
    }

    fn misplaced_aggregate(&mut self, name: tree::Ident, args: &[tree::Expr]) -> Option<Expr> {
        let message = format!("the aggregate `{}` is not a whole column of a head", name.name);
        if let Some((relation, terms)) = over_relation(name, args)
            && self.names.relation(relation.name).is_some()
        {
            let form = self.in_braces(name, args, terms);
            let help = format!("write its body in braces, as the right side of `=`: `{form}`");
            return self.fail(error(codes::MISPLACED_AGGREGATE, message, name.span).help(help));
        }
        self.fail(error(codes::MISPLACED_AGGREGATE, message, name.span).help(format!(
            "move it into a relation of its own, `NAME(GROUP, {}(…)) :- …`, and use that relation's column here",
            name.name
        )))
    }
}

/// A literal as an expression.
pub(super) fn constant(value: Value, span: Span) -> Expr {
    Expr { kind: ExprKind::Const(value), ty: value.ty(), span }
}

fn disjoint(a: &NameSet, b: &NameSet) -> bool {
    !a.members.iter().any(|member| b.members.contains(member))
}

/// The error for a value that would have to be of two sets without a common member.
pub(super) fn disjoint_sets(span: Span, found: &Arc<NameSet>, wanted: &Arc<NameSet>) -> Diagnostic {
    let show = |set: &Arc<NameSet>| ColumnType { ty: Type::Name, set: Some(Arc::clone(set)) }.to_string();
    let message = format!("`{}` and `{}` have no name in common", show(found), show(wanted));
    error(codes::DISJOINT_SETS, message, span)
}
