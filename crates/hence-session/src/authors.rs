//! Who may bring facts of an input that says `from role, …`, in claimed strength: a role has the authors that are
//! listed for it, and an author is believed to be who they say.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fact::Fact;
use hence_core::literal::time_text;
use hence_core::schema::Relation;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{ADMIN, Draft, ERASED, ImportedFacts, Ledger, LedgerError, Said, When};

use super::error::SessionError;
use super::migrate::MIGRATION;
use super::{RuleSet, Session, history, parameters, shards};

/// The role of who may bring what others say.
const RECORDER: &str = "recorder";

/// Who has which role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    roles: BTreeMap<String, Vec<String>>,
    /// Whether the principals of a ledger say so.
    signed: bool,
}

impl Roles {
    /// The authors of each role.
    pub fn new(roles: BTreeMap<String, Vec<String>>) -> Self {
        Self { roles, signed: false }
    }

    /// Who has which role in a ledger: its principals, where it demands signatures.
    fn in_ledger(&self, ledger: &Ledger) -> Result<Self, SessionError> {
        let principals = ledger.principals()?;
        Ok(match principals.demand_signatures() {
            true => Self { roles: principals.roles(ledger.last_tx()), signed: true },
            false => self.clone(),
        })
    }

    fn has(&self, author: &str, role: &str) -> bool {
        self.roles.get(role).is_some_and(|authors| authors.iter().any(|known| known == author))
    }

    /// Checks that these facts, asserted or retracted, may be brought as `said`, and lie in the shard of the ledger.
    ///
    /// # Errors
    /// The first that may not: which role it takes, and who has it; a column that names somebody else or another
    /// instant; a clock that was set back; another shard.
    pub fn check<'f>(
        &self,
        rules: &RuleSet,
        ledger: &Ledger,
        said: Saying<'_>,
        facts: impl IntoIterator<Item = (&'f Fact, bool)>,
    ) -> Result<(), SessionError> {
        let mut timed = None;
        let mut roles = None;
        let shard = ledger.shard();
        for (fact, asserted) in facts {
            if let Some(shard) = shard {
                shards::check_fact(rules, shard, fact)?;
            }
            let relation = rules.program.find(fact.relation).map(|id| &rules.program[id]);
            let relation = relation.filter(|relation| relation.authors.is_some());
            if relation.is_none() && !parameters::is_param(fact) {
                continue;
            }
            let roles = match &mut roles {
                Some(roles) => roles,
                none => none.insert(self.in_ledger(ledger)?),
            };
            parameters::check_author(roles, rules, said.author, fact)?;
            if let Some(relation) = relation {
                roles.check_role(relation, said.author, asserted)?;
                check_author(relation, said.author, fact)?;
                if asserted && check_instant(relation, said, fact)? {
                    timed = Some(fact);
                }
            }
        }
        timed.map_or(Ok(()), |fact| check_clock(ledger, said.instant, fact))
    }

    /// Checks that the author may bring what others say, and that these may say it: where authors are believed, with the
    /// role `recorder`; where signatures are demanded, theirs hold.
    ///
    /// # Errors
    /// As [`Roles::check`]; who has no such role; whose signature does not hold here.
    pub fn check_said(
        &self,
        rules: &RuleSet,
        ledger: &Ledger,
        by: Saying<'_>,
        said: &[Said],
    ) -> Result<(), SessionError> {
        if said.is_empty() {
            return Ok(());
        }
        let roles = self.in_ledger(ledger)?;
        let since = if roles.signed { ledger.info(ledger.last_tx())?.time } else { by.instant };
        for one in said {
            if !roles.signed {
                roles.check_one_of(
                    &[Symbol::new(RECORDER)],
                    by.author,
                    &format!("speak for `{}`", one.author),
                )?;
            }
            let saying = Saying { author: &one.author, since: since.min(by.instant), ..by };
            self.check(rules, ledger, saying, [(&one.fact, true)])?;
        }
        ledger.check_said(said).map_err(|error| match error {
            LedgerError::Principal { what: message } => SessionError::NotAllowed { message },
            other => other.into(),
        })
    }

