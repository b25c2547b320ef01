//! Why a fact holds, over what a session knows.

use std::time::Duration;

use hence_core::diagnostic::{self, Diagnostic};
use hence_core::fact::Fact;
use hence_core::schema::{Relation, RelationId};
use hence_core::span::{FileId, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::analysis::{self, AtomPattern};
use hence_lang::lower;
use hence_ledger::{Assertion, Decision, When};
use hence_proof::Finder;
use hence_proof::proof::{Origin, Origins, Proof};
use hence_proof::why_not::{Remedies, Trial};
use hence_syntax as syntax;
use hence_syntax::codes::UNEXPECTED;

use super::error::{Faults, SessionError};
use super::evaluation::Evaluation;
use super::ledger_facts::assertion;
use super::slice::ProgramQuery;
use super::{Refused, Session, Store};

/// The proofs of the facts that a question fits.
#[derive(Clone, Debug, Default)]
pub struct FactProofs {
    /// A proof of each fact, ascending by fact.
    pub proofs: Vec<Proof>,
    /// How many facts fit.
    pub holds: usize,
    /// Near facts of the relation, where no fact fits.
    pub instead: Vec<Fact>,
    /// Whether some of what fits follows possibly and not certainly; the proofs of that come last.
    pub undetermined: bool,
    /// Whether there are more proofs than were wanted.
    pub more: bool,
    /// Whether what was asked for depends on the clock.
    pub timed: bool,
}

/// Which proofs are wanted, and how much of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// How many inputs of an aggregate are shown; without it the first few.
    pub inputs: Option<usize>,
    /// Every proof of a fact instead of one of least height.
    pub every: bool,
    /// How many proofs there are to be at most, of all facts together.
    pub most: Option<usize>,
    /// How many steps below the fact are shown; without it all.
    pub depth: Option<usize>,
    /// How many proofs are passed over first.
    pub after: usize,
    /// Up to how many the derivations of a fact are counted; without it none are.
    pub ways: Option<usize>,
}

/// How many facts are shown in the place of one that doesn't hold.
const INSTEAD: usize = 5;

impl Session {
    /// A proof of every fact that fits `question`, such as `select_tool("g1", "competitor_db", _)`, at `now`.
    ///
    /// # Errors
    /// Faults in the question, and all that can go wrong in an evaluation.
    pub fn why(&self, question: &str, now: i64, inputs: Option<usize>) -> Result<FactProofs, SessionError> {
        let mut proofs = Vec::new();
        let wanted = Wanted { inputs, ..Wanted::default() };
        let because = self.why_each(question, now, wanted, &mut |proof| {
            proofs.push(proof);
            true
        })?;
        Ok(FactProofs { proofs, ..because })
    }

    /// Hands the proofs of every fact that fits `question` to `each`, one after the other as they are found, until it
    /// answers `false`; none is kept.
    ///
    /// # Errors
    /// As [`Session::why`].
    pub fn why_each(
        &self,
        question: &str,
        now: i64,
        wanted: Wanted,
        each: &mut dyn FnMut(Proof) -> bool,
    ) -> Result<FactProofs, SessionError> {
        self.entry(|| self.proved_each(question, now, wanted, each))
    }

    fn proved_each(
        &self,
        question: &str,
        now: i64,
        wanted: Wanted,
        each: &mut dyn FnMut(Proof) -> bool,
    ) -> Result<FactProofs, SessionError> {
        let asked = self.asked(question, Asked::Why)?;
        // Those who ask for every proof want much.
        let mut refused = None;
        if !wanted.every {
            let (program, answer) =
                lower::with_atom(&self.rules.program, asked.relation, &asked.values, asked.span);
            let sources = &self.rules.sources;
            let slice =
                ProgramQuery { program: &program, answer, sources, now, at: self.as_of, proofs: true };
            if let Some(evaluation) = self.evaluate_slice(&slice)? {
                let because = self.explainer(&evaluation, wanted.inputs).why_each(question, wanted, each)?;
                if because.holds > 0 {
                    return Ok(because);
                }
                refused = Some(because);
            }
        }
        // The nearest facts are looked for in the whole relation; where it is too large, it is known that none fits.
        match (self.evaluate_for(asked.relation, now), refused) {
            (Err(SessionError::Limit { .. }), Some(because)) => {
                Ok(FactProofs { instead: Vec::new(), ..because })
            }
            (evaluation, _) => self.explainer(&evaluation?, wanted.inputs).why_each(question, wanted, each),
        }
    }

    /// Whether a fact holds at `now`, and why it does or doesn't, in one line.
    ///
    /// # Errors
    /// All that can go wrong in an evaluation.
    pub fn reason_for(&self, fact: &Fact, now: i64) -> Result<(bool, String), SessionError> {
        self.entry(|| {
            let Some(relation) = self.rules.program.find(fact.relation) else {
                return Ok((false, format!("unknown relation `{}`", fact.relation)));
            };
            let evaluation = self.evaluate_for(relation, now)?;
            let finder = self.finder(&evaluation, None);
            Ok((finder.holds(fact), finder.reason(fact)?))
        })
    }

