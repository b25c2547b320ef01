//! `hence doc`: the reference of a rule set, and the graph of who reads whom.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use hence_core::file;
use hence_session::reference::Reference;
use hence_session::{RuleSource, SessionError};

use super::options::RuleOptions;
use super::terminal::each_line;
use super::{DONE, Outcome, output, terminal};

/// Write the reference of a rule set, or its dependency graph
#[derive(Debug, Args)]
#[command(after_help = "Example: hence doc --pack tool_scoring --format html -o tool_scoring.html")]
pub(super) struct Doc {
    /// Rule files and folders, as with --rules
    paths: Vec<PathBuf>,
    #[command(flatten)]
    rules: RuleOptions,
    /// The output format
    #[arg(long, value_enum, default_value = "markdown")]
    format: DocFormat,
    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DocFormat {
    /// One Markdown page.
    Markdown,
    /// One self-contained HTML page.
    Html,
    /// The graph in Graphviz format.
    Dot,
    /// The graph in Mermaid format.
    Mermaid,
    /// The graph as an SVG image.
    Svg,
}

impl Doc {
    pub(super) fn run(self) -> Outcome {
        let source = self.rules.with_paths(&self.paths).source();
        let rules = source.build()?;
        let reference = Reference::new(title(&source), &rules);
        let text = match self.format {
            DocFormat::Markdown => reference.markdown(),
            DocFormat::Html => reference.html(),
            DocFormat::Dot => reference.dot(),
            DocFormat::Mermaid => reference.mermaid(),
            DocFormat::Svg => reference.svg(),
        };
        let text = each_line(&text);
        match self.output {
            Some(path) => {
                file::write(&path, text.as_bytes())
                    .map_err(|source| SessionError::Write { path: path.clone(), source })?;
                output::aside(&format!("{} written", path.display()));
            }
            None => terminal::text().lines(&text)?,
        }
        Ok(DONE)
    }
}

/// What the page is called: the packs and files named, else what is loaded without a name.
fn title(source: &RuleSource) -> String {
    let name = |path: &PathBuf| {
        let shown = if path.is_dir() { path.file_name() } else { Path::file_stem(path) };
        shown.map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
    };
    let names: Vec<String> = source.paths.iter().map(name).chain(source.packs.iter().cloned()).collect();
    if names.is_empty() { String::from("The shipped packs") } else { names.join(", ") }
}
