//! The certification scenario of AuthZEN 1.0 (alice, bob, record-1, record-2), over `examples/authzen`.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::{Caller, Service};
use crate::command::hence;

/// The example, with its facts.
fn example() -> tempfile::TempDir {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/authzen");
    let dir = crate::memory::folder();
    fs::create_dir(dir.path().join("rules")).unwrap();
    for file in ["hence.toml", "facts.jsonl", "rules/records.dl"] {
        fs::copy(from.join(file), dir.path().join(file)).unwrap();
    }
    let recorded = hence(dir.path(), &["assert", "--facts", "facts.jsonl"]).output().unwrap();
    assert!(recorded.status.success(), "{recorded:?}");
    dir
}

fn user(id: &str) -> Json {
    json!({ "type": "user", "id": id })
}

fn record(id: &str) -> Json {
    json!({ "type": "record", "id": id })
}

fn asked(user_id: &str, action: &str, record_id: &str) -> Json {
    json!({ "subject": user(user_id), "action": { "name": action }, "resource": record(record_id) })
}

fn with(mut request: Json, entity: &str, properties: Json) -> Json {
    request[entity]["properties"] = properties;
    request
}

fn decision(pep: &Caller<'_>, request: &Json) -> Json {
    pep.ask("/access/v1/evaluation", request)["decision"].clone()
}

fn decisions(pep: &Caller<'_>, request: &Json) -> Vec<Json> {
    let answer = pep.ask("/access/v1/evaluations", request);
    let all = answer["evaluations"].as_array().unwrap_or_else(|| panic!("{answer}"));
    all.iter().map(|one| one["decision"].clone()).collect()
}

fn ids(answer: &Json, key: &str) -> Vec<String> {
    let all = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
    all.iter().map(|one| one[key].as_str().unwrap().to_owned()).collect()
}

#[test]
fn basic_core_decides_by_identifiers() {
    let dir = example();
    let service = Service::new(dir.path());
    let pep = service.token("pep", "decide");
    for (request, expected) in [
        (asked("alice", "read", "record-1"), true),
        (asked("alice", "write", "record-1"), true),
        (asked("bob", "read", "record-1"), true),
        (asked("bob", "write", "record-1"), false),
        (asked("nobody", "read", "record-1"), false),
        (asked("alice", "fly", "record-1"), false),
    ] {
        for _ in 0..3 {
            assert_eq!(decision(&pep, &request), json!(expected), "{request}");
        }
        let mut more = request.clone();
        more["context"] = json!({ "time": "2025-06-27T18:03-07:00", "ip": "192.168.1.1" });
        (more["foo"], more["futureField"]) = (json!("bar"), json!({ "nested": true }));
        assert_eq!(decision(&pep, &more), json!(expected), "{more}");
    }
    let request = with(
        asked("alice", "read", "record-1"),
        "subject",
        json!({ "department": "Sales", "role": "manager" }),
    );
    let request = with(request, "action", json!({ "method": "GET" }));
    let request = with(request, "resource", json!({ "status": "active", "owner": "bob" }));
    assert_eq!(decision(&pep, &request), json!(true));
}

#[test]
fn basic_properties_decide_for_one_request_alone() {
    let dir = example();
    let service = Service::new(dir.path());
    let (pep, ops) = (service.token("pep", "decide"), service.token("ops", "read"));
    let before = ops.read("/v1/status")["transactions"].clone();
    let archived = json!({ "status": "archived" });
    let denied = with(asked("alice", "write", "record-1"), "resource", archived.clone());
    assert_eq!(decision(&pep, &denied), json!(false));
    assert_eq!(
        decision(&pep, &asked("alice", "write", "record-1")),
        json!(true),
        "facts of a request end with it"
    );
    let admin = with(asked("alice", "write", "record-2"), "subject", json!({ "role": "admin" }));
    assert_eq!(decision(&pep, &with(admin, "resource", archived)), json!(true));
    assert_eq!(decision(&pep, &asked("alice", "write", "record-2")), json!(false));
    for soft in [true, false] {
        let request = with(asked("alice", "delete", "record-1"), "action", json!({ "soft": soft }));
        assert_eq!(decision(&pep, &request), json!(soft));
    }
    assert_eq!(ops.read("/v1/status")["transactions"], before, "nothing was recorded");
}

