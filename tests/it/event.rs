//! `observe event`: tickets and mails.

use hence_actuators::Form;

use crate::actuators::{observe, observe_bytes, refused};

#[test]
fn tickets_have_sender_subject_and_the_beginning_of_their_text() {
    let long = "word ".repeat(60);
    let lines = format!(
        "{}\n{}\n",
        r#"{"event": 12, "source": "freshdesk", "type": "/ticket", "at": "2026-02-03T15:23:45+01:00", "sender": "bob@x.de", "subject": " Where is\n my parcel ", "text": "I was charged twice, my lawyer says."}"#,
        format_args!(
            r#"{{"source": "crm", "type": "note", "at": "2026-02-03T14:23:45Z", "text": "{long}"}}"#
        ),
    );
    let excerpt = long.trim_end().chars().take(200).collect::<String>();
    assert_eq!(
        observe("event", "in.jsonl", None, &lines),
        [
            r#"event("12", /freshdesk, /ticket, @2026-02-03T14:23:45Z)"#.to_owned(),
            r#"event_text("12", "bob@x.de", "Where is my parcel", "I was charged twice, my lawyer says.")"#
                .to_owned(),
            r#"guarded_event("12", /legal)"#.to_owned(),
            r#"event("in.jsonl:2", /crm, /note, @2026-02-03T14:23:45Z)"#.to_owned(),
            format!(r#"event_text("in.jsonl:2", "", "", "{excerpt}")"#),
        ]
    );
}

#[test]
fn what_guards_an_event_is_a_word_and_not_a_part_of_one() {
    let guards = |text: &str| {
        let line = serde_json::json!({"event": "e", "source": "s", "type": "t", "at": "2026-02-03T14:23:45Z", "text": text});
        let facts = observe("event", "in.jsonl", None, &line.to_string());
        facts
            .iter()
            .filter_map(|fact| fact.strip_prefix("guarded_event(\"e\", "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(guards("Please refund the $12,000"), ["/financial)"]);
    assert_eq!(guards("GDPR: delete my data, or I send an invoice"), ["/financial)", "/legal)"]);
    assert_eq!(guards("The issue with the courteous tissue costs $ 12"), Vec::<String>::new());
}

const MBOX: &str = "From ada@example.org Tue Feb  3 14:23:45 2026
From: Ada Stone <ada@example.org>
Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?= and more
Message-ID: <m1@example.org>
Date: Tue, 3 Feb 2026 15:23:45 +0100
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: base64

V2llIGdlaHQnczs/
--b
Content-Type: text/html

<p>not this</p>
--b--

From bob@example.org Tue Feb  3 15:00:00 2026
From: bob@example.org
Date: Tue, 3 Feb 2026 15:00:00 +0000

>From here on
From the start of a line that follows no blank one
";

#[test]
fn the_mails_of_an_mbox_are_read_one_by_one() {
    assert_eq!(
        observe("event", "in.mbox", None, MBOX),
        [
            r#"event("m1@example.org", /mail, /message, @2026-02-03T14:23:45Z)"#,
            r#"event_text("m1@example.org", "ada@example.org", "Grüße and more", "Wie geht's;?")"#,
            r#"event("in.mbox:19", /mail, /message, @2026-02-03T15:00:00Z)"#,
            r#"event_text("in.mbox:19", "bob@example.org", "", "From here on From the start of a line that follows no blank one")"#,
        ]
    );
    let single = MBOX.split_once('\n').unwrap().1.split("\nFrom bob").next().unwrap();
    let facts = observe("event", "one.eml", None, single);
    assert_eq!(facts[0], r#"event("m1@example.org", /mail, /message, @2026-02-03T14:23:45Z)"#);
}

#[test]
fn hostile_mails_end_in_an_error_with_a_place_or_are_cut() {
    let mail = |text: &str| {
        observe_bytes("event", "in.mbox", Some(Form::Mail), text.as_bytes()).unwrap_err().to_string()
    };
    assert_eq!(
        mail("From x\nSubject: no date\n\nbody\n"),
        "in.mbox:1: expected a mail with a `Date`, found none that is a time"
    );
    assert!(
        mail("\n\n\n\u{1}\u{2} nothing").starts_with("in.mbox:4: expected a mail "),
        "{}",
        mail("\n\n\n\u{1}\u{2} nothing")
    );
    // A line of 3 MB, of which no more than a mebibyte is kept, and bytes that are no text.
    let mut large = b"From: a@b.c\nDate: Tue, 3 Feb 2026 15:00:00 +0000\nSubject: \xff\xfe\n\n".to_vec();
    large.extend(std::iter::repeat_n(b'x', 3 << 20));
    let (facts, summary) = observe_bytes("event", "large.eml", None, &large).unwrap();
    assert_eq!((facts.len(), summary.records), (2, 1));
    // Parts inside parts inside parts.
    let mut deep = String::from("From: a@b.c\nDate: Tue, 3 Feb 2026 15:00:00 +0000\n");
    for level in 0..5_000 {
        deep.push_str(&format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"));
    }
    assert_eq!(observe_bytes("event", "deep.eml", None, deep.as_bytes()).unwrap().1.records, 1);
    assert_eq!(
        refused("event", r#"{"source": "s", "type": "t"}"#),
        "in.jsonl:1: expected `at` to be a time such as \"2026-02-03T14:23:45Z\", found no such field"
    );
}
