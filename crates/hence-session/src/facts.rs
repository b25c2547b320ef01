//! Facts from outside against a rule set: files and folders of every form, single facts as text.

use std::path::{Path, PathBuf};

use hence_core::diagnostic::{self, Diagnostic};
use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::meter::{self, Stopped};
use hence_core::schema::{Kind, RelationId};
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::analysis;
use hence_ledger::interchange::{self, CLOCK, FactFile, FactFormat, Mapping, Schemas, Unread};
use hence_proof::proof::FactPattern;
use hence_syntax as syntax;
use hence_syntax::codes::UNEXPECTED;
use hence_syntax::tree::{Args, Atom};

use super::RuleSet;
use super::error::{Faults, SessionError};

/// What is said to be done where a limit is reached here.
const READING: &str = "reading facts";
/// The path that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// Fact files and folders, and files of plain records; `-` is standard input, in JSON Lines form.
#[derive(Clone, Debug, Default)]
pub struct FactFiles {
    /// The paths of facts, in order.
    pub paths: Vec<PathBuf>,
    /// The files of records, in order; they are read after those.
    pub records: Vec<RecordFile>,
    /// On how many threads a large file is read; 0 counts as 1.
    pub threads: usize,
}

/// A file of plain records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFile {
    /// Its path.
    pub path: PathBuf,
    /// The relation, and the fields that its columns have their values in.
    pub mapping: Mapping,
}

impl FactFiles {
    /// Files and folders of facts.
    pub fn of(paths: Vec<PathBuf>) -> Self {
        Self { paths, ..Self::default() }
    }

    /// The same, a large file read on up to so many threads.
    #[must_use]
    pub fn on(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Whether nothing is named.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.records.is_empty()
    }
}

/// The facts of files and folders, in their order.
///
/// # Errors
/// All faults of all files; then no fact is taken.
pub fn read_facts(rules: &RuleSet, files: &FactFiles) -> Result<Vec<Fact>, SessionError> {
    read_facts_counted(rules, files, &mut |_| {})
}

/// As [`read_facts`]; `counted` is told from time to time how many facts there are so far.
///
/// # Errors
/// As [`read_facts`].
pub fn read_facts_counted(
    rules: &RuleSet,
    files: &FactFiles,
    counted: &mut dyn FnMut(usize),
) -> Result<Vec<Fact>, SessionError> {
    Reading::new(rules).all(files, counted)
}

/// The facts of files as a test may give them: of derived relations too, and the clock.
///
/// # Errors
/// As [`read_facts`].
pub fn read_given(rules: &RuleSet, files: &FactFiles) -> Result<Vec<Fact>, SessionError> {
    let mut open = rules.clone();
    let relations = open.program.relations.iter_mut().chain(&mut open.checked.relations);
    relations.for_each(|relation| relation.kind = Kind::Input);
    Reading { clock: true, ..Reading::new(&open) }.all(files, &mut |_| {})
}

/// The facts of a text in JSON Lines form; `name` is what messages call it.
///
/// # Errors
/// All faults of the text.
pub fn read_fact_lines(rules: &RuleSet, name: &str, text: &str) -> Result<Vec<Fact>, SessionError> {
    Reading::new(rules).lines(name, text)
}

/// As [`read_fact_lines`], of a stream, where `now` sets the clock.
///
/// # Errors
/// As [`read_fact_lines`].
pub fn read_stream_lines(rules: &RuleSet, name: &str, text: &str) -> Result<Vec<Fact>, SessionError> {
    Reading { clock: true, ..Reading::new(rules) }.lines(name, text)
}

/// The facts of a text of plain records, one a line; `name` is what messages call it.
///
/// # Errors
/// All faults of the text.
pub fn read_record_lines(
    rules: &RuleSet,
    mapping: &Mapping,
    name: &str,
    text: &str,
) -> Result<Vec<Fact>, SessionError> {
    let mut reading = Reading::new(rules);
    let schemas = reading.schemas();
    if reading.knows(mapping, &schemas, Path::new(STANDARD_INPUT)) {
        let read = interchange::read_records_text(&mut reading.sources, name, text, mapping, &schemas);
        reading.take(read);
    }
    reading.finish()
}