#[test]
fn an_answer_says_why() {
    let dir = example();
    let service = Service::new(dir.path());
    let answer =
        service.token("pep", "decide").ask("/access/v1/evaluation", &asked("alice", "read", "record-1"));
    let context = &answer["context"];
    assert_eq!(context["rule"], json!("everybody_reads"));
    assert_eq!(context["because"], json!("alice is known, and everybody who is may read record-1"));
    assert!(
        context["tx"].is_u64() && context["head"].is_string() && context["obligations"].is_array(),
        "{answer}"
    );
    let proof = service
        .token("ops", "read")
        .ask("/v1/why", &json!({ "fact": "may(\"alice\", \"read\", \"record-1\")" }));
    assert_eq!(proof["holds"], json!(1));
}

#[test]
fn what_can_not_be_read_is_400() {
    let dir = example();
    let service = Service::new(dir.path());
    let pep = service.token("pep", "decide");
    let whole = asked("alice", "read", "record-1");
    for (entity, key) in [
        ("subject", None),
        ("action", None),
        ("resource", None),
        ("subject", Some("type")),
        ("subject", Some("id")),
        ("action", Some("name")),
        ("resource", Some("type")),
        ("resource", Some("id")),
    ] {
        let mut request = whole.clone();
        let fields = match key {
            None => request.as_object_mut().unwrap(),
            Some(_) => request[entity].as_object_mut().unwrap(),
        };
        fields.remove(key.unwrap_or(entity));
        assert_eq!(pep.post("/access/v1/evaluation", &request).status, 400, "{request}");
        let mut request = whole.clone();
        let place = if let Some(key) = key { &mut request[entity][key] } else { &mut request[entity] };
        *place = json!(123);
        assert_eq!(pep.post("/access/v1/evaluation", &request).status, 400, "{request}");
    }
    let json_kind = ("Content-Type", "application/json");
    for path in ["evaluation", "evaluations", "search/subject", "search/resource", "search/action"] {
        let path = format!("/access/v1/{path}");
        for (headers, body) in [
            (vec![("Content-Type", "text/plain")], whole.to_string()),
            (vec![], whole.to_string()),
            (vec![json_kind], String::new()),
            (vec![json_kind], String::from("{\"subject\": ")),
            (vec![json_kind], String::from("[]")),
        ] {
            let refused = pep.post_as(&path, &headers, &body);
            assert_eq!(refused.status, 400, "{path} {headers:?} {body}: {refused:?}");
        }
    }
}

#[test]
fn a_request_is_known_by_its_id() {
    let dir = example();
    let service = Service::new(dir.path());
    let pep = service.token("pep", "decide");
    let headers = [("Content-Type", "application/json"), ("X-Request-ID", "bfe9eb29")];
    for body in [asked("alice", "read", "record-1").to_string(), String::from("{")] {
        let answered = pep.post_as("/access/v1/evaluation", &headers, &body);
        assert_eq!(answered.header("x-request-id"), Some("bfe9eb29"), "{answered:?}");
    }
}

#[test]
fn batches_take_defaults_as_whole_objects() {
    let dir = example();
    let service = Service::new(dir.path());
    let pep = service.token("pep", "decide");
    let read_write = json!({
        "subject": user("bob"), "resource": record("record-1"),
        "evaluations": [{ "action": { "name": "read" } }, { "action": { "name": "write" } }],
    });
    assert_eq!(decisions(&pep, &read_write), [true, false]);
    let own =
        json!({ "evaluations": [asked("alice", "read", "record-1"), asked("bob", "write", "record-1")] });
    assert_eq!(decisions(&pep, &own), [true, false]);
    let archived = json!({ "type": "record", "id": "record-2", "properties": { "status": "archived" } });
    let subjects = json!({
        "action": { "name": "write" }, "resource": archived,
        "evaluations": [
            { "subject": user("alice") },
            { "subject": { "type": "user", "id": "bob", "properties": { "role": "admin" } } },
        ],
    });
    assert_eq!(decisions(&pep, &subjects), [false, true]);
    let inherited = json!({
        "subject": user("alice"), "action": { "name": "write" },
        "resource": { "type": "record", "id": "record-1", "properties": { "status": "active" } },
        "evaluations": [{}, { "resource": archived }],
    });
    assert_eq!(decisions(&pep, &inherited), [true, false]);
    let merged = json!({
        "subject": { "type": "user", "id": "bob", "properties": { "role": "admin" } },
        "action": { "name": "write" },
        "evaluations": [{ "subject": user("alice"), "resource": archived }],
    });
    assert_eq!(decisions(&pep, &merged), [false], "the properties of a default go with it");
}

