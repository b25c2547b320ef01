//! The keys of personal values, one for each subject, in a file that no copy of the ledger takes along.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::Path;
use std::time::SystemTime;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead as _, KeyInit as _};
use chacha20poly1305::{ChaCha20Poly1305, Nonce};

use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;

use crate::error::LedgerError;
use crate::hash::Hash;

/// What a value under a key begins with.
const TOKEN: &str = "sealed:";
/// The first line of the file.
const FORMAT: &str = "hence personal keys 1";
/// What keys are derived for.
const VALUE: &str = "hence personal value 1";
const NONCE: &str = "hence personal nonce 1";
/// What is said of a value whose key is destroyed, and of one whose key is not here.
const ERASED: &str = "erased";
const SEALED: &str = "sealed";
const STAND_INS: [&str; 2] = [ERASED, SEALED];
/// Bytes of a nonce.
const NONCE_LEN: usize = 12;
/// Bytes of an id.
const ID_LEN: usize = 8;

/// Whether a text has the form of a value under a key.
pub fn is_token(text: &str) -> bool {
    key_of(text).is_some()
}

/// Whether a text has the form of what stands in the place of a value without a key.
pub(super) fn is_stand_in(text: &str) -> bool {
    let word = STAND_INS.iter().find_map(|word| text.strip_prefix('(')?.strip_prefix(word));
    let hash = word.and_then(|rest| rest.strip_prefix(' ')?.strip_suffix(')'));
    hash.is_some_and(|hash| hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The id of the key that a value is under.
pub(super) fn key_of(text: &str) -> Option<&str> {
    let (id, rest) = text.strip_prefix(TOKEN)?.split_once(':')?;
    (id.len() == 2 * ID_LEN && !rest.is_empty()).then_some(id)
}

/// What a value under a key names it by.
type Id = [u8; ID_LEN];

struct Key {
    subject: Symbol,
    secret: [u8; 32],
}

/// The keys at hand, by id.
pub(super) struct Ring {
    keys: BTreeMap<Id, Key>,
    subjects: HashMap<Symbol, Id>,
    erased: BTreeSet<Id>,
    /// Whether some keys aren't in the file yet.
    unsaved: bool,
    /// The file that they are in.
    of: Option<Stamp>,
}

/// What tells whether a file was written since.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self { len: found.len(), modified: found.modified().ok() })
    }
}

