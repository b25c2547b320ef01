//! The page over a desk whose answers are known: who gets in, that hostile texts stay texts, and which forms count.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use hence_server::{
    AnswerSender, AsOf, Asked, Auth, Board, Desk, ListenSettings, Listening, Mcp, Problem, Question, Review,
    Scope, Sight, Standing, Teller, Tokens, begin,
};
use serde_json::{Value as Json, json};

const HOSTILE: &str = "<script>alert(1)</script>\"'&<img src=x onerror=alert(1)>";
const SCREENS: [&str; 12] = [
    "/",
    "/decisions/2.1",
    "/why-not?relation=retry&ask=1&c0=x",
    "/why-not?fact=retry(x)",
    "/what-if?p_most=4",
    "/reviews",
    "/outbox?all=1",
    "/facts",
    "/facts?relation=failed&at=1",
    "/rules",
    "/rules/retry",
    "/ledger?verify=1",
];

fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_micros()).unwrap()
}

/// A desk that answers with hostile texts wherever a text may be, and keeps what it was asked.
struct Canned {
    board: Teller,
    asked: Mutex<Vec<(Question, AsOf, String)>>,
}

fn proof() -> Json {
    let origin = json!({ "author": HOSTILE, "strength": "signed", "time": "2026-02-03T12:00:00Z", "source": HOSTILE, "transaction": 1 });
    let group = json!({ "results": { (HOSTILE): { "value": 0.1234567891 } }, "matches": 14, "inputs": [{ "premises": [{ "step": 2 }] }] });
    json!({ "steps": [
        { "fact": { "retry": [HOSTILE] }, "by": "rule", "rule": HOSTILE, "sentence": HOSTILE, "place": { "file": HOSTILE, "line": 3 },
          "premises": [{ "step": 1 }, { "step": 2 }, { "absent": { "failed": [HOSTILE, null] }, "among": 3 }, { "test": HOSTILE, "written": HOSTILE },
                       { "bind": "X", "value": HOSTILE, "text": HOSTILE }, { "limit": { "rank": 1, "keep": 1, "of": 2 } }, { "aggregate": group }] },
        { "fact": { "failed": [HOSTILE, 2] }, "by": "rule", "rule": "r", "sentence": null, "premises": [{ "step": 2 }] },
        { "fact": { "failed": [HOSTILE, 2] }, "by": "assertion", "origin": origin },
    ] })
}

