//! Who may bring facts of an input that says `from role, …`, in claimed strength: a role has the authors that are
//! listed for it, and an author is believed to be who they say.

use std::collections::BTreeMap;

use hence_core::fact::Fact;
use hence_core::schema::Relation;
use hence_core::value::Value;
use hence_ledger::{Draft, ImportedFacts, Ledger, When};

use super::error::SessionError;
use super::{RuleSet, Session, history};

/// Who has which role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles(BTreeMap<String, Vec<String>>);

impl Roles {
    /// The authors of each role.
    pub fn new(roles: BTreeMap<String, Vec<String>>) -> Self {
        Self(roles)
    }

    fn has(&self, author: &str, role: &str) -> bool {
        self.0.get(role).is_some_and(|authors| authors.iter().any(|known| known == author))
    }

    /// Checks that `author` may bring these facts, asserted or retracted.
    ///
    /// # Errors
    /// The first that they may not: which role it takes, and who has it.
    pub fn check<'f>(
        &self,
        rules: &RuleSet,
        author: &str,
        facts: impl IntoIterator<Item = (&'f Fact, bool)>,
    ) -> Result<(), SessionError> {
        for (fact, asserted) in facts {
            let relation = rules.program.find(fact.relation).map(|id| &rules.program[id]);
            if let Some(relation) = relation.filter(|relation| relation.authors.is_some()) {
                self.check_role(relation, author, asserted)?;
                check_column(relation, author, fact)?;
            }
        }
        Ok(())
    }

    /// The same for facts that a migration carries over: they go on naming their authors.
    ///
    /// # Errors
    /// As [`Roles::check`].
    pub fn check_carried<'f>(
        &self,
        rules: &RuleSet,
        author: &str,
        facts: impl IntoIterator<Item = &'f Fact>,
    ) -> Result<(), SessionError> {
        for fact in facts {
            if let Some(id) = rules.program.find(fact.relation) {
                self.check_role(&rules.program[id], author, true)?;
            }
        }
        Ok(())
    }

    /// Checks that the author of a draft may bring its facts.
    ///
    /// # Errors
    /// As [`Roles::check`].
    pub fn check_draft(&self, rules: &RuleSet, draft: &Draft) -> Result<(), SessionError> {
        let asserted = draft.assertions.iter().map(|fact| (fact, true));
        let retracted = draft.retractions.iter().map(|fact| (fact, false));
        self.check(rules, &draft.author, asserted.chain(retracted))
    }

    pub(super) fn check_role(
        &self,
        relation: &Relation,
        author: &str,
        asserted: bool,
    ) -> Result<(), SessionError> {
        let Some(authors) = &relation.authors else { return Ok(()) };
        if authors.roles.iter().any(|role| self.has(author, role.as_str())) {
            return Ok(());
        }
        let verb = if asserted { "assert" } else { "retract" };
        let roles: Vec<String> = authors.roles.iter().map(|role| format!("`{role}`")).collect();
        let word = if roles.len() == 1 { "the role" } else { "one of the roles" };
        let message = format!(
            "`{author}` may not {verb} `{}`: that takes {word} {}; {}",
            relation.name,
            roles.join(", "),
            self.who(relation)
        );
        Err(SessionError::NotAllowed { message })
    }

    /// Who may, in words.
    fn who(&self, relation: &Relation) -> String {
        let roles = relation.authors.iter().flat_map(|authors| &authors.roles);
        let mut names: Vec<&str> =
            roles.filter_map(|role| self.0.get(role.as_str())).flatten().map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        match names.as_slice() {
            [] => String::from("nobody has it: list names in `[roles]` of hence.toml"),
            [one] => format!("`{one}` has it"),
            all => format!(
                "{} have it",
                all.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
        }
    }
}

/// The column that names the author names them.
fn check_column(relation: &Relation, author: &str, fact: &Fact) -> Result<(), SessionError> {
    let column = relation.authors.as_ref().and_then(|authors| authors.column);
    let Some((at, Value::String(named))) = column.and_then(|at| Some((at, *fact.values.get(at)?))) else {
        return Ok(());
    };
    if named.as_str() == author {
        return Ok(());
    }
    let name = relation.columns.get(at).map_or("", |column| column.name.as_str());
    let message = format!("`{fact}` names `{named}` in the column `{name}`, but its author is `{author}`");
    Err(SessionError::NotAllowed { message })
}

impl RuleSet {
    /// The same rules for reading facts that `author` brings: a column that names the author may be left out.
    #[must_use]
    pub fn read_for(&self, author: &str) -> Self {
        let mut rules = self.clone();
        let named = |relation: &mut Relation| {
            let column = relation.authors.as_ref().and_then(|authors| authors.column);
            if let Some(column) = column.and_then(|at| relation.columns.get_mut(at)) {
                column.default = Some(Value::String(author.into()));
            }
        };
        rules.program.relations.iter_mut().for_each(named);
        rules.checked.relations.iter_mut().for_each(named);
        rules
    }

    /// Whether some input says which column names the author.
    pub fn names_authors(&self) -> bool {
        let authors = self.program.relations.iter().filter_map(|relation| relation.authors.as_ref());
        authors.into_iter().any(|authors| authors.column.is_some())
    }
}

/// Checks who brings the facts of transactions that are imported: by the rules in use, by those that decided last before
/// the import, and by those of the transaction or of the last before it.
pub struct Admission<'r> {
    roles: &'r Roles,
    own: RuleSet,
    /// The rules that decided last before the import, once that was looked up.
    before: Option<Option<RuleSet>>,
    rules: Option<(hence_ledger::Hash, RuleSet)>,
}

impl<'r> Admission<'r> {
    /// By these roles; `own` are the rules that are in use where the transactions are brought.
    pub fn new(roles: &'r Roles, own: RuleSet) -> Self {
        Self { roles, own, before: None, rules: None }
    }

    /// Checks one transaction.
    ///
    /// # Errors
    /// Why it isn't taken, in words.
    pub fn check(&mut self, ledger: &Ledger, brought: &ImportedFacts<'_>) -> Result<(), String> {
        if self.before.is_none() {
            let last = Session::rules_at(ledger, When::Now);
            // Rules that this version doesn't understand say nothing of authors that it would.
            self.before = Some(last.ok().flatten().map(|(_, rules)| rules));
        }
        self.take_rules(ledger, brought);
        let now = self.rules.as_ref().map(|(_, rules)| rules);
        for rules in [&self.own].into_iter().chain(self.before.iter().flatten()).chain(now) {
            let facts = brought.own.iter().map(|(fact, asserted)| (fact, *asserted));
            self.roles.check(rules, brought.author, facts).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn take_rules(&mut self, ledger: &Ledger, brought: &ImportedFacts<'_>) {
        let Some(hash) = brought.rules else { return };
        if self.rules.as_ref().is_some_and(|(known, _)| *known == hash) {
            return;
        }
        let rules = match &brought.rule_set {
            Some(set) => RuleSet::from_recorded(set),
            None => history::recorded(ledger, hash),
        };
        self.rules = rules.ok().map(|rules| (hash, rules));
    }
}
