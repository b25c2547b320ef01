//! What the command line asks for.

use std::path::PathBuf;

use crate::batch::{NAMED, WORKLOADS};
use crate::generate::Size;

/// The sections, in the order in which they are run.
pub const SECTIONS: [&str; 12] = [
    "batch",
    "threads",
    "ranks",
    "facts",
    "decision",
    "change",
    "recursion",
    "start",
    "cold",
    "load",
    "log",
    "growth",
];

const USAGE: &str = "usage: all [SECTION…] [WORKLOAD…] [--peer NAME…] [--runs N] [--quick] [--json FILE]
sections: batch threads ranks facts decision change recursion start cold load log growth (all of them if none is named)
workloads of batch: tc_rand tc_chain sg_tree sg_rand andersen agg triangle ontology classification year; galen, where GALEN names its folder
--peer NAME  hence and this peer alone; may be repeated
--runs N     how often each program is run in turn with the others (3)
--quick      smaller sizes, one run: does everything work?
--json FILE  where the figures go (results/latest.json beside Cargo.toml)";

pub struct Options {
    pub sections: Vec<String>,
    pub workloads: Vec<String>,
    /// Peers to run; empty for all.
    pub peers: Vec<String>,
    pub runs: usize,
    pub size: Size,
    pub json: PathBuf,
}

impl Options {
    /// What the arguments say.
    ///
    /// # Errors
    /// The usage, where they say something else.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            sections: Vec::new(),
            workloads: Vec::new(),
            peers: Vec::new(),
            runs: 0,
            size: Size::Full,
            json: home().join("results/latest.json"),
        };
        while let Some(word) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"));
            match word.as_str() {
                "--runs" => options.runs = value()?.parse().map_err(|_| USAGE.to_owned())?,
                "--json" => options.json = value()?.into(),
                "--peer" => options.peers.push(value()?),
                "--quick" => options.size = Size::Quick,
                section if SECTIONS.contains(&section) => options.sections.push(word),
                workload if WORKLOADS.contains(&workload) || NAMED.contains(&workload) => {
                    options.workloads.push(word)
                }
                _ => return Err(format!("what is `{word}`?\n{USAGE}")),
            }
        }
        options.fill();
        Ok(options)
    }

    fn fill(&mut self) {
        if self.sections.is_empty() {
            let sections: &[&str] = if self.workloads.is_empty() { &SECTIONS } else { &["batch"] };
            self.sections = sections.iter().map(|section| String::from(*section)).collect();
        }
        if self.workloads.is_empty() {
            self.workloads = WORKLOADS.map(String::from).to_vec();
        }
        if self.runs == 0 {
            self.runs = if self.quick() { 1 } else { 3 };
        }
    }

    pub fn quick(&self) -> bool {
        self.size == Size::Quick
    }

    /// Whether a program takes part.
    pub fn wants(&self, peer: &str) -> bool {
        peer.starts_with("hence") || self.peers.is_empty() || self.peers.iter().any(|wanted| wanted == peer)
    }
}

/// The folder of this package.
pub fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
