//! The desk of the service: questions go to readers, each with a replica of the ledger that follows the writer; what records
//! something goes to the owner. Whether something is permitted never waits after a slow question: it has readers of its own.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hence_core::{meter, threads};
use hence_ledger::{Hash, Ledger};
#[cfg(feature = "gate")]
use hence_server::Hooked;
use hence_server::{AnswerSender, Asked, Board, Desk, Problem, Question, Standing, Teller};
use hence_session::{RuleSet, Session};
use tracing::Span;

use super::super::config;
#[cfg(feature = "gate")]
use super::super::gate;
use super::super::options::EngineOptions;
use super::super::owner::Mailbox;
use super::queue::Queue;
use super::reader::Reader;
use super::record;

/// How many questions wait for a reader; the next is told to come again.
const MOST: usize = 256;
/// How many readers answer questions that may be slow.
const SLOW: usize = 1;

/// How often readers that wait for the owner look whether it stops.
const LOOK: Duration = Duration::from_millis(100);

/// A question that waits, with the span of its request.
pub(super) type Job = (Asked, AnswerSender, Span);

/// What readers follow.
#[derive(Clone)]
pub(super) struct Known {
    /// The last transaction that is durable.
    pub(super) tx: u64,
    /// The rules that decide, and their hash.
    pub(super) rules: Arc<RuleSet>,
    pub(super) hash: Hash,
}

/// What all threads share.
pub(super) struct Workers {
    pub(super) store: PathBuf,
    pub(super) engine: EngineOptions,
    pub(super) budget: Duration,
    known: Mutex<Known>,
    board: Teller,
    quick: Queue<Job>,
    slow: Queue<Job>,
    mailbox: Arc<Mailbox>,
    /// How many readers that answer quickly have yet to work out what follows.
    cold: AtomicUsize,
    /// Whether the owner has taken up what fell due while nobody served.
    has_begun: AtomicBool,
    /// Tells readers that wait for that.
    begun: Condvar,
}

impl Workers {
    /// Those of a session, and its threads; nothing is ready before the owner is, and after it all of them that answer
    /// quickly. Where they needn't be warm, readers open the ledger once somebody asks.
    ///
    /// # Errors
    /// The system gives too few threads.
    pub(super) fn begin(
        session: &Session,
        (store, engine, budget, is_warm): (PathBuf, EngineOptions, Duration, bool),
        mailbox: &Arc<Mailbox>,
    ) -> io::Result<(Arc<Self>, Vec<JoinHandle<()>>)> {
        let rules = Arc::new(session.rules().clone());
        let known = Known { tx: session.last_tx(), hash: rules.recorded().hash(), rules };
        let head = session.ledger().map(|ledger| ledger.head().to_string()).unwrap_or_default();
        let standing = Standing { tx: known.tx, head, erased: erased(session), ..Standing::default() };
        let quick = thread::available_parallelism().map_or(1, usize::from);
        let workers = Arc::new(Self {
            store,
            engine,
            budget,
            known: Mutex::new(known),
            board: Teller::new(standing),
            quick: Queue::new(MOST),
            slow: Queue::new(MOST),
            mailbox: Arc::clone(mailbox),
            cold: AtomicUsize::new(quick),
            has_begun: AtomicBool::new(false),
            begun: Condvar::new(),
        });
        let lanes = std::iter::repeat_n(true, quick).chain(std::iter::repeat_n(false, SLOW));
        let threads = lanes.map(|is_quick| {
            let workers = Arc::clone(&workers);
            threads::begin("reader", move || workers.work(is_quick, is_warm))
        });
        let threads = threads.collect::<io::Result<_>>()?;
        Ok((workers, threads))
    }

    fn work(&self, is_quick: bool, is_warm: bool) {
        #[cfg(target_os = "linux")]
        if !is_quick {
            // Of this thread: what may be slow leaves the processor to what is quick. Without it both share.
            let _ = rustix::process::nice(10);
        }
        let mut reader = Reader::new(self);
        if is_warm {
            // What the owner takes up first may be so much that a reader would have to begin again.
            self.wait_for_owner();
            reader.warm(is_quick);
        }
        self.cold.fetch_sub(usize::from(is_quick), Ordering::SeqCst);
        self.look_ready();
        let queue = if is_quick { &self.quick } else { &self.slow };
        while let Some((asked, reply, span)) = queue.take() {
            if reply.is_closed() {
                continue;
            }
            let answered = span.in_scope(|| match is_quick {
                // What a quick reader keeps from one question to the next is made anew where it is left in the middle.
                true => reader.answer(&asked),
                false => meter::until(asked.until, || reader.answer(&asked)),
            });
            // Whoever asked may be gone by now.
            let _ = reply.send(answered);
        }
    }

