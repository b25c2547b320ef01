//! Demand: which facts a question can reach, found before anything is derived (magic sets).
//!
//! Two programs come from one. The first *finds* what is demanded: a relation `R` asked with some columns bound gets
//! a demand relation of those columns; a rule of `R` hands its demand on to the atoms of its body, each with the
//! columns that the head and the atoms before it bind. Where it needs facts of derived relations for that, it takes
//! more than there are: negation, aggregates, limits and operations that can fail are left out, so it is positive
//! whatever the program is. It runs on the input loaded so far, and tells which more to load. The second *answers*:
//! every rule once for each demand of its head, with that demand as one more condition.
//!
//! A demanded fact has the derivations there that it has in the whole program, in the same rounds: all facts that a
//! match of its rule needs are demanded, those whose absence it needs too, and of a group or a limit the whole group,
//! since only columns that are the same in all of it are handed on. So answers and proofs are the same.
//!
//! Not so the reports of undefined operations: they concern facts that nobody demanded, and with them
//! decisions that are undetermined. A program that can report below the question is not sliced.

mod body;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::relevant::{may_fail, needed};
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::term::Term;
use crate::ir::{Arg, Atom, Literal, Program, Rule, RuleId, Stratum};
use body::{Body, bound_args};
use hence_core::fault::{OrBroken, broken};
use hence_core::schema::{Column, Kind, Relation, RelationId};
use hence_core::symbol::Symbol;

/// How many kinds of demand a question may have; rule sets that are all about each other aren't worth more.
const MOST: usize = 256;

/// An invariant of [`Mask`].
const MASK: &str = "a demand binds columns that its relation has";

/// The columns that a demand binds, as bits.
type Mask = u64;

/// What a question demands.
#[derive(Clone, Debug)]
pub struct Demand {
    /// Derives the demand relations from the input loaded so far. Numbers of the relations are those of the
    /// question's program, then those of the demand relations.
    pub finding: Program,
    /// Answers the question from the input and the demand relations, which are inputs here. The question's own rule
    /// keeps its number.
    pub answering: Program,
    /// The input relations that the question can reach.
    pub inputs: BTreeSet<RelationId>,
    /// Those of them that are needed whole.
    pub whole: BTreeSet<RelationId>,
    /// Input relations of which those facts are needed that begin with the rows of a demand relation.
    pub keyed: Vec<Keyed>,
    /// The demand relations that `answering` reads.
    pub guards: Vec<RelationId>,
}

/// Facts of an input relation that are demanded by their first columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyed {
    /// The input relation.
    pub input: RelationId,
    /// The relation whose rows hold the first columns.
    pub demand: RelationId,
}

/// What `asked`, a derived relation of the program that is wanted whole, demands; `None` where its rules don't allow
/// to tell, or it would be too much to tell. With `absences` the relations that are negated are demanded whole, so
/// that how many facts they have is known.
pub fn demand(program: &Program, asked: RelationId, absences: bool) -> Option<Demand> {
    let needed = needed(program, [asked]);
    let mut below = program.rules.iter().filter(|rule| rule.head != asked && needed.contains(&rule.head));
    if below.any(may_fail) || program.fed().iter().any(|fed| needed.contains(fed)) {
        return None;
    }
    let mut opaque = opaque(program, asked);
    loop {
        let mut maker = Maker::new(program, asked, &opaque, absences);
        maker.run()?;
        if maker.failed.is_empty() {
            return Some(maker.finish(&needed));
        }
        opaque.extend(&maker.failed);
    }
}

/// The relations whose facts, with more than there are, don't follow from rules without aggregates and ranks.
fn opaque(program: &Program, asked: RelationId) -> BTreeSet<RelationId> {
    let ranks = |rule: &&Rule| rule.limit.as_ref().is_some_and(|limit| limit.rank.is_some());
    let rules = program.rules.iter().filter(|rule| rule.is_aggregate() || ranks(rule));
    rules.map(|rule| rule.head).chain([asked]).collect()
}