fn answer(question: &Question) -> Json {
    let schema = json!({ "failed": { "doc": HOSTILE, "columns": ["job", "tries"] }, "retry": { "doc": HOSTILE, "columns": ["job"] } });
    let decision = json!({ "id": "2.1", "relation": "retry", "values": [HOSTILE], "rule": HOSTILE, "because": HOSTILE, "tx": 2, "time": "2026-02-03T12:00:00Z", "by": HOSTILE });
    match question {
        Question::Page(Sight::Decisions { .. }) => {
            json!({ "decisions": [decision], "total": 1, "relations": [HOSTILE], "rules": [HOSTILE], "tx": 2 })
        }
        Question::Page(Sight::Decision(_)) => {
            let mut all = decision;
            let history = json!([{ "from": 1, "until": 2, "from_time": HOSTILE, "from_by": HOSTILE, "until_time": HOSTILE, "until_by": HOSTILE }]);
            all["proof"] = proof();
            (all["schema"], all["history"], all["drawn_at"]) = (schema, history, json!(HOSTILE));
            all
        }
        Question::Page(Sight::Reviews) => json!({ "schema": schema, "reviews": [{
            "id": HOSTILE, "kind": "proposal", "what": HOSTILE, "since": HOSTILE, "content": { "value": HOSTILE, "kind": "kept" }, "proof": proof(),
        }] }),
        Question::Page(Sight::Facts { relation: Some(_), .. }) => json!({
            "columns": [HOSTILE], "doc": HOSTILE, "total": 120, "time": HOSTILE,
            "facts": [{ "values": [HOSTILE], "author": HOSTILE, "tx": 1, "time": HOSTILE, "strength": HOSTILE }],
        }),
        Question::Page(Sight::Facts { .. }) => {
            json!({ "relations": [{ "name": HOSTILE, "facts": 3, "doc": HOSTILE }] })
        }
        Question::Page(Sight::Rules) => {
            let rule = json!({ "id": HOSTILE, "doc": HOSTILE, "text": HOSTILE, "because": HOSTILE, "place": HOSTILE, "decisions": 1, "coverage": { "reached": 1, "all": 2 } });
            json!({ "schema": schema, "coverage": { "reached": 1, "all": 2 }, "relations": [
                { "name": "retry", "kind": "decision", "doc": HOSTILE, "columns": [HOSTILE], "types": ["string"], "reads": [HOSTILE], "readers": [HOSTILE], "rules": [rule] },
            ] })
        }
        Question::Page(Sight::Parameters) => json!({ "schema": schema, "parameters": [
            { "name": "most", "type": "int", "doc": HOSTILE, "value": 3, "file": HOSTILE },
            { "name": "word", "type": "string", "doc": HOSTILE, "value": HOSTILE, "file": HOSTILE },
        ] }),
        Question::Page(Sight::Verify) => {
            json!({ "transactions": 2, "facts": 1, "decisions": 1, "differences": [HOSTILE] })
        }
        Question::WhyNot { .. } => json!({
            "asked": { "retry": [HOSTILE] }, "holds": [], "rules": [
                { "rule": HOSTILE, "held": 1, "of": 2, "message": HOSTILE, "failure": { "kind": "missing", "atom": { "failed": [HOSTILE, null] }, "among": 2, "nearest": [{ "failed": [HOSTILE, 1] }] } },
                { "rule": HOSTILE, "held": 1, "of": 2, "message": HOSTILE, "failure": { "kind": "test", "text": HOSTILE, "written": HOSTILE } },
                { "rule": HOSTILE, "held": 1, "of": 2, "message": HOSTILE, "failure": { "kind": HOSTILE } },
            ],
            "remedies": { "remedies": [{ "changes": [{ "assert": { "failed": [HOSTILE, 1] } }], "needs_human": true }] },
        }),
        Question::WhatIf { .. } => {
            json!({ "changes": [{ "change": "drawn", "decision": { "retry": [HOSTILE] }, "after": HOSTILE }] })
        }
        Question::Outbox { .. } => {
            json!({ "outbox": [{ "id": "2.1", "decision": HOSTILE, "carrier": HOSTILE, "state": HOSTILE, "attempts": 1, "next": HOSTILE, "detail": HOSTILE }] })
        }
        Question::Status => json!({ "transactions": 2, "facts": 3, "decisions": 1, "head": HOSTILE }),
        Question::Log { .. } => {
            json!({ "transactions": [{ "transaction": 2, "time": HOSTILE, "author": HOSTILE, "note": HOSTILE, "asserted": [{}] }] })
        }
        Question::Review(_) => json!({ "tx": 3, "drawn": [{}], "lapsed": [] }),
        other => panic!("nobody asks {other:?}"),
    }
}

impl Desk for Canned {
    fn ask(&self, asked: Asked, reply: AnswerSender) -> Result<(), Problem> {
        let Json::Object(fields) = answer(&asked.question) else { panic!("an answer is an object") };
        self.asked.lock().unwrap().push((asked.question, asked.moment, asked.by.name));
        let _ = reply.send(Ok(fields));
        Ok(())
    }

    fn board(&self) -> Board {
        self.board.subscribe()
    }

    fn waiting(&self) -> usize {
        0
    }

    fn has_authzen(&self) -> bool {
        false
    }
}

/// A service over that desk.
struct Service {
    dir: tempfile::TempDir,
    desk: Arc<Canned>,
    listening: Listening,
}

/// The status, the head and the body of a response.
type Response = (u16, String, String);