/// One ground fact of an input, written as in a rule file.
///
/// # Errors
/// What is wrong with it.
pub fn read_fact(rules: &RuleSet, text: &str) -> Result<Fact, SessionError> {
    let mut reading = Reading::new(rules);
    let id = reading.sources.add("<fact>", text);
    if text.trim_start().starts_with('{') {
        let place = Span::new(id, 0, text.len() as u32);
        let diagnostics = vec![as_json(rules, text, place)];
        return Err(SessionError::Faults(Box::new(Faults { sources: reading.sources, diagnostics })));
    }
    let (atom, faults) = syntax::parse_fact(id, text);
    reading.found.extend(faults);
    if let Some(atom @ Atom { args: Args::Named(_), .. }) = atom.filter(|_| reading.found.is_empty()) {
        return reading.by_name(&atom, text);
    }
    if reading.found.is_empty() {
        let (tree, found) = syntax::parse(id, &clause(text));
        reading.found.extend(found);
        let (facts, found) = analysis::check_facts(&rules.checked, &tree, &reading.sources);
        reading.found.extend(found);
        reading.facts.extend(facts.into_iter().map(|(id, values, _)| fact(rules, id, values)));
    }
    let facts = reading.finish()?;
    match facts.as_slice() {
        [one] => Ok(one.clone()),
        _ => Err(SessionError::Unknown {
            message: format!("expected one fact, found {}: `{text}`", facts.len()),
        }),
    }
}

/// The fault of a fact in the form of a fact file.
fn as_json(rules: &RuleSet, text: &str, place: Span) -> Diagnostic {
    let fault =
        Diagnostic::new(UNEXPECTED, "expected a fact as a rule file has it, found JSON").at(place, "");
    match read_fact_lines(rules, "<fact>", &text.replace('\'', "\"")).as_deref() {
        Ok([fact]) => fault.help(format!("write: `{fact}`")),
        _ => fault.help("write `relation(value, …)`; lines of JSON are read by `--facts FILE.jsonl`"),
    }
}

/// One ground fact of any relation, a decision's too, written as in a rule file.
///
/// # Errors
/// What is wrong with it.
pub fn read_any_fact(rules: &RuleSet, text: &str) -> Result<Fact, SessionError> {
    let mut reading = Reading::new(rules);
    let id = reading.sources.add("<fact>", text);
    let (atom, found) = syntax::parse_fact(id, text);
    reading.found.extend(found);
    let asserted = atom.as_ref().is_some_and(|atom| is_input(rules, atom.relation.name));
    if let (Some(atom @ Atom { args: Args::Named(_), .. }), true) = (&atom, asserted) {
        return reading.by_name(atom, text);
    }
    if let Some(atom) = atom.filter(|_| reading.found.is_empty()) {
        let (pattern, found) = analysis::check_atom(&rules.checked, &atom, &reading.sources);
        reading.found.extend(found);
        let ground = pattern.and_then(|pattern| Some((pattern.relation, pattern.ground()?)));
        reading.facts.extend(ground.map(|(relation, values)| fact(rules, relation, values)));
    }
    let message = format!("expected a value in every column of `{text}`");
    reading.finish()?.pop().ok_or(SessionError::Unknown { message })
}

