//! What an owner does for whoever asks: it closes the ledger, lends it, and opens it again.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use hence_actuators::keep_signals;
use hence_core::literal::visible;
use hence_core::{file, threads};
use hence_ledger::{Ledger, LedgerError, Notice, OpenOptions};
use hence_runtime::owner::NAME;
use hence_session::{Lent, Session};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::pipe;

use super::super::{Failure, open, output};
use super::listen::{Ask, listen};
use super::mailbox::{Ended, Mailbox};
use super::protocol::Answer;
use super::socket::Bound;
use super::turn;

/// How long to wait for the lock before looking whether to stop.
const LOOK: Duration = Duration::from_millis(200);

/// How long an owner waits for the lock without a word: a command that began meanwhile may have taken it.
const SILENT: Duration = Duration::from_secs(5);

/// What an owner does until an instant, since an error says that there is no room to open its ledger; whether it goes on
/// waiting for room after that.
pub(crate) type Wait<'a> = dyn FnMut(&LedgerError, Instant) -> Result<bool, Failure> + 'a;

/// What holds a ledger and can do without it for a while.
pub(crate) trait Lendable: Sized {
    /// What is left without the ledger.
    type Away;

    /// Closes the ledger, and says what came of that.
    fn lend(self) -> (Self::Away, Vec<Notice>);

    /// The same with the ledger opened again.
    ///
    /// # Errors
    /// It is another one, or can't be read.
    fn resume(away: Self::Away, ledger: Ledger) -> Result<Self, Failure>;
}

impl Lendable for Ledger {
    type Away = ();

    fn lend(self) -> ((), Vec<Notice>) {
        ((), self.close())
    }

    fn resume((): (), ledger: Ledger) -> Result<Self, Failure> {
        Ok(ledger)
    }
}

impl Lendable for Session {
    type Away = Result<Lent, Box<Session>>;

    fn lend(self) -> (Self::Away, Vec<Notice>) {
        match Session::lend(self) {
            Ok((lent, notices)) => (Ok(lent), notices),
            Err(session) => (Err(session), Vec::new()),
        }
    }

    fn resume(away: Self::Away, ledger: Ledger) -> Result<Self, Failure> {
        match away {
            Ok(lent) => Ok(lent.resume(ledger)?),
            Err(session) => Ok(*session),
        }
    }
}

/// The owner of a store, which others reach through its socket.
pub(crate) struct Owner {
    mailbox: Arc<Mailbox>,
    store: PathBuf,
    longest: Duration,
    _bound: Bound,
}

impl Owner {
    /// Checks that nobody owns the store.
    ///
    /// # Errors
    /// Somebody does.
    pub(crate) fn check_free(store: &Path) -> Result<(), Failure> {
        match turn::owner_of(store) {
            None => Ok(()),
            Some((process, command)) => Err(Failure::Usage(format!(
                "the ledger is owned by process {process} ({}); only one process at a time owns a ledger",
                visible(&command)
            ))),
        }
    }

    /// Begins to lend the ledger of a store, which this process has open; turns end after `longest`.
    ///
    /// # Errors
    /// Somebody else owns the store, or the socket can't be made.
    pub(crate) fn begin(store: &Path, mailbox: &Arc<Mailbox>, longest: Duration) -> Result<Self, Failure> {
        Self::check_free(store)?;
        let failed = |error: io::Error| {
            let why = file::said(&error);
            Failure::Usage(format!("can't listen on `{}`: {why}", store.join(NAME).display()))
        };
        let bound = Bound::new(store).map_err(failed)?;
        let listener = bound.listener.try_clone().map_err(failed)?;
        listen(listener, Arc::clone(mailbox)).map_err(failed)?;
        Ok(Self { mailbox: Arc::clone(mailbox), store: store.to_owned(), longest, _bound: bound })
    }