impl Service {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::new(dir.path().join("tokens.jsonl"), now);
        let standing = Standing {
            tx: 3,
            head: String::from(HOSTILE),
            erased: 0,
            is_ready: true,
            faulty_rules: Some(String::from(HOSTILE)),
        };
        let desk = Arc::new(Canned { board: Teller::new(standing), asked: Mutex::default() });
        let auth = Auth { tokens: Some(Arc::new(tokens)), issuer: None };
        let budget = Duration::from_secs(20);
        let mcp = Mcp::new(Arc::<Canned>::clone(&desk), auth.clone(), budget).unwrap();
        let settings = ListenSettings {
            address: "127.0.0.1:0".parse().unwrap(),
            tls: None,
            insecure: false,
            budget,
            longest: 1 << 16,
            base: None,
            auth,
            mcp: Arc::new(mcp),
            invites: None,
        };
        let listening = begin(settings, Arc::<Canned>::clone(&desk)).unwrap();
        Self { dir, desk, listening }
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let address = self.listening.base.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
        headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
        if method == "POST" {
            text.push_str(&format!(
                "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
                body.len()
            ));
        }
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).unwrap();
        let mut all = String::new();
        stream.read_to_string(&mut all).unwrap();
        let (head, body) = all.split_once("\r\n\r\n").unwrap();
        (head.split_whitespace().nth(1).unwrap().parse().unwrap(), head.to_ascii_lowercase(), body.to_owned())
    }

    /// The cookie of somebody with a new token.
    fn sign_in(&self, name: &str, scopes: &[Scope]) -> String {
        let tokens = Tokens::new(self.dir.path().join("tokens.jsonl"), now);
        let (_, token) = tokens.create(name, scopes, None).unwrap();
        let (status, head, _) = self.send("POST", "/sign-in", &[], &format!("token={token}&next=%2Freviews"));
        assert_eq!(status, 303, "{head}");
        assert!(head.contains("location: /reviews"), "{head}");
        assert!(head.contains("httponly; samesite=strict"), "{head}");
        head.split_once("set-cookie: ").unwrap().1.split(';').next().unwrap().to_owned()
    }

    fn get(&self, cookie: &str, path: &str) -> Response {
        self.send("GET", path, &[("Cookie", cookie)], "")
    }

    fn seal(&self, cookie: &str) -> String {
        let (_, _, page) = self.get(cookie, "/reviews");
        page.split_once("name=\"seal\" value=\"").unwrap().1.split_once('"').unwrap().0.to_owned()
    }

    fn reviews(&self) -> Vec<Review> {
        let asked = self.desk.asked.lock().unwrap();
        let reviews = asked.iter().filter_map(|(question, _, _)| match question {
            Question::Review(review) => Some(review.clone()),
            _ => None,
        });
        reviews.collect()
    }
}

const READ: &[Scope] = &[Scope::Read];
const BOTH: &[Scope] = &[Scope::Read, Scope::Write];

#[test]
fn nobody_gets_in_without_a_session() {
    let service = Service::new();
    for path in SCREENS {
        for cookie in ["", "hence_session=", "hence_session=00; other=1"] {
            let (status, head, _) = service.get(cookie, path);
            assert_eq!(status, 303, "{path}: {head}");
            assert!(head.contains("location: /sign-in?next=%2f"), "{path}: {head}");
        }
    }
    assert_eq!(service.send("POST", "/reviews/answer", &[], "answer=approve").0, 401);
    assert_eq!(service.get("", "/page/changes").0, 303);
    let (status, head, _) = service.send("POST", "/sign-in", &[], "token=hence_00000000_00");
    assert!(status == 401 && !head.contains("set-cookie"), "{head}");
    let blind = service.sign_in("cy", &[Scope::Write]);
    assert_eq!(service.get(&blind, "/").0, 403);
    assert!(service.desk.asked.lock().unwrap().is_empty(), "nothing was asked");
}

#[test]
fn signing_in_leads_nowhere_else() {
    let service = Service::new();
    for next in ["https://evil.example", "//evil.example", "/\\evil.example", "%2F%2Fevil.example"] {
        let (_, _, page) = service.get("", &format!("/sign-in?next={next}"));
        assert!(!page.contains("evil.example"), "{next}: {page}");
    }
    let foreign = service.send("POST", "/sign-in", &[("Origin", "https://evil.example")], "token=x");
    assert_eq!(foreign.0, 403);
}

#[test]
fn hostile_texts_stay_texts_on_every_screen() {
    let service = Service::new();
    let cookie = service.sign_in("ada", BOTH);
    for path in SCREENS {
        let (status, head, page) = service.get(&cookie, path);
        assert_eq!(status, 200, "{path}: {head}");
        assert!(!page.contains("<script>alert") && !page.contains("<img"), "{path}: {page}");
        assert!(page.contains("&lt;script&gt;"), "{path}: {page}");
        let policy = head.lines().find(|line| line.starts_with("content-security-policy")).unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert!(
            head.contains("x-content-type-options: nosniff") && head.contains("no-store"),
            "{path}: {head}"
        );
    }
    let hostile = "%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E";
    for path in [
        "/?subject=",
        "/?relation=",
        "/?from=",
        "/facts?relation=",
        "/why-not?fact=",
        "/decisions/",
        "/rules/",
        "/what-if?p_word=",
        "/sign-in?next=/",
    ] {
        let (_, _, page) = service.get(&cookie, &format!("{path}{hostile}"));
        assert!(!page.contains("<script>alert"), "{path}: {page}");
    }
}

