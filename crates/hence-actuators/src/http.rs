//! Requests over HTTP: bounded in time and size, to the host that is named and no other.

use std::time::Duration;

use ureq::http::StatusCode;
use ureq::{Agent, RequestBuilder};

use super::carry::{Failed, Fate, MOST_ANSWERED, within};
#[cfg(feature = "tls")]
use super::tls;

/// A request. Redirections and proxies of the environment are not followed.
pub(super) struct Request {
    /// Where to; [`is_reached`] says so.
    pub(super) url: String,
    /// The names and values of headers.
    pub(super) headers: Vec<(&'static str, String)>,
    /// What is posted; without it the page is fetched.
    pub(super) body: Option<String>,
    /// How long it may take in all.
    pub(super) time_limit: Duration,
}

/// What was answered.
pub(super) struct Answer {
    /// The status.
    pub(super) status: StatusCode,
    /// The session that a server of MCP gave.
    pub(super) session: Option<String>,
    /// The text, or why it can't be read.
    pub(super) text: Result<String, String>,
}

impl Request {
    /// Sends it, and waits for the answer.
    pub(super) fn send(self) -> Result<Answer, Failed> {
        // Looking a name up has no time limit of its own.
        within(self.time_limit, move || self.exchange())
    }

    fn exchange(&self) -> Result<Answer, Failed> {
        let config = Agent::config_builder();
        #[cfg(feature = "tls")]
        let config = config.tls_config(tls::config()?);
        let agent: Agent = config
            .timeout_global(Some(self.time_limit))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .proxy(None)
            .user_agent(concat!("hence/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        let sent = match &self.body {
            Some(body) => {
                let request = agent.post(&self.url).header("Content-Type", "application/json");
                self.headed(request).send(body)
            }
            None => self.headed(agent.get(&self.url)).call(),
        };
        let mut response = sent.map_err(|error| failed(&error))?;
        let status = response.status();
        let session = response.headers().get("Mcp-Session-Id");
        let session = session.and_then(|session| session.to_str().ok()).map(str::to_owned);
        let read = response.body_mut().with_config().limit(MOST_ANSWERED).read_to_vec();
        let text = match read.map(String::from_utf8) {
            Ok(Ok(text)) => Ok(text),
            Ok(Err(_)) => Err(String::from("its answer is not UTF-8")),
            Err(ureq::Error::BodyExceedsLimit(_)) => {
                Err(format!("it answered more than {MOST_ANSWERED} bytes"))
            }
            Err(error) => Err(format!("its answer could not be read: {error}")),
        };
        Ok(Answer { status, session, text })
    }

    /// A request with the headers.
    fn headed<B>(&self, request: RequestBuilder<B>) -> RequestBuilder<B> {
        self.headers.iter().fold(request, |request, (name, value)| request.header(*name, value))
    }
}

impl Answer {
    /// Nothing, where the status says that it was done; else what it says.
    pub(super) fn check(&self) -> Result<(), Failed> {
        if self.status.is_success() {
            return Ok(());
        }
        let message = format!("it answered with status {}", self.status.as_u16());
        Err(Failed::new(refusal(self.status), message))
    }
}

/// What a status says of what was asked.
fn refusal(status: StatusCode) -> Fate {
    match status.as_u16() {
        408 | 425 | 429 => Fate::Undone,
        400..=499 => Fate::Refused,
        // It may have done it before it failed.
        500..=599 => Fate::Unknown,
        _ => Fate::Undone,
    }
}

fn failed(error: &ureq::Error) -> Failed {
    #[cfg(feature = "tls")]
    if let Some(failed) = tls::untrusted(error) {
        return failed;
    }
    Failed::new(fate(error), error.to_string())
}

/// Whether a URL is one that hence can reach.
pub fn is_reached(url: &str) -> bool {
    url.starts_with("http://") || (cfg!(feature = "tls") && url.starts_with("https://"))
}

/// What an error says of what was asked: unless no connection was made, the request may have arrived.
fn fate(error: &ureq::Error) -> Fate {
    match error {
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => Fate::Refused,
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => Fate::Undone,
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => Fate::Undone,
        _ => Fate::Unknown,
    }
}
