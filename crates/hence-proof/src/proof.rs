//! Proofs as data: steps that refer to later steps, so that what several need is shown once.
//!
//! The first step is the fact that was asked for. A step refers only to steps after it, so a proof has no circle
//! and can be read, printed and checked from front to back without recursion.

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::Relation;
use hence_core::span::{Place, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Value;

/// A step of a proof, by its place in [`Proof::steps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StepId(pub u32);

impl StepId {
    pub(super) const INVARIANT: &str = "the number of a step is that of one of its proof's steps";
}

/// Why one fact holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// The steps; the first one is the fact that was asked for, and each refers only to steps after it.
    pub steps: Vec<Step>,
    /// Rules on the longest way from the fact down to asserted ones; 0 for an asserted fact.
    pub height: usize,
    /// Whether the search for the least height went to its end. A search that examines very many derivations
    /// stops and takes, from there on, the first derivation of each fact.
    pub least: bool,
    /// How many derivations the first fact has, where that was counted.
    pub ways: Option<Ways>,
}

/// How many derivations a fact has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    /// As many as were counted.
    pub counted: usize,
    /// Whether there are more.
    pub more: bool,
}

/// One fact and what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The fact.
    pub fact: Fact,
    /// What it rests on.
    pub kind: StepKind,
    /// Of a fact that follows possibly and not certainly, the fact with what is unknown of it left open; the values of
    /// [`Step::fact`] are those that are known.
    pub possible: Option<FactPattern>,
}

/// What a fact rests on.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// It was asserted (or, in a test, given).
    Asserted {
        /// By whom, when and from where, where that is known.
        origin: Option<Origin>,
    },
    /// A rule file states it.
    ProgramFact {
        /// The identity of the clause.
        id: Symbol,
        /// Its place in the rule text.
        span: Span,
        /// The same for people.
        place: Place,
    },
    /// A rule derives it.
    Derived(Box<Derived>),
    /// It is derived, and deeper than was asked for.
    Cut,
}

/// One application of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// The identity of the rule.
    pub rule: Symbol,
    /// The place of the rule.
    pub span: Span,
    /// The same for people.
    pub place: Place,
    /// The sentence of `@because` with the values put in.
    pub sentence: Option<String>,
    /// The doc comment of the rule.
    pub doc: String,
    /// The variables that have one value in this step, in the order of the text. The names of those that the
    /// compiler made begin with neither a letter nor `_`.
    pub bindings: Vec<(Symbol, Value)>,
    /// The columns of the fact that the rule computes, with their values put in.
    pub computed: Vec<Computed>,
    /// What was needed, in the order of the body. An aggregate has the one premise [`Premise::Aggregate`]; a limit
    /// has [`Premise::Limit`] after those of the body.
    pub premises: Vec<Premise>,
}

/// A column whose value an expression of the head gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Computed {
    /// The column, by name.
    pub column: Symbol,
    /// Its value for readers: a float in at most six digits.
    pub value: String,
    /// The expression with the values put in, for readers: `0.5 × 0.8 + 0.805 × 0.2`.
    pub text: String,
    /// The expression as the rule has it.
    pub written: String,
}

/// One thing that a step needed.
#[derive(Clone, Debug, PartialEq)]
pub enum Premise {
    /// A fact.
    Fact(StepId),
    /// That no fact matches.
    Absent {
        /// What was looked for.
        atom: FactPattern,
        /// How many facts the relation holds.
        among: usize,
    },
    /// A condition that holds.
    Test {
        /// With the values put in: `0.45 < 0.5`.
        text: String,
        /// As the rule has it: `Quality < poor_quality`.
        written: String,
    },
    /// A variable that takes the value of an expression.
    Bind {
        /// The variable.
        var: Symbol,
        /// The expression with the values put in.
        text: String,
        /// The expression as the rule has it.
        written: String,
        /// Its value.
        value: Value,
    },
    /// A variable that takes one of the values of a generator.
    Each {
        /// The variable.
        var: Symbol,
        /// The generator with the values put in: `words("a b")`.
        text: String,
        /// The generator as the rule has it.
        written: String,
        /// The element.
        value: Value,
    },
    /// The matches of a group.
    Aggregate(Box<Group>),
    /// The standing among the facts of a limited rule.
    Limit(Box<Ranked>),
}