    fn wait_for_owner(&self) {
        let mut known = self.lock();
        while !self.has_begun.load(Ordering::SeqCst) && !self.mailbox.is_stopping() {
            known = self.begun.wait_timeout(known, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What readers are to know.
    pub(super) fn known(&self) -> Known {
        self.lock().clone()
    }

    /// Says that requests are answered, once readers and the owner are there.
    fn look_ready(&self) {
        let is_there = self.cold.load(Ordering::SeqCst) == 0 && self.has_begun.load(Ordering::SeqCst);
        if is_there && !self.mailbox.is_stopping() {
            self.board.send_if_modified(|standing| !std::mem::replace(&mut standing.is_ready, true));
        }
    }

    /// Tells readers what the session of the owner has recorded, and by which rules it decides.
    pub(super) fn publish(&self, session: &Session) {
        let (tx, hash) = (session.last_tx(), session.rules().recorded().hash());
        let mut known = self.lock();
        if known.tx != tx || known.hash != hash {
            if known.hash != hash {
                known.rules = Arc::new(session.rules().clone());
            }
            (known.tx, known.hash) = (tx, hash);
            let head = session.ledger().map(|ledger| ledger.head().to_string()).unwrap_or_default();
            let erased = erased(session);
            self.board.send_modify(|standing| {
                (standing.tx, standing.head, standing.erased) = (tx, head, erased);
            });
        }
        let begins = !self.has_begun.swap(true, Ordering::SeqCst);
        drop(known);
        if begins {
            self.begun.notify_all();
            self.look_ready();
        }
    }

    /// Says what is wrong with changed rules, or that nothing is.
    pub(super) fn tell_rules(&self, faulty: Option<String>) {
        self.board.send_modify(|standing| standing.faulty_rules = faulty);
    }

    /// Takes no more questions.
    pub(super) fn close(&self) {
        self.board.send_modify(|standing| standing.is_ready = false);
        self.quick.close();
        self.slow.close();
    }

    /// Whether only the owner of the ledger answers a question.
    fn writes(question: &Question) -> bool {
        let records = || config::get().authzen().is_some_and(|authzen| authzen.record);
        question.writes() || matches!(question, Question::Evaluations { .. }) && records()
    }
}

fn erased(session: &Session) -> u64 {
    session.ledger().map_or(0, Ledger::erased_count)
}

impl Desk for Workers {
    fn ask(&self, asked: Asked, reply: AnswerSender) -> Result<(), Problem> {
        let is_quick = matches!(asked.question, Question::Evaluations { .. } | Question::Search(_));
        let has_room = if Self::writes(&asked.question) {
            self.mailbox.put_work(record::work(asked, reply))
        } else {
            let queue = if is_quick { &self.quick } else { &self.slow };
            queue.put((asked, reply, Span::current()))
        };
        if has_room { Ok(()) } else { Err(Problem::busy("too many requests wait")) }
    }

    fn board(&self) -> Board {
        self.board.subscribe()
    }

    fn waiting(&self) -> usize {
        self.quick.len() + self.slow.len() + self.mailbox.waiting_work()
    }

    fn has_authzen(&self) -> bool {
        config::get().authzen().is_some()
    }

    #[cfg(feature = "gate")]
    fn hook(&self, host: &str, shadow: bool, event: Result<&[u8], &str>) -> Option<Hooked> {
        let host: Option<hence_gate::Host> = match host {
            "auto" => None,
            host => Some(host.parse().ok()?),
        };
        let hence_gate::HookAnswer { output, error, status } = match event {
            Ok(event) => gate::judged(&self.mailbox, host.map(hence_gate::Host::word), shadow, event),
            Err(why) => gate::refused(host, "", why),
        };
        Some(Hooked { output, error, status })
    }
}
