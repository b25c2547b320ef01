//! Entries of a prompt: where one ends, and what it is.

use hence_core::span::FileId;
use hence_syntax as syntax;

/// The commands, and what each does; `:help` shows them.
pub const COMMANDS: [(&str, &str, &str); 9] = [
    (":why", "FACT", "show the proof of a fact; `_` and variables match every instance"),
    (":why-not", "FACT", "show why a fact does not hold, and what would make it hold"),
    (":set", "[NAME=VALUE]", "set a parameter; without one, show them all"),
    (":facts", "[REL]", "show the facts of a relation; without one, count those of each"),
    (":rules", "", "show what was entered and loaded"),
    (":load", "FILE", "load a rule file or folder, or a fact file"),
    (":undo", "", "undo the last entry"),
    (":help", "", "show this help"),
    (":quit", "", "exit, as does Ctrl-D"),
];

/// What was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptEntry<'a> {
    /// Nothing, or only comments.
    Nothing,
    /// A command and what stands after it.
    Command(&'a str, &'a str),
    /// A command without its colon.
    Bare(&'a str),
    /// The body of a question.
    Query(&'a str),
    /// Rules, declarations, facts.
    Clauses(&'a str),
}

/// What `text`, a whole entry, is.
pub fn read(text: &str) -> PromptEntry<'_> {
    let trimmed = text.trim();
    if trimmed.starts_with(':') && !trimmed.starts_with(":-") {
        let (command, rest) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
        return PromptEntry::Command(command, rest.trim());
    }
    if is_bare_command(trimmed) {
        return PromptEntry::Bare(trimmed.trim_end_matches('.'));
    }
    let scan = scan(text);
    match (trimmed.strip_prefix("?-"), scan.last) {
        (Some(body), _) => PromptEntry::Query(body.trim_end_matches(['.', '?']).trim()),
        (None, Some((at, '?'))) => PromptEntry::Query(text.get(..at).unwrap_or("").trim()),
        (None, Some(_)) => PromptEntry::Clauses(text),
        (None, None) if scan.documented => PromptEntry::Clauses(text),
        (None, None) => PromptEntry::Nothing,
    }
}

/// Whether a line is a command whose colon was forgotten: its word, and then no parenthesis as after a relation.
fn is_bare_command(line: &str) -> bool {
    let line = line.trim();
    let end = line.find(|c: char| c.is_whitespace() || c == '.').unwrap_or(line.len());
    let (word, rest) = line.split_at_checked(end).unwrap_or((line, ""));
    let known = COMMANDS.iter().any(|(name, ..)| name.strip_prefix(':') == Some(word)) || word == "exit";
    let rest = rest.trim_start();
    known && !line.contains('\n') && !["(", ":-", "="].iter().any(|sign| rest.starts_with(sign))
}

/// What stands in a text, an entry each. A command, and a question on a line of its own, begin another entry, so that a
/// clause before them that lacks its full stop is not taken for a part of them.
pub fn entries(text: &str) -> Vec<&str> {
    let (mut all, mut start, mut at) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        let before = text.get(start..at).unwrap_or("");
        let is_own =
            !before.trim().is_empty() && scan(before).depth == 0 && begins_another(before, line.trim());
        if is_own {
            all.push(before);
            start = at;
        }
        at += line.len();
    }
    all.push(text.get(start..).unwrap_or(""));
    all
}

/// Whether `line` is not part of the entry `before`.
fn begins_another(before: &str, line: &str) -> bool {
    let command =
        line.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
    let asks = || {
        let body = line.strip_suffix('?').unwrap_or("");
        !body.is_empty() && syntax::parse_query(FileId::default(), body).1.is_empty()
    };
    command || is_bare_command(line) || line.starts_with("?-") || asks() && ended(before).is_some()
}

/// The clause `text` with the full stop that it lacks; nothing where it lacks something else.
pub fn ended(text: &str) -> Option<String> {
    let trimmed = text.trim_end();
    let (_, last) = scan(text).last?;
    let whole = format!("{trimmed}\n.");
    let whole = if trimmed.lines().last()?.contains('#') { whole } else { format!("{trimmed}.") };
    (last != '.' && syntax::parse(FileId::default(), &whole).1.is_empty()).then_some(whole)
}

/// Whether an entry ends with `text`: a command ends with its line, a clause at `.`, a question at `.` or `?`, a test
/// at its brace, and everything but an open brace at an empty line.
pub fn is_complete(text: &str) -> bool {
    let text = entries(text).pop().unwrap_or("");
    let trimmed = text.trim_start();
    if trimmed.starts_with(':') && !trimmed.starts_with(":-") || is_bare_command(trimmed) {
        return true;
    }
    let scan = scan(text);
    if scan.depth > 0 {
        return false;
    }
    let empty_line = text.rsplit_once('\n').is_some_and(|(_, line)| line.trim().is_empty());
    match scan.last {
        None => !scan.documented || empty_line,
        Some((_, last)) => matches!(last, '.' | '?' | '}') || empty_line,
    }
}

/// What the end of a text looks like, strings and comments left out.
#[derive(Default)]
struct Scan {
    /// The last character but white space, and where it stands.
    last: Option<(usize, char)>,
    /// How many braces are open.
    depth: usize,
    /// Whether there is a doc comment.
    documented: bool,
}

fn scan(text: &str) -> Scan {
    let mut scan = Scan::default();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '#' if !is_raw_start(text, at) => {
                scan.documented |= chars.peek().is_some_and(|(_, next)| *next == '#');
                while chars.next_if(|(_, c)| *c != '\n').is_some() {}
                continue;
            }
            '"' => {
                let end = string_end(text, at);
                while chars.next_if(|(at, _)| *at < end).is_some() {}
            }
            '{' => scan.depth += 1,
            '}' => scan.depth = scan.depth.saturating_sub(1),
            _ => {}
        }
        if !c.is_whitespace() {
            scan.last = Some((at, c));
        }
    }
    scan
}

/// Whether the `#` at `at` belongs to `r#"`.
fn is_raw_start(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or("").trim_end_matches('#');
    let after = text.get(at..).unwrap_or("").trim_start_matches('#');
    let word = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    before.get(word.len()..) == Some("r") && after.starts_with('"')
}

/// Where the string ends that begins with the quote at `at`, at the latest with its line.
fn string_end(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or("");
    let hashes = before.len() - before.trim_end_matches('#').len();
    let name = before.trim_end_matches('#');
    let word = name.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let raw = name.get(word.len()..) == Some("r");
    let line = text.get(at + 1..).unwrap_or("").split('\n').next().unwrap_or("");
    if raw {
        let close = format!("\"{}", "#".repeat(hashes));
        return at + 1 + line.find(&close).map_or(line.len(), |end| end + close.len());
    }
    let mut escaped = false;
    for (offset, c) in line.char_indices() {
        match c {
            '"' if !escaped => return at + 1 + offset + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    at + 1 + line.len()
}
