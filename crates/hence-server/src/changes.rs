//! `GET /v1/changes`: transactions as server-sent events, each once and in order, from any transaction on. What a listener
//! needs is read from the ledger once, and kept for the others.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::Value as Json;
use tokio::sync::{Mutex, oneshot};

use super::call::Call;
use super::desk::{AsOf, Asked, Board};
use super::meters::Listener;
use super::principal::{Identity, Scope, Shown};
use super::problem::Problem;
use super::question::Question;
use super::service::Service;

/// How many transactions are kept for listeners.
const KEPT: usize = 1024;
/// How many are read at once.
const AT_ONCE: usize = 100;
/// How often something is said where nothing happens.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a read may take.
const LONGEST: Duration = Duration::from_secs(10);
/// How often it is looked whether whoever listens still may.
const LOOK: Duration = Duration::from_millis(500);
/// How long to wait before reading again what could not be read.
const PAUSE: Duration = Duration::from_millis(100);

/// The last transactions that listeners read, and how many keys of personal values were destroyed when they did.
#[derive(Default)]
pub(crate) struct Recent(Mutex<(u64, BTreeMap<u64, Arc<Json>>)>);

impl Recent {
    /// Transactions from `from` on; one reader at a time asks, and the others find what it read.
    async fn from(
        &self,
        service: &Service,
        by: &Identity,
        from: u64,
    ) -> Result<Vec<(u64, Arc<Json>)>, Problem> {
        let mut recent = self.0.lock().await;
        let (of, kept) = &mut *recent;
        let erased = service.desk.board().borrow().erased;
        if std::mem::replace(of, erased) != erased {
            kept.clear();
        }
        if !kept.contains_key(&from) {
            let until = Instant::now() + LONGEST;
            let asked = Asked {
                question: Question::Log { from, limit: AT_ONCE },
                by: by.clone(),
                until,
                moment: AsOf { min_tx: Some(from), as_of: None },
            };
            let (reply, answer) = oneshot::channel();
            service.desk.ask(asked, reply)?;
            let answer = answer.await.map_err(|_| Problem::busy("nobody answers"))??;
            let Some(Json::Array(read)) = answer.get("transactions") else { return Ok(Vec::new()) };
            let number = |one: &Json| one.get("transaction").and_then(Json::as_u64);
            kept.extend(read.iter().filter_map(|one| Some((number(one)?, Arc::new(one.clone())))));
            while kept.len() > KEPT && kept.pop_first().is_some() {}
        }
        let run =
            (from..).zip(kept.range(from..)).take_while(|(due, (found, _))| due == *found).take(AT_ONCE);
        let mut found: Vec<_> = run.map(|(_, (tx, one))| (*tx, Arc::clone(one))).collect();
        found.shrink_to_fit();
        Ok(found)
    }
}

/// Somebody who listens.
struct Listening {
    service: Arc<Service>,
    by: Identity,
    shown: Shown,
    /// When it was seen last that they may listen.
    seen: Instant,
    board: Board,
    /// The next transaction.
    next: u64,
    ready: VecDeque<(u64, Arc<Json>)>,
    /// How many keys of personal values were destroyed when these were read.
    erased: u64,
    _counted: Listener,
}

impl Listening {
    /// Whether they still may listen: a token may be revoked or have ended since.
    fn may_listen(&mut self) -> bool {
        if self.seen.elapsed() < LOOK {
            return true;
        }
        self.seen = Instant::now();
        self.service.auth.admitted(&self.shown, Scope::Read).is_ok()
    }

    /// The next transaction, once there is one; `None` where the service stops, or who listens may no longer.
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        loop {
            if !self.may_listen() {
                return None;
            }
            let erased = self.board.borrow().erased;
            if std::mem::replace(&mut self.erased, erased) != erased {
                self.ready.clear();
            }
            if let Some((tx, one)) = self.ready.pop_front() {
                self.next = tx + 1;
                let event = Event::default().id(tx.to_string()).event("transaction").data(one.to_string());
                return Some((Ok(event), self));
            }
            let standing = self.board.borrow_and_update().clone();
            if !standing.is_ready {
                return None;
            }
            if standing.tx < self.next {
                if let Ok(changed) = tokio::time::timeout(LOOK, self.board.changed()).await {
                    changed.ok()?;
                }
                continue;
            }
            match self.service.recent.from(&self.service, &self.by, self.next).await {
                Ok(found) if !found.is_empty() => self.ready.extend(found),
                _ => tokio::time::sleep(PAUSE).await,
            }
        }
    }
}

/// Where a listener goes on: after `Last-Event-ID`, else after `after`, else with what comes.
fn begins(call: &Call, tx: u64) -> Result<u64, Problem> {
    let last = match call.header("Last-Event-ID")? {
        Some(text) => {
            let wrong =
                || Problem::malformed(format!("`Last-Event-ID`: expected a transaction, found `{text}`"));
            Some(text.parse::<u64>().map_err(|_| wrong())?)
        }
        None => call.number("after")?,
    };
    Ok(last.unwrap_or(tx).saturating_add(1))
}

/// The stream.
pub(crate) fn stream(
    service: &Arc<Service>,
    (by, shown): (Identity, Shown),
    call: &Call,
) -> Result<Response, Problem> {
    let board = service.desk.board();
    let next = begins(call, board.borrow().tx)?;
    let listening = Listening {
        service: Arc::clone(service),
        by,
        shown,
        seen: Instant::now(),
        board,
        next,
        ready: VecDeque::new(),
        erased: 0,
        _counted: service.meters.listener(),
    };
    let events = stream::unfold(listening, Listening::next);
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response())
}
