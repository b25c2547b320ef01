//! The page over HTTP: who gets in, what each screen shows, that nothing of the facts becomes markup, and that an answer given
//! there counts.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Response, Service, folder};

const HOSTILE: &str = "<script>alert(1)</script>\\\"'&";
const SCREENS: [&str; 15] = [
    "/",
    "/decisions/1.1",
    "/why-not",
    "/why-not?relation=retry",
    "/what-if",
    "/reviews",
    "/outbox",
    "/facts",
    "/facts?relation=failed",
    "/rules",
    "/rules/retry",
    "/map",
    "/edit",
    "/performance",
    "/ledger?verify=1",
];

/// Somebody with a browser.
pub(super) struct Browser<'s> {
    service: &'s Service,
    cookie: String,
}

impl<'s> Browser<'s> {
    pub(super) fn new(service: &'s Service, name: &str, scopes: &str) -> Self {
        let token = service.token(name, scopes).authorization.replace("Bearer ", "");
        let signed = sign_in(service, &token);
        assert_eq!((signed.status, signed.header("location")), (303, Some("/")), "{signed:?}");
        let cookie = signed.header("set-cookie").unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        Self { service, cookie: cookie.split(';').next().unwrap().to_owned() }
    }

    pub(super) fn get(&self, path: &str) -> Response {
        self.service.send("GET", path, &[("Cookie", &self.cookie)], "")
    }

    pub(super) fn read(&self, path: &str) -> String {
        let response = self.get(path);
        assert_eq!(response.status, 200, "{path}: {response:?}");
        response.body
    }

    pub(super) fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let own = [("Cookie", self.cookie.as_str()), ("Content-Type", "application/x-www-form-urlencoded")];
        self.service.send("POST", path, &[&own, headers].concat(), body)
    }

    /// What the forms of this session carry.
    pub(super) fn seal(&self) -> String {
        let page = self.read("/reviews");
        let from = page.split_once("name=\"seal\" value=\"").unwrap().1;
        from.split_once('"').unwrap().0.to_owned()
    }
}

fn sign_in(service: &Service, token: &str) -> Response {
    let kind = ("Content-Type", "application/x-www-form-urlencoded");
    service.send("POST", "/sign-in", &[kind], &format!("token={token}&next=%2F"))
}

/// A folder whose rules ask for a person.
fn reviewed() -> tempfile::TempDir {
    let dir = crate::memory::folder();
    let settings = "packs = [\"autonomy\", \"guardrails\", \"proposals\"]\n[roles]\nreviewer = [\"ada\"]\n";
    fs::write(dir.path().join("hence.toml"), settings).unwrap();
    dir
}

fn record_what_waits(service: &Service) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
    let now = hence::literal::time_text(i64::try_from(now).unwrap());
    service.all().record(&format!(
        "{{\"reviewer\": [\"ada\"]}}\n{{\"guarded_event\": [\"payment-7\", \"/financial\"]}}\n\
         {{\"proposal\": [\"p1\", \"/playbook_suggestion\", 0.7, \"{now}\"]}}\n\
         {{\"proposal_content\": [\"p1\", \"/value\", \"{HOSTILE}\"]}}\n"
    ));
}

#[test]
fn nobody_gets_in_without_signing_in() {
    let dir = folder();
    let service = Service::new(dir.path());
    for path in SCREENS {
        let sent = service.send("GET", path, &[], "");
        assert_eq!(sent.status, 303, "{path}: {sent:?}");
        assert!(sent.header("location").unwrap().starts_with("/sign-in?next=%2F"), "{path}");
        let forged = service.send("GET", path, &[("Cookie", "hence_session=00")], "");
        assert_eq!(forged.status, 303, "{path}");
    }
    assert_eq!(service.send("POST", "/reviews/answer", &[], "").status, 401);
    let wrong = sign_in(&service, "hence_00000000_00");
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None));
    assert!(wrong.body.contains("unknown, expired or revoked token"), "{wrong:?}");
    let elsewhere = service.send("GET", "/sign-in?next=%2F%2Fevil.example", &[], "");
    assert!(!elsewhere.body.contains("evil.example"), "{elsewhere:?}");
}

