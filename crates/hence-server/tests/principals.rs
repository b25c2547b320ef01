//! Who calls: by a token of an issuer, and by a certificate.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::SigningKey;
use hence_server::{
    AnswerSender, Asked, Auth, Board, Desk, Identity, Issuer, ListenSettings, Listening, Mcp, Problem, Scope,
    Shown, Standing, Teller,
};
use hence_server::{Tls, Tokens, begin};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value as Json, json};

const SEED: [u8; 32] = [7; 32];
/// What an Ed25519 key in PKCS #8 has before its seed.
const PKCS8: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_micros()).unwrap()
}

/// An issuer whose key is that of the seed.
fn issuer(dir: &Path) -> Auth {
    issuer_with(dir, &json!({ "use": "sig" }))
}

/// The same with these members of its key.
fn issuer_with(dir: &Path, more: &Json) -> Auth {
    let public = SigningKey::from_bytes(&SEED).verifying_key();
    let x = URL_SAFE_NO_PAD.encode(public.as_bytes());
    let mut key = json!({ "kty": "OKP", "crv": "Ed25519", "x": x, "kid": "k1", "alg": "EdDSA" });
    key.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let keys = dir.join("keys.json");
    fs::write(&keys, json!({ "keys": [key] }).to_string()).unwrap();
    let (issuer, audience) = (String::from("https://id.example.org"), String::from("hence"));
    let issuer = Issuer { keys, issuer, audience };
    issuer.check().unwrap();
    Auth { tokens: None, issuer: Some(Arc::new(issuer)) }
}

fn token(seed: [u8; 32], kid: Option<&str>, claims: &Json) -> String {
    let mut header = Header::new(Algorithm::EdDSA);
    header.kid = kid.map(str::to_owned);
    let key = EncodingKey::from_ed_der(&[PKCS8.as_slice(), &seed].concat());
    format!("Bearer {}", encode(&header, claims, &key).unwrap())
}

fn shown(bearer: &str) -> Shown {
    Shown { bearer: Some(bearer.to_owned()), certificate: None }
}

fn claims() -> Json {
    json!({
        "iss": "https://id.example.org", "aud": "hence", "sub": "ada", "scope": "read decide openid",
        "exp": now() / 1_000_000 + 600,
    })
}

#[test]
fn a_token_of_the_issuer_names_its_subject_and_scopes() {
    let dir = tempfile::tempdir().unwrap();
    let auth = issuer(dir.path());
    let found = auth.principal(&shown(&token(SEED, Some("k1"), &claims()))).unwrap();
    assert_eq!(found, Identity { name: String::from("ada"), scopes: vec![Scope::Read, Scope::Decide] });
}

#[test]
fn a_token_with_anything_wrong_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let auth = issuer(dir.path());
    let refused = |token: &str| auth.principal(&shown(token)).unwrap_err().status;
    let with = |name: &str, value: Json| {
        let mut claims = claims();
        claims[name] = value;
        token(SEED, Some("k1"), &claims)
    };
    let without = |name: &str| {
        let mut claims = claims();
        claims.as_object_mut().unwrap().remove(name);
        token(SEED, Some("k1"), &claims)
    };
    for (what, text) in [
        ("another issuer", with("iss", json!("https://evil.example.org"))),
        ("another audience", with("aud", json!("elsewhere"))),
        ("the past", with("exp", json!(now() / 1_000_000 - 3600))),
        ("two seconds ago", with("exp", json!(now() / 1_000_000 - 2))),
        ("the future", with("nbf", json!(now() / 1_000_000 + 3600))),
        ("in half a minute", with("nbf", json!(now() / 1_000_000 + 30))),
        ("no end", without("exp")),
        ("no issuer", without("iss")),
        ("no audience", without("aud")),
        ("no subject", without("sub")),
        ("an empty subject", with("sub", json!(""))),
        ("a blank subject", with("sub", json!(" \t"))),
        ("another key", token([8; 32], Some("k1"), &claims())),
        ("an unknown key", token(SEED, Some("k2"), &claims())),
        ("no key", token(SEED, None, &claims())),
        ("garbage", String::from("Bearer a.b.c")),
        ("another scheme", String::from("Basic YWRhOmFkYQ==")),
    ] {
        assert_eq!(refused(&text), 401, "{what}");
    }
    let shared = Header { kid: Some(String::from("k1")), ..Header::new(Algorithm::HS256) };
    let public = SigningKey::from_bytes(&SEED).verifying_key();
    let forged = encode(&shared, &claims(), &EncodingKey::from_secret(public.as_bytes())).unwrap();
    assert_eq!(refused(&format!("Bearer {forged}")), 401, "a public key is no shared secret");
}

#[test]
fn a_token_that_takes_what_is_not_understood_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let auth = issuer(dir.path());
    let key = EncodingKey::from_ed_der(&[PKCS8.as_slice(), &SEED].concat());
    for crit in [vec![String::from("exp")], vec![String::from("b64")], Vec::new()] {
        let header =
            Header { kid: Some(String::from("k1")), crit: Some(crit), ..Header::new(Algorithm::EdDSA) };
        let bearer = format!("Bearer {}", encode(&header, &claims(), &key).unwrap());
        let refused = auth.principal(&shown(&bearer)).unwrap_err();
        assert_eq!(refused.status, 401);
        assert!(refused.detail.contains("`crit`"), "{refused:?}");
    }
}

