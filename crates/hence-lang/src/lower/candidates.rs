//! Aggregates whose groups come from the recursion that they are in: a relation of *candidates* that is there before it.
//!
//! `p(Y) :- p(X), Y = X + 1, Y < 9, N = count { e(Z), Z > Y }, N > 0` needs the value for each `Y`, and so which `Y` there
//! may be. Without what depends on the aggregates the recursion derives all of them, and perhaps more:
//! `?candidates(Y) :- ?candidates(X), Y = X + 1, Y < 9`. So the groups come from there, in a stratum of their own. More
//! groups change nothing, as long as nothing in the aggregate may be without a result; and the recursion has to end
//! without its aggregates.

use std::collections::{BTreeMap, BTreeSet};

use super::aggregate::{CANDIDATES, GIVEN};
use super::recursion::{grows, inside};
use crate::analysis::checked::Checked;
use crate::analysis::codes::CYCLE;
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::op::Op;
use crate::builtins::term::{Term, Variable};
use crate::ir::{Arg, Atom, GroundFact, Literal, Program, Rule, RuleId, parts};
use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::{Kind, Relation, RelationId};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::Type;

/// Rules that derive groups, each with the relations of the recursion that it is in, and what in the
/// aggregate may have no result.
pub(super) struct Asked<'a> {
    pub(super) rule: RuleId,
    pub(super) together: &'a [RelationId],
    pub(super) fails: Option<Span>,
}

/// Why there are no candidates.
enum Missing {
    /// Something in the aggregate may have no result.
    Fails(Span),
    /// The recursion might not end without its aggregates: the relation.
    Grows(RelationId),
    /// Its facts may be asserted.
    Fed(RelationId),
    /// The variable has its value from an aggregate.
    Value(VarId),
}

/// Takes the groups of aggregates from candidates where they come from the recursion that the aggregate is in.
pub(super) fn take(checked: &Checked, program: &mut Program, asked: &[Asked<'_>]) -> Vec<Diagnostic> {
    let mut made = BTreeMap::new();
    let mut faults = Vec::new();
    for one in asked {
        let inside = inside(program, one.together);
        let reads =
            |literal: &&Literal| literal.positive().is_some_and(|atom| inside.contains(&atom.relation));
        let Some(atom) = program[one.rule].body.iter().find(reads).map(Literal::span) else { continue };
        let mut recursion = Recursion { checked, program, together: one.together, inside, made: &mut made };
        if let Err(missing) = recursion.groups(one) {
            faults.push(fault(program, one, atom, &missing));
        }
    }
    faults
}

/// The relation of the facts that are given of a relation of which there are candidates.
pub fn given_of(program: &Program, relation: RelationId) -> Option<RelationId> {
    let name = given_name(program[relation].name);
    program.relations.iter().rposition(|relation| relation.name == name).map(RelationId::new)
}

fn given_name(of: Symbol) -> Symbol {
    Symbol::new(&format!("{GIVEN}{of} {{}}"))
}

/// The candidates of a relation, with the columns of it that no aggregate gives.
#[derive(Clone)]
struct Candidates {
    relation: RelationId,
    columns: BTreeSet<usize>,
}

/// The relations of a recursion.
struct Recursion<'a> {
    checked: &'a Checked,
    program: &'a mut Program,
    together: &'a [RelationId],
    /// They and the values of aggregates that depend on them.
    inside: BTreeSet<RelationId>,
    made: &'a mut BTreeMap<RelationId, Candidates>,
}

