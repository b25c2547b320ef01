//! Rules with aggregates and limits: a group with a match that is possible and not certain is *tainted*. Nothing is
//! reasoned about the values that it could come to.
//!
//! The matches of such a rule get a relation of their own, with a column for every variable and every expression of
//! the head, so that a match is uncertain where its row is in a possible version and isn't certain.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::{arg, certainly};
use super::expression::is_leaf;
use super::maker::{Maker, Over};
use super::{Columns, RelationId};
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::term::{Limit, Term};
use crate::ir::{Arg, Atom, Literal, Rule, RuleId};
use crate::lower::body::{make, read};
use hence_core::fault::OrBroken;
use hence_core::schema::{Column, ColumnType};
use hence_core::symbol::Symbol;

/// The matches of a rule.
struct Matches {
    rule: Rule,
    relation: RelationId,
    /// What the columns hold.
    columns: Vec<Expr>,
    /// The columns that make the group.
    group: BTreeSet<usize>,
    /// The tainted groups, by the columns of them that are unknown.
    tainted: BTreeMap<Columns, RelationId>,
}

/// Where a column of the head comes from.
enum From {
    /// A column of the matches.
    Column(usize),
    /// The same for all.
    Value,
    /// An aggregate or a rank.
    Group,
}

impl Maker<'_> {
    /// Makes the rule hold only for groups that are certain; the rules by which it holds possibly.
    pub(super) fn grouped(&mut self, id: RuleId) -> Vec<Rule> {
        let matches = self.matches(id);
        let certain = matches.certain();
        self.rules[id] = certain.clone();
        match matches.rule.limit {
            Some(_) => self.ranked(&matches),
            None => self.aggregated(&matches, &certain),
        }
    }

    fn matches(&mut self, id: RuleId) -> Matches {
        let rule = self.program[id].clone();
        let all = self.with_all_columns(&rule);
        let columns = columns(&all);
        let schema = columns.iter().enumerate().map(|(at, expr)| {
            let name = match expr.kind {
                ExprKind::Var(var) => all[var].name,
                _ => Symbol::new(&format!("value {at}")),
            };
            Column::new(name, ColumnType::plain(expr.ty))
        });
        let relation = self.helper(&rule, "matches", schema.collect());
        let of_matches = Rule {
            head: relation,
            terms: columns.iter().cloned().map(Term::Expr).collect(),
            limit: None,
            because: None,
            ..all
        };
        self.version(relation, Columns::new());
        let mut certain = of_matches.clone();
        certain.body.extend(certainly(&of_matches, &self.versions));
        self.push_stratum(vec![relation], vec![certain]);
        let mut possible = self.possible(&[(relation, of_matches)]);
        possible.push(self.copied(relation));
        let versions = self.versions_of(relation);
        self.push_stratum(versions, possible);
        let group = group(&rule).filter_map(|expr| place(&columns, &expr)).collect();
        let mut matches = Matches { rule, relation, columns, group, tainted: BTreeMap::new() };
        self.taint(&mut matches);
        matches
    }

    /// The rule with a variable for each column of its positive atoms, so that its variables tell its matches apart.
    fn with_all_columns(&self, rule: &Rule) -> Rule {
        let mut rule = rule.clone();
        let Rule { body, variables, .. } = &mut rule;
        for literal in body {
            let Literal::Atom(atom) = literal else { continue };
            for (arg, ty) in atom.args.iter_mut().zip(self.program[atom.relation].types()) {
                if *arg == Arg::Any {
                    *arg = Arg::Var(make(variables, ty));
                }
            }
        }
        rule
    }

    /// The relations of tainted groups.
    fn taint(&mut self, matches: &mut Matches) {
        let over = Over::new(self.schema(matches.relation));
        let versions = self.versions.get(&matches.relation).cloned().or_broken(VERSIONS);
        let mut rules = Vec::new();
        for (unknown, version) in versions {
            let known = |column: &usize| !unknown.contains(column);
            let group: Vec<usize> = matches.group.iter().copied().filter(known).collect();
            let open: Columns = matches.group.iter().copied().filter(|column| !known(column)).collect();
            let tainted = *matches.tainted.entry(open).or_insert_with(|| {
                let schema = group.iter().map(|column| column_of(self.schema(matches.relation), *column));
                let schema = schema.collect();
                self.helper(&matches.rule, "uncertain", schema)
            });
            let mut body = vec![Literal::Atom(over.atom(version, &unknown))];
            if unknown.is_empty() {
                body.push(Literal::Not(over.atom(matches.relation, &Columns::new())));
            }
            rules.push(over.rule(matches.rule.id, tainted, over.terms(group), body, matches.rule.span));
        }
        self.push_stratum(matches.tainted.values().copied().collect(), rules);
    }

    /// The possible facts of a rule with aggregates.
    fn aggregated(&mut self, matches: &Matches, certain: &Rule) -> Vec<Rule> {
        let over = Over::new(self.schema(matches.relation));
        let rule = &matches.rule;
        let mut made = Vec::new();
        for (open, tainted) in &matches.tainted {
            let group = matches.group.iter().copied().filter(|column| !open.contains(column));
            let uncertain = Literal::Atom(over.some(*tainted, group));
            let (unknown, terms) = matches.head(&over, open);
            let head = self.version(rule.head, unknown);
            made.push(over.rule(rule.id, head, terms, vec![uncertain.clone()], rule.span));
            if !open.is_empty() {
                // A match of which it isn't known to which group it belongs may belong to any that agrees.
                let (unknown, terms) = matches.head(&over, &Columns::new());
                let head = self.version(rule.head, unknown);
                let body = vec![Literal::Atom(over.atom(matches.relation, &Columns::new())), uncertain];
                made.push(over.rule(rule.id, head, terms, body, rule.span));
            }
        }
        made.extend(self.undefined_aggregates(matches, certain));
        made
    }

    /// The possible facts of groups that are certain, and of which an aggregate has no value: one rule for each choice of
    /// those that have none.
    fn undefined_aggregates(&mut self, matches: &Matches, certain: &Rule) -> Vec<Rule> {
        let rule = &matches.rule;
        let fails = |term: &Term| matches!(term, Term::Aggregate { aggregate, .. } if aggregate.may_fail());
        let failing: Vec<usize> =
            rule.terms.iter().enumerate().filter(|(_, term)| fails(term)).map(|(at, _)| at).collect();
        // Each by itself; where that is too much, one without a value makes the others unknown too.
        let apart: Vec<Columns> = match failing.len() <= MOST_AGGREGATES {
            true => failing.iter().map(|column| vec![*column]).collect(),
            false => vec![failing],
        };
        let values: Vec<(Columns, RelationId)> =
            apart.into_iter().map(|columns| (columns.clone(), self.values(certain, &columns))).collect();
        let mut made = Vec::new();
        for choice in 1_usize..1 << values.len() {
            let chosen = values.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1);
            let chosen: Vec<&(Columns, RelationId)> = chosen.map(|(_, value)| value).collect();
            let unknown: Columns = chosen.iter().flat_map(|(columns, _)| columns.clone()).collect();
            let mut one = without_columns(certain, &unknown);
            let args = group_args(&mut one);
            for (columns, values) in chosen {
                let args = args.iter().copied().chain(columns.iter().map(|_| Arg::Any)).collect();
                one.body.push(Literal::Not(Atom { relation: *values, args, span: rule.span }));
            }
            one.head = self.version(rule.head, unknown);
            made.push(one);
        }
        made
    }

    /// The relation of the values of some aggregates, after the columns of the group.
    fn values(&mut self, certain: &Rule, columns: &Columns) -> RelationId {
        let (group, aggregates): (Columns, Columns) =
            (0..certain.terms.len()).partition(|at| matches!(certain.terms.get(*at), Some(Term::Expr(_))));
        let wanted: Columns =
            group.into_iter().chain(aggregates.into_iter().filter(|at| columns.contains(at))).collect();
        let terms = wanted.iter().filter_map(|at| certain.terms.get(*at).cloned()).collect();
        let schema = self.schema(certain.head);
        let schema = wanted.iter().map(|at| column_of(schema, *at)).collect();
        let head = self.helper(certain, "values", schema);
        self.push_stratum(vec![head], vec![Rule { head, terms, because: None, ..certain.clone() }]);
        head
    }

    /// The possible facts of a rule with a limit: every head of a tainted group.
    fn ranked(&mut self, matches: &Matches) -> Vec<Rule> {
        let over = Over::new(self.schema(matches.relation));
        let rule = &matches.rule;
        let versions = self.versions.get(&matches.relation).cloned().or_broken(VERSIONS);
        let mut made = Vec::new();
        for (unknown, version) in versions {
            let (head_unknown, terms) = matches.head(&over, &unknown);
            let head = self.version(rule.head, head_unknown);
            let matched = Literal::Atom(over.atom(version, &unknown));
            if !unknown.is_empty() {
                made.push(over.rule(rule.id, head, terms, vec![matched], rule.span));
                continue;
            }
            for (open, tainted) in &matches.tainted {
                let group = matches.group.iter().copied().filter(|column| !open.contains(column));
                let body = vec![matched.clone(), Literal::Atom(over.some(*tainted, group))];
                made.push(over.rule(rule.id, head, terms.clone(), body, rule.span));
            }
        }
        made
    }
}