/// What a fact of any relation has in its columns, written as in a rule file: `_`, variables and columns that are not
/// named stand for any value. By name, a fact of an input is complete with the defaults of its columns.
///
/// # Errors
/// What is wrong with it.
pub fn read_pattern(rules: &RuleSet, text: &str) -> Result<FactPattern, SessionError> {
    if let Ok(Fact { relation, values }) = read_any_fact(rules, text) {
        return Ok(FactPattern { relation, args: values.into_iter().map(Some).collect() });
    }
    let mut reading = Reading::new(rules);
    let id = reading.sources.add("<fact>", text);
    let (atom, found) = syntax::parse_fact(id, text);
    reading.found.extend(found);
    let mut pattern = None;
    if let Some(atom) = atom.filter(|_| reading.found.is_empty()) {
        let (asked, found) = analysis::check_atom(&rules.checked, &atom, &reading.sources);
        reading.found.extend(found);
        pattern = asked.map(|asked| FactPattern { relation: atom.relation.name, args: asked.values });
    }
    reading.finish()?;
    pattern.ok_or(SessionError::Unknown { message: format!("`{text}` is not a fact") })
}

fn is_input(rules: &RuleSet, relation: Symbol) -> bool {
    let known = rules.program.find(relation).and_then(|id| rules.program.relation(id));
    known.is_some_and(|known| known.kind == Kind::Input)
}

/// The text as a clause: the full stop at its end may be left out on a command line.
fn clause(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}

/// The faults of those checked facts that would be a second clock.
pub(super) fn clocks<'a>(
    rules: &'a RuleSet,
    facts: &'a [(RelationId, Vec<Value>, Span)],
) -> impl Iterator<Item = Diagnostic> + 'a {
    let clock = rules.program.find(Symbol::new(CLOCK));
    let facts = facts.iter().filter(move |(relation, ..)| Some(*relation) == clock);
    facts.map(|(.., span)| interchange::clock_as_fact().at(*span, ""))
}

fn fact(rules: &RuleSet, relation: RelationId, values: Vec<Value>) -> Fact {
    let schema = rules.program.relation(relation).or_broken("a checked fact is of a relation of the program");
    Fact { relation: schema.name, values }
}

/// Fact files being read: what was found so far.
struct Reading<'a> {
    rules: &'a RuleSet,
    sources: Sources,
    facts: Vec<Fact>,
    found: Vec<Diagnostic>,
    stopped: Option<Stopped>,
    threads: usize,
    /// Whether `now` may stand among the facts.
    clock: bool,
}

impl<'a> Reading<'a> {
    fn new(rules: &'a RuleSet) -> Self {
        let sources = rules.sources.clone();
        Self { rules, sources, facts: Vec::new(), found: Vec::new(), stopped: None, threads: 1, clock: false }
    }

    fn all(mut self, files: &FactFiles, counted: &mut dyn FnMut(usize)) -> Result<Vec<Fact>, SessionError> {
        meter::enter(READING);
        self.threads = files.threads;
        for path in &files.paths {
            self.path(path, counted);
        }
        for file in &files.records {
            self.records(file, counted);
        }
        self.finish()
    }

    fn lines(mut self, name: &str, text: &str) -> Result<Vec<Fact>, SessionError> {
        let schemas = self.schemas();
        let read = interchange::read_text(&mut self.sources, name, text, FactFormat::JsonLines, &schemas);
        self.take(read);
        self.finish()
    }

    /// The fact of an input that is written by name.
    fn by_name(mut self, atom: &Atom, text: &str) -> Result<Fact, SessionError> {
        if self.found.is_empty() {
            let (named, found) = analysis::check_fact(&self.rules.checked, atom, &self.sources);
            self.found.extend(found);
            self.facts.extend(named.map(|(id, values, _)| fact(self.rules, id, values)));
        }
        let message = format!("`{text}` is not a fact");
        self.finish()?.pop().ok_or(SessionError::Unknown { message })
    }

    fn finish(mut self) -> Result<Vec<Fact>, SessionError> {
        if let Some(stopped) = self.stopped {
            return Err(stopped.into());
        }
        if self.found.is_empty() {
            return Ok(self.facts);
        }
        diagnostic::sort(&mut self.found);
        Err(SessionError::Faults(Box::new(Faults { sources: self.sources, diagnostics: self.found })))
    }

