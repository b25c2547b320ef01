//! Domains as capsules, measured: how far runs in other domains distort what is thought of a tool in one.

use hence::session::{RuleSource, Session};
use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Value};

use crate::random::Dice;

const DOMAINS: [&str; 4] = ["/marketing", "/crypto", "/engineering", "/operations"];
const TOOLS: [&str; 4] = ["web_search", "price_feed", "shell", "calendar"];
/// How many runs each tool has in each domain: uneven, so that one domain drowns the others.
const RUNS: [usize; 4] = [60, 15, 25, 12];

/// In how many of 100 runs a tool succeeds: nearly always in the domain that it is for, seldom elsewhere.
fn success(tool: usize, domain: usize) -> usize {
    if tool == domain { 92 } else { 15 + 10 * ((tool + 2 * domain) % 4) }
}

fn text(text: &str) -> Value {
    Value::String(Symbol::new(text))
}

fn name(name: &str) -> Value {
    Value::Name(Symbol::new(name))
}

/// The goal of a domain.
fn goal(domain: usize) -> String {
    format!("a goal of {}", DOMAINS[domain])
}

/// A history of runs, and a goal of each domain that every tool fits alike; `scoped` is whether runs and goals have domains.
fn history(seed: u64, scoped: bool) -> Vec<Fact> {
    let mut dice = Dice::new(seed);
    let mut facts: Vec<Fact> = TOOLS.iter().map(|tool| Fact::new("tool", [text(tool)])).collect();
    let mut run = 0;
    for (domain, domain_name) in DOMAINS.iter().enumerate() {
        let goal = text(&goal(domain));
        facts.push(Fact::new("goal", [goal, goal]));
        if scoped {
            facts.push(Fact::new("goal_domain_given", [goal, name(domain_name)]));
        }
        for (tool, tool_name) in TOOLS.iter().enumerate() {
            facts.push(Fact::new("pattern_match", [goal, text(tool_name), Value::Int(1), Value::Int(2)]));
            for _ in 0..RUNS[domain] {
                run += 1;
                let ok = dice.below(100) < success(tool, domain);
                let domain = if scoped { domain_name } else { "/global" };
                let at = Value::Time(1_770_000_000_000_000 + run * 1_000_000);
                let columns =
                    [Value::Int(run), text(tool_name), name(domain), Value::Bool(ok), Value::Duration(1), at];
                facts.push(Fact::new("tool_run", columns));
            }
        }
    }
    facts
}

fn rows(session: &Session, relation: &str) -> Vec<Fact> {
    session.derive(&[relation.to_owned()], 0).unwrap().relations[0].2.clone()
}

/// The mean distance of what is thought of a tool in a domain from what its true rate of success makes of it, and how many
/// goals get another tool than the one that is for their domain.
fn contamination(seed: u64, scoped: bool) -> (f64, usize) {
    let rules = RuleSource { packs: vec!["tool_scoring".into()], ..RuleSource::default() }.build().unwrap();
    let session = Session::over_facts(rules, history(seed, scoped)).unwrap();
    let useful = rows(&session, "usefulness");
    let mut distance = 0.0;
    for (domain, domain_name) in DOMAINS.iter().enumerate() {
        let judged = name(if scoped { domain_name } else { "/global" });
        for (tool, tool_name) in TOOLS.iter().enumerate() {
            let fits = |fact: &&Fact| fact.values[0] == text(tool_name) && fact.values[1] == judged;
            let Value::Float(found) = useful.iter().find(fits).unwrap().values[2] else { panic!("a float") };
            let truth = success(tool, domain) as f64 / 100.0 * 0.7 + 0.15;
            distance += (Float::get(found) - truth).abs();
        }
    }
    let chosen = rows(&session, "select_tool");
    let wrong = (0..DOMAINS.len()).filter(|domain| {
        let is_right =
            |fact: &Fact| fact.values[0] == text(&goal(*domain)) && fact.values[1] == text(TOOLS[*domain]);
        !chosen.iter().any(is_right)
    });
    (distance / (DOMAINS.len() * TOOLS.len()) as f64, wrong.count())
}

#[test]
fn domains_take_away_most_of_what_other_domains_distort() {
    let (mut apart, mut mixed, mut wrong_apart, mut wrong_mixed) = (0.0, 0.0, 0, 0);
    for seed in 0..20 {
        let (distance, wrong) = contamination(seed, true);
        (apart, wrong_apart) = (apart + distance, wrong_apart + wrong);
        let (distance, wrong) = contamination(seed, false);
        (mixed, wrong_mixed) = (mixed + distance, wrong_mixed + wrong);
    }
    let less = 1.0 - apart / mixed;
    println!(
        "distorted by {:.3} with domains, {:.3} without: {:.0} % less; {wrong_apart} and {wrong_mixed} of 80 goals get a wrong tool",
        apart / 20.0,
        mixed / 20.0,
        less * 100.0
    );
    assert!(less >= 0.6, "{less}");
    assert!(
        wrong_mixed > 0 && wrong_apart as f64 <= 0.4 * wrong_mixed as f64,
        "{wrong_apart} of {wrong_mixed}"
    );
}
