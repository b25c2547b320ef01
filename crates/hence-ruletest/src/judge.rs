//! Expectations against what follows: which hold, and what to say of those that don't.

mod reason;
mod undetermined;

use std::collections::BTreeSet;
use std::time::Instant;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Type, Value};
use hence_lang::analysis::checked::{Expectation, Given, Literal as Checked, Test};
use hence_lang::builtins::expr::ExprKind;
use hence_lang::ir::{Literal, Program, Rule};
use hence_proof::Finder;
use hence_proof::proof::StepKind;
use hence_proof::render::{self, Layout};
use hence_session::{Evaluation, facts_of};

use super::case::Case;
use super::report::{RowDifference, StepPlace, TestFailure, TestReport, TestVerdict};
use super::steps::Reached;
use super::stuck;
use super::suite::TestFile;
use super::{message, nearby};
use reason::Effects;

/// How many proofs of a fact are searched for a rule that must be in one.
const PROOFS_SEARCHED: usize = 64;
/// How many lines of a proof a failure shows.
const PROOF_LINES: usize = 6;

/// Invariants of steps.
const STEPS: &str = "what follows is that of a step of the test, and what it retracts is there";

/// Runs one test.
pub(super) fn test(file: &TestFile, at: usize) -> TestReport {
    let start = Instant::now();
    let test = file.test(at);
    let verdict = match failures(file, test) {
        Ok(failures) if failures.is_empty() => TestVerdict::Passed,
        Ok(failures) => TestVerdict::Failed(failures),
        Err(error) => TestVerdict::Broken(message(&error)),
    };
    TestReport {
        name: test.name.to_string(),
        place: file.rules.sources.place(test.span),
        verdict,
        elapsed: start.elapsed(),
    }
}

fn failures(file: &TestFile, test: &Test) -> Result<Vec<TestFailure>, hence_session::SessionError> {
    let case = Case::new(file, test)?;
    let reached = case.evaluate()?;
    Ok(reached.iter().enumerate().flat_map(|(at, reached)| in_step(&case, at, reached)).collect())
}

/// What fails in one step.
fn in_step(case: &Case<'_>, at: usize, reached: &Reached) -> Vec<TestFailure> {
    let (program, evaluation) = (&case.program, &reached.evaluation);
    let bench = Bench { case, program, evaluation, asserted: Effects(&reached.asserted), step: at };
    let missing = reached.missing.iter().map(|fact| bench.not_there(fact));
    let failed = bench.items().filter_map(|(item, answer)| bench.expectation(item, answer));
    missing.chain(failed).map(|failure| bench.placed(failure)).collect()
}

/// Whether everything that a test expects holds under a program, without a word of why not.
pub(super) fn holds(case: &Case<'_>, program: &Program, reached: &[Reached]) -> bool {
    reached.iter().enumerate().all(|(step, reached)| {
        let (evaluation, asserted) = (&reached.evaluation, Effects(&reached.asserted));
        let bench = Bench { case, program, evaluation, asserted, step };
        reached.missing.is_empty() && bench.items().all(|(item, answer)| bench.is_met(item, answer))
    })
}

/// The relations that an expectation speaks of.
pub(super) fn relations(item: &Expectation) -> BTreeSet<RelationId> {
    match item {
        Expectation::Undetermined { relation, .. } | Expectation::Exactly { relation, .. } => {
            BTreeSet::from([*relation])
        }
        Expectation::Body { body, .. } => body
            .iter()
            .flat_map(|literal| std::iter::once(literal).chain(literal.inner()))
            .filter_map(|literal| Some(literal.atom()?.relation))
            .collect(),
    }
}

/// A test with what follows in it.
struct Bench<'a> {
    case: &'a Case<'a>,
    /// The test's own program, or a changed one.
    program: &'a Program,
    evaluation: &'a Evaluation,
    asserted: Effects<'a>,
    /// The step that this follows in.
    step: usize,
}

