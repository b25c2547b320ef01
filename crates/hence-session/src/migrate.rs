//! Migrations: rules read recorded facts under the columns that they were recorded with, and write them under those
//! that are declared now.

mod carried;
mod program;

use std::collections::{BTreeMap, BTreeSet};

use hence_core::diagnostic;
use hence_core::fact::Fact;
use hence_core::schema::{Column, Kind, Personal, Relation, RelationId};
use hence_core::symbol::Symbol;
use hence_engine::{Database, Engine, Limits};
use hence_ledger as ledger;
use hence_ledger::{Draft, Ledger, Recast, Recorded, Schema, When, personal_fact};

use super::ask::reports;
use super::error::{Faults, SessionError};
use super::evaluation::{self, Evaluation};
use super::fitting::{Legacy, Reading};
use super::misfit::form;
use super::{RuleSet, evaluate_program, facts_of};

use program::OLD;

/// The source of the transaction of a migration.
pub(super) const MIGRATION: &str = "migrate";

/// What a migration does to one relation.
#[derive(Clone, Debug, Default)]
pub struct Migrated {
    /// The relation with the columns of its recorded facts, where it has some.
    pub recorded: Option<String>,
    /// The relation with its declared columns, where the rules have it as an input.
    pub declared: Option<String>,
    /// The facts that are retracted, under the columns that they were recorded with.
    pub retracted: Vec<Fact>,
    /// The facts that are asserted.
    pub asserted: Vec<Fact>,
    /// How many of those asserted are written without what `[redact]` keeps out of the ledger.
    pub redacted: usize,
    /// Those retracted that no rule carries over.
    pub left: Vec<Fact>,
}

/// What the rules of a migration come to.
#[derive(Clone, Debug)]
pub struct Migration {
    /// What happens to each relation, by its name.
    pub relations: BTreeMap<Symbol, Migrated>,
    draft: Draft,
}

/// A recorded relation, as the rules of a migration read it.
struct Old {
    recorded: Recorded,
    /// Reads facts that are older than some columns.
    recast: Recast,
    /// Which of the columns hold personal values.
    personal: Vec<Personal>,
}

/// What a migration reads.
struct Sources<'a> {
    rules: &'a RuleSet,
    ledger: &'a Ledger,
    legacy: Legacy,
    old: BTreeMap<Symbol, Old>,
}

impl Migration {
    /// What the rules in `text`, a file called `name`, make of the facts of `ledger`, so that `rules` can read them.
    ///
    /// # Errors
    /// Faults of those rules, a relation that needs to be migrated and isn't, a limit that was reached.
    pub fn new(
        rules: &RuleSet,
        ledger: &Ledger,
        (name, text): (&str, &str),
        now: i64,
        (engine, limits): (&dyn Engine, &Limits),
    ) -> Result<Self, SessionError> {
        let sources = Sources::new(rules, ledger)?;
        let migrating = program::migrating(&sources, name, text)?;
        let (gone, written) = sources.concerned(&migrating)?;
        if written.is_empty() {
            let message = format!("no rule of `{name}` derives an input");
            return Err(SessionError::Unknown { message });
        }
        let input = sources.input(&migrating, now)?;
        let program = carried::program(&migrating.program, &gone, &written);
        let evaluated = evaluate_program(&program, &migrating.sources, input, engine, limits)?;
        if !evaluated.model.undefined.is_empty() {
            let lines = reports(&migrating, &evaluated).join("\n");
            let message = format!("nothing is migrated, since an operation is undefined:\n{lines}");
            return Err(SessionError::Unknown { message });
        }
        let mut migration = Self { relations: BTreeMap::new(), draft: Draft::default() };
        for relation in &written {
            sources.check_personal(&migrating, *relation)?;
        }
        for relation in gone {
            migration.retract(&sources, relation, carried::facts(&program, &evaluated, relation))?;
        }
        for relation in written {
            migration.assert(&sources, &program, &evaluated, relation)?;
        }
        migration.draft.rules = Some(recorded_text(rules, name, text));
        Ok(migration)
    }

    /// How many facts no rule carries over.
    pub fn left(&self) -> usize {
        self.relations.values().map(|migrated| migrated.left.len()).sum()
    }

    /// The transaction that does it.
    pub fn draft(self) -> Draft {
        Draft { source: String::from(MIGRATION), ..self.draft }
    }

    fn retract(
        &mut self,
        sources: &Sources<'_>,
        relation: Symbol,
        carried: BTreeSet<Fact>,
    ) -> Result<(), SessionError> {
        let Some(old) = sources.old.get(&relation) else { return Ok(()) };
        if sources.ledger.has_unreadable(relation)? {
            let message = format!(
                "facts of `{relation}` hold personal values whose keys are not here: put `personal.keys` back, or \
                retract them"
            );
            return Err(SessionError::Unknown { message });
        }
        let migrated = self.relations.entry(relation).or_default();
        migrated.recorded = Some(form(relation, &old.recorded.columns));
        for fact in sources.ledger.facts(relation) {
            let (stored, _) = fact?;
            if sources.ledger.redaction().matches_fact(&stored) {
                let message = format!(
                    "a fact of `{relation}` matches `[redact]`, so its retraction can't be recorded; \
                    migrate without that pattern"
                );
                return Err(SessionError::Unknown { message });
            }
            let fact = old.read(&stored)?;
            if !carried.contains(&fact) {
                migrated.left.push(fact.clone());
            }
            migrated.retracted.push(fact);
            self.draft.retractions.push(stored);
        }
        Ok(())
    }

