//! Connections between processes: each connects to those before it and waits for those after it, and both prove that they
//! know the secret and make sure that they have the same file of hosts.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

use hence_core::threads;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{AllocatorBuilder, Hooks};

use crate::error::Error;
use crate::sealed::Sealed;
use crate::secret::{HELLO, Hello, Hellos, KEY, Part, Secret};
use crate::workers::Workers;

/// How long whoever connects may take to prove themselves.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many may be at it at once; others are not listened to.
const MOST_AT_ONCE: usize = 32;

/// How long to wait before looking for another process again.
const PAUSE: Duration = Duration::from_millis(50);

/// How the workers of this process reach each other, and those of other processes; and what has to live as long.
pub(crate) type Network = (Vec<AllocatorBuilder>, Box<dyn std::any::Any + Send>);

/// What this process has to say and to know of the others.
#[derive(Clone)]
struct Own {
    process: usize,
    hosts: [u8; KEY],
    secret: Secret,
}

/// Connects to all other processes.
///
/// # Errors
/// An address that can't be used, no secret, a process with other hosts or another secret, and that `given_up` was set
/// meanwhile.
pub(crate) fn connect(workers: &Workers, given_up: &AtomicBool) -> Result<Network, Error> {
    let start = |why: &str| Error::Start(why.to_owned());
    let secret = workers.secret.clone().ok_or_else(|| start("several processes need a secret"))?;
    let own = Own { process: workers.process, hosts: hash(workers), secret };
    let address =
        workers.hosts.get(workers.process).ok_or_else(|| start("this process is none of the hosts"))?;
    let unusable = |error: io::Error| Error::Start(format!("`{address}` can't be listened at: {error}"));
    let listener = TcpListener::bind(address).map_err(unusable)?;
    listener.set_nonblocking(true).map_err(unusable)?;
    let mut sockets: Vec<Option<Sealed>> = workers.hosts.iter().map(|_| None).collect();
    for ((number, host), socket) in workers.hosts.iter().enumerate().zip(&mut sockets).take(workers.process) {
        *socket = Some(own.reached(number, host, given_up)?);
    }
    let mut others = Others::new(own, workers.tell);
    while sockets.iter().skip(workers.process + 1).any(Option::is_none) {
        if given_up.load(Ordering::Relaxed) {
            return Err(Error::GivenUp);
        }
        match listener.accept() {
            Ok((stream, from)) => others.hear(stream, from),
            Err(error) if error.kind() == ErrorKind::WouldBlock => sleep(PAUSE),
            // Whoever went again.
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
            Err(error) => return Err(unusable(error)),
        }
        for (number, stream) in others.arrived.1.try_iter() {
            if let Some(socket @ None) = sockets.get_mut(number).filter(|_| number > workers.process) {
                *socket = Some(stream);
            }
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

/// A hash of what stands in the file of hosts.
fn hash(workers: &Workers) -> [u8; KEY] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(workers.threads as u64).to_be_bytes());
    for host in &workers.hosts {
        hasher.update(&(host.len() as u64).to_be_bytes()).update(host.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

/// The number of a process, and the connection to it.
type Arrived = (usize, Sealed);

/// Those who connect, each heard on a thread of its own: nobody holds up another.
struct Others {
    own: Own,
    tell: fn(&str),
    at_it: Arc<AtomicUsize>,
    arrived: (Sender<Arrived>, Receiver<Arrived>),
}

impl Others {
    fn new(own: Own, tell: fn(&str)) -> Self {
        Self { own, tell, at_it: Arc::default(), arrived: channel() }
    }

    fn hear(&mut self, stream: TcpStream, from: SocketAddr) {
        if self.at_it.fetch_add(1, Ordering::Relaxed) >= MOST_AT_ONCE {
            self.at_it.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let (own, tell, counted) = (self.own.clone(), self.tell, Arc::clone(&self.at_it));
        let arrived = self.arrived.0.clone();
        let refuse = move |why: &str| tell(&format!("a connection from {} was refused: {why}", from.ip()));
        let heard = threads::begin("hello", move || {
            match own.welcomed(stream) {
                // Nobody waits any more where it can't be handed over.
                Ok(found) => _ = arrived.send(found),
                Err(why) => refuse(&why),
            }
            counted.fetch_sub(1, Ordering::Relaxed);
        });
        if let Err(error) = heard {
            self.at_it.fetch_sub(1, Ordering::Relaxed);
            refuse(&error.to_string());
        }
    }
}

impl Own {
    fn hello(&self) -> Result<Hello, String> {
        Hello::new(self.process as u64, self.hosts).map_err(|error| error.to_string())
    }

    /// The connection to a process before this one, once that is there.
    fn reached(&self, number: usize, host: &str, given_up: &AtomicBool) -> Result<Sealed, Error> {
        loop {
            if given_up.load(Ordering::Relaxed) {
                return Err(Error::GivenUp);
            }
            // It isn't as far, or is about to end.
            let Ok(stream) = TcpStream::connect(host) else {
                sleep(PAUSE);
                continue;
            };
            match self.joined(&stream, number).map_err(|why| Error::Start(format!("`{host}` {why}")))? {
                Some(hellos) => return Ok(Sealed::new(stream, &self.secret, Part::Joins, &hellos)),
                None => sleep(PAUSE),
            }
        }
    }

    /// What both sides said; `None` where the other one went.
    ///
    /// # Errors
    /// What is wrong with the other one, as what it does.
    fn joined(&self, mut stream: &TcpStream, number: usize) -> Result<Option<Hellos>, String> {
        let (joins, mut waits, mut proof) = (self.hello()?.bytes(), [0; HELLO], [0; KEY]);
        let said = stream.set_nodelay(true).and_then(|()| stream.write_all(&joins));
        if said.and_then(|()| stream.read_exact(&mut waits)).is_err() {
            return Ok(None);
        }
        let hello = Hello::read(&waits).ok_or("is no hence of this version that runs a cluster")?;
        if hello.hosts != self.hosts || hello.process != number as u64 {
            return Err(String::from("has another file of hosts"));
        }
        if stream.read_exact(&mut proof).is_err() {
            return Ok(None);
        }
        let hellos = Hellos { joins, waits };
        if self.secret.proof(Part::Waits, &hellos) != proof {
            return Err(String::from("has another secret"));
        }
        let own = self.secret.proof(Part::Joins, &hellos);
        Ok(stream.write_all(own.as_bytes()).is_ok().then_some(hellos))
    }

    /// The number of a process that connects and proves itself, and its connection.
    ///
    /// # Errors
    /// Why it is not let in.
    fn welcomed(&self, stream: TcpStream) -> Result<(usize, Sealed), String> {
        let until = Instant::now() + PATIENCE;
        let plain = |error: io::Error| error.to_string();
        stream.set_nonblocking(false).and_then(|()| stream.set_nodelay(true)).map_err(plain)?;
        let (mut joins, mut proof) = ([0; HELLO], [0; KEY]);
        read_until(&stream, &mut joins, until)?;
        let hello = Hello::read(&joins).ok_or("it is no hence of this version")?;
        let hellos = Hellos { joins, waits: self.hello()?.bytes() };
        (&stream).write_all(&hellos.waits).map_err(plain)?;
        if hello.hosts != self.hosts {
            return Err(String::from("it has another file of hosts"));
        }
        let own = self.secret.proof(Part::Waits, &hellos);
        (&stream).write_all(own.as_bytes()).map_err(plain)?;
        let unproven = |_| String::from("it doesn't prove that it knows the secret");
        read_until(&stream, &mut proof, until).map_err(unproven)?;
        if self.secret.proof(Part::Joins, &hellos) != proof {
            return Err(unproven(String::new()));
        }
        stream.set_read_timeout(None).map_err(plain)?;
        let number = usize::try_from(hello.process).map_err(|_| "it has no number of the hosts")?;
        Ok((number, Sealed::new(stream, &self.secret, Part::Waits, &hellos)))
    }
}

/// Fills a place with what is heard, however slowly that comes, until then.
fn read_until(mut stream: &TcpStream, mut place: &mut [u8], until: Instant) -> Result<(), String> {
    while !place.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(format!("it said nothing complete within {PATIENCE:?}"));
        }
        let read = stream.set_read_timeout(Some(left)).and_then(|()| stream.read(place));
        match read {
            Ok(0) => return Err(String::from("it went away")),
            Ok(read) => place = std::mem::take(&mut place).get_mut(read..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}
