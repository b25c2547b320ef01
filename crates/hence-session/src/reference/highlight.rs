//! Rule text for HTML: its kinds of words marked, relations linked to their entries.

use hence_core::fault::OrBroken;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::escape;

/// What is marked, each kind a group; other text stays as it is.
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = [
        r"(?P<comment>#[^\n]*)",
        r##"(?P<string>r#"(?s:.*?)"#|r"[^"]*"|"(?:\\.|[^"\\])*")"##,
        r"(?P<time>@\d[0-9T:.Z+-]*\d?)",
        r"(?P<variable>\b_?[A-Z][A-Za-z0-9_]*)",
        r"(?P<name>/[a-z][a-z0-9_.-]*[a-z0-9_-](?:/[a-z0-9_-]+)*|/[a-z])",
        r"(?P<keyword>\b(?:input|relation|decision|requires|param|type|limit|per|by|desc|as|in|not|and|or|if|true|false)\b)",
        r"(?P<word>\b[a-z][A-Za-z0-9_]*)",
        r"(?P<number>\b\d[0-9_]*(?:\.\d+)?(?:e[+-]?\d+)?(?:us|ms|[smhdw])?)",
    ];
    Regex::new(&kinds.join("|")).ok().or_broken("the pattern of the language's words is one")
});

/// What holds of every match.
const MATCHES: &str = "what is found in a text lies in it";

const KINDS: [&str; 7] = ["comment", "string", "time", "variable", "name", "keyword", "number"];

/// The words that have an entry on the page.
#[derive(Default)]
pub(super) struct Declared<'a> {
    /// Relations: words before `(`.
    pub(super) relations: BTreeSet<&'a str>,
    /// Parameters: words that stand alone.
    pub(super) params: BTreeSet<&'a str>,
}

impl Declared<'_> {
    /// The entry of a word, by what follows it.
    fn entry(&self, word: &str, rest: &str) -> Option<&'static str> {
        match rest.trim_start().chars().next() {
            Some('(') => self.relations.contains(word).then_some("relation"),
            Some(':') => None,
            _ => self.params.contains(word).then_some("param"),
        }
    }
}

/// `text` as HTML.
pub(super) fn html(text: &str, known: &Declared<'_>) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut done = 0;
    for found in WORDS.captures_iter(text) {
        let whole = found.get(0).or_broken(MATCHES);
        out.push_str(&escape(text.get(done..whole.start()).or_broken(MATCHES)));
        done = whole.end();
        let shown = escape(whole.as_str());
        let kind = KINDS.into_iter().find(|kind| found.name(kind).is_some());
        let entry = known.entry(whole.as_str(), text.get(done..).or_broken(MATCHES));
        out.push_str(&match (kind, entry) {
            (Some(kind), _) => format!("<span class=\"{kind}\">{shown}</span>"),
            (None, Some(entry)) => format!("<a href=\"#{entry}-{shown}\">{shown}</a>"),
            (None, None) => shown,
        });
    }
    out.push_str(&escape(text.get(done..).or_broken(MATCHES)));
    out
}
