//! HTTP beside the socket of an owner: readers answer what is asked, the owner records.
//!
//! `workers` is the desk of `hence-server`: its threads and what they share. `reader` has a replica of the ledger, `answers`
//! and `access` put questions to it. `record` is what the owner does for a request, `reload` has it go on under changed
//! rules. `sights` answers what the page asks, with `coverage` of the rules and the `editor` of their files, `tools` what MCP
//! asks. `queue` bounds what waits, `problem` says what goes wrong. `group` makes durable at once what is recorded for many,
//! `keys` knows what is recorded already, `demo` is a ledger to look at.

mod access;
mod answers;
mod coverage;
pub(super) mod demo;
mod editor;
mod group;
mod keys;
mod problem;
mod queue;
mod reader;
mod record;
mod reload;
mod sights;
mod tools;
mod workers;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use clap::Args;
use hence_server::{Auth, Issuer, ListenSettings, Listening, Mcp, Scope, Tls, Tokens};
use hence_session::Session;

use super::options::{EngineOptions, time_limit};
use super::owner::Mailbox;
use super::rules::RuleOptions;
use super::{Failure, config, output, terminal, time};
pub(super) use group::Joined;
pub(super) use keys::Keys;
use workers::Workers;

/// Where on this machine the service is where nobody says.
const PORT: u16 = 7433;
/// Any port that is free.
const FREE: u16 = 0;
/// How long whoever follows the link stays signed in.
const INVITED: Duration = Duration::from_secs(12 * 60 * 60);
/// How many descriptors are asked for.
#[cfg(unix)]
const DESCRIPTORS: u64 = 16_384;
/// The word for no HTTP.
const NONE: &str = "none";
/// The file of tokens in the folder of the ledger.
pub(super) const TOKENS: &str = "tokens.jsonl";

/// Where HTTP is answered.
#[derive(Debug, Clone, Copy)]
enum Place {
    Nowhere,
    At(SocketAddr),
}

fn place(text: &str) -> Result<Place, String> {
    if text == NONE {
        return Ok(Place::Nowhere);
    }
    let expected = |_| format!("expected an address such as 127.0.0.1:{PORT}, or `{NONE}`");
    text.parse().map(Place::At).map_err(expected)
}

/// How the service is reached over HTTP.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "HTTP")]
pub(super) struct HttpOptions {
    /// Answer HTTP at this address, or `none` for no HTTP [default: 127.0.0.1:7433]
    #[arg(long, value_name = "HOST:PORT", env = "HENCE_HTTP", value_parser = place)]
    http: Option<Place>,
    /// Serve a week of an agent, in a folder of its own that is removed at the end, and print a link to a decision
    #[arg(long, conflicts_with_all = ["store", "rules", "packs", "sets", "paths"])]
    pub(super) demo: bool,
    /// Print a link that signs in whoever follows it first; without it, only a terminal is told
    #[arg(long)]
    link: bool,
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

/// The token behind the link by its id, and what it is kept in.
type Invited = (Tokens, String);

/// The service: its threads, and how it is reached over HTTP where it is.
pub(super) struct Http {
    listening: Option<Listening>,
    invited: Option<Invited>,
    workers: Arc<Workers>,
    threads: Vec<JoinHandle<()>>,
}

impl HttpOptions {
    /// A session with what there is to see in it, and the path of what is shown first. What `[authzen]` names and the rules
    /// don't have is refused here, before anybody is told that the ledger is served.
    pub(super) fn begun(&self, mut session: Session) -> Result<(Session, Option<String>), Failure> {
        config::get().check_authzen(session.rules())?;
        let first = self.demo.then(|| demo::fill(&mut session)).transpose()?;
        Ok((session, first))
    }

    /// Begins to answer, over HTTP where that is wanted. What a tool call starts `on_demand` leaves the processors to that
    /// call, and gets readers ready once somebody asks them.
    ///
    /// # Errors
    /// The address can't be had, or what the options name can't be read.
    pub(super) fn begin(
        &self,
        session: &Session,
        (store, engine, rules, on_demand): (PathBuf, &EngineOptions, RuleOptions, bool),
        mailbox: &Arc<Mailbox>,
        first: Option<&str>,
    ) -> Result<Http, Failure> {
        let budget = self.budget.unwrap_or(Duration::from_secs(1));
        let address = self.address();
        let auth = self.auth(&store)?;
        let of_workers = (store.clone(), engine.clone(), budget, address.is_some() && !on_demand);
        let (workers, threads) = Workers::begin(session, of_workers, mailbox).map_err(unserved)?;
        let mcp = Mcp::new(Arc::<Workers>::clone(&workers), auth.clone(), budget)?;
        let mcp = Arc::new(mcp);
        mailbox.answer_mcp(Arc::clone(&mcp));
        let (listening, invited) = match address {
            Some(address) => {
                self.listen(&store, self.settings(address, budget, auth, mcp), &workers, first)?
            }
            None => (None, None),
        };
        reload::watch(rules, &workers, mailbox).map_err(unserved)?;
        Ok(Http { listening, invited, workers, threads })
    }