struct Maker<'p> {
    program: &'p Program,
    asked: RelationId,
    opaque: &'p BTreeSet<RelationId>,
    absences: bool,
    /// The demand relations by what they demand.
    demands: BTreeMap<(RelationId, Mask), RelationId>,
    relations: Vec<Relation>,
    /// Demands of derived relations that no rule has handed on yet.
    open: VecDeque<(RelationId, Mask)>,
    seen: BTreeSet<(RelationId, Mask)>,
    finding: Vec<Rule>,
    answering: Vec<Rule>,
    /// The conditions that a rule of the answering program has already.
    guarded: BTreeSet<(u32, Mask)>,
    guards: BTreeSet<RelationId>,
    whole: BTreeSet<RelationId>,
    keyed: Vec<Keyed>,
    /// Relations that turned out to be opaque.
    failed: BTreeSet<RelationId>,
}

impl<'p> Maker<'p> {
    fn new(
        program: &'p Program,
        asked: RelationId,
        opaque: &'p BTreeSet<RelationId>,
        absences: bool,
    ) -> Self {
        Self {
            program,
            asked,
            opaque,
            absences,
            demands: BTreeMap::new(),
            relations: program.relations.clone(),
            open: VecDeque::new(),
            seen: BTreeSet::new(),
            finding: Vec::new(),
            answering: program.rules.clone(),
            guarded: BTreeSet::new(),
            guards: BTreeSet::new(),
            whole: BTreeSet::new(),
            keyed: Vec::new(),
            failed: BTreeSet::new(),
        }
    }

    fn run(&mut self) -> Option<()> {
        self.open.push_back((self.asked, 0));
        while let Some((relation, mask)) = self.open.pop_front() {
            if self.seen.len() > MOST {
                return None;
            }
            let program = self.program;
            for (at, rule) in program.rules.iter().enumerate().filter(|(_, rule)| rule.head == relation) {
                self.rule(at as u32, rule, mask);
            }
        }
        Some(())
    }

    /// Hands the demand of a rule's head on to its body.
    fn rule(&mut self, id: u32, rule: &'p Rule, mask: Mask) {
        let mut guard = None;
        if rule.head != self.asked {
            let kept = mask & handed_on(rule);
            let atom = self.guard(rule, mask, kept);
            if self.guarded.insert((id, kept)) {
                self.guards.insert(atom.relation);
                let mut copy = rule.clone();
                copy.body.insert(0, Literal::Atom(atom.clone()));
                self.answering.push(copy);
            }
            guard = Some(atom);
        }
        let mut body = Body::new(rule, guard);
        loop {
            body.settle();
            let Some(atom) = body.choose(self.program, self.opaque) else { break };
            self.demand(rule, &body, atom, false);
            if !self.opaque.contains(&atom.relation) {
                body.take(atom);
            }
        }
        for literal in &rule.body {
            if let Literal::Not(atom) = literal {
                self.demand(rule, &body, atom, self.absences);
            }
        }
        if !self.opaque.contains(&rule.head) {
            if body.binds_head() {
                self.finding
                    .push(Rule { limit: None, ..self.found(rule, rule.head, rule.terms.clone(), &body) });
            } else {
                self.failed.insert(rule.head);
            }
        }
    }

    /// The condition that the head is demanded, as far as `kept` columns tell.
    fn guard(&mut self, rule: &Rule, mask: Mask, kept: Mask) -> Atom {
        let (of, narrow) = (self.relation(rule.head, mask), self.relation(rule.head, kept));
        if of != narrow {
            self.project(rule, (of, mask), (narrow, kept));
        }
        let args = columns(kept).map(|column| match rule.terms.get(column) {
            Some(Term::Expr(Expr { kind: ExprKind::Var(var), .. })) => Arg::Var(*var),
            Some(Term::Expr(Expr { kind: ExprKind::Const(value), .. })) => Arg::Const(*value),
            Some(Term::Expr(Expr { kind: ExprKind::Param(param), .. })) => Arg::Param(*param),
            _ => broken("the columns that are handed on are variables and values"),
        });
        Atom { relation: narrow, args: args.collect(), span: rule.span }
    }

