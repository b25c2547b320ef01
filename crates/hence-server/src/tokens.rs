//! Tokens of `hence token`: a file of JSON lines beside the ledger that holds hashes, never the tokens themselves.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::principal::{Identity, Scope};

/// What tokens begin with.
const BEGINNING: &str = "hence_";
/// How many random bytes a token has.
const BYTES: usize = 32;
/// How many random bytes its id has.
const ID_BYTES: usize = 4;

/// What is known of a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// What it is called.
    pub id: String,
    /// Who calls with it.
    pub principal: String,
    /// What they may do.
    pub scopes: Vec<String>,
    /// When it was made, in microseconds since the epoch.
    pub created: i64,
    /// When it ends, in microseconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<i64>,
    /// The SHA-256 of the secret, or of a certificate.
    pub hash: String,
    /// Whether `hash` is that of a certificate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub certificate: bool,
}

impl Token {
    fn principal(&self) -> Identity {
        let scopes = self.scopes.iter().filter_map(|scope| scope.parse().ok()).collect();
        Identity { name: self.principal.clone(), scopes }
    }

    /// Whether it lets somebody in: it has not ended, and names who that is.
    fn is_valid(&self, now: i64) -> bool {
        !self.principal.trim().is_empty() && self.expires.is_none_or(|end| now < end)
    }
}

/// The tokens of a file, read again when it changes.
pub struct Tokens {
    path: PathBuf,
    clock: fn() -> i64,
    read: Mutex<Option<(Seen, Vec<Token>)>>,
}

/// What a file looked like when it was read: its time, its length, and which file it is.
type Seen = (Option<SystemTime>, u64, u64);

impl Tokens {
    /// Those of a file, which need not be there; `clock` shows microseconds since the epoch.
    pub fn new(path: impl Into<PathBuf>, clock: fn() -> i64) -> Self {
        Self { path: path.into(), clock, read: Mutex::new(None) }
    }

    /// Whether a text is a token of `hence token`.
    pub(crate) fn is_own(token: &str) -> bool {
        token.starts_with(BEGINNING)
    }

    /// All of them.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn list(&self) -> io::Result<Vec<Token>> {
        match fs::read_to_string(&self.path) {
            Ok(text) => {
                text.lines().map(|line| serde_json::from_str(line).map_err(io::Error::other)).collect()
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Makes a token, which nobody can read again.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn create(
        &self,
        principal: &str,
        scopes: &[Scope],
        expires: Option<i64>,
    ) -> io::Result<(Token, String)> {
        let (id, secret) = (random(ID_BYTES)?, random(BYTES)?);
        let token = self.add(id.clone(), principal, scopes, expires, (hash(secret.as_bytes()), false))?;
        Ok((token, format!("{BEGINNING}{id}_{secret}")))
    }

    /// Lets whoever shows a certificate, given as DER, call without a token.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn trust(
        &self,
        principal: &str,
        scopes: &[Scope],
        expires: Option<i64>,
        certificate: &[u8],
    ) -> io::Result<Token> {
        self.add(random(ID_BYTES)?, principal, scopes, expires, (hash(certificate), true))
    }

    fn add(
        &self,
        id: String,
        principal: &str,
        scopes: &[Scope],
        expires: Option<i64>,
        (hash, certificate): (String, bool),
    ) -> io::Result<Token> {
        let scopes = scopes.iter().map(ToString::to_string).collect();
        let (principal, created) = (principal.to_owned(), (self.clock)());
        let token = Token { id, principal, scopes, created, expires, hash, certificate };
        self.change(|all| {
            all.push(token.clone());
            true
        })?;
        Ok(token)
    }

    /// Forgets a token; whether there was one of this id.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn revoke(&self, id: &str) -> io::Result<bool> {
        self.change(|all| {
            let before = all.len();
            all.retain(|token| token.id != id);
            all.len() < before
        })
    }

    /// Changes the file while no other process does; what `change` answers says whether there is something to write.
    fn change(&self, change: impl FnOnce(&mut Vec<Token>) -> bool) -> io::Result<bool> {
        let lock = private(&self.path.with_extension("lock"))?;
        lock.lock()?;
        let mut all = self.list()?;
        let is_changed = change(&mut all);
        if is_changed {
            self.write(&all)?;
        }
        Ok(is_changed)
    }

    /// Writes a file that only its owner reads, in the place of the old one at once.
    fn write(&self, tokens: &[Token]) -> io::Result<()> {
        let lines = tokens.iter().map(|token| serde_json::to_string(token).map_err(io::Error::other));
        let text: String =
            lines.collect::<io::Result<Vec<_>>>()?.iter().map(|line| format!("{line}\n")).collect();
        let new = self.path.with_extension("new");
        let mut file = private(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.path)
    }

    /// Who calls with a token.
    pub(crate) fn find(&self, token: &str) -> Option<Identity> {
        let (id, secret) = token.strip_prefix(BEGINNING)?.split_once('_')?;
        let hash = hash(secret.as_bytes());
        self.first(|token| !token.certificate && token.id == id && is_same(&token.hash, &hash))
    }

    /// Who calls with a certificate, by its fingerprint.
    pub(crate) fn by_certificate(&self, print: &str) -> Option<Identity> {
        self.first(|token| token.certificate && is_same(&token.hash, print))
    }

    fn first(&self, is_it: impl Fn(&Token) -> bool) -> Option<Identity> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = seen(&self.path)?;
        if read.as_ref().is_none_or(|(then, _)| *then != seen) {
            *read = Some((seen, self.list().ok()?));
        }
        let now = (self.clock)();
        let found = read.as_ref()?.1.iter().find(|token| is_it(token) && token.is_valid(now));
        found.map(Token::principal)
    }
}

fn seen(path: &Path) -> Option<Seen> {
    let found = fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&found);
    #[cfg(not(unix))]
    let number = 0;
    Some((found.modified().ok(), found.len(), number))
}

/// An empty file that only its owner reads.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn random(bytes: usize) -> io::Result<String> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    Ok(hex(&random))
}

/// A text that nobody guesses.
pub(crate) fn random_text() -> io::Result<String> {
    random(BYTES)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 of something, as hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Whether two hashes are the same, at a cost that doesn't tell where they differ.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len()
        && one.bytes().zip(other.bytes()).fold(0, |all, (one, other)| all | (one ^ other)) == 0
}
