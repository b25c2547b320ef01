//! AuthZEN by the rules: the entities of a request become facts that `[authzen]` describes, its decision is a fact of a
//! decision relation, and what a search looks for is a column that is left free.

use std::time::Instant;

use hence_actuators::template::Template;
use hence_core::fact::Fact;
use hence_core::json as facts_json;
use hence_core::schema::{Relation, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_ledger::Decision;
use hence_server::{AccessRequest, DeskAnswer, Free, Problem, Search, Semantic};
use hence_session::{CommitOutcome, DecisionId, RuleSet, Session, SessionError, Supposed};
use serde_json::{Map, Value as Json, json};

use super::super::config::{self, Authzen};
use super::answers::stamp;
use super::problem::of_session;

/// How an evaluation ended.
pub(super) struct Decided {
    pub(super) decision: bool,
    pub(super) context: Map<String, Json>,
}

/// What a request says, under the names that templates know.
type Known = Map<String, Json>;

/// What is looked for: a relation, and the values of some columns.
struct Pattern {
    id: RelationId,
    values: Vec<Option<Value>>,
}

/// What is looked for in an evaluation.
pub(super) struct Wanted {
    decision: Pattern,
    denied: Option<Pattern>,
    /// What else is to be done, by its name in `[authzen]`.
    obligations: Vec<(&'static str, Pattern)>,
}

/// What was seen of a request.
#[derive(Default)]
pub(super) struct Seen {
    permitted: Option<Decision>,
    denied: Option<Decision>,
    /// What else is to be done, by its name in `[authzen]`.
    obligations: Vec<(&'static str, Decision)>,
    /// Whether the decision depends on an undefined operation.
    is_open: bool,
}

/// `[authzen]` of hence.toml.
///
/// # Errors
/// There is none.
pub(super) fn authzen() -> Result<&'static Authzen, Problem> {
    let none = || Problem::new(404, "no `[authzen]` in hence.toml says what is decided");
    config::get().authzen().ok_or_else(none)
}

/// Evaluates each of some requests over facts that last for it alone, until one stops the rest or it is too late.
pub(super) fn evaluate(
    session: &mut Session,
    evaluations: &[Result<AccessRequest, String>],
    (semantic, by): (Semantic, &str),
    (now, until): (i64, Instant),
) -> Result<Vec<Decided>, Problem> {
    let mut evaluate = |evaluation: &AccessRequest| evaluate_one(session, evaluation, by, now);
    each(evaluations, (semantic, until), &mut evaluate)
}

/// Has each evaluation answered, until one stops the rest or nobody waits any more; what can't be read is denied.
pub(super) fn each(
    evaluations: &[Result<AccessRequest, String>],
    (semantic, until): (Semantic, Instant),
    evaluate: &mut dyn FnMut(&AccessRequest) -> Result<Decided, Problem>,
) -> Result<Vec<Decided>, Problem> {
    let mut all = Vec::new();
    for evaluation in evaluations {
        if until <= Instant::now() {
            return Err(Problem::busy("the evaluations take too long; ask for fewer at once"));
        }
        let decided = match evaluation {
            Ok(evaluation) => evaluate(evaluation)?,
            Err(why) => Decided::failed(400, why),
        };
        let stops = semantic.stops(decided.decision);
        all.push(decided);
        if stops {
            break;
        }
    }
    Ok(all)
}

fn evaluate_one(
    session: &mut Session,
    evaluation: &AccessRequest,
    by: &str,
    now: i64,
) -> Result<Decided, Problem> {
    let (facts, wanted) = match read(session.rules(), authzen()?, evaluation, by) {
        Ok(read) => read,
        Err(why) => return Ok(Decided::failed(400, &why)),
    };
    let seen = session.supposing((&facts, by), now, |supposed| look(supposed, &wanted));
    match seen {
        Ok(seen) => Decided::of(session, seen, None),
        Err(error @ SessionError::NotAllowed { .. }) => Ok(Decided::failed(403, &error.to_string())),
        Err(error) => Err(of_session(&error)),
    }
}

/// The facts that a request makes, and what is looked for beside them.
///
/// # Errors
/// Why it can't be evaluated, which is a denial: a value that `[authzen]` names is not there, or does not fit its column.
pub(super) fn read(
    rules: &RuleSet,
    authzen: &Authzen,
    evaluation: &AccessRequest,
    by: &str,
) -> Result<(Vec<Fact>, Wanted), String> {
    let known = known(evaluation, by);
    let facts = facts_of(rules, authzen, evaluation, &known)?;
    Ok((facts, Wanted::of(rules, authzen, &known)?))
}

/// What a request says, under the names that templates know.
fn known(evaluation: &AccessRequest, by: &str) -> Known {
    let mut known = evaluation.given.clone();
    known.insert(String::from("principal"), Json::from(by));
    known
}

/// The facts of a request: those whose values are all there.
fn facts_of(
    rules: &RuleSet,
    authzen: &Authzen,
    evaluation: &AccessRequest,
    known: &Known,
) -> Result<Vec<Fact>, String> {
    let text = |entity: &str, key: &str| evaluation.text(entity, key);
    let templates =
        authzen.facts_of(text("subject", "type"), text("action", "name"), text("resource", "type"))?;
    let mut facts = Vec::new();
    for template in templates {
        let filled = template.filled(known);
        let whole: Option<Vec<(String, Json)>> =
            filled.into_iter().map(|(column, value)| Some((column, value?))).collect();
        if let Some(values) = whole {
            facts.push(fact(rules, template, &values)?);
        }
    }
    Ok(facts)
}

fn fact(rules: &RuleSet, template: &Template, values: &[(String, Json)]) -> Result<Fact, String> {
    let name = template.relation();
    let unknown = || format!("unknown relation `{name}`");
    let relation = &rules.program[rules.program.find(Symbol::new(name)).ok_or_else(unknown)?];
    let mut read = Vec::new();
    for (column, json) in values {
        read.push((column.as_str(), value(relation, column, json)?));
    }
    hence_session::fact_by_name(rules, name, &read).map_err(|error| error.to_string())
}

/// A value of a request as a column of a relation holds it.
fn value(relation: &Relation, column: &str, json: &Json) -> Result<Value, String> {
    let name = Symbol::new(column);
    let found = relation.columns.iter().find(|known| known.name == name);
    let found = found.ok_or_else(|| format!("`{relation}` has no column `{column}`"))?;
    let slashed = match (found.ty.ty, json) {
        (Type::Name, Json::String(text)) if !text.starts_with('/') => Some(Json::from(format!("/{text}"))),
        _ => None,
    };
    let read = facts_json::read(found.ty.ty, slashed.as_ref().unwrap_or(json));
    let read = read.filter(|value| found.ty.admits(*value));
    read.ok_or_else(|| format!("`{column}` of `{}`: expected {}, found {json}", relation.name, found.ty))
}

impl Pattern {
    /// What a template looks for; the values of `free` may be any.
    fn of(rules: &RuleSet, template: &Template, known: &Known, free: Option<Free>) -> Result<Self, String> {
        let name = template.relation();
        if let Some(missing) = template.missing(known, free.map(Free::word)) {
            return Err(format!("the request has no `{missing}`, which `{name}` takes"));
        }
        let unknown = || format!("unknown relation `{name}`");
        let id = rules.program.find(Symbol::new(name)).ok_or_else(unknown)?;
        let relation = &rules.program[id];
        let mut values = vec![None; relation.columns.len()];
        for (column, json) in template.filled(known) {
            let Some(json) = json else { continue };
            let read = value(relation, &column, &json)?;
            let at = relation.columns.iter().position(|known| known.name.as_str() == column);
            if let Some(place) = at.and_then(|at| values.get_mut(at)) {
                *place = Some(read);
            }
        }
        Ok(Self { id, values })
    }

    /// Whether some of it follows, certainly or possibly.
    fn may_hold(&self, supposed: &Supposed<'_>) -> bool {
        !supposed.facts(self.id, &self.values).is_empty() || supposed.is_open(self.id, &self.values)
    }
}

impl Wanted {
    fn of(rules: &RuleSet, authzen: &Authzen, known: &Known) -> Result<Self, String> {
        let pattern = |template: &Template| Pattern::of(rules, template, known, None);
        let mut obligations = Vec::new();
        for (kind, template) in [("ask", &authzen.ask), ("review", &authzen.review)] {
            if let Some(template) = template {
                obligations.push((kind, pattern(template)?));
            }
        }
        let denied = authzen.denied.as_ref().map(pattern).transpose()?;
        Ok(Self { decision: pattern(&authzen.decision)?, denied, obligations })
    }
}

/// What follows for a request: whether the decision, or what speaks against it, is derived.
pub(super) fn look(supposed: &Supposed<'_>, wanted: &Wanted) -> Result<Seen, SessionError> {
    let mut seen = Seen::default();
    let mut first = |pattern: &Pattern| {
        let found = supposed.facts(pattern.id, &pattern.values).into_iter().next();
        seen.is_open |= found.is_none() && supposed.is_open(pattern.id, &pattern.values);
        found.map(|fact| supposed.reason(fact)).transpose()
    };
    let permitted = first(&wanted.decision)?;
    let denied = wanted.denied.as_ref().map(&mut first).transpose()?.flatten();
    let mut obligations = Vec::new();
    for (kind, pattern) in &wanted.obligations {
        obligations.extend(first(pattern)?.map(|why| (*kind, why)));
    }
    Ok(Seen { permitted, denied, obligations, ..seen })
}

impl Decided {
    /// A denial since something can't be evaluated.
    pub(super) fn failed(status: u16, why: &str) -> Self {
        let mut context = Map::new();
        context.insert(String::from("error"), json!({ "status": status, "message": why }));
        Self { decision: false, context }
    }

    /// What was seen comes to: permitted where nothing speaks against it and nobody is to be asked first.
    /// `drawn` is what was just recorded, if anything was.
    pub(super) fn of(session: &Session, seen: Seen, drawn: Option<&CommitOutcome>) -> Result<Self, Problem> {
        let asks = seen.obligations.iter().any(|(kind, _)| *kind == "ask");
        let decision = seen.permitted.is_some() && seen.denied.is_none() && !asks && !seen.is_open;
        let mut context = Map::new();
        let shown = seen.denied.as_ref().or(seen.permitted.as_ref());
        let id_of = |fact: &Fact| match drawn.and_then(|drawn| drawn.id(fact)) {
            Some(id) => Ok(Some(id)),
            None => in_force(session, fact),
        };
        let id = shown.map(|shown| id_of(&shown.fact)).transpose()?.flatten();
        context.insert(String::from("id"), json!(id.map(|id| id.to_string())));
        context.insert(String::from("rule"), json!(shown.and_then(|shown| shown.rule.clone())));
        context.insert(String::from("because"), json!(shown.and_then(|shown| shown.sentence.clone())));
        if shown.is_none() {
            let why = match seen.is_open {
                true => "the decision is undetermined: it depends on an undefined operation",
                false => "no rule permits it; `why-not` says what is missing",
            };
            context.insert(String::from("reason"), json!(why));
        }
        let obligation = |(kind, why): &(&str, Decision)| {
            let fact = facts_json::fact(&why.fact);
            json!({ "id": kind, "fact": fact, "rule": why.rule, "because": why.sentence })
        };
        let obligations = seen.obligations.iter().map(obligation).collect::<Json>();
        context.insert(String::from("obligations"), obligations);
        stamp(session, &mut context);
        Ok(Self { decision, context })
    }

    fn fields(self) -> Map<String, Json> {
        let mut fields = Map::new();
        fields.insert(String::from("decision"), json!(self.decision));
        fields.insert(String::from("context"), Json::Object(self.context));
        fields
    }
}

/// The id of a decision that is recorded and in force.
pub(super) fn in_force(session: &Session, decision: &Fact) -> Result<Option<DecisionId>, Problem> {
    let Some(ledger) = session.ledger() else { return Ok(None) };
    let recorded = ledger.is_in_force(decision).map_err(|error| of_session(&error.into()))?;
    if !recorded {
        return Ok(None);
    }
    session.decision_id(decision).map_err(|error| of_session(&error))
}

/// The response to evaluations, or to the only one.
pub(super) fn lift(decided: Vec<Decided>, is_single: bool) -> DeskAnswer {
    if is_single {
        let only = decided.into_iter().next();
        return only.map(Decided::fields).ok_or_else(|| Problem::new(500, "nothing was evaluated"));
    }
    let all = decided.into_iter().map(|decided| Json::Object(decided.fields())).collect::<Json>();
    let mut fields = Map::new();
    fields.insert(String::from("evaluations"), all);
    Ok(fields)
}

/// Whoever, or whatever, would be permitted.
pub(super) fn search(session: &mut Session, search: &Search, by: &str, now: i64) -> DeskAnswer {
    let authzen = authzen()?;
    let known = known(&search.given, by);
    let facts = match facts_of(session.rules(), authzen, &search.given, &known) {
        Ok(facts) => facts,
        // Of a type that nobody knows there is nothing.
        Err(_) => return Ok(results(search, Vec::new())),
    };
    let found =
        session.supposing((&facts, by), now, |supposed| Ok(permitted(supposed, authzen, search, &known)));
    let mut found = found.map_err(|error| of_session(&error))?.map_err(|why| Problem::new(422, why))?;
    found.sort_unstable();
    found.dedup();
    Ok(results(search, found))
}

/// The values of the free column for which a decision is derived and nothing speaks against it; none where the rest of the
/// request is one that no evaluation would permit.
fn permitted(
    supposed: &Supposed<'_>,
    authzen: &Authzen,
    search: &Search,
    known: &Known,
) -> Result<Vec<String>, String> {
    let key = if search.free == Free::Action { "name" } else { "id" };
    let free = authzen.decision.column_of(search.free.word(), key);
    let free = free.ok_or_else(|| {
        format!("`[authzen]`: `decision` has no column for `${}.{key}`", search.free.word())
    })?;
    let rules = supposed.rules();
    let pattern_of =
        |template: &Template, known: &Known| Pattern::of(rules, template, known, Some(search.free));
    let Ok(pattern) = pattern_of(&authzen.decision, known) else { return Ok(Vec::new()) };
    let columns = &rules.program[pattern.id].columns;
    let at = columns.iter().position(|column| column.name.as_str() == free);
    let mut found = Vec::new();
    for fact in supposed.facts(pattern.id, &pattern.values) {
        let Some(value) = at.and_then(|at| fact.values.get(at)) else { continue };
        let text = value.text();
        let text =
            text.strip_prefix('/').filter(|_| matches!(value, Value::Name(_))).unwrap_or(&text).to_owned();
        let mut with = known.clone();
        let entity = with.entry(search.free.word()).or_insert_with(|| json!({}));
        if let Some(fields) = entity.as_object_mut() {
            fields.insert(key.to_owned(), json!(text));
        }
        let against = [authzen.denied.as_ref(), authzen.ask.as_ref()].into_iter().flatten();
        // What can't be looked for is no permission.
        let is_barred = against
            .map(|template| pattern_of(template, &with))
            .any(|pattern| pattern.map_or(true, |pattern| pattern.may_hold(supposed)));
        if !is_barred {
            found.push(text);
        }
    }
    Ok(found)
}

/// A page of results.
fn results(search: &Search, found: Vec<String>) -> Map<String, Json> {
    let total = found.len();
    let ty = search.given.text(search.free.word(), "type").map(str::to_owned);
    let result = |text: String| match search.free {
        Free::Action => json!({ "name": text }),
        Free::Subject | Free::Resource => json!({ "type": ty, "id": text }),
    };
    let limit = search.limit.unwrap_or(usize::MAX);
    let page: Vec<Json> = found.into_iter().skip(search.offset).take(limit).map(result).collect();
    let end = search.offset.saturating_add(page.len());
    let mut fields = Map::new();
    if search.is_paged {
        let next = match search.limit {
            Some(limit) if end < total && limit > 0 => format!("{}-{end}-{limit}", search.seal),
            _ => String::new(),
        };
        fields
            .insert(String::from("page"), json!({ "next_token": next, "count": page.len(), "total": total }));
    }
    fields.insert(String::from("results"), Json::Array(page));
    fields
}
