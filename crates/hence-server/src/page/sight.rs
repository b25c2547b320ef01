//! What the page asks beside what the API asks.

use super::super::question::Page;

/// A question of the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Sight {
    /// Decisions in force, the last drawn first, with who drew them and when.
    Decisions {
        /// Which of them.
        filter: Filter,
        /// Which part of the list.
        page: Page,
    },
    /// A decision with its proof, its history and the words for everything in the proof.
    Decision(String),
    /// What waits for a person, with the proof that it waits.
    Reviews,
    /// Facts of a relation, with who asserted them and how surely.
    Facts {
        /// The relation; without one only what there is.
        relation: Option<String>,
        /// Which part of the list.
        page: Page,
    },
    /// Relations, their rules, who reads whom, and how many decisions of each rule stand.
    Rules,
    /// Parameters with their values.
    Parameters,
    /// A file of rules as it is; without a name, which files there are.
    File(Option<String>),
    /// What a check of a text in the place of a file finds, and how its tests end.
    Check {
        /// The file.
        file: String,
        /// The text.
        text: String,
    },
    /// A text in the place of a file, where that is as it was.
    Save {
        /// The file.
        file: String,
        /// The text.
        text: String,
        /// The hash of what was there.
        seal: String,
    },
    /// Whether the chain and the base of the ledger are sound.
    Verify,
}

/// Which decisions are wanted; what is `None` is not asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this relation.
    pub relation: Option<String>,
    /// Drawn by this rule.
    pub rule: Option<String>,
    /// With this text in one of its values or in its sentence.
    pub subject: Option<String>,
    /// Drawn on this day or later, such as `2026-02-03`.
    pub from: Option<String>,
    /// Drawn on this day or before.
    pub to: Option<String>,
}