    /// Has the first SIGINT or SIGTERM end the work in good order; a second SIGINT, which a person sends, ends the process.
    /// A second SIGTERM doesn't: some supervisors send it to a process and to its group.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn stop_on_signals(&self) -> io::Result<()> {
        let (mut heard, sender) = UnixStream::pair()?;
        keep_signals();
        let stopped = Arc::new(AtomicBool::new(false));
        flag::register_conditional_default(SIGINT, Arc::clone(&stopped))?;
        for signal in [SIGINT, SIGTERM] {
            flag::register(signal, Arc::clone(&stopped))?;
            pipe::register(signal, sender.try_clone()?)?;
        }
        let mailbox = Arc::clone(&self.mailbox);
        threads::begin("signals", move || {
            if io::Read::read(&mut heard, &mut [0; 1]).is_ok() {
                mailbox.stop();
            }
        })?;
        Ok(())
    }

    /// Lends the ledger for a turn; `None` where the owner is to stop meanwhile. `wait` is what it does while there is no
    /// room to open the ledger again.
    ///
    /// # Errors
    /// The ledger can't be opened again, or is another one.
    pub(crate) fn lend<H: Lendable>(
        &self,
        held: H,
        ask: Ask,
        wait: &mut Wait<'_>,
    ) -> Result<Option<H>, Failure> {
        let (away, notices) = held.lend();
        open::show_notices(&notices);
        let _span = tracing::info_span!("lend", to = ask.command).entered();
        let milliseconds = u64::try_from(self.longest.as_millis()).unwrap_or(u64::MAX);
        let ended = match ask.say(&Answer::Lent { milliseconds }) {
            Ok(()) => self.mailbox.returned(ask.id(), Instant::now() + self.longest),
            Err(_) => Ended::Given,
        };
        if ended == Ended::Late {
            let why = format!("the turn took longer than {} s", self.longest.as_secs_f64());
            output::warning(&format!("`{}` has the ledger no longer: {why}", visible(&ask.command)));
            // One that is gone need not be told.
            let _ = ask.say(&Answer::Over { why });
        }
        ask.hang_up();
        self.mailbox.take_back(ask.id());
        let ledger = if ended == Ended::Stop { None } else { self.reopened(wait)? };
        ledger.map(|ledger| H::resume(away, ledger)).transpose()
    }

    /// Closes a ledger that accepts no more writes, and opens it again; `None` where the owner is to stop meanwhile.
    ///
    /// # Errors
    /// As [`Owner::lend`].
    pub(crate) fn open_again<H: Lendable>(&self, held: H, wait: &mut Wait<'_>) -> Result<Option<H>, Failure> {
        let (away, notices) = held.lend();
        open::show_notices(&notices);
        self.reopened(wait)?.map(|ledger| H::resume(away, ledger)).transpose()
    }

    /// The ledger, once nobody else has it and there is room; `None` where the owner is to stop before that.
    fn reopened(&self, wait: &mut Wait<'_>) -> Result<Option<Ledger>, Failure> {
        if !self.store.is_dir() {
            let message = format!("the ledger at `{}` is gone", self.store.display());
            return Err(Failure::Usage(message));
        }
        let options = OpenOptions { wait: LOOK, reopens: true, ..open::options() };
        let (since, mut told) = (Instant::now(), false);
        while !self.mailbox.is_stopping() {
            match Ledger::open(&self.store, &options) {
                Err(error @ LedgerError::InUse { .. }) => {
                    if since.elapsed() > SILENT && !std::mem::replace(&mut told, true) {
                        output::warning(&format!("waiting for the ledger: {error}"));
                    }
                }
                Err(error) if error.is_full() || matches!(error, LedgerError::Medium(_)) => {
                    if !std::mem::replace(&mut told, true) {
                        output::warning(&format!("waiting for room: {error}"));
                    }
                    if !wait(&error, Instant::now() + LOOK)? {
                        return Ok(None);
                    }
                }
                opened => {
                    let mut ledger = opened.map_err(open::failure)?;
                    open::warn(&mut ledger);
                    return Ok(Some(ledger));
                }
            }
        }
        Ok(None)
    }
}
