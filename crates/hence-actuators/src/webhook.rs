//! `webhook`: a decision is posted to a URL as JSON, signed where there is a secret.

use std::fmt::Write as _;
use std::time::Duration;

use hmac::{Hmac, Mac};
use sha2::Sha256;
use ureq::Agent;
use ureq::http::StatusCode;

use super::carry::{self, Carrier, Failed, Fate, MOST_ANSWERED, Order, Report};
use hence_core::fault::OrBroken;

/// The name of the carrier.
pub const NAME: &str = "webhook";

/// How long is waited beyond the time limit for a request that should have ended by itself.
const GRACE: Duration = Duration::from_secs(1);

/// Posts each decision. The header `Idempotency-Key` holds its id, `Hence-Signature` the HMAC-SHA256 of the body under the
/// secret (RFC 2104), as `sha256=` and 64 hexadecimal digits. A status of 2xx says that it is carried out, and the
/// body holds facts as JSON Lines; 4xx refuses it for good, 408, 425 and 429 for now, and so does every other status.
/// Redirections are not followed.
pub struct WebHook {
    /// Where to.
    pub url: String,
    /// The key of the signature.
    pub secret: Option<Vec<u8>>,
    /// How long it may take in all.
    pub time_limit: Duration,
}

impl Carrier for WebHook {
    fn name(&self) -> &'static str {
        NAME
    }

    fn carry_out(&self, order: &Order<'_>) -> Result<Report, Failed> {
        let message = order.message();
        let signature = self.secret.as_deref().map(|secret| signature(secret, message.as_bytes()));
        let (url, id, limit) = (self.url.clone(), order.id.to_owned(), self.time_limit);
        // Looking a name up has no time limit of its own.
        let end = limit.saturating_add(GRACE);
        let posted = carry::within(end, move || post(&url, &id, limit, &message, signature.as_deref()));
        let late = || Err(Failed::new(Fate::Unknown, format!("no answer within {:?}", self.time_limit)));
        posted.unwrap_or_else(late).map_err(|failed| Failed {
            message: format!("`{}` did not carry out {}: {}", self.url, order.id, failed.message),
            ..failed
        })
    }
}

/// The HMAC-SHA256 of a body, as the header has it.
fn signature(secret: &[u8], body: &[u8]) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(secret).ok();
    let mut mac = mac.or_broken("an HMAC takes keys of any length");
    mac.update(body);
    let mut text = String::from("sha256=");
    for byte in mac.finalize().into_bytes() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn post(url: &str, id: &str, limit: Duration, body: &str, signature: Option<&str>) -> Result<Report, Failed> {
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(limit))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .proxy(None)
        .user_agent(concat!("hence/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    let mut request =
        agent.post(url).header("Content-Type", "application/json").header("Idempotency-Key", id);
    if let Some(signature) = signature {
        request = request.header("Hence-Signature", signature);
    }
    let mut response = request.send(body).map_err(|error| Failed::new(fate(&error), error.to_string()))?;
    let status = response.status();
    if !status.is_success() {
        return Err(Failed::new(refusal(status), format!("it answered with status {}", status.as_u16())));
    }
    let read = response.body_mut().with_config().limit(MOST_ANSWERED).read_to_vec();
    Ok(match read.map(String::from_utf8) {
        Ok(Ok(lines)) => Report { lines, ..Report::default() },
        Ok(Err(_)) => unread("its answer is not UTF-8"),
        Err(ureq::Error::BodyExceedsLimit(_)) => {
            unread(&format!("it answered more than {MOST_ANSWERED} bytes"))
        }
        Err(error) => unread(&format!("its answer could not be read: {error}")),
    })
}

/// What a status says of the decision.
fn refusal(status: StatusCode) -> Fate {
    match status.as_u16() {
        408 | 425 | 429 => Fate::Undone,
        400..=499 => Fate::Refused,
        // It may have done it before it failed.
        500..=599 => Fate::Unknown,
        _ => Fate::Undone,
    }
}

/// What an error says of the decision: unless no connection was made, the request may have arrived.
fn fate(error: &ureq::Error) -> Fate {
    match error {
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => Fate::Refused,
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => Fate::Undone,
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => Fate::Undone,
        _ => Fate::Unknown,
    }
}

fn unread(why: &str) -> Report {
    Report { unread: Some(why.to_owned()), ..Report::default() }
}
