//! A link that signs somebody in, once: whoever starts the service is shown it, and it stands for a token that nobody sees.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::super::tokens;

/// How long it may take until somebody follows the link.
const LONGEST: Duration = Duration::from_secs(10 * 60);

/// The link, until it is followed.
#[derive(Default)]
pub(crate) struct Invitation(Mutex<Option<Open>>);

struct Open {
    /// The hash of the code that the link carries.
    hash: String,
    /// Who follows it signs in with this.
    token: String,
    until: Instant,
}

impl Invitation {
    /// One for a token, and the code that its link carries.
    pub(crate) fn new(token: String) -> std::io::Result<(Self, String)> {
        let code = tokens::random_text()?;
        let open = Open { hash: tokens::hash(code.as_bytes()), token, until: Instant::now() + LONGEST };
        Ok((Self(Mutex::new(Some(open))), code))
    }

    /// The token that a code stands for; the next one who shows it gets none.
    pub(super) fn take(&self, code: &str) -> Option<String> {
        let hash = tokens::hash(code.as_bytes());
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open = open.take_if(|open| tokens::is_same(&open.hash, &hash))?;
        (Instant::now() < open.until).then_some(open.token)
    }
}
