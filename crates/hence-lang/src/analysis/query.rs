//! Questions and facts against a checked program: bodies of queries, patterns of one atom, fact files.

use crate::builtins::expr::VarId;
use crate::builtins::term::{Limit, Variable};
use hence_core::diagnostic::{self, Diagnostic};
use hence_core::schema::{Kind, RelationId};
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_syntax::tree::{self, Item};

use super::bind::bind;
use super::checked::{Checked, Literal};
use super::codes;
use super::draft::{body, missing_relation, terms};
use super::ground::Ground;
use super::names::{Entry, Names};
use super::rules::variables;
use super::safety::Uses;
use super::typing::Typer;
use super::uses::{Vars, lone};
use super::values::error;

/// A checked query: a body, and the variables whose values it asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryRule {
    /// The literals in the order of the text.
    pub body: Vec<Literal>,
    /// The variables, by [`VarId`].
    pub variables: Vec<Variable>,
    /// The named variables in the order of their first place; those that begin with `_` are not asked for.
    pub wanted: Vec<VarId>,
    /// Which of the matches are kept.
    pub limit: Option<Limit>,
    /// The whole query.
    pub span: Span,
}

/// One atom as a question: a value, or anything (`_`, a variable), for each column.
#[derive(Clone, Debug, PartialEq)]
pub struct AtomPattern {
    /// The relation.
    pub relation: RelationId,
    /// For each column the value that it must have.
    pub values: Vec<Option<Value>>,
    /// The atom.
    pub span: Span,
}

impl AtomPattern {
    /// The values, if every column has one.
    pub fn ground(&self) -> Option<Vec<Value>> {
        self.values.iter().copied().collect()
    }

    /// Whether a row of the relation matches.
    pub fn matches(&self, row: &[Value]) -> bool {
        self.values.len() == row.len()
            && self.values.iter().zip(row).all(|(wanted, value)| wanted.is_none_or(|wanted| wanted == *value))
    }
}

/// Checks a query against a program that was checked without errors.
pub fn check_query(
    checked: &Checked,
    question: &tree::ParsedQuery,
    sources: &Sources,
) -> (Option<QueryRule>, Vec<Diagnostic>) {
    let tree::ParsedQuery { literals, limit } = question;
    let names = Names::of(checked);
    let mut out = Vec::new();
    let mut vars = Vars::of_body(literals, sources);
    let rank = limit.as_ref().and_then(|limit| limit.rank);
    if let Some(rank) = rank {
        vars.add(rank.name);
    }
    let mut clauses = body(literals, &names, &vars, sources, &mut out);
    super::rules::no_distances(&clauses, &mut out);
    let bound = bind(&mut clauses, &vars, sources);
    let mut uses = Uses::default();
    uses.rank = rank.and_then(|rank| vars.get(rank.name));
    uses.body(&clauses, &vars, sources);
    limit.iter().for_each(|limit| uses.limit(limit, &vars, sources));
    uses.report(&bound, &clauses, &vars, &names, &mut out);
    super::rules::free_rank(limit.as_ref(), &vars, &bound, &mut out);
    let mut typer = Typer::new(&names, sources, &vars);
    typer.ranks(limit.as_ref());
    let binders = typer.learn(&clauses, &bound);
    let body = typer.literals(&clauses, binders);
    let limit = limit.as_ref().map(|limit| typer.limit(limit));
    let variables = variables(&typer);
    out.append(&mut typer.out);
    diagnostic::sort(&mut out);
    let span = match literals.as_slice() {
        [first, .., last] => first.span.to(last.span),
        [only] => only.span,
        [] => Span::default(),
    };
    let wanted = wanted(vars.names());
    let limit = limit.flatten();
    let query = body.map(|body| QueryRule { body, variables, wanted, limit, span });
    (query.filter(|_| out.is_empty()), out)
}

fn wanted(names: &[Symbol]) -> Vec<VarId> {
    let named = names.iter().enumerate().filter(|(_, name)| !name.as_str().starts_with('_'));
    named.map(|(at, _)| VarId(at as u32)).collect()
}

/// Checks an atom whose terms are values, `_` or variables that each occur once.
pub fn check_atom(
    checked: &Checked,
    atom: &tree::Atom,
    sources: &Sources,
) -> (Option<AtomPattern>, Vec<Diagnostic>) {
    let names = Names::of(checked);
    let mut out = Vec::new();
    let pattern = pattern(&names, atom, sources, &mut out);
    diagnostic::sort(&mut out);
    (pattern.filter(|_| out.is_empty()), out)
}

