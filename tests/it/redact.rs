//! Redaction: what matches a pattern leaves no actuator.

use hence::actuators::Redaction;
use hence::fact::Fact;
use hence::value::Value;

#[test]
fn strings_and_names_lose_what_matches_and_nothing_else() {
    let patterns = [r"sk-[0-9a-z]{8,}", r"(?i)bearer \S+"].map(str::to_owned);
    let redaction = Redaction::new(&patterns, "$0 [gone]").unwrap();
    let said = "curl -H 'Authorization: Bearer abc.def' sk-0123456789 failed";
    let fact = Fact::new(
        "error",
        [
            Value::String(said.into()),
            Value::Name("/sk-0123456789".into()),
            Value::Int(7),
            Value::Name("/ok".into()),
        ],
    );
    let kept = redaction.fact(fact.clone());
    let text = "curl -H 'Authorization: $0 [gone] $0 [gone] failed";
    let expected = [
        Value::String(text.into()),
        Value::Name("/redacted".into()),
        Value::Int(7),
        Value::Name("/ok".into()),
    ];
    assert_eq!(kept, Fact::new("error", expected));
    assert_eq!(Redaction::default().fact(fact.clone()), fact);
    assert!(Redaction::new(&[String::from("(")], "").is_err());
}
