//! AuthZEN 1.0 (the OpenID Authorization API, final of January 2026): its requests as questions.

use serde_json::{Map, Value as Json};

use super::call::Call;
use super::problem::Problem;
use super::question::{AccessRequest, Free, Question, Search, Semantic};
use super::tokens;

/// What a request consists of.
const MEMBERS: [&str; 4] = ["subject", "action", "resource", "context"];
/// How many evaluations one request may hold.
const MOST: usize = 1000;
/// How many results a page has at most.
const PAGE: usize = 1000;
/// How many digits of its hash tell one search from another.
const SEAL: usize = 16;

/// What is wrong with a member, if anything: entities are objects, and their names are strings.
fn check(given: &Map<String, Json>, free: Option<Free>) -> Result<(), String> {
    for (entity, keys) in
        [("subject", ["type", "id"].as_slice()), ("action", &["name"]), ("resource", &["type", "id"])]
    {
        let is_free = free.is_some_and(|free| free.word() == entity);
        let Some(found) = given.get(entity) else {
            if is_free && entity == "action" {
                continue;
            }
            return Err(format!("missing `{entity}`; expected an object with `{}`", keys.join("` and `")));
        };
        let Json::Object(fields) = found else { return Err(format!("`{entity}`: expected an object")) };
        for key in keys.iter().filter(|key| !is_free || **key == "type") {
            match fields.get(*key) {
                Some(Json::String(_)) => {}
                Some(_) => return Err(format!("`{entity}.{key}`: expected a string")),
                None => return Err(format!("missing `{entity}.{key}`; expected a string")),
            }
        }
        if fields.get("properties").is_some_and(|found| !found.is_object()) {
            return Err(format!("`{entity}.properties`: expected an object"));
        }
    }
    match given.get("context") {
        Some(found) if !found.is_object() => Err(String::from("`context`: expected an object")),
        _ => Ok(()),
    }
}

/// The members of a request that mean something, each from `own` or else from `defaults`, as a whole.
fn members(own: &Map<String, Json>, defaults: &Map<String, Json>) -> Map<String, Json> {
    let member = |name: &&str| own.get(*name).or_else(|| defaults.get(*name));
    MEMBERS.iter().filter_map(|name| Some(((*name).to_owned(), member(name)?.clone()))).collect()
}

fn evaluation_of(own: &Map<String, Json>, defaults: &Map<String, Json>) -> Result<AccessRequest, String> {
    let given = members(own, defaults);
    check(&given, None)?;
    Ok(AccessRequest { given })
}

fn single(fields: &Map<String, Json>) -> Result<Question, Problem> {
    let evaluation = evaluation_of(fields, &Map::new()).map_err(Problem::malformed)?;
    Ok(Question::Evaluations {
        evaluations: vec![Ok(evaluation)],
        semantic: Semantic::default(),
        is_single: true,
    })
}

/// `POST /access/v1/evaluation`
pub(crate) fn evaluation(call: &Call) -> Result<Question, Problem> {
    single(&call.object()?)
}

/// `POST /access/v1/evaluations`
pub(crate) fn evaluations(call: &Call) -> Result<Question, Problem> {
    let fields = call.object()?;
    let semantic = semantic(&fields)?;
    let items = match fields.get("evaluations") {
        None => return single(&fields),
        Some(Json::Array(items)) if items.is_empty() => return single(&fields),
        Some(Json::Array(items)) if items.len() > MOST => {
            let message = format!("`evaluations`: expected at most {MOST}, found {}", items.len());
            return Err(Problem::malformed(message));
        }
        Some(Json::Array(items)) => items,
        Some(_) => return Err(Problem::malformed("`evaluations`: expected a list")),
    };
    let read = |item: &Json| match item {
        Json::Object(own) => evaluation_of(own, &fields),
        _ => Err(String::from("expected an object")),
    };
    Ok(Question::Evaluations { evaluations: items.iter().map(read).collect(), semantic, is_single: false })
}

