//! Facts that lie with the workers: each process reads its part by itself, rules over all parts derive what the decisions
//! need, and only that reaches the first process and its ledger.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use clap::Args;

use hence_core::diagnostic::Diagnostic;
use hence_core::fact::Fact;
use hence_core::fault;
use hence_core::file::unread;
use hence_core::literal::is_identifier;
use hence_core::schema::{Kind, RelationId};
use hence_core::value::Value;
use hence_dataflow::{Dataflow, PartFacts, Parts, Workers};
use hence_engine::Database;
use hence_lang::ir::Program;
use hence_ledger::interchange::{self, FactFile};
use hence_ledger::{Hash, Ledger};
use hence_session::codes::NOT_OF_PARTS;
use hence_session::{FactFiles, RuleSet, Session, evaluate_program, facts_of, report_line};

use super::super::decide::{Beginning, Given};
use super::super::diagnostics::count;
use super::super::rules::{RuleOptions, paths};
use super::super::{Failure, open};
use super::sent::Read;
use super::{ended, faults, sent, waiting};

/// The name of the clock.
const NOW: &str = "now";
/// How the ledger calls where facts come from that workers derived.
const SOURCE: &str = "cluster run";

/// Rules over facts that lie with the workers.
#[derive(Debug, Args)]
pub(super) struct Below {
    /// Rules over facts that lie with the workers, repeatable; what they derive for inputs of --rules is asserted
    #[arg(long, value_name = "PATH")]
    part_rules: Vec<PathBuf>,
}

/// What of these facts lies with this process.
#[derive(Debug, Args)]
pub(super) struct Part {
    /// A fact file or folder that this process reads its part of the facts from, repeatable
    #[arg(long, value_name = "PATH")]
    part: Vec<PathBuf>,
    /// The folder of a ledger that this process reads its part of the facts from, such as one of a shard
    #[arg(long, value_name = "DIR")]
    part_store: Vec<PathBuf>,
}

impl Below {
    /// Whether there are such rules.
    pub(super) fn is_named(&self) -> bool {
        !self.part_rules.is_empty()
    }

    /// What the session is given: what workers derive of the facts that lie with them, beside what stands.
    pub(super) fn given(
        &self,
        part: &Part,
        session: &Session,
        workers: Workers,
        beginning: Beginning,
    ) -> Result<Given, Failure> {
        let below = RuleOptions::named(&paths(&self.part_rules), &[], &[]).source().build()?;
        let outputs = outputs(&below, session.rules())?;
        check(&below, beginning)?;
        let share = part.share(&below)?;
        waiting(&workers);
        let (text, limits) = (sent::text(&below, true)?, session.limits());
        let parts = Parts { share, outputs: outputs.clone() };
        let program = below.program.clone();
        let (engine, cluster) =
            Dataflow::over_parts(program, &text, workers, &limits, parts).map_err(|error| ended(&error))?;
        let mut input = Database::new(&below.program);
        if let Some(clock) = below.program.find(NOW.into()) {
            input.push(clock, &[Value::Time(beginning.now).word()]);
        }
        let evaluated =
            fault::caught(|| evaluate_program(&below.program, &below.sources, input, &engine, &limits));
        drop(engine);
        let shares = cluster.shares().to_vec();
        let evaluation = match (cluster.end(), evaluated) {
            (Err(error), _) => return Err(ended(&error)),
            (Ok(()), evaluated) => evaluated?,
        };
        let model = evaluation.lenient();
        if let Some(report) = model.undefined.first().filter(|_| !beginning.lenient) {
            return Err(Failure::Usage(format!(
                "{}; what follows possibly from the parts can't be asserted, so nothing is recorded: mend the facts or the \
                 rules, or treat it as false with --lenient",
                report_line(&below.program, &below.sources, report)
            )));
        }
        let follow = outputs.iter().flat_map(|id| facts_of(&below.program, model, *id)).collect();
        let is_output =
            |fact: &Fact| below.program.find(fact.relation).is_some_and(|id| outputs.contains(&id));
        let stand = session.given()?.into_iter().filter(is_output).collect();
        Ok(changes(&follow, &stand, note(&below, &shares)))
    }
}

/// What the ledger says of where the facts lie.
fn note(below: &RuleSet, shares: &[String]) -> String {
    let parts = (1..).zip(shares).map(|(number, share)| {
        let share = if share.is_empty() { "nothing" } else { share };
        format!("; part {number}: {share}")
    });
    let parts: String = parts.collect();
    format!("derived by the rules {}{parts}", below.recorded().hash())
}

/// Refuses what rules over parts can't have.
fn check(below: &RuleSet, beginning: Beginning) -> Result<(), Failure> {
    let at = |id: RelationId, message: &str| {
        Diagnostic::new(NOT_OF_PARTS, String::from(message)).at(below.program[id].span, "")
    };
    let effects = below.checked.effects.iter().map(|effect| {
        at(effect.relation, "rules over facts that lie with the workers have an effect")
            .help("effects change a ledger: move it to the rules that decide")
    });
    let mut found: Vec<Diagnostic> = effects.collect();
    let is_read =
        |id: &RelationId| below.program.rules.iter().any(|rule| rule.reads().any(|read| read == *id));
    if let Some(clock) = below.program.find(NOW.into()).filter(|id| beginning.clock_moves && is_read(id)) {
        found.push(
            at(clock, "rules over facts that lie with the workers read a clock that moves")
                .help("read `now` in the rules that decide, give the clock with --now, or omit --follow"),
        );
    }
    if found.is_empty() { Ok(()) } else { Err(faults(below, found)) }
}

