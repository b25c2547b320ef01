//! The owner's side of connections: who is there, what they ask, and when they hang up.

use std::io::{self, Read};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hence_core::threads;
use hence_runtime::owner::stranger;

use super::super::open;

use super::mailbox::Mailbox;
use super::protocol::{Answer, Wire, Wish, say};

/// How many connections there may be at once; the next one is told to come again.
const MOST: usize = 128;
/// How long a client may take to say what it asks.
const HELLO: Duration = Duration::from_secs(5);
/// How long to wait where the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(50);

/// A client that asks for a turn.
pub(crate) struct Ask {
    id: u64,
    stream: UnixStream,
    /// What the turn is for.
    pub(super) command: String,
}

impl Ask {
    /// The number of the connection.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Tells the client something about its turn.
    ///
    /// # Errors
    /// It is gone.
    pub(super) fn say(&self, answer: &Answer) -> io::Result<()> {
        say(&self.stream, answer)
    }

    /// Hangs up.
    pub(super) fn hang_up(&self) {
        // Whoever is gone already needs no more.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

/// What connections share.
struct Shared {
    mailbox: Arc<Mailbox>,
    open: AtomicUsize,
    next: AtomicU64,
}

/// Serves everybody who connects to `listener`, each in a thread.
///
/// # Errors
/// The system gives no thread.
pub(super) fn listen(listener: UnixListener, mailbox: Arc<Mailbox>) -> io::Result<()> {
    let shared = Arc::new(Shared { mailbox, open: AtomicUsize::new(0), next: AtomicU64::new(1) });
    threads::begin("owner", move || {
        for stream in listener.incoming() {
            match stream {
                Ok(stream) => shared.take(stream),
                Err(_) => thread::sleep(PAUSE),
            }
        }
    })
    .map(drop)
}

impl Shared {
    fn take(self: &Arc<Self>, stream: UnixStream) {
        if self.open.load(Ordering::SeqCst) >= MOST {
            return refuse(&stream, String::from("too many processes are connected"), true);
        }
        let shared = Arc::clone(self);
        let serve = move |stream| {
            shared.serve(stream);
            shared.open.fetch_sub(1, Ordering::SeqCst);
        };
        match threads::ahead("connection", serve) {
            Ok(thread) => {
                self.open.fetch_add(1, Ordering::SeqCst);
                // The thread waits for nothing else.
                let _ = thread.send(stream);
            }
            Err(error) => refuse(&stream, format!("the owner can't answer: {error}"), true),
        }
    }

    fn serve(&self, stream: UnixStream) {
        match stranger(&stream) {
            Ok(None) => {}
            Ok(Some(user)) => {
                let why = format!("the ledger is in use by another user, and not by user {user}");
                return refuse(&stream, why, false);
            }
            Err(_) => return,
        }
        let mut wire = Wire::new(stream);
        match wire.hear(Some(Instant::now() + HELLO)) {
            Ok(Some(Wish::Turn { command })) => self.queue(wire.stream, command),
            Ok(Some(Wish::Status {})) => self.tell(&wire.stream),
            #[cfg(feature = "gate")]
            Ok(Some(Wish::Gate { host, shadow, event })) => {
                let hence_gate::HookAnswer { output, error, status } =
                    super::super::gate::judged(&self.mailbox, host.as_deref(), shadow, event.as_bytes());
                // A hook that is gone has denied the call by itself.
                let _ = say(&wire.stream, &Answer::Judged { output, error, status });
            }
            #[cfg(feature = "server")]
            Ok(Some(Wish::Mcp { token, name, legacy, message })) => {
                let by = token.map_or(hence_server::Caller::Named(name), hence_server::Caller::Token);
                let Some(mcp) = self.mailbox.mcp() else {
                    return refuse(
                        &wire.stream,
                        String::from("the owner of the ledger does not answer MCP"),
                        false,
                    );
                };
                self.mailbox.put_work(Box::new(|follow, _| {
                    follow.idle.iter_mut().for_each(|idle| idle.since = Instant::now());
                    Ok(())
                }));
                let message = mcp.line(&hence_server::InputLine { by, legacy, message });
                // Whoever asked and left needs no answer.
                let _ = say(&wire.stream, &Answer::Said { message });
            }
            Ok(None) => {}
            Err(error) => refuse(&wire.stream, format!("the owner did not understand: {error}"), false),
        }
    }

    fn tell(&self, stream: &UnixStream) {
        let (process, command) = (std::process::id(), open::told_command());
        let answer = Answer::Owner { process, command, waiting: self.mailbox.waiting() };
        // Whoever asked and left needs no answer.
        let _ = say(stream, &answer);
    }

    /// Puts a client into the queue, and waits until it hangs up.
    fn queue(&self, stream: UnixStream, command: String) {
        let id = self.next.fetch_add(1, Ordering::SeqCst);
        let Ok(mut watched) = stream.try_clone() else { return };
        if say(&stream, &Answer::Queued { before: self.mailbox.waiting() }).is_err() {
            return;
        }
        if let Err((ask, why)) = self.mailbox.ask(Ask { id, stream, command }) {
            return refuse(&ask.stream, why.to_owned(), true);
        }
        // A client that has asked has nothing more to say: whatever comes ends its turn.
        let _ = watched.set_read_timeout(None).and_then(|()| watched.read(&mut [0; 1]));
        self.mailbox.gone(id);
    }
}

fn refuse(stream: &UnixStream, why: String, again: bool) {
    // Whoever doesn't listen finds out when the connection is closed.
    let _ = say(stream, &Answer::Refused { why, again });
}