    /// The rule that what is demanded with some columns is demanded with fewer.
    fn project(&mut self, rule: &Rule, (from, mask): (RelationId, Mask), (to, kept): (RelationId, Mask)) {
        let relation = &self.program[rule.head];
        let variables = relation
            .columns
            .iter()
            .map(|column| crate::builtins::term::Variable { name: column.name, ty: column.ty.clone() });
        let var = |column: usize| VarId(column as u32);
        let read = |column: usize| {
            let ty = column_of(relation, column).ty.ty;
            Term::Expr(Expr { kind: ExprKind::Var(var(column)), ty, span: rule.span })
        };
        let arg = |column| if kept & bit(column) != 0 { Arg::Var(var(column)) } else { Arg::Any };
        let atom = Atom { relation: from, args: columns(mask).map(arg).collect(), span: rule.span };
        self.finding.push(Rule {
            id: rule.id,
            head: to,
            head_span: rule.head_span,
            terms: columns(kept).map(read).collect(),
            body: vec![Literal::Atom(atom)],
            variables: variables.collect(),
            limit: None,
            because: None,
            doc: String::new(),
            span: rule.span,
        });
    }

    /// Demands what an atom can match after the literals of `body`; with `all` its whole relation.
    fn demand(&mut self, rule: &Rule, body: &Body<'_>, atom: &Atom, all: bool) {
        let input = self.program[atom.relation].kind == Kind::Input;
        let bound = bound_args(atom, &body.bound);
        let mask = match (all, input) {
            (true, _) => 0,
            // Only the first columns lead anywhere in a ledger.
            (false, true) => low(bound.trailing_ones()),
            (false, false) => bound,
        };
        if input && mask == 0 {
            self.whole.insert(atom.relation);
            return;
        }
        let demand = self.relation(atom.relation, mask);
        let terms =
            columns(mask).map(|column| term(atom.args.get(column).or_broken(MASK), rule, self.program));
        let terms = terms.collect();
        let made = self.found(rule, demand, terms, body);
        self.finding.push(made);
        if !self.seen.insert((atom.relation, mask)) {
            return;
        }
        if input {
            self.keyed.push(Keyed { input: atom.relation, demand });
        } else {
            self.open.push_back((atom.relation, mask));
        }
    }

    fn found(&self, rule: &Rule, head: RelationId, terms: Vec<Term>, body: &Body<'_>) -> Rule {
        Rule {
            id: rule.id,
            head,
            head_span: rule.head_span,
            terms,
            body: body.literals.clone(),
            variables: rule.variables.clone(),
            limit: None,
            because: None,
            doc: String::new(),
            span: rule.span,
        }
    }

    /// The demand relation of some columns of a relation.
    fn relation(&mut self, relation: RelationId, mask: Mask) -> RelationId {
        let next = RelationId(self.relations.len() as u32);
        let demand = *self.demands.entry((relation, mask)).or_insert(next);
        if demand == next {
            let of = &self.program[relation];
            self.relations.push(Relation {
                name: Symbol::new(&format!("?{} {mask:b}", of.name)),
                kind: Kind::Derived,
                columns: columns(mask).map(|column| column_of(of, column).clone()).collect(),
                doc: String::new(),
                requires: None,
                authors: None,
                personal: Vec::new(),
                span: of.span,
            });
        }
        demand
    }

    fn finish(self, needed: &BTreeSet<RelationId>) -> Demand {
        let is_input = |id: &RelationId| self.program[*id].kind == Kind::Input;
        let inputs = needed.iter().copied().filter(is_input).collect();
        Demand {
            inputs,
            whole: self.whole.clone(),
            keyed: self.keyed.clone(),
            guards: self.guards.iter().copied().collect(),
            finding: self.finding_program(needed),
            answering: self.answering_program(needed),
        }
    }