#[test]
fn a_failed_item_of_a_batch_is_a_denial() {
    let dir = example();
    let service = Service::new(dir.path());
    let pep = service.token("pep", "decide");
    let request = json!({
        "subject": user("alice"), "action": { "name": "read" },
        "options": { "evaluations_semantic": "execute_all" },
        "evaluations": [{ "resource": record("record-1") }, {}, { "resource": "record-1" }],
    });
    assert_eq!(decisions(&pep, &request), [true, false, false]);
    let answer = pep.ask("/access/v1/evaluations", &request);
    assert_eq!(answer["evaluations"][1]["context"]["error"]["status"], json!(400));
    for single in [asked("alice", "read", "record-1"), {
        let mut empty = asked("alice", "read", "record-1");
        empty["evaluations"] = json!([]);
        empty
    }] {
        assert_eq!(pep.ask("/access/v1/evaluations", &single)["decision"], json!(true));
    }
    let unknown = json!({ "options": { "evaluations_semantic": "maybe" }, "evaluations": [{}] });
    assert_eq!(pep.post("/access/v1/evaluations", &unknown).status, 400);
}

#[test]
fn a_batch_stops_as_it_is_told() {
    let dir = example();
    let service = Service::new(dir.path());
    let pep = service.token("pep", "decide");
    let of = |semantic: &str, actions: [&str; 3]| {
        let evaluations: Vec<Json> =
            actions.iter().map(|name| json!({ "action": { "name": name } })).collect();
        let request = json!({
            "subject": user("bob"), "resource": record("record-1"), "evaluations": evaluations,
            "options": { "evaluations_semantic": semantic },
        });
        decisions(&pep, &request)
    };
    assert_eq!(of("execute_all", ["read", "write", "read"]), [true, false, true]);
    assert_eq!(of("deny_on_first_deny", ["read", "write", "read"]), [true, false]);
    assert_eq!(of("permit_on_first_permit", ["write", "read", "read"]), [false, true]);
}

#[test]
fn searches_find_who_may_what() {
    let dir = example();
    let service = Service::new(dir.path());
    let pep = service.token("pep", "decide");
    let readers = json!({ "subject": { "type": "user" }, "action": { "name": "read" }, "resource": record("record-1") });
    let found = pep.ask("/access/v1/search/subject", &readers);
    assert_eq!(found, json!({ "results": [user("alice"), user("bob")] }));
    let mut more = readers.clone();
    (more["subject"]["id"], more["context"]) = (json!("alice"), json!({ "ip": "192.168.1.1" }));
    assert_eq!(pep.ask("/access/v1/search/subject", &more), found, "the id is ignored");
    let archived = json!({ "type": "record", "id": "record-2", "properties": { "status": "archived" } });
    let admin = json!({ "type": "user", "id": "bob", "properties": { "role": "admin" } });
    let writers =
        json!({ "subject": { "type": "user" }, "action": { "name": "write" }, "resource": archived });
    assert_eq!(ids(&pep.ask("/access/v1/search/subject", &writers), "id"), ["bob"]);
    let read =
        json!({ "subject": user("alice"), "action": { "name": "read" }, "resource": { "type": "record" } });
    assert_eq!(ids(&pep.ask("/access/v1/search/resource", &read), "id"), ["record-1", "record-2"]);
    let write = json!({ "subject": admin, "action": { "name": "write" }, "resource": { "type": "record" } });
    assert_eq!(ids(&pep.ask("/access/v1/search/resource", &write), "id"), ["record-2"]);
    let actions = json!({ "subject": user("alice"), "resource": record("record-1") });
    assert_eq!(ids(&pep.ask("/access/v1/search/action", &actions), "name"), ["read", "write"]);
    let actions = json!({ "subject": admin, "resource": archived });
    assert_eq!(ids(&pep.ask("/access/v1/search/action", &actions), "name"), ["read", "write"]);
}

#[test]
fn each_result_of_a_search_is_permitted() {
    let dir = example();
    let service = Service::new(dir.path());
    let pep = service.token("pep", "decide");
    for (id, action) in [("alice", "read"), ("alice", "write"), ("bob", "read"), ("bob", "write")] {
        let search =
            json!({ "subject": user(id), "action": { "name": action }, "resource": { "type": "record" } });
        let found = ids(&pep.ask("/access/v1/search/resource", &search), "id");
        for record_id in ["record-1", "record-2"] {
            let may = decision(&pep, &asked(id, action, record_id));
            assert_eq!(may, json!(found.iter().any(|one| one == record_id)), "{id} {action} {record_id}");
        }
    }
}