impl Ring {
    /// The keys of a file, which may be missing, without those that are erased.
    pub(super) fn read(path: Option<&Path>, erased: BTreeSet<String>) -> Result<Self, LedgerError> {
        let (keys, subjects) = (BTreeMap::new(), HashMap::new());
        let mut ring = Self { keys, subjects, erased: ids(&erased), unsaved: false, of: None };
        let Some(path) = path else { return Ok(ring) };
        // Taken before it is read: what is written then is read again.
        ring.of = Stamp::of(path);
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ring),
            file => BufReader::new(file.map_err(LedgerError::io("read", path))?),
        };
        let damaged = |line: usize| LedgerError::Misfit {
            what: format!("{}:{line}: not a file of keys; restore it from a copy", path.display()),
        };
        let mut lines = (1..).zip(file.lines());
        if lines.next().is_none_or(|(_, first)| first.map_or(true, |first| first != FORMAT)) {
            return Err(damaged(1));
        }
        for (number, line) in lines {
            let line = line.map_err(LedgerError::io("read", path))?;
            let (id, key) = parsed(&line).ok_or_else(|| damaged(number))?;
            if !ring.erased.contains(&id) {
                ring.add(id, key);
            }
        }
        Ok(ring)
    }

    /// Whether the file holds what was read of it.
    pub(super) fn is_of(&self, path: &Path) -> bool {
        self.of == Stamp::of(path)
    }

    fn add(&mut self, id: Id, key: Key) {
        self.subjects.insert(key.subject, id);
        self.keys.insert(id, key);
    }

    /// The id of a subject's key.
    pub(super) fn id(&self, subject: &str) -> Option<String> {
        self.subjects.get(&Symbol::new(subject)).map(|id| hex(id))
    }

    /// A text under the key of its subject; `None` where there is no key, or the text is under it already.
    pub(super) fn seal(&self, subject: &str, text: &str) -> Result<Option<String>, LedgerError> {
        if self.opens(text) {
            return Ok(None);
        }
        let found = self.subjects.get(&Symbol::new(subject)).and_then(|id| Some((id, self.keys.get(id)?)));
        found.map(|(id, key)| token(id, key, text)).transpose()
    }

    /// The same, where a subject without a key gets one.
    pub(super) fn make(&mut self, subject: &str, text: &str) -> Result<Option<String>, LedgerError> {
        let of = Symbol::new(subject);
        if !self.subjects.contains_key(&of) && !is_token(text) {
            let mut bytes = [0; 32 + ID_LEN];
            let failed = |error: getrandom::Error| LedgerError::Misfit {
                what: format!("the system gives no random numbers for a key: {error}"),
            };
            getrandom::fill(&mut bytes).map_err(failed)?;
            let (secret, id) = bytes.split_at(32);
            let (secret, id) = (secret.try_into().unwrap_or_default(), id.try_into().unwrap_or_default());
            self.add(id, Key { subject: of, secret });
            self.unsaved = true;
        }
        self.seal(subject, text)
    }

    /// Whether the key of a value is here.
    pub(super) fn opens(&self, token: &str) -> bool {
        key_of(token).and_then(id_of).is_some_and(|id| self.keys.contains_key(&id))
    }

    /// What a value under a key is, or what stands in its place; `None` for what is under none.
    pub(super) fn open(&self, token: &str) -> Option<String> {
        let id = id_of(key_of(token)?);
        let is_erased = id.is_some_and(|id| self.erased.contains(&id));
        let word = match (id.and_then(|id| self.keys.get(&id)), is_erased) {
            (Some(key), _) => return opened(key, token),
            (None, true) => ERASED,
            (None, false) => SEALED,
        };
        Some(format!("({word} {})", hex(&Hash::of(token.as_bytes()).short::<4>())))
    }

    /// Writes keys that the file doesn't hold.
    pub(super) fn save(&mut self, path: Option<&Path>) -> Result<(), LedgerError> {
        if let (true, Some(path)) = (self.unsaved, path) {
            self.write(path)?;
        }
        self.unsaved = false;
        Ok(())
    }

    /// Destroys keys: the file is written anew without them, and what it held is overwritten.
    pub(super) fn destroy(
        &mut self,
        path: Option<&Path>,
        erased: BTreeSet<String>,
    ) -> Result<usize, LedgerError> {
        let before = self.keys.len();
        let held = path.map(|path| holds(path, &erased)).transpose()?.unwrap_or(false);
        let erased = ids(&erased);
        self.keys.retain(|id, _| !erased.contains(id));
        self.subjects.retain(|_, id| !erased.contains(id));
        let gone = before - self.keys.len();
        self.erased = erased;
        if let (Some(path), true) = (path, held) {
            let old = OpenOptions::new().write(true).open(path);
            self.write(path)?;
            // Where the medium writes elsewhere than it wrote before, no program can do more.
            if let Ok(mut old) = old {
                let len = old.metadata().map_or(0, |found| found.len());
                let zeros = io::copy(&mut io::Read::take(io::repeat(0), len), &mut old);
                let _ = zeros.and_then(|_| old.sync_all());
            }
        }
        Ok(gone.max(usize::from(held)))
    }

    /// Writes the file, whole and durable before it has its name.
    fn write(&self, path: &Path) -> Result<(), LedgerError> {
        let new = path.with_extension("new");
        let _ = fs::remove_file(&new);
        let file = private().open(&new).map_err(LedgerError::io("create", &new))?;
        self.write_to(file).map_err(LedgerError::io("write", &new))?;
        fs::rename(&new, path).map_err(LedgerError::io("rename", &new))?;
        let Some(dir) = path.parent() else { return Ok(()) };
        File::open(dir).and_then(|dir| dir.sync_all()).map_err(LedgerError::io("make durable", dir))
    }

    fn write_to(&self, file: File) -> io::Result<()> {
        let mut out = BufWriter::new(file);
        writeln!(out, "{FORMAT}")?;
        for (id, Key { subject, secret }) in &self.keys {
            let subject = serde_json::Value::from(subject.as_str());
            writeln!(out, "{} {} {subject}", hex(id), hex(secret))?;
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }
}

/// A new file that its owner alone reads.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Whether a file holds one of these keys.
fn holds(path: &Path, erased: &BTreeSet<String>) -> Result<bool, LedgerError> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        file => {
            let file = BufReader::new(file.map_err(LedgerError::io("read", path))?);
            let is_held = |line: &String| line.split(' ').next().is_some_and(|id| erased.contains(id));
            Ok(file.lines().map_while(Result::ok).any(|line| is_held(&line)))
        }
    }
}

