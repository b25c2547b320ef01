//! Opening what commands work on: sessions over files and over ledgers.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hence_core::diagnostic::nearest;
use hence_core::schema::Kind;
use hence_core::symbol::Symbol;
use hence_ledger::{Keys, Ledger, LedgerError, Notice, OpenOptions, When};
use hence_session::compiled;
use hence_session::{EvaluationScope, RuleSet, Session, SessionError};

use super::diagnostics::count;
use super::keys::KeyFiles;
use super::options::{EngineName, EngineOptions, FactOptions, RuleOptions};
use super::owner::{self, Mailbox, Owner};
use super::{Failure, arguments, config, output, progress, secrets};

/// The name of a ledger that is gone with the process.
const IN_MEMORY: &str = ":memory:";

/// What mends a question without a ledger and without facts.
pub(super) const GIVE_FACTS: &str =
    "; give facts with --facts PATH, or record some with `hence decide --facts PATH`";

/// The most characters of a command that others are told.
#[cfg(unix)]
const LONGEST_COMMAND: usize = 500;

/// How many relations are named that the rules don't declare, or that have no compiled code.
const SHOWN: usize = 8;
/// How many bytes wait until another thread writes them to the base of a ledger that is owned. Before somebody else has a turn,
/// what waits is written while they wait.
const OWNED_BACKLOG: usize = 1 << 20;

/// A session that only reads: over the fact files named, else over the ledger.
pub(super) fn for_reading(
    named: &RuleOptions,
    facts: &FactOptions,
    engine: &EngineOptions,
) -> Result<Session, Failure> {
    let session = quietly(named, facts, engine)?;
    if named.packs.is_empty() {
        warn_of_undeclared(&session)?;
    }
    Ok(session)
}

/// The same without a word on what the rules don't declare.
pub(super) fn quietly(
    named: &RuleOptions,
    facts: &FactOptions,
    engine: &EngineOptions,
) -> Result<Session, Failure> {
    let rules = named.source().build()?;
    let files = facts.files();
    if !files.is_empty() && (facts.store.is_some() || facts.up_to.is_some()) {
        return Err(Failure::Usage(String::from(
            "--facts reads files, --store and --up-to read a ledger: use only one, or record the facts with \
            `hence assert --facts PATH`",
        )));
    }
    let asked = facts.store.is_some() || facts.up_to.is_some() || facts.store().exists();
    let files = if files.is_empty() && !asked { facts.files_or_own(&rules)? } else { files };
    let session = if files.is_empty() {
        facts.existing_store(GIVE_FACTS)?;
        let ledger = ledger(facts, true)?;
        Session::over_ledger(under_recorded(rules, &ledger, named)?, ledger)
    } else {
        let read = hence_session::read_facts(&rules, &files.on(engine.readers()))?;
        Session::over_facts(rules, read)?
    };
    equip(session, engine)
}

/// A session over the ledger.
pub(super) fn for_writing(
    named: &RuleOptions,
    facts: &FactOptions,
    engine: &EngineOptions,
    read_only: bool,
) -> Result<Session, Failure> {
    writing((named, facts, engine), read_only, &options())
}

fn writing(
    (named, facts, engine): (&RuleOptions, &FactOptions, &EngineOptions),
    read_only: bool,
    options: &OpenOptions,
) -> Result<Session, Failure> {
    let rules = named.source().build()?;
    lints(&rules, named);
    named.check_settings(&rules)?;
    if !read_only {
        secrets::warn_of_rules(&rules);
    }
    let ledger = if read_only && !facts.store().exists() {
        Ledger::memory_with(options).map_err(failure)?
    } else {
        opened(facts, read_only, options)?
    };
    let rules = under_recorded(rules, &ledger, named)?;
    let session = equip(Session::over_ledger(rules, ledger), engine)?.with_cross_check(engine.cross_check());
    for pack in session.unchecked() {
        output::warning(&format!(
            "the decisions of `{pack}` are not cross-checked: these rules are not those that were compiled"
        ));
    }
    Ok(session)
}

