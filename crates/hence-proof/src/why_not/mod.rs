//! `why_not`: for each rule that could derive a fact, how far its body gets, what fails there and by how much.

mod abduce;
mod allowed;
mod attempt;
mod change;
mod columns;
mod conditions;
mod fill;
mod ideas;
mod joint;
mod nearest;
mod plausible;
mod relax;
mod repair;
mod state;
mod sums;
mod verify;
mod want;

use std::collections::{HashMap, HashSet};

use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_core::span::{Place, Span};
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_lang::ir::{Literal, Rule, RuleId};

pub use change::{Change, Instant, Remedies, Remedy};
pub use verify::Trial;

use super::Finder;
use super::proof::{FactPattern, Proof};

/// How many moves the search for the farthest match of one rule may make.
const FUEL: u64 = 200_000;

/// How many missing facts are explained, one inside the other.
const LEVELS: usize = 4;

/// How many facts are shown where there may be many.
const SHOWN: usize = 3;

/// Why nothing matches a question.
#[derive(Clone, Debug, PartialEq)]
pub struct WhyNot {
    /// What was asked for.
    pub asked: FactPattern,
    /// Facts that match all the same; then there is nothing more to say.
    pub holds: Vec<Fact>,
    /// Whether the relation is an input, which no rule derives.
    pub input: bool,
    /// The facts of the relation that come nearest.
    pub nearest: Vec<Fact>,
    /// What each rule of the relation lacks, in the order of the text.
    pub attempts: Vec<Attempt>,
    /// Undefined operations on which the relation depends: rule, place, and the expression.
    pub undetermined: Vec<(Symbol, Place, String)>,
    /// Where the search stopped before its end.
    pub stopped: Vec<String>,
}

/// How far one rule gets.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// The identity of the rule.
    pub rule: Symbol,
    /// Its place.
    pub span: Span,
    /// The same for people.
    pub place: Place,
    /// The doc comment of the rule.
    pub doc: String,
    /// How many literals of the body hold on the way.
    pub held: usize,
    /// How many it has.
    pub of: usize,
    /// The variables that have a value by then.
    pub bindings: Vec<(Symbol, Value)>,
    /// How many other bindings get just as far, and fail there too.
    pub others: usize,
    /// Whether the search for the farthest match ended before its end: another one may get farther.
    pub spent: bool,
    /// What fails.
    pub failure: Failure,
}

/// What fails in a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The rule derives other values for a column: the column, its value, the one asked for.
    Head {
        /// The column, by name.
        column: Symbol,
        /// What the rule gives; none where the expression is undefined.
        gives: Option<Value>,
        /// What was asked for.
        asked: Value,
    },
    /// No fact matches an atom.
    Missing {
        /// What was looked for.
        atom: FactPattern,
        /// How many facts the relation has.
        among: usize,
        /// The nearest of them.
        nearest: Vec<Fact>,
        /// Why there is none, where rules derive them.
        below: Option<Box<WhyNot>>,
    },
    /// A fact matches that may not.
    InTheWay {
        /// What may not match.
        atom: FactPattern,
        /// The first facts that do.
        facts: Vec<Fact>,
        /// How many do.
        count: usize,
        /// Why the first of them holds.
        why: Option<Box<Proof>>,
    },
    /// A condition doesn't hold.
    Test {
        /// With the values put in.
        text: String,
        /// As the rule has it.
        written: String,
    },
    /// An expression is undefined (division by zero, overflow, …).
    NoResult {
        /// With the values put in.
        text: String,
        /// As the rule has it.
        written: String,
    },
    /// A variable has another value than the expression, or is none of the elements.
    Differs {
        /// The variable.
        var: Symbol,
        /// Its value.
        has: Option<Value>,
        /// The expression with the values put in.
        text: String,
        /// As the rule has it.
        written: String,
    },
    /// The group exists with other values.
    Aggregate {
        /// The aggregates of the head: column, as the rule has it, what the group gives, what was asked for.
        results: Vec<(Symbol, String, Option<Value>, Option<Value>)>,
        /// How many matches the group has.
        matches: usize,
    },
    /// The body holds, and the limit leaves the fact out.
    Limit {
        /// Its rank in the group.
        rank: usize,
        /// How many are kept.
        keep: usize,
        /// How many there are.
        of: usize,
        /// Its keys.
        keys: Vec<(String, Value)>,
        /// The last one that is kept, with its keys.
        last_kept: Option<(Fact, Vec<Value>)>,
    },
    /// The search stopped before it found how far the rule gets.
    Stopped,
}

/// What is asked for.
pub(super) use super::store::Key as Asked;

/// Sets whose order nothing depends on.
type Set<T> = HashSet<T, ahash::RandomState>;
/// The same for maps.
type Map<K, V> = HashMap<K, V, ahash::RandomState>;