    /// What a relation depends on.
    pub(super) fn evaluate_for(&self, relation: RelationId, now: i64) -> Result<Evaluation, SessionError> {
        self.evaluate_relevant(&self.rules.program, &self.rules.sources, [relation], (self.as_of, now))
    }

    /// Questions about one evaluation of this session, however many; aggregates show `inputs` inputs, without it the
    /// first few.
    pub fn explainer<'a>(&'a self, evaluation: &'a Evaluation, inputs: Option<usize>) -> Explainer<'a> {
        Explainer { session: self, evaluation, finder: self.finder(evaluation, inputs) }
    }

    /// Checks that a question of [`Session::why_each`] can be asked.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check_question(&self, question: &str) -> Result<(), SessionError> {
        self.asked(question, Asked::Why).map(drop)
    }

    /// What a question such as `select_tool("g1", T, _)` asks for.
    pub(super) fn asked(&self, question: &str, asked: Asked) -> Result<AtomPattern, SessionError> {
        let mut sources = self.rules.sources.clone();
        let file = sources.add("<question>", question);
        let (atom, mut found) = syntax::parse_fact(file, question);
        if let Some(fact) = negated(question) {
            let sign = Span::new(file, 0, (question.len() - fact.len()) as u32);
            let (message, help) = match asked {
                Asked::Why => (
                    "`why` takes a fact that holds, found a negated one",
                    format!("`hence why-not '{fact}'` says why it does not hold"),
                ),
                Asked::WhyNot => (
                    "`why-not` takes a fact that does not hold, found a negated one",
                    format!("`hence why '{fact}'` says why it holds"),
                ),
            };
            found = vec![Diagnostic::new(UNEXPECTED, message).at(sign, "negated here").help(help)];
        }
        let mut wanted = None;
        if let Some(atom) = atom.filter(|_| found.is_empty()) {
            let (pattern, more) = analysis::check_atom(&self.rules.checked, &atom, &sources);
            wanted = pattern;
            found.extend(more);
        }
        if let Some(wanted) = wanted.filter(|_| !found.iter().any(Diagnostic::is_error)) {
            return Ok(wanted);
        }
        diagnostic::sort(&mut found);
        Err(SessionError::Faults(Box::new(Faults { sources, diagnostics: found })))
    }

    fn finder<'a>(&'a self, evaluation: &'a Evaluation, inputs: Option<usize>) -> Finder<'a> {
        let finder = self.finder_at(self.as_of, &self.rules, evaluation, &self.store);
        match inputs {
            Some(inputs) => finder.inputs(inputs),
            None => finder,
        }
    }

    /// A finder for the reasons of what a commit draws. It counts the facts of the evaluation itself, which is of all
    /// facts: those of a ledger are counted as they were before the commit.
    pub(super) fn reasons<'a>(&'a self, evaluation: &'a Evaluation) -> Finder<'a> {
        evaluation.finder((&self.rules.program, &self.rules.sources), &self.store)
    }
}

/// Which question is asked about a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Why it holds.
    Why,
    /// Why it doesn't.
    WhyNot,
}

/// The fact after a `!` or `not`.
pub(super) fn negated(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let fact = text.strip_prefix('!').or_else(|| text.strip_prefix("not "))?.trim_start();
    syntax::parse_fact(FileId::default(), fact).1.is_empty().then_some(fact)
}

/// Asks why in one evaluation; what one question had to look up in the facts is kept for the next one.
pub struct Explainer<'a> {
    session: &'a Session,
    evaluation: &'a Evaluation,
    finder: Finder<'a>,
}