/// The rules under the parameters that the ledger has recorded; `--set` goes before these.
fn under_recorded(rules: RuleSet, ledger: &Ledger, named: &RuleOptions) -> Result<RuleSet, Failure> {
    rules.check_shard(ledger)?;
    Ok(rules.under_recorded(&hence_session::recorded_params(ledger, When::Now)?, &named.sets)?)
}

/// The ledger that the options name, of which alone a command is.
pub(super) fn ledger(facts: &FactOptions, read_only: bool) -> Result<Ledger, Failure> {
    if !facts.files().is_empty() {
        let message = "this command reads a ledger only, but --facts names files; omit it";
        return Err(Failure::Usage(String::from(message)));
    }
    ledger_beside(facts, read_only)
}

/// The ledger that the options name beside files of facts.
pub(super) fn ledger_beside(facts: &FactOptions, read_only: bool) -> Result<Ledger, Failure> {
    opened(facts, read_only, &options())
}

fn opened(facts: &FactOptions, read_only: bool, options: &OpenOptions) -> Result<Ledger, Failure> {
    if facts.store().as_os_str() == IN_MEMORY {
        return Ledger::memory_with(options).map_err(failure);
    }
    if facts.up_to.is_some() && !read_only {
        return Err(Failure::Usage(String::from(
            "--up-to is for reading, but this command writes to the ledger",
        )));
    }
    let opened = if read_only {
        let options = OpenOptions { up_to: facts.up_to, ..options.clone() };
        Ledger::open_to_ask(facts.store(), &options).map_err(failure)
    } else {
        write_to(&facts.store(), facts.wait(), options)
    };
    progress::clear();
    let mut ledger = opened?;
    warn(&mut ledger);
    Ok(ledger)
}

/// The ledger in `store` for writing; where another process owns it, for a turn. `wait` is as [`owner::among`] takes it.
pub(super) fn write_to(
    store: &Path,
    wait: Option<Duration>,
    options: &OpenOptions,
) -> Result<Ledger, Failure> {
    let open = |wait| Ledger::open(store, &OpenOptions { wait, ..options.clone() });
    let (ledger, turn) = owner::among(store, wait, open)?;
    Ok(match turn {
        Some(turn) => ledger.with_turn(turn),
        None => ledger,
    })
}

/// The ledger that the options name, with its base if nobody is writing: an owner closes both for as long as that takes.
pub(super) fn settled(facts: &FactOptions) -> Result<Ledger, Failure> {
    let _turn = owner::briefly(&facts.store());
    ledger(facts, true)
}

/// A session that owns its ledger, or is going to: no other process does.
pub(super) fn for_owning(
    named: &RuleOptions,
    facts: &FactOptions,
    engine: &EngineOptions,
) -> Result<Session, Failure> {
    if facts.store().as_os_str() != IN_MEMORY {
        Owner::check_free(&facts.store())?;
    }
    writing(
        (named, facts, engine),
        false,
        &OpenOptions { backlog_limit: OWNED_BACKLOG, behind: true, ..options() },
    )
}

/// Begins to lend the ledger of an owner, unless it is in memory.
pub(super) fn lending(
    facts: &FactOptions,
    mailbox: &Arc<Mailbox>,
    longest: Duration,
) -> Result<Option<Owner>, Failure> {
    let store = facts.store();
    if store.as_os_str() == IN_MEMORY {
        return Ok(None);
    }
    Owner::begin(&store, mailbox, longest).map(Some)
}

/// The first thing for which a ledger does not verify.
pub(super) fn difference(ledger: &Ledger) -> Result<Option<String>, Failure> {
    Ok(ledger.verify().map_err(failure)?.differences.into_iter().next())
}

pub(super) fn failure(error: LedgerError) -> Failure {
    Failure::Session(SessionError::Ledger(error))
}

/// Shows what had to be put right when the ledger was opened.
pub(super) fn warn(ledger: &mut Ledger) {
    show_notices(&ledger.take_notices());
}

/// Shows what happened to the ledger.
pub(super) fn show_notices(notices: &[Notice]) {
    notices.iter().for_each(|notice| output::warning(&notice.to_string()));
}

