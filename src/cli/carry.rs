//! `--carry-out`: decisions drawn are carried out, and what comes of them is asserted.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use hence::session::{self, Change, DecisionId, Outcome as Decided, Session, SessionError};
use hence_actuators::ActuatorError;
use hence_actuators::carry::{Carrier, Order};
use hence_actuators::file_requests::{self, FileRequests};
use hence_actuators::run_command::{Program, RunCommand};
use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{Decision, Ledger};

use super::{Failure, config, output, time};

/// How often in a row what comes of a decision may lead to another one that is carried out.
const LONGEST_CHAIN: usize = 100;

/// Who carries decisions out.
pub(super) struct Carry {
    carriers: Vec<Box<dyn Carrier>>,
    author: String,
    /// Whether the outcomes are to hold all decisions that stand.
    list: bool,
}

/// One decision carried out.
pub(super) struct Carried {
    /// Its id.
    pub(super) id: DecisionId,
    /// The decision.
    pub(super) decision: Fact,
    /// By whom.
    pub(super) by: &'static str,
    /// What followed from what came of it.
    pub(super) decided: Decided,
}

impl Carry {
    /// File requests, and the programs that `hence.toml` names.
    pub(super) fn new(author: String, list: bool) -> Result<Self, Failure> {
        let mut carriers: Vec<Box<dyn Carrier>> = vec![Box::new(FileRequests)];
        if let Some(root) = config::get().root() {
            let programs = programs(root)?;
            if !programs.is_empty() {
                carriers.push(Box::new(RunCommand { programs }));
            }
        }
        Ok(Self { carriers, author, list })
    }

    /// Carries out what `decided` drew, then what follows from that, and so on.
    pub(super) fn after(
        &self,
        session: &mut Session,
        decided: &Decided,
        now: i64,
    ) -> Result<Vec<Carried>, Failure> {
        let mut open: VecDeque<(usize, DecisionId, Decision)> = drawn(decided, 0).collect();
        let mut all = Vec::new();
        while let Some((chain, id, decision)) = open.pop_front() {
            let relation = decision.fact.relation;
            for carrier in self.carriers.iter().filter(|carrier| carrier.wants(relation.as_str())) {
                if chain > LONGEST_CHAIN {
                    let message = format!("{id} follows a chain of {LONGEST_CHAIN} decisions carried out");
                    self.failed(session, id, carrier.as_ref(), &message)?;
                } else if let Some(decided) = self.one(session, carrier.as_ref(), id, &decision, now)? {
                    open.extend(drawn(&decided, chain + 1));
                    let by = carrier.name();
                    all.push(Carried { id, decision: decision.fact.clone(), by, decided });
                }
            }
        }
        Ok(all)
    }

