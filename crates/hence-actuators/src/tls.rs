//! TLS: which certificates are trusted, and what is said where one is not.

use std::env;
use std::io;
use std::path::Path;
use std::sync::Arc;

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use super::carry::{Failed, Fate};
use hence_core::file::{self, LARGEST_TEXT};

/// The variable that names a file of certificates to be trusted, in PEM, in place of the built-in ones.
const TRUSTED: &str = "SSL_CERT_FILE";

/// The certificates that the environment names, in place of those that browsers trust.
pub(super) fn trusted() -> Result<Option<Vec<Certificate<'static>>>, Failed> {
    let Some(path) = env::var_os(TRUSTED).filter(|path| !path.is_empty()) else { return Ok(None) };
    let path = Path::new(&path);
    let wrong =
        |why: String| Failed::new(Fate::Undone, format!("`{TRUSTED}` names `{}`: {why}", path.display()));
    let text = file::read_text(path, LARGEST_TEXT).map_err(|error| wrong(error.to_string()))?;
    let certificate = |item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
        Ok(_) => None,
        Err(error) => Some(Err(wrong(format!("a certificate can't be read: {error}")))),
    };
    let all = parse_pem(text.as_bytes()).filter_map(certificate).collect::<Result<Vec<_>, _>>()?;
    if all.is_empty() { Err(wrong(String::from("it holds no certificate in PEM"))) } else { Ok(Some(all)) }
}

/// How pages are asked for.
pub(super) fn config() -> Result<TlsConfig, Failed> {
    let roots = trusted()?.map_or(RootCerts::WebPki, |all| RootCerts::Specific(Arc::new(all)));
    Ok(TlsConfig::builder().root_certs(roots).build())
}

/// What an error says that comes before anything was sent: the server could not show that it is who it should be.
pub(super) fn untrusted(error: &ureq::Error) -> Option<Failed> {
    let why = match error {
        ureq::Error::Rustls(error) => error.to_string(),
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => error.to_string(),
        _ => return None,
    };
    Some(distrusted(&why))
}

/// What is said of a server whose certificate is not trusted: nothing was sent to it.
pub(super) fn distrusted(why: &str) -> Failed {
    let message =
        format!("its certificate is not trusted: {why}; `{TRUSTED}` names a file of certificates that are");
    Failed::new(Fate::Undone, message)
}
