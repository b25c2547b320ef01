//! Rules are reloaded when their files change: all of them or none, and faulty ones are told of.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::{LONG, RULES, Service, folder};

fn ready(service: &Service) -> Json {
    service.send("GET", "/readyz", &[], "").json()
}

fn until(service: &Service, what: impl Fn(&Json) -> bool) -> Json {
    let end = Instant::now() + LONG;
    loop {
        let found = ready(service);
        if what(&found) {
            return found;
        }
        assert!(Instant::now() < end, "never: {found}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn write(dir: &Path, rules: &str) {
    fs::write(dir.join("retry.dl"), rules).unwrap();
}

#[test]
fn changed_rules_decide_and_faulty_ones_do_not() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    caller.record("{\"failed\": [\"j1\", 4]}");
    let before = caller.read("/v1/rules")["hash"].clone();
    write(dir.path(), &RULES.replace("Tries < most", "Tries < nonsense"));
    let faulty = until(&service, |ready| ready["faulty_rules"].is_string());
    assert!(faulty["faulty_rules"].as_str().unwrap().contains("nonsense"), "{faulty}");
    assert_eq!(faulty["ready"], json!(true), "the old rules go on");
    assert_eq!(caller.read("/v1/rules")["hash"], before);
    write(dir.path(), &RULES.replace("int = 3", "int = 30"));
    until(&service, |ready| ready["faulty_rules"].is_null());
    let found = caller.ask("/v1/query?min_tx=2", &json!({ "body": "retry(J)" }));
    assert_eq!(found["rows"], json!([{ "J": "j1" }]), "what stands is decided under them: {found}");
    assert_ne!(caller.read("/v1/rules")["hash"], before);
}

#[test]
fn rules_that_can_not_read_what_is_recorded_stay_out() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    caller.record("{\"failed\": [\"j1\", 1]}");
    let other = RULES.replace("failed(job: string, tries: int)", "failed(job: string, tries: string)");
    write(dir.path(), &other.replace("Tries < most", "Tries = \"few\""));
    until(&service, |ready| ready["faulty_rules"].is_string());
    let found = caller.ask("/v1/query", &json!({ "body": "retry(J)" }));
    assert_eq!(found["rows"], json!([{ "J": "j1" }]));
}

#[test]
fn settings_say_anew_which_rules_decide_and_under_which_parameters() {
    let dir = folder();
    let settings = dir.path().join("hence.toml");
    let first = fs::read_to_string(&settings).unwrap();
    let service = Service::new(dir.path());
    let caller = service.all();
    caller.record("{\"failed\": [\"j1\", 4]}");
    fs::write(
        dir.path().join("more.dl"),
        "decision given_up(job: string).\ngiven_up(J) :- failed(J, N), N > 3.\n",
    )
    .unwrap();
    let both = first.replace("\"retry.dl\"", "\"retry.dl\", \"more.dl\"");
    assert_ne!(both, first);
    fs::write(&settings, format!("{both}nonsense = 1\n")).unwrap();
    let faulty = until(&service, |ready| ready["faulty_rules"].is_string());
    assert!(faulty["faulty_rules"].as_str().unwrap().contains("nonsense"), "{faulty}");
    fs::write(&settings, &both).unwrap();
    until(&service, |ready| ready["faulty_rules"].is_null());
    let found = caller.ask("/v1/query?min_tx=2", &json!({ "body": "given_up(J)" }));
    assert_eq!(found["rows"], json!([{ "J": "j1" }]), "rules that were not named before: {found}");
    fs::write(&settings, format!("{both}[params]\nmost = 30\n")).unwrap();
    let found = caller.ask("/v1/query?min_tx=3", &json!({ "body": "retry(J)" }));
    assert_eq!(found["rows"], json!([{ "J": "j1" }]), "a parameter of the settings: {found}");
}