    fn assert(
        &mut self,
        sources: &Sources<'_>,
        program: &hence_lang::ir::Program,
        evaluated: &Evaluation,
        relation: Symbol,
    ) -> Result<(), SessionError> {
        let declared = sources.input_of(relation)?;
        let migrated = self.relations.entry(relation).or_default();
        migrated.declared = Some(declared.to_string());
        let id = program.find(relation);
        for fact in id.map(|id| facts_of(program, &evaluated.model, id)).unwrap_or_default() {
            if !declared.columns.iter().zip(&fact.values).all(|(column, value)| column.ty.admits(*value)) {
                let message = format!("the migration derives `{fact}`, which doesn't match `{declared}`");
                return Err(SessionError::Unknown { message });
            }
            migrated.asserted.push(fact);
        }
        let redaction = sources.ledger.redaction();
        migrated.redacted = migrated.asserted.iter().filter(|fact| redaction.matches_fact(fact)).count();
        redaction.facts(&mut migrated.asserted)?;
        let (recast, schemas) = sources.written(declared)?;
        let stored = migrated.asserted.iter().map(|fact| {
            let form = recast.forms(&fact.values).into_iter().next();
            Fact { relation, values: form.unwrap_or_else(|| fact.values.clone()) }
        });
        self.draft.assertions.extend(stored);
        // A relation of which nothing was ever recorded gets its columns with its first facts.
        if !migrated.asserted.is_empty() || sources.ledger.all_relations().any(|known| known == relation) {
            let renews = schemas.iter().any(|schema| schema.renews);
            self.draft.schemas.extend(schemas);
            self.declare_personal(sources, declared, renews)?;
        }
        Ok(())
    }

    /// Records which columns of a relation are personal now; where its columns are other ones, no longer those before.
    fn declare_personal(
        &mut self,
        sources: &Sources<'_>,
        declared: &Relation,
        renews: bool,
    ) -> Result<(), SessionError> {
        let known = sources.ledger.personal()?.get(&declared.name).map_or(&[][..], Vec::as_slice);
        let only = |one: &[Personal], other: &[Personal]| -> Vec<Fact> {
            let news = one.iter().filter(|personal| !other.contains(personal));
            news.map(|personal| personal_fact(declared.name, *personal)).collect()
        };
        self.draft.assertions.extend(only(&declared.personal, known));
        if renews {
            self.draft.retractions.extend(only(known, &declared.personal));
        }
        Ok(())
    }
}

impl Old {
    fn read(&self, stored: &Fact) -> Result<Fact, SessionError> {
        let values = self.recast.read(&stored.values);
        let message = || format!("`{stored}` is recorded with columns that its relation doesn't have");
        let values = values.ok_or_else(|| SessionError::Unknown { message: message() })?;
        Ok(Fact { relation: stored.relation, values })
    }
}

impl<'a> Sources<'a> {
    fn new(rules: &'a RuleSet, ledger: &'a Ledger) -> Result<Self, SessionError> {
        let mut sources = Self { rules, ledger, legacy: Legacy::default(), old: BTreeMap::new() };
        let relations: Vec<Symbol> = ledger.all_relations().collect();
        for relation in
            relations.into_iter().filter(|relation| is_word(*relation) && ledger.count(*relation) > 0)
        {
            let recorded = match ledger.recorded(relation, When::Now)? {
                Some(recorded) => recorded,
                None => sources.unrecorded(relation)?,
            };
            if let Ok(recast) = Recast::between(&recorded, &recorded.columns) {
                let personal = ledger.personal()?.get(&relation).map_or_else(Vec::new, Clone::clone);
                sources.old.insert(relation, Old { recorded, recast, personal });
            }
        }
        Ok(sources)
    }

