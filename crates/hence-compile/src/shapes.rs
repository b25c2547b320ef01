//! Rules described for what runs beside `crepe!` programs: aggregates, limits, reports of operations without a
//! result.

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::span::Sources;
use hence_core::value::Type;
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::generator::Generator;
use hence_lang::ir::{Arg, Atom, Limit, Literal, Rule, Term};

use super::expression::{Expressions, Place, constant, type_text, variables};
use super::operations::operations;
use super::rules::generator_text;
use super::stages::gathers;
use super::text::Constants;

/// Whether a rule has to be described: a `crepe!` program can't evaluate all of it, or can't tell what had no
/// result.
pub(super) fn is_needed(rule: &Rule) -> bool {
    gathers(rule) || !operations(rule).is_empty()
}

/// One rule that is being described.
pub(super) struct Shape<'a, 'w> {
    /// The texts that its rules came from.
    pub(super) sources: &'w Sources,
    /// The rule.
    pub(super) rule: &'a Rule,
    /// Its number.
    pub(super) number: u32,
    /// The functions of the rule.
    pub(super) expressions: &'w mut Expressions<'a>,
    /// The constants of the module.
    pub(super) constants: &'w mut Constants,
}

impl<'a> Shape<'a, '_> {
    /// The description as an item.
    pub(super) fn write(mut self) -> String {
        let rule = self.rule;
        let variables: Vec<String> = rule
            .variables
            .iter()
            .map(|variable| format!("({:?}, {})", variable.name.as_str(), type_text(variable.ty.ty)))
            .collect();
        let body: String =
            rule.body.iter().map(|literal| format!("        {},\n", self.step(literal))).collect();
        let terms: String = rule.terms.iter().map(|term| format!("        {},\n", self.term(term))).collect();
        let limit = match &rule.limit {
            Some(limit) => self.limit(limit),
            None => String::from("None"),
        };
        format!(
            "/// The rule `{id}`, beside its `crepe!` program.\n#[rustfmt::skip]\nstatic RULE_{number}: Rule = Rule {{\n    \
             number: {number},\n    id: {id:?},\n    head: {head},\n    variables: &[{variables}],\n    \
             body: &[\n{body}    ],\n    terms: &[\n{terms}    ],\n    limit: {limit},\n    \
             places: &[{places}],\n}};\n",
            id = rule.id.as_str(),
            number = self.number,
            head = rule.head.0,
            variables = variables.join(", "),
            places = self.places(),
        )
    }

    /// Where the operations are, and their texts.
    fn places(&self) -> String {
        let place = |span| {
            let text = self.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
            format!("({:?}, {text:?})", self.sources.place(span).to_string())
        };
        let all: Vec<String> = operations(self.rule).iter().map(|one| place(one.span)).collect();
        all.join(", ")
    }

    fn step(&mut self, literal: &'a Literal) -> String {
        match literal {
            Literal::Atom(atom) => format!("Step::Atom({})", self.atom(atom)),
            Literal::Not(atom) => format!("Step::Not({})", self.atom(atom)),
            Literal::Bind { var, expr, .. } => {
                format!("Step::Bind({}, &[{}], {})", var.0, reads([expr]), self.compute(expr))
            }
            Literal::Test { expr, .. } => {
                format!("Step::Test(&[{}], {})", reads([expr]), self.compute(expr))
            }
            Literal::Each { var, generator, args, .. } => {
                format!("Step::Each({}, &[{}], {})", var.0, reads(args), self.elements(generator, args))
            }
        }
    }

    fn elements(&mut self, generator: &Generator, args: &'a [Expr]) -> String {
        let mut words = Vec::new();
        for arg in args {
            let called = self.expressions.call(arg, Place::Match, self.constants);
            words.push(if called.fallible { format!("{}?", called.text) } else { called.text });
        }
        let generator = generator_text(generator, self.constants);
        let words = words.join(", ");
        let m = if words.contains("m.") { "m" } else { "_" };
        format!("|{m}| Ok(Box::new(each({generator}, &[{words}])))")
    }

    fn atom(&mut self, atom: &Atom) -> String {
        let mut args = Vec::new();
        for arg in &atom.args {
            args.push(match arg {
                Arg::Any => String::from("Arg::Any"),
                Arg::Var(var) => format!("Arg::Var({})", var.0),
                Arg::Const(value) => format!("Arg::Is(|_| Ok({}))", constant(*value, self.constants)),
                Arg::Param(param) => format!("Arg::Is(|m| Ok(m.param({})))", param.0),
            });
        }
        let RelationId(table) = atom.relation;
        format!("{table}, &[{}]", args.join(", "))
    }

    fn compute(&mut self, expr: &'a Expr) -> String {
        let text = self.expressions.call_eval(expr, Place::Match, self.constants);
        let m = if text.contains("m.") { "m" } else { "_" };
        format!("|{m}| {text}")
    }

    fn term(&mut self, term: &'a Term) -> String {
        match term {
            Term::Expr(Expr { kind: ExprKind::Var(VarId(var)), .. }) => format!("Term::Var({var})"),
            Term::Expr(expr) => format!("Term::Plain({})", self.compute(expr)),
            Term::Aggregate { aggregate, args, span } => {
                let computes: Vec<String> = args
                    .iter()
                    .map(|arg| format!("({}, {})", type_text(arg.ty), self.compute(arg)))
                    .collect();
                let at = operations(self.rule)
                    .iter()
                    .position(|operation| operation.address == 0 && operation.span == *span)
                    .or_broken("an aggregate is among the operations of its rule");
                format!("Term::Of(Aggregate::{aggregate:?}, &[{}], {at})", computes.join(", "))
            }
        }
    }

    fn limit(&mut self, limit: &'a Limit) -> String {
        let per: Vec<String> = limit.per.iter().map(|var| var.0.to_string()).collect();
        let by: Vec<String> = limit
            .by
            .iter()
            .map(|(key, descending)| format!("({}, {}, {descending})", self.compute(key), type_text(key.ty)))
            .collect();
        let rank = limit.rank.map_or(String::from("None"), |var| format!("Some({})", var.0));
        let types: Vec<String> = self.rule.terms.iter().map(|term| type_text(term_type(term))).collect();
        format!(
            "Some(Limited {{\n        count: {},\n        per: &[{}],\n        by: &[{}],\n        \
             rank: {rank},\n        types: &[{}],\n    }})",
            self.compute(&limit.count),
            per.join(", "),
            by.join(", "),
            types.join(", "),
        )
    }
}

fn term_type(term: &Term) -> Type {
    match term {
        Term::Expr(expr) => expr.ty,
        Term::Aggregate { .. } => Type::Int,
    }
}

fn reads<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> String {
    let mut all: Vec<VarId> = exprs.into_iter().flat_map(variables).collect();
    all.sort_unstable();
    all.dedup();
    all.iter().map(|var| var.0.to_string()).collect::<Vec<_>>().join(", ")
}
