//! What a client brings back of what it was given: only as it was, to whom it was given, and for some time.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// How long it may be kept, in seconds.
const LASTS: u64 = 600;

/// A key that only this process knows.
pub(super) struct Seal {
    key: [u8; 32],
}

impl Seal {
    /// One that nobody guesses.
    pub(super) fn new() -> io::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(io::Error::other)?;
        Ok(Self { key })
    }

    /// A text that shows later that this was given out.
    pub(super) fn close(&self, what: &str) -> Option<String> {
        let until = seconds()?.saturating_add(LASTS);
        let mac = self.mac(what, until)?.finalize().into_bytes();
        Some(format!("{until}.{}", BASE64.encode(mac)))
    }

    /// Whether this was given out, not long ago.
    pub(super) fn is_of(&self, sealed: &str, what: &str) -> bool {
        let opened = || {
            let (until, mac) = sealed.split_once('.')?;
            let until: u64 = until.parse().ok()?;
            let mac = BASE64.decode(mac).ok()?;
            self.mac(what, until)?.verify_slice(&mac).ok()?;
            Some(seconds()? < until)
        };
        opened().unwrap_or(false)
    }

    fn mac(&self, what: &str, until: u64) -> Option<Hmac<Sha256>> {
        let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&self.key).ok()?;
        mac.update(&until.to_be_bytes());
        mac.update(what.as_bytes());
        Some(mac)
    }
}

fn seconds() -> Option<u64> {
    SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}
