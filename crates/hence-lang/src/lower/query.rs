//! Questions on top of a program: each is one more relation with one rule, in a last stratum.

use super::aggregate::Values;
use super::body::{flatten, make, read};
use super::heads_and_reads;
use crate::analysis::QueryRule;
use crate::analysis::checked::{Arg, Literal};
use crate::analysis::strata;
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::op;
use crate::builtins::term::{Limit, Term, Variable};
use crate::ir::{Program, Rule, RuleId, Stratum};
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::{Column, Kind, Relation, RelationId};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Type, Value};

/// A checked body, asked for the values of some of its variables.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The literals.
    pub body: &'a [Literal],
    /// Their variables, by [`VarId`].
    pub variables: &'a [Variable],
    /// The variables whose values are asked for, in the order of the answer's columns.
    pub wanted: &'a [VarId],
    /// For each literal (none beyond the end) the distance within which the float columns of a positive atom
    /// compare with their terms, where these are no variables.
    pub within: &'a [Option<f64>],
    /// Which of the answers are kept.
    pub limit: Option<&'a Limit>,
    /// The whole question.
    pub span: Span,
}

impl<'a> Query<'a> {
    /// A question for `wanted` in which floats compare exactly.
    pub fn new(body: &'a [Literal], variables: &'a [Variable], wanted: &'a [VarId], span: Span) -> Self {
        Self { body, variables, wanted, within: &[], limit: None, span }
    }
}

impl<'a> From<&'a QueryRule> for Query<'a> {
    fn from(query: &'a QueryRule) -> Self {
        let limit = query.limit.as_ref();
        Self { limit, ..Self::new(&query.body, &query.variables, &query.wanted, query.span) }
    }
}

/// The rule that derives the answers of `query` as facts of `head`; beside it, what its aggregates need, whose relations
/// come after `head`.
fn lower_query(query: &Query<'_>, head: RelationId) -> (Rule, Vec<Relation>, Vec<Rule>) {
    let mut variables = query.variables.to_vec();
    let mut literals = Vec::with_capacity(query.body.len());
    for (at, literal) in query.body.iter().enumerate() {
        match query.within.get(at).copied().flatten().and_then(Float::new) {
            Some(distance) => literals.extend(about(literal, distance, &mut variables)),
            None => literals.push(literal.clone()),
        }
    }
    let mut values = Values::new(head.at() + 1, answer_name(head));
    let (body, variables) = flatten(&literals, &variables, &mut values);
    let terms = query.wanted.iter().map(|var| Term::Expr(answer(*var, query))).collect();
    let rule = Rule {
        id: answer_name(head),
        head,
        head_span: query.span,
        terms,
        body,
        variables,
        limit: query.limit.cloned(),
        because: None,
        doc: String::new(),
        span: query.span,
    };
    values.derive(&rule, &[]);
    (rule, values.relations, values.rules)
}

/// `program` with one more relation, whose facts are the answers to `query`.
pub fn with_query(program: &Program, query: &Query<'_>) -> (Program, RelationId) {
    let mut program = program.clone();
    let answers = add(&mut program, query);
    (program, answers)
}

