//! Proofs: lowest first, the same from run to run, readable, and never deeper than the stack.

mod bench;
mod build;
mod exhaustive;
mod explanations;
mod golden;
mod mutants;
mod random;
mod refusals;
mod remedy;

use build::{Builder, RuleMaker, facts, float, text};
use hence_core::fact::Fact;
use hence_core::schema::Kind::{Decision, Derived, Input};
use hence_core::schema::RelationId;
use hence_core::span::Sources;
use hence_core::symbol::Symbol;
use hence_core::value::Type::{Float, Int, String as Text};
use hence_core::value::Value;
use hence_engine::{Database, Model};
use hence_lang::builtins::aggregate::Aggregate;
use hence_lang::builtins::op::Op;
use hence_lang::ir::Part;
use hence_lang::ir::Program;
use hence_proof::Finder;
use hence_proof::check::{Known, check};
use hence_proof::proof::NoOrigins;
use hence_proof::render::{Layout, json, tree};

fn tools() -> Builder {
    let mut b = Builder::default();
    let run = b.relation(Input, "tool_run", &[("tool", Text), ("run", Int), ("quality", Float)]);
    let busy = b.relation(Input, "active_refinement", &[("tool", Text)]);
    let learned = b.relation(Derived, "learned", &[("tool", Text), ("runs", Int), ("quality", Float)]);
    let poor = b.relation(Derived, "poor", &[("tool", Text)]);
    let refine = b.relation(Decision, "refine_tool", &[("tool", Text)]);
    let first = b.relation(Decision, "first", &[("tool", Text), ("rank", Int)]);
    for (tool, qualities) in
        [("a", vec![0.3, 0.4, 0.5, 0.1, 0.2, 0.6]), ("b", vec![0.9, 0.8]), ("c", vec![0.1])]
    {
        for (at, quality) in qualities.iter().enumerate() {
            b.fact(run, &[text(tool), Value::Int(at as i64), float(*quality)]);
        }
    }
    b.fact(busy, &[text("c")]);
    let vars = [("Tool", Text), ("Q", Float)];
    let r1 = b.rule(
        RuleMaker::new(learned, &vars)
            .head(&[0])
            .aggregate(Aggregate::Count, &[])
            .aggregate(Aggregate::Mean, &[1])
            .atom(run, &[Some(0), None, Some(1)]),
    );
    let because = |parts: [&str; 3]| {
        let [a, b, c] = parts.map(Symbol::new);
        use hence_lang::builtins::expr::VarId;
        use hence_lang::builtins::term::Format;
        vec![
            Part::Text(a),
            Part::Var(VarId(0), Format::Plain),
            Part::Text(b),
            Part::Var(VarId(1), Format::Plain),
            Part::Text(c),
        ]
    };
    let r2 = b.rule(
        RuleMaker::new(poor, &vars)
            .head(&[0])
            .atom(learned, &[Some(0), None, Some(1)])
            .test(Op::Less, 1, float(0.5))
            .because(because(["", " averaged ", ", below the floor"])),
    );
    let r3 = b.rule(
        RuleMaker::new(refine, &[("Tool", Text)]).head(&[0]).atom(poor, &[Some(0)]).not(busy, &[Some(0)]),
    );
    let vars = [("Tool", Text), ("Q", Float), ("R", Int)];
    let r4 =
        b.rule(RuleMaker::new(first, &vars).head(&[0, 2]).atom(learned, &[Some(0), None, Some(1)]).limit(
            2,
            &[],
            &[(1, true)],
            Some(2),
        ));
    b.stratum(&[learned], &[r1], false);
    b.stratum(&[poor], &[r2], false);
    b.stratum(&[refine], &[r3], false);
    b.stratum(&[first], &[r4], false);
    b
}

#[test]
fn every_fact_has_a_proof_that_the_checker_accepts() {
    let b = tools();
    let model = b.model();
    let database = b.database();
    check_all(&b.program, &model, &database, &Sources::default());
}

#[test]
fn a_changed_proof_is_refused() {
    let b = tools();
    let (model, database, sources) = (b.model(), b.database(), Sources::default());
    let finder = Finder::new(&b.program, &model, &sources, &NoOrigins);
    let known =
        Known { asserted: Some(&database), model: Some(&model), sources: Some(&sources), ledger: None };
    for relation in 2..6 {
        for fact in facts(&b.program, &model, RelationId(relation)) {
            let proof = json(&finder.why(&fact).unwrap().unwrap());
            // No rule text, so no quotation can be checked.
            mutants::refused(&b.program, &proof, &known, &["written"]);
        }
    }
}

fn chain(length: i64) -> (Builder, RelationId) {
    let mut b = Builder::default();
    let edge = b.relation(Input, "edge", &[("from", Int), ("to", Int)]);
    let path = b.relation(Derived, "reach", &[("to", Int)]);
    let start = b.relation(Input, "start", &[("at", Int)]);
    for at in 0..length {
        b.fact(edge, &[Value::Int(at), Value::Int(at + 1)]);
    }
    b.fact(start, &[Value::Int(0)]);
    let r1 = b.rule(RuleMaker::new(path, &[("X", Int)]).head(&[0]).atom(start, &[Some(0)]));
    let r2 = b.rule(
        RuleMaker::new(path, &[("X", Int), ("Y", Int)])
            .head(&[1])
            .atom(path, &[Some(0)])
            .atom(edge, &[Some(0), Some(1)]),
    );
    b.stratum(&[path], &[r1, r2], true);
    (b, path)
}

#[test]
fn a_long_chain_needs_no_stack() {
    let (b, path) = chain(150);
    let model = b.model();
    let sources = Sources::default();
    let finder = Finder::new(&b.program, &model, &sources, &NoOrigins);
    let fact = Fact::new("reach", [Value::Int(150)]);
    let proof = finder.why(&fact).unwrap().unwrap();
    assert_eq!(proof.height, 151);
    assert!(proof.least);
    assert_eq!(facts(&b.program, &model, path).len(), 151);
    let text = tree(&proof, &b.program, &Layout { steps: 60, ..Layout::default() });
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(text.ends_with("… 242 more steps\n"), "{text}");
    assert_eq!(finder.every(&fact).count(), 1);
}

/// Every fact of the model has a proof, and the checker accepts it with nothing on trust.
fn check_all(program: &Program, model: &Model, database: &Database, sources: &Sources) {
    let finder = Finder::new(program, model, sources, &NoOrigins);
    let known = Known { asserted: Some(database), model: Some(model), sources: Some(sources), ledger: None };
    for relation in 0..program.relations.len() {
        for fact in facts(program, model, RelationId(relation as u32)) {
            let proof = finder.why(&fact).unwrap().unwrap();
            assert!(proof.least);
            let text = serde_json::to_string(&json(&proof)).unwrap();
            let read = serde_json::from_str(&text).unwrap();
            let accepted =
                check(program, &read, &known).unwrap_or_else(|refusal| panic!("{refusal}: {text}"));
            assert_eq!(accepted.on_trust, Vec::<String>::new(), "{text}");
        }
    }
}
