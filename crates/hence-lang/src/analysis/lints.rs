//! Warnings: what is legal and probably not meant. One lint a file; each is silenced by `# allow: LINT` above it.

mod above;
mod allow;
pub mod codes;
mod documents;
mod duplicates;
mod effects;
mod empty;
pub(crate) mod growing;
mod guarded;
pub mod levels;
mod never;
mod singles;
mod unread;
mod values;

use crate::analysis::checked::Checked;
use crate::analysis::strata::{Stratum, strata};
use hence_core::diagnostic::{Diagnostic, sort};
use hence_core::fault::OrBroken;
use hence_core::schema::{Relation, RelationId};
use hence_core::span::Sources;
use hence_syntax::tree;

/// Everything a lint looks at.
#[derive(Clone, Copy)]
struct Rules<'a> {
    checked: &'a Checked,
    files: &'a [tree::File],
}

impl<'a> Rules<'a> {
    fn relation(self, id: RelationId) -> &'a Relation {
        &self.checked[id]
    }

    fn name(self, id: RelationId) -> &'static str {
        self.relation(id).name.as_str()
    }

    /// Asserts that nothing that was written is left out, as what has an error is.
    fn check_whole(self) {
        let written = |is: fn(&tree::Item) -> bool| self.items().filter(|item| is(item)).count();
        let rules = written(|item| matches!(item, tree::Item::Rule(_)));
        assert_eq!(self.checked.rules.len(), rules, "a rule that is left out has an error");
        let tests = written(|item| matches!(item, tree::Item::Test(_)));
        assert_eq!(self.checked.tests.len(), tests, "a test that is left out has an error");
    }

    /// The strata, which a rule set without errors has.
    fn strata(self) -> Vec<Stratum> {
        strata(self.checked).ok().or_broken("a rule set without errors has strata")
    }

    fn items(self) -> impl Iterator<Item = &'a tree::Item> {
        self.files.iter().flat_map(|file| &file.items)
    }
}

/// A lint: its warnings in any order.
type Lint = for<'a> fn(Rules<'a>) -> Vec<Diagnostic>;

/// All lints, in the order of their codes.
const LINTS: [Lint; 13] = [
    singles::singles,
    unread::unread,
    never::never,
    empty::empty,
    duplicates::duplicates,
    growing::growing,
    documents::without_because,
    documents::undocumented,
    above::above,
    guarded::by_anyone,
    guarded::by_feed,
    effects::endless,
    effects::opposed,
];

/// The warnings for a rule set without errors, those left out that a `# allow: CODE` comment silences. `files` are
/// the trees that `checked` was made from.
pub fn lints(checked: &Checked, files: &[tree::File], sources: &Sources) -> Vec<Diagnostic> {
    let rules = Rules { checked, files };
    rules.check_whole();
    let mut found: Vec<Diagnostic> = LINTS.iter().flat_map(|lint| lint(rules)).collect();
    sort(&mut found);
    found.retain(|warning| !allow::allowed(warning, files, sources));
    documents::once_a_file(&mut found, sources);
    found
}