/// What the making of matches establishes.
const VERSIONS: &str = "the matches of a rule have possible versions";

/// Of so many aggregates of a rule it is told apart which of them have no value.
const MOST_AGGREGATES: usize = 6;

impl Matches {
    /// The rule for groups that are certain.
    fn certain(&self) -> Rule {
        let mut rule = self.rule.clone();
        let group: Vec<(usize, Arg)> =
            self.group.iter().map(|column| (*column, self.arg(&mut rule, *column))).collect();
        for (open, tainted) in &self.tainted {
            let args = group.iter().filter(|(column, _)| !open.contains(column)).map(|(_, arg)| *arg);
            let atom = Atom { relation: *tainted, args: args.collect(), span: rule.span };
            rule.body.push(Literal::Not(atom));
        }
        rule
    }

    fn arg(&self, rule: &mut Rule, column: usize) -> Arg {
        argument(rule, self.columns.get(column).or_broken("a group is made of columns of the matches"))
    }

    /// The columns of the head that are unknown where some of the matches are, and the terms of all others.
    fn head(&self, over: &Over, open: &Columns) -> (Columns, Vec<Term>) {
        let (mut unknown, mut terms) = (Columns::new(), Vec::new());
        for (at, term) in self.rule.terms.iter().enumerate() {
            match self.from(term) {
                From::Column(column) if !open.contains(&column) => terms.push(over.term(column)),
                From::Value => terms.push(term.clone()),
                From::Column(_) | From::Group => unknown.push(at),
            }
        }
        (unknown, terms)
    }