#[test]
fn a_session_ends_with_its_token_and_by_the_button() {
    let dir = folder();
    let service = Service::new(dir.path());
    let (one, other) = (Browser::new(&service, "ada", "read"), Browser::new(&service, "bo", "read"));
    assert!(one.read("/").contains("Signed in as"));
    assert_eq!(one.post("/sign-out", &[], "").status, 303);
    assert_eq!(one.get("/").status, 303);
    let listed = crate::command::hence(dir.path(), &["token", "list", "--format", "json"]).output().unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let bo = listed.as_array().unwrap().iter().find(|token| token["principal"] == "bo").unwrap();
    let id = bo["id"].as_str().unwrap();
    assert!(crate::command::hence(dir.path(), &["token", "revoke", id]).status().unwrap().success());
    assert_eq!(other.get("/").status, 303);
    let blind = Browser::new(&service, "cy", "write");
    assert_eq!(blind.get("/").status, 403);
}

#[test]
fn every_screen_shows_what_it_is_for() {
    let dir = folder();
    let service = Service::new(dir.path());
    service.all().record("{\"failed\": [\"backup\", 2]}\n{\"failed\": [\"upload\", 3]}\n");
    let browser = Browser::new(&service, "ada", "read");
    for (path, texts) in [
        ("/", &["1 decision in force", "backup was tried 2 times", "/decisions/1.1"][..]),
        ("/?subject=BACK&relation=retry&rule=few_tries", &["1 decision in force, as filtered"]),
        ("/?subject=upload", &["No decision is like that"]),
        ("/?from=2999-01-01", &["0 decisions"]),
        (
            "/decisions/1.1",
            &["Try it again.", "recorded by ada", "claimed, not signed", "<svg", "History", "in force"],
        ),
        (
            "/why-not?relation=retry&ask=1&c0=upload",
            &["does not hold", "What would make it hold", "Few tries"],
        ),
        ("/why-not?fact=retry(%22backup%22)", &["It does hold"]),
        ("/why-not?fact=nonsense((", &["role=\"alert\""]),
        ("/what-if", &["How often a job is tried.", "type=\"number\""]),
        ("/what-if?p_most=4", &["Would be drawn", "instead of 3", "1 decision"]),
        ("/reviews", &["Nothing waits for you"]),
        ("/outbox", &["Nothing is to be carried out"]),
        ("/facts", &["2 facts", "A job that failed."]),
        ("/facts?relation=failed", &["backup", "upload", "transaction 1"]),
        ("/rules", &["Try it again.", "1 of 2"]),
        ("/rules/retry", &["Few tries", "retry(Job) :- failed(Job, Tries)", "<svg"]),
        ("/ledger?verify=1", &["Sound: 1 transaction"]),
    ] {
        let page = browser.read(path);
        texts.iter().for_each(|text| assert!(page.contains(text), "{path} has no `{text}`: {page}"));
    }
    assert_eq!(browser.get("/decisions/9.9").status, 404);
    assert_eq!(browser.get("/decisions/x").status, 404);
    assert_eq!(browser.get("/rules/none").status, 404);
}

#[test]
fn the_past_is_shown_as_it_was() {
    let dir = folder();
    let service = Service::new(dir.path());
    service.all().record("{\"failed\": [\"backup\", 2]}\n");
    service.all().record("{\"failed\": [\"upload\", 3]}\n{\"retract\": {\"failed\": [\"backup\", 2]}}\n");
    let browser = Browser::new(&service, "ada", "read");
    let (then, now) =
        (browser.read("/facts?relation=failed&at=1"), browser.read("/facts?relation=failed&at=2"));
    assert!(then.contains("backup") && !then.contains("upload"), "{then}");
    assert!(now.contains("upload") && !now.contains("backup"), "{now}");
    assert!(browser.read("/decisions/1.1").contains("lapsed in transaction 2"));
}

