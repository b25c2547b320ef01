//! Expressions as Rust functions over words: three-valued where an operation may have no result.

use std::collections::HashMap;

use hence_core::fault::OrBroken;
use hence_core::value::{Type, Value};
use hence_lang::builtins::expr::{Expr, ExprKind, ParamId, VarId};
use hence_lang::builtins::op::Op;
use hence_lang::ir::{Program, Rule};

use super::names;
use super::operations::operations;
use super::text::{Constants, item};

/// The context of a call, which decides how it is given its arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a rule of a `crepe!` program, among its variables.
    Crepe,
    /// In a function over a match.
    Match,
}

/// An expression that can be called for.
pub(super) struct Called {
    /// What calls it.
    pub(super) text: String,
    /// Whether it gives an `Eval`, not a `Word`.
    pub(super) fallible: bool,
}

/// Writes the functions of one rule.
pub(super) struct Expressions<'a> {
    program: &'a Program,
    rule: &'a Rule,
    number: u32,
    /// The places of operations, by their addresses.
    places: HashMap<usize, u32>,
    /// The functions made so far, by the address of their expressions.
    made: HashMap<usize, String>,
    /// Their text.
    pub(super) out: String,
}

impl<'a> Expressions<'a> {
    /// No functions yet.
    pub(super) fn new(program: &'a Program, rule: &'a Rule, number: u32) -> Self {
        let places = operations(rule).into_iter().zip(0..).map(|(one, at)| (one.address, at)).collect();
        Self { program, rule, number, places, made: HashMap::new(), out: String::new() }
    }

    /// What calls for the value of `expr`; functions that it needs are written.
    pub(super) fn call(&mut self, expr: &'a Expr, place: Place, constants: &mut Constants) -> Called {
        if let Some(text) = self.leaf(expr, place, constants) {
            return Called { text, fallible: false };
        }
        let name = self.function(expr, constants);
        let args: Vec<String> = leaves(expr).into_iter().map(|leaf| self.argument(leaf, place)).collect();
        Called { text: format!("{name}({})", args.join(", ")), fallible: expr.may_fail() }
    }

    /// What calls for the value of `expr` as an `Eval`.
    pub(super) fn call_eval(&mut self, expr: &'a Expr, place: Place, constants: &mut Constants) -> String {
        let called = self.call(expr, place, constants);
        if called.fallible { called.text } else { format!("Ok({})", called.text) }
    }

    fn leaf(&self, expr: &Expr, place: Place, constants: &mut Constants) -> Option<String> {
        match &expr.kind {
            ExprKind::Const(value) => Some(constant(*value, constants)),
            ExprKind::Var(var) => Some(self.argument(Leaf::Var(*var), place)),
            ExprKind::Param(param) => Some(self.argument(Leaf::Param(*param), place)),
            _ => None,
        }
    }

    fn argument(&self, leaf: Leaf, place: Place) -> String {
        match (leaf, place) {
            (Leaf::Var(var), Place::Crepe) => names::variable(self.rule, var),
            (Leaf::Param(param), Place::Crepe) => format!("p{}", param.0),
            (Leaf::Var(var), Place::Match) => format!("m.var({})", var.0),
            (Leaf::Param(param), Place::Match) => format!("m.param({})", param.0),
        }
    }

    /// The function of an expression, written on its first use.
    fn function(&mut self, expr: &'a Expr, constants: &mut Constants) -> String {
        let address = address(expr);
        if let Some(name) = self.made.get(&address) {
            return name.clone();
        }
        let name = names::function(self.program, self.rule, self.number, self.made.len());
        self.made.insert(address, name.clone());
        let args: Vec<String> = leaves(expr)
            .into_iter()
            .map(|leaf| format!("{}: Word", self.argument(leaf, Place::Crepe)))
            .collect();
        let (result, body) = if expr.may_fail() {
            ("Eval", self.eval(expr, constants))
        } else {
            ("Word", self.value(expr, constants))
        };
        let text = format!("fn {name}({}) -> {result} {{\n    {body}\n}}\n", args.join(", "));
        self.out.push_str(&item(&text, 1));
        self.out.push('\n');
        name
    }

    /// The value as an `Eval`.
    fn eval(&mut self, expr: &'a Expr, constants: &mut Constants) -> String {
        match &expr.kind {
            ExprKind::Call(op, args) if op.may_fail() => self.operation(expr, *op, args, constants),
            ExprKind::And(left, right) | ExprKind::Or(left, right) if expr.may_fail() => {
                let name = if matches!(expr.kind, ExprKind::And(..)) { "both" } else { "either" };
                let left = self.call_eval(left, Place::Crepe, constants);
                let right = self.call_eval(right, Place::Crepe, constants);
                format!("{name}({left}, {right})")
            }
            _ => format!("Ok({})", self.value(expr, constants)),
        }
    }