    fn from(&self, term: &Term) -> From {
        let Term::Expr(expr) = term else { return From::Group };
        match (place(&self.columns, expr), is_leaf(expr)) {
            (Some(column), _) => From::Column(column),
            (None, true) if !matches!(expr.kind, ExprKind::Var(_)) => From::Value,
            // The rank of a limit is no variable of the body.
            (None, _) => From::Group,
        }
    }
}

/// The variables of the body and what the head computes of them.
fn columns(rule: &Rule) -> Vec<Expr> {
    let bound: BTreeSet<VarId> = rule.body.iter().flat_map(Literal::binds).collect();
    let mut columns: Vec<Expr> = bound.into_iter().map(|var| read(var, rule[var].ty.ty, rule.span)).collect();
    let limit = rule.limit.iter().flat_map(|limit| limit.keys().chain([&limit.count]));
    for expr in rule.head_exprs().chain(limit).filter(|expr| !is_leaf(expr)) {
        if !columns.contains(expr) {
            columns.push(expr.clone());
        }
    }
    columns
}

/// What makes a group: the plain terms of a head with aggregates, the variables of `per`.
fn group(rule: &Rule) -> impl Iterator<Item = Expr> {
    let per = |limit: &Limit| -> Vec<Expr> {
        limit.per.iter().map(|var| read(*var, rule[*var].ty.ty, rule.span)).collect()
    };
    let terms = rule.terms.iter().filter_map(|term| match term {
        Term::Expr(expr) => Some(expr.clone()),
        Term::Aggregate { .. } => None,
    });
    let group: Vec<Expr> = rule.limit.as_ref().map_or_else(|| terms.collect(), per);
    group.into_iter()
}

/// The column that holds an expression.
fn place(columns: &[Expr], expr: &Expr) -> Option<usize> {
    columns.iter().position(|column| match (&column.kind, &expr.kind) {
        (ExprKind::Var(one), ExprKind::Var(other)) => one == other,
        _ => column == expr,
    })
}

/// The rule without some columns of its head.
fn without_columns(rule: &Rule, columns: &Columns) -> Rule {
    let terms = rule.terms.iter().enumerate().filter(|(at, _)| !columns.contains(at));
    Rule { terms: terms.map(|(_, term)| term.clone()).collect(), because: None, ..rule.clone() }
}

/// The plain terms of a head as arguments.
fn group_args(rule: &mut Rule) -> Vec<Arg> {
    let group: Vec<Expr> = group(rule).collect();
    group.iter().map(|expr| argument(rule, expr)).collect()
}

/// An expression as an argument: where it is an operation, the variable that is bound to it.
fn argument(rule: &mut Rule, expr: &Expr) -> Arg {
    arg(expr).unwrap_or_else(|| {
        let var = make(&mut rule.variables, expr.ty);
        rule.body.push(Literal::Bind { var, expr: expr.clone(), span: expr.span });
        Arg::Var(var)
    })
}

fn column_of(relation: &hence_core::schema::Relation, at: usize) -> Column {
    relation.columns.get(at).or_broken("a column is one of its relation's").clone()
}