fn semantic(fields: &Map<String, Json>) -> Result<Semantic, Problem> {
    let options = match fields.get("options") {
        None => return Ok(Semantic::default()),
        Some(Json::Object(options)) => options,
        Some(_) => return Err(Problem::malformed("`options`: expected an object")),
    };
    match options.get("evaluations_semantic").map(Json::as_str) {
        None | Some(Some("execute_all")) => Ok(Semantic::ExecuteAll),
        Some(Some("deny_on_first_deny")) => Ok(Semantic::DenyOnFirstDeny),
        Some(Some("permit_on_first_permit")) => Ok(Semantic::PermitOnFirstPermit),
        Some(_) => Err(Problem::malformed(
            "`options.evaluations_semantic`: expected execute_all, deny_on_first_deny or permit_on_first_permit",
        )),
    }
}

/// `POST /access/v1/search/subject`
pub(crate) fn search_subject(call: &Call) -> Result<Question, Problem> {
    search(call, Free::Subject)
}

/// `POST /access/v1/search/resource`
pub(crate) fn search_resource(call: &Call) -> Result<Question, Problem> {
    search(call, Free::Resource)
}

/// `POST /access/v1/search/action`
pub(crate) fn search_action(call: &Call) -> Result<Question, Problem> {
    search(call, Free::Action)
}

fn search(call: &Call, free: Free) -> Result<Question, Problem> {
    let fields = call.object()?;
    let mut given = members(&fields, &Map::new());
    check(&given, Some(free)).map_err(Problem::malformed)?;
    match (free, given.get_mut(free.word())) {
        (Free::Action, _) => drop(given.remove(free.word())),
        (_, Some(Json::Object(entity))) => drop(entity.remove("id")),
        _ => {}
    }
    let page = match fields.get("page") {
        None => Map::new(),
        Some(Json::Object(page)) => page.clone(),
        Some(_) => return Err(Problem::malformed("`page`: expected an object")),
    };
    let mut sealed = given.clone();
    sealed.insert(String::from("for"), free.word().into());
    sealed.sort_keys();
    let seal: String = tokens::hash(Json::Object(sealed).to_string().as_bytes()).chars().take(SEAL).collect();
    let (offset, limit) = paged(&page, &seal)?;
    let is_paged = !page.is_empty();
    Ok(Question::Search(Search { free, given: AccessRequest { given }, offset, limit, seal, is_paged }))
}

/// Where a page begins and how long it is; a token holds both, under the seal of what was asked first.
fn paged(page: &Map<String, Json>, seal: &str) -> Result<(usize, Option<usize>), Problem> {
    let limit = match page.get("limit") {
        None => None,
        Some(found) => {
            let limit = found.as_u64().and_then(|limit| usize::try_from(limit).ok());
            Some(limit.ok_or_else(|| Problem::malformed("`page.limit`: expected a number from 0"))?)
        }
    };
    let token = match page.get("token") {
        None => return Ok((0, limit.map(|limit| limit.min(PAGE)))),
        Some(Json::String(token)) if token.is_empty() => return Ok((0, limit.map(|limit| limit.min(PAGE)))),
        Some(Json::String(token)) => token,
        Some(_) => return Err(Problem::malformed("`page.token`: expected a string")),
    };
    let otherwise = || Problem::malformed("`page.token` is of another search, or of none");
    let mut parts = token.split('-');
    let (Some(of), Some(offset), Some(size), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(otherwise());
    };
    let (Ok(offset), Ok(size)) = (offset.parse::<usize>(), size.parse::<usize>()) else {
        return Err(otherwise());
    };
    if of != seal || limit.is_some_and(|limit| limit.min(PAGE) != size) {
        return Err(otherwise());
    }
    Ok((offset, Some(size)))
}

/// Where the service is found, as `/.well-known/authzen-configuration` tells it.
pub(crate) fn configuration(base: &str) -> Json {
    let endpoint = |path: &str| format!("{base}/access/v1/{path}");
    serde_json::json!({
        "policy_decision_point": base,
        "access_evaluation_endpoint": endpoint("evaluation"),
        "access_evaluations_endpoint": endpoint("evaluations"),
        "search_subject_endpoint": endpoint("search/subject"),
        "search_resource_endpoint": endpoint("search/resource"),
        "search_action_endpoint": endpoint("search/action"),
    })
}
