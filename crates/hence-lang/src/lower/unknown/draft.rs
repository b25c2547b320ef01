//! The ways in which a rule can hold possibly: of each atom one of the possible versions, of each operation that it has
//! a result or none, and what is unknown then.

use std::collections::{BTreeMap, BTreeSet};

use super::expression::{is_never_defined, not_false, undefined, with_unknown};
use super::safe::make_safe;
use super::{Columns, RelationId};
use crate::builtins::expr::{Expr, VarId};
use crate::builtins::term::{Part, Sentence, Term, Variable};
use crate::ir::{Arg, Atom, Literal, Program, Rule};
use crate::lower::body::make;
use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;

/// In so many ways a rule may hold; beyond, what it derives is possible whatever those facts are that may be unknown.
pub(super) const MOST: usize = 256;

/// The possible versions of relations.
pub(super) type Versions = BTreeMap<RelationId, BTreeMap<Columns, RelationId>>;

/// One way in which a rule can hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// The literals with their places in the rule.
    literals: Vec<(usize, Literal)>,
    known: BTreeSet<VarId>,
    unknown: BTreeSet<VarId>,
    /// The columns of the head that are unknown, and the terms of all others.
    pub(super) columns: Columns,
    terms: Vec<Term>,
    /// Variables that it has beside those of the rule.
    made: Vec<Variable>,
    /// Whether whatever follows in this way isn't certain.
    uncertain: bool,
}

/// All ways in which a rule without aggregates and limit can hold, and whether they are taken coarser than they are.
///
/// A way that may be certain is taken once for each literal that may be the one that isn't: so a proof always tells
/// what a possible fact hangs on.
pub(super) fn drafts(program: &Program, rule: &Rule, versions: &Versions) -> (Vec<Draft>, bool) {
    let exact = Drafts { program, rule, versions, coarse: false };
    match exact.all() {
        Some(drafts) => {
            let (uncertain, open): (Vec<Draft>, Vec<Draft>) =
                drafts.into_iter().partition(|draft| draft.uncertain);
            let doubted = open.iter().flat_map(|draft| exact.doubted(draft));
            (doubted.chain(uncertain.iter().cloned()).collect(), false)
        }
        None => {
            let coarse = Drafts { coarse: true, ..exact }.all();
            (coarse.or_broken("there is one coarse way in which a rule can hold"), true)
        }
    }
}

#[derive(Clone, Copy)]
struct Drafts<'a> {
    program: &'a Program,
    rule: &'a Rule,
    versions: &'a Versions,
    /// Whether all that may be unknown is taken for it.
    coarse: bool,
}

