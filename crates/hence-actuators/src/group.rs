//! Process groups: a program that was started ends with everything that it started.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hence_core::threads;
use signal_hook::consts::TERM_SIGNALS;
use signal_hook::{flag, low_level};

use super::keeper::Keeper;

/// A program that was started, and everything that it started in turn; all of it ends with this value.
pub(super) struct Group {
    child: Child,
    /// What ends the group where this process is killed.
    keeper: Option<Keeper>,
    ended: bool,
}

impl Group {
    /// Starts a program as the first of a group.
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        set_group(command, 0);
        Ok(Self { child: threads::start(command)?, keeper: None, ended: false })
    }

    /// Starts a program in a group that ends with this process too, even where that is killed; the lock is held until
    /// then.
    pub(super) fn start_kept(command: &mut Command, lock: Option<&Path>) -> io::Result<Self> {
        let keeper = Keeper::start(lock)?;
        set_group(command, keeper.as_ref().map_or(0, Keeper::group));
        Ok(Self { child: threads::start(command)?, keeper, ended: false })
    }

    /// The program.
    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Whether the program has ended. Its number stays its own until [`Group::stop`].
    pub(super) fn has_ended(&mut self) -> io::Result<bool> {
        has_ended(&mut self.child)
    }

    /// Ends every process of the group; how the program ended.
    pub(super) fn stop(&mut self) -> io::Result<ExitStatus> {
        self.ended = true;
        match &mut self.keeper {
            Some(keeper) => keeper.stop()?,
            None => kill(&mut self.child)?,
        }
        self.child.wait()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.ended {
            // Whoever drops it already reports what went wrong.
            let _ = self.stop();
        }
    }
}

/// Has a command start in a group: that of this number, or a new one for 0.
#[cfg(unix)]
pub(super) fn set_group(command: &mut Command, group: i32) {
    std::os::unix::process::CommandExt::process_group(command, group);
}

/// Systems without process groups.
#[cfg(not(unix))]
pub(super) fn set_group(_: &mut Command, _: i32) {}

/// Whether a program has ended. Its number stays its own and that of its group until somebody waits for it.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> io::Result<bool> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(Pid::from_child(child)), options)?.is_some())
}

/// Whether a program has ended.
#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> io::Result<bool> {
    Ok(child.try_wait()?.is_some())
}

/// Ends every process of the group that a program is the first of.
#[cfg(unix)]
pub(super) fn kill(first: &mut Child) -> io::Result<()> {
    use rustix::io::Errno;
    use rustix::process::{Pid, Signal, kill_process_group};
    match kill_process_group(Pid::from_child(first), Signal::KILL) {
        // Some systems say so of a group whose processes have all ended.
        Ok(()) | Err(Errno::SRCH | Errno::PERM) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Whether a process of a group has not ended yet; one that nobody waits for has.
#[cfg(unix)]
pub(super) fn is_alive(group: rustix::process::Pid) -> bool {
    if rustix::process::test_kill_process_group(group).is_err() {
        return false;
    }
    // Where the system doesn't tell of processes, each of the group counts.
    let Ok(processes) = std::fs::read_dir("/proc") else { return true };
    let group = group.as_raw_nonzero().to_string();
    processes.flatten().any(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // `12 (name) S 1 12 ...`: state, parent, group; a name may hold anything.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
        fields.next().is_some_and(|state| !matches!(state, "Z" | "X"))
            && fields.nth(1) == Some(group.as_str())
    })
}

/// Ends a program.
#[cfg(not(unix))]
pub(super) fn kill(first: &mut Child) -> io::Result<()> {
    first.kill()
}

/// What signals that end this process do: while a program runs, they are put off until its group has ended.
struct Signals {
    /// Whether signals end this process at once.
    idle: Arc<AtomicBool>,
    /// The signal that came while one ran, 0 for none.
    came: Arc<AtomicUsize>,
}

/// Whether this process looks after itself what signals make it do.
static IS_OWN: AtomicBool = AtomicBool::new(false);

/// Has signals that end a process by default only end the program that runs, since this process acts on them by itself.
pub fn keep_signals() {
    IS_OWN.store(true, Ordering::SeqCst);
}

static SIGNALS: LazyLock<Result<Signals, String>> =
    LazyLock::new(|| Signals::register().map_err(|error| error.to_string()));

impl Signals {
    fn register() -> io::Result<Self> {
        let signals = Self { idle: Arc::new(AtomicBool::new(false)), came: Arc::default() };
        for signal in TERM_SIGNALS {
            flag::register_conditional_default(*signal, Arc::clone(&signals.idle))?;
            flag::register_usize(*signal, Arc::clone(&signals.came), *signal as usize)?;
        }
        Ok(signals)
    }
}

/// Held while a program runs.
pub(super) struct Guard {
    signals: &'static Signals,
}

/// Puts signals that end this process off from here on.
pub(super) fn guard() -> io::Result<Guard> {
    let signals = SIGNALS.as_ref().map_err(|error| io::Error::other(error.as_str()))?;
    signals.idle.store(false, Ordering::SeqCst);
    Ok(Guard { signals })
}

impl Guard {
    /// Whether this process is to end.
    pub(super) fn is_stopped(&self) -> bool {
        self.signals.came.load(Ordering::SeqCst) != 0
    }
}

impl Drop for Guard {
    /// The program has ended, and so does this process if it was asked to meanwhile and doesn't look after that itself.
    fn drop(&mut self) {
        if IS_OWN.load(Ordering::SeqCst) {
            self.signals.came.store(0, Ordering::SeqCst);
            return;
        }
        self.signals.idle.store(true, Ordering::SeqCst);
        let came = self.signals.came.swap(0, Ordering::SeqCst);
        if let Some(signal) = i32::try_from(came).ok().filter(|signal| *signal != 0) {
            // It ends the process; where it can't, the program was stopped all the same.
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}