/// The ids that these texts are.
fn ids(texts: &BTreeSet<String>) -> BTreeSet<Id> {
    texts.iter().filter_map(|text| id_of(text)).collect()
}

fn id_of(text: &str) -> Option<Id> {
    let is_lower = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (text.len() == 2 * ID_LEN && is_lower)
        .then(|| u64::from_str_radix(text, 16).ok().map(u64::to_be_bytes))?
}

fn parsed(line: &str) -> Option<(Id, Key)> {
    let mut parts = line.splitn(3, ' ');
    let (id, secret, subject) = (parts.next()?, Hash::parse(parts.next()?)?, parts.next()?);
    let subject: String = serde_json::from_str(subject).ok()?;
    Some((id_of(id)?, Key { subject: Symbol::new(&subject), secret: secret.0 }))
}

/// A text under a key: the same for the same text, so that equal facts stay equal.
fn token(id: &Id, key: &Key, text: &str) -> Result<String, LedgerError> {
    let nonce = blake3::keyed_hash(&blake3::derive_key(NONCE, &key.secret), text.as_bytes());
    let nonce = nonce.as_bytes().first_chunk::<NONCE_LEN>().or_broken("a hash is longer than a nonce");
    let failed = |_| LedgerError::Misfit { what: String::from("a personal value can't be encrypted") };
    let sealed = cipher(key).encrypt(&Nonce::from(*nonce), text.as_bytes()).map_err(failed)?;
    let bytes = [nonce.as_slice(), sealed.as_slice()].concat();
    Ok(format!("{TOKEN}{}:{}", hex(id), BASE64_URL_SAFE_NO_PAD.encode(bytes)))
}

fn opened(key: &Key, token: &str) -> Option<String> {
    let (_, sealed) = token.strip_prefix(TOKEN)?.split_once(':')?;
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let (nonce, sealed) = bytes.split_first_chunk::<NONCE_LEN>()?;
    String::from_utf8(cipher(key).decrypt(&Nonce::from(*nonce), sealed).ok()?).ok()
}

fn cipher(key: &Key) -> ChaCha20Poly1305 {
    ChaCha20Poly1305::new(&blake3::derive_key(VALUE, &key.secret).into())
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_value_is_read_by_its_key_alone(text in ".{0,40}", one in ".{0,8}", other in ".{0,8}") {
            prop_assume!(one != other);
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("keys");
            let mut ring = Ring::read(Some(&path), BTreeSet::new()).unwrap();
            let token = ring.make(&one, &text).unwrap().unwrap();
            prop_assert_eq!(ring.make(&one, &text).unwrap(), Some(token.clone()));
            prop_assert_ne!(ring.make(&other, &text).unwrap(), Some(token.clone()));
            prop_assert_eq!(ring.seal(&one, &token).unwrap(), None, "a token is not sealed again");
            ring.save(Some(&path)).unwrap();
            let mut again = Ring::read(Some(&path), BTreeSet::new()).unwrap();
            prop_assert_eq!(again.open(&token), Some(text.clone()));
            prop_assert_eq!(again.seal(&one, &text).unwrap(), Some(token.clone()));

            let id = again.id(&one).unwrap();
            prop_assert_eq!(again.destroy(Some(&path), BTreeSet::from([id.clone()])).unwrap(), 1);
            prop_assert!(again.open(&token).unwrap().starts_with("(erased "));
            prop_assert!(!fs::read_to_string(&path).unwrap().contains(&id));
            let left = Ring::read(Some(&path), BTreeSet::new()).unwrap();
            prop_assert!(left.open(&token).unwrap().starts_with("(sealed "));
            prop_assert_eq!(left.id(&one), None);
            prop_assert!(left.id(&other).is_some());
        }

        #[test]
        fn what_stands_in_the_place_of_a_value_is_known_as_such(token in "sealed:[0-9a-f]{16}:[A-Za-z0-9_-]{1,20}") {
            let ring = Ring::read(None, BTreeSet::new()).unwrap();
            prop_assert!(is_stand_in(&ring.open(&token).unwrap()));
        }

        #[test]
        fn any_text_is_opened_or_stays(text in "(sealed:[0-9a-f]{16}:[A-Za-z0-9_-]{1,20})|.{0,20}") {
            let ring = Ring::read(None, BTreeSet::new()).unwrap();
            prop_assert_eq!(ring.open(&text).is_some(), is_token(&text));
        }
    }
}