#[test]
fn a_key_that_is_for_something_else_vouches_for_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let bearer = token(SEED, Some("k1"), &claims());
    for more in [json!({ "use": "enc" }), json!({ "use": "tls" }), json!({ "key_ops": ["encrypt"] })] {
        let refused = issuer_with(dir.path(), &more).principal(&shown(&bearer)).unwrap_err();
        assert_eq!(
            (refused.status, refused.detail.as_str()),
            (401, "the key `k1` is not for signatures"),
            "{more}"
        );
    }
    for more in [json!({}), json!({ "key_ops": ["verify"] })] {
        assert!(issuer_with(dir.path(), &more).principal(&shown(&bearer)).is_ok(), "{more}");
    }
}

/// A desk that answers nothing.
struct Nobody(Teller);

impl Desk for Nobody {
    fn ask(&self, _: Asked, _: AnswerSender) -> Result<(), Problem> {
        Err(Problem::busy("nobody is here"))
    }

    fn board(&self) -> Board {
        self.0.subscribe()
    }

    fn waiting(&self) -> usize {
        0
    }

    fn has_authzen(&self) -> bool {
        false
    }
}

/// The status with which `/openapi.json` is answered over TLS, to whoever shows a certificate or none.
fn asked(
    address: &str,
    root: &CertificateDer<'static>,
    client: Option<(CertificateDer<'static>, PrivateKeyDer<'static>)>,
) -> Option<String> {
    let mut roots = RootCertStore::empty();
    roots.add(root.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots);
    let config = match client {
        None => config.with_no_client_auth(),
        Some((certificate, key)) => config.with_client_auth_cert(vec![certificate], key).unwrap(),
    };
    let name = ServerName::try_from("localhost").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut stream = StreamOwned::new(connection, stream);
    stream.write_all(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").ok()?;
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).split_whitespace().nth(1).map(str::to_owned)
}

/// A service with these tokens, over a desk at which nobody answers.
fn begun(tokens: Tokens, tls: Option<Tls>) -> Listening {
    let auth = Auth { tokens: Some(Arc::new(tokens)), issuer: None };
    let desk = Arc::new(Nobody(Teller::new(Standing { is_ready: true, ..Standing::default() })));
    let budget = Duration::from_secs(1);
    let mcp = Mcp::new(Arc::<Nobody>::clone(&desk), auth.clone(), budget).unwrap();
    let settings = ListenSettings {
        address: "127.0.0.1:0".parse().unwrap(),
        tls,
        insecure: false,
        budget,
        longest: 1 << 20,
        base: None,
        auth,
        mcp: Arc::new(mcp),
        invites: None,
    };
    begin(settings, desk).unwrap()
}

/// What the clock of the next test shows.
static CLOCK: AtomicI64 = AtomicI64::new(0);

#[test]
fn a_stream_ends_once_its_token_has_expired() {
    let dir = tempfile::tempdir().unwrap();
    let tokens = Tokens::new(dir.path().join("tokens.jsonl"), || CLOCK.load(Ordering::SeqCst));
    let (_, token) = tokens.create("pep", &[Scope::Read], Some(10)).unwrap();
    let listening = begun(tokens, None);
    let mut stream = TcpStream::connect(listening.base.strip_prefix("http://").unwrap()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let head = format!("GET /v1/changes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut told = [0; 12];
    stream.read_exact(&mut told).unwrap();
    assert_eq!(&told, b"HTTP/1.1 200");
    CLOCK.store(11, Ordering::SeqCst);
    let (mut rest, mut chunk) = (Vec::new(), [0; 1024]);
    while let Ok(read @ 1..) = stream.read(&mut chunk) {
        rest.extend_from_slice(&chunk[..read]);
        assert!(!rest.windows(3).any(|window| window == b"\n: "), "a heartbeat: the stream goes on");
        // The last chunk of a response without a length; the connection may stay.
        if rest.ends_with(b"0\r\n\r\n") {
            break;
        }
    }
    assert!(rest.ends_with(b"0\r\n\r\n"), "{}", String::from_utf8_lossy(&rest));
    listening.stop().unwrap();
}

#[test]
fn a_certificate_that_is_trusted_is_who_it_was_given_to() {
    let dir = tempfile::tempdir().unwrap();
    let made = |name: &str| rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let (server, known, other) = (made("localhost"), made("pep"), made("mallory"));
    let path = |name: &str| dir.path().join(name);
    fs::write(path("server.pem"), server.cert.pem()).unwrap();
    fs::write(path("server.key"), server.signing_key.serialize_pem()).unwrap();
    fs::write(path("clients.pem"), known.cert.pem()).unwrap();
    let tokens = Tokens::new(path("tokens.jsonl"), now);
    tokens.trust("pep", &[Scope::Read], None, known.cert.der()).unwrap();
    let tls =
        Tls { certificate: path("server.pem"), key: path("server.key"), clients: Some(path("clients.pem")) };
    let listening = begun(tokens, Some(tls));
    let address = listening.base.strip_prefix("https://").unwrap().to_owned();
    let root = server.cert.der().clone();
    let key = |of: &rcgen::CertifiedKey<rcgen::KeyPair>| {
        PrivateKeyDer::try_from(of.signing_key.serialize_der()).unwrap()
    };
    let shown = asked(&address, &root, Some((known.cert.der().clone(), key(&known))));
    assert_eq!(shown.as_deref(), Some("200"));
    assert_eq!(asked(&address, &root, None).as_deref(), Some("401"), "no certificate, no token");
    let stranger = asked(&address, &root, Some((other.cert.der().clone(), key(&other))));
    assert!(stranger.is_none_or(|status| status == "401"), "a certificate that nobody signed");
    listening.stop().unwrap();
}
