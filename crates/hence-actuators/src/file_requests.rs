//! `file_requests`: decisions that offer or propose something become the request that a reviewer answers.

use super::carry::{Carrier, Failed, Fate, Order, Report};
use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Value};

/// The name of the carrier.
pub const NAME: &str = "file_requests";

/// The decisions that it carries out.
pub const RELATIONS: [&str; 6] = [
    "offer_escalation",
    "propose_lesson",
    "propose_constraint",
    "propose_solution",
    "propose_mcp",
    "propose_override",
];

/// The confidence of what a rule proposes without one of its own.
const CERTAIN: f64 = 1.0;

/// Turns `offer_escalation` into an `escalation_request`, and `propose_lesson`, `propose_constraint`,
/// `propose_solution`, `propose_mcp` and `propose_override` into a `proposal` of the type that fits, with what it is
/// about as `proposal_content`.
///
/// The id of a request follows from the decision alone, so one that is drawn again is not asked for again: whoever
/// asserts the request looks whether there is one of that id (see [`id_of`]).
pub struct FileRequests;

/// The id of the request that a decision leads to: its relation and 8 hexadecimal digits of its hash.
pub fn id_of(decision: &Fact) -> String {
    let hash = blake3::hash(decision.to_string().as_bytes()).to_hex();
    let short: String = hash.chars().take(8).collect();
    format!("{}-{short}", decision.relation)
}

/// The relation of the requests that the decisions of a relation lead to.
pub fn filed_as(decision: &str) -> &'static str {
    if decision == "offer_escalation" { "escalation_request" } else { "proposal" }
}

/// The column of such a relation that holds the id of a request.
pub fn key_of(relation: &str) -> &'static str {
    if relation == "proposal" { "proposal" } else { "request" }
}

impl Carrier for FileRequests {
    fn name(&self) -> &'static str {
        NAME
    }

    fn is_outside(&self) -> bool {
        false
    }

    fn carry_out(&self, order: &Order<'_>) -> Result<Report, Failed> {
        let text = |text: &str| Value::String(Symbol::new(text));
        let id = text(&id_of(order.decision));
        let now = Value::Time(order.now);
        let proposal = |kind: &str, confidence: Option<Value>| {
            let certain = || Value::Float(Float::new(CERTAIN).or_broken("certainty is a finite number"));
            let kind = Value::Name(Symbol::new(kind));
            Fact::new("proposal", [id, kind, confidence.unwrap_or_else(certain), now])
        };
        let values = order.decision.values.as_slice();
        let fact = match (order.decision.relation.as_str(), values) {
            ("offer_escalation", [level]) => {
                let reason = text(order.because.unwrap_or("all that the level asks for is met"));
                Fact::new("escalation_request", [id, *level, reason, now])
            }
            ("propose_lesson", [_, Value::Name(kind), confidence]) => {
                proposal(kind.as_str(), Some(*confidence))
            }
            ("propose_constraint", _) => proposal("/learned_rule", None),
            ("propose_solution", [Value::Name(trigger), _]) => match trigger.as_str() {
                "/capability_gap" | "/request" => proposal("/tool_creation", None),
                _ => proposal("/automation", None),
            },
            ("propose_mcp", _) => proposal("/mcp_server", None),
            ("propose_override", _) => proposal("/guardrail_override", None),
            (relation, _) => {
                let message = format!("the columns differ from those of `{relation}` in the shipped packs");
                return Err(Failed::new(Fate::Refused, message));
            }
        };
        let is_proposal = fact.relation.as_str() == "proposal";
        let content = if is_proposal { content(order, id) } else { Vec::new() };
        Ok(Report { facts: [vec![fact], content].concat(), ..Report::default() })
    }
}

/// What the proposal `id` is about: each column of the decision under its name, and the sentence of its rule.
fn content(order: &Order<'_>, id: Value) -> Vec<Fact> {
    let columns = order.columns.iter().zip(&order.decision.values);
    let parts = columns.map(|(column, value)| (column.as_str(), value.text()));
    let sentence = order.because.map(|because| ("because", because.to_owned()));
    let fact = |(part, text): (&str, String)| {
        let part = Value::Name(Symbol::new(&format!("/{part}")));
        Fact::new("proposal_content", [id, part, Value::String(Symbol::new(&text))])
    };
    parts.chain(sentence).map(fact).collect()
}