    /// One stratum, since all of it is positive.
    fn finding_program(&self, needed: &BTreeSet<RelationId>) -> Program {
        let mut relations = self.relations.clone();
        let own = self.program.relations.len();
        let mut derived = Vec::new();
        for (at, relation) in relations.iter_mut().enumerate() {
            let id = RelationId(at as u32);
            if at >= own || (needed.contains(&id) && relation.kind != Kind::Input) {
                relation.kind = Kind::Derived;
                derived.push(id);
            } else {
                relation.kind = Kind::Input;
            }
        }
        let recursive =
            self.finding.iter().flat_map(Rule::reads).any(|read| derived.binary_search(&read).is_ok());
        let rules = (0..self.finding.len() as u32).map(RuleId).collect();
        let facts = self.program.facts.iter().filter(|fact| needed.contains(&fact.relation));
        Program {
            relations,
            params: self.program.params.clone(),
            rules: self.finding.clone(),
            facts: facts.cloned().collect(),
            strata: vec![Stratum { relations: derived, rules, recursive }],
        }
    }

    fn answering_program(&self, needed: &BTreeSet<RelationId>) -> Program {
        let mut relations = self.relations.clone();
        for relation in relations.iter_mut().skip(self.program.relations.len()) {
            relation.kind = Kind::Input;
        }
        let own = self.program.rules.len();
        let mut strata = super::relevant(self.program, needed).strata;
        for stratum in &mut strata {
            if !stratum.relations.contains(&self.asked) {
                let copies = self.answering.iter().enumerate().skip(own);
                let copies = copies.filter(|(_, rule)| stratum.relations.contains(&rule.head));
                stratum.rules = copies.map(|(at, _)| RuleId(at as u32)).collect();
            }
        }
        let facts = self.program.facts.iter().filter(|fact| needed.contains(&fact.relation));
        Program {
            relations,
            params: self.program.params.clone(),
            rules: self.answering.clone(),
            facts: facts.cloned().collect(),
            strata,
        }
    }
}

/// The columns of the head whose values are the same in everything that a fact of the rule follows from: of a group
/// the columns that make it, of a limit those of `per`. Values that the body computes can't be handed on.
fn handed_on(rule: &Rule) -> Mask {
    let computed: BTreeSet<VarId> = rule.computed().collect();
    let mut mask = 0;
    for (column, term) in rule.terms.iter().enumerate().take(Mask::BITS as usize) {
        let Term::Expr(expr) = term else { continue };
        let handed = match expr.kind {
            ExprKind::Var(var) => {
                !computed.contains(&var) && rule.limit.as_ref().is_none_or(|limit| limit.per.contains(&var))
            }
            ExprKind::Const(_) | ExprKind::Param(_) => true,
            _ => false,
        };
        if handed {
            mask |= bit(column);
        }
    }
    mask
}

fn term(arg: &Arg, rule: &Rule, program: &Program) -> Term {
    let (kind, ty) = match *arg {
        Arg::Any => broken("only columns that are bound are demanded"),
        Arg::Var(var) => (ExprKind::Var(var), rule[var].ty.ty),
        Arg::Const(value) => (ExprKind::Const(value), value.ty()),
        Arg::Param(param) => (ExprKind::Param(param), program[param].ty.ty),
    };
    Term::Expr(Expr { kind, ty, span: rule.span })
}

fn column_of(relation: &Relation, column: usize) -> &Column {
    relation.columns.get(column).or_broken(MASK)
}

fn columns(mask: Mask) -> impl Iterator<Item = usize> {
    (0..Mask::BITS as usize).filter(move |column| mask & bit(*column) != 0)
}

fn bit(column: usize) -> Mask {
    1_u64.checked_shl(column as u32).or_broken("a mask has a bit for each column that it may bind")
}

/// The lowest `count` bits.
fn low(count: u32) -> Mask {
    1_u64.checked_shl(count).map_or(Mask::MAX, |bit| bit - 1)
}