/// `program` with one more relation for each query, in their order, each in a last stratum of its own.
pub fn with_queries(program: &Program, queries: &[Query<'_>]) -> (Program, Vec<RelationId>) {
    let mut program = program.clone();
    let answers = queries.iter().map(|query| add(&mut program, query)).collect();
    (program, answers)
}

/// `program` with one more relation, without columns, that holds if some fact of `relation` has these values.
pub fn with_atom(
    program: &Program,
    relation: RelationId,
    values: &[Option<Value>],
    span: Span,
) -> (Program, RelationId) {
    let args = values.iter().map(|value| match value {
        Some(value) => Arg::Expr(Expr { kind: ExprKind::Const(*value), ty: value.ty(), span }),
        None => Arg::Any,
    });
    let body = [Literal::Atom { negated: false, relation, args: args.collect(), span }];
    with_query(program, &Query::new(&body, &[], &[], span))
}

fn add(program: &mut Program, query: &Query<'_>) -> RelationId {
    let head = RelationId(program.relations.len() as u32);
    let (rule, relations, mut rules) = lower_query(query, head);
    rules.push(rule);
    program.relations.push(relation(query, head));
    program.relations.extend(relations);
    let made = (head.0..).take(program.relations.len() - head.at()).map(RelationId);
    // What is asked for comes last, what its aggregates need before it, each relation after those that it reads.
    let first = program.rules.len();
    let strata = strata::ordered(&program.relations, &heads_and_reads(&rules));
    program.rules.extend(rules);
    let made: Vec<RelationId> = made.collect();
    for stratum in strata.into_iter().filter(|stratum| stratum.relations.iter().any(|one| made.contains(one)))
    {
        let own = program.rules.iter().enumerate().skip(first);
        let own = own.filter(|(_, rule)| stratum.relations.contains(&rule.head));
        let rules = own.map(|(at, _)| RuleId(at as u32)).collect();
        program.strata.push(Stratum { relations: stratum.relations, rules, recursive: false });
    }
    head
}

/// The name of a relation of answers; no relation of a rule file can have it.
fn answer_name(head: RelationId) -> Symbol {
    Symbol::new(&format!("?{}", head.0))
}

/// Whether a relation holds the answers to a question, and so has a name that nobody gave it.
pub fn is_answer(program: &Program, relation: RelationId) -> bool {
    program[relation].name.as_str().starts_with('?')
}

fn relation(query: &Query<'_>, head: RelationId) -> Relation {
    let columns = query.wanted.iter().map(|var| variable(*var, query));
    Relation {
        name: answer_name(head),
        kind: Kind::Derived,
        columns: columns.map(|variable| Column::new(variable.name, variable.ty.clone())).collect(),
        doc: String::new(),
        requires: None,
        authors: None,
        personal: Vec::new(),
        span: query.span,
    }
}

fn answer(var: VarId, query: &Query<'_>) -> Expr {
    Expr { kind: ExprKind::Var(var), ty: variable(var, query).ty.ty, span: query.span }
}

fn variable<'a>(var: VarId, query: &Query<'a>) -> &'a Variable {
    query.variables.get(var.at()).or_broken(VarId::INVARIANT)
}

/// An atom whose float columns compare within `distance` with their terms, where these are no variables;
/// any other literal as it is.
fn about(literal: &Literal, distance: Float, variables: &mut Vec<Variable>) -> Vec<Literal> {
    let Some(atom) = literal.positive() else { return vec![literal.clone()] };
    let mut tests = Vec::new();
    let args = atom.args.iter().map(|arg| match arg {
        Arg::Expr(wanted) if wanted.ty == Type::Float && !matches!(wanted.kind, ExprKind::Var(_)) => {
            let found = read(make(variables, Type::Float), Type::Float, wanted.span);
            let test = near(&found, wanted, distance);
            tests.push(Literal::Test { span: test.span, expr: test });
            Arg::Expr(found)
        }
        other => other.clone(),
    });
    let (relation, args, span) = (atom.relation, args.collect(), atom.span);
    let mut out = vec![Literal::Atom { negated: false, relation, args, span }];
    out.append(&mut tests);
    out
}

/// `abs(found - wanted) <= distance`.
fn near(found: &Expr, wanted: &Expr, distance: Float) -> Expr {
    let span = wanted.span;
    let call = |name: &str, args: Vec<Expr>| {
        let types: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
        let (op, ty) = op::resolve(name, &types).or_broken("floats can be subtracted and compared");
        Expr { kind: ExprKind::Call(op, args), ty, span }
    };
    let difference = call("-", vec![found.clone(), wanted.clone()]);
    let distance = Expr { kind: ExprKind::Const(Value::Float(distance)), ty: Type::Float, span };
    call("<=", vec![call("abs", vec![difference]), distance])
}
