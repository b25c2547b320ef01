//! Who signed in: a random id in a cookie stands for a token, and goes with a second text that forms carry.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::http::header::COOKIE;

use super::super::tokens;

/// The name of the cookie.
const COOKIE_NAME: &str = "hence_session";
/// How long somebody stays signed in.
const LONGEST: Duration = Duration::from_secs(12 * 60 * 60);
/// How many are signed in at once; the one who came first goes for the next.
const MOST: usize = 1000;

/// Somebody who signed in.
#[derive(Clone)]
pub(super) struct Session {
    /// The token that was shown; it is looked up for each request, so that a revoked one ends the session.
    pub(super) token: String,
    /// What forms carry.
    pub(super) seal: String,
    since: Instant,
}

/// All of them, by the hash of what is in their cookies.
#[derive(Default)]
pub(super) struct Sessions(Mutex<BTreeMap<String, Session>>);

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a session, and returns the cookie for it.
    pub(super) fn begin(&self, token: &str, is_secure: bool) -> std::io::Result<String> {
        let (id, seal) = (tokens::random_text()?, tokens::random_text()?);
        let mut all = self.lock();
        all.retain(|_, session| session.since.elapsed() < LONGEST);
        if all.len() >= MOST {
            let first = all.iter().min_by_key(|(_, session)| session.since).map(|(key, _)| key.clone());
            first.and_then(|key| all.remove(&key));
        }
        let session = Session { token: token.to_owned(), seal, since: Instant::now() };
        all.insert(tokens::hash(id.as_bytes()), session);
        let secure = if is_secure { "; Secure" } else { "" };
        Ok(format!("{COOKIE_NAME}={id}; Path=/; HttpOnly; SameSite=Strict{secure}"))
    }

    /// The session that the cookies of a request name.
    pub(super) fn find(&self, headers: &HeaderMap) -> Option<Session> {
        let found = self.lock().get(&key(headers)?).cloned()?;
        (found.since.elapsed() < LONGEST).then_some(found)
    }

    /// Ends a session, and returns the cookie that says so.
    pub(super) fn end(&self, headers: &HeaderMap) -> String {
        key(headers).and_then(|key| self.lock().remove(&key));
        format!("{COOKIE_NAME}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
    }
}

fn key(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let id = pairs.find(|(name, _)| *name == COOKIE_NAME).map(|(_, id)| id)?;
    Some(tokens::hash(id.as_bytes()))
}