impl Recursion<'_> {
    /// Lets the groups come from candidates.
    fn groups(&mut self, asked: &Asked<'_>) -> Result<(), Missing> {
        if let Some(fails) = asked.fails {
            return Err(Missing::Fails(fails));
        }
        let columns = self.columns();
        let rule = self.program[asked.rule].clone();
        let body = self.relaxed(&rule, &columns);
        let bound = parts::bound(&body, BTreeSet::new());
        let mut missing = None;
        rule.head_exprs().for_each(|term| {
            term.for_each_var(&mut |var| {
                if !bound.contains(&var) {
                    missing = Some(var);
                }
            })
        });
        if let Some(var) = missing {
            return Err(Missing::Value(var));
        }
        self.make(&body, &columns)?;
        let body = self.with_candidates(body);
        let rule = self.program.rules.get_mut(asked.rule.at()).or_broken(RuleId::INVARIANT);
        rule.body = body;
        Ok(())
    }

    /// The columns of each relation that need no aggregate; those of its candidates where there are some, since an
    /// earlier aggregate may have given more of them.
    fn columns(&self) -> BTreeMap<RelationId, BTreeSet<usize>> {
        let all = |relation: &RelationId| {
            let made = self.made.get(relation).map(|made| made.columns.clone());
            (*relation, made.unwrap_or_else(|| (0..self.program[*relation].columns.len()).collect()))
        };
        let mut columns: BTreeMap<RelationId, BTreeSet<usize>> = self.together.iter().map(all).collect();
        loop {
            let mut next = columns.clone();
            for rule in self.program.rules.iter().filter(|rule| self.together.contains(&rule.head)) {
                let bound = parts::bound(&self.relaxed(rule, &columns), BTreeSet::new());
                let is_bound = |at: &usize| rule.terms.get(*at).is_some_and(|term| is_bound(term, &bound));
                next.entry(rule.head).or_default().retain(is_bound);
            }
            if next == columns {
                return columns;
            }
            columns = next;
        }
    }

    /// What of a body needs no aggregate; atoms of the recursion match any value in the other columns.
    fn relaxed(&self, rule: &Rule, columns: &BTreeMap<RelationId, BTreeSet<usize>>) -> Vec<Literal> {
        let relaxed = |literal: &Literal| match literal {
            Literal::Atom(atom) if self.together.contains(&atom.relation) => {
                let known = columns.get(&atom.relation).or_broken(COLUMNS);
                let arg = |(at, arg): (usize, &Arg)| if known.contains(&at) { *arg } else { Arg::Any };
                let args = atom.args.iter().enumerate().map(arg).collect();
                Some(Literal::Atom(Atom { args, ..atom.clone() }))
            }
            Literal::Atom(atom) if self.inside.contains(&atom.relation) => None,
            Literal::Test { expr, .. } if expr.may_fail() => None,
            other => Some(other.clone()),
        };
        let mut body: Vec<Literal> = rule.body.iter().filter_map(relaxed).collect();
        loop {
            let (bound, before) = (parts::bound(&body, BTreeSet::new()), body.len());
            body.retain(|literal| literal.is_ready(|var| bound.contains(&var)));
            if body.len() == before {
                return body.into_iter().flat_map(defined).collect();
            }
        }
    }

    /// Makes the candidates that a body reads, and those that these read.
    fn make(
        &mut self,
        body: &[Literal],
        columns: &BTreeMap<RelationId, BTreeSet<usize>>,
    ) -> Result<(), Missing> {
        let mut wanted: Vec<RelationId> = self.own(body);
        let mut found = BTreeSet::new();
        while let Some(relation) = wanted.pop() {
            if self.made.contains_key(&relation) || !found.insert(relation) {
                continue;
            }
            if self.program[relation].kind == Kind::Input {
                return Err(Missing::Fed(relation));
            }
            if grows(self.checked, relation, self.together) {
                return Err(Missing::Grows(relation));
            }
            for rule in self.program.rules.iter().filter(|rule| rule.head == relation) {
                wanted.extend(self.own(&self.relaxed(rule, columns)));
            }
        }
        for relation in &found {
            let columns = columns.get(relation).or_broken(COLUMNS).clone();
            let candidates = self.relation(*relation, &columns);
            self.made.insert(*relation, candidates);
        }
        found.into_iter().for_each(|relation| self.rules(relation, columns));
        Ok(())
    }

    fn own(&self, body: &[Literal]) -> Vec<RelationId> {
        let atoms = body.iter().filter_map(Literal::positive).map(|atom| atom.relation);
        atoms.filter(|relation| self.together.contains(relation)).collect()
    }

    fn relation(&mut self, of: RelationId, columns: &BTreeSet<usize>) -> Candidates {
        let of = self.program[of].clone();
        let column = |at: &usize| of.columns.get(*at).cloned();
        let name = Symbol::new(&format!("{CANDIDATES}{} {{}}", of.name));
        let all = columns.iter().filter_map(column).collect();
        Candidates { relation: self.push_relation(&of, name, all), columns: columns.clone() }
    }

    fn push_relation(
        &mut self,
        of: &Relation,
        name: Symbol,
        columns: Vec<hence_core::schema::Column>,
    ) -> RelationId {
        let (kind, doc) = (Kind::Derived, String::new());
        let relation = Relation {
            name,
            kind,
            columns,
            doc,
            requires: None,
            authors: None,
            personal: Vec::new(),
            span: of.span,
        };
        self.program.relations.push(relation);
        RelationId::new(self.program.relations.len() - 1)
    }

    /// The rules of the candidates of a relation: those of its own, its facts, and what is given of it.
    fn rules(&mut self, of: RelationId, columns: &BTreeMap<RelationId, BTreeSet<usize>>) {
        let Candidates { relation: head, columns: kept } = self.made.get(&of).or_broken(COLUMNS).clone();
        let own: Vec<Rule> = self.program.rules.iter().filter(|rule| rule.head == of).cloned().collect();
        for rule in own {
            let relaxed = self.relaxed(&rule, columns);
            let terms: Vec<Term> = kept.iter().filter_map(|at| rule.terms.get(*at).cloned()).collect();
            let tests = terms.iter().flat_map(Term::exprs).filter(|expr| expr.may_fail()).map(is_defined);
            let body = self.with_candidates(relaxed).into_iter().chain(tests).collect();
            let (because, limit, doc) = (None, None, String::new());
            self.program.rules.push(Rule { head, terms, body, because, limit, doc, ..rule });
        }
        let kept_of = |fact: &GroundFact| {
            let values = kept.iter().filter_map(|at| fact.values.get(*at).copied()).collect();
            GroundFact { relation: head, values, ..fact.clone() }
        };
        let facts: Vec<GroundFact> =
            self.program.facts.iter().filter(|fact| fact.relation == of).map(kept_of).collect();
        self.program.facts.extend(facts);
        self.given(of, head, &kept);
    }

    fn given(&mut self, of: RelationId, head: RelationId, kept: &BTreeSet<usize>) {
        let schema = self.program[of].clone();
        let given = self.push_relation(&schema, given_name(schema.name), schema.columns.clone());
        let variables: Vec<Variable> = schema
            .columns
            .iter()
            .map(|column| Variable { name: column.name, ty: column.ty.clone() })
            .collect();
        let args = (0..variables.len()).map(|at| Arg::Var(VarId::new(at))).collect();
        let term = |at: &usize| {
            let ty = variables.get(*at).or_broken(VarId::INVARIANT).ty.ty;
            Term::Expr(super::body::read(VarId::new(*at), ty, schema.span))
        };
        let terms = kept.iter().map(term).collect();
        let body = vec![Literal::Atom(Atom { relation: given, args, span: schema.span })];
        self.program.rules.push(Rule {
            id: schema.name,
            head,
            head_span: schema.span,
            terms,
            body,
            variables,
            limit: None,
            because: None,
            doc: String::new(),
            span: schema.span,
        });
    }

    /// The body over candidates.
    fn with_candidates(&self, body: Vec<Literal>) -> Vec<Literal> {
        let over = |literal: Literal| match literal {
            Literal::Atom(atom) if self.together.contains(&atom.relation) => {
                let of = self.made.get(&atom.relation).or_broken(COLUMNS);
                let args = of.columns.iter().filter_map(|at| atom.args.get(*at).copied()).collect();
                Literal::Atom(Atom { relation: of.relation, args, span: atom.span })
            }
            other => other,
        };
        body.into_iter().map(over).collect()
    }
}