    fn reading(&self) -> Reading<'_> {
        Reading { ledger: self.ledger, at: When::Now, legacy: &self.legacy, trusted: false }
    }

    /// The columns of a relation whose facts are older than recorded columns.
    fn unrecorded(&self, relation: Symbol) -> Result<Recorded, SessionError> {
        let named = self.legacy.columns(self.ledger, relation, self.ledger.last_tx())?;
        let first = self.ledger.facts(relation).next().transpose()?;
        let types: Vec<_> =
            first.iter().flat_map(|(fact, _)| fact.values.iter().map(|value| value.ty())).collect();
        let fits =
            |columns: &Vec<Column>| columns.iter().map(|column| column.ty.ty).eq(types.iter().copied());
        let declared = self.declared(relation).map(|declared| declared.columns.clone());
        let numbered = || {
            let column = |(at, ty): (usize, &hence_core::value::Type)| {
                Column::new(Symbol::new(&format!("c{}", at + 1)), hence_core::schema::ColumnType::plain(*ty))
            };
            types.iter().enumerate().map(column).collect()
        };
        let columns = named.filter(&fits).or(declared.filter(&fits)).unwrap_or_else(numbered);
        Ok(Recorded::of(&columns))
    }

    fn declared(&self, relation: Symbol) -> Option<&'a Relation> {
        let program = &self.rules.program;
        program.find(relation).and_then(|id| program.relation(id))
    }

    fn input_of(&self, relation: Symbol) -> Result<&'a Relation, SessionError> {
        let message = || format!("unknown input `{relation}`");
        let declared = self.declared(relation).filter(|declared| declared.kind == Kind::Input);
        declared.ok_or_else(|| SessionError::Unknown { message: message() })
    }

    fn check_personal(&self, migrating: &RuleSet, relation: Symbol) -> Result<(), SessionError> {
        let recorded = self.old.get(&relation).map(|old| (&old.recorded.columns[..], &old.personal[..]));
        program::check_personal(migrating, self.input_of(relation)?, recorded)
            .map_err(|message| SessionError::Unknown { message })
    }

    /// The relations whose facts go, and those that are written.
    fn concerned(&self, migrating: &RuleSet) -> Result<(BTreeSet<Symbol>, BTreeSet<Symbol>), SessionError> {
        let named = |id: RelationId| migrating.program.relation(id).map(|relation| relation.name);
        let written: BTreeSet<Symbol> = program::written(migrating, self.rules).collect();
        let reads = migrating.program.rules.iter().flat_map(|rule| rule.reads()).filter_map(named);
        let read: BTreeSet<Symbol> =
            reads.filter_map(|name| name.as_str().strip_prefix(OLD).map(Symbol::new)).collect();
        let is_input = |name: &Symbol| self.declared(*name).is_some_and(|found| found.kind == Kind::Input);
        let gone: BTreeSet<Symbol> = self
            .old
            .keys()
            .copied()
            .filter(|name| written.contains(name) || read.contains(name) && !is_input(name))
            .collect();
        let mut found = Vec::new();
        for relation in self.rules.program.relations.iter().filter(|known| self.old.contains_key(&known.name))
        {
            if let (Err(misfit), false) = (self.reading().fit(relation)?, gone.contains(&relation.name)) {
                found.push(misfit.diagnostic(relation));
            }
        }
        if found.is_empty() {
            return Ok((gone, written));
        }
        diagnostic::sort(&mut found);
        let faults = Faults { sources: self.rules.sources.clone(), diagnostics: found };
        Err(SessionError::Faults(Box::new(faults)))
    }

    /// What the rules of the migration read.
    fn input(&self, migrating: &RuleSet, now: i64) -> Result<Database, SessionError> {
        let program = &migrating.program;
        let mut input = Database::new(program);
        for (id, relation) in (0..).map(RelationId).zip(&program.relations) {
            if relation.kind != Kind::Input {
                continue;
            }
            let mut take = |row: &[hence_core::value::Word]| input.push(id, row);
            let recorded = relation.name.as_str().strip_prefix(OLD).map(Symbol::new);
            match recorded.and_then(|name| Some((name, self.old.get(&name)?))) {
                Some((name, old)) => self.ledger.each_row(name, When::Now, &old.recast, &[], &mut take)?,
                None => {
                    let recast =
                        self.reading().one(relation)?.unwrap_or_else(|| Recast::plain(&relation.columns));
                    self.ledger.each_row(relation.name, When::Now, &recast, &[], &mut take)?;
                }
            }
        }
        evaluation::add_now(program, &mut input, now);
        Ok(input)
    }

    /// How the new facts of a relation are recorded: again where those before don't compare.
    fn written(&self, declared: &Relation) -> Result<(Recast, Vec<Schema>), SessionError> {
        let columns = Recast::plain(&declared.columns).columns().to_vec();
        let schema = |renews| vec![Schema { relation: declared.name, columns: columns.clone(), renews }];
        let knows = self.old.contains_key(&declared.name);
        Ok(match self.reading().fit(declared)? {
            Ok(fit) => {
                (fit.recast, if knows || !fit.schemas.is_empty() { fit.schemas } else { schema(false) })
            }
            Err(_) => (Recast::plain(&declared.columns), schema(true)),
        })
    }
}

/// Whether a text is a name that rules can give to a relation.
fn is_word(relation: Symbol) -> bool {
    let text = relation.as_str();
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The rules in force, and those of the migration beside them in comments, since they read what isn't there any more.
fn recorded_text(rules: &RuleSet, name: &str, text: &str) -> ledger::RecordedRules {
    let recorded = rules.recorded();
    let lines: String = text.lines().map(|line| format!("# {line}\n")).collect();
    let beside = (format!("migrate {name}"), lines);
    let files = recorded.files().iter().cloned().chain([beside]).collect();
    ledger::RecordedRules::new(files, recorded.params().to_vec())
}
