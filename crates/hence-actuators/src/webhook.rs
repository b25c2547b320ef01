//! `webhook`: a decision is posted to a URL as JSON, signed where there is a secret.

use std::time::Duration;

use super::carry::{Carrier, Failed, Order, Report};
use super::http::Request;
use super::mac;

/// The name of the carrier.
pub const NAME: &str = "webhook";

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
        let told = |failed: Failed| Failed {
            message: format!("`{}` failed: {}", self.url, failed.message),
            ..failed
        };
        post(&self.url, order.id, order.message(), self.secret.as_deref(), self.time_limit).map_err(told)
    }
}

/// Posts a body under an id, signed where there is a secret; the answer holds facts.
pub(super) fn post(
    url: &str,
    id: &str,
    body: String,
    secret: Option<&[u8]>,
    time_limit: Duration,
) -> Result<Report, Failed> {
    let mut headers = vec![("Idempotency-Key", id.to_owned())];
    if let Some(secret) = secret {
        headers.push(("Hence-Signature", format!("sha256={}", mac::hex(secret, body.as_bytes()))));
    }
    let answer = Request { url: url.to_owned(), headers, body: Some(body), time_limit }.send()?;
    answer.check()?;
    Ok(match answer.text {
        Ok(lines) => Report { lines, ..Report::default() },
        Err(why) => Report { unread: Some(why), ..Report::default() },
    })
}
