//! What differs between a record and what is drawn again, in words.

use std::fmt;

use hence_core::fact::Fact;
use hence_ledger::{Decision, StepChange};

use super::steps::deed;
use crate::drawn::DecisionId;

/// Something in which a record differs from what is drawn again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The transaction.
    pub tx: u64,
    /// The decision that it is about, and its id where it has one.
    pub decision: Option<(Option<DecisionId>, Fact)>,
    /// What differs.
    pub what: Discrepancy,
}

/// What a record says and what is drawn again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discrepancy {
    /// A decision came or went in a transaction that names no rules.
    NoRules,
    /// A transaction names some of rules, clock and run, and not the others.
    NoClock,
    /// A transaction does not say how it ran, and one before it does.
    NoRun,
    /// The rules that it names can't be evaluated, and why.
    Rules(String),
    /// It was run by an engine that there isn't.
    Engine(String),
    /// It was run with the first version of the time zone database; the second is used here.
    Zones(String, &'static str),
    /// It drew more decisions (the first number) than its limits allowed facts to be derived (the second).
    Limits(u64, u64),
    /// A transaction does not say what effects did, and its rules have some.
    NoSteps,
    /// An effect is recorded in the step of this number that doesn't take place there.
    StepUnfounded(u64, StepChange),
    /// An effect takes place in the step of this number that is not recorded there.
    StepMissing(u64, StepChange),
    /// A decision was drawn that stood already.
    DrawnAgain,
    /// A decision was drawn that doesn't follow.
    Unfounded(Decision),
    /// A decision was drawn that the rules leave undetermined.
    Undetermined(Decision),
    /// A decision follows and was not drawn.
    Missing(Decision),
    /// A decision has another rule or sentence (first) than it is drawn again with (second).
    Explained(Decision, Decision),
    /// The same, where the record is from before runs were recorded, and another derivation gives what it says.
    ExplainedOtherwise(Decision, Decision),
    /// A decision has no rule and no sentence, or no reason of its lapse, since its transaction was salvaged.
    Salvaged,
    /// A decision lapsed that still follows.
    Lapsed(Decision),
    /// A decision lapsed that did not stand.
    LapsedUnstood,
    /// A decision stands that no longer does when it is drawn again, and why.
    Kept(Option<String>),
    /// It can't be drawn again: it rests on personal values that were erased, or whose keys aren't here.
    Erased,
    /// A decision lapsed for another reason (first) than when it is drawn again (second).
    Reason(Option<String>, Option<String>),
}

impl Discrepancy {
    /// Whether the record says what is not so; if not, it may be of an older way to choose among derivations.
    pub fn is_lie(&self) -> bool {
        !matches!(self, Self::ExplainedOtherwise(..) | Self::Salvaged | Self::Zones(..) | Self::Erased)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "transaction {}", self.tx)?;
        match &self.decision {
            Some((Some(id), fact)) => write!(f, ", decision {id} {fact}")?,
            Some((None, fact)) => write!(f, ", decision {fact}")?,
            None => {}
        }
        write!(f, ": {}", self.what)
    }
}

impl fmt::Display for Discrepancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRules => f.write_str("it is recorded, but the transaction names no rules"),
            Self::NoClock => f.write_str("it records only some of rules, clock and run"),
            Self::NoRun => f.write_str("it does not record its run, unlike an earlier transaction"),
            Self::Rules(why) => write!(f, "its rules can't be evaluated: {why}"),
            Self::Zones(recorded, own) => {
                write!(f, "drawn with the time zone database {recorded}, drawn again with {own}")
            }
            Self::Engine(name) => write!(f, "it records a run by the unknown engine `{name}`"),
            Self::Limits(drawn, facts) => {
                write!(f, "it records {drawn} drawn decisions but a limit of {facts} derived facts")
            }
            Self::NoSteps => f.write_str("its rules have effects, but it does not record their steps"),
            Self::StepUnfounded(number, recorded) => {
                write!(f, "step {number} is recorded as {}; done again, it doesn't", deed(recorded))
            }
            Self::StepMissing(number, again) => {
                write!(f, "not recorded; done again, step {number} is {}", deed(again))
            }
            Self::DrawnAgain => f.write_str("recorded as drawn, but it was already in force"),
            Self::Unfounded(recorded) => {
                write!(f, "recorded as drawn {}; drawn again, it does not follow", reason(recorded))
            }
            Self::Undetermined(recorded) => {
                write!(f, "recorded as drawn {}; drawn again, it is undetermined", reason(recorded))
            }
            Self::Missing(again) => write!(f, "not recorded; drawn again, it is drawn {}", reason(again)),
            Self::Explained(recorded, again) | Self::ExplainedOtherwise(recorded, again) => {
                write!(
                    f,
                    "recorded as drawn {}; drawn again, it is drawn {}",
                    reason(recorded),
                    reason(again)
                )
            }
            Self::Salvaged => {
                f.write_str("its transaction was salvaged from a fact base, which doesn't hold the reason")
            }
            Self::Lapsed(again) => {
                write!(f, "recorded as lapsed; drawn again, it holds {}", reason(again))
            }
            Self::LapsedUnstood => f.write_str("recorded as lapsed, but it was not in force"),
            Self::Kept(reason) => {
                write!(f, "recorded as in force; drawn again, it lapses: {}", lapse(reason.as_ref()))
            }
            Self::Erased => {
                f.write_str("it rests on personal values that were erased, or whose keys are not here")
            }
            Self::Reason(recorded, again) => write!(
                f,
                "recorded as lapsed: {}; drawn again, it lapses: {}",
                lapse(recorded.as_ref()),
                lapse(again.as_ref())
            ),
        }
    }
}

fn reason(decision: &Decision) -> String {
    match (&decision.rule, &decision.sentence) {
        (Some(rule), Some(sentence)) => format!("by rule `{rule}` because \"{sentence}\""),
        (Some(rule), None) => format!("by rule `{rule}` without a sentence"),
        (None, Some(sentence)) => format!("by no rule because \"{sentence}\""),
        (None, None) => String::from("by no rule"),
    }
}

fn lapse(reason: Option<&String>) -> &str {
    reason.map_or("it no longer follows", String::as_str)
}
