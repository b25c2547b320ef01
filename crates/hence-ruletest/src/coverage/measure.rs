//! Coverage measured: each test evaluated once, each point asked of its model.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::span::FileId;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_engine::Model;
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Program, Rule, RuleId};
use hence_proof::Finder;
use hence_proof::proof::{NoOrigins, StepKind};
use hence_session::facts_of;

use super::super::case::{Case, limits};
use super::super::pool;
use super::super::probe::Probes;
use super::super::steps::before_effects;
use super::super::suite::{Selection, Suite, TestFile};
use super::points::{Question, points};
use super::{Coverage, FileCoverage, Point};

/// Of how many facts of each relation proofs are made, to see whose sentences are shown.
const FACTS_PROVED: usize = 24;

/// What the tests selected reach of all rules that they are loaded with.
pub fn measure(suite: &Suite, selection: &Selection) -> Coverage {
    let mut files: BTreeMap<String, FileCoverage> = BTreeMap::new();
    for file in &suite.files {
        let plan = Plan::new(file);
        let tests: Vec<usize> = file
            .tests
            .iter()
            .copied()
            .filter(|at| selection.takes(&file.name, file.test(*at).name))
            .collect();
        let reached = pool::side_by_side(tests.len(), selection.jobs, |at| {
            plan.reached(*tests.get(at).or_broken("there is a task for each test"))
        });
        plan.merge(&mut files, &reached);
    }
    Coverage { files: files.into_values().collect() }
}

/// The points of all rules that a test file is loaded with.
struct Plan<'a> {
    file: &'a TestFile,
    rules: Vec<(RuleId, Vec<(Point, Question)>)>,
}

impl<'a> Plan<'a> {
    fn new(file: &'a TestFile) -> Self {
        let (program, sources) = (&file.rules.program, &file.rules.sources);
        let rules = (0..).map(RuleId).zip(&program.rules);
        let rules = rules.filter(|(_, rule)| !file.only_helps(rule.span.file));
        let rules = rules.map(|(at, rule)| (at, points(program, sources, rule))).collect();
        Self { file, rules }
    }

    /// The points that one test reaches: by rule, by point; none where it can't be evaluated.
    fn reached(&self, at: usize) -> Option<Vec<Vec<bool>>> {
        let test = self.file.test(at);
        let case = Case::new(self.file, test).ok()?;
        let steps = case.evaluate().ok()?;
        let mut evaluations = Vec::new();
        for (at, step) in steps.into_iter().enumerate() {
            let state = (&step, case.clock(at));
            evaluations.extend(before_effects(&self.file.rules, &case.program, state, &limits()).ok()?);
            evaluations.push(step.evaluation);
        }
        let mut steps = evaluations.iter().map(|evaluation| self.reached_in(&case, evaluation.lenient()));
        let mut reached = steps.next()??;
        for step in steps {
            for (rule, more) in reached.iter_mut().zip(step?) {
                rule.iter_mut().zip(more).for_each(|(point, more)| *point |= more);
            }
        }
        Some(reached)
    }

    /// The points that one step reaches.
    fn reached_in(&self, case: &Case<'_>, model: &Model) -> Option<Vec<Vec<bool>>> {
        let mut probes = Probes::new(&case.program);
        let asked: Vec<Vec<Probed>> = self
            .rules
            .iter()
            .map(|(id, points)| {
                let rule = &case.program[*id];
                points.iter().map(|(_, question)| ask(&mut probes, rule, question)).collect()
            })
            .collect();
        let answers = probes.put(model)?;
        let shown = sentences(&case.program, model, self.file);
        let reached = self.rules.iter().zip(asked).map(|((at, _), asked)| {
            let id = case.program[*at].id;
            asked
                .into_iter()
                .map(|asked| match asked {
                    Probed::Body(question) => answers.count(question) > 0,
                    Probed::LeftOut(all, kept) => answers.count(all) > answers.count(kept),
                    Probed::Sentence => shown.contains(&id),
                })
                .collect()
        });
        Some(reached.collect())
    }

    /// Adds what the tests of this file reach to what others do.
    fn merge(&self, files: &mut BTreeMap<String, FileCoverage>, reached: &[Option<Vec<Vec<bool>>>]) {
        let mut by_file: BTreeMap<FileId, Vec<Point>> = BTreeMap::new();
        for (place, (at, points)) in self.rules.iter().enumerate() {
            let rule = &self.file.rules.program[*at];
            for (number, (point, _)) in points.iter().enumerate() {
                let hit = |rules: &&Vec<Vec<bool>>| {
                    *rules
                        .get(place)
                        .and_then(|rule| rule.get(number))
                        .or_broken("a test answers for each point")
                };
                let hits = reached.iter().flatten().filter(hit).count();
                by_file.entry(rule.span.file).or_default().push(Point { hits, ..point.clone() });
            }
        }
        for (id, points) in by_file {
            let source = self.file.rules.sources.get(id).or_broken("a rule stands in one of the texts");
            match files.get_mut(source.name()) {
                Some(known) => add(&mut known.points, &points),
                None => {
                    let (name, text) = (source.name().to_owned(), source.text().to_owned());
                    files.insert(name.clone(), FileCoverage { name, text, points });
                }
            }
        }
    }
}

/// Adds the hits of the same points; a file has the same ones in whatever rule set it is loaded.
fn add(known: &mut [Point], more: &[Point]) {
    for (known, more) in known.iter_mut().zip(more) {
        known.hits += more.hits;
    }
}

/// A question that was put.
enum Probed {
    Body(RelationId),
    LeftOut(RelationId, RelationId),
    Sentence,
}

fn ask(probes: &mut Probes, rule: &Rule, question: &Question) -> Probed {
    match question {
        Question::Body(body) => Probed::Body(probes.ask(body.clone(), &rule.variables, &[])),
        Question::LeftOut => {
            let rank = rule.limit.as_ref().and_then(|limit| limit.rank);
            let unranked = rule.terms.iter().map(|term| match term {
                Term::Expr(expr) if matches!(expr.kind, ExprKind::Var(var) if Some(var) == rank) => {
                    let kind = ExprKind::Const(Value::Int(0));
                    Term::Expr(Expr { kind, ty: Type::Int, span: expr.span })
                }
                other => other.clone(),
            });
            let all = probes.rule(unranked.collect(), rule.body.clone(), &rule.variables, None);
            let kept =
                probes.rule(rule.terms.clone(), rule.body.clone(), &rule.variables, rule.limit.clone());
            Probed::LeftOut(all, kept)
        }
        Question::Sentence => Probed::Sentence,
    }
}

/// The rules whose sentences proofs of this model show.
fn sentences(program: &Program, model: &Model, file: &TestFile) -> BTreeSet<Symbol> {
    let finder = Finder::new(program, model, &file.rules.sources, &NoOrigins);
    let heads: BTreeSet<RelationId> =
        program.rules.iter().filter(|rule| rule.because.is_some()).map(|rule| rule.head).collect();
    let mut shown = BTreeSet::new();
    for relation in heads {
        for fact in facts_of(program, model, relation).iter().take(FACTS_PROVED) {
            let proof = finder.why(fact).ok().or_broken("a model belongs to the rules that it is proved by");
            let Some(proof) = proof else { continue };
            shown.extend(proof.steps.iter().filter_map(|step| match &step.kind {
                StepKind::Derived(derived) if derived.sentence.is_some() => Some(derived.rule),
                _ => None,
            }));
        }
    }
    shown
}
