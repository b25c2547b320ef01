//! Entries of a prompt: where one ends, what it is, and what of it are facts.

use hence::session::SessionError;
use hence::session::prompt::{Prompt, PromptEntry, ended, entries, is_complete, read};

#[test]
fn what_follows_a_clause_without_its_full_stop_is_an_entry_of_its_own() {
    for (text, parts) in [
        ("q(X) :- p(X)\n?- q(X).", 2),
        ("q(X) :- p(X)\nq(X)?", 2),
        ("q(X) :- p(X)\n:facts", 2),
        ("p(X),\nX > 1?", 1),
        ("p(X)\n, X > 1?", 1),
        ("q(X)\n:- p(X).", 1),
        ("test \"a\" {\n?- p(X).", 1),
    ] {
        assert_eq!(entries(text).len(), parts, "{text:?}");
        assert_eq!(entries(text).concat(), text);
    }
    assert_eq!(ended("q(X) :- p(X) ").as_deref(), Some("q(X) :- p(X)."));
    assert_eq!(ended("q(X) :- p(X) # so").as_deref(), Some("q(X) :- p(X) # so\n."));
    assert_eq!([ended("q(X) :- p(X)."), ended("q(X) :- p(X),")], [None, None]);
}

#[test]
fn a_clause_ends_at_its_full_stop() {
    for text in ["p(1).", "p(X) :-\n    q(X).", "p(1). # so", ":facts", "p(X)?", "?- p(X).", "", "# a. b"] {
        assert!(is_complete(text), "{text:?}");
    }
    for text in
        ["p(X) :-", "p(\"a.", "p(\"a.\")", "p(r#\"a\".\"#)", "## A doc.", "@id(a)", "test \"a\" {", ":-"]
    {
        assert!(!is_complete(text), "{text:?}");
    }
}

#[test]
fn a_test_ends_at_its_brace_and_an_empty_line_ends_everything_else() {
    assert!(!is_complete("test \"a\" {\n    given\n        p(1).\n\n"));
    assert!(is_complete("test \"a\" {\n    given\n        p(1).\n}"));
    assert!(is_complete("p(X) :-\n    q(X)\n"));
    assert!(is_complete("## A doc.\n"));
}

#[test]
fn entries_are_told_apart() {
    assert_eq!(read("  :why p(1) "), PromptEntry::Command(":why", "p(1)"));
    assert_eq!(read("?- p(X), X > 1."), PromptEntry::Query("p(X), X > 1"));
    assert_eq!(read("p(X)? # who"), PromptEntry::Query("p(X)"));
    assert_eq!(read("p(\"?\")."), PromptEntry::Clauses("p(\"?\")."));
    assert_eq!(read("# nothing"), PromptEntry::Nothing);
    assert_eq!(read("## A doc."), PromptEntry::Clauses("## A doc."));
}

#[test]
fn facts_of_inputs_are_apart_and_places_stay() {
    let text = "input p(x: string).\np(\"ä\"). q(X) :- p(X).\nr(1).\np(\"b\"). # last";
    let mut prompt = Prompt::new(None).unwrap();
    let taken = prompt.take(text).unwrap();
    assert_eq!((taken.clauses, taken.facts), (3, 2));
    let facts: Vec<String> = prompt.facts().iter().map(ToString::to_string).collect();
    assert_eq!(facts, ["p(\"ä\")", "p(\"b\")"]);
    assert_eq!(prompt.typed(), "input p(x: string).\nq(X) :- p(X).\nr(1).\n# last\n");
    let place = |text: &str| match Prompt::new(None).unwrap().take(text) {
        Err(SessionError::Faults(faults)) => {
            let place = faults.sources.place(faults.diagnostics[0].span().unwrap());
            (place.line, place.column)
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("nothing is refused"),
    };
    assert_eq!(place(&text.replace(":- p(X)", ":- s(X)")), (2, 17));
    assert_eq!(place(&text.replace("\"b\"", "1")), (4, 3));
}
