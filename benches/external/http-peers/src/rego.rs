//! Rego, the language of OPA, by the engine regorus: resources are a document by name.

use std::collections::BTreeMap;
use std::sync::Mutex;

use regorus::{Engine, Value};
use serde_json::{Map, Value as Json, json};

use crate::facts::{Facts, Resource};
use crate::{Decide, Question};

/// The same policy as Cedar's.
const POLICY: &str = r#"
package access
import rego.v1
default allow := false
changes := {"write", "delete"}
owns := {"read", "write", "delete"}
granted contains "viewer" if { input.action == "read"; input.subject in data.resources[input.resource].viewers }
granted contains "owner" if { input.action in owns; input.subject in data.resources[input.resource].owners }
granted contains "owner_above" if {
    input.action in owns
    some parent in data.resources[input.resource].parents
    input.subject in data.resources[parent].owners
}
barred if { input.action in changes; data.resources[input.resource].held }
allow if { count(granted) > 0; not barred }
answer := {"allow": allow, "granted": granted}
"#;

pub(crate) fn decide(facts: Facts) -> Result<Decide, Box<dyn std::error::Error>> {
    let mut engine = Engine::new();
    engine.add_policy(String::from("access.rego"), String::from(POLICY))?;
    let resources: Map<String, Json> =
        facts.0.into_iter().map(|(name, resource)| (name, document(resource))).collect();
    engine.add_data(Value::from(json!({ "resources": resources })))?;
    // One is evaluated by one thread at a time; copies share policy and data.
    let idle = Mutex::new(vec![engine]);
    Ok(Box::new(move |question: &Question<'_>| {
        let take = || {
            let mut idle = idle.lock().map_err(|error| error.to_string())?;
            Ok::<_, String>(if idle.len() > 1 { idle.pop() } else { idle.first().cloned() })
        };
        let mut engine = take()?.ok_or("there is no engine")?;
        let decided = ask(&mut engine, question);
        idle.lock().map_err(|error| error.to_string())?.push(engine);
        decided
    }))
}

fn ask(engine: &mut Engine, question: &Question<'_>) -> Result<(bool, Vec<String>), String> {
    let input: BTreeMap<&str, &str> = BTreeMap::from([
        ("subject", question.subject),
        ("action", question.action),
        ("resource", question.resource),
    ]);
    engine.set_input(Value::from(json!(input)));
    let answer = engine.eval_rule(String::from("data.access.answer")).map_err(|error| error.to_string())?;
    let granted = answer["granted"].as_set().map_err(|error| error.to_string())?;
    let names =
        granted.iter().filter_map(|name| name.as_string().ok().map(|name| name.to_string())).collect();
    Ok((answer["allow"] == Value::from(true), names))
}

fn document(resource: Resource) -> Json {
    let Resource { parents, owners, viewers } = resource;
    json!({ "parents": parents, "owners": owners, "viewers": viewers, "held": false })
}
