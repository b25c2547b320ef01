//! What each entry of the prompt does.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use hence_core::diagnostic::nearest;
use hence_proof::render::{self, Layout};
use hence_session::Session;
use hence_session::prompt::{self, COMMANDS, Prompt, PromptEntry, Taken};

use super::super::diagnostics::{self, count};
use super::super::options::{EngineOptions, FactOptions};
use super::super::output::{self, Format};
use super::super::{Failure, ask, audit, rules, terminal};

/// A prompt with what its questions are asked with.
pub(super) struct Console<'a> {
    /// Rules and facts.
    pub(super) prompt: Prompt,
    /// How to evaluate.
    pub(super) engine: &'a EngineOptions,
    /// The clock.
    pub(super) facts: &'a FactOptions,
}

/// Go on, or stop.
pub(super) type Flow = Result<ControlFlow<()>, Failure>;

/// How long `:why-not` searches for what would make a fact hold.
const LOOK: Duration = Duration::from_secs(2);

const ON: Flow = Ok(ControlFlow::Continue(()));

impl Console<'_> {
    /// Does what one entry says.
    pub(super) fn entry(&mut self, text: &str) -> Flow {
        match prompt::read(text) {
            PromptEntry::Nothing => {}
            PromptEntry::Command(command, rest) => return self.command(command, rest),
            PromptEntry::Bare(text) => {
                return Err(Failure::Usage(format!("a command begins with `:`; write `:{text}`")));
            }
            PromptEntry::Query(body) => self.query(body)?,
            PromptEntry::Clauses(text) => {
                let ended = prompt::ended(text);
                if ended.is_some() {
                    let clause = text.split_whitespace().collect::<Vec<_>>().join(" ");
                    output::warning(&format!("added the missing full stop: {clause}"));
                }
                let taken = self.prompt.take(ended.as_deref().unwrap_or(text))?;
                show_taken(&taken)?;
            }
        }
        ON
    }

    fn command(&mut self, command: &str, rest: &str) -> Flow {
        match command {
            ":quit" | ":q" | ":exit" => return Ok(ControlFlow::Break(())),
            ":help" | ":h" => help()?,
            ":rules" => terminal::text().lines(&self.prompt.typed())?,
            ":undo" => self.undo()?,
            ":load" => self.load(rest)?,
            ":facts" => self.facts(rest)?,
            ":why" => self.why(rest)?,
            ":why-not" => self.why_not(rest)?,
            ":set" => self.set(rest)?,
            other => return Err(Failure::Usage(unknown(other))),
        }
        ON
    }

    fn session(&self) -> Result<Session, Failure> {
        Ok(Session::over_facts(self.prompt.rules().clone(), self.prompt.facts().to_vec())?
            .with_engine(self.engine.engine())
            .with_limits(self.engine.limits())
            .with_lenient(self.engine.lenient()?))
    }

    fn query(&self, body: &str) -> Result<(), Failure> {
        let answer = self.session()?.query(body, self.facts.now())?;
        output::reports(&answer.reports);
        let columns: Vec<String> = answer.columns.iter().map(ToString::to_string).collect();
        if columns.is_empty() {
            writeln!(terminal::text(), "{}", if answer.rows.is_empty() { "no" } else { "yes" })?;
        } else if answer.rows.is_empty() {
            writeln!(terminal::text(), "no rows")?;
        } else {
            output::rows(Format::Table, &columns, &answer.rows, &answer.undetermined)?;
        }
        Ok(())
    }

    /// The facts of a relation, or how many each relation has.
    fn facts(&self, relation: &str) -> Result<(), Failure> {
        let names = self.prompt.rules().program.relations.iter().map(|found| found.name.to_string());
        let names: Vec<String> = match relation {
            // Nobody asserted the clock.
            "" => names.filter(|name| name != "now").collect(),
            name => vec![name.trim_end_matches('.').to_owned()],
        };
        let derived = self.session()?.derive(&names, self.facts.now())?;
        output::reports(&derived.reports);
        let mut out = terminal::text();
        if !relation.is_empty() {
            for fact in derived.relations.iter().flat_map(|(_, _, facts)| facts) {
                writeln!(out, "{fact}.")?;
            }
        } else {
            for (name, _, facts) in derived.relations.iter().filter(|(_, _, facts)| !facts.is_empty()) {
                writeln!(out, "{name}: {}", count(facts.len(), "fact"))?;
            }
        }
        output::undetermined(Format::Table, derived.undetermined.iter());
        Ok(())
    }

    fn why(&self, fact: &str) -> Result<(), Failure> {
        if fact.is_empty() {
            return Err(Failure::Usage(String::from("`:why` takes a fact, such as `:why path(1, 3)`")));
        }
        let session = self.session()?;
        let because = session.why(fact.trim_end_matches('.'), self.facts.now(), None)?;
        let mut out = terminal::text();
        let layout = Layout { width: output::terminal_width().min(120), ..Layout::default() };
        for (at, proof) in because.proofs.iter().enumerate() {
            let gap = if at > 0 { "\n" } else { "" };
            out.lines(&format!("{gap}{}", render::tree(proof, &session.rules().program, &layout)))?;
        }
        drop(out);
        ask::verdict(fact, &because, self.facts.now());
        Ok(())
    }

    fn why_not(&self, fact: &str) -> Result<(), Failure> {
        if fact.is_empty() {
            return Err(Failure::Usage(String::from(
                "`:why-not` takes a fact, such as `:why-not path(1, 3)`",
            )));
        }
        let session = self.session()?;
        let refused = session.why_not(fact.trim_end_matches('.'), self.facts.now(), LOOK)?;
        audit::show(&mut terminal::text(), &session.rules().program, &refused, LOOK)?;
        Ok(())
    }

    /// Sets a parameter; with nothing after the command, shows all of them.
    fn set(&mut self, rest: &str) -> Result<(), Failure> {
        if !rest.is_empty() {
            let (name, value) = rules::parameter(rest.trim_end_matches('.')).map_err(Failure::Usage)?;
            return Ok(self.prompt.set(name, value)?);
        }
        let mut out = terminal::text();
        for param in &self.prompt.rules().program.params {
            writeln!(out, "{} = {}", param.name, param.value)?;
        }
        Ok(())
    }

    fn load(&mut self, path: &str) -> Result<(), Failure> {
        if path.is_empty() {
            return Err(Failure::Usage(String::from("`:load` takes a file or a folder")));
        }
        let taken = self.prompt.load(Path::new(path.trim_matches('"')))?;
        show_taken(&taken)
    }

    fn undo(&mut self) -> Result<(), Failure> {
        match self.prompt.undo() {
            Some(what) => writeln!(terminal::text(), "undone: {what}")?,
            None => writeln!(terminal::text(), "nothing to undo")?,
        }
        Ok(())
    }
}

