//! A queue with an end: who finds it full is told to come again.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Items that wait for a worker.
pub(super) struct Queue<T> {
    most: usize,
    state: Mutex<State<T>>,
    came: Condvar,
}

struct State<T> {
    items: VecDeque<T>,
    is_closed: bool,
    /// How many workers wait: to wake nobody costs a call of the system too.
    idle: usize,
}

impl<T> Queue<T> {
    /// One that holds so many.
    pub(super) fn new(most: usize) -> Self {
        let state = State { items: VecDeque::new(), is_closed: false, idle: 0 };
        Self { most, state: Mutex::new(state), came: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an item; whether there was room.
    pub(super) fn put(&self, item: T) -> bool {
        let mut state = self.state();
        if state.is_closed || state.items.len() >= self.most {
            return false;
        }
        state.items.push_back(item);
        let is_awaited = state.idle > 0;
        drop(state);
        if is_awaited {
            self.came.notify_one();
        }
        true
    }

    /// The next item, once there is one; `None` where none comes any more.
    pub(super) fn take(&self) -> Option<T> {
        let mut state = self.state();
        loop {
            if let Some(item) = state.items.pop_front() {
                return Some(item);
            }
            if state.is_closed {
                return None;
            }
            state.idle += 1;
            state = self.came.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.state().items.len()
    }

    /// Takes no more; what waits is still handed out.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.came.notify_all();
    }
}
