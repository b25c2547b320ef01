//! The helps of type errors, followed to the letter: each mends its error and brings no other.

use std::collections::BTreeSet;

use hence_core::diagnostic::Diagnostic;
use hence_core::span::Sources;
use hence_lang::analysis::check;
use hence_syntax::parse;
use regex::Regex;

use crate::files::files;

fn faults(text: &str) -> (Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let (tree, mut faults) = parse(sources.add("t.dl", text), text);
    faults.extend(check(&[tree], &sources, &[]).1);
    (faults, sources)
}

/// What a fault says and on which line.
fn said(fault: &Diagnostic, sources: &Sources) -> (usize, String) {
    (sources.place(fault.span().unwrap()).line, fault.message.clone())
}

/// The text with what the help `write X` or `write X instead of Y` says; nothing for another help.
fn followed(text: &str, fault: &Diagnostic, help: &str, sources: &Sources) -> Option<String> {
    let form = Regex::new(
        r"^(?:if both mean the same value, )?write `(.+?)`(?: instead of `(.+?)`| here|, or .*)?(?:: .*|, or .*)?$",
    );
    let form = form.unwrap().captures(help)?;
    let (better, old) = (&form[1], form.get(2));
    let mut spans = fault.labels.iter().map(|label| label.span);
    let span = match old {
        Some(old) => spans.find(|span| sources.slice(*span) == old.as_str())?,
        None => spans.next()?,
    };
    let (start, end) = (span.start as usize, span.end as usize);
    Some(format!("{}{better}{}", &text[..start], &text[end..]))
}

/// Follows each help of the type errors of a text; how many could be followed, and those that do harm.
fn follow_all(text: &str) -> (usize, Vec<String>) {
    let (before, sources) = faults(text);
    let known: BTreeSet<_> =
        before.iter().filter(|fault| fault.span().is_some()).map(|fault| said(fault, &sources)).collect();
    let (mut count, mut harm) = (0, Vec::new());
    for fault in before.iter().filter(|fault| fault.code.0.starts_with("E3")) {
        for help in &fault.help {
            let Some(better) = followed(text, fault, help, &sources) else { continue };
            count += 1;
            let mended = said(fault, &sources);
            if let Some(left) = left(&better, &mended, &known, 3) {
                harm.push(format!("{}: {}\n    help: {help}\n    leaves {left}", mended.0, mended.1));
            }
        }
    }
    (count, harm)
}

/// What a followed help leaves that it should not. What was after the fault, as the sum around a product, may come
/// to light; then its help must mend it.
fn left(
    text: &str,
    mended: &(usize, String),
    known: &BTreeSet<(usize, String)>,
    more: usize,
) -> Option<String> {
    let (after, sources) = faults(text);
    if after.iter().any(|fault| said(fault, &sources) == *mended) {
        return Some(String::from("the same fault"));
    }
    let new = after.iter().find(|fault| !known.contains(&said(fault, &sources)))?;
    let better = new.help.iter().find_map(|help| followed(text, new, help, &sources)).filter(|_| more > 0);
    let Some(better) = better else { return Some(format!("{:?}", said(new, &sources))) };
    left(&better, &said(new, &sources), known, more - 1)
}

#[test]
fn a_help_that_is_followed_mends() {
    let (mut count, mut harm) = (0, Vec::new());
    for path in files("tests/corpus/faulty/checker", &["dl"]) {
        let (followed, harmful) = follow_all(&std::fs::read_to_string(&path).unwrap());
        count += followed;
        harm.extend(harmful.into_iter().map(|harm| format!("{}:{harm}", path.display())));
    }
    assert!(harm.is_empty(), "{}", harm.join("\n"));
    assert!(count > 40, "only {count} helps were followed");
}

#[test]
fn a_help_keeps_the_meaning() {
    let rules = |condition: &str| {
        format!("input run(ms: int, at: time, tool: string).\nslow(M) :- run(M, At, T), {condition}.\n")
    };
    for condition in ["M > \"a\"", "M < T", "M = T", "At > T", "At > \"soon\"", "T > 100", "T >= 1.5"] {
        let (found, sources) = faults(&rules(condition));
        let found: Vec<_> =
            found.iter().filter(|fault| sources.place(fault.span().unwrap()).line == 2).collect();
        assert!(found.iter().any(|fault| fault.code.0 == "E302"), "{condition}");
        let helps: Vec<_> = found.iter().flat_map(|fault| &fault.help).collect();
        assert!(helps.is_empty(), "{condition}: {helps:?}");
    }
}

/// The clause of a habit by the form that its help shows.
fn as_hence(text: &str, fault: &Diagnostic) -> Option<String> {
    let form = fault.help.iter().find_map(|help| help.strip_prefix("write: `")?.strip_suffix('`'))?;
    let span = fault.span().filter(|_| fault.code.0 == "E156" && !form.contains('…'))?;
    Some(format!("{}{form}{}", &text[..span.start as usize], &text[span.end as usize..]))
}

#[test]
fn the_form_of_a_clause_written_by_habit_mends_it() {
    let (mut count, mut harm) = (0, Vec::new());
    for path in files("tests/corpus/faulty/habits", &["dl"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let (before, sources) = faults(&text);
        let place = |fault: &Diagnostic, sources: &Sources| fault.span().map(|span| sources.place(span).line);
        for fault in &before {
            let Some(better) = as_hence(&text, fault) else { continue };
            count += 1;
            let (after, now) = faults(&better);
            let line = place(fault, &sources);
            let left = after.iter().filter(|found| place(found, &now) == line);
            harm.extend(
                left.map(|left| format!("{}: {:?} leaves {}", path.display(), fault.help, left.message)),
            );
        }
    }
    assert!(harm.is_empty(), "{}", harm.join("\n"));
    assert!(count > 8, "only {count} forms were tried");
}
