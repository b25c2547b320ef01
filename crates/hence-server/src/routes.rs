//! The table of all routes: what each is for, which scope it takes, and how its requests become questions.

use hence_core::diagnostic::nearest;

use super::authzen;
use super::call::Call;
use super::native;
use super::principal::Scope;
use super::problem::Problem;
use super::question::Question;

/// How many letters of a name that isn't known are said again.
const SHOWN: usize = 100;

/// A route.
pub struct Route {
    /// Its method.
    pub method: &'static str,
    /// Its path; parts in braces have any value.
    pub path: &'static str,
    /// What a caller needs; `None` where anybody may call.
    pub scope: Option<Scope>,
    /// What it is for.
    pub about: &'static str,
    /// The schema of the body, and what the body consists of.
    pub body: Option<&'static str>,
    /// What the query may say.
    pub query: &'static [&'static str],
    /// Who answers.
    pub(crate) answers: Answers,
}

/// Who answers a route.
#[derive(Clone, Copy)]
pub(crate) enum Answers {
    /// The desk, what a request is lowered to.
    Desk(fn(&Call) -> Result<Question, Problem>),
    /// The service, with what it knows by itself.
    Own(Own),
    /// The gate, what a hook of an agent's host is told.
    Hook,
    /// MCP: a message in, the answer to it out.
    Mcp,
}

/// What the service knows by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Own {
    /// That it runs.
    Health,
    /// Whether it answers requests.
    Ready,
    /// Figures.
    Metrics,
    /// The description of all routes.
    OpenApi,
    /// Where AuthZEN is found.
    AuthZen,
    /// Transactions as they come.
    Changes,
}

impl Route {
    /// Refuses what the route doesn't know, of `what`: what is misspelt would be left out without a word.
    pub(crate) fn check<'n>(
        &self,
        what: &str,
        names: impl IntoIterator<Item = &'n String>,
        known: &[&str],
    ) -> Result<(), Problem> {
        let Some(other) = names.into_iter().find(|name| !known.contains(&name.as_str())) else {
            return Ok(());
        };
        let other: String = other.chars().take(SHOWN).collect();
        let near = nearest(&other, known.iter().copied());
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let known = if known.is_empty() { String::from("none") } else { known.join(", ") };
        Err(Problem::malformed(format!("unknown {what} `{other}`; {near}`{}` takes {known}", self.path)))
    }

    /// Whether it refuses what it doesn't know: of AuthZEN the standard says that it is ignored.
    pub(crate) fn is_strict(&self) -> bool {
        !self.path.starts_with("/access/")
    }
}

const READ: Option<Scope> = Some(Scope::Read);
const WRITE: Option<Scope> = Some(Scope::Write);
const DECIDE: Option<Scope> = Some(Scope::Decide);
const ADMIN: Option<Scope> = Some(Scope::Admin);

/// What every read may say: at least this transaction, or a moment of the past.
const MOMENT: &[&str] = &["min_tx", "as_of"];
const PAGED: &[&str] = &["min_tx", "as_of", "limit", "offset"];
/// The same for facts of which only those of a run, a tool and so on are wanted.
const OF_RUN: &[&str] = &["min_tx", "as_of", "run"];
const OF_TOOL: &[&str] = &["min_tx", "as_of", "tool"];
const OF_REQUEST: &[&str] = &["min_tx", "as_of", "request"];
const OF_PROPOSAL: &[&str] = &["min_tx", "as_of", "proposal"];
const OF_STATUS: &[&str] = &["min_tx", "as_of", "status"];
const OF_TASK: &[&str] = &["min_tx", "as_of", "task"];

const fn own(path: &'static str, scope: Option<Scope>, about: &'static str, own: Own) -> Route {
    Route { method: "GET", path, scope, about, body: None, query: &[], answers: Answers::Own(own) }
}

type Lower = fn(&Call) -> Result<Question, Problem>;

