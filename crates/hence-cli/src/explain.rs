//! `hence explain`: what the code of a message means, with an example that fails and the same example fixed; what
//! a word of the language means, with an example.

use std::io::Write;

use clap::Args;

use hence_core::diagnostic::{Code, nearest};
use hence_core::fault::OrBroken;

use hence_session::codes::PAGES;

use super::{DONE, Failure, Outcome, help, terminal};

/// Explain a message code or a word of the language, each with an example
#[derive(Debug, Args)]
#[command(after_help = "Example: hence explain E401")]
pub(super) struct Explain {
    /// A code such as E401, or a function, an aggregate, a generator, an operator or a keyword, such as `captures`;
    /// without one, list all codes with their titles
    #[arg(value_name = "CODE|WORD")]
    name: Option<String>,
}

impl Explain {
    pub(super) fn run(self) -> Outcome {
        let mut out = terminal::text();
        match &self.name {
            Some(name) => match help::entry(name.trim()) {
                Some(text) => out.lines(&text)?,
                None => out.lines(page(name)?)?,
            },
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
    let is_code = wanted.starts_with(['E', 'W']) && wanted.ends_with(|c: char| c.is_ascii_digit());
    let (what, near) = match is_code {
        true => ("code", nearest(&wanted, codes().map(|(known, _)| known))),
        false => ("code or word", nearest(code.trim(), help::names())),
    };
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`hence explain` lists the codes, `hence help` the pages".to_owned(),
    };
    Err(Failure::Usage(format!("unknown {what} `{code}`; {help}")))
}
