//! Principals that an issuer vouches for: JSON Web Tokens by a set of public keys.

use std::fs;
use std::path::PathBuf;

use jsonwebtoken::jwk::{Jwk, JwkSet, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;

use super::principal::{Identity, Scope};

/// The algorithms that are taken: none with a shared secret.
const TAKEN: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// Whose tokens are taken.
pub struct Issuer {
    /// The file of their public keys (a JSON Web Key Set).
    pub keys: PathBuf,
    /// What `iss` has to be.
    pub issuer: String,
    /// What `aud` has to be.
    pub audience: String,
}

/// What a token has to say.
#[derive(Deserialize)]
struct Claims {
    sub: String,
    #[serde(default)]
    scope: String,
}

impl Issuer {
    /// Reads the keys once, to see whether they can be read.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn check(&self) -> Result<(), String> {
        self.set().map(drop)
    }

    fn set(&self) -> Result<JwkSet, String> {
        let path = self.keys.display();
        let text = fs::read_to_string(&self.keys).map_err(|error| format!("can't read `{path}`: {error}"))?;
        serde_json::from_str(&text).map_err(|error| format!("`{path}` is no set of keys: {error}"))
    }

    /// Whom a token names, and what its `scope` lets them do.
    pub(crate) fn principal(&self, token: &str) -> Result<Identity, String> {
        let header = decode_header(token).map_err(|error| format!("the token can't be read: {error}"))?;
        // RFC 7515, 4.1.11: what must be understood and isn't makes a token invalid; nothing of it is understood here.
        if let Some(crit) = header.crit {
            return Err(format!("the token is refused: it takes `crit` {crit:?}, which is not understood"));
        }
        let kid = header.kid.ok_or("the token names no key (`kid`)")?;
        let set = self.set()?;
        let key = set.find(&kid).ok_or_else(|| format!("the token names an unknown key `{kid}`"))?;
        if !is_for_signatures(key) {
            return Err(format!("the key `{kid}` is not for signatures"));
        }
        let algorithm = algorithm(key, header.alg)?;
        let mut wanted = Validation::new(algorithm);
        wanted.set_issuer(&[&self.issuer]);
        wanted.set_audience(&[&self.audience]);
        wanted.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        wanted.validate_nbf = true;
        // What has expired names nobody, not for another minute either.
        wanted.leeway = 0;
        let key =
            DecodingKey::from_jwk(key).map_err(|error| format!("the key `{kid}` can't be used: {error}"))?;
        let claims = decode::<Claims>(token, &key, &wanted)
            .map_err(|error| format!("the token is refused: {error}"))?;
        if claims.claims.sub.trim().is_empty() {
            return Err(String::from("the token names nobody: `sub` is empty"));
        }
        let scopes = claims.claims.scope.split_whitespace().filter_map(|word| word.parse::<Scope>().ok());
        Ok(Identity { name: claims.claims.sub, scopes: scopes.collect() })
    }
}

/// Whether the set of keys lets a key verify signatures: one that it keeps for something else was never to vouch for anybody.
fn is_for_signatures(key: &Jwk) -> bool {
    let is_used = key.common.public_key_use.as_ref().is_none_or(|it| *it == PublicKeyUse::Signature);
    let may = key.common.key_operations.as_ref();
    is_used && may.is_none_or(|may| may.contains(&KeyOperations::Verify))
}

/// The algorithm of a token, where its key is for that.
fn algorithm(key: &Jwk, named: Algorithm) -> Result<Algorithm, String> {
    let of_key = key.common.key_algorithm.map(|known| known.to_string());
    let is_fitting = of_key.as_ref().is_none_or(|known| *known == format!("{named:?}"));
    if TAKEN.contains(&named) && is_fitting {
        return Ok(named);
    }
    Err(format!(
        "the token is signed by {named:?}; its key is for {}",
        of_key.as_deref().unwrap_or("public keys")
    ))
}
