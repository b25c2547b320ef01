//! Every generator with its edges, and the patterns of rules.

use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value, Word};
use hence_lang::builtins::generator;
use hence_lang::builtins::pattern::Pattern;

const MIN: i64 = i64::MIN;
const MAX: i64 = i64::MAX;

fn int(value: i64) -> Value {
    Value::Int(value)
}

fn text(value: &str) -> Value {
    Value::String(Symbol::new(value))
}

/// The elements of a generator, as text.
fn elements(name: &str, args: &[Value]) -> Vec<String> {
    let types: Vec<_> = args.iter().map(|arg| arg.ty()).collect();
    let generator = generator::resolve(name, &types).expect("a generator");
    let words: Vec<_> = args.iter().map(|arg| arg.word()).collect();
    let texts = |word| Value::from_word(generator.element(), word).text();
    generator.elements(&words).map(texts).collect()
}

#[test]
fn range_is_lazy_and_excludes_its_end() {
    assert_eq!(elements("range", &[int(-1), int(2)]), ["-1", "0", "1"]);
    assert!(elements("range", &[int(2), int(2)]).is_empty());
    assert!(elements("range", &[int(3), int(2)]).is_empty());
    let range = generator::resolve("range", &[Type::Int, Type::Int]).expect("a generator");
    let all = [Word::from_int(MIN), Word::from_int(MAX)];
    assert_eq!(range.elements(&all).nth(2), Some(Word::from_int(MIN + 2)));
    assert!(range.contains(&all, Word::from_int(MAX - 1)));
    assert!(!range.contains(&all, Word::from_int(MAX)));
}

#[test]
fn generated_texts_are_distinct_in_the_order_of_their_first_place() {
    assert_eq!(elements("words", &[text(" b a\tb \n c")]), ["b", "a", "c"]);
    assert!(elements("words", &[text(" ")]).is_empty());
    assert_eq!(elements("split", &[text("a,,b,a,"), text(",")]), ["a", "", "b"]);
    assert_eq!(elements("split", &[text("abc"), text("")]), ["abc"]);
    assert_eq!(elements("split", &[text(""), text(",")]), [""]);
    assert_eq!(elements("lines", &[text("a\r\n\nb\na\n")]), ["a", "", "b"]);
    assert_eq!(elements("chars", &[text("añ😀a")]), ["a", "ñ", "😀"]);
    assert!(elements("chars", &[text("")]).is_empty());
}

fn captured(pattern: &str, group: usize, source: &str) -> Vec<String> {
    let pattern = Pattern::new(Symbol::new(pattern)).expect("a pattern");
    let captures = generator::Generator::Captures(pattern, group);
    captures.elements(&[text(source).word()]).map(|word| word.as_symbol().to_string()).collect()
}

#[test]
fn captures_give_a_group_of_each_match() {
    assert_eq!(captured(r"(\w+)=(\d*)", 2, "a=1 b= c=1 d=2"), ["1", "", "2"]);
    assert_eq!(captured(r"(a)|(b)", 2, "abab"), ["b"]);
    assert_eq!(captured(r"\d+", 0, "10 20"), ["10", "20"]);
    assert!(captured(r"(x)", 1, "abc").is_empty());
}

#[test]
fn captures_walk_as_the_regex_crate_does() {
    for pattern in ["a*", "", "b|", "(?m)^", r"\b", "é?"] {
        for source in ["", "baaac", "éaé\nb", "aaa", "x 😀 y"] {
            let compiled = Pattern::new(Symbol::new(pattern)).expect("a pattern");
            let source = Symbol::new(source).as_str();
            let ours: Vec<_> = compiled.captures(source, 0).collect();
            let theirs: Vec<_> = compiled.regex().find_iter(source).map(|found| found.as_str()).collect();
            assert_eq!(ours, theirs, "{pattern:?} in {source:?}");
        }
    }
}

#[test]
fn a_pattern_is_bounded_and_knows_its_groups() {
    assert!(Pattern::new(Symbol::new(r"(a{1000}){1000}")).is_err());
    assert!(Pattern::new(Symbol::new(r"(a")).is_err());
    let pattern = Pattern::new(Symbol::new(r"(a)(b)?")).expect("a pattern");
    assert_eq!(pattern.groups(), 3);
    assert!(pattern.is_match("xxa"));
}
