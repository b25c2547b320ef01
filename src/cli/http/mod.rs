//! HTTP beside the socket of an owner: readers answer what is asked, the owner records.
//!
//! `workers` is the desk of `hence-server`: its threads and what they share. `reader` has a replica of the ledger, `answers`
//! and `access` put questions to it. `record` is what the owner does for a request, `reload` has it go on under changed
//! rules. `sights` answers what the page asks, with `coverage` of the rules, `tools` what MCP asks. `queue` bounds what waits, `problem` says what goes wrong.

mod access;
mod answers;
mod coverage;
mod problem;
mod queue;
mod reader;
mod record;
mod reload;
mod sights;
mod tools;
mod workers;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use clap::Args;
use hence::session::{RuleSource, Session};
use hence_server::{Auth, Issuer, Listening, Mcp, Settings, Tls, Tokens};

use super::options::{EngineOptions, time_limit};
use super::owner::Mailbox;
use super::{Failure, output, time};
use workers::Workers;

/// Where the service is where nobody says.
const ADDRESS: &str = "127.0.0.1:7433";
/// The word for no HTTP.
const NONE: &str = "none";
/// The file of tokens in the folder of the ledger.
pub(super) const TOKENS: &str = "tokens.jsonl";

/// How the service is reached over HTTP.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "HTTP")]
pub(super) struct HttpOptions {
    /// Answer HTTP at this address, or `none` for no HTTP [default: 127.0.0.1:7433]
    #[arg(long, value_name = "HOST:PORT", env = "HENCE_HTTP")]
    http: Option<String>,
    /// Let other machines in without TLS
    #[arg(long)]
    insecure: bool,
    /// The certificate of the service, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its private key, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Who signs the certificates of clients, a PEM file; `hence token trust` says who they are
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    client_ca: Option<PathBuf>,
    /// The public keys of an issuer of tokens, a JSON Web Key Set
    #[arg(long, value_name = "FILE", requires_all = ["jwt_issuer", "jwt_audience"])]
    jwt_keys: Option<PathBuf>,
    /// What `iss` of its tokens is
    #[arg(long, value_name = "URL")]
    jwt_issuer: Option<String>,
    /// What `aud` of its tokens is
    #[arg(long, value_name = "NAME")]
    jwt_audience: Option<String>,
    /// The URL by which others find the service
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// How long an answer may take [default: 1s]
    #[arg(long, value_name = "DURATION", value_parser = time_limit)]
    budget: Option<Duration>,
    /// How many bytes the body of a request may have
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    max_body: usize,
}

/// The service: its threads, and how it is reached over HTTP where it is.
pub(super) struct Http {
    listening: Option<Listening>,
    workers: Arc<Workers>,
    threads: Vec<JoinHandle<()>>,
}

impl HttpOptions {
    /// Begins to answer, over HTTP where that is wanted.
    ///
    /// # Errors
    /// The address can't be had, or what the options name can't be read.
    pub(super) fn begin(
        &self,
        session: &Session,
        (store, engine, source): (PathBuf, &EngineOptions, RuleSource),
        mailbox: &Arc<Mailbox>,
    ) -> Result<Http, Failure> {
        access::check(session.rules()).map_err(Failure::Usage)?;
        let budget = self.budget.unwrap_or(Duration::from_secs(1));
        let is_open = self.http.as_deref() != Some(NONE);
        let auth = self.auth(&store)?;
        let (workers, threads) = Workers::begin(session, (store, engine.clone(), budget, is_open), mailbox);
        let mcp = Mcp::new(Arc::<Workers>::clone(&workers), auth.clone(), budget)?;
        let mcp = Arc::new(mcp);
        mailbox.answer_mcp(Arc::clone(&mcp));
        let listening = match is_open {
            true => self.listen((budget, auth, mcp), &workers)?,
            false => None,
        };
        reload::watch(source, &workers, mailbox);
        Ok(Http { listening, workers, threads })
    }

    /// Takes connections; `None` where the address that nobody named is taken by another service.
    fn listen(
        &self,
        (budget, auth, mcp): (Duration, Auth, Arc<Mcp>),
        workers: &Arc<Workers>,
    ) -> Result<Option<Listening>, Failure> {
        let settings = self.settings(budget, auth, mcp)?;
        let address = settings.address;
        match hence_server::begin(settings, Arc::<Workers>::clone(workers)) {
            Ok(listening) => {
                output::note(&format!("answers HTTP at {}", listening.base));
                Ok(Some(listening))
            }
            Err(error) if self.http.is_none() && error.kind() == io::ErrorKind::AddrInUse => {
                output::warning(&format!("no HTTP: {address} is in use; name another address with --http"));
                Ok(None)
            }
            Err(error) => Err(Failure::Usage(format!("can't answer HTTP at {address}: {error}"))),
        }
    }

    /// How callers are known.
    fn auth(&self, store: &std::path::Path) -> Result<Auth, Failure> {
        let issuer = match (&self.jwt_keys, &self.jwt_issuer, &self.jwt_audience) {
            (Some(keys), Some(issuer), Some(audience)) => {
                let (keys, issuer, audience) = (keys.clone(), issuer.clone(), audience.clone());
                let issuer = Issuer { keys, issuer, audience };
                issuer.check().map_err(Failure::Usage)?;
                Some(Arc::new(issuer))
            }
            _ => None,
        };
        Ok(Auth { tokens: Some(Arc::new(tokens(store))), issuer })
    }

    fn settings(&self, budget: Duration, auth: Auth, mcp: Arc<Mcp>) -> Result<Settings, Failure> {
        let address = self.http.as_deref().unwrap_or(ADDRESS);
        let address: SocketAddr = address.parse().map_err(|_| {
            Failure::Usage(format!("--http: expected an address such as {ADDRESS}, found `{address}`"))
        })?;
        let tls = self.tls_cert.clone().zip(self.tls_key.clone());
        Ok(Settings {
            address,
            tls: tls.map(|(certificate, key)| Tls { certificate, key, clients: self.client_ca.clone() }),
            insecure: self.insecure,
            budget,
            longest: self.max_body,
            base: self.public_url.clone(),
            auth,
            mcp,
        })
    }
}

/// The tokens of a ledger.
pub(super) fn tokens(store: &std::path::Path) -> Tokens {
    Tokens::new(store.join(TOKENS), time::wall_clock)
}

impl Http {
    /// What is told of the session after each step of the owner.
    pub(super) fn hook(&self) -> Box<dyn Fn(&Session)> {
        let workers = Arc::clone(&self.workers);
        Box::new(move |session| workers.publish(session))
    }

    /// Takes no more requests, answers those that it has, and ends.
    pub(super) fn stop(self) {
        self.workers.close();
        if let Some(Err(error)) = self.listening.map(Listening::stop) {
            output::warning(&format!("HTTP ended with an error: {error}"));
        }
        self.threads.into_iter().for_each(|thread| drop(thread.join()));
    }
}