impl Bench<'_> {
    /// What the step expects, each with its relation of answers.
    fn items(&self) -> impl Iterator<Item = (&Expectation, Option<RelationId>)> {
        let step = self.case.test.steps.get(self.step).or_broken(STEPS);
        let answers = self.case.answers.get(self.step).or_broken(STEPS);
        step.expect.iter().zip(answers.iter().copied())
    }

    /// A failure with its step and what was filled in for the facts that it shows.
    fn placed(&self, failure: TestFailure) -> TestFailure {
        let steps = &self.case.test.steps;
        let step = (steps.len() > 1).then(|| StepPlace {
            number: self.step + 1,
            of: steps.len(),
            now: Value::Time(self.case.clock(self.step)).to_string(),
        });
        let given = steps.iter().take(self.step + 1).flat_map(|step| &step.given);
        let partial = given.filter(|given| !given.filled.is_empty());
        let shown = |fact: &Fact| {
            let texts = [fact.to_string(), self.by_name(fact)];
            let mut lines = failure.instead.iter().chain(&failure.why);
            lines.any(|line| texts.iter().any(|text| line.contains(text)))
        };
        let filled =
            partial.filter(|given| shown(&self.fact(given))).map(|given| self.filled(given)).collect();
        TestFailure { step, filled, ..failure }
    }

    /// A fact as proofs show it.
    fn by_name(&self, fact: &Fact) -> String {
        let relation = self.program.find(fact.relation).map(|id| &self.program[id]);
        let columns = relation.into_iter().flat_map(|relation| relation.columns.iter().zip(&fact.values));
        let named: Vec<_> = columns.map(|(column, value)| format!("{}: {value}", column.name)).collect();
        format!("{}({})", fact.relation, named.join(", "))
    }

    fn fact(&self, given: &Given) -> Fact {
        Fact { relation: self.name(given.relation), values: given.values.clone() }
    }

    /// The columns of a fact that were filled in.
    fn filled(&self, given: &Given) -> String {
        let relation = &self.program[given.relation];
        let columns = relation.columns.iter().zip(&given.values).enumerate();
        let filled = columns.filter(|(at, _)| given.filled.contains(at));
        let filled: Vec<_> = filled.map(|(_, (column, value))| format!("{}: {value}", column.name)).collect();
        let line = self.case.file.rules.sources.place(given.span).line;
        format!("{}({}) in line {line}", relation.name, filled.join(", "))
    }

    /// What is to be said of a retraction of what doesn't stand.
    fn not_there(&self, fact: &Fact) -> TestFailure {
        let step = self.case.test.steps.get(self.step).or_broken(STEPS);
        let retracted = step.retracted.iter().find(|given| self.fact(given) == *fact).or_broken(STEPS);
        let name = fact.relation;
        let given = self.case.test.steps.iter().take(self.step).flat_map(|step| &step.given);
        let same = given.filter(|given| given.relation == retracted.relation).map(|given| self.fact(given));
        let pattern: Vec<Option<Value>> = fact.values.iter().copied().map(Some).collect();
        let (instead, more) = nearby::nearest(same.collect(), &pattern);
        let says = match instead.is_empty() {
            true => format!("retracts nothing: no fact of `{name}` stands"),
            false => String::from("retracts nothing; given before"),
        };
        let failure = self.failure(retracted.span, says);
        TestFailure { text: format!("!{}.", failure.text), instead, more, ..failure }
    }

    fn is_met(&self, item: &Expectation, answer: Option<RelationId>) -> bool {
        if self.undetermined(item, answer).is_some() {
            return false;
        }
        match item {
            Expectation::Exactly { relation, rows, within, .. } => {
                self.difference(*relation, rows, *within).is_empty()
            }
            Expectation::Body { negated, because, body, within, .. } => {
                let any = self.answers(answer) > 0;
                let proved = because.is_none_or(|(reason, _)| self.proved(body, within, answer, reason));
                any != *negated && proved
            }
            Expectation::Undetermined { relation, values, .. } => self.is_open(*relation, values),
        }
    }

    /// What is wrong with an expectation, if anything.
    fn expectation(&self, item: &Expectation, answer: Option<RelationId>) -> Option<TestFailure> {
        if self.is_met(item, answer) {
            return None;
        }
        if let Some(relation) = self.undetermined(item, answer) {
            return Some(self.undetermined_failure(item, relation));
        }
        match item {
            Expectation::Exactly { relation, rows, within, span } => {
                Some(self.exactly(*relation, *span, rows, self.difference(*relation, rows, *within)))
            }
            Expectation::Body { negated: true, span, .. } => Some(self.present(*span, answer)),
            Expectation::Body { because: Some((reason, place)), span, .. } if self.answers(answer) > 0 => {
                Some(self.other_reason(*reason, *place, *span))
            }
            Expectation::Undetermined { relation, values, span } => {
                Some(self.determined(*relation, values, *span))
            }
            Expectation::Body { span, body, within, .. } => {
                Some(self.absent(*span, answer, &distances(body, within)))
            }
        }
    }

    fn answers(&self, answer: Option<RelationId>) -> usize {
        answer.map_or(0, |id| self.evaluation.model[id].rows.len())
    }

    fn failure(&self, span: Span, says: impl Into<String>) -> TestFailure {
        let sources = &self.case.file.rules.sources;
        TestFailure::new(sources.place(span), sources.slice(span), says)
    }

    fn name(&self, relation: RelationId) -> Symbol {
        self.program[relation].name
    }

    fn facts(&self, relation: RelationId) -> Vec<Fact> {
        facts_of(self.program, &self.evaluation.model, relation)
    }

    /// The rows of a relation that differ from those expected, ascending.
    fn difference(
        &self,
        relation: RelationId,
        rows: &[(Vec<Value>, Span)],
        within: Option<f64>,
    ) -> Vec<RowDifference> {
        let mut there: Vec<Vec<Value>> = self.facts(relation).into_iter().map(|fact| fact.values).collect();
        let mut missing: Vec<&Vec<Value>> = Vec::new();
        for (row, _) in rows {
            match there.iter().position(|found| alike(found, row, within)) {
                Some(at) => drop(there.remove(at)),
                None => missing.push(row),
            }
        }
        // A row that is expected twice is there once.
        let all = self.facts(relation);
        missing.retain(|row| !all.iter().any(|fact| alike(&fact.values, row, within)));
        let mut rows: Vec<(Vec<Value>, RowDifference)> =
            missing.into_iter().map(|row| (row.clone(), RowDifference::Missing(shown(row)))).collect();
        rows.extend(there.into_iter().map(|row| {
            let text = shown(&row);
            (row, RowDifference::Unexpected(text))
        }));
        rows.sort_by(|(a, _), (b, _)| a.cmp(b));
        rows.dedup_by(|(_, a), (_, b)| a == b);
        rows.into_iter().map(|(_, row)| row).collect()
    }

    fn exactly(
        &self,
        relation: RelationId,
        span: Span,
        rows: &[(Vec<Value>, Span)],
        difference: Vec<RowDifference>,
    ) -> TestFailure {
        let is_missing =
            |row: &&(Vec<Value>, Span)| difference.contains(&RowDifference::Missing(shown(&row.0)));
        let missing = rows.iter().find(is_missing).map(|(row, _)| row);
        let name = self.name(relation);
        let more: Vec<_> =
            difference.iter().filter(|row| matches!(row, RowDifference::Unexpected(_))).collect();
        let says = format!("`{name}` has other rows: - is missing, + is unexpected");
        let text = format!("exactly {name} {{ … }}");
        let sources = &self.case.file.rules.sources;
        let unexpected = self.facts(relation).into_iter().find(|fact| {
            more.iter()
                .any(|row| matches!(row, RowDifference::Unexpected(text) if *text == shown(&fact.values)))
        });
        let why = match (unexpected, missing) {
            (Some(fact), _) => self.why(&fact),
            (None, Some(row)) => {
                let wanted: Vec<_> = row.iter().copied().map(Some).collect();
                stuck::why_not(self.program, sources, &self.evaluation.model, relation, &wanted)
            }
            (None, None) => Vec::new(),
        };
        TestFailure { difference, why, ..TestFailure::new(sources.place(span), text, says) }
    }

    /// What is to be said where something matches that must not.
    fn present(&self, span: Span, answer: Option<RelationId>) -> TestFailure {
        let rule = self.rule(answer);
        let facts = rule.body.iter().find_map(|literal| match literal {
            Literal::Atom(atom) => Some(self.matching(atom.relation, &atom.args)),
            _ => None,
        });
        let failure = self.failure(span, "expected no match, found");
        self.unwanted(failure, &facts.unwrap_or_default())
    }

    /// A failure with the facts that must not hold, and why the first of them does.
    fn unwanted(&self, failure: TestFailure, facts: &[Fact]) -> TestFailure {
        let why = facts.first().map_or_else(Vec::new, |fact| self.why(fact));
        let more = facts.len().saturating_sub(3);
        let instead = facts.iter().take(3).map(|fact| format!("{fact}.")).collect();
        TestFailure { instead, more, why, ..failure }
    }

    fn matching(&self, relation: RelationId, args: &[hence_lang::ir::Arg]) -> Vec<Fact> {
        let pattern = stuck::pattern(args, self.program, &[]);
        self.finder().instances(relation, &pattern)
    }

    /// What is to be said where nothing matches: the literal that fails, what is there instead, why not.
    /// `about` are the atoms whose floats compare within a distance.
    fn absent(&self, span: Span, answer: Option<RelationId>, about: &[About<'_>]) -> TestFailure {
        let program = self.program;
        let model = &self.evaluation.model;
        let rule = self.rule(answer);
        let stuck = stuck::stuck(program, model, &rule.body, &rule.variables);
        let Some(stuck) = stuck else { return self.failure(span, "nothing matches") };
        let literal = rule.literal(stuck.at);
        let values = stuck::with_values(literal, &rule.variables, &stuck.bindings);
        let with = if values.is_empty() { String::new() } else { format!(" with {values}") };
        match literal {
            Literal::Atom(atom) => {
                let pattern = stuck::pattern(&atom.args, program, &stuck.bindings);
                let (instead, more) = nearby::nearest(self.facts(atom.relation), &pattern);
                let name = self.name(atom.relation);
                let says = match instead.is_empty() {
                    true => format!("nothing matches{with}: `{name}` is empty"),
                    false => format!("nothing matches{with}; found instead"),
                };
                let sources = &self.case.file.rules.sources;
                let why = stuck::why_not(program, sources, model, atom.relation, &pattern);
                TestFailure { instead, more, why, ..self.failure(atom.span, says) }
            }
            Literal::Not(atom) => {
                let pattern = stuck::pattern(&atom.args, program, &stuck.bindings);
                let there = self.finder().instances(atom.relation, &pattern);
                let failure = self.failure(atom.span, format!("expected no match{with}, found"));
                let text = format!("!{}", failure.text);
                self.unwanted(TestFailure { text, ..failure }, &there)
            }
            other => {
                let inside = |about: &&About<'_>| {
                    about.span != other.span() && about.span.range().contains(&other.span().range().start)
                };
                match about.iter().find(inside) {
                    Some(about) => self.too_far(about),
                    None => self.failure(other.span(), format!("does not hold{with}")),
                }
            }
        }
    }

    /// What is to be said where no fact is within the distance of an atom.
    fn too_far(&self, about: &About<'_>) -> TestFailure {
        use hence_lang::analysis::checked::Arg;
        let wanted = |arg: &Arg| match arg {
            Arg::Expr(expr) => match expr.kind {
                ExprKind::Const(value) => Some(value),
                ExprKind::Param(param) => Some(self.program[param].value),
                _ => None,
            },
            Arg::Any => None,
        };
        let pattern: Vec<Option<Value>> = about.args.iter().map(wanted).collect();
        let (instead, more) = nearby::nearest(self.facts(about.relation), &pattern);
        let says = format!("nothing matches within {}; found instead", Value::Float(about.distance));
        TestFailure { instead, more, ..self.failure(about.span, says) }
    }

    /// The rule that asks an expectation's question.
    fn rule(&self, answer: Option<RelationId>) -> &Rule {
        let rule = self.program.rules.iter().find(|rule| Some(rule.head) == answer);
        rule.or_broken("an expected body is asked by a rule")
    }

    fn finder(&self) -> Finder<'_> {
        self.evaluation.finder((self.program, &self.case.file.rules.sources), &self.asserted)
    }

    /// The first lines of the proof of a fact.
    fn why(&self, fact: &Fact) -> Vec<String> {
        let proof =
            self.finder().why(fact).ok().or_broken("a model belongs to the rules that it is proved by");
        let Some(proof) = proof else { return Vec::new() };
        if !matches!(proof.root().map(|step| &step.kind), Some(StepKind::Derived(_))) {
            return Vec::new();
        }
        let layout = Layout { bindings: false, ..Layout::default() };
        let text = render::tree(&proof.cut(1), self.program, &layout);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if lines.len() > PROOF_LINES {
            lines.truncate(PROOF_LINES);
            lines.push(String::from("…"));
        }
        lines
    }

    /// The facts that the positive literals of an expectation match.
    fn matched(
        &self,
        body: &[Checked],
        within: &[Option<f64>],
        answer: Option<RelationId>,
    ) -> BTreeSet<Fact> {
        use hence_lang::analysis::checked::Arg;
        let mut found = BTreeSet::new();
        let params = self.program.param_words();
        let rows = answer.and_then(|id| self.evaluation.model.extent(id)).map(|extent| &extent.rows);
        for row in rows.into_iter().flat_map(|rows| rows.iter()) {
            for (at, literal) in body.iter().enumerate() {
                let Checked::Atom { negated: false, relation, args, .. } = literal else { continue };
                let about = within.get(at).copied().flatten().is_some();
                let pattern: Vec<Option<Value>> = args
                    .iter()
                    .map(|arg| match arg {
                        Arg::Expr(expr) if !(about && expr.ty == Type::Float) => {
                            expr.eval(row, &params).ok().map(|word| Value::from_word(expr.ty, word))
                        }
                        _ => None,
                    })
                    .collect();
                found.extend(self.finder().instances(*relation, &pattern));
            }
        }
        found
    }
}

/// An atom whose floats compare within a distance.
struct About<'a> {
    relation: RelationId,
    args: &'a [hence_lang::analysis::checked::Arg],
    span: Span,
    distance: Float,
}

fn distances<'a>(body: &'a [Checked], within: &[Option<f64>]) -> Vec<About<'a>> {
    let about = |(literal, within): (&'a Checked, &Option<f64>)| match literal {
        Checked::Atom { negated: false, relation, args, span } => {
            let distance = Float::new((*within)?)?;
            Some(About { relation: *relation, args, span: *span, distance })
        }
        _ => None,
    };
    body.iter().zip(within).filter_map(about).collect()
}

/// Whether two rows are equal, floats within a distance.
fn alike(found: &[Value], wanted: &[Value], within: Option<f64>) -> bool {
    found.len() == wanted.len()
        && found.iter().zip(wanted).all(|(found, wanted)| match (found, wanted, within) {
            (Value::Float(a), Value::Float(b), Some(within)) => (a.get() - b.get()).abs() <= within,
            _ => found == wanted,
        })
}

/// A row as `exactly` writes it.
fn shown(row: &[Value]) -> String {
    let values: Vec<String> = row.iter().map(ToString::to_string).collect();
    format!("({})", values.join(", "))
}
