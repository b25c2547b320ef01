//! The keeper of a process group: a process beside a program, which ends the group once the process that started both is
//! gone, however it went.

#[cfg(unix)]
pub(super) use unix::Keeper;
#[cfg(unix)]
pub use unix::{HELPER, keep};

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;
    use std::fs::{File, OpenOptions, TryLockError};
    use std::io::{self, Read, Seek, Write};
    use std::os::unix::fs::OpenOptionsExt;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    use hence_core::threads;
    use rustix::fs::OFlags;
    use rustix::process::{Pid, Signal, getpgrp, getpid, kill_current_process_group};

    use super::super::group;

    /// The first argument of the helper.
    pub const HELPER: &str = "__keeper";
    /// What it says once the lock is its own.
    const READY: u8 = b'+';
    /// How long to wait for the lock of a group that is about to end.
    const PATIENCE: Duration = Duration::from_secs(10);
    /// The digits of a group's number, and some more.
    const NUMBER: u64 = 32;
    /// How long to sleep between two looks.
    const PAUSE: Duration = Duration::from_millis(10);

    /// A keeper that was started, the first of its group.
    pub(in super::super) struct Keeper {
        /// Its standard input tells it that this process lives.
        process: Child,
    }

    impl Keeper {
        /// Starts one, which holds the lock in a file as long as it runs.
        pub(in super::super) fn start(lock: Option<&Path>) -> io::Result<Option<Self>> {
            let mut command = itself()?;
            command.arg(HELPER).args(lock).env_clear().stdin(Stdio::piped()).stdout(Stdio::piped());
            command.stderr(Stdio::piped());
            group::set_group(&mut command, 0);
            let mut keeper = Self { process: threads::start(&mut command)? };
            let mut said = Vec::new();
            if let Some(stdout) = keeper.process.stdout.take() {
                stdout.take(1).read_to_end(&mut said)?;
            }
            if said == [READY] { Ok(Some(keeper)) } else { Err(keeper.fault()) }
        }

        /// The number of its group.
        pub(in super::super) fn group(&self) -> i32 {
            self.process.id().cast_signed()
        }

        /// Ends its group, and itself.
        pub(in super::super) fn stop(&mut self) -> io::Result<()> {
            group::kill(&mut self.process)?;
            self.process.wait().map(drop)
        }

        /// Why it isn't ready.
        fn fault(&mut self) -> io::Error {
            let mut why = String::new();
            if let Some(stderr) = self.process.stderr.take() {
                // What it said is the reason; without it the reason is that it said nothing.
                let _ = stderr.take(4096).read_to_string(&mut why);
            }
            let _ = self.stop();
            let why = why.trim().trim_start_matches("error: ");
            io::Error::other(if why.is_empty() { "its keeper ended" } else { why })
        }
    }

    impl Drop for Keeper {
        fn drop(&mut self) {
            // Where it was stopped already there is nothing to end.
            if matches!(self.process.try_wait(), Ok(None)) {
                let _ = self.stop();
            }
        }
    }

    /// This program, also where its file was replaced meanwhile.
    fn itself() -> io::Result<Command> {
        if cfg!(target_os = "linux") {
            let mut command = Command::new("/proc/self/exe");
            command.arg0("hence");
            return Ok(command);
        }
        Ok(Command::new(std::env::current_exe()?))
    }

    /// Keeps the group of this process: takes the lock, says so, waits until whoever started it is gone, and ends the
    /// group.
    ///
    /// # Errors
    /// Why it doesn't, for people.
    pub fn keep(told: &[OsString], input: &mut dyn Read, output: &mut dyn Write) -> Result<(), String> {
        // By hand it would end the shell that it was called from.
        if getpgrp() != getpid() {
            return Err(String::from("hence starts it by itself"));
        }
        let _lock = told.first().map(|path| hold(path.as_ref())).transpose()?;
        let said = output.write_all(&[READY]).and_then(|()| output.flush());
        said.map_err(|error| error.to_string())?;
        // It ends when the other end is closed, which the system does for a process that is killed.
        let _ = io::copy(input, &mut io::sink());
        kill_current_process_group(Signal::KILL).map_err(|error| error.to_string())
    }

    /// The lock in a file, once nobody else holds it and the group that was kept under it is gone.
    fn hold(path: &Path) -> Result<File, String> {
        let told = |error: io::Error| format!("`{}` can't be locked: {error}", path.display());
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
        let mut file = options.open(path).map_err(told)?;
        let end = Instant::now() + PATIENCE;
        while let Err(error) = file.try_lock() {
            match error {
                TryLockError::WouldBlock if Instant::now() < end => thread::sleep(PAUSE),
                TryLockError::WouldBlock => return Err(String::from("an earlier attempt still runs")),
                TryLockError::Error(error) => return Err(told(error)),
            }
        }
        replace_group(&mut file, end).map_err(told)?;
        Ok(file)
    }

    /// Waits until the group that the file names is gone, and writes the own one there.
    ///
    /// Its keeper has killed it, and went first; on a busy machine the others need a while to be scheduled once more and
    /// end. What has not gone by then is stuck in the system, or has the number by chance.
    fn replace_group(file: &mut File, end: Instant) -> io::Result<()> {
        let mut earlier = String::new();
        file.take(NUMBER).read_to_string(&mut earlier)?;
        let own = getpid();
        // A number is not given to a process while a group has it.
        let earlier = earlier.trim().parse().ok().and_then(Pid::from_raw).filter(|group| *group != own);
        while earlier.is_some_and(group::is_alive) && Instant::now() < end {
            thread::sleep(PAUSE);
        }
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{}", own.as_raw_nonzero())
    }
}

/// Systems on which a killed process leaves what it started.
#[cfg(not(unix))]
pub(super) enum Keeper {}

#[cfg(not(unix))]
impl Keeper {
    /// There is none.
    pub(super) fn start(_: Option<&std::path::Path>) -> std::io::Result<Option<Self>> {
        Ok(None)
    }

    /// Never called.
    pub(super) fn group(&self) -> i32 {
        match *self {}
    }

    /// Never called.
    pub(super) fn stop(&mut self) -> std::io::Result<()> {
        match *self {}
    }
}
