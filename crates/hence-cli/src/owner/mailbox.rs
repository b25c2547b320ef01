//! What an owner waits for: input, whoever asks for a turn, the end of a turn, a signal to stop, a time that is due.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hence_core::threads;

use super::{Ask, Work};

/// How many chunks of input wait; whoever reads it waits then.
const MOST_CHUNKS: usize = 4;
/// How many askers wait; the next one is refused.
pub(super) const MOST_ASKS: usize = 64;

/// How much work waits; the next one is refused.
#[cfg(any(feature = "server", feature = "gate"))]
const MOST_WORK: usize = 256;

/// What came.
pub(crate) enum Event {
    /// Bytes of the input.
    Chunk(io::Result<Vec<u8>>),
    /// The end of the input.
    End,
    /// Somebody asks for a turn, and has it as far as the mailbox knows.
    Asked(Ask),
    /// Something to do for whoever calls.
    Work(Work),
    /// The time that was waited for.
    Due,
    /// A signal to stop.
    Stop,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), expect(dead_code, reason = "turns are lent over Unix sockets"))]
pub(super) enum Ended {
    /// It was given back, or who had it is gone.
    Given,
    /// It took too long.
    Late,
    /// The owner is to stop.
    Stop,
}

/// Where all of that is put.
#[derive(Default)]
pub(crate) struct Mailbox {
    state: Mutex<State>,
    changed: Condvar,
    /// Tool calls that wait for a verdict.
    #[cfg(feature = "gate")]
    pub(crate) calls: super::super::gate::Calls,
    /// What answers MCP.
    #[cfg(feature = "server")]
    mcp: std::sync::OnceLock<Arc<hence_server::Mcp>>,
}

#[derive(Default)]
struct State {
    chunks: VecDeque<io::Result<Vec<u8>>>,
    is_over: bool,
    asks: VecDeque<Ask>,
    works: VecDeque<Work>,
    /// The turn that is out, until it ends.
    out: Option<u64>,
    stop: bool,
    /// How many threads wait for a change: to wake nobody costs a call of the system too.
    waiting: usize,
}

impl State {
    fn ask(&mut self) -> Option<Ask> {
        let ask = self.asks.pop_front()?;
        self.out = Some(ask.id());
        Some(ask)
    }
}

