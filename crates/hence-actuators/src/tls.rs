//! TLS: which certificates are trusted, and what is said where one is not.

use std::env;
use std::io;
use std::path::Path;
use std::sync::Arc;

use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

use super::carry::{Failed, Fate};
use hence_core::file::{self, LARGEST_TEXT};

/// The variable that names a file of certificates to be trusted, in PEM, in place of the built-in ones.
const TRUSTED: &str = "SSL_CERT_FILE";

/// The certificates that are trusted: those of the file that the environment names, else those that browsers trust.
pub(super) fn config() -> Result<TlsConfig, Failed> {
    let roots = match env::var_os(TRUSTED).filter(|path| !path.is_empty()) {
        None => RootCerts::WebPki,
        Some(path) => {
            let path = Path::new(&path);
            let wrong = |why: String| {
                Failed::new(Fate::Undone, format!("`{TRUSTED}` names `{}`: {why}", path.display()))
            };
            let text = file::read_text(path, LARGEST_TEXT).map_err(|error| wrong(error.to_string()))?;
            let certificate = |item| match item {
                Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
                Ok(_) => None,
                Err(error) => Some(Err(wrong(format!("a certificate can't be read: {error}")))),
            };
            let all = parse_pem(text.as_bytes()).filter_map(certificate).collect::<Result<Vec<_>, _>>()?;
            if all.is_empty() {
                return Err(wrong(String::from("it holds no certificate in PEM")));
            }
            RootCerts::Specific(Arc::new(all))
        }
    };
    Ok(TlsConfig::builder().root_certs(roots).build())
}

/// What an error says that comes before anything was sent: the server could not show that it is who it should be.
pub(super) fn untrusted(error: &ureq::Error) -> Option<Failed> {
    let why = match error {
        ureq::Error::Rustls(error) => error.to_string(),
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => error.to_string(),
        _ => return None,
    };
    let message =
        format!("its certificate is not trusted: {why}; `{TRUSTED}` names a file of certificates that are");
    Some(Failed::new(Fate::Undone, message))
}
