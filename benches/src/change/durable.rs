//! Commits that are on the disk before they are answered: one fact each over a base in a ledger, by one client or by several
//! that wait for their own. What has come meanwhile is recorded together and made durable by one sync, as the service does.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use hence::session::{CommitRequest, Session};
use hence_core::fact::Fact;
use hence_ledger::{Ledger, OpenOptions};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{Base, Difference, RULES, Stream, difference};
use crate::measure::{Moment, Series};
use crate::options::home;
use crate::peers::hence::rules;

/// How many changes are ready before the clocks start.
const READY: usize = 400_000;
/// How much is recorded before somebody is answered.
const MOST: usize = 256;

/// A change, and where its author waits for the answer.
type Asked = (CommitRequest, Sender<()>);

/// A folder for as long as it is needed, and a session over a new ledger in it.
pub(super) fn session(facts: Vec<Fact>) -> (TempDir, Session, Difference) {
    let folder = home().join("target/facts");
    std::fs::create_dir_all(&folder).unwrap();
    let folder = tempfile::tempdir_in(folder).unwrap();
    // As an owner has it: the base is written beside the commits.
    let options = OpenOptions { behind: true, ..OpenOptions::default() };
    let ledger = Ledger::open(folder.path().join("ledger"), &options).unwrap();
    let mut session = Session::over_ledger(rules("standing.dl", RULES), ledger);
    let first = CommitRequest { assertions: facts, ..CommitRequest::default() };
    let first = difference(session.commit(first, false).unwrap());
    // It is the second that sets up what the later ones go on from.
    session.commit(CommitRequest::default(), false).unwrap();
    (folder, session, first)
}

/// Commits of so many clients over a base of about `count` facts for some `seconds`.
pub fn measure(count: u32, clients: usize, seconds: f64) -> Json {
    let mut stream = Stream::new(Base::new(count), count);
    let (_folder, mut session, _) = session(stream.order.clone());
    let changes: Vec<CommitRequest> = (0..READY).map(|_| stream.next()).collect();
    let (next, ends) = (AtomicUsize::new(0), Duration::from_secs_f64(seconds));
    let (ask, asked) = channel::<Asked>();
    let (begun, moment) = (Instant::now(), Moment::now());
    let (times, syncs) = std::thread::scope(|scope| {
        let client = |ask: Sender<Asked>| {
            let (changes, next) = (&changes, &next);
            move || {
                let ((answer, answered), mut times) = (channel(), Vec::new());
                while begun.elapsed() < ends {
                    let Some(change) = changes.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    let change = CommitRequest { deferred: true, ..change.clone() };
                    let asks = Instant::now();
                    ask.send((change, answer.clone())).unwrap();
                    answered.recv().unwrap();
                    times.push(asks.elapsed().as_secs_f64() * 1e6);
                }
                times
            }
        };
        let clients: Vec<_> = (0..clients).map(|_| scope.spawn(client(ask.clone()))).collect();
        drop(ask);
        let syncs = own(&mut session, &asked);
        let times: Vec<f64> = clients.into_iter().flat_map(|client| client.join().unwrap()).collect();
        (times, syncs)
    });
    let (took, commits) = (moment.elapsed(), times.len() as f64);
    let times = Series::new(times);
    json!({
        "commits": commits, "second": commits / took.wall, "syncs": syncs, "median": times.median(),
        "p99": times.quantile(0.99), "cpu": took.cpu / commits * 1e6,
    })
}

/// Takes changes until no client is left; how many syncs that took.
fn own(session: &mut Session, asked: &Receiver<Asked>) -> usize {
    let mut syncs = 0;
    while let Ok(first) = asked.recv() {
        let mut waiting = Vec::new();
        for (change, answer) in std::iter::once(first).chain(asked.try_iter()).take(MOST) {
            session.commit(change, false).unwrap();
            waiting.push(answer);
        }
        session.make_durable().unwrap();
        syncs += 1;
        waiting.into_iter().for_each(|answer| answer.send(()).unwrap());
    }
    syncs
}