/// Says what was added, after the warnings about it.
fn show_taken(taken: &Taken) -> Result<(), Failure> {
    let warnings = taken.warnings.diagnostics.iter().filter(|_| !output::is_quiet());
    for warning in warnings {
        diagnostics::show(warning, &taken.warnings.sources);
    }
    let clauses = (taken.clauses > 0).then(|| count(taken.clauses, "clause"));
    let facts = (taken.facts > 0).then(|| count(taken.facts, "fact"));
    let parts: Vec<String> = clauses.into_iter().chain(facts).collect();
    if !parts.is_empty() {
        writeln!(terminal::text(), "{} added", parts.join(", "))?;
    }
    Ok(())
}

fn help() -> Result<(), Failure> {
    let mut out = terminal::text();
    writeln!(
        out,
        "Enter declarations, rules and tests as in a rule file: a clause ends at `.` and may span lines."
    )?;
    writeln!(
        out,
        "Facts of inputs are asserted only in this session. An entry with an error changes nothing."
    )?;
    writeln!(out, "An empty line ends an incomplete entry; Ctrl-C discards it.")?;
    writeln!(out)?;
    writeln!(out, "    ?- BODY.           a row for each match of a body, such as `?- path(1, X), X > 2.`")?;
    writeln!(out, "    BODY?              the same")?;
    writeln!(out)?;
    for (name, argument, about) in COMMANDS {
        writeln!(out, "    {:<18} {about}", format!("{name} {argument}"))?;
    }
    Ok(())
}

fn unknown(command: &str) -> String {
    match nearest(command, COMMANDS.map(|(name, ..)| name)) {
        Some(near) => format!("unknown command `{command}`; did you mean `{near}`?"),
        None => format!("unknown command `{command}`; `:help` lists all commands"),
    }
}