/// How commands open ledgers: under the command's own words, which other processes are told.
pub(super) fn options() -> OpenOptions {
    // Other words may be facts, or name a person, and the lock keeps them.
    let is_option = |word: &String| word.starts_with('-');
    let words = arguments::words().into_iter().enumerate().take(2);
    let words = words.filter(|(at, word)| *at == 0 || is_option(word)).map(|(_, word)| word);
    let command = std::iter::once(String::from("hence")).chain(words).collect::<Vec<_>>().join(" ");
    let redaction = config::get().redaction().clone();
    let keys = Some(Arc::new(KeyFiles) as Arc<dyn Keys>);
    OpenOptions { command, watcher: progress::watcher(), redaction, keys, ..OpenOptions::default() }
}

/// What this process runs, as it tells others over a socket: on one line, not too long, without what must not be recorded.
#[cfg(unix)]
pub(super) fn told_command() -> String {
    let OpenOptions { command, redaction, .. } = options();
    let command = redaction.text(&command);
    command.lines().take(1).flat_map(str::chars).take(LONGEST_COMMAND).collect()
}

/// Why nothing of a relation can be recorded.
pub(super) enum NoFacts {
    /// Rules derive it.
    Derived,
    /// There is none of that name; the nearest one.
    Unknown(Option<String>),
}

impl NoFacts {
    /// As a sentence; `derive` shows what is derived, `list` the relations that there are.
    pub(super) fn sentence(&self, relation: Symbol, (derive, list): (&str, &str)) -> String {
        match self {
            Self::Derived => format!("`{relation}` is derived and not recorded; {derive} shows it"),
            Self::Unknown(Some(near)) => format!("unknown relation `{relation}`; did you mean `{near}`?"),
            Self::Unknown(None) => format!("unknown relation `{relation}`; {list}"),
        }
    }
}

/// Why `relation`, of which nothing stands, has no facts; `None` where it may have some: recorded, or an input of the rules.
pub(super) fn no_facts(ledger: &Ledger, rules: &RuleSet, relation: Symbol) -> Option<NoFacts> {
    let recorded: Vec<Symbol> = ledger.all_relations().collect();
    let known = rules.program.find(relation).and_then(|id| rules.program.relation(id));
    match known {
        Some(known) if known.kind == Kind::Input => None,
        Some(_) => Some(NoFacts::Derived),
        None if recorded.contains(&relation) => None,
        None => {
            let inputs = rules.program.relations.iter().filter(|known| known.kind == Kind::Input);
            let names = inputs.map(|known| known.name).chain(recorded);
            Some(NoFacts::Unknown(
                nearest(relation.as_str(), names.map(|name| name.as_str())).map(str::to_owned),
            ))
        }
    }
}