#[test]
fn a_search_for_the_unknown_is_empty_and_an_incomplete_one_is_400() {
    let dir = example();
    let service = Service::new(dir.path());
    let pep = service.token("pep", "decide");
    let (any_user, any_record) = (json!({ "type": "user" }), json!({ "type": "record" }));
    let read = json!({ "name": "read" });
    for (path, request) in [
        ("action", json!({ "subject": user("nonexistent-user"), "resource": record("record-1") })),
        ("action", json!({ "subject": { "type": "spaceship", "id": "x" }, "resource": record("record-1") })),
        (
            "subject",
            json!({ "subject": { "type": "spaceship" }, "action": read, "resource": record("record-1") }),
        ),
        ("subject", json!({ "subject": any_user, "action": read, "resource": record("nothing") })),
        (
            "resource",
            json!({ "subject": user("alice"), "action": read, "resource": { "type": "spaceship" } }),
        ),
        ("resource", json!({ "subject": user("nobody"), "action": read, "resource": any_record })),
    ] {
        assert_eq!(
            pep.ask(&format!("/access/v1/search/{path}"), &request),
            json!({ "results": [] }),
            "{request}"
        );
    }
    for (path, request) in [
        ("subject", json!({ "subject": any_user, "resource": record("record-1") })),
        ("subject", json!({ "subject": any_user, "action": read, "resource": any_record })),
        ("resource", json!({ "action": read, "resource": any_record })),
        ("resource", json!({ "subject": any_user, "action": read, "resource": any_record })),
        ("action", json!({ "subject": user("alice") })),
        ("action", json!({ "subject": any_user, "resource": record("record-1") })),
    ] {
        assert_eq!(pep.post(&format!("/access/v1/search/{path}"), &request).status, 400, "{path} {request}");
    }
}

#[test]
fn pages_go_on_where_the_last_one_ended() {
    let dir = example();
    let service = Service::new(dir.path());
    let pep = service.token("pep", "decide");
    let mut request = json!({
        "subject": { "type": "user" }, "action": { "name": "read" }, "resource": record("record-1"),
        "page": { "limit": 1 },
    });
    let path = "/access/v1/search/subject";
    let first = pep.ask(path, &request);
    assert_eq!((ids(&first, "id"), &first["page"]["total"]), (vec![String::from("alice")], &json!(2)));
    let token = first["page"]["next_token"].as_str().unwrap().to_owned();
    assert_ne!(token, "");
    request["page"] = json!({ "token": token });
    let second = pep.ask(path, &request);
    assert_eq!((ids(&second, "id"), &second["page"]["next_token"]), (vec![String::from("bob")], &json!("")));
    request["action"]["name"] = json!("write");
    assert_eq!(pep.post(path, &request).status, 400, "the token is of another search");
    request["page"] = json!({ "token": "garbage" });
    assert_eq!(pep.post(path, &request).status, 400);
    let all = json!({ "subject": { "type": "user" }, "action": { "name": "read" }, "resource": record("record-1") });
    assert!(pep.ask(path, &all).get("page").is_none());
}

#[test]
fn discovery_names_the_endpoints() {
    let dir = example();
    let service = Service::with(dir.path(), &["--public-url", "https://pdp.example.com/"]);
    let found = service.send("GET", "/.well-known/authzen-configuration", &[], "");
    assert_eq!((found.status, found.header("content-type")), (200, Some("application/json")));
    let found = found.json();
    assert_eq!(found["policy_decision_point"], json!("https://pdp.example.com"));
    for (member, path) in [
        ("access_evaluation_endpoint", "evaluation"),
        ("access_evaluations_endpoint", "evaluations"),
        ("search_subject_endpoint", "search/subject"),
        ("search_resource_endpoint", "search/resource"),
        ("search_action_endpoint", "search/action"),
    ] {
        assert_eq!(found[member], json!(format!("https://pdp.example.com/access/v1/{path}")));
    }
}

