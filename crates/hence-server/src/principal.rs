//! Who calls, and what they may do.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::jwt::Issuer;
use super::problem::Problem;
use super::tokens::Tokens;

/// What a caller may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Ask for decisions.
    Decide,
    /// Ask for everything else.
    Read,
    /// Record facts and answers.
    Write,
    /// What keeps the service.
    Admin,
}

impl Scope {
    /// Each of them.
    pub const ALL: [Self; 4] = [Self::Decide, Self::Read, Self::Write, Self::Admin];

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Decide => "decide",
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|scope| scope.word() == text);
        found.ok_or_else(|| format!("unknown scope `{text}`; expected decide, read, write or admin"))
    }
}

/// A caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Who authors what they record.
    pub name: String,
    /// What they may do.
    pub scopes: Vec<Scope>,
}

impl Identity {
    /// Checks that they may do what takes `scope`.
    ///
    /// # Errors
    /// They may not.
    pub fn check(&self, scope: Scope) -> Result<(), Problem> {
        if self.scopes.contains(&scope) {
            return Ok(());
        }
        let has: Vec<&str> = self.scopes.iter().map(|scope| scope.word()).collect();
        let message = format!("`{}` has the scopes {}; this takes `{scope}`", self.name, has.join(", "));
        Err(Problem::new(403, message))
    }
}

/// What a caller shows.
#[derive(Clone, Default)]
pub struct Shown {
    /// The header `Authorization`.
    pub bearer: Option<String>,
    /// The fingerprint of a certificate.
    pub certificate: Option<String>,
}

/// How callers are known.
#[derive(Clone, Default)]
pub struct Auth {
    /// Tokens that `hence token` made, and fingerprints of certificates.
    pub tokens: Option<Arc<Tokens>>,
    /// An issuer that vouches for others.
    pub issuer: Option<Arc<Issuer>>,
}

impl Shown {
    /// A token.
    pub fn token(token: &str) -> Self {
        Self { bearer: Some(format!("Bearer {token}")), certificate: None }
    }
}

impl Auth {
    /// Who shows this, if they may do what takes `scope`.
    ///
    /// # Errors
    /// Nobody that is known, or they may not.
    pub fn admitted(&self, shown: &Shown, scope: Scope) -> Result<Identity, Problem> {
        let by = self.principal(shown)?;
        by.check(scope)?;
        Ok(by)
    }

    /// Who shows this.
    ///
    /// # Errors
    /// Nobody that is known.
    pub fn principal(&self, shown: &Shown) -> Result<Identity, Problem> {
        let Some(header) = &shown.bearer else {
            let by_certificate = shown.certificate.as_deref().zip(self.tokens.as_ref());
            let known = by_certificate.and_then(|(print, tokens)| tokens.by_certificate(print));
            let message = "missing token; send `Authorization: Bearer …` with one of `hence token create`";
            return known.ok_or_else(|| Problem::new(401, message));
        };
        let token = header.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let Some(token) = token.map(|(_, token)| token.trim()) else {
            return Err(Problem::new(401, "`Authorization`: expected `Bearer TOKEN`"));
        };
        if let Some(tokens) = &self.tokens
            && Tokens::is_own(token)
        {
            return tokens.find(token).ok_or_else(|| Problem::new(401, "unknown, expired or revoked token"));
        }
        match &self.issuer {
            Some(issuer) => issuer.principal(token).map_err(|why| Problem::new(401, why)),
            None => Err(Problem::new(401, "unknown token; no issuer of tokens is configured")),
        }
    }
}
