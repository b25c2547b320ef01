//! The description of all routes, as OpenAPI 3.1, made from their table.

use std::sync::LazyLock;

use serde_json::{Map, Value as Json, json};

use super::routes::{Answers, ROUTES, Route};

/// The schemas that bodies have; read once.
static SCHEMAS: LazyLock<Json> =
    LazyLock::new(|| serde_json::from_str(include_str!("schemas.json")).unwrap_or(Json::Null));
/// What a number of the query is called.
const NUMBERS: [&str; 6] = ["min_tx", "expect_tx", "limit", "offset", "from", "after"];

/// The document.
pub fn document() -> Json {
    let mut paths: Map<String, Json> = Map::new();
    for route in ROUTES {
        let of_path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(of_path) = of_path.as_object_mut() {
            of_path.insert(route.method.to_lowercase(), operation(route));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "hence", "version": env!("CARGO_PKG_VERSION"), "license": { "name": "MIT OR Apache-2.0" },
            "description": "Decisions by rules: recorded, explained, and asked over HTTP.",
        },
        "paths": paths,
        "components": {
            "schemas": *SCHEMAS,
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}

/// The members that a body of a schema has; `None` where it may have any.
pub(crate) fn members(schema: &str) -> Option<Vec<&'static str>> {
    let properties = SCHEMAS.get(schema)?.get("properties")?.as_object()?;
    Some(properties.keys().map(String::as_str).collect())
}

fn operation(route: &Route) -> Json {
    let mut operation = json!({
        "summary": route.about,
        "operationId": operation_id(route),
        "parameters": parameters(route),
        "responses": responses(route),
    });
    let Some(fields) = operation.as_object_mut() else { return operation };
    let security = route.scope.map_or_else(|| json!([]), |scope| json!([{ "token": [scope.word()] }]));
    fields.insert(String::from("security"), security);
    if let Some(body) = route.body {
        let schema = json!({ "$ref": format!("#/components/schemas/{body}") });
        let media = if body == "Lines" { "application/x-ndjson" } else { "application/json" };
        fields.insert(
            String::from("requestBody"),
            json!({ "required": true, "content": { media: { "schema": schema } } }),
        );
    }
    operation
}

fn operation_id(route: &Route) -> String {
    let words =
        route.path.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    format!("{}_{}", route.method.to_lowercase(), words.collect::<Vec<_>>().join("_"))
}

fn parameters(route: &Route) -> Vec<Json> {
    let parts = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let path = parts
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
    let query = route.query.iter().map(|name| {
        let schema = match *name {
            "limit" => json!({ "type": "integer", "minimum": 1, "maximum": 1000 }),
            name if NUMBERS.contains(&name) => json!({ "type": "integer", "minimum": 0 }),
            _ => json!({ "type": "string" }),
        };
        json!({ "name": name, "in": "query", "schema": schema })
    });
    path.chain(query).collect()
}

fn responses(route: &Route) -> Json {
    let of = |about: &str, schema: &str, media: &str| {
        let schema = json!({ "$ref": format!("#/components/schemas/{schema}") });
        json!({ "description": about, "content": { media: { "schema": schema } } })
    };
    let problem = |about: &str| of(about, "Problem", "application/problem+json");
    let mut all = json!({ "200": of("The answer", "Answer", "application/json") });
    let Some(fields) = all.as_object_mut() else { return all };
    if matches!(route.answers, Answers::Own(_) | Answers::Hook | Answers::Mcp) {
        fields.insert(String::from("200"), json!({ "description": "The answer" }));
    }
    let mut problems = vec![("503", "No time or room to answer now; `Retry-After` says when to ask again")];
    if route.scope.is_some() {
        problems.extend([("401", "No token, or none that is known"), ("403", "The token has another scope")]);
        problems.push(("400", "The request can't be read"));
    }
    if matches!(route.answers, Answers::Desk(_)) {
        problems.extend([("404", "There is no such thing"), ("409", "The ledger has gone on")]);
        problems
            .extend([("413", "The body is too long"), ("422", "What the request says can't be recorded")]);
    }
    fields.extend(problems.into_iter().map(|(status, about)| (status.to_owned(), problem(about))));
    all.sort_all_objects();
    all
}