#[test]
fn recorded_evaluations_have_ids_that_can_be_asked() {
    let dir = example();
    let settings = dir.path().join("hence.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text.replace("[authzen]\n", "[authzen]\nrecord = true\n")).unwrap();
    let service = Service::new(dir.path());
    let request = with(asked("alice", "delete", "record-1"), "action", json!({ "soft": true }));
    let answer = service.token("pep", "decide").ask("/access/v1/evaluation", &request);
    assert_eq!(answer["decision"], json!(true), "{answer}");
    let id = answer["context"]["id"].as_str().unwrap_or_else(|| panic!("{answer}"));
    let caller = service.token("ops", "read");
    let decision = caller.read(&format!("/v1/decisions/{id}?min_tx={}", answer["context"]["tx"]));
    assert_eq!(
        (&decision["values"], &decision["by"]),
        (&json!(["alice", "delete", "record-1"]), &json!("pep"))
    );
}

#[test]
fn what_a_person_has_to_say_first_is_an_obligation() {
    let dir = crate::memory::folder();
    fs::write(
        dir.path().join("pay.dl"),
        "## A payment that is asked for.\ninput asked(who: string, sum: int).\n\n\
         ## It may go on.\ndecision pay(who: string).\n@id(small)\n@because(\"{Sum} is small\")\n\
         pay(Who) :- asked(Who, Sum), Sum < 1000.\n\n\
         ## Somebody has to agree.\ndecision agree(who: string).\n@id(large)\n@because(\"{Sum} is much\")\n\
         agree(Who) :- asked(Who, Sum), Sum >= 100.\n\n\
         ## Never.\ndecision barred(who: string).\n@id(barred)\n@because(\"{Who} is barred\")\n\
         barred(Who) :- asked(Who, _), Who = \"mallory\".\n",
    )
    .unwrap();
    fs::write(
        dir.path().join("hence.toml"),
        "rules = [\"pay.dl\"]\n[authzen]\ndecision = \"pay(who = $subject.id)\"\n\
         ask = \"agree(who = $subject.id)\"\ndenied = \"barred(who = $subject.id)\"\n\
         facts = [\"asked(who = $subject.id, sum = $context.sum)\"]\n",
    )
    .unwrap();
    let service = Service::new(dir.path());
    let pep = service.token("pep", "decide");
    let of = |who: &str, sum: i64| {
        let mut request =
            json!({ "subject": user(who), "action": { "name": "pay" }, "resource": record("r") });
        request["context"] = json!({ "sum": sum });
        pep.ask("/access/v1/evaluation", &request)
    };
    assert_eq!(of("alice", 10)["decision"], json!(true));
    let asked = of("alice", 500);
    assert_eq!(asked["decision"], json!(false));
    assert_eq!(asked["context"]["obligations"][0]["id"], json!("ask"));
    assert_eq!(asked["context"]["obligations"][0]["because"], json!("500 is much"));
    let denied = of("mallory", 10);
    assert_eq!((&denied["decision"], &denied["context"]["rule"]), (&json!(false), &json!("barred")));
}

#[test]
fn evaluations_that_nobody_waits_for_keep_no_reader() {
    let dir = example();
    // What is asked says a role, and what follows of a role takes a while.
    let rules = dir.path().join("rules/records.dl");
    let slow = "\n## A number.\ninput number(n: int).\n\n## Of a role.\nrelation slow(role: string, a: int, b: int).\n\
        slow(Role, A, B) :- user_role(_, Role), number(A), number(B), A + B < 3.\n";
    fs::write(&rules, fs::read_to_string(&rules).unwrap() + slow).unwrap();
    let numbers: String = (0..400).map(|n| format!("{{\"number\": [{n}]}}\n")).collect();
    fs::write(dir.path().join("numbers.jsonl"), numbers).unwrap();
    let recorded = hence(dir.path(), &["assert", "--facts", "numbers.jsonl"]).output().unwrap();
    assert!(recorded.status.success(), "{recorded:?}");
    let service = Service::with(dir.path(), &["--budget", "300ms"]);
    let pep = service.token("pep", "decide");
    let each = |n| with(asked(&format!("u{n}"), "read", "record-1"), "subject", json!({ "role": "clerk" }));
    let each: Vec<Json> = (0..1000).map(each).collect();
    let many = json!({ "evaluations": each });
    let readers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let late: Vec<_> =
            (0..readers).map(|_| scope.spawn(|| pep.post("/access/v1/evaluations", &many).status)).collect();
        late.into_iter().for_each(|late| assert_eq!(late.join().unwrap(), 503));
    });
    assert_eq!(decision(&pep, &asked("alice", "read", "record-1")), json!(true));
}
