//! The carrier `mail`, against a server that takes mails: what is sent, how an answer comes back, and what is refused.

#[cfg(feature = "mail")]
use std::io::{BufRead, BufReader, Write};
#[cfg(feature = "mail")]
use std::net::TcpListener;
#[cfg(feature = "mail")]
use std::thread::{self, JoinHandle};

use super::settings::{Ran, folder, run};

const NOW: &str = "2026-02-10T09:00:00Z";
const FACTS: &str = "{\"reviewer\": [\"ada\"]}\n{\"guarded_event\": [\"payment-7\", \"/financial\"]}\n";
#[cfg(feature = "mail")]
const ANSWER: &str =
    ", review = [\"event\", \"rule\"], reviewer = \"ada\", reply_env = \"REPLY_KEY\", lasts = \"1h\"";

/// Has a blocked event mailed; `more` is beside server, sender and recipients in `[carry]`.
fn mailed(server: &str, more: &str) -> (tempfile::TempDir, Ran) {
    let settings = format!(
        "author = \"ada\"\npacks = [\"guardrails\"]\n[roles]\nreviewer = [\"ada\"]\n[carry]\n\
        notify = {{ carrier = \"mail\", server = \"{server}\", from = \"hence <hence@example.org>\", \
        to = [\"ada@example.org\", \"bob@example.org\"], attempts = 2, timeout = \"5s\"{more} }}\n"
    );
    let folder = folder(&[("hence.toml", &settings), ("facts.jsonl", FACTS), ("clock", NOW)]);
    let words = ["decide", "--carry-out", "--facts", "facts.jsonl"];
    let ran = run(folder.path(), &words, &VARIABLES, "");
    (folder, ran)
}

const VARIABLES: [(&str, &str); 3] =
    [("HENCE_CLOCK", "clock"), ("REPLY_KEY", "a key"), ("MAIL_KEY", "a password")];

/// A server that takes one mail, and answers its recipients so; the lines that it heard.
#[cfg(feature = "mail")]
fn server(recipients: &'static str) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap().to_string();
    let serve = move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let mut heard = Vec::new();
        let mut say = |text: &str| stream.write_all(format!("{text}\r\n").as_bytes()).is_ok();
        say("220 here");
        let mut is_text = false;
        while let Some(Ok(line)) = lines.next() {
            let ended = line == ".";
            let word: String = line.chars().take(4).collect::<String>().to_uppercase();
            heard.push(line);
            let goes_on = match word.as_str() {
                _ if is_text && !ended => true,
                "EHLO" => say("250-here\r\n250-AUTH PLAIN\r\n250 8BITMIME"),
                "RCPT" => say(recipients),
                "DATA" => {
                    is_text = true;
                    say("354 go on")
                }
                "QUIT" => say("221 bye"),
                "AUTH" => say("235 welcome"),
                _ => {
                    is_text = false;
                    say("250 ok")
                }
            };
            if !goes_on {
                break;
            }
        }
        heard
    };
    (place, thread::spawn(serve))
}

/// The text of a mail as it is meant, of quoted-printable lines.
#[cfg(feature = "mail")]
fn meant(heard: &[String]) -> String {
    heard.join("\n").replace("=\n", "").replace("=3D", "=")
}

#[cfg(feature = "mail")]
#[test]
fn a_mail_says_what_is_asked_and_its_token_answers_once() {
    let (place, server) = server("250 ok");
    let (folder, ran) = mailed(&place, ANSWER);
    assert_eq!(ran.0, 0, "{}", ran.2);
    let heard = server.join().unwrap();
    let text = meant(&heard);
    assert!(
        text.contains("RCPT TO:<ada@example.org>") && text.contains("RCPT TO:<bob@example.org>"),
        "{text}"
    );
    assert!(text.contains("Subject: [notify] /financial blocks payment-7"), "{text}");
    assert!(text.contains("event: payment-7\n") && text.contains("Message-ID: <1."), "{text}");
    let token = |word: &str| {
        let (_, after) = text.split_once(&format!("To {word}:")).unwrap();
        after.split_once("hence review answer ").unwrap().1.lines().next().unwrap().to_owned()
    };
    let answered = run(folder.path(), &["review", "answer", &token("approve")], &VARIABLES, "");
    assert!(answered.0 == 0 && answered.1.contains("payment-7"), "{} {}", answered.1, answered.2);
    for (token, status) in [(token("approve"), 1), (token("reject"), 2)] {
        assert_eq!(run(folder.path(), &["review", "answer", &token], &VARIABLES, "").0, status);
    }
}

#[cfg(feature = "mail")]
#[test]
fn a_password_is_said_to_a_server_on_this_machine() {
    let (place, server) = server("250 ok");
    let (_folder, ran) = mailed(&place, ", user = \"hence\", secret_env = \"MAIL_KEY\"");
    assert_eq!(ran.0, 0, "{}", ran.2);
    let heard = server.join().unwrap();
    assert!(heard.iter().any(|line| line.starts_with("AUTH PLAIN ")), "{heard:?}");
    assert!(!heard.iter().any(|line| line.contains("hence review answer")), "{heard:?}");
}

#[cfg(feature = "mail")]
#[test]
fn a_mail_that_is_refused_is_given_up_and_one_that_may_be_taken_later_is_tried_again() {
    for (recipients, state) in [("550 nobody of that name", "given up"), ("450 later", "failed")] {
        let (place, server) = server(recipients);
        let (folder, ran) = mailed(&place, "");
        assert!(ran.2.contains("did not take the mail"), "{}", ran.2);
        server.join().unwrap();
        let outbox = run(folder.path(), &["outbox", "list", "--all"], &VARIABLES, "").1;
        assert!(outbox.contains(state) && outbox.contains(&recipients[4..]), "{state}: {outbox}");
    }
    let (_folder, ran) = mailed("127.0.0.1:1", "");
    assert!(ran.2.contains("`127.0.0.1:1` did not take the mail"), "{}", ran.2);
}

#[cfg(not(feature = "mail"))]
#[test]
fn a_hence_without_mails_says_so_before_anything_is_decided() {
    let (_folder, ran) = mailed("127.0.0.1:1", "");
    assert!(ran.0 == 2 && ran.2.contains("need a hence with the feature `mail`"), "{}", ran.2);
}

#[test]
fn settings_of_a_mail_say_what_is_missing() {
    for (server, more, told) in [
        ("127.0.0.1:no", "", "expected a host and a port such as `127.0.0.1:25`"),
        ("127.0.0.1:25", ", user = \"hence\"", "expected `user` with `secret_env` or `secret_file`"),
        (
            "mail.example.org:25",
            ", user = \"hence\", secret_env = \"MAIL_KEY\"",
            "a password is sent to this machine alone",
        ),
        ("127.0.0.1:25", ", review = [\"event\"]", "a mail with an answer needs `review`"),
        ("127.0.0.1:25", ", too = [\"x\"]", "did you mean `to`?"),
    ] {
        let (_folder, ran) = mailed(server, more);
        assert!(ran.0 == 2 && ran.2.contains(told), "{told}: {}", ran.2);
    }
}