/// What an atom whose variables match any value asks for.
pub(super) fn pattern(
    names: &Names,
    atom: &tree::Atom,
    sources: &Sources,
    out: &mut Vec<Diagnostic>,
) -> Option<AtomPattern> {
    let Some((relation, entry)) = names.find(atom.relation.name) else {
        out.push(missing_relation(names, atom.relation, atom.exprs().count()));
        return None;
    };
    let ground = Ground::new(names, sources);
    let mut vars = Vars::default();
    let mut values = Vec::with_capacity(entry.columns.len());
    for (slot, term) in entry.columns.iter().zip(terms(atom, entry, out)?) {
        match term {
            None => values.push(None),
            Some(term) => match term.kind {
                tree::ExprKind::Variable(name) => {
                    if lone(term, &vars).is_some() && !name.as_str().starts_with('_') {
                        let message = format!("`{name}` occurs twice, but here a variable matches any value");
                        out.push(error(codes::NOT_GROUND, message, term.span).help("use `hence query`"));
                    }
                    vars.add(name);
                    values.push(None);
                }
                _ => values.push(ground.value(entry, slot, term, out)),
            },
        }
    }
    Some(AtomPattern { relation, values, span: atom.span })
}

/// Checks one fact of an input, by position or by name; by name, columns with a default may be left out.
pub fn check_fact(
    checked: &Checked,
    atom: &tree::Atom,
    sources: &Sources,
) -> (Option<TypedFact>, Vec<Diagnostic>) {
    let names = Names::of(checked);
    let mut out = Vec::new();
    let fact = ground_fact(&names, atom, sources, &mut out);
    diagnostic::sort(&mut out);
    (fact.filter(|_| out.is_empty()), out)
}

fn ground_fact(
    names: &Names,
    atom: &tree::Atom,
    sources: &Sources,
    out: &mut Vec<Diagnostic>,
) -> Option<TypedFact> {
    let (id, entry) = asserted(names, atom.relation, atom.exprs().count(), out)?;
    let terms = terms(atom, entry, out)?;
    Some((id, Ground::new(names, sources).atom(entry, atom, &terms, out)?, atom.span))
}

/// The input that a fact names, or `None` after a diagnostic.
fn asserted<'n>(
    names: &'n Names,
    name: tree::Ident,
    arity: usize,
    out: &mut Vec<Diagnostic>,
) -> Option<(RelationId, &'n Entry)> {
    let Some((id, entry)) = names.find(name.name) else {
        out.push(missing_relation(names, name, arity));
        return None;
    };
    if entry.kind != Kind::Input {
        let message =
            format!("`{}` is not an input: it is derived by rules and can't be asserted", entry.name);
        out.push(error(codes::NOT_AN_INPUT, message, name.span));
        return None;
    }
    Some((id, entry))
}

/// A fact with its relation and its place.
pub type TypedFact = (RelationId, Vec<Value>, Span);

/// Checks a file that holds only facts of inputs: all of them typed, or what is wrong.
pub fn check_facts(
    checked: &Checked,
    file: &tree::File,
    sources: &Sources,
) -> (Vec<TypedFact>, Vec<Diagnostic>) {
    let names = Names::of(checked);
    let ground = Ground::new(&names, sources);
    let mut out = Vec::new();
    let facts = file.items.iter().filter_map(|item| match item {
        Item::Rule(rule) if rule.body.is_empty() => input_fact(rule, &names, &ground, &mut out),
        other => {
            let message = "a fact file may contain only facts";
            out.push(
                error(codes::NOT_GROUND, message, other.span()).help("load it as a rule file (`--rules`)"),
            );
            None
        }
    });
    let facts = facts.collect();
    diagnostic::sort(&mut out);
    (facts, out)
}

fn input_fact(
    rule: &tree::Rule,
    names: &Names,
    ground: &Ground<'_>,
    out: &mut Vec<Diagnostic>,
) -> Option<TypedFact> {
    let (id, entry) = asserted(names, rule.head, rule.terms.len(), out)?;
    Some((id, ground.positional(entry, &rule.terms, rule.span, out)?, rule.span))
}