const fn get(path: &'static str, query: &'static [&'static str], about: &'static str, lower: Lower) -> Route {
    Route { method: "GET", path, scope: READ, about, body: None, query, answers: Answers::Desk(lower) }
}

const fn post(
    path: &'static str,
    scope: Option<Scope>,
    (body, query): (&'static str, &'static [&'static str]),
    about: &'static str,
    lower: Lower,
) -> Route {
    Route { method: "POST", path, scope, about, body: Some(body), query, answers: Answers::Desk(lower) }
}

/// The same for whoever has another scope.
const fn by(route: Route, scope: Option<Scope>) -> Route {
    Route { scope, ..route }
}

/// Every route.
pub const ROUTES: &[Route] = &[
    own("/healthz", None, "Whether the process runs", Own::Health),
    own("/readyz", None, "Whether requests are answered, and whether changed rules are faulty", Own::Ready),
    own("/.well-known/authzen-configuration", None, "Where the AuthZEN API is found", Own::AuthZen),
    own("/openapi.json", READ, "This description", Own::OpenApi),
    own("/metrics", READ, "Figures for Prometheus", Own::Metrics),
    Route {
        query: &["after"],
        ..own("/v1/changes", READ, "Transactions as they come, as server-sent events", Own::Changes)
    },
    post(
        "/access/v1/evaluation",
        DECIDE,
        ("Evaluation", &[]),
        "Whether a subject may do something (AuthZEN)",
        authzen::evaluation,
    ),
    post(
        "/access/v1/evaluations",
        DECIDE,
        ("Evaluations", &[]),
        "The same, many at once (AuthZEN)",
        authzen::evaluations,
    ),
    post(
        "/access/v1/search/subject",
        DECIDE,
        ("SubjectSearch", &[]),
        "Which subjects may (AuthZEN)",
        authzen::search_subject,
    ),
    post(
        "/access/v1/search/resource",
        DECIDE,
        ("ResourceSearch", &[]),
        "On which resources (AuthZEN)",
        authzen::search_resource,
    ),
    post(
        "/access/v1/search/action",
        DECIDE,
        ("ActionSearch", &[]),
        "Which actions (AuthZEN)",
        authzen::search_action,
    ),
    post(
        "/v1/facts",
        WRITE,
        ("Lines", &["expect_tx", "note"]),
        "Record facts, a JSON line each, in one transaction",
        native::facts,
    ),
    post(
        "/v1/decide",
        WRITE,
        ("Decide", MOMENT),
        "Record facts and answer what they decide; with `dry`, only answer",
        native::decide,
    ),
    post("/v1/query", READ, ("Query", MOMENT), "The matches of a rule body", native::query),
    post("/v1/why", READ, ("Why", MOMENT), "Proofs of a fact or a decision", native::why),
    post(
        "/v1/why-not",
        READ,
        ("WhyNot", MOMENT),
        "What is missing for a fact, and what would make it hold",
        native::why_not,
    ),
    post(
        "/v1/what-if",
        READ,
        ("WhatIf", MOMENT),
        "Which decisions a hypothesis would draw and let lapse",
        native::what_if,
    ),
    post(
        "/v1/replay",
        READ,
        ("Replay", &["min_tx"]),
        "Which recorded decisions today's rules would draw otherwise",
        native::replay,
    ),
    get(
        "/v1/decisions",
        &["min_tx", "as_of", "limit", "offset", "relation"],
        "The decisions in force",
        native::decisions,
    ),
    get("/v1/decisions/{id}", MOMENT, "A decision as it was drawn", native::decision),
    get("/v1/decisions/{id}/proof", MOMENT, "Why it was drawn", native::proof),
    get("/v1/facts/{relation}", PAGED, "The facts of a relation", native::facts_of),
    get("/v1/log", &["min_tx", "from", "limit"], "Transactions with what they changed", native::log),
    get("/v1/reviews", MOMENT, "What waits for a person", native::reviews),
    post("/v1/reviews/{id}", WRITE, ("Review", &[]), "A reviewer's answer", native::review),
    get("/v1/outbox", &["min_tx", "all"], "What is to be carried out, and what became of it", native::outbox),
    get("/v1/rules", MOMENT, "The rules that decide", native::rules),
    get("/v1/status", MOMENT, "The ledger at a glance", native::status),
    post("/feedback/submit", WRITE, ("Fact", &[]), "Record a `feedback`", native::submit_feedback),
    get("/feedback/history", OF_RUN, "Feedback so far", native::feedback_history),
    get("/feedback/stats", OF_TOOL, "Feedback by verdict and by tool", native::feedback_stats),
    get(
        "/autonomy/status",
        OF_TOOL,
        "The level, what it allows and what the next one lacks",
        native::autonomy_status,
    ),
    post(
        "/autonomy/request_escalation",
        WRITE,
        ("Fact", &[]),
        "Record an `escalation_request`",
        native::request_escalation,
    ),
    post(
        "/autonomy/approve_escalation",
        WRITE,
        ("Approval", &[]),
        "A reviewer's answer to an escalation",
        native::approve_escalation,
    ),
    get(
        "/autonomy/requests",
        OF_REQUEST,
        "Escalations asked for, and which wait",
        native::escalation_requests,
    ),
    by(
        get("/admin/proposals", OF_PROPOSAL, "Proposals with their states and contents", native::proposals),
        ADMIN,
    ),
    by(get("/admin/proposals/stats", OF_STATUS, "Proposals by state", native::proposal_stats), ADMIN),
    by(get("/admin/proposals/{proposal}", MOMENT, "One proposal", native::proposals), ADMIN),
    post(
        "/admin/proposals/{proposal}/approve",
        ADMIN,
        ("Comment", &[]),
        "Approve a proposal",
        native::approve_proposal,
    ),
    post(
        "/admin/proposals/{proposal}/reject",
        ADMIN,
        ("Comment", &[]),
        "Reject a proposal",
        native::reject_proposal,
    ),
    get("/api/reasoning/traces", OF_TASK, "Reasoning, task by task", native::traces),
    get("/api/reasoning/traces/{task}", MOMENT, "The reasoning of one task", native::traces),
    get("/api/reasoning/current", OF_TASK, "Tasks whose reasoning is incomplete", native::current_trace),
    Route {
        method: "POST",
        path: "/hook/{host}",
        scope: DECIDE,
        about: "What a hook of an agent's host is told about an event of it",
        body: Some("Event"),
        query: &["shadow"],
        answers: Answers::Hook,
    },
    Route {
        method: "POST",
        path: "/mcp",
        scope: READ,
        about: "MCP over streamable HTTP: one message, and the answer to it",
        body: Some("Message"),
        query: &[],
        answers: Answers::Mcp,
    },
];