impl<'a> Finder<'a> {
    /// Why no fact of `relation` fits `pattern` (a value, or `None` for anything, in each column).
    pub fn why_not(&self, relation: RelationId, pattern: &[Option<Value>]) -> WhyNot {
        let asked: Asked = pattern.iter().map(|value| value.map(Value::word)).collect();
        let mut answer = self.lenient().explain(relation, asked, LEVELS, &mut HashSet::new());
        if self.is_three_valued() {
            self.settle(&mut answer);
        }
        answer
    }

    /// Leaves undefined operations out where they concern other rows alone than those that were asked for; the answer
    /// is only a few levels deep.
    fn settle(&self, answer: &mut WhyNot) {
        let asked = &answer.asked;
        let relation = self.context.program.find(asked.relation);
        if relation.is_none_or(|relation| self.undetermined(relation, &asked.args).is_empty()) {
            answer.undetermined.clear();
        }
        for attempt in &mut answer.attempts {
            if let Failure::Missing { below: Some(below), .. } = &mut attempt.failure {
                self.settle(below);
            }
        }
    }

    /// Explains a missing fact, and those that it lacks up to `levels` deep; each only once.
    fn explain(
        &self,
        relation: RelationId,
        asked: Asked,
        levels: usize,
        seen: &mut HashSet<(RelationId, Asked)>,
    ) -> WhyNot {
        let context = &self.context;
        let mut answer = WhyNot {
            asked: self.pattern_of(relation, &asked),
            holds: self.matching(relation, &asked, SHOWN).0,
            input: context.program[relation].kind == Kind::Input,
            nearest: nearest::nearest(context, relation, &asked, SHOWN),
            attempts: Vec::new(),
            undetermined: self.undefined(relation),
            stopped: Vec::new(),
        };
        seen.insert((relation, asked.clone()));
        for id in context.rules_of(relation) {
            if !answer.holds.is_empty() {
                break;
            }
            let rule = &context.program[*id];
            let explorer = attempt::Explorer { finder: self, id: *id, rule, asked: &asked };
            let (mut attempt, missing) = explorer.attempt();
            if attempt.spent {
                let what = format!("in rule {} after {FUEL} steps; another match may get farther", rule.id);
                answer.stopped.push(what);
            }
            if let (Failure::Missing { below, .. }, Some((missing, key))) = (&mut attempt.failure, missing) {
                let derived = !context.rules_of(missing).is_empty();
                if derived && levels > 1 && !seen.contains(&(missing, key.clone())) {
                    *below = Some(Box::new(self.explain(missing, key, levels - 1, seen)));
                }
            }
            answer.attempts.push(attempt);
        }
        answer
    }

    /// How far one rule gets towards what is asked for, and what fails there.
    pub(super) fn failure_by(&self, id: RuleId, rule: &'a Rule, asked: &[Option<Word>]) -> Failure {
        let asked = Asked::from_slice(asked);
        attempt::Explorer { finder: self, id, rule, asked: &asked }.attempt().0.failure
    }

    /// A proof for the explanation of another fact; where there can be none, the whole question ends.
    fn why_or_end(&self, fact: &Fact) -> Option<Proof> {
        self.why(fact).unwrap_or_else(|error| {
            self.context.interrupt.end(error);
            None
        })
    }

    /// What failed in one line: of the rule that got farthest.
    pub fn why_not_briefly(&self, relation: RelationId, pattern: &[Option<Value>]) -> String {
        super::render::why_not_line(self.lenient().context.program, &self.why_not(relation, pattern))
    }

    pub(super) fn pattern_of(&self, relation: RelationId, key: &[Option<Word>]) -> FactPattern {
        let types = self.context.types(relation).iter();
        let args = types.zip(key).map(|(ty, word)| word.map(|word| Value::from_word(*ty, word)));
        FactPattern { relation: self.context.name(relation), args: args.collect() }
    }

    /// The first facts that match, in order, and how many do.
    pub(super) fn matching(
        &self,
        relation: RelationId,
        key: &[Option<Word>],
        count: usize,
    ) -> (Vec<Fact>, usize) {
        let pattern = self.pattern_of(relation, key);
        let mut facts = self.instances(relation, &pattern.args);
        let all = facts.len();
        facts.truncate(count);
        (facts, all)
    }

    fn undefined(&self, relation: RelationId) -> Vec<(Symbol, Place, String)> {
        let program = self.context.program;
        let mut found = Vec::new();
        for undefined in self.model().into_iter().flat_map(|model| &model.undefined) {
            let rule = &program[undefined.rule];
            if program.dependents(rule.head).contains(&relation) {
                let text = self.phrase(rule).slice(undefined.span).unwrap_or_default();
                found.push((rule.id, self.sources().place(undefined.span), text));
            }
        }
        found.dedup();
        found
    }
}

/// How many literals there are before a move that choose or decide something.
fn literals(rule: &Rule) -> usize {
    rule.body.iter().filter(|literal| !matches!(literal, Literal::Bind { .. })).count()
}