    /// As [`Roles::check`], for facts that a migration carries over: they go on naming their authors.
    ///
    /// # Errors
    /// As [`Roles::check`].
    pub fn check_carried<'f>(
        &self,
        (rules, ledger): (&RuleSet, &Ledger),
        author: &str,
        facts: impl IntoIterator<Item = &'f Fact>,
    ) -> Result<(), SessionError> {
        let roles = self.in_ledger(ledger)?;
        for fact in facts {
            let relation = rules.program.find(fact.relation).map(|id| &rules.program[id]);
            let Some(relation) = relation.filter(|relation| relation.authors.is_some()) else { continue };
            roles.check_role(relation, author, true)?;
            if roles.signed && !roles.has(author, ADMIN) {
                let message = format!(
                    "`{author}` may not carry `{}` over: that takes the role `{ADMIN}`, too",
                    relation.name
                );
                return Err(SessionError::NotAllowed { message });
            }
        }
        Ok(())
    }

    /// Checks that the author of a draft may bring its facts.
    ///
    /// # Errors
    /// As [`Roles::check`].
    pub fn check_draft(&self, rules: &RuleSet, ledger: &Ledger, draft: &Draft) -> Result<(), SessionError> {
        let retracted = retracted(ledger, &draft.assertions, &draft.retractions)?;
        let asserted = draft.assertions.iter().map(|fact| (fact, true));
        let said = Saying::at(&draft.author, draft.clock.unwrap_or(draft.time));
        self.check(rules, ledger, said, asserted.chain(retracted))
    }

    pub(super) fn check_role(
        &self,
        relation: &Relation,
        author: &str,
        asserted: bool,
    ) -> Result<(), SessionError> {
        let Some(authors) = &relation.authors else { return Ok(()) };
        let verb = if asserted { "assert" } else { "retract" };
        self.check_one_of(&authors.roles, author, &format!("{verb} `{}`", relation.name))
    }

    /// Checks that an author has one of these roles, which `deed` takes.
    pub(super) fn check_one_of(
        &self,
        roles: &[Symbol],
        author: &str,
        deed: &str,
    ) -> Result<(), SessionError> {
        if roles.iter().any(|role| self.has(author, role.as_str())) {
            return Ok(());
        }
        let named: Vec<String> = roles.iter().map(|role| format!("`{role}`")).collect();
        let word = if named.len() == 1 { "the role" } else { "one of the roles" };
        let message =
            format!("`{author}` may not {deed}: that takes {word} {}; {}", named.join(", "), self.who(roles));
        Err(SessionError::NotAllowed { message })
    }

    /// Who may, in words.
    fn who(&self, roles: &[Symbol]) -> String {
        let named = roles.iter().filter_map(|role| self.roles.get(role.as_str()));
        let mut names: Vec<&str> = named.flatten().map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        match names.as_slice() {
            [] if self.signed => String::from("no principal has it: add one with `hence principal add`"),
            [] => String::from("nobody has it: list names in `[roles]` of hence.toml"),
            [one] => format!("`{one}` has it"),
            all => format!(
                "{} have it",
                all.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
        }
    }
}

impl Session {
    /// Checks that `author` may assert a fact at `instant`; without a ledger anybody may.
    ///
    /// # Errors
    /// Why not, as [`Roles::check`] says it; a ledger that can't be read.
    pub fn may_assert(&self, author: &str, instant: i64, fact: &Fact) -> Result<(), SessionError> {
        let Some(ledger) = self.ledger() else { return Ok(()) };
        let mut stamped = [fact.clone()];
        self.rules.stamp(&mut stamped, instant);
        self.roles.check(
            &self.rules,
            ledger,
            Saying::at(author, instant),
            stamped.iter().map(|fact| (fact, true)),
        )
    }
}

/// The retractions that somebody has to be allowed to make: those of facts that go with their keys are left out.
pub(super) fn retracted<'f>(
    ledger: &Ledger,
    assertions: &[Fact],
    retractions: &'f [Fact],
) -> Result<Vec<(&'f Fact, bool)>, SessionError> {
    let erased = erased_by(assertions);
    let mut left = Vec::new();
    for fact in retractions {
        if !ledger.is_under_key(fact, &erased)? {
            left.push((fact, false));
        }
    }
    Ok(left)
}

/// The keys that are destroyed with these facts. What is under them goes whoever said it: it is nobody's any more.
fn erased_by<'f>(facts: impl IntoIterator<Item = &'f Fact>) -> BTreeSet<String> {
    let erased = facts.into_iter().filter(|fact| fact.relation.as_str() == ERASED);
    erased.filter_map(|fact| fact.values.first()).map(|value| value.text()).collect()
}

/// Who brings facts, and at which instant: the clock of the transaction, or its time where it has none.
#[derive(Clone, Copy, Debug)]
pub struct Saying<'a> {
    /// The author.
    pub author: &'a str,
    /// Microseconds since the epoch.
    pub instant: i64,
    /// From when on they may have been said, for words that are signed before they are brought.
    since: i64,
}

impl<'a> Saying<'a> {
    /// What `author` says at `instant`.
    pub fn at(author: &'a str, instant: i64) -> Self {
        Self { author, instant, since: instant }
    }
}

/// Whether an input says `from`.
fn is_guarded(rules: &RuleSet, relation: Symbol) -> bool {
    rules.program.find(relation).is_some_and(|id| rules.program[id].authors.is_some())
}

