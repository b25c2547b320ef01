//! Policy engines, behind the feature `policy-engines`: each takes the policy in its own language, and what that can't
//! say is added up by the host.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;
use std::time::Duration;

use biscuit_auth::AuthorizerLimits;
use biscuit_auth::builder::{AuthorizerBuilder, Fact, Rule, Term};
use cedar_policy::{
    Authorizer, Context, Decision, Entities, Entity, EntityUid, PolicySet, Request as CedarRequest,
    RestrictedExpression,
};
use regorus::{Engine, Value};
use serde_json::{Map, Value as Json, json};

use super::{Decide, Out, Policy, Request, mask};

/// Biscuit's Datalog has no negation in rules: the positive ones run there, the set differences here.
pub fn biscuit(policy: &Policy) -> Decide {
    let limits =
        AuthorizerLimits { max_facts: 100_000, max_iterations: 1_000, max_time: Duration::from_secs(10) };
    let base = AuthorizerBuilder::new().code(biscuit_rules(policy)).unwrap().set_limits(limits);
    let questions =
        ["eligible", "candidate", "denied"].map(|of| Rule::from_str(&format!("q($t) <- {of}($t)")).unwrap());
    Box::new(move |request| {
        let mut builder = base.clone();
        for (name, row) in rows(request) {
            let terms: Vec<Term> = row.into_iter().map(Term::Integer).collect();
            builder = builder.fact(Fact::new(name.into(), terms)).unwrap();
        }
        let mut authorizer = builder.build_unauthenticated().unwrap();
        authorizer.run().unwrap();
        let mut answers = |at: usize| -> Vec<u32> {
            let rows: Vec<(i64,)> = authorizer.query(questions[at].clone()).unwrap();
            rows.into_iter().map(|row| row.0 as u32).collect()
        };
        let granted = answers(0).into_iter().max().unwrap();
        let (candidates, denied) = (mask(answers(1)), mask(answers(2)));
        let requested = mask(request.requested.iter().copied());
        let allow = candidates & !denied;
        let approval = requested & !allow & !denied;
        Out { granted, allow, denied, approval, autonomous: granted >= 2 && requested & !allow == 0 }
    })
}

fn rows(request: &Request) -> Vec<(&'static str, Vec<i64>)> {
    let mut rows: Vec<(&str, Vec<i64>)> = Vec::new();
    rows.extend(request.metric.iter().map(|&(metric, value)| ("metric", vec![metric.into(), value.into()])));
    rows.extend(request.run.iter().map(|&(tool, ok)| ("run", vec![tool.into(), ok.into()])));
    rows.extend(request.role.iter().map(|&role| ("role", vec![role.into()])));
    rows.extend(request.requested.iter().map(|&tool| ("requested", vec![tool.into()])));
    rows.extend(
        request.incident.iter().map(|&(kind, severity)| ("incident", vec![kind.into(), severity.into()])),
    );
    rows
}

fn biscuit_rules(policy: &Policy) -> String {
    let mut text = String::from("eligible(0);\n");
    let mut fact = |name: &str, row: &[u32]| {
        let row: Vec<String> = row.iter().map(u32::to_string).collect();
        text += &format!("{name}({});\n", row.join(", "));
    };
    policy.safe_tool.iter().for_each(|&tool| fact("safe_tool", &[tool]));
    policy.banned.iter().for_each(|&tool| fact("banned", &[tool]));
    policy.depends.iter().for_each(|&(tool, on)| fact("depends", &[tool, on]));
    policy.tool_risk.iter().for_each(|&(tool, risk)| fact("tool_risk", &[tool, risk]));
    policy.tool_kind.iter().for_each(|&(tool, kind)| fact("tool_kind", &[tool, kind]));
    policy.needs_role.iter().for_each(|&(tool, role)| fact("needs_role", &[tool, role]));
    let free = (0..20).filter(|tool| !policy.needs_role.iter().any(|row| row.0 == *tool));
    free.for_each(|tool| fact("no_role", &[tool]));
    for level in 1..=5 {
        let asked = || policy.level_req.iter().filter(|row| row.0 == level);
        let metrics: Vec<String> = asked().map(|row| format!("metric({}, $v{})", row.1, row.1)).collect();
        let least: Vec<String> = asked().map(|row| format!("$v{} >= {}", row.1, row.2)).collect();
        let (metrics, least) = (metrics.join(", "), least.join(", "));
        text += &format!("eligible({level}) <- eligible({}), {metrics}, {least};\n", level - 1);
    }
    text + "blocked($t) <- banned($t);
        blocked($t) <- depends($t, $u), blocked($u);
        safe($t) <- requested($t), safe_tool($t);
        safe($t) <- requested($t), tool_risk($t, $r), eligible($l), $r <= $l;
        denied($t) <- requested($t), blocked($t);
        denied($t) <- requested($t), tool_kind($t, $k), incident($k, $s), $s >= 3;
        denied($t) <- requested($t), run($t, 0), tool_risk($t, $r), $r >= 4;
        role_ok($t) <- requested($t), no_role($t);
        role_ok($t) <- requested($t), needs_role($t, $r), role($r);
        candidate($t) <- safe($t), role_ok($t);
    "
}