/// What was looked for: a relation with a value, or anything, in each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactPattern {
    /// The relation.
    pub relation: Symbol,
    /// A value, or `None` for anything.
    pub args: Vec<Option<Value>>,
}

/// A group of an aggregate: its value and the matches that it was computed from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// The columns of the group, by name.
    pub by: Vec<(Symbol, Value)>,
    /// The aggregates of the head.
    pub results: Vec<AggregateValue>,
    /// How many matches the group has.
    pub matches: usize,
    /// The first of them, ordered by the values of their facts; all of them on request.
    pub inputs: Vec<AggregateMatch>,
}

/// The value of one aggregate.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateValue {
    /// The column of the head, by name.
    pub column: Symbol,
    /// The aggregate as the rule has it: `mean(Quality)`.
    pub written: String,
    /// Its value.
    pub value: Value,
}

/// One match that went into an aggregate.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateMatch {
    /// The variables of the match.
    pub bindings: Vec<(Symbol, Value)>,
    /// For each aggregate of the head, the values of its arguments.
    pub args: Vec<Vec<Value>>,
    /// What the match needed, in the order of the body.
    pub premises: Vec<Premise>,
}

/// The standing of a fact among those that a limited rule ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The variables of `per` and their values; none where the whole relation is ranked.
    pub per: Vec<(Symbol, Value)>,
    /// The keys of `by` as the rule has them, with the fact's best values.
    pub keys: Vec<(String, Value)>,
    /// The rank, from 1.
    pub rank: usize,
    /// How many are kept.
    pub keep: usize,
    /// How many there are in the group.
    pub of: usize,
    /// The first one that is left out, with its keys; its rank column, if the head has one, holds the rank.
    pub left_out: Option<(Fact, Vec<Value>)>,
}

/// Who asserted a fact, when, from where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The number of the step and the sentence of the rule, where an effect asserted it; the author is the rule then.
    pub step: Option<(u64, Option<String>)>,
    /// Who asserted it.
    pub author: Option<String>,
    /// Whether their signature holds; they are believed otherwise.
    pub signed: bool,
    /// Its time, in microseconds since the epoch.
    pub time: Option<i64>,
    /// The actuator, file or API that it came from.
    pub source: Option<String>,
    /// Its number.
    pub transaction: Option<u64>,
    /// The columns in which the fact has the declared default, since it is older than they are.
    pub defaults: Vec<Symbol>,
}

/// Looks up who asserted a fact.
pub trait Origins {
    /// The latest assertion of `fact`, which is of `relation`, where one is known.
    ///
    /// # Errors
    /// What can't be read, in words.
    fn origin(&self, relation: &Relation, fact: &Fact) -> Result<Option<Origin>, String>;
}

/// Knows nothing: for facts that no ledger holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOrigins;

impl Origins for NoOrigins {
    fn origin(&self, _: &Relation, _: &Fact) -> Result<Option<Origin>, String> {
        Ok(None)
    }
}

impl Proof {
    /// The fact that was asked for.
    pub fn root(&self) -> Option<&Step> {
        self.steps.first()
    }

    /// The proof down to `depth` steps below the fact asked for; deeper steps are cut off.
    #[must_use]
    pub fn cut(&self, depth: usize) -> Self {
        let depths = self.depths();
        let kept: Vec<usize> = (0..self.steps.len()).filter(|at| depths.get(*at) <= Some(&depth)).collect();
        let mut numbers = vec![StepId(0); self.steps.len()];
        for (new, old) in kept.iter().enumerate() {
            *numbers.get_mut(*old).or_broken(StepId::INVARIANT) = StepId(new as u32);
        }
        let steps = kept.iter().map(|at| {
            let step = self.steps.get(*at).or_broken(StepId::INVARIANT);
            let deeper = step.refers().iter().any(|id| depths.get(id.0 as usize) > Some(&depth));
            let mut step = step.clone();
            match &mut step.kind {
                kind if deeper => *kind = StepKind::Cut,
                StepKind::Derived(derived) => renumber(&mut derived.premises, &numbers),
                _ => {}
            }
            step
        });
        Self { steps: steps.collect(), ..*self }
    }