impl Explainer<'_> {
    /// As [`Session::why`].
    ///
    /// # Errors
    /// Faults in the question.
    pub fn why(&self, question: &str) -> Result<FactProofs, SessionError> {
        let mut proofs = Vec::new();
        let because = self.why_each(question, Wanted::default(), &mut |proof| {
            proofs.push(proof);
            true
        })?;
        Ok(FactProofs { proofs, ..because })
    }

    /// As [`Session::why_each`]; how many inputs aggregates show was said before.
    ///
    /// # Errors
    /// Faults in the question.
    pub fn why_each(
        &self,
        question: &str,
        wanted: Wanted,
        each: &mut dyn FnMut(Proof) -> bool,
    ) -> Result<FactProofs, SessionError> {
        self.session.entry(|| self.proved_each(question, wanted, each))
    }

    fn proved_each(
        &self,
        question: &str,
        wanted: Wanted,
        each: &mut dyn FnMut(Proof) -> bool,
    ) -> Result<FactProofs, SessionError> {
        let AtomPattern { relation, values: pattern, .. } = self.session.asked(question, Asked::Why)?;
        let facts = self.finder.instances(relation, &pattern);
        let open = if facts.is_empty() || pattern.iter().any(Option::is_none) {
            self.finder.undetermined(relation, &pattern)
        } else {
            Vec::new()
        };
        let mut because = FactProofs {
            undetermined: !open.is_empty(),
            holds: facts.len(),
            timed: self.is_timed(relation),
            ..FactProofs::default()
        };
        let cut = |proof: Proof| {
            let proof = self.evaluation.by_rules(proof, &self.session.rules.program);
            match wanted.depth {
                Some(depth) => proof.cut(depth),
                None => proof,
            }
        };
        let (mut left, mut passed) = (wanted.most.unwrap_or(usize::MAX), wanted.after);
        let mut show = |proof: Proof| {
            if passed > 0 {
                passed -= 1;
                return true;
            }
            because.more = left == 0;
            left = left.saturating_sub(1);
            !because.more && each(cut(proof))
        };
        for fact in facts.iter().chain(&open) {
            let go_on = if wanted.every {
                let go_on = self.finder.every(fact).all(&mut show);
                self.finder.checked(go_on)?
            } else {
                let ways = wanted.ways.and_then(|most| self.finder.ways(fact, most));
                self.finder.why(fact)?.is_none_or(|proof| show(Proof { ways, ..proof }))
            };
            if !go_on {
                break;
            }
        }
        if facts.is_empty() && open.is_empty() {
            because.instead = self.instead(relation, &pattern);
        }
        Ok(self.finder.checked(because)?)
    }

    fn is_timed(&self, relation: RelationId) -> bool {
        let program = &self.session.rules.program;
        program.find("now".into()).is_some_and(|now| program.dependents(now).contains(&relation))
    }

    /// The facts of a relation that have most of the wanted values.
    fn instead(&self, relation: RelationId, pattern: &[Option<Value>]) -> Vec<Fact> {
        let fits = |fact: &Fact| {
            let same = pattern.iter().zip(&fact.values).filter(|(wanted, value)| **wanted == Some(**value));
            std::cmp::Reverse(same.count())
        };
        let mut near = self.finder.instances(relation, &vec![None; pattern.len()]);
        near.sort_by_key(fits);
        near.truncate(INSTEAD);
        near
    }

    /// As [`Session::why_not`].
    ///
    /// # Errors
    /// Faults in the question.
    pub fn why_not(&self, question: &str, time: Duration) -> Result<Refused, SessionError> {
        self.session.entry(|| self.refused(question, time))
    }

    fn refused(&self, question: &str, time: Duration) -> Result<Refused, SessionError> {
        let asked = self.session.asked(question, Asked::WhyNot)?;
        let program = &self.session.rules.program;
        let finder = &self.finder;
        let answer = finder.why_not(asked.relation, &asked.values);
        let answer = finder.checked(answer)?;
        let (engine, limits) = (self.session.engine.as_ref(), self.session.limits);
        let remedies = if time.is_zero() {
            Remedies::default()
        } else {
            let lenient = self.session.lenient;
            let trial = Trial { lenient, ..Trial::within(engine, limits, time) };
            finder.remedies(asked.relation, &asked.values, &trial)
        };
        let mut undetermined = Vec::new();
        for fact in self.finder.undetermined(asked.relation, &asked.values) {
            let proof = self.finder.why(&fact)?;
            undetermined.extend(proof.map(|proof| self.evaluation.by_rules(proof, program)));
        }
        self.finder.checked(())?;
        Ok(Refused { answer, remedies, undetermined })
    }
}

/// A fact that holds as a decision, with the identity and the sentence of a rule that derives it. Who records it and
/// who draws it again find the same ones.
pub(super) fn decision(finder: &Finder<'_>, fact: Fact) -> Result<Decision, SessionError> {
    let (rule, sentence) = match finder.explanation(&fact)? {
        Some(explained) => (Some(explained.rule.to_string()), explained.sentence),
        None => (None, None),
    };
    Ok(Decision { fact, rule, sentence })
}

impl Origins for Store {
    fn origin(&self, relation: &Relation, fact: &Fact) -> Result<Option<Origin>, String> {
        match self {
            Self::Memory(_) => Ok(None),
            Self::Ledger(ledger) => {
                let found = assertion(ledger, &ledger.legacy, When::Now, relation, fact);
                Ok(found.map_err(|error| error.to_string())?.map(origin_of))
            }
        }
    }
}

/// An assertion as proofs show it.
pub(super) fn origin_of((assertion, defaults): (Assertion, Vec<Symbol>)) -> Origin {
    Origin {
        defaults,
        step: assertion.step,
        author: Some(assertion.author),
        signed: assertion.signed,
        time: Some(assertion.time),
        source: Some(assertion.source),
        transaction: Some(assertion.tx),
    }
}
