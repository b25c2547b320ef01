//! Regular expressions in rules and settings: what is accepted, and what is said of one that is too large.

use hence_core::pattern::{PatternFault, compile};

#[test]
fn ordinary_patterns_with_unicode_classes_are_accepted() {
    for pattern in [
        r"\w{1,64}@\w{1,64}\.\w{2,8}",
        r"^[\w.+-]+@[\w-]{1,63}(\.[\w-]{1,63})+$",
        r"\b\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}\b",
        r"(?i)\b\w{1,80}\s+secret\b",
        r"\p{L}{1,64}",
    ] {
        assert!(compile(pattern).is_ok(), "{pattern}");
    }
}

#[test]
fn a_pattern_that_is_too_large_is_told_with_the_small_form() {
    let help = |pattern| match compile(pattern) {
        Err(PatternFault::TooLarge { help }) => help,
        other => panic!("{pattern}: {other:?}"),
    };
    let (large, small) = (r"\w{1,2000}@[\d.]{3}", r"(?-u:\w){1,2000}@[0-9.]{3}");
    assert!(help(large).contains(r"`\w` and `\d`") && help(large).ends_with(&format!("`{small}`")));
    assert!(compile(small).is_ok());
    // An escaped backslash begins no class, a class within brackets has a form of its own, and each large one is named once.
    let (large, small) = (
        r"\w{1,2000}\\w[\]\d]\s\p{Greek}\pL\W\W",
        r"(?-u:\w){1,2000}\\w[\]0-9](?-u:\s)\p{Greek}\pL[^0-9A-Za-z_][^0-9A-Za-z_]",
    );
    assert!(
        help(large).starts_with(r"`\w` and `\d` and `\s` and `\p{Greek}` and `\pL` and `\W` cover"),
        "{}",
        help(large)
    );
    assert!(help(large).ends_with(&format!("`{small}`")), "{}", help(large));
    assert!(help(r"\p{L}{1,9000}").starts_with(r"`\p{L}` covers all of Unicode"));
    assert!(help("((a{100}){100}){100}").starts_with("write a counted repetition"));
}

#[test]
fn a_faulty_pattern_is_told_in_one_line() {
    let fault = compile("a(b").unwrap_err();
    assert_eq!((fault.to_string().as_str(), fault.help()), ("unclosed group", None));
    assert!(fault.notes().len() > 1);
}