/// Checks that `relation`, of which nothing stands, is one that may have facts: recorded, or an input of the rules that
/// decided last or that are named.
///
/// # Errors
/// It is none; the nearest name.
pub(super) fn may_have_facts(ledger: &Ledger, named: &RuleOptions, relation: Symbol) -> Result<(), Failure> {
    let last = if named.is_named() { None } else { Session::rules_at(ledger, When::Now)? };
    let rules = match last.map_or_else(|| named.source().build(), |(_, rules)| Ok(rules)) {
        Ok(rules) => rules,
        Err(_) if ledger.all_relations().any(|recorded| recorded == relation) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let ways = (&*format!("`hence derive {relation}`"), "`hence facts` lists those with facts");
    match no_facts(ledger, &rules, relation) {
        Some(none) => Err(Failure::Usage(none.sentence(relation, ways))),
        None => Ok(()),
    }
}

/// Checks that `name`, of which no decision was found, is one of a decision: recorded once, or of the rules that decided
/// last or that are named.
///
/// # Errors
/// It is none; the nearest name.
pub(super) fn may_be_decided(ledger: &Ledger, named: &RuleOptions, name: &str) -> Result<(), Failure> {
    let relation = Symbol::new(name);
    if !ledger.decisions_ever(relation).map_err(failure)?.is_empty() {
        return Ok(());
    }
    let last = Session::rules_at(ledger, When::Now)?.map(|(_, rules)| rules);
    // Without rules that can be read, nothing tells which decisions there might have been.
    let (Some(rules), last) = (named.source().build().ok(), last) else { return Ok(()) };
    let relations = || last.iter().chain([&rules]).flat_map(|rules| &rules.program.relations);
    if relations().any(|known| known.name == relation && known.kind == Kind::Decision) {
        return Ok(());
    }
    let message = match relations().find(|known| known.name == relation) {
        Some(known) if known.kind == Kind::Input => {
            format!("`{name}` is an input and not a decision; `hence facts {name}` lists its facts")
        }
        Some(_) => format!("`{name}` is derived and not a decision; `hence derive {name}` shows it"),
        None => {
            let decisions = relations().filter(|known| known.kind == Kind::Decision);
            match nearest(name, decisions.map(|known| known.name.as_str())) {
                Some(near) => format!("unknown decision `{name}`; did you mean `{near}`?"),
                None => format!("unknown decision `{name}`; `hence decisions` lists those that stand"),
            }
        }
    };
    Err(Failure::Usage(message))
}

/// Warns of recorded relations that the rules don't declare, where decisions are drawn.
pub(super) fn warn_of_undeclared(session: &Session) -> Result<(), Failure> {
    let Some(ledger) = session.ledger() else { return Ok(()) };
    warn_of_undeclared_in(&hence_session::undeclared(session.rules(), ledger), "these rules");
    let params = hence_session::undeclared_params(session.rules(), ledger)?;
    let verb = match params.as_slice() {
        [] => return Ok(()),
        [_] => "1 recorded parameter is",
        _ => &format!("{} recorded parameters are", params.len()),
    };
    let named: Vec<String> = params.iter().map(|param| format!("{} = {}", param.name, param.text)).collect();
    output::warning(&format!(
        "{verb} not declared by these rules: {}; `hence param unset NAME` removes one",
        named.join(", ")
    ));
    Ok(())
}

/// The same of rules called `rules`.
pub(super) fn warn_of_undeclared_in(found: &[(Symbol, u64)], rules: &str) {
    let verb = match found {
        [] => return,
        [_] => "1 recorded relation is",
        _ => &format!("{} recorded relations are", found.len()),
    };
    output::warning(&format!("{verb} not declared by {rules}: {}", named_counts(found)));
}

/// The first few of relations with the numbers of their facts.
pub(super) fn named_counts(found: &[(Symbol, u64)]) -> String {
    let shown = found.iter().take(SHOWN);
    let mut named: Vec<String> =
        shown.map(|(relation, facts)| format!("{relation} ({})", count(*facts as usize, "fact"))).collect();
    if found.len() > SHOWN {
        named.push(String::from("…"));
    }
    named.join(", ")
}

fn equip(session: Session, engine: &EngineOptions) -> Result<Session, Failure> {
    let session = session
        .with_engine(engine.engine())
        .with_limits(engine.limits())
        .with_lenient(engine.lenient()?)
        .with_roles(config::get().roles());
    if engine.name() != EngineName::Both {
        return Ok(session);
    }
    warn_of_one_engine(session.rules());
    // Rules that were rewritten for a question are none that were compiled.
    Ok(session.with_evaluation_scope(EvaluationScope::Rules))
}

/// Names the decisions that have no second engine.
fn warn_of_one_engine(rules: &RuleSet) {
    let names = compiled::not_compiled(&rules.program);
    if names.is_empty() {
        return;
    }
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(ToString::to_string).collect();
    if names.len() > SHOWN {
        shown.push(String::from("…"));
    }
    let verb = if names.len() == 1 { "has" } else { "have" };
    output::warning(&format!(
        "{} {verb} no compiled code, and the embedded engine evaluates alone: {}",
        count(names.len(), "decision"),
        shown.join(", ")
    ));
}

/// Says in one line how many lints the rules have; `check` is where they are read.
pub(super) fn lints(rules: &RuleSet, named: &RuleOptions) {
    if !rules.warnings.is_empty() {
        let number = count(rules.warnings.len(), "warning");
        output::aside(&format!("{number} in these rules; `{}` shows them", named.command("check")));
    }
}

/// The rules under which facts that `author` brings are read: a column that names the author may be left out.
pub(super) fn reading_for<'r>(rules: &'r RuleSet, author: &str) -> Cow<'r, RuleSet> {
    if rules.names_authors() { Cow::Owned(rules.read_for(author)) } else { Cow::Borrowed(rules) }
}
