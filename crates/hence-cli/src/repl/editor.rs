//! The prompt at a terminal: line editing over several lines, completion, history.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use hence_session::RuleSet;
use hence_session::prompt;

use super::super::{Failure, output};
use super::console::Console;

/// How many entries the history keeps.
const MOST_ENTRIES: usize = 2_000;

/// What the editor knows of the rules.
struct Assistant {
    rules: RuleSet,
    files: FilenameCompleter,
}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let line = line.get(..at).unwrap_or(line);
        if line.starts_with(":load ") {
            return self.files.complete(line, at, context);
        }
        let (start, words) = prompt::complete(&self.rules, line);
        let pairs = words.into_iter().map(|word| Pair { display: word.clone(), replacement: word });
        Ok((start, pairs.collect()))
    }
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let complete = prompt::is_complete(context.input());
        Ok(if complete { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {}

impl Helper for Assistant {}

/// Reads and runs entries until the user is done.
pub(super) fn run(console: &mut Console<'_>) -> Result<(), Failure> {
    let mut editor = editor(console).map_err(failure)?;
    let history = history_file();
    if let Some(file) = &history {
        // Without a history there is just nothing to scroll back to.
        let _ = editor.load_history(file);
    }
    output::note("hence: enter rules, facts and queries; `:help` for help, Ctrl-D to exit");
    'entries: loop {
        match editor.readline("hence> ") {
            Ok(text) => {
                if !text.trim().is_empty() {
                    let _ = editor.add_history_entry(text.as_str());
                }
                for entry in prompt::entries(&text) {
                    match console.entry(entry) {
                        Ok(ControlFlow::Break(())) => break 'entries,
                        Ok(ControlFlow::Continue(())) => {}
                        Err(failure) => super::show_failure(failure)?,
                    }
                }
                if let Some(helper) = editor.helper_mut() {
                    helper.rules = console.prompt.rules().clone();
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failure(error)),
        }
    }
    if let Some(file) = &history {
        save(&mut editor, file);
    }
    Ok(())
}

fn editor(console: &Console<'_>) -> rustyline::Result<Editor<Assistant, FileHistory>> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .max_history_size(MOST_ENTRIES)?
        .history_ignore_dups(true)?
        .build();
    let mut editor = Editor::with_config(config)?;
    let rules = console.prompt.rules().clone();
    editor.set_helper(Some(Assistant { rules, files: FilenameCompleter::new() }));
    Ok(editor)
}

fn save(editor: &mut Editor<Assistant, FileHistory>, file: &PathBuf) {
    let saved = file
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .map_err(ReadlineError::from)
        .and_then(|()| editor.save_history(file));
    if let Err(error) = saved {
        output::warning(&format!("the history was not kept in `{}`: {error}", file.display()));
    }
}

/// Where the history is kept: `HENCE_HISTORY`, else below the user's folder for state.
fn history_file() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let file = folder("HENCE_HISTORY").or_else(|| {
        let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")));
        Some(state?.join("hence/history"))
    });
    // A pipe would be waited for.
    file.filter(|file| file.is_file() || !file.exists())
}

fn failure(error: ReadlineError) -> Failure {
    Failure::Usage(format!("the terminal can't be used: {error}"))
}