impl Drafts<'_> {
    fn all(self) -> Option<Vec<Draft>> {
        let mut drafts = vec![Draft::default()];
        for (at, atom) in self.literals(Literal::positive) {
            drafts = each(drafts, |draft| self.atom(draft, at, atom))?;
        }
        let computed: BTreeSet<VarId> = self.rule.computed().collect();
        let matched: BTreeSet<VarId> =
            self.rule.positive().flat_map(Atom::vars).filter(|var| !computed.contains(var)).collect();
        for draft in &mut drafts {
            draft.unknown = matched.difference(&draft.known).copied().collect();
        }
        for (at, literal) in self.in_order(matched) {
            drafts = each(drafts, |draft| self.literal(draft, at, literal))?;
        }
        for (at, literal) in self.rule.body.iter().enumerate().filter(|(_, one)| is_condition(one)) {
            drafts = each(drafts, |draft| self.literal(draft, at, literal))?;
        }
        for (column, term) in self.rule.terms.iter().enumerate() {
            if let Term::Expr(expr) = term {
                drafts = each(drafts, |draft| self.term(draft, column, expr))?;
            }
        }
        Some(drafts)
    }

    fn literals<'r, T>(self, wanted: impl Fn(&'r Literal) -> Option<T>) -> impl Iterator<Item = (usize, T)>
    where
        Self: 'r,
    {
        let body: &'r [Literal] = &self.rule.body;
        body.iter().enumerate().filter_map(move |(at, literal)| Some((at, wanted(literal)?)))
    }

    /// The literals that compute something, each after those whose variables it reads.
    fn in_order(&self, mut settled: BTreeSet<VarId>) -> Vec<(usize, &Literal)> {
        let mut open: Vec<_> =
            self.rule.body.iter().enumerate().filter(|(_, one)| one.computed().is_some()).collect();
        let mut order = Vec::with_capacity(open.len());
        while let Some(place) =
            open.iter().position(|(_, literal)| literal.is_ready(|var| settled.contains(&var)))
        {
            let (at, literal) = open.remove(place);
            settled.extend(literal.computed());
            order.push((at, literal));
        }
        assert!(open.is_empty(), "what a safe rule computes has an order");
        order
    }

    /// The drafts with each possible version of an atom's relation.
    fn atom(self, draft: &Draft, at: usize, atom: &Atom) -> Vec<Draft> {
        let Some(versions) = self.versions.get(&atom.relation) else {
            return vec![draft.matching(at, atom.clone(), false)];
        };
        if self.coarse {
            return vec![Draft { uncertain: true, ..draft.clone() }];
        }
        let versions = versions.iter();
        let of = |(columns, version): (&Columns, &RelationId)| {
            draft.matching(at, of_version(atom, columns, *version), !columns.is_empty())
        };
        versions.map(of).collect()
    }

    /// The drafts in which an operation has a result, and in which it has none.
    fn literal(self, draft: &Draft, at: usize, literal: &Literal) -> Vec<Draft> {
        if let Literal::Not(atom) = literal {
            let known = atom.vars().all(|var| !draft.unknown.contains(&var));
            let mut next = Draft { uncertain: draft.uncertain || !known, ..draft.clone() };
            next.literals.extend(known.then(|| (at, literal.clone())));
            return vec![next];
        }
        let exprs: Vec<Expr> =
            literal.exprs().iter().map(|expr| with_unknown(expr, &draft.unknown)).collect();
        if let (Literal::Test { span, .. }, [expr], false) = (literal, exprs.as_slice(), self.coarse)
            && expr.may_fail()
        {
            let mut next = draft.clone();
            next.uncertain |= is_never_defined(expr);
            next.literals.push((at, not_false(expr, *span)));
            return vec![next];
        }
        let mut drafts = Vec::new();
        let failing: Vec<Expr> = exprs.iter().filter(|expr| expr.may_fail()).cloned().collect();
        if !exprs.iter().any(is_never_defined) && (failing.is_empty() || !self.coarse) {
            let mut next = draft.clone();
            next.known.extend(literal.computed());
            next.literals.push((at, with_exprs(literal, exprs)));
            drafts.push(next);
        }
        if !failing.is_empty() {
            let mut next = Draft { uncertain: true, ..draft.clone() };
            next.unknown.extend(literal.computed().filter(|var| !next.known.contains(var)));
            next.literals.extend((!self.coarse).then(|| (at, undefined(failing, literal.span()))));
            drafts.push(next);
        }
        drafts
    }

    /// The drafts in which a column of the head has a value, and in which it has none.
    fn term(self, draft: &Draft, column: usize, expr: &Expr) -> Vec<Draft> {
        let expr = with_unknown(expr, &draft.unknown);
        let mut drafts = Vec::new();
        let left_open = is_never_defined(&expr) || (self.coarse && expr.may_fail());
        if !left_open {
            let mut next = draft.clone();
            next.terms.push(Term::Expr(expr.clone()));
            drafts.push(next);
        }
        if expr.may_fail() {
            let mut next = Draft { uncertain: true, ..draft.clone() };
            next.columns.push(column);
            let (at, span, fails) = (self.rule.body.len(), expr.span, !is_never_defined(&expr));
            next.literals.extend((fails && !self.coarse).then(|| (at, undefined(vec![expr], span))));
            drafts.push(next);
        }
        drafts
    }

    /// A draft that may be certain, once for each literal that isn't then.
    fn doubted(self, draft: &Draft) -> Vec<Draft> {
        let places = self.rule.body.iter().enumerate();
        places.flat_map(|(at, literal)| self.doubted_at(draft, at, literal)).collect()
    }

    fn doubted_at(self, draft: &Draft, at: usize, literal: &Literal) -> Vec<Draft> {
        match literal {
            Literal::Atom(atom) if self.versions.contains_key(&atom.relation) => {
                vec![self.only_possible(draft, at, atom)]
            }
            Literal::Not(atom) => {
                let versions = self.versions.get(&atom.relation).into_iter().flatten();
                let found = |(columns, version): (&Columns, &RelationId)| {
                    draft.with(at, Literal::Atom(of_version(atom, columns, *version)))
                };
                versions.map(found).collect()
            }
            Literal::Test { expr, span } if expr.may_fail() => {
                let mut next = draft.clone();
                next.literals.retain(|(place, _)| *place != at);
                vec![next.with(at, undefined(vec![expr.clone()], *span))]
            }
            _ => Vec::new(),
        }
    }

    /// The draft with a fact for an atom that isn't certain.
    fn only_possible(self, draft: &Draft, at: usize, atom: &Atom) -> Draft {
        let mut next = draft.clone();
        let mut whole = atom.clone();
        let mut variables: Vec<Variable> = self.rule.variables.iter().chain(&next.made).cloned().collect();
        for (arg, ty) in whole.args.iter_mut().zip(self.program[atom.relation].types()) {
            if *arg == Arg::Any {
                *arg = Arg::Var(make(&mut variables, ty));
            }
        }
        next.made = variables.split_off(self.rule.variables.len());
        let read = next.literals.iter_mut().find(|(place, _)| *place == at);
        if let Some((_, Literal::Atom(read))) = read {
            read.args.clone_from(&whole.args);
        }
        next.with(at, Literal::Not(whole))
    }
}

