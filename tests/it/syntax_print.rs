//! Parts of rule files as messages show them.

use hence_core::span::FileId;
use hence_syntax as syntax;
use hence_syntax::tree;

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