/// The column that names the author names them.
fn check_author(relation: &Relation, author: &str, fact: &Fact) -> Result<(), SessionError> {
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

/// The column that holds the instant of the transaction holds it; whether there is one.
fn check_instant(relation: &Relation, said: Saying<'_>, fact: &Fact) -> Result<bool, SessionError> {
    let column = relation.authors.as_ref().and_then(|authors| authors.time);
    let Some((at, Value::Time(stated))) = column.and_then(|at| Some((at, *fact.values.get(at)?))) else {
        return Ok(false);
    };
    if (said.since..=said.instant).contains(&stated) {
        return Ok(true);
    }
    let name = relation.columns.get(at).map_or("", |column| column.name.as_str());
    let message = format!(
        "`{fact}` is asserted at @{}, but its column `{name}` says @{}; leave `{name}` out, and it is filled in",
        time_text(said.instant),
        time_text(stated)
    );
    Err(SessionError::NotAllowed { message })
}

/// A fact that holds the instant of its transaction is never older than what was recorded before it.
fn check_clock(ledger: &Ledger, instant: i64, fact: &Fact) -> Result<(), SessionError> {
    let last = ledger.last_where(|info| info.clock.is_some())?;
    let Some((last, clock)) = last.and_then(|info| Some((info.tx, info.clock?))) else { return Ok(()) };
    if clock <= instant {
        return Ok(());
    }
    let message = format!(
        "`{fact}` is backdated: transaction {last} was recorded at @{}, after @{}",
        time_text(clock),
        time_text(instant)
    );
    Err(SessionError::NotAllowed { message })
}

/// What stands in a column that is to hold the instant of a transaction, until that is known; no text says such a time.
const UNKNOWN_YET: Value = Value::Time(i64::MIN);

impl RuleSet {
    /// The same rules for reading facts that `author` brings: a column that names the author may be left out, and one
    /// that holds the instant, which [`RuleSet::stamp`] fills in.
    #[must_use]
    pub fn read_for(&self, author: &str) -> Self {
        let mut rules = self.clone();
        let named = |relation: &mut Relation| {
            let Some(authors) = &relation.authors else { return };
            let columns = [(authors.column, Value::String(author.into())), (authors.time, UNKNOWN_YET)];
            for (at, value) in columns {
                if let Some(column) = at.and_then(|at| relation.columns.get_mut(at)) {
                    column.default = Some(value);
                }
            }
        };
        rules.program.relations.iter_mut().for_each(named);
        rules.checked.relations.iter_mut().for_each(named);
        rules
    }

    /// Whether a fact has a column that holds the instant of its transaction.
    pub fn holds_instant(&self, fact: &Fact) -> bool {
        let relation = self.program.find(fact.relation).map(|id| &self.program[id]);
        relation.and_then(|relation| relation.authors.as_ref()?.time).is_some()
    }

    /// Fills in the instant of the transaction where facts left it out; whether any of them holds it.
    pub fn stamp<'f>(&self, facts: impl IntoIterator<Item = &'f mut Fact>, instant: i64) -> bool {
        let mut held = false;
        for fact in facts {
            let relation = self.program.find(fact.relation).map(|id| &self.program[id]);
            let column = relation.and_then(|relation| relation.authors.as_ref()?.time);
            if let Some(value) = column.and_then(|at| fact.values.get_mut(at)) {
                held = true;
                if *value == UNKNOWN_YET {
                    *value = Value::Time(instant);
                }
            }
        }
        held
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
            self.check_by(rules, ledger, brought).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn check_by(
        &self,
        rules: &RuleSet,
        ledger: &Ledger,
        brought: &ImportedFacts<'_>,
    ) -> Result<(), SessionError> {
        // A migration goes on naming the authors of what it carries over.
        let is_carried = |fact: &Fact| brought.source == MIGRATION && is_guarded(rules, fact.relation);
        let whole = ledger.shard().is_some();
        let concerns = |name: Symbol| {
            whole || [parameters::PARAM, ERASED].contains(&name.as_str()) || is_guarded(rules, name)
        };
        let own = brought.own(&concerns)?;
        let carried = own.iter().map(|(fact, _)| fact).filter(|fact| is_carried(fact));
        self.roles.check_carried((rules, ledger), brought.author, carried)?;
        let others: BTreeSet<&Fact> = brought.said.iter().map(|said| &said.fact).collect();
        let erased = erased_by(own.iter().filter(|(_, asserted)| *asserted).map(|(fact, _)| fact));
        let mut checked = Vec::new();
        for (fact, asserted) in &own {
            let goes = !asserted && ledger.is_under_key(fact, &erased)?;
            if !goes && !others.contains(fact) && !is_carried(fact) {
                checked.push((fact, *asserted));
            }
        }
        let by = Saying::at(brought.author, brought.instant);
        self.roles.check(rules, ledger, by, checked)?;
        self.roles.check_said(rules, ledger, by, brought.said)
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