/// What `of` makes of each draft; `None` where that is too much.
fn each(drafts: Vec<Draft>, of: impl Fn(&Draft) -> Vec<Draft>) -> Option<Vec<Draft>> {
    let drafts: Vec<Draft> = drafts.iter().flat_map(of).take(MOST + 1).collect();
    (drafts.len() <= MOST).then_some(drafts)
}

fn is_condition(literal: &Literal) -> bool {
    literal.positive().is_none() && literal.computed().is_none()
}

/// An atom that reads a version of its relation.
pub(super) fn of_version(atom: &Atom, columns: &Columns, version: RelationId) -> Atom {
    let args = atom.args.iter().enumerate().filter(|(column, _)| !columns.contains(column));
    Atom { relation: version, args: args.map(|(_, arg)| *arg).collect(), span: atom.span }
}

fn with_exprs(literal: &Literal, exprs: Vec<Expr>) -> Literal {
    let mut literal = literal.clone();
    literal.exprs_mut().iter_mut().zip(exprs).for_each(|(own, expr)| *own = expr);
    literal
}

impl Draft {
    fn matching(&self, at: usize, atom: Atom, uncertain: bool) -> Self {
        let mut next = self.clone();
        next.known.extend(atom.vars());
        next.literals.push((at, Literal::Atom(atom)));
        next.uncertain |= uncertain;
        next
    }

    /// The same with one literal more.
    fn with(&self, at: usize, literal: Literal) -> Self {
        let mut next = self.clone();
        next.literals.push((at, literal));
        next
    }

    /// The rule that derives the facts of `head` that follow in this way from `rule`.
    pub(super) fn rule(mut self, rule: &Rule, head: RelationId) -> Rule {
        let because = rule.because.as_ref().map(|sentence| self.told(sentence));
        self.literals.sort_by_key(|(at, _)| *at);
        let mut variables: Vec<Variable> = rule.variables.iter().cloned().chain(self.made).collect();
        let body = self.literals.into_iter().map(|(_, literal)| literal).collect();
        Rule {
            id: rule.id,
            head,
            terms: self.terms,
            body: make_safe(body, &mut variables),
            variables,
            limit: None,
            because,
            doc: rule.doc.clone(),
            head_span: rule.head_span,
            span: rule.span,
        }
    }

    /// A sentence that says of what is unknown that it is.
    fn told(&self, sentence: &Sentence) -> Sentence {
        let part = |part: &Part| match *part {
            Part::Var(var, _) if !self.known.contains(&var) => Part::Text(Symbol::new("unknown")),
            Part::Column(at, _) if self.columns.contains(&(at as usize)) => {
                Part::Text(Symbol::new("unknown"))
            }
            Part::Column(at, format) => {
                let before = self.columns.iter().filter(|column| **column < at as usize).count();
                Part::Column(at.saturating_sub(before as u32), format)
            }
            other => other,
        };
        Sentence { parts: sentence.parts.iter().map(part).collect() }
    }
}

/// The negated atoms that a rule has beside its own, so that it holds certainly: no possible fact matches.
pub(super) fn certainly(rule: &Rule, versions: &Versions) -> Vec<Literal> {
    let negated = rule.body.iter().filter_map(Literal::negated);
    let possible = negated.flat_map(|atom| {
        let versions = versions.get(&atom.relation).into_iter().flatten();
        versions.map(|(columns, version)| Literal::Not(of_version(atom, columns, *version)))
    });
    possible.collect()
}

/// An argument for an expression that is a variable, a literal or a parameter.
pub(super) fn arg(expr: &Expr) -> Option<Arg> {
    use crate::builtins::expr::ExprKind;
    match expr.kind {
        ExprKind::Var(var) => Some(Arg::Var(var)),
        ExprKind::Const(value) => Some(Arg::Const(value)),
        ExprKind::Param(param) => Some(Arg::Param(param)),
        _ => None,
    }
}
