//! What is asked: each request becomes one of these.

use serde_json::Value as Json;

use super::page::Sight;

/// A question, or something to record.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// Whether each of these is permitted; what could not be read of one is its error.
    Evaluations {
        /// What is asked, in order.
        evaluations: Vec<Result<AccessRequest, String>>,
        /// When to stop.
        semantic: Semantic,
        /// Whether the answer is that of the only one.
        is_single: bool,
    },
    /// Who or what would be permitted.
    Search(Search),
    /// Facts to assert and retract, a JSON line each, in one transaction.
    Record {
        /// The lines.
        lines: String,
        /// What a repeated request is known by.
        key: Option<String>,
        /// The transaction that must be the last one.
        expect_tx: Option<u64>,
        /// A note on the transaction.
        note: Option<String>,
        /// What is asked once they are recorded: where that can't be read, nothing is.
        ask: Option<String>,
    },
    /// What these lines would decide; nothing is recorded.
    Dry {
        /// The lines.
        lines: String,
    },
    /// The matches of a body.
    Query(String),
    /// The proofs of a fact.
    Why {
        /// The fact, or the id of a decision.
        fact: String,
        /// Whether all inputs of aggregates are shown.
        all_inputs: bool,
        /// How many proofs at most.
        most: usize,
    },
    /// What is missing for a fact.
    WhyNot {
        /// The fact.
        fact: String,
        /// How long to look for what would make it hold, in milliseconds.
        look: u64,
    },
    /// The difference that a hypothesis makes.
    WhatIf {
        /// Facts that stand as well.
        assert: Vec<Json>,
        /// Facts that don't stand.
        retract: Vec<Json>,
        /// Parameters with other values, as literals.
        set: Vec<(String, Json)>,
    },
    /// Transactions decided again under the rules of now.
    Replay {
        /// The first.
        from: Option<u64>,
        /// The last.
        to: Option<u64>,
    },
    /// The decisions that stand.
    Decisions {
        /// Only of this relation.
        relation: Option<String>,
        /// Which of them.
        page: Page,
    },
    /// A decision by its id.
    Decision(String),
    /// Why it was drawn.
    Proof(String),
    /// The facts of a relation.
    Facts {
        /// The relation.
        relation: String,
        /// Which of them.
        page: Page,
    },
    /// Transactions, with what they changed.
    Log {
        /// The first.
        from: u64,
        /// How many at most.
        limit: usize,
        /// How many bytes they have at most, but for the first.
        bytes: usize,
    },
    /// What waits for a person.
    Reviews,
    /// A person's answer.
    Review(Review),
    /// Something that waits for a person, and whether who asks may answer it.
    Waits(String),
    /// Whether a fact is derived: by which rule, or what failed and what would help.
    Verdict(String),
    /// The relations and parameters of the rules.
    Schema,
    /// What a check of these rules finds; they are in force nowhere.
    Check(RuleText),
    /// How the tests in these rules end.
    Test(RuleText),
    /// What is to be carried out.
    Outbox {
        /// What is done too.
        all: bool,
    },
    /// The rules that decide.
    Rules,
    /// The ledger at a glance.
    Status,
    /// What the page shows beside what the API answers.
    Page(Sight),
    /// The facts of these relations, derived ones too, that have this value in this column.
    Derived {
        /// The relations.
        relations: Vec<&'static str>,
        /// Column and value.
        only: Option<(String, String)>,
        /// How the answer calls them.
        name: &'static str,
    },
}

/// Rules as a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleText {
    /// What messages call it.
    pub name: String,
    /// The rules.
    pub text: String,
    /// The shipped packs beside it.
    pub packs: Vec<String>,
}

/// Some of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// How many come before it.
    pub offset: usize,
    /// How many at most.
    pub limit: usize,
}

/// An AuthZEN request: subject, action, resource and context, as they came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccessRequest {
    /// The members of the request.
    pub given: serde_json::Map<String, Json>,
}

impl AccessRequest {
    /// A text of the request, such as `subject` and `type`.
    pub fn text(&self, entity: &str, key: &str) -> Option<&str> {
        self.given.get(entity)?.get(key)?.as_str()
    }
}

/// When a batch of evaluations stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Semantic {
    /// Never.
    #[default]
    ExecuteAll,
    /// After the first denial.
    DenyOnFirstDeny,
    /// After the first permission.
    PermitOnFirstPermit,
}

impl Semantic {
    /// Whether nothing is asked after a decision.
    pub fn stops(self, decision: bool) -> bool {
        match self {
            Self::ExecuteAll => false,
            Self::DenyOnFirstDeny => !decision,
            Self::PermitOnFirstPermit => decision,
        }
    }
}

/// What a search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Free {
    /// Subjects of a type.
    Subject,
    /// Resources of a type.
    Resource,
    /// Actions.
    Action,
}

impl Free {
    /// The member of a request that is looked for.
    pub fn word(self) -> &'static str {
        match self {
            Self::Subject => "subject",
            Self::Resource => "resource",
            Self::Action => "action",
        }
    }
}

/// A search.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// What is looked for.
    pub free: Free,
    /// What is given.
    pub given: AccessRequest,
    /// Where in the results to begin, and how many to give; without a limit all.
    pub offset: usize,
    /// How many.
    pub limit: Option<usize>,
    /// What the token of the next page begins with.
    pub seal: String,
    /// Whether a page was asked for.
    pub is_paged: bool,
}

/// A person's answer to what waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// What waits.
    pub id: String,
    /// Whether it is approved.
    pub approved: bool,
    /// Why.
    pub comment: String,
    /// Parts of the content, written anew.
    pub edits: Vec<(String, String)>,
}

impl Question {
    /// Whether it may record something, so that only the owner of the ledger answers it.
    pub fn writes(&self) -> bool {
        matches!(self, Self::Record { .. } | Self::Review(_))
    }
}
