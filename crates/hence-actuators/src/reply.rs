//! Replies: a signed token that answers one review, for one person, until an instant.

use serde_json::json;

use super::mac;

/// What is signed begins so, and is no message of another kind.
const BEGINNING: &str = "hence reply\n";

/// An answer to a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// What is answered, as `hence review list` names it.
    pub review: String,
    /// Whether it is approved.
    pub is_approved: bool,
    /// Whose answer it is.
    pub by: String,
    /// The first instant at which it is too late, in microseconds since the epoch.
    pub until: i64,
}

impl Reply {
    /// The token: what it says, and the signature of that.
    pub fn token(&self, secret: &[u8]) -> String {
        let said = self.said();
        format!("{}.{}", mac::to_hex(said.as_bytes()), mac::hex(secret, signed(&said).as_bytes()))
    }

    /// A name of its own, however the token was written: what it says decides, and not its letters.
    pub fn name(&self) -> String {
        blake3::hash(signed(&self.said()).as_bytes()).to_hex().chars().take(32).collect()
    }

    fn said(&self) -> String {
        json!([self.review, self.is_approved, self.by, self.until]).to_string()
    }

    /// What a token says that one of the secrets signed; `None` for every other one.
    pub fn read<'s>(token: &str, secrets: impl IntoIterator<Item = &'s [u8]>) -> Option<Self> {
        let (said, signature) = token.split_once('.')?;
        let said = String::from_utf8(mac::from_hex(said)?).ok()?;
        let signed = signed(&said);
        secrets.into_iter().find(|secret| mac::is_of(signature, secret, signed.as_bytes()))?;
        let (review, is_approved, by, until) = serde_json::from_str(&said).ok()?;
        Some(Self { review, is_approved, by, until })
    }
}

fn signed(said: &str) -> String {
    format!("{BEGINNING}{said}")
}