fn uid(kind: &str, id: impl std::fmt::Display) -> EntityUid {
    EntityUid::from_str(&format!("{kind}::\"{id}\"")).unwrap()
}

fn long(value: impl Into<i64>) -> RestrictedExpression {
    RestrictedExpression::new_long(value.into())
}

/// Cedar has no joins and no sets of answers: it is asked for each tool, and for each level until one is refused.
pub fn cedar(policy: &Policy) -> Decide {
    let policies = PolicySet::from_str(&cedar_policies(policy)).unwrap();
    let entities = Entities::from_entities(cedar_tools(policy), None).unwrap();
    let authorizer = Authorizer::new();
    let (agent, use_, level) = (uid("Agent", "a"), uid("Action", "use"), uid("Action", "level"));
    let tools: Vec<_> = (0..20).map(|tool| uid("Tool", tool)).collect();
    let levels: Vec<_> = (0..6).map(|level| uid("Level", level)).collect();
    Box::new(move |request| {
        let context = cedar_context(request, &tools);
        let ask = |action: &EntityUid, resource: &EntityUid| {
            let (agent, action, resource) = (agent.clone(), action.clone(), resource.clone());
            let request = CedarRequest::new(agent, action, resource, context.clone(), None).unwrap();
            authorizer.is_authorized(&request, &policies, &entities)
        };
        let mut out = Out::default();
        let allowed = |at: &u32| ask(&level, &levels[*at as usize]).decision() == Decision::Allow;
        out.granted = (1..=5).take_while(allowed).last().unwrap_or(0);
        for &tool in &request.requested {
            let answer = ask(&use_, &tools[tool as usize]);
            let set = match answer.decision() {
                Decision::Allow => &mut out.allow,
                Decision::Deny if answer.diagnostics().reason().next().is_some() => &mut out.denied,
                Decision::Deny => &mut out.approval,
            };
            *set |= 1 << tool;
        }
        out.autonomous = out.granted >= 2 && out.denied | out.approval == 0;
        out
    })
}

fn cedar_policies(policy: &Policy) -> String {
    let asked = |level: u32| {
        let asked = policy.level_req.iter().filter(|row| row.0 <= level);
        asked.map(|row| format!("context.metrics.m{} >= {}", row.1, row.2)).collect::<Vec<_>>().join(" && ")
    };
    let use_ = "principal, action == Action::\"use\", resource";
    let role = "(resource.roles.isEmpty() || resource.roles.containsAny(context.roles))";
    let mut text = format!("permit({use_}) when {{ resource.safe && {role} }};\n");
    for level in 1..=5 {
        let asked = asked(level);
        text += &format!("permit({use_}) when {{ resource.risk == {level} && {role} && {asked} }};\n");
        text += &format!(
            "permit(principal, action == Action::\"level\", resource == Level::\"{level}\") when {{ {asked} }};\n"
        );
    }
    let severe = "context.incidents.contains({kind: resource.kind, sev: 3})";
    text + &format!(
        "forbid(principal, action == Action::\"use\", resource in Tool::\"BANNED\");
        forbid({use_}) when {{ {severe} }};
        forbid({use_}) when {{ resource.risk >= 4 && context.failed.contains(resource) }};\n"
    )
}

fn cedar_tools(policy: &Policy) -> Vec<Entity> {
    let banned = uid("Tool", "BANNED");
    let tool = |tool: u32| {
        let above = policy.depends.iter().filter(|row| row.0 == tool).map(|row| uid("Tool", row.1));
        let mut parents: HashSet<EntityUid> = above.collect();
        if policy.banned.contains(&tool) {
            parents.insert(banned.clone());
        }
        let of = |rows: &[(u32, u32)]| long(rows.iter().find(|row| row.0 == tool).unwrap().1);
        let roles = policy.needs_role.iter().filter(|row| row.0 == tool).map(|row| long(row.1));
        let attributes: HashMap<String, RestrictedExpression> = HashMap::from([
            ("risk".into(), of(&policy.tool_risk)),
            ("kind".into(), of(&policy.tool_kind)),
            ("safe".into(), RestrictedExpression::new_bool(policy.safe_tool.contains(&tool))),
            ("roles".into(), RestrictedExpression::new_set(roles)),
        ]);
        Entity::new(uid("Tool", tool), attributes, parents).unwrap()
    };
    let root = Entity::new_no_attrs(banned.clone(), HashSet::new());
    [root].into_iter().chain((0..20).map(tool)).collect()
}

