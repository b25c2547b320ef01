//! From a checked program to the intermediate representation: atoms without expressions, facts apart, strata.

mod aggregate;
mod body;
mod candidates;
mod clock;
pub mod demand;
mod order;
pub mod partition;
mod query;
mod recursion;
mod relevant;
pub mod unknown;

use crate::analysis::checked::{self, Checked};
use crate::analysis::strata::{self, strata};
use crate::builtins::expr::ExprKind;
use crate::builtins::term::Term;
use crate::ir::{GroundFact, Program, Rule, RuleId, Stratum};
use aggregate::{Groups, Values};
pub use aggregate::{helps_values, holds_values, is_made, is_of_nothing};
use candidates::Asked;
pub use candidates::given_of;
use hence_core::diagnostic::Diagnostic;
use hence_core::index_vec::{Id, IndexVec};
use hence_core::schema::{Relation, RelationId};
use hence_core::value::Value;
pub use query::{Query, is_answer, with_atom, with_queries, with_query};
pub use relevant::{needed, relevant};

/// The program that engines evaluate.
///
/// A clause without a body whose terms are literals becomes a fact; one with `@because` stays a rule, so that its
/// sentence isn't lost, and so does one with parameters or operations.
///
/// # Errors
/// The cycles through negation, an aggregate or a limit, as [`strata()`] reports them.
pub fn lower(checked: &Checked) -> Result<Program, Vec<Diagnostic>> {
    let strata = strata(checked)?;
    let mut program = Program {
        relations: checked.relations.clone(),
        params: checked.params.clone(),
        rules: Vec::with_capacity(checked.rules.len()),
        facts: Vec::new(),
        strata: Vec::new(),
    };
    let mut asked = Vec::new();
    for clause in &checked.rules {
        match ground(clause) {
            Some(fact) => program.facts.push(fact),
            None => asked.extend(add(&mut program, clause, &strata)),
        }
    }
    let faults = candidates::take(checked, &mut program, &asked);
    if !faults.is_empty() {
        return Err(faults);
    }
    let strata = strata::ordered(&program.relations, &heads_and_reads(&program.rules));
    program.strata = with_rules(strata, &program);
    Ok(program)
}

/// A program with more relations, which come after its own, and with more rules.
pub fn extended(program: &Program, relations: Vec<Relation>, rules: Vec<Rule>) -> Program {
    let mut program = program.clone();
    program.relations.extend(relations);
    program.rules.extend(rules);
    let strata = strata::ordered(&program.relations, &heads_and_reads(&program.rules));
    program.strata = with_rules(strata, &program);
    program
}

/// One rule, and after it those that its aggregates need, over the relations of `checked`; what a recursion gives them
/// isn't asked.
pub fn alone(checked: &Checked, rule: &checked::Rule) -> Program {
    let mut program = Program { relations: checked.relations.clone(), ..Program::default() };
    add(&mut program, rule, &[]);
    program
}

/// Each rule as its head and what it reads.
fn heads_and_reads(rules: &[Rule]) -> Vec<(RelationId, Vec<RelationId>)> {
    rules.iter().map(|rule| (rule.head, rule.reads().collect())).collect()
}

/// The clause as a fact, if it is no more than that.
fn ground(clause: &checked::Rule) -> Option<GroundFact> {
    if !clause.body.is_empty() || clause.limit.is_some() || clause.because.is_some() {
        return None;
    }
    let values = clause.terms.iter().map(constant).collect::<Option<_>>()?;
    Some(GroundFact { relation: clause.head, values, id: clause.id, span: clause.span })
}

fn constant(term: &Term) -> Option<Value> {
    match term {
        Term::Expr(expr) => match expr.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        },
        Term::Aggregate { .. } => None,
    }
}

/// Adds a rule, and what its aggregates need; the rules that derive groups within a recursion.
fn add<'s>(program: &mut Program, clause: &checked::Rule, strata: &'s [strata::Stratum]) -> Vec<Asked<'s>> {
    let with_clock = program.find("now".into()).and_then(|now| clock::with_own_clock(clause, now));
    let clause = with_clock.as_ref().unwrap_or(clause);
    let mut values = Values::new(program.relations.len(), clause.id);
    let (body, variables) = body::flatten(&clause.body, &clause.variables, &mut values);
    let rule = clause.with_body(body, variables);
    let stratum = strata.iter().find(|stratum| stratum.recursive && stratum.relations.contains(&rule.head));
    let together: &[RelationId] = stratum.map_or(&[], |stratum| &stratum.relations);
    values.derive(&rule, together);
    program.rules.push(rule);
    let first = program.rules.len();
    program.rules.append(&mut values.rules);
    program.relations.append(&mut values.relations);
    let asked = |of: Groups| Asked { rule: RuleId::new(first + of.rule), together, fails: of.fails };
    values.groups.into_iter().map(asked).collect()
}

/// The strata with the rules of their relations.
fn with_rules(strata: Vec<strata::Stratum>, program: &Program) -> Vec<Stratum> {
    let mut by_head: IndexVec<RelationId, Vec<RuleId>> =
        IndexVec::filled(Vec::new(), program.relations.len());
    for (id, rule) in (0..).map(RuleId).zip(&program.rules) {
        by_head[rule.head].push(id);
    }
    strata
        .into_iter()
        .map(|strata::Stratum { relations, recursive }| {
            let mut rules: Vec<RuleId> =
                relations.iter().flat_map(|relation| &by_head[*relation]).copied().collect();
            rules.sort_unstable();
            Stratum { relations, rules, recursive }
        })
        .collect()
}
