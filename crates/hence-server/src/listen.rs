//! Connections: an address, TLS, deadlines for slow clients, and a graceful stop.

use std::fs;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::Router;
use axum_server::Handle;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use hence_core::threads;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::runtime;

use super::changes::Recent;
use super::desk::Desk;
use super::mcp::Mcp;
use super::meters::Meters;
use super::page::Invitation;
use super::principal::Auth;
use super::service::{Service, router};

/// How long the head of a request may take to come.
const HEAD: Duration = Duration::from_secs(10);
/// How long requests may take to end once the service stops.
const DRAIN: Duration = Duration::from_secs(5);
/// The most threads that have connections. One of two processors has them all: where two threads share so little work, half
/// of it is waking each other.
const THREADS: usize = 4;

/// Where and how the service is reached.
pub struct ListenSettings {
    /// Its address; port 0 is any that is free.
    pub address: SocketAddr,
    /// Its certificate; without one, only the same machine is let in.
    pub tls: Option<Tls>,
    /// Whether others may come without TLS.
    pub insecure: bool,
    /// How long an answer may take.
    pub budget: Duration,
    /// How many bytes a body may have.
    pub longest: usize,
    /// The URL by which others find it, where that is not its address.
    pub base: Option<String>,
    /// How callers are known.
    pub auth: Auth,
    /// What answers MCP, here and elsewhere.
    pub mcp: Arc<Mcp>,
    /// The token with which a link signs in whoever follows it first; only on the same machine.
    pub invites: Option<String>,
}

/// A certificate with its key, as PEM files.
pub struct Tls {
    /// The chain of certificates.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
    /// Who signs the certificates of clients.
    pub clients: Option<PathBuf>,
}

/// A service that is reached.
pub struct Listening {
    /// The URL of its address.
    pub base: String,
    /// The path that signs somebody in, once.
    pub link: Option<String>,
    handle: Handle<SocketAddr>,
    thread: JoinHandle<io::Result<()>>,
}

impl Listening {
    /// Takes no more connections, and waits for those that are open to end.
    ///
    /// # Errors
    /// The service had ended before, which it should not.
    pub fn stop(self) -> io::Result<()> {
        self.handle.graceful_shutdown(Some(DRAIN));
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread of the service panicked")))
    }
}

/// Begins to answer at an address.
///
/// # Errors
/// The address is not that of this machine alone and nothing protects what is sent; it is taken; a certificate can't
/// be read.
pub fn begin(settings: ListenSettings, desk: Arc<dyn Desk>) -> io::Result<Listening> {
    let ListenSettings { address, tls, insecure, budget, longest, base, auth, mcp, invites } = settings;
    if !address.ip().is_loopback() && tls.is_none() && !insecure {
        let message = format!(
            "`{address}` is reached by other machines, and nothing protects what they send: name a certificate with \
            `--tls-cert` and `--tls-key`, or say `--insecure`"
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let own = format!("{scheme}://{address}");
    let config = tls.as_ref().map(secured).transpose()?;
    let invited = invites.filter(|_| address.ip().is_loopback()).map(Invitation::new).transpose()?;
    let (invitation, code) = invited.unzip();
    let service = Service {
        desk,
        auth,
        mcp,
        meters: Meters::new(),
        recent: Recent::default(),
        budget,
        longest,
        base: base.as_ref().unwrap_or(&own).trim_end_matches('/').to_owned(),
        open: AtomicUsize::new(0),
        invitation: invitation.unwrap_or_default(),
    };
    let handle = Handle::new();
    let (routes, stops) = (router(service), handle.clone());
    let count = (thread::available_parallelism().map_or(1, usize::from) / 2).clamp(1, THREADS);
    // The runtime panics where it gets no threads; it needs one more for what waits.
    threads::check(count + 2)?;
    let thread = threads::begin("http", move || {
        let runtime = runtime::Builder::new_multi_thread().worker_threads(count).enable_all().build()?;
        let served = runtime.block_on(serve(listener, config, routes, stops));
        runtime.shutdown_timeout(DRAIN);
        served
    })?;
    let link = code.map(|code| format!("/sign-in?code={code}"));
    Ok(Listening { base: own, link, handle, thread })
}

async fn serve(
    listener: TcpListener,
    config: Option<Arc<ServerConfig>>,
    routes: Router,
    handle: Handle<SocketAddr>,
) -> io::Result<()> {
    let mut server = axum_server::from_tcp(listener)?.handle(handle).http1_only().first_request_timeout(HEAD);
    server.http_builder().http1().header_read_timeout(HEAD);
    let routes = routes.into_make_service();
    match config {
        None => server.serve(routes).await,
        Some(config) => {
            let acceptor = RustlsAcceptor::new(RustlsConfig::from_config(config)).handshake_timeout(HEAD);
            server.acceptor(acceptor).serve(routes).await
        }
    }
}

fn secured(tls: &Tls) -> io::Result<Arc<ServerConfig>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().map_err(io::Error::other)?;
    let builder = match &tls.clients {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates(path)? {
                roots.add(certificate).map_err(|error| unfit(path, &error))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            let verifier = verifier.allow_unauthenticated().build().map_err(|error| unfit(path, &error))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let key = PrivateKeyDer::from_pem_slice(&read(&tls.key)?).map_err(|error| unfit(&tls.key, &error))?;
    let chain = certificates(&tls.certificate)?;
    let config = builder.with_single_cert(chain, key).map_err(|error| unfit(&tls.certificate, &error))?;
    Ok(Arc::new(config))
}

/// The first certificate of a PEM file, as DER.
///
/// # Errors
/// There is none, or the file can't be read.
pub fn certificate(path: &Path) -> io::Result<Vec<u8>> {
    let first = certificates(path)?.into_iter().next();
    first.map(|found| found.to_vec()).ok_or_else(|| unfit(path, &"it holds no certificate"))
}

fn certificates(path: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&read(path)?).collect();
    match found {
        Ok(found) if found.is_empty() => Err(unfit(path, &"it holds no certificate")),
        found => found.map_err(|error| unfit(path, &error)),
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path).map_err(|error| unfit(path, &error))
}

fn unfit(path: &Path, why: &dyn std::fmt::Display) -> io::Error {
    io::Error::other(format!("can't use `{}`: {why}", path.display()))
}
