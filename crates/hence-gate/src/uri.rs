//! Which file a URI names, however it is written.

use hence_core::uri::decoded;

/// The path of a file that a URI names, or that stands in the place of one.
pub fn file_of_uri(uri: &str) -> Result<Option<String>, String> {
    // Parsers of URLs leave out controls and outer blanks, and may then read a file where none stands here.
    if uri.contains(|c: char| c.is_control()) || uri.trim() != uri {
        return Err(String::from("`uri`: expected no control characters, and no blanks around it"));
    }
    let is_scheme = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    let rest = match uri.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) {
        None => return Ok(Some(uri.to_owned())),
        Some((scheme, _)) if !scheme.eq_ignore_ascii_case("file") => return Ok(None),
        Some((_, rest)) => rest,
    };
    let unread = || format!("`uri`: expected the absolute path of a file, found `{uri}`");
    // They read a backslash as a slash, too.
    if rest.contains('\\') {
        return Err(unread());
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').and_then(|at| rest.get(at..)).ok_or_else(unread)?,
        None => rest,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    decoded(path).filter(|path| path.starts_with('/')).map(Some).ok_or_else(unread)
}
