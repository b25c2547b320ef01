//! The fixes of diagnostics, applied: each mends its fault and brings no other.

use std::collections::BTreeMap;
use std::path::Path;

use hence::session::{Loader, check};
use hence_core::diagnostic::{Diagnostic, Fix};
use hence_core::span::{FileId, Sources, Span};

use crate::files::files;

fn faults(text: &str) -> (Vec<Diagnostic>, Sources) {
    let mut loader = Loader::default();
    loader.text("t.dl", text);
    let found = check(loader.finish(), &[]).faults;
    (found.diagnostics, found.sources)
}

/// How often each message is there, with its code.
fn tally(faults: &[Diagnostic]) -> BTreeMap<(&str, &str), usize> {
    let mut tally = BTreeMap::new();
    for fault in faults {
        *tally.entry((fault.code.0, fault.message.as_str())).or_default() += 1;
    }
    tally
}

fn applied(text: &str, fix: &Fix) -> String {
    fix.apply(text, Span::new(FileId(0), 0, text.len() as u32))
}

/// What a fix leaves that it should not. Once a clause can be read, what it says can be wrong: a fix answers for its own
/// kind of faults and those that are looked for before. What was behind a type error, such as the sum around a product, may come to light; then its own
/// fix must mend it.
fn harm(before: &[Diagnostic], fault: &Diagnostic, text: &str, depth: usize) -> Option<String> {
    let (after, _) = faults(text);
    let (old, new) = (tally(before), tally(&after));
    let count =
        |tally: &BTreeMap<(&str, &str), usize>, key: (&str, &str)| tally.get(&key).copied().unwrap_or(0);
    let own = (fault.code.0, fault.message.as_str());
    if count(&new, own) >= count(&old, own) {
        return Some(String::from("the same fault"));
    }
    // `E1` syntax, `E2` names, `E3` types, and so on: each looks at what those before it accept.
    let room = |code: &str| code.as_bytes().get(1).copied();
    let more = |key: &(&str, &str)| count(&new, *key) > count(&old, *key);
    let answers_for = |key: &(&str, &str)| key.0.starts_with('E') && room(key.0) <= room(own.0);
    let (code, message) = new.keys().copied().filter(answers_for).find(more)?;
    let next = after.iter().find(|fault| (fault.code.0, fault.message.as_str()) == (code, message)).unwrap();
    match next.fixes.first().filter(|_| depth > 0) {
        Some(fix) => harm(&after, next, &applied(text, fix), depth - 1),
        None => Some(format!("{code} {message}")),
    }
}

/// Applies each fix of each fault of a text: how many there are, and those that do harm.
fn apply_all(path: &Path, text: &str) -> (usize, Vec<String>) {
    let (before, sources) = faults(text);
    let (mut count, mut harmful) = (0, Vec::new());
    for fault in &before {
        for fix in &fault.fixes {
            count += 1;
            let better = applied(text, fix);
            if let Some(left) = harm(&before, fault, &better, 3) {
                let place = sources.place(fault.span().unwrap());
                harmful.push(format!(
                    "{}:{}: {} {}\n    fix: {:?}\n    leaves {left}",
                    path.display(),
                    place.line,
                    fault.code,
                    fault.message,
                    fix.edits.iter().map(|edit| edit.text.as_str()).collect::<Vec<_>>()
                ));
            }
        }
    }
    (count, harmful)
}

#[test]
fn every_fix_of_the_corpus_mends() {
    let (mut count, mut harmful) = (0, Vec::new());
    for folder in ["tests/corpus/faulty", "tests/corpus/good/lints"] {
        for path in files(folder, &["dl"]) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let (applied, harm) = apply_all(&path, &text);
            count += applied;
            harmful.extend(harm);
        }
    }
    assert!(harmful.is_empty(), "{} of {count}\n{}", harmful.len(), harmful.join("\n"));
    assert!(count > 200, "only {count} fixes were applied");
}

/// A rule, and what its only fix makes of it.
const FIXED: [(&str, &str); 13] = [
    ("r(T) :- run(T, M, _, _), M > \"100\".", "r(T) :- run(T, M, _, _), M > 100."),
    (
        "r(T) :- run(T, _, At, _), At > \"2026-01-01\".",
        "r(T) :- run(T, _, At, _), At > @2026-01-01T00:00:00Z.",
    ),
    ("r(int(floor(S))) :- run(_, _, _, S).", "r(floor(S)) :- run(_, _, _, S)."),
    ("r(T) :- run(T, _, _, S), S > 3.", "r(T) :- run(T, _, _, S), S > 3.0."),
    ("r(T) :- run(T, _, _, S), S > 3., T = \"a\".", "r(T) :- run(T, _, _, S), S > 3.0, T = \"a\"."),
    ("r(T) :- run(T, M, _, _), M == 3.", "r(T) :- run(T, M, _, _), M = 3."),
    ("r(?t) :- run(?t, ?m, _, _), ?m > 3.", "r(T) :- run(T, M, _, _), M > 3."),
    (
        "r(T) :- run(T, M, _, _), M > 3 AND T LIKE \"a%\".",
        "r(T) :- run(T, M, _, _), M > 3, starts_with(T, \"a\").",
    ),
    ("r(T) :- run(T, _, _, _) ; run(T, 3, _, _).", "r(T) :- run(T, _, _, _). r(T) :- run(T, 3, _, _)."),
    ("r(T) :- run(T, _, At, _), now() - At > 5m.", "r(T) :- now(Now), run(T, _, At, _), Now - At > 5m."),
    (
        "r(T, max(M) + 1) :- run(T, M, _, _).",
        "r_max(T, max(M)) :- run(T, M, _, _). r(T, Value + 1) :- r_max(T, Value).",
    ),
    ("desicion r(tool: string).", "decision r(tool: string)."),
    ("day(T, day(At)) :- run(T, _, At, _).", "day_of(T, day(At)) :- run(T, _, At, _)."),
];

#[test]
fn a_fix_is_the_rule_that_was_meant() {
    const INPUT: &str = "input run(tool: string, ms: int, at: time, score: float).\n";
    for (rule, wanted) in FIXED {
        let text = format!("{INPUT}{rule}\n");
        let (found, _) = faults(&text);
        let fixed: Vec<String> =
            found.iter().flat_map(|fault| &fault.fixes).map(|fix| applied(&text, fix)).collect();
        assert_eq!(fixed, [format!("{INPUT}{wanted}\n")], "{rule}\n{found:#?}");
        let (left, _) = faults(&fixed[0]);
        assert!(left.iter().all(|fault| !fault.is_error()), "{rule}: {left:#?}");
    }
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