impl Mailbox {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state();
        let done = change(&mut state);
        self.tell(state);
        done
    }

    /// Wakes whoever waits for a change.
    fn tell(&self, state: MutexGuard<'_, State>) {
        let is_awaited = state.waiting > 0;
        drop(state);
        if is_awaited {
            self.changed.notify_all();
        }
    }

    /// Waits until the state says something, at most until `until`.
    fn wait<T>(&self, until: Option<Instant>, mut look: impl FnMut(&mut State) -> Option<T>) -> Option<T> {
        let mut state = self.state();
        loop {
            if let Some(found) = look(&mut state) {
                self.tell(state);
                return Some(found);
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return None;
            }
            state.waiting += 1;
            state = match left {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(left) => {
                    self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
            state.waiting -= 1;
        }
    }

    /// What comes next, input before askers where it is its turn, or that `until` has come.
    pub(crate) fn next(&self, until: Option<Instant>, input_first: bool) -> Event {
        let came = self.wait(until, |state| {
            if state.stop {
                return Some(Event::Stop);
            }
            if (state.chunks.is_empty() || !input_first)
                && let Some(ask) = state.ask()
            {
                return Some(Event::Asked(ask));
            }
            if let Some(work) = state.works.pop_front() {
                return Some(Event::Work(work));
            }
            let chunk = state.chunks.pop_front().map(Event::Chunk);
            chunk.or_else(|| state.is_over.then_some(Event::End))
        });
        came.unwrap_or(Event::Due)
    }

    /// The input that comes next, or that `until` has come; whoever asks waits on.
    pub(crate) fn input(&self, until: Instant) -> Event {
        let came = self.wait(Some(until), |state| {
            if state.stop {
                return Some(Event::Stop);
            }
            let chunk = state.chunks.pop_front().map(Event::Chunk);
            chunk.or_else(|| state.is_over.then_some(Event::End))
        });
        came.unwrap_or(Event::Due)
    }

    /// Whether the owner is to stop.
    pub(crate) fn is_stopping(&self) -> bool {
        self.state().stop
    }

    /// Whoever asks already.
    pub(super) fn asked(&self) -> Option<Ask> {
        self.state().ask()
    }

    /// Reads standard input in a thread of its own, since a read waits for as long as it likes.
    ///
    /// # Errors
    /// The system gives none.
    pub(super) fn read_standard_input(self: &Arc<Self>, chunk: usize) -> io::Result<()> {
        let to = Arc::clone(self);
        threads::begin("input", move || {
            let mut input = io::stdin().lock();
            let mut buffer = vec![0; chunk];
            loop {
                let read = io::Read::read(&mut input, &mut buffer);
                let is_over = !matches!(read, Ok(1..));
                let chunk = read.map(|count| buffer.iter().take(count).copied().collect());
                to.put(chunk, is_over);
                if is_over {
                    return;
                }
            }
        })
        .map(drop)
    }

    fn put(&self, chunk: io::Result<Vec<u8>>, is_over: bool) {
        self.wait(None, |state| (state.chunks.len() < MOST_CHUNKS).then_some(()));
        self.change(|state| {
            state.chunks.push_back(chunk);
            state.is_over |= is_over;
        });
    }
}

#[cfg(any(feature = "server", feature = "gate"))]
impl Mailbox {
    /// Puts work into the queue; whether there was room.
    pub(crate) fn put_work(&self, work: Work) -> bool {
        self.change(|state| {
            let has_room = !state.stop && state.works.len() < MOST_WORK;
            if has_room {
                state.works.push_back(work);
            }
            has_room
        })
    }

    /// How much work waits.
    #[cfg(feature = "server")]
    pub(crate) fn waiting_work(&self) -> usize {
        self.state().works.len()
    }
}

#[cfg(feature = "server")]
impl Mailbox {
    /// Says what answers MCP from now on.
    pub(crate) fn answer_mcp(&self, mcp: Arc<hence_server::Mcp>) {
        // There is one service for each owner.
        let _ = self.mcp.set(mcp);
    }

    /// What answers MCP.
    pub(super) fn mcp(&self) -> Option<Arc<hence_server::Mcp>> {
        self.mcp.get().cloned()
    }
}

#[cfg(unix)]
impl Mailbox {
    /// How many ask, the one whose turn it is among them.
    pub(super) fn waiting(&self) -> usize {
        let state = self.state();
        state.asks.len() + usize::from(state.out.is_some())
    }

    /// Puts an asker into the queue.
    ///
    /// # Errors
    /// It is full, or the owner stops; the asker is given back.
    pub(super) fn ask(&self, ask: Ask) -> Result<(), (Ask, &'static str)> {
        self.change(|state| match () {
            () if state.stop => Err((ask, "the owner of the ledger is stopping")),
            () if state.asks.len() >= MOST_ASKS => Err((ask, "too many processes wait for a turn")),
            () => {
                state.asks.push_back(ask);
                Ok(())
            }
        })
    }

    /// Takes down that an asker is gone, whether it has its turn or waits for it.
    pub(super) fn gone(&self, id: u64) {
        self.change(|state| {
            state.asks.retain(|ask| ask.id() != id);
            state.out = state.out.filter(|out| *out != id);
        });
    }

    /// Waits for the end of a turn.
    pub(super) fn returned(&self, id: u64, until: Instant) -> Ended {
        let ended = self.wait(Some(until), |state| match state.out {
            Some(out) if out == id => state.stop.then_some(Ended::Stop),
            _ => Some(Ended::Given),
        });
        ended.unwrap_or(Ended::Late)
    }

    /// Takes down that the turn is over, whatever the asker does.
    pub(super) fn take_back(&self, id: u64) {
        self.gone(id);
    }

    /// Has the owner stop.
    pub(super) fn stop(&self) {
        self.change(|state| state.stop = true);
    }
}
