//! The server behind the gate between: a process, with a thread for each of what it says, what it is told, what its client says.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use hence_core::threads;

use super::super::Failure;
use super::super::messages::{self, Line};

/// How many bytes a message of the client may have; what is asked about has less room.
const LARGEST: usize = 4 << 20;
/// How many bytes a message of the server may have.
const LARGEST_ANSWER: usize = 32 << 20;
/// How long the server may take to read, and to end once its client has gone.
pub(super) const ENDING: Duration = Duration::from_secs(5);
/// How many messages wait on each way.
const WAITING: usize = 64;

/// What comes from either side.
pub(super) enum Came {
    Client(Line),
    ClientEnd,
    Server(Line),
    ServerEnd,
}

/// The server, what comes from either side, and where what it is told goes.
type Begun = (Child, Receiver<Came>, SyncSender<Vec<u8>>);

/// Starts the server, and a thread for each of: what the client says, what the server says, what it is told.
pub(super) fn begin(command: &[String]) -> Result<Begun, Failure> {
    let (program, arguments) = command
        .split_first()
        .ok_or_else(|| Failure::Usage(String::from("missing the command of the server")))?;
    let mut starting = Command::new(program);
    starting.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let unstarted = |error| Failure::Usage(format!("can't start `{program}`: {error}"));
    let (sender, came) = sync_channel(WAITING);
    let from_client = sender.clone();
    let client = threads::ahead("client", move |()| {
        listen(&mut io::stdin().lock(), LARGEST, &from_client, Came::Client);
        let _ = from_client.send(Came::ClientEnd);
    });
    let server = threads::ahead("server", move |said: ChildStdout| {
        listen(&mut BufReader::new(said), LARGEST_ANSWER, &sender, Came::Server);
        let _ = sender.send(Came::ServerEnd);
    });
    let (to_server, told) = sync_channel(WAITING);
    let told = threads::ahead("told", move |input| tell(input, &told));
    let (client, server, told) =
        (client.map_err(unstarted)?, server.map_err(unstarted)?, told.map_err(unstarted)?);
    let mut child = threads::start(&mut starting).map_err(unstarted)?;
    let missing = || Failure::Usage(String::from("the server has no standard streams"));
    let (input, said) = (child.stdin.take().ok_or_else(missing)?, child.stdout.take().ok_or_else(missing)?);
    // Each thread waits for nothing else.
    let _ = (client.send(()), server.send(said), told.send(input));
    Ok((child, came, to_server))
}

/// Hands on what one side says, until it ends or nobody listens.
fn listen(input: &mut impl BufRead, most: usize, to: &SyncSender<Came>, of: fn(Line) -> Came) {
    while let Ok(Some(line)) = messages::next(input, most) {
        if to.send(of(line)).is_err() {
            return;
        }
    }
}

/// Writes what the server is told, until it reads no more.
fn tell(mut input: ChildStdin, told: &Receiver<Vec<u8>>) {
    for line in told {
        if input.write_all(&line).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Waits for the server to end, and ends it where it doesn't; whether it ended by itself.
pub(super) fn finish(child: &mut Child) -> io::Result<bool> {
    let end = Instant::now() + ENDING;
    while Instant::now() < end {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill()?;
    child.wait().map(|_| false)
}