    /// Takes connections, and says so; none where the address that nobody named is taken by another service. With them
    /// the token behind the link.
    fn listen(
        &self,
        store: &std::path::Path,
        mut settings: ListenSettings,
        workers: &Arc<Workers>,
        first: Option<&str>,
    ) -> Result<(Option<Listening>, Option<Invited>), Failure> {
        #[cfg(unix)]
        have_descriptors();
        let invited = self.invite(store, &mut settings)?;
        let address = settings.address;
        let listening = match hence_server::begin(settings, Arc::<Workers>::clone(workers)) {
            Ok(listening) => listening,
            Err(error) if self.http.is_none() && error.kind() == io::ErrorKind::AddrInUse => {
                output::warning(&format!("no HTTP: {address} is in use; name another address with --http"));
                return Ok((None, invited));
            }
            Err(error) => return Err(Failure::Usage(format!("can't answer HTTP at {address}: {error}"))),
        };
        output::note(&format!("answers HTTP at {}", listening.base));
        if let Some(link) = &listening.link {
            let next = first.unwrap_or("/");
            output::note(&format!(
                "open {}{link}&next={next}  (signs in once, within 10 minutes)",
                listening.base
            ));
        }
        Ok((Some(listening), invited))
    }

    /// Makes the token behind the link for whoever starts the service, where they are to be shown one: the folder of the
    /// ledger is theirs already.
    fn invite(
        &self,
        store: &std::path::Path,
        settings: &mut ListenSettings,
    ) -> Result<Option<Invited>, Failure> {
        let is_shown = self.demo || self.link || terminal::shows_progress();
        if !is_shown || !settings.address.ip().is_loopback() {
            return Ok(None);
        }
        let who = if self.demo { demo::WHO.to_owned() } else { config::get().author(None)? };
        let ends = time::wall_clock().saturating_add(INVITED.as_micros() as i64);
        let tokens = tokens(store);
        let (known, token) = tokens.create(&who, &[Scope::Decide, Scope::Read, Scope::Write], Some(ends))?;
        settings.invites = Some(token);
        Ok(Some((tokens, known.id)))
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

    /// Where to answer HTTP, if anywhere.
    fn address(&self) -> Option<SocketAddr> {
        match self.http {
            None => Some(SocketAddr::from((Ipv4Addr::LOCALHOST, if self.demo { FREE } else { PORT }))),
            Some(Place::Nowhere) => None,
            Some(Place::At(address)) => Some(address),
        }
    }

    fn settings(&self, address: SocketAddr, budget: Duration, auth: Auth, mcp: Arc<Mcp>) -> ListenSettings {
        let tls = self.tls_cert.clone().zip(self.tls_key.clone());
        ListenSettings {
            address,
            tls: tls.map(|(certificate, key)| Tls { certificate, key, clients: self.client_ca.clone() }),
            insecure: self.insecure,
            budget,
            longest: self.max_body,
            base: self.public_url.clone(),
            auth,
            mcp,
            invites: None,
        }
    }
}

/// The service can't begin, as there are too few threads.
fn unserved(error: io::Error) -> Failure {
    Failure::Usage(format!("can't serve the ledger: {error}"))
}

/// Has the system let this process have as many connections as it may: some give 1,024 where nobody asks.
#[cfg(unix)]
fn have_descriptors() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.map_or(DESCRIPTORS, |most| most.min(DESCRIPTORS));
    if limit.current.is_some_and(|now| now < most) {
        // With fewer, the next connection waits for another one to end.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(most), maximum: limit.maximum });
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
        if let Some(Err(error)) = self.invited.map(|(tokens, id)| tokens.revoke(&id)) {
            output::warning(&format!("the token behind the link could not be revoked: {error}"));
        }
        if let Some(Err(error)) = self.listening.map(Listening::stop) {
            output::warning(&format!("HTTP ended with an error: {error}"));
        }
        self.threads.into_iter().for_each(|thread| drop(thread.join()));
    }
}