    /// The proof of a later step alone.
    #[must_use]
    pub fn below(&self, root: StepId) -> Self {
        let mut needed = vec![false; self.steps.len()];
        if let Some(first) = needed.get_mut(root.0 as usize) {
            *first = true;
        }
        let mut kept = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            if needed.get(at) != Some(&true) {
                continue;
            }
            kept.push(step);
            for id in step.refers() {
                *needed.get_mut(id.0 as usize).or_broken(StepId::INVARIANT) = true;
            }
        }
        let mut next = 0;
        let numbers = needed.iter().map(|needed| {
            let number = StepId(next);
            next += u32::from(*needed);
            number
        });
        let numbers: Vec<StepId> = numbers.collect();
        let steps = kept.into_iter().map(|step| {
            let mut step = step.clone();
            if let StepKind::Derived(derived) = &mut step.kind {
                renumber(&mut derived.premises, &numbers);
            }
            step
        });
        Self { steps: steps.collect(), ways: None, ..*self }
    }

    /// How far below the first step each one is at least.
    fn depths(&self) -> Vec<usize> {
        let mut depths = vec![usize::MAX; self.steps.len()];
        if let Some(first) = depths.first_mut() {
            *first = 0;
        }
        for (at, step) in self.steps.iter().enumerate() {
            let below = depths.get(at).map_or(usize::MAX, |depth| depth.saturating_add(1));
            for id in step.refers() {
                if let Some(depth) = depths.get_mut(id.0 as usize) {
                    *depth = below.min(*depth);
                }
            }
        }
        depths
    }

    /// The step with this id.
    pub fn step(&self, id: StepId) -> Option<&Step> {
        self.steps.get(id.0 as usize)
    }
}

impl Step {
    /// The steps that this one refers to, in order, as often as it does.
    pub fn refers(&self) -> Vec<StepId> {
        let StepKind::Derived(derived) = &self.kind else { return Vec::new() };
        let mut found = Vec::new();
        derived.premises.iter().for_each(|premise| premise.refers(&mut found));
        found
    }
}

fn renumber(premises: &mut [Premise], numbers: &[StepId]) {
    for premise in premises {
        match premise {
            Premise::Fact(id) => *id = *numbers.get(id.0 as usize).or_broken(StepId::INVARIANT),
            Premise::Aggregate(group) => {
                group.inputs.iter_mut().for_each(|input| renumber(&mut input.premises, numbers));
            }
            _ => {}
        }
    }
}

impl Premise {
    /// Adds the steps that it refers to. An input of an aggregate rule may hold an aggregate of its body, whose inputs
    /// hold none, so this goes two levels down and no further.
    fn refers(&self, found: &mut Vec<StepId>) {
        match self {
            Self::Fact(id) => found.push(*id),
            Self::Aggregate(group) => {
                group.inputs.iter().flat_map(|input| &input.premises).for_each(|inner| inner.refers(found));
            }
            _ => {}
        }
    }
}

impl FactPattern {
    /// Whether a fact has what is known of it.
    pub fn agrees(&self, fact: &Fact) -> bool {
        self.args.len() == fact.values.len()
            && self.args.iter().zip(&fact.values).all(|(arg, value)| arg.is_none_or(|arg| arg == *value))
    }

    /// The fact that it is, where nothing of it is open.
    pub fn fact(&self) -> Option<Fact> {
        let values = self.args.iter().copied().collect::<Option<Vec<Value>>>()?;
        Some(Fact { relation: self.relation, values })
    }
}

impl From<Fact> for FactPattern {
    fn from(fact: Fact) -> Self {
        Self { relation: fact.relation, args: fact.values.into_iter().map(Some).collect() }
    }
}

impl std::fmt::Display for FactPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}(", self.relation)?;
        for (at, arg) in self.args.iter().enumerate() {
            f.write_str(if at > 0 { ", " } else { "" })?;
            match arg {
                Some(value) => write!(f, "{value}")?,
                None => f.write_str("_")?,
            }
        }
        f.write_str(")")
    }
}
