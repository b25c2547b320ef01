//! Connections between processes: each connects to those before it and waits for those after it, and both make sure that
//! they have the same file of hosts.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{AllocatorBuilder, Hooks};

use crate::error::Error;
use crate::workers::Workers;

/// What each connection begins with: this, the number of the process, and a hash of the hosts.
const GREETING: u64 = 0x6865_6e63_6520_0001;
const BYTES: usize = 24;

/// How long another process may take to greet.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long to wait before looking for another process again.
const PAUSE: Duration = Duration::from_millis(50);

/// How the workers of this process reach each other, and those of other processes; and what has to live as long.
pub(crate) type Network = (Vec<AllocatorBuilder>, Box<dyn std::any::Any + Send>);

/// Connects to all other processes.
///
/// # Errors
/// An address that can't be used, a process with other hosts, and that `given_up` was set meanwhile.
pub(crate) fn connect(workers: &Workers, given_up: &AtomicBool) -> Result<Network, Error> {
    let mut sockets: Vec<Option<TcpStream>> = workers.hosts.iter().map(|_| None).collect();
    let own = workers
        .hosts
        .get(workers.process)
        .ok_or_else(|| Error::Start(String::from("this process is none of the hosts")))?;
    let unusable = |error: std::io::Error| Error::Start(format!("`{own}` can't be listened at: {error}"));
    let listener = TcpListener::bind(own).map_err(unusable)?;
    listener.set_nonblocking(true).map_err(unusable)?;
    for ((number, host), socket) in workers.hosts.iter().enumerate().zip(&mut sockets).take(workers.process) {
        *socket = Some(reached(workers, number, host, given_up)?);
    }
    let missing =
        |sockets: &[Option<TcpStream>]| sockets.iter().skip(workers.process + 1).any(Option::is_none);
    while missing(&sockets) {
        if given_up.load(Ordering::Relaxed) {
            return Err(Error::GivenUp);
        }
        match listener.accept() {
            Ok((stream, _)) => {
                // Whoever doesn't greet is none of the others.
                let Ok((number, stream)) = welcomed(workers, stream)? else { continue };
                if let Some(socket @ None) = sockets.get_mut(number).filter(|_| number > workers.process) {
                    *socket = Some(stream);
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => sleep(PAUSE),
            Err(error) => return Err(unusable(error)),
        }
    }
    let hooks = Hooks::default();
    let threads = workers.threads;
    let process = ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), hooks.spill.clone());
    let (builders, guard) =
        initialize_networking_from_sockets(process, sockets, workers.process, threads, hooks)
            .map_err(|error| Error::Start(error.to_string()))?;
    Ok((builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Box::new(guard)))
}

/// The connection to a process before this one, once that is there.
fn reached(workers: &Workers, number: usize, host: &str, given_up: &AtomicBool) -> Result<TcpStream, Error> {
    loop {
        if given_up.load(Ordering::Relaxed) {
            return Err(Error::GivenUp);
        }
        let Ok(mut stream) = TcpStream::connect(host) else {
            sleep(PAUSE);
            continue;
        };
        let greeted =
            stream.set_nodelay(true).and_then(|()| stream.write_all(&greeting(workers, workers.process)));
        let mut answer = [0; BYTES];
        match greeted.and_then(|()| stream.read_exact(&mut answer)) {
            Ok(()) if answer == greeting(workers, number) => return Ok(stream),
            Ok(()) => return Err(Error::Start(format!("`{host}` has another file of hosts"))),
            // It isn't as far, or is about to end.
            Err(_) => sleep(PAUSE),
        }
    }
}

/// The number of a process that greets, and its connection; else why there is none.
fn welcomed(
    workers: &Workers,
    mut stream: TcpStream,
) -> Result<Result<(usize, TcpStream), std::io::Error>, Error> {
    let mut told = [0; BYTES];
    let greeted = stream
        .set_nonblocking(false)
        .and_then(|()| stream.set_nodelay(true))
        .and_then(|()| stream.set_read_timeout(Some(PATIENCE)))
        .and_then(|()| stream.read_exact(&mut told))
        .and_then(|()| stream.write_all(&greeting(workers, workers.process)))
        .and_then(|()| stream.set_read_timeout(None));
    if let Err(error) = greeted {
        return Ok(Err(error));
    }
    let number = (0..workers.hosts.len()).find(|number| told == greeting(workers, *number));
    match number {
        Some(number) => Ok(Ok((number, stream))),
        None if told.starts_with(&GREETING.to_be_bytes()) => {
            Err(Error::Start(String::from("a process with another file of hosts wants to join")))
        }
        None => Ok(Err(ErrorKind::InvalidData.into())),
    }
}

fn greeting(workers: &Workers, process: usize) -> [u8; BYTES] {
    let mut state = DefaultHasher::new();
    (&workers.hosts, workers.threads).hash(&mut state);
    let mut bytes = [0; BYTES];
    let words = [GREETING, process as u64, state.finish()];
    for (place, byte) in bytes.iter_mut().zip(words.iter().flat_map(|word| word.to_be_bytes())) {
        *place = byte;
    }
    bytes
}