/// An invariant of candidates.
const COLUMNS: &str = "each relation of a recursion has its columns that need no aggregate";

fn is_bound(term: &Term, bound: &BTreeSet<VarId>) -> bool {
    let Term::Expr(expr) = term else { return false };
    let mut all = true;
    expr.for_each_var(&mut |var| all &= bound.contains(&var));
    all
}

/// The literal, after tests that what it computes has a result.
fn defined(literal: Literal) -> Vec<Literal> {
    let mut tests: Vec<Literal> =
        literal.exprs().iter().filter(|expr| expr.may_fail()).map(is_defined).collect();
    tests.push(literal);
    tests
}

fn is_defined(expr: &Expr) -> Literal {
    let span = expr.span;
    let undefined = Expr { kind: ExprKind::Undefined(Box::new(expr.clone())), ty: Type::Bool, span };
    let kind = ExprKind::Call(Op::Not, vec![undefined]);
    Literal::Test { expr: Expr { kind, ty: Type::Bool, span }, span }
}

fn fault(program: &Program, asked: &Asked<'_>, atom: Span, missing: &Missing) -> Diagnostic {
    let rule = &program[asked.rule];
    let name = |relation: &RelationId| program[*relation].name;
    let below = "an atom that doesn't depend on the head too";
    let fault = Diagnostic::new(CYCLE, "the group of this aggregate comes from the recursion that it is in")
        .at(program[rule.head].span, "needs its groups before the recursion")
        .at(atom, "only this gives the group, and it depends on the head of the rule");
    match missing {
        Missing::Fails(span) => fault
            .at(
                *span,
                "may have no result, so the aggregate may not be evaluated for other groups than these",
            )
            .help("compute this outside the braces, or in a relation of its own"),
        Missing::Grows(relation) => fault
            .note(format!("without its aggregates the recursion of `{}` may not terminate", name(relation)))
            .help("bound its new values by a comparison that needs no aggregate, as in `N < 100`"),
        Missing::Fed(relation) => fault
            .note(format!("`{}` is an input: facts of it may be asserted too", name(relation)))
            .help(format!("bind the variables of the group, outside the braces, by {below}")),
        Missing::Value(var) => {
            let var = rule[*var].name;
            fault
                .note(format!("`{var}` has its value from an aggregate of the same recursion"))
                .help(format!("bind `{var}`, outside the braces, by {below}"))
        }
    }
}