/// The facts that come and go where `follow` is to stand instead of what stands.
fn changes(follow: &BTreeSet<Fact>, stand: &BTreeSet<Fact>, note: String) -> Given {
    Given {
        assertions: follow.difference(stand).cloned().collect(),
        retractions: stand.difference(follow).cloned().collect(),
        source: Some(SOURCE),
        note: Some(note),
    }
}

/// The relations of a program that its text names, without the clock.
fn named(program: &Program) -> impl Iterator<Item = RelationId> {
    let all = (0..program.relations.len() as u32).map(RelationId);
    all.filter(|id| is_identifier(program[*id].name.as_str()) && program[*id].name.as_str() != NOW)
}

/// Refuses decisions of the rules over the parts that no rule reads.
fn check_decisions(below: &RuleSet, outputs: &BTreeSet<RelationId>) -> Result<(), Failure> {
    let unread = named(&below.program)
        .filter(|id| below.program[*id].kind == Kind::Decision && !outputs.contains(id))
        .map(|id| {
            let relation = &below.program[id];
            let message = format!("`{}` is a decision of --part-rules, which record none", relation.name);
            Diagnostic::new(NOT_OF_PARTS, message)
                .at(relation.span, "")
                .help("declare it as a relation, and decide in --rules")
        });
    let unread: Vec<Diagnostic> = unread.collect();
    if unread.is_empty() { Ok(()) } else { Err(faults(below, unread)) }
}

/// The relations that the rules over the parts derive for inputs of the rules that decide.
///
/// Each other relation is of one of both, so that what is decided is what all rules together would decide over all facts.
fn outputs(below: &RuleSet, above: &RuleSet) -> Result<BTreeSet<RelationId>, Failure> {
    let (mut outputs, mut found) = (BTreeSet::new(), Vec::new());
    for id in named(&above.program) {
        let own = &above.program[id];
        let Some(other) = below.program.find(own.name) else { continue };
        let of_parts = &below.program[other];
        let fault =
            |message: String, help: &str| Diagnostic::new(NOT_OF_PARTS, message).at(own.span, "").help(help);
        match (own.kind, of_parts.kind) {
            (Kind::Input, Kind::Derived | Kind::Decision) => {
                let columns = |relation: &hence_core::schema::Relation| -> Vec<_> {
                    relation.columns.iter().map(|column| (column.name, column.ty.clone())).collect()
                };
                if columns(own) == columns(of_parts) {
                    outputs.insert(other);
                } else {
                    found.push(fault(
                        format!("`{}` has other columns here than --part-rules derive", own.name),
                        "declare the same columns, of the same names and types",
                    ));
                }
            }
            (Kind::Input, Kind::Input) => found.push(fault(
                format!(
                    "the facts of `{}` lie with the workers, and the rules that decide read them",
                    own.name
                ),
                "derive what they need of it in --part-rules, under another name",
            )),
            _ => found.push(fault(
                format!("`{}` is derived here, and --part-rules have it too", own.name),
                "give one of the two another name",
            )),
        }
    }
    if !found.is_empty() {
        return Err(faults(above, found));
    }
    check_decisions(below, &outputs)?;
    if outputs.is_empty() {
        let message = "no input of --rules is derived by --part-rules, so nothing would reach the decisions";
        return Err(Failure::Usage(String::from(message)));
    }
    Ok(outputs)
}

impl Part {
    fn is_empty(&self) -> bool {
        self.part.is_empty() && self.part_store.is_empty()
    }

    /// Refuses a part where no rules are over parts.
    pub(super) fn check_unnamed(&self) -> Result<(), Failure> {
        if self.is_empty() {
            return Ok(());
        }
        let message = "--part and --part-store name facts that lie with the workers, but no --part-rules are over them; use \
            --facts, or name rules";
        Err(Failure::Usage(String::from(message)))
    }

    /// What another process works on and brings.
    pub(super) fn joined(&self, read: Read) -> Result<(Program, PartFacts), Failure> {
        let Read { rules, parts } = read;
        if !parts {
            self.check_unnamed()?;
        }
        let share = if parts { self.share(&rules)? } else { PartFacts::default() };
        Ok((rules.program, share))
    }

    /// The facts of this process, and where they come from.
    fn share(&self, rules: &RuleSet) -> Result<PartFacts, Failure> {
        let (mut database, mut told) = (Database::new(&rules.program), Vec::new());
        let mut add = |name: &Path, facts: Vec<Fact>, what: String| {
            told.push(format!("{} ({}, {what})", name.display(), count(facts.len(), "fact")));
            for fact in facts {
                let Some(id) = rules.program.find(fact.relation) else { continue };
                let row: Vec<_> = fact.values.iter().map(|value| value.word()).collect();
                database.push(id, &row);
            }
        };
        for path in paths(&self.part) {
            let files = interchange::expand(&path).map_err(|fault| faults(rules, vec![fault]))?;
            for FactFile::Data(file) | FactFile::Rules(file) in files {
                let before = hash(&file)?;
                let facts = hence_session::read_facts(rules, &FactFiles::of(vec![file.clone()]))?;
                if hash(&file)? != before {
                    return Err(Failure::Usage(format!("`{}` changed while it was read", file.display())));
                }
                add(&file, facts, format!("BLAKE3 {before}"));
            }
        }
        for store in &self.part_store {
            let ledger = Ledger::open_to_ask(store, &open::options()).map_err(open::failure)?;
            let what = format!("head {} of transaction {}", ledger.head(), ledger.last_tx());
            add(store, Session::over_ledger(rules.clone(), ledger).given()?, what);
        }
        Ok(PartFacts { facts: database, told: told.join(", ") })
    }
}

fn hash(path: &Path) -> Result<Hash, Failure> {
    File::open(path)
        .and_then(|mut file| Hash::of_read(&mut file))
        .map_err(|error| Failure::Usage(unread(path, &error)))
}
