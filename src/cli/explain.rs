//! `hence explain`: what a code of a message means, with an example that fails and the same example mended.

use std::io::Write;

use clap::Args;

use hence_core::diagnostic::{Code, nearest};
use hence_core::fault::OrBroken;

use super::{DONE, Failure, Outcome, terminal};

/// The pages by their file names, written by `build.rs` from `docs/codes/`.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/codes.rs"));

/// Explain a message code, with an example that fails and the same example fixed
#[derive(Debug, Args)]
#[command(after_help = "Example: hence explain E401")]
pub(super) struct Explain {
    /// The code, such as E401; without one, list all codes with their titles
    code: Option<String>,
}

impl Explain {
    pub(super) fn run(self) -> Outcome {
        let mut out = terminal::text();
        match &self.code {
            Some(code) => out.lines(page(code)?)?,
            None => {
                for (_, text) in PAGES {
                    writeln!(out, "{}", title(text))?;
                }
            }
        }
        Ok(DONE)
    }
}

fn title(page: &str) -> &str {
    page.lines().next().or_broken("a page begins with its title").trim_start_matches("# ")
}

/// What a code means, in a few words.
pub(super) fn summary(code: Code) -> Option<&'static str> {
    let text = title(page(code.0).ok()?);
    Some(text.split_once(": ").map_or(text, |(_, summary)| summary))
}

/// The page of a code, in upper or lower case.
fn page(code: &str) -> Result<&'static str, Failure> {
    let wanted = code.trim().to_uppercase();
    let codes = || PAGES.iter().map(|(name, text)| (name.trim_end_matches(".md"), *text));
    if let Some((_, text)) = codes().find(|(known, _)| *known == wanted) {
        return Ok(text);
    }
    let message = match nearest(&wanted, codes().map(|(known, _)| known)) {
        Some(near) => format!("unknown code `{code}`; did you mean `{near}`?"),
        None => format!("unknown code `{code}`; `hence explain` lists all codes"),
    };
    Err(Failure::Usage(message))
}