fn cedar_context(request: &Request, tools: &[EntityUid]) -> Context {
    let record =
        |fields: Vec<(String, RestrictedExpression)>| RestrictedExpression::new_record(fields).unwrap();
    let metrics = request.metric.iter().map(|row| (format!("m{}", row.0), long(row.1))).collect();
    let failed = request.run.iter().filter(|run| run.1 == 0);
    let failed = failed.map(|run| RestrictedExpression::new_entity_uid(tools[run.0 as usize].clone()));
    let incidents = request
        .incident
        .iter()
        .map(|row| record(vec![("kind".into(), long(row.0)), ("sev".into(), long(row.1))]));
    let fields = [
        ("metrics".into(), record(metrics)),
        ("roles".into(), RestrictedExpression::new_set(request.role.iter().map(|&role| long(role)))),
        ("failed".into(), RestrictedExpression::new_set(failed)),
        ("incidents".into(), RestrictedExpression::new_set(incidents)),
    ];
    Context::from_pairs(fields).unwrap()
}

/// regorus, its register machine. (It was wrong on `every`, so the rule for levels counts instead.)
pub fn regorus(policy: &Policy) -> Decide {
    let data = Value::from_json_str(&rego_data(policy).to_string()).unwrap();
    let mut engine = Engine::new();
    engine.add_policy("decision.rego".into(), include_str!("../../external/decision.rego").into()).unwrap();
    engine.add_data(data.clone()).unwrap();
    let entry: regorus::Rc<str> = "data.gov.result".into();
    let compiled = engine.compile_with_entrypoint(&entry).unwrap();
    let program =
        regorus::languages::rego::compiler::Compiler::compile_from_policy(&compiled, &["data.gov.result"]);
    let mut machine = regorus::rvm::RegoVM::new_with_policy(compiled);
    machine.load_program(program.unwrap());
    machine.set_data(data).unwrap();
    Box::new(move |request| {
        machine.set_input(rego_input(request));
        let result = machine.execute().unwrap();
        let tools = |name: &str| {
            let set = result[name].as_set().unwrap();
            mask(set.iter().map(|tool| tool.as_string().unwrap()[1..].parse().unwrap()))
        };
        Out {
            granted: result["granted"].as_u32().unwrap(),
            allow: tools("allow"),
            denied: tools("denied"),
            approval: tools("approval"),
            autonomous: *result["autonomous"].as_bool().unwrap(),
        }
    })
}

fn rego_data(policy: &Policy) -> Json {
    let name = |tool: u32| format!("t{tool}");
    let of = |rows: &[(u32, u32)], tool: u32| rows.iter().find(|row| row.0 == tool).unwrap().1;
    let tool = |tool: u32| {
        let roles: Vec<u32> = policy.needs_role.iter().filter(|row| row.0 == tool).map(|row| row.1).collect();
        let (risk, kind) = (of(&policy.tool_risk, tool), of(&policy.tool_kind, tool));
        (
            name(tool),
            json!({"risk": risk, "kind": kind, "safe": policy.safe_tool.contains(&tool), "roles": roles}),
        )
    };
    let above = |tool: u32| {
        let above: Vec<String> =
            policy.depends.iter().filter(|row| row.1 == tool).map(|row| name(row.0)).collect();
        (name(tool), json!(above))
    };
    let asked = policy.level_req.iter();
    let asked = asked.map(|row| json!({"level": row.0, "metric": format!("m{}", row.1), "min": row.2}));
    json!({
        "levels": policy.level, "level_req": asked.collect::<Vec<_>>(),
        "tools": (0..20).map(tool).collect::<Map<_, _>>(), "depended_by": (0..20).map(above).collect::<Map<_, _>>(),
        "banned": policy.banned.iter().map(|&tool| name(tool)).collect::<Vec<_>>(),
    })
}

fn rego_input(request: &Request) -> Value {
    let text = |text: String| Value::from(text);
    let array = |values: Vec<Value>| Value::from(values);
    let mut metrics = Value::new_object();
    let fields = metrics.as_object_mut().unwrap();
    for &(metric, value) in &request.metric {
        fields.insert(text(format!("m{metric}")), Value::from(i64::from(value)));
    }
    let int = |value: u32| Value::from(i64::from(value));
    let runs = request.run.iter().map(|run| array(vec![text(format!("t{}", run.0)), int(run.1)]));
    let incidents = request.incident.iter().map(|row| array(vec![int(row.0), int(row.1)]));
    let requested = request.requested.iter().map(|tool| text(format!("t{tool}")));
    let mut input = Value::new_object();
    let parts = [
        ("runs", array(runs.collect())),
        ("roles", array(request.role.iter().map(|&role| int(role)).collect())),
        ("requested", array(requested.collect())),
        ("incidents", array(incidents.collect())),
        ("metrics", metrics),
    ];
    let fields = input.as_object_mut().unwrap();
    parts.into_iter().for_each(|(name, part)| drop(fields.insert(text(name.into()), part)));
    input
}