#[test]
fn the_query_becomes_the_question() {
    let service = Service::new();
    let cookie = service.sign_in("ada", READ);
    service.get(&cookie, "/?relation=retry&rule=r&subject=a+b&from=2026-02-01&to=2026-02-03&offset=50");
    service.get(&cookie, "/facts?relation=failed&at=1");
    service.get(&cookie, "/what-if?p_most=4&p_word=");
    let asked = service.desk.asked.lock().unwrap();
    let (Question::Page(Sight::Decisions { filter, page }), _, by) = &asked[0] else { panic!("{asked:?}") };
    assert_eq!(
        (filter.subject.as_deref(), filter.rule.as_deref(), page.offset),
        (Some("a b"), Some("r"), 50)
    );
    assert_eq!(
        (filter.from.as_deref(), filter.to.as_deref(), by.as_str()),
        (Some("2026-02-01"), Some("2026-02-03"), "ada")
    );
    assert_eq!(asked[1].1.as_of.as_deref(), Some("1"), "facts are those of then");
    let (Question::WhatIf { set, .. }, ..) = &asked[3] else { panic!("{asked:?}") };
    assert_eq!(set, &[(String::from("most"), json!(4))], "what is as it was is not set");
}

#[test]
fn only_a_form_of_the_session_records_an_answer() {
    let service = Service::new();
    let (ada, bo) = (service.sign_in("ada", BOTH), service.sign_in("bo", BOTH));
    let (own, others) = (service.seal(&ada), service.seal(&bo));
    let answer = "id=p1&answer=approve&comment=";
    let post = |cookie: &str, origin: Option<&str>, body: &str| {
        let origin = origin.map(|origin| ("Origin", origin));
        let headers: Vec<_> = [("Cookie", cookie)].into_iter().chain(origin).collect();
        service.send("POST", "/reviews/answer", &headers, body).0
    };
    assert_eq!(post(&ada, None, answer), 403, "no seal");
    assert_eq!(post(&ada, None, &format!("{answer}&seal={others}")), 403, "another's seal");
    assert_eq!(post(&ada, Some("https://evil.example"), &format!("{answer}&seal={own}")), 403);
    assert_eq!(post(&ada, Some("null"), &format!("{answer}&seal={own}")), 403);
    assert_eq!(service.get(&ada, &format!("/reviews/answer?{answer}&seal={own}")).0, 405);
    let reader = service.sign_in("cy", READ);
    assert_eq!(post(&reader, None, &format!("{answer}&seal={own}")), 403, "who only reads");
    assert_eq!(post(&ada, None, &format!("id=p1&answer=reject&comment=+&seal={own}")), 400, "no reason");
    assert_eq!(service.reviews(), []);
    let edited = "part_value=Short%2C%0D%0Aplease&was_value=Long&part_kind=kept&was_kind=kept";
    assert_eq!(post(&ada, Some(&service.listening.base), &format!("{answer}&seal={own}&{edited}")), 303);
    assert_eq!(post(&ada, None, &format!("id=p2&answer=reject&comment=too+long&seal={own}&{edited}")), 303);
    let review = |id: &str, approved, comment: &str, edits: &[(&str, &str)]| Review {
        id: id.to_owned(),
        approved,
        comment: comment.to_owned(),
        edits: edits.iter().map(|(part, text)| ((*part).to_owned(), (*text).to_owned())).collect(),
    };
    let expected =
        [review("p1", true, "", &[("value", "Short,\nplease")]), review("p2", false, "too long", &[])];
    assert_eq!(service.reviews(), expected);
}

#[test]
fn a_session_ends_by_the_button_and_with_its_token() {
    let service = Service::new();
    let cookie = service.sign_in("ada", READ);
    assert_eq!(service.get(&cookie, "/").0, 200);
    assert_eq!(service.send("POST", "/sign-out", &[("Cookie", &cookie)], "").0, 303);
    assert_eq!(service.get(&cookie, "/").0, 303);
    let cookie = service.sign_in("bo", READ);
    let tokens = Tokens::new(service.dir.path().join("tokens.jsonl"), now);
    let bo = tokens.list().unwrap().into_iter().find(|token| token.principal == "bo").unwrap();
    tokens.revoke(&bo.id).unwrap();
    assert_eq!(service.get(&cookie, "/").0, 303);
}