#[test]
fn what_facts_say_is_never_markup() {
    let dir = folder();
    let service = Service::new(dir.path());
    service.all().record(&format!("{{\"failed\": [\"{HOSTILE}\", 2]}}\n"));
    let browser = Browser::new(&service, "ada", "read,write");
    let asked = [
        "/?subject=%3Cscript%3Ealert(1)%3C/script%3E",
        "/?relation=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
        "/why-not?fact=%3Cscript%3Ealert(1)%3C/script%3E",
        "/why-not?relation=retry&c0=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&ask=1",
        "/what-if?p_most=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
        "/reviews?id=%3Cscript%3Ealert(1)%3C/script%3E&done=approved",
        "/decisions/%3Cscript%3Ealert(1)",
        "/sign-in?next=/%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
    ];
    for path in SCREENS.into_iter().chain(asked) {
        let response = browser.get(path);
        assert!(!response.body.contains("<script>"), "{path}: {response:?}");
        let policy = response.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
    }
    assert!(browser.read("/").contains("&lt;script&gt;"));
    assert!(browser.read("/decisions/1.1").contains("&lt;script&gt;"));
}

#[test]
fn a_form_of_another_session_or_site_is_refused() {
    let dir = reviewed();
    let service = Service::new(dir.path());
    record_what_waits(&service);
    let (ada, bo) = (Browser::new(&service, "ada", "read,write"), Browser::new(&service, "bo", "read,write"));
    let (own, others) = (ada.seal(), bo.seal());
    let answer = "id=payment-7%2Ffinancial&answer=approve&comment=";
    for (body, headers) in [
        (answer.to_owned(), &[][..]),
        (format!("{answer}&seal="), &[]),
        (format!("{answer}&seal={others}"), &[]),
        (format!("{answer}&seal={own}"), &[("Origin", "https://evil.example")]),
        (format!("{answer}&seal={own}"), &[("Origin", "null")]),
    ] {
        let refused = ada.post("/reviews/answer", headers, &body);
        assert_eq!(refused.status, 403, "{body} {headers:?}: {refused:?}");
    }
    assert_eq!(ada.get(&format!("/reviews/answer?{answer}&seal={own}")).status, 405);
    let reader = Browser::new(&service, "ada", "read");
    assert_eq!(reader.post("/reviews/answer", &[], &format!("{answer}&seal={}", reader.seal())).status, 403);
    let unknown = bo.post("/reviews/answer", &[], &format!("{answer}&seal={others}"));
    assert_eq!(unknown.status, 403, "bo is no reviewer: {unknown:?}");
    assert!(ada.read("/reviews").contains("value=\"payment-7/financial\""), "it still waits");
    assert!(ada.read("/?relation=block").contains("1 decision in force"));
}

#[test]
fn a_review_answered_on_the_page_changes_what_is_decided() {
    let dir = reviewed();
    let service = Service::new(dir.path());
    record_what_waits(&service);
    let ada = Browser::new(&service, "ada", "read,write");
    let inbox = ada.read("/reviews");
    assert!(inbox.contains("payment-7/financial") && inbox.contains("&lt;script&gt;"), "{inbox}");
    assert!(ada.read("/?relation=block").contains("1 decision in force"));
    let seal = ada.seal();
    let done = ada.post(
        "/reviews/answer",
        &[],
        &format!("seal={seal}&id=payment-7%2Ffinancial&answer=approve&comment=fine"),
    );
    assert_eq!(done.status, 303, "{done:?}");
    let next = done.header("location").unwrap().to_owned();
    let inbox = ada.read(&next);
    assert!(inbox.contains("is approved") && !inbox.contains("value=\"payment-7/financial\""), "{inbox}");
    assert!(ada.read("/?relation=block&after=2").contains("0 decisions"));
    let empty = ada.post("/reviews/answer", &[], &format!("seal={seal}&id=p1&answer=reject&comment="));
    assert_eq!(empty.status, 400, "{empty:?}");
    let edited =
        format!("seal={seal}&id=p1&answer=approve&comment=&part_value=Shorter%2C+please&was_value=x");
    assert_eq!(ada.post("/reviews/answer", &[], &edited).status, 303);
    let said =
        service.all().ask("/v1/query", &serde_json::json!({ "body": "review_edit(_, P, Part, Text, _, _)" }));
    assert!(said.to_string().contains("Shorter, please"), "{said}");
}
