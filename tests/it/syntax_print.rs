//! Parts of rule files as messages show them.

use crate::slow;
use std::fs;

use hence_core::span::FileId;
use hence_syntax as syntax;
use hence_syntax::tree;

use crate::files::cases;
use crate::layout::checked_format;

#[test]
fn parts_are_printed_for_messages() {
    let (file, faults) = syntax::parse(
        FileId(0),
        "p(X, 1+2*3) :- q(tool:T,ok:true), !r(_), not (A or B), X in range(0,N) limit 3 per X by Y desc as R.",
    );
    assert!(faults.is_empty(), "{faults:#?}");
    let Some(tree::Item::Rule(rule)) = file.items.first() else { panic!("no rule") };
    assert_eq!(
        syntax::rule_text(rule),
        "p(X, 1 + 2 * 3) :- q(tool: T, ok: true), !r(_), !(A or B), X in range(0, N) limit 3 per X by Y desc as R."
    );
    assert_eq!(syntax::expr_text(&rule.terms[1]), "1 + 2 * 3");
    assert_eq!(syntax::literal_text(&rule.body[0]), "q(tool: T, ok: true)");
}

/// The items of the files, each as it stands there.
fn items() -> Vec<String> {
    let files = ["good", "layout"].into_iter().flat_map(cases);
    let texts = files.map(|path| fs::read_to_string(path).unwrap());
    let items = texts.flat_map(|text| {
        let (file, _) = syntax::parse(FileId(0), &text);
        file.items.iter().map(|item| text[item.span().range()].to_owned()).collect::<Vec<_>>()
    });
    items.collect()
}

/// With `HENCE_SLOW=1` every comment before each character of `items`, else one of them before each closing bracket, in turn.
#[test]
fn comments_before_closing_brackets_keep_the_layout_stable() {
    let everywhere = slow::is_slow();
    let comments = [" # note\n", "\n# own line\n", "\n\n## loud\n\n"];
    let mut turns = (0..comments.len()).cycle();
    for item in items() {
        for (at, _) in item.char_indices().filter(|(_, c)| everywhere || [')', '}'].contains(c)) {
            let turn = turns.next().filter(|_| !everywhere);
            for comment in turn.map_or(&comments[..], |turn| &comments[turn..=turn]) {
                let text = format!("{}{comment}{}", &item[..at], &item[at..]);
                // In the midst of a word it divides it.
                if syntax::parse(FileId(0), &text).1.is_empty() {
                    checked_format(&text);
                }
            }
        }
    }
}

#[test]
fn comments_stay_inside_brackets_that_close_on_a_line_of_their_own() {
    for item in items() {
        let printed = checked_format(&item);
        for (at, _) in printed.match_indices('\n') {
            let line = &printed[at + 1..];
            let bracket = line.trim_start_matches(' ');
            if bracket.starts_with([')', '}']) {
                let indent = line.len() - bracket.len() + 4;
                for comment in [" # note".to_owned(), format!("\n{:indent$}## own line", "")] {
                    let text = format!("{}{comment}{}", &printed[..at], &printed[at..]);
                    assert_eq!(checked_format(&text), text);
                }
            }
        }
    }
}
