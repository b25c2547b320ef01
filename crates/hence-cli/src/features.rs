//! What a build leaves out: commands and options of features that this hence was built without.

/// A part of the command line that a feature brings, and whether it is here.
struct Part {
    /// The command.
    command: &'static str,
    /// One of its options, where the command itself is always here, and the value of it that is meant, if any.
    option: Option<(&'static str, Option<&'static str>)>,
    feature: &'static str,
    is_built: bool,
}

const PARTS: [Part; 9] = [
    whole("cluster", "dataflow", cfg!(feature = "dataflow")),
    whole("gate", "gate", cfg!(feature = "gate")),
    whole("mcp-gate", "gate", cfg!(feature = "gate")),
    whole("mcp", "server", cfg!(feature = "server")),
    whole("token", "server", cfg!(feature = "server")),
    part("serve", "--http", None, "server", cfg!(feature = "server")),
    part("serve", "--demo", None, "server", cfg!(feature = "server")),
    part("export", "--format", Some("parquet"), "parquet", cfg!(feature = "parquet")),
    part("observe", "--watch", None, "scan", cfg!(feature = "scan")),
];

const fn whole(command: &'static str, feature: &'static str, is_built: bool) -> Part {
    Part { command, option: None, feature, is_built }
}

const fn part(
    command: &'static str,
    option: &'static str,
    value: Option<&'static str>,
    feature: &'static str,
    is_built: bool,
) -> Part {
    Part { command, option: Some((option, value)), feature, is_built }
}

impl Part {
    fn is_in(&self, words: &[String]) -> bool {
        let mut words = words.iter().map(String::as_str).filter(|word| !matches!(*word, "-q" | "--quiet"));
        if words.next() != Some(self.command) {
            return false;
        }
        let Some((option, value)) = self.option else { return true };
        let words: Vec<&str> = words.take_while(|word| *word != "--").collect();
        words.iter().enumerate().any(|(at, word)| match (word.strip_prefix(option), value) {
            (Some(""), None) => true,
            (Some(""), Some(value)) => words.get(at + 1) == Some(&value),
            (Some(rest), None) => rest.starts_with('='),
            (Some(rest), Some(value)) => rest.strip_prefix('=') == Some(value),
            (None, _) => false,
        })
    }
}

/// What is missing in this build of what the words of a command line ask for: the message, and how to get it.
pub(super) fn missing(words: &[String]) -> Option<(String, String)> {
    // `hence help COMMAND` is about the command too.
    let words = if words.first().is_some_and(|word| word == "help") { words.get(1..)? } else { words };
    let part = PARTS.iter().find(|part| !part.is_built && part.is_in(words))?;
    let Part { command, feature, .. } = part;
    let what = match part.option {
        None => format!("`hence {command}`"),
        Some((option, None)) => format!("`{option}` of `hence {command}`"),
        Some((option, Some(value))) => format!("`{option} {value}` of `hence {command}`"),
    };
    Some(needed(&what, feature))
}

/// The same where `feature` is what is missing for `what`.
pub(super) fn needed(what: &str, feature: &str) -> (String, String) {
    (
        format!("{what} needs the feature `{feature}`, without which this hence was built"),
        format!("build one with it: `cargo build --release --features {feature}`"),
    )
}