    /// Notes what kept a file from being read.
    fn unread(&mut self, unread: Unread) {
        match unread {
            Unread::Faults(found) => self.found.extend(found),
            Unread::Stopped(stopped) => self.stopped = Some(stopped),
        }
    }

    fn take(&mut self, read: Result<Vec<Fact>, Unread>) {
        match read {
            Ok(facts) => self.facts.extend(facts),
            Err(unread) => self.unread(unread),
        }
    }

    /// Facts as JSON Lines, however many.
    fn standard_input(&mut self, counted: &mut dyn FnMut(usize)) {
        let schemas = self.schemas();
        let mut input = std::io::stdin().lock();
        let Self { sources, facts, .. } = self;
        let read = interchange::read_stream(sources, "<stdin>", &mut input, &schemas, facts, counted);
        if let Err(unread) = read {
            self.unread(unread);
        }
    }

    fn schemas(&self) -> Schemas<'a> {
        let schemas = Schemas::new(&self.rules.program.relations).with_threads(self.threads);
        if self.clock { schemas.with_clock() } else { schemas }
    }

    /// Whether there are the relation of records and the columns that a mapping names.
    fn knows(&mut self, mapping: &Mapping, schemas: &Schemas<'_>, path: &Path) -> bool {
        let by = || format!("named by `--facts {}={}`", mapping.relation, path.display());
        let found = mapping.faults(schemas);
        let found: Vec<Diagnostic> = found.into_iter().map(|fault| fault.note(by())).collect();
        let fits = found.is_empty();
        self.found.extend(found);
        fits
    }

    fn records(&mut self, file: &RecordFile, counted: &mut dyn FnMut(usize)) {
        let schemas = self.schemas();
        if self.stopped.is_some() || !self.knows(&file.mapping, &schemas, &file.path) {
            return;
        }
        let Self { sources, facts, .. } = self;
        let read = if file.path.as_os_str() == STANDARD_INPUT {
            let mut input = std::io::stdin().lock();
            let name = "<stdin>";
            interchange::read_records_stream(
                sources,
                name,
                &mut input,
                &file.mapping,
                &schemas,
                facts,
                counted,
            )
        } else {
            interchange::read_records_into(sources, &file.path, &file.mapping, &schemas, facts, counted)
        };
        if let Err(unread) = read {
            self.unread(unread);
        }
    }

    fn path(&mut self, path: &Path, counted: &mut dyn FnMut(usize)) {
        if path.as_os_str() == STANDARD_INPUT {
            return self.standard_input(counted);
        }
        let files = match interchange::expand(path) {
            Ok(files) => files,
            Err(found) => return self.found.push(found),
        };
        for file in files {
            if self.stopped.is_some() {
                return;
            }
            match file {
                FactFile::Data(file) => {
                    let schemas = self.schemas();
                    let Self { sources, facts, .. } = self;
                    let read = interchange::read_into(sources, &file, &schemas, facts, counted);
                    if let Err(unread) = read {
                        self.unread(unread);
                    }
                }
                FactFile::Rules(file) => self.rule_file(&file),
            }
        }
    }

    /// A `.dl` file that holds only facts.
    fn rule_file(&mut self, path: &Path) {
        let text = match interchange::read_rule_file(&mut self.sources, path) {
            Ok(text) => text,
            Err(found) => return self.found.extend(found),
        };
        let id = self.sources.add(path.display().to_string(), text.as_str());
        let (tree, found) = syntax::parse(id, &text);
        let faulty = !found.is_empty();
        self.found.extend(found);
        if faulty {
            return;
        }
        let (facts, found) = analysis::check_facts(&self.rules.checked, &tree, &self.sources);
        self.found.extend(found);
        self.stopped = meter::check(READING).err();
        if !self.clock {
            self.found.extend(clocks(self.rules, &facts));
        }
        let rules = self.rules;
        self.facts.extend(facts.into_iter().map(|(id, values, _)| fact(rules, id, values)));
    }
}
