//! The facts of `http_load --facts`: folders that somebody owns, documents in them, and who may look at those.

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};

use serde_json::Value as Json;

/// A document, a folder or anything else that somebody wants to do something with.
#[derive(Default)]
pub(crate) struct Resource {
    /// What it lies in.
    pub(crate) parents: Vec<String>,
    pub(crate) owners: Vec<String>,
    pub(crate) viewers: Vec<String>,
}

/// Resources by name.
#[derive(Default)]
pub(crate) struct Facts(pub(crate) HashMap<String, Resource>);

impl Facts {
    pub(crate) fn read(path: &str) -> Result<Self, Box<dyn Error>> {
        let mut facts = Self::default();
        for line in BufReader::new(File::open(path)?).lines() {
            facts.take(&serde_json::from_str(&line?)?).ok_or("a fact that nobody knows")?;
        }
        Ok(facts)
    }

    fn take(&mut self, fact: &Json) -> Option<()> {
        let (relation, values) = fact.as_object()?.iter().next()?;
        let value = |at: usize| values.get(at)?.as_str().map(str::to_owned);
        match relation.as_str() {
            "resource" => drop(self.0.entry(value(0)?).or_default()),
            "resource_in" => self.0.entry(value(0)?).or_default().parents.push(value(1)?),
            "related" => {
                let resource = self.0.entry(value(2)?).or_default();
                match value(1)?.as_str() {
                    "/owner" => resource.owners.push(value(0)?),
                    "/viewer" => resource.viewers.push(value(0)?),
                    _ => return None,
                }
            }
            _ => return None,
        }
        Some(())
    }
}
