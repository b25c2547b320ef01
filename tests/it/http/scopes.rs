//! Every route is tried by everybody: without a token, with each scope, and with a token that is none.

use hence_server::{ROUTES, Scope};
use serde_json::json;

use super::{Service, folder};

/// A path that a route has, with something for each of its parts.
fn path(route: &hence_server::Route) -> String {
    let part = |part: &str| if part.starts_with('{') { String::from("x1") } else { part.to_owned() };
    route.path.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[test]
fn nothing_is_reachable_without_its_scope() {
    let dir = folder();
    let service = Service::new(dir.path());
    let callers = Scope::ALL.map(|scope| (scope, service.token("pep", scope.word())));
    for route in ROUTES.iter().filter(|route| route.path != "/v1/changes") {
        let (path, body) = (path(route), json!({}).to_string());
        let kind = ("Content-Type", "application/json");
        let plain = service.send(route.method, &path, &[kind], &body);
        let forged = ("Authorization", "Bearer hence_00000000_00");
        let forged = service.send(route.method, &path, &[kind, forged], &body);
        if route.scope.is_none() {
            assert!(![401, 403].contains(&plain.status), "{path}: {plain:?}");
            continue;
        }
        assert_eq!((plain.status, forged.status), (401, 401), "{path}");
        assert_eq!(plain.header("www-authenticate"), Some("Bearer"), "{path}");
        for (scope, caller) in &callers {
            let authorization = ("Authorization", caller.authorization.as_str());
            let answered = service.send(route.method, &path, &[kind, authorization], &body);
            let may = route.scope == Some(*scope);
            let is_barred = answered.status == 403 && answered.body.contains("this takes");
            assert_eq!(is_barred, !may, "{scope} {path}: {answered:?}");
            assert_ne!(answered.status, 401, "{scope} {path}");
        }
    }
}

#[test]
fn the_stream_of_changes_takes_a_token_too() {
    let dir = folder();
    let service = Service::new(dir.path());
    assert_eq!(service.send("GET", "/v1/changes", &[], "").status, 401);
    assert_eq!(service.token("pep", "decide,write,admin").get("/v1/changes").status, 403);
}

#[test]
fn health_and_readiness_are_for_everybody() {
    let dir = folder();
    let service = Service::new(dir.path());
    assert_eq!(service.send("GET", "/healthz", &[], "").json(), json!({ "status": "up" }));
    let ready = service.send("GET", "/readyz", &[], "").json();
    assert_eq!((&ready["ready"], &ready["faulty_rules"]), (&json!(true), &json!(null)));
    assert_eq!(service.send("GET", "/v1/status", &[], "").status, 401);
}
