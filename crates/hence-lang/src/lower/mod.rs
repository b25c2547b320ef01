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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::build::{checked, rule};
    use crate::ir::invariants::broken;
    use crate::ir::{Arg, Literal};

    #[test]
    fn expressions_leave_the_atoms() {
        let rules = vec![rule("next(X)").some("p(X)").some("q(X+1)").none("q(X+2)")];
        let program = lower(&checked(&["p", "q"], rules)).unwrap();
        let body = &program.rules[0].body;
        let kinds = body.iter().map(|literal| match literal {
            Literal::Atom(atom) => format!("atom {:?}", atom.args),
            Literal::Not(atom) => format!("not {:?}", atom.args),
            Literal::Bind { var, .. } => format!("bind {}", var.0),
            _ => String::from("other"),
        });
        let wanted =
            ["atom [Var(VarId(0))]", "bind 1", "atom [Var(VarId(1))]", "bind 2", "not [Var(VarId(2))]"];
        assert_eq!(kinds.collect::<Vec<_>>(), wanted);
        let names: Vec<_> = program.rules[0].variables.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["X", "1", "2"]);
    }

    #[test]
    fn what_an_atom_alone_binds_is_computed_after_it() {
        let shown = |rules| {
            let program = lower(&checked(&["p", "q"], rules)).unwrap();
            assert_eq!(broken(&program), Vec::<String>::new());
            let text = program.to_string();
            text.lines().skip_while(|line| !line.ends_with(":-")).skip(1).map(str::trim).collect::<String>()
        };
        assert_eq!(shown(vec![rule("d(X)").some("p(X, X+1)")]), "p(X, $1),$1 = (X + 1).");
        assert_eq!(
            shown(vec![rule("d(X)").some("p(Y+1, X)").some("q(Y, X)")]),
            "$1 = Y + 1,p($1, X),q(Y, X)."
        );
        let circle = rule("d(X)").some("p(X, Y+1)").some("q(Y, X+1)");
        assert_eq!(shown(vec![circle]), "p(X, $1),$1 = (Y + 1),$2 = X + 1,q(Y, $2).");
    }

    #[test]
    fn a_range_over_a_bound_variable_is_two_comparisons() {
        let rules = vec![rule("in(X)").some("p(X)").range("X in 3")];
        let program = lower(&checked(&["p"], rules)).unwrap();
        let [_, Literal::Test { expr, .. }] = &program.rules[0].body[..] else { panic!("a test") };
        let ExprKind::And(from, to) = &expr.kind else { panic!("two comparisons") };
        let ops = [from, to].map(|side| match &side.kind {
            ExprKind::Call(op, _) => op.name(),
            _ => "",
        });
        assert_eq!(ops, [">=", "<"]);
    }

    #[test]
    fn clauses_of_literals_become_facts_and_all_others_rules() {
        let rules = vec![rule("p(1, 2)"), rule("p(1+1, 2)"), rule("p(X, X)").some("q(X)")];
        let program = lower(&checked(&["q"], rules)).unwrap();
        assert_eq!(program.facts.len(), 1);
        assert_eq!(program.facts[0].values, [Value::Int(1), Value::Int(2)]);
        let ids: Vec<_> = program.rules.iter().map(|rule| rule.id.as_str()).collect();
        assert_eq!(ids, ["p#2", "p#3"]);
        assert_eq!(program.strata.len(), 1);
        assert_eq!(program.strata[0].rules, [RuleId(0), RuleId(1)]);
    }

    #[test]
    fn a_query_is_one_more_relation_after_all_others() {
        let checked =
            checked(&["p"], vec![rule("d(X)").some("p(X)"), rule("asked(Y)").some("d(Y)").some("p(Y+1)")]);
        let (program, asked) = (lower(&checked).unwrap(), &checked.rules[1]);
        let wanted: Vec<_> = (0..asked.variables.len() as u32).map(crate::builtins::expr::VarId).collect();
        let query = Query::new(&asked.body, &asked.variables, &wanted, asked.span);
        let (with, answers) = with_query(&program, &query);
        assert_eq!(broken(&with), Vec::<String>::new());
        assert_eq!(with.relations.len(), program.relations.len() + 1);
        assert_eq!(with.strata.last().unwrap().relations, [answers]);
        let rule = with.rules.last().unwrap();
        assert_eq!((rule.head, rule.body.len(), rule.terms.len()), (answers, 3, 1));
        let Literal::Atom(atom) = &rule.body[2] else { panic!("an atom") };
        assert_eq!(atom.args, [Arg::Var(crate::builtins::expr::VarId(1))]);
    }

    #[test]
    fn a_program_reads_as_rules_under_their_strata() {
        let rules = vec![
            rule("near(1, 2)"),
            rule("near(X, Z)").some("near(X, Y)").some("hop(Y, Z)"),
            rule("lone(X)").some("hop(X, _)").none("near(X, X+1)"),
            rule("n(Y, count)").some("near(_, Y)").range("Y in 3"),
            rule("top(X)").some("n(X, _)").limit(),
        ];
        let program = lower(&checked(&["hop"], rules)).unwrap();
        assert_eq!(broken(&program), Vec::<String>::new());
        let wanted = "\
# inputs
input hop(c1: int, c2: int).

# facts
near(1, 2). # near#1

# stratum 1, recursive
relation near(c1: int, c2: int).
# near#2
near(X, Z) :-
    near(X, Y),
    hop(Y, Z).

# stratum 2
relation lone(c1: int).
# lone#1
lone(X) :-
    hop(X, _),
    $1 = X + 1,
    !near(X, $1).

# stratum 3
relation n(c1: int, c2: int).
# n#1
n(Y, count()) :-
    near(_, Y),
    (Y >= 0) and (Y < 3).

# stratum 4
relation top(c1: int).
# top#1
top(X) :-
    n(X, _)
    limit 1 by 1.
";
        assert_eq!(program.to_string(), wanted);
    }
}
