//! What random programs are made of: how often each construct occurs.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::schema::{Kind, RelationId};
use hence_engine::Database;
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::ir::{Arg, Atom, Literal, Program, Rule, Term};
use hence_lang::lower::{given_of, holds_values};

/// Constructs and how many of them some programs hold.
#[derive(Default)]
struct Census(BTreeMap<String, usize>);

impl Census {
    fn count(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    /// Takes a program and its input in.
    fn program(&mut self, program: &Program, input: &Database) {
        self.count("program");
        for (relation, rows) in program.relations.iter().zip(&input.relations) {
            let kind = if relation.kind == Kind::Input { "input" } else { "derived" };
            self.count(format!("relation {kind} of {} columns", relation.columns.len()));
            relation.types().for_each(|ty| self.count(format!("column {}", ty.keyword())));
            (0..rows.len()).for_each(|_| self.count(format!("row of {kind} relation")));
        }
        program.facts.iter().for_each(|_| self.count("fact of the program"));
        program.fed().iter().for_each(|_| self.count("input that rules feed"));
        self.aggregates_of_bodies(program);
        self.unknown_positions(program);
        for stratum in &program.strata {
            let many = if stratum.relations.len() > 1 { " of several relations" } else { "" };
            self.count(if stratum.recursive { format!("recursive stratum{many}") } else { "stratum".into() });
        }
        program.rules.iter().for_each(|rule| self.rule(rule));
    }

    fn aggregates_of_bodies(&mut self, program: &Program) {
        for relation in (0..program.relations.len() as u32).map(RelationId) {
            if holds_values(program, relation) {
                self.count("body with an aggregate");
                let strata = program.strata.iter().filter(|stratum| stratum.recursive);
                let within = strata.filter(|stratum| stratum.relations.contains(&relation)).count();
                (0..within).for_each(|_| self.count("body with an aggregate within its recursion"));
            }
            if given_of(program, relation).is_some() {
                self.count("candidates of a recursion");
            }
        }
    }

    /// Where an operation may have no result.
    fn unknown_positions(&mut self, program: &Program) {
        let fails =
            |rule: &&Rule| rule.body.iter().any(Literal::may_fail) || rule.head_exprs().any(Expr::may_fail);
        let failing: BTreeSet<RelationId> =
            program.rules.iter().filter(fails).flat_map(|rule| program.dependents(rule.head)).collect();
        for rule in &program.rules {
            let reads = |atom: Option<&Atom>| atom.is_some_and(|atom| failing.contains(&atom.relation));
            let uncertain = rule.body.iter().any(|literal| reads(literal.atom())) || fails(&rule);
            if rule.body.iter().any(|literal| reads(literal.negated())) {
                self.count("unknown below a negation");
            }
            if uncertain && rule.is_aggregate() {
                self.count("unknown below an aggregate");
            }
            if uncertain && rule.limit.is_some() {
                self.count("unknown below a limit");
            }
        }
        let recursive = program.strata.iter().filter(|stratum| stratum.recursive);
        let unknown = recursive.filter(|stratum| stratum.relations.iter().any(|one| failing.contains(one)));
        (0..unknown.count()).for_each(|_| self.count("unknown in a recursion"));
    }

    fn rule(&mut self, rule: &Rule) {
        self.count("rule");
        self.count(format!("body of {} literals", rule.body.len().min(8)));
        let aggregates = rule.terms.iter().filter(|term| matches!(term, Term::Aggregate { .. })).count();
        if aggregates > 0 {
            self.count(if aggregates > 1 { "head of several aggregates" } else { "head of an aggregate" });
        }
        for term in &rule.terms {
            match term {
                Term::Expr(expr) => self.expr(expr),
                Term::Aggregate { aggregate, args, .. } => {
                    self.count(format!("aggregate {aggregate:?}"));
                    args.iter().for_each(|arg| self.expr(arg));
                }
            }
        }
        for literal in &rule.body {
            match literal {
                Literal::Atom(atom) => self.atom("atom", atom),
                Literal::Not(atom) => self.atom("negated atom", atom),
                Literal::Bind { expr, .. } => {
                    self.count("literal bind");
                    self.expr(expr);
                }
                Literal::Test { expr, .. } => {
                    self.count("literal test");
                    self.expr(expr);
                }
                Literal::Each { generator, args, .. } => {
                    let name = format!("{generator:?}");
                    self.count(format!("generator {}", name.split('(').next().unwrap_or(&name)));
                    args.iter().for_each(|arg| self.expr(arg));
                }
            }
        }
        if let Some(limit) = &rule.limit {
            self.count("limit");
            limit.rank.iter().for_each(|_| self.count("limit with a rank"));
            limit.per.iter().for_each(|_| self.count("limit per"));
            limit.by.iter().for_each(|_| self.count("limit by"));
            self.expr(&limit.count);
        }
    }

    fn atom(&mut self, what: &str, atom: &Atom) {
        self.count(what);
        for arg in &atom.args {
            self.count(match arg {
                Arg::Any => format!("{what}: any"),
                Arg::Var(_) => format!("{what}: variable"),
                Arg::Const(_) => format!("{what}: constant"),
                Arg::Param(_) => format!("{what}: parameter"),
            });
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Const(_) => self.count("expression constant"),
            ExprKind::Var(_) => self.count("expression variable"),
            ExprKind::Param(_) => self.count("expression parameter"),
            ExprKind::Call(op, args) => {
                self.count(format!("operation {op:?}"));
                args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::Unknown | ExprKind::Undefined(_) => self.count("unknown"),
            ExprKind::Matches(text, _) => {
                self.count("operation matches");
                self.expr(text);
            }
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                self.count("operation and, or");
                [left, right].iter().for_each(|side| self.expr(side));
            }
            ExprKind::If(condition, then, otherwise) => {
                self.count("operation if");
                [condition, then, otherwise].iter().for_each(|part| self.expr(part));
            }
        }
    }
}

/// Constructs that each occur, beside all types, aggregates, generators and operations.
const RARE: [&str; 27] = [
    "body with an aggregate",
    "body with an aggregate within its recursion",
    "atom: parameter",
    "candidates of a recursion",
    "expression parameter",
    "fact of the program",
    "head of several aggregates",
    "input that rules feed",
    "limit by",
    "limit per",
    "limit with a rank",
    "literal bind",
    "literal test",
    "negated atom: any",
    "negated atom: constant",
    "negated atom: parameter",
    "operation and, or",
    "operation if",
    "operation matches",
    "recursive stratum",
    "recursive stratum of several relations",
    "relation derived of 0 columns",
    "row of derived relation",
    "unknown below a limit",
    "unknown below a negation",
    "unknown below an aggregate",
    "unknown in a recursion",
];

#[test]
fn random_programs_hold_every_construct() {
    let mut census = Census::default();
    for seed in 0..1000 {
        let (program, input) = super::program(seed);
        census.program(&program, &input);
    }
    let kinds = |of: &str| census.0.keys().filter(|what| what.starts_with(of)).count();
    let found = ["column ", "aggregate ", "generator ", "operation "].map(kinds);
    assert_eq!(found, [7, 14, 8, 96], "{:#?}", census.0);
    for what in RARE {
        assert!(census.0.get(what).is_some_and(|count| *count >= 20), "too few of `{what}`: {:#?}", census.0);
    }
}