    /// Carries one decision out; what was decided then, or nothing where there was nothing to do.
    fn one(
        &self,
        session: &mut Session,
        carrier: &dyn Carrier,
        id: DecisionId,
        decision: &Decision,
        now: i64,
    ) -> Result<Option<Decided>, Failure> {
        let asked = carrier.name() == file_requests::NAME && filed(session, &decision.fact)?;
        if asked || !stands(session, &decision.fact)? {
            return Ok(None);
        }
        if !covered(session, id, &decision.fact)? {
            output::warning(&format!(
                "{id} `{}` is not carried out: its proof lacks what it requires",
                decision.fact
            ));
            return Ok(None);
        }
        let columns = columns(session, decision.fact.relation);
        let name = id.to_string();
        let order = Order {
            id: &name,
            decision: &decision.fact,
            columns: &columns,
            rule: decision.rule.as_deref(),
            because: decision.sentence.as_deref(),
            now,
        };
        let span = tracing::info_span!("carry_out", carrier = carrier.name(), decision = name);
        let report = match span.in_scope(|| carrier.carry_out(&order)) {
            Ok(report) => report,
            Err(error) => {
                if let ActuatorError::Carry { program, said, .. } = &error {
                    show_output(program, said);
                }
                self.failed(session, id, carrier, &error.to_string())?;
                return Ok(None);
            }
        };
        show_output(carrier.name(), &report.said);
        let mut facts = session::from_shipped(session.rules(), report.facts);
        // Without the pack that answers it, a request would wait for ever.
        facts.retain(|fact| session.rules().program.find(fact.relation).is_some());
        match session::read_fact_lines(session.rules(), carrier.name(), &report.lines) {
            Ok(more) => facts.extend(more),
            Err(SessionError::Faults(faults)) => {
                let message = format!("the answer of {} to {id} is not a list of facts", carrier.name());
                super::diagnostics::print(&faults);
                self.failed(session, id, carrier, &message)?;
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        }
        if facts.is_empty() && carrier.name() == file_requests::NAME {
            return Ok(None);
        }
        let change = Change {
            assertions: facts,
            author: self.author.clone(),
            source: format!("decision {id}"),
            note: Some(format!("carried out by {}", carrier.name())),
            time: time::wall_clock(),
            now,
            list: self.list,
            ..Change::default()
        };
        Ok(Some(session.commit(change, false)?))
    }

    /// Warns of a decision that was not carried out, and records that it was not.
    fn failed(
        &self,
        session: &mut Session,
        id: DecisionId,
        carrier: &dyn Carrier,
        message: &str,
    ) -> Result<(), Failure> {
        output::warning(message);
        let source = format!("decision {id}");
        let note = format!("not carried out by {}: {message}", carrier.name());
        Ok(session.remark(self.author.clone(), source, note, time::wall_clock())?)
    }
}

/// Shows people what a program wrote to standard error.
fn show_output(program: &str, said: &str) {
    said.lines().for_each(|line| output::note(&format!("{program}: {line}")));
}

/// What was drawn, with its ids and as which one in a row.
fn drawn(decided: &Decided, chain: usize) -> impl Iterator<Item = (usize, DecisionId, Decision)> {
    let with_id = move |decision: &Decision| {
        let id = decided.id(&decision.fact).or_broken("what was drawn to be carried out is recorded");
        (chain, id, decision.clone())
    };
    decided.drawn.iter().map(with_id)
}

/// Decisions are carried out only of a ledger, which knows what was carried out before.
fn ledger(session: &Session) -> &Ledger {
    session.ledger().or_broken("decisions are carried out of a ledger")
}

/// Whether the request that a decision leads to is there already.
fn filed(session: &Session, decision: &Fact) -> Result<bool, Failure> {
    let ledger = ledger(session);
    let id = Value::String(Symbol::new(&file_requests::id_of(decision)));
    for (relation, column) in [("escalation_request", "request"), ("proposal", "proposal")] {
        if session::stands_with(ledger, Symbol::new(relation), column, id).map_err(super::open::failure)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a decision still stands; carrying out another one may have let it lapse.
fn stands(session: &Session, decision: &Fact) -> Result<bool, Failure> {
    let history = ledger(session).decision_history(decision).map_err(super::open::failure)?;
    Ok(history.last().is_some_and(|span| span.until.is_none()))
}

/// Whether what a guarded decision requires is in its proof.
fn covered(session: &Session, id: DecisionId, decision: &Fact) -> Result<bool, Failure> {
    let program = &session.rules().program;
    let guarded = program.find(decision.relation).is_some_and(|relation| {
        session.rules().checked.requires.iter().any(|guard| guard.decision == relation)
    });
    Ok(!guarded || session.why_drawn(id, None)?.is_covered())
}

fn columns(session: &Session, relation: Symbol) -> Vec<String> {
    let program = &session.rules().program;
    let id = program.find(relation).or_broken("a decision is of a relation of the rules that drew it");
    let known = program.relation(id).or_broken("a relation that was found is one of the program");
    known.columns.iter().map(|column| column.name.to_string()).collect()
}

/// The programs that `[run_command]` names. A path with a `/` is seen from the `root` of the settings.
fn programs(root: &Path) -> Result<BTreeMap<String, Program>, Failure> {
    let mut programs = BTreeMap::new();
    for command in config::get().commands() {
        let relation = command.decision.clone();
        if let Some(name) = command.env.iter().find(|name| std::env::var_os(name).is_none()) {
            return Err(Failure::Usage(format!(
                "`env` of `{relation}` in `[run_command]` names `{name}`, which is not set in the \
                environment of hence"
            )));
        }
        let inside = command.program.contains('/');
        let program = if inside { root.join(&command.program) } else { PathBuf::from(&command.program) };
        let (args, env) = (command.args.clone(), command.env.clone());
        programs.insert(relation, Program { program, args, time_limit: command.time_limit, env });
    }
    Ok(programs)
}