    fn operation(&mut self, expr: &'a Expr, op: Op, args: &'a [Expr], constants: &mut Constants) -> String {
        let at = *self.places.get(&address(expr)).or_broken("an operation of a rule has its place");
        let args: Vec<String> = args.iter().map(|arg| self.value(arg, constants)).collect();
        match args.as_slice() {
            [a] => format!("one(Op::{op:?}, {at}, {a})"),
            [a, b] => format!("two(Op::{op:?}, {at}, {a}, {b})"),
            _ => format!("more(Op::{op:?}, {at}, &[{}])", args.join(", ")),
        }
    }

    /// The value as a word; undefined operations leave the function.
    fn value(&mut self, expr: &'a Expr, constants: &mut Constants) -> String {
        if let Some(leaf) = self.leaf(expr, Place::Crepe, constants) {
            return leaf;
        }
        match &expr.kind {
            ExprKind::Call(op, args) if !op.may_fail() => {
                let args: Vec<String> = args.iter().map(|arg| self.value(arg, constants)).collect();
                format!("sure({}, &[{}])", op_text(*op), args.join(", "))
            }
            ExprKind::Matches(text, pattern) => {
                let text = self.value(text, constants);
                format!("matches(&PATTERNS, {}, {text})", constants.pattern(pattern.source()))
            }
            ExprKind::And(left, right) | ExprKind::Or(left, right) if !expr.may_fail() => {
                let sign = if matches!(expr.kind, ExprKind::And(..)) { "&&" } else { "||" };
                let (left, right) = (self.value(left, constants), self.value(right, constants));
                format!("Word::from_bool({left}.as_bool() {sign} {right}.as_bool())")
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.value(condition, constants);
                let (then, otherwise) = (self.value(then, constants), self.value(otherwise, constants));
                if expr.may_fail() {
                    format!("if {condition}.as_bool() {{ {then} }} else {{ {otherwise} }}")
                } else {
                    format!("pick({condition}, {then}, {otherwise})")
                }
            }
            ExprKind::Undefined(operand) => {
                format!("Word::from_bool({}.is_err())", self.call_eval(operand, Place::Crepe, constants))
            }
            ExprKind::Unknown => None.or_broken("a rule that is compiled holds no unknown value"),
            _ => format!("{}?", self.eval(expr, constants)),
        }
    }
}

fn op_text(op: Op) -> String {
    match op {
        Op::StringOf(ty) => format!("Op::StringOf({})", type_text(ty)),
        op => format!("Op::{op:?}"),
    }
}

/// A type as Rust names it.
pub(super) fn type_text(ty: Type) -> String {
    match ty {
        Type::List(element) => format!("Type::List(&Type::{element:?})"),
        ty => format!("Type::{ty:?}"),
    }
}

/// A literal as a word.
pub(super) fn constant(value: Value, constants: &mut Constants) -> String {
    match value {
        Value::Bool(value) => format!("Word::from_bool({value})"),
        Value::Int(value) | Value::Time(value) | Value::Duration(value) => format!("int({value})"),
        Value::Float(value) => format!("float({:?})", value.get()),
        Value::String(symbol) | Value::Name(symbol) | Value::List(symbol) => {
            format!("TEXTS.word({})", constants.text(symbol))
        }
    }
}

/// What an expression reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaf {
    Var(VarId),
    Param(ParamId),
}

/// The variables and parameters of an expression, each once, in order.
fn leaves(expr: &Expr) -> Vec<Leaf> {
    let mut found = Vec::new();
    collect(expr, &mut found);
    found
}

fn collect(expr: &Expr, found: &mut Vec<Leaf>) {
    let leaf = match &expr.kind {
        ExprKind::Var(var) => Some(Leaf::Var(*var)),
        ExprKind::Param(param) => Some(Leaf::Param(*param)),
        _ => None,
    };
    found.extend(leaf.filter(|leaf| !found.contains(leaf)));
    expr.parts().into_iter().for_each(|child| collect(child, found));
}

/// The parameters that an expression reads.
pub(super) fn params(expr: &Expr) -> Vec<ParamId> {
    let param = |leaf| match leaf {
        Leaf::Param(param) => Some(param),
        Leaf::Var(_) => None,
    };
    leaves(expr).into_iter().filter_map(param).collect()
}

/// The variables that an expression reads.
pub(super) fn variables(expr: &Expr) -> Vec<VarId> {
    let var = |leaf| match leaf {
        Leaf::Var(var) => Some(var),
        Leaf::Param(_) => None,
    };
    leaves(expr).into_iter().filter_map(var).collect()
}

/// Where an expression is, which distinguishes it from all others of its program.
pub(super) fn address(expr: &Expr) -> usize {
    std::ptr::from_ref(expr).addr()
}
