//! `[carry]` of `hence.toml`: what carries out the decisions of a relation, and how often it tries.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use hence_actuators::{
    append, card, mail_settings as mail, model, script_settings as script, template, template::Template,
    webhook,
};
use hence_core::fault::broken;
use hence_runtime::{Policy, Repeat};

use super::super::super::features;
use super::super::carried::{Buttons, Carried, Means, Secret};
use super::super::settings::CARRY;
use super::super::shown;
use super::{Content, DeTable, DeValue, KIND, Kind, Range, Reading, content, found};

/// How long an attempt may take if nothing else is said.
pub(in super::super) const TIME_LIMIT: Duration = Duration::from_secs(30);
/// How often it is tried, and the pause after the first failure in microseconds, if nothing else is said.
pub(super) const POLICY: Policy = Policy { repeat: Repeat::Safe, attempts: 5, pause: 5_000_000 };

/// The name of the carrier that is a program.
pub(super) const COMMAND: &str = "command";
/// What is said of every carrier.
const COMMON: [(&str, Kind); 6] = [
    ("carrier", Kind::Text),
    ("as", Kind::Text),
    ("repeat", Kind::Text),
    ("attempts", Kind::Count),
    ("pause", Kind::Duration),
    ("timeout", Kind::TimeLimit),
];
/// What is said of each one.
const CARRIERS: [(&str, &[(&str, Kind)]); 8] = [
    (COMMAND, &[("program", Kind::Text), ("args", Kind::Texts), ("env", Kind::Texts)]),
    (webhook::NAME, &[("url", Kind::Text), ("secret_env", Kind::Text), ("secret_file", Kind::Text)]),
    (append::NAME, &[("path", Kind::Text), ("folder", Kind::Text)]),
    (template::NAME, &[("facts", Kind::Texts)]),
    (
        card::NAME,
        &[
            ("url", Kind::Text),
            ("secret_env", Kind::Text),
            ("secret_file", Kind::Text),
            ("review", Kind::Texts),
            ("reviewer", Kind::Text),
            ("reply_env", Kind::Text),
            ("reply_file", Kind::Text),
            ("lasts", Kind::Duration),
        ],
    ),
    (
        mail::NAME,
        &[
            ("server", Kind::Text),
            ("tls", Kind::Text),
            ("user", Kind::Text),
            ("secret_env", Kind::Text),
            ("secret_file", Kind::Text),
            ("from", Kind::Text),
            ("to", Kind::Texts),
            ("review", Kind::Texts),
            ("reviewer", Kind::Text),
            ("reply_env", Kind::Text),
            ("reply_file", Kind::Text),
            ("lasts", Kind::Duration),
        ],
    ),
    (model::NAME, &super::model::KEYS),
    (
        script::NAME,
        &[
            ("interpreter", Kind::Text),
            ("column", Kind::Text),
            ("path", Kind::Text),
            ("memory", Kind::Count),
            ("cpu", Kind::TimeLimit),
            ("output", Kind::Count),
            ("hosts", Kind::Texts),
            ("reads", Kind::Texts),
        ],
    ),
];

/// What is said of a relation, by key.
pub(super) struct Said<'a>(BTreeMap<&'a str, Content>);

impl Said<'_> {
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        match self.0.remove(key)? {
            Content::Text(text) => Some(text),
            _ => broken(KIND),
        }
    }

    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        match self.0.remove(key) {
            None => Vec::new(),
            Some(Content::Texts(texts)) => texts,
            Some(_) => broken(KIND),
        }
    }

    pub(super) fn duration(&mut self, key: &str) -> Option<Duration> {
        match self.0.remove(key)? {
            Content::Duration(duration) => Some(duration),
            _ => broken(KIND),
        }
    }

    /// Where a secret is: in a variable, or in a file.
    pub(super) fn secret(
        &mut self,
        (variable, file): (&str, &str),
        beside: impl Fn(&str) -> PathBuf,
    ) -> Result<Option<Secret>, String> {
        match (self.text(variable), self.text(file)) {
            (Some(_), Some(_)) => Err(one_of(variable, file, "both")),
            (Some(name), None) => Ok(Some(Secret::Variable(name))),
            (None, Some(path)) => Ok(Some(Secret::File(beside(&path)))),
            (None, None) => Ok(None),
        }
    }

    pub(super) fn count(&mut self, key: &str) -> Option<u64> {
        match self.0.remove(key)? {
            Content::Count(count) => Some(count),
            _ => broken(KIND),
        }
    }

    fn policy(&mut self) -> Result<Policy, String> {
        let repeat = match self.text("repeat").as_deref() {
            None | Some("safe") => Repeat::Safe,
            Some("unsafe") => Repeat::Unsafe,
            Some(other) => return Err(format!("`repeat`: expected `safe` or `unsafe`, found `{other}`")),
        };
        let attempts = self.count("attempts");
        let attempts = attempts.map_or(POLICY.attempts, |count| u32::try_from(count).unwrap_or(u32::MAX));
        let pause = self.duration("pause").map(|pause| i64::try_from(pause.as_micros()).unwrap_or(i64::MAX));
        Ok(Policy { repeat, attempts, pause: pause.unwrap_or(POLICY.pause) })
    }

    /// What carries decisions out; `beside` is the folder of the settings.
    fn means(&mut self, carrier: &str, beside: impl Fn(&str) -> PathBuf) -> Result<Means, String> {
        match carrier {
            COMMAND => {
                let program = self.text("program").ok_or("missing program; expected `program = \"…\"`")?;
                Ok(Means::Command { program, args: self.texts("args"), env: self.texts("env") })
            }
            webhook::NAME => {
                let url = self.text("url").ok_or("missing URL; expected `url = \"…\"`")?;
                let url = plain(url)?;
                let secret = self.secret(("secret_env", "secret_file"), beside)?;
                Ok(Means::WebHook { url, secret })
            }
            append::NAME => match (self.text("path"), self.text("folder")) {
                (Some(path), None) => Ok(Means::Lines(beside(&path))),
                (None, Some(folder)) => Ok(Means::Folder(beside(&folder))),
                (Some(_), Some(_)) => Err(one_of("path", "folder", "both")),
                (None, None) => Err(one_of("path", "folder", "neither")),
            },
            script::NAME => self.script(beside),
            model::NAME => self.model(beside),
            card::NAME => self.card(beside),
            mail::NAME => self.mail(beside),
            _ => {
                let templates = self.texts("facts");
                if templates.is_empty() {
                    return Err(String::from(
                        "missing facts; expected `facts = [\"relation(column = column)\"]`",
                    ));
                }
                templates.iter().map(|text| Template::read(text)).collect::<Result<_, _>>().map(Means::Facts)
            }
        }
    }
}

impl Said<'_> {
    fn card(&mut self, beside: impl Fn(&str) -> PathBuf) -> Result<Means, String> {
        let url = plain(self.text("url").ok_or("missing URL; expected `url = \"…\"`")?)?;
        let secret = self.secret(("secret_env", "secret_file"), &beside)?;
        let ask = self.ask("a card with buttons", &beside)?;
        Ok(Means::Card { url, secret, ask })
    }

    /// The review that answers are for, if there are any.
    fn ask(&mut self, what: &str, beside: impl Fn(&str) -> PathBuf) -> Result<Option<Buttons>, String> {
        let reply = self.secret(("reply_env", "reply_file"), beside)?;
        let (review, reviewer) = (self.texts("review"), self.text("reviewer"));
        let lasts = self.duration("lasts").unwrap_or(card::LASTS);
        match (review.is_empty(), reviewer, reply) {
            (true, None, None) => Ok(None),
            (false, Some(reviewer), Some(secret)) => Ok(Some(Buttons { review, reviewer, secret, lasts })),
            _ => Err(format!("{what} needs `review` (columns), `reviewer`, and `reply_env` or `reply_file`")),
        }
    }

    fn mail(&mut self, beside: impl Fn(&str) -> PathBuf) -> Result<Means, String> {
        let server = self.text("server").ok_or("missing server; expected `server = \"HOST:PORT\"`")?;
        let server = host_and_port(&server)?;
        let from = self.text("from").ok_or("missing sender; expected `from = \"…\"`")?;
        let to = self.texts("to");
        if to.is_empty() {
            return Err(String::from("missing recipients; expected `to = [\"…\"]`"));
        }
        let (user, secret) = (self.text("user"), self.secret(("secret_env", "secret_file"), &beside)?);
        if user.is_some() != secret.is_some() {
            return Err(String::from(
                "expected `user` with `secret_env` or `secret_file`, found one of both",
            ));
        }
        let security = self.security()?;
        let is_near = ["127.0.0.1", "::1", "localhost"].contains(&server.0.as_str());
        if user.is_some() && !is_near && security == mail::Security::None {
            return Err(format!(
                "`server`: a password is sent to this machine alone, found `{}`; \
                secure the connection by `tls`, or send to a local relay",
                server.0
            ));
        }
        let ask = self.ask("a mail with an answer", &beside)?;
        Ok(Means::Mail { server, security, user, secret, from, to, ask })
    }

    /// How a connection to a server of mails is secured.
    fn security(&mut self) -> Result<mail::Security, String> {
        let security = match self.text("tls").as_deref() {
            None => return Ok(mail::Security::None),
            Some("starttls") => mail::Security::StartTls,
            Some("implicit") => mail::Security::Implicit,
            Some(other) => {
                return Err(format!("`tls`: expected \"starttls\" or \"implicit\", found {other:?}"));
            }
        };
        if cfg!(feature = "tls") {
            return Ok(security);
        }
        let (message, help) = features::needed("`tls`", "tls");
        Err(format!("{message}; {help}"))
    }

    fn script(&mut self, beside: impl Fn(&str) -> PathBuf) -> Result<Means, String> {
        let interpreter = self.text("interpreter");
        let interpreter =
            interpreter.ok_or("missing interpreter; expected `interpreter = …`, such as \"python3\"")?;
        let text = match (self.text("column"), self.text("path")) {
            (Some(column), None) => script::Text::Column(column),
            (None, Some(path)) => script::Text::File(beside(&path)),
            (Some(_), Some(_)) => return Err(one_of("column", "path", "both")),
            (None, None) => return Err(one_of("column", "path", "neither")),
        };
        Ok(Means::Script {
            interpreter,
            text,
            memory: self.count("memory").unwrap_or(script::MEMORY),
            cpu: self.duration("cpu"),
            output: self.count("output").unwrap_or(script::OUTPUT),
            hosts: self.texts("hosts"),
            reads: self.texts("reads"),
        })
    }
}

/// A server with its port, which may be missing.
fn host_and_port(text: &str) -> Result<(String, u16), String> {
    let wrong = || format!("`server`: expected a host and a port such as `127.0.0.1:25`, found `{text}`");
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().map_err(|_| wrong())?),
        None => (text, mail::PORT),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if host.is_empty() { Err(wrong()) } else { Ok((host.to_owned(), port)) }
}

/// A URL that hence can reach.
pub(super) fn plain(url: String) -> Result<String, String> {
    if hence_actuators::is_reached(&url) {
        return Ok(url);
    }
    if url.starts_with("https://") {
        let (message, help) = features::needed(&format!("`{url}`"), "tls");
        return Err(format!("{message}; {help}, or send to a local proxy over `http://`"));
    }
    Err(format!("expected a URL that begins with `http://` or `https://`, found `{url}`"))
}

pub(super) fn one_of(one: &str, other: &str, found: &str) -> String {
    format!("expected `{one}` or `{other}`, found {found}")
}

impl Reading<'_> {
    /// `notify = { carrier = "webhook", url = "http://…", attempts = 3, pause = "5s" }`
    pub(super) fn carriers(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = format!("{CARRY}.{}", key.get_ref());
            let DeValue::Table(inner) = value.get_ref() else {
                let other = found(value.get_ref());
                let form = "`{ carrier = \"command\", program = \"scripts/tell\" }`";
                let message = format!("`{name}`: expected a table such as {form}, found {other}");
                self.wrong(value.span(), message);
                continue;
            };
            if let Err(what) = self.carrier(key.get_ref(), key.span(), inner) {
                self.wrong(key.span(), format!("`{name}`: {what}"));
            }
        }
    }

    fn carrier(&mut self, decision: &str, key: Range<usize>, table: &DeTable<'_>) -> Result<(), String> {
        let path = format!("{CARRY}.{decision}");
        let named = table.iter().find(|(word, _)| word.get_ref().as_ref() == "carrier");
        let named = named.and_then(|(_, value)| value.get_ref().as_str()).map(str::to_owned);
        let known = || CARRIERS.map(|(name, _)| format!("`{name}`")).join(", ");
        let named =
            named.ok_or_else(|| format!("missing carrier; expected `carrier = …` with {}", known()))?;
        let Some((carrier, own)) = CARRIERS.iter().find(|(name, _)| *name == named) else {
            return Err(format!("unknown carrier `{named}`; expected {}", known()));
        };
        let keys: Vec<(&str, Kind)> = own.iter().copied().chain(COMMON).collect();
        let Some(mut said) = self.said(&path, &keys, table) else { return Ok(()) };
        let folder = self.path.parent().unwrap_or(self.path).to_owned();
        let carried = Carried {
            decision: decision.to_owned(),
            table: CARRY,
            policy: said.policy()?,
            time_limit: said.duration("timeout").unwrap_or(TIME_LIMIT),
            author: said.text("as"),
            means: said.means(carrier, |path| shown(&folder.join(path)))?,
            origin: self.origin(self.span(key.clone())),
            key,
        };
        self.carry(carried)
    }

    /// What a table says by these keys; `None` where something in it is wrong, which is told.
    pub(super) fn said<'a>(
        &mut self,
        path: &str,
        keys: &[(&'a str, Kind)],
        table: &DeTable<'_>,
    ) -> Option<Said<'a>> {
        let (mut said, mut fits) = (BTreeMap::new(), true);
        for (word, value) in table {
            let name: &str = word.get_ref();
            let path = format!("{path}.{name}");
            let Some((key, kind)) = keys.iter().find(|(known, _)| *known == name) else {
                self.unknown(name, &path, word.span(), keys.iter().map(|(known, _)| *known).collect());
                fits = false;
                continue;
            };
            match content(*kind, value.get_ref()) {
                Ok(content) => {
                    said.insert(*key, content);
                }
                Err(what) => {
                    self.wrong(value.span(), format!("`{path}`: {what}"));
                    fits = false;
                }
            }
        }
        fits.then_some(Said(said))
    }

    /// Takes in how a relation is carried out.
    ///
    /// # Errors
    /// Another table says it already.
    pub(super) fn carry(&mut self, carried: Carried) -> Result<(), String> {
        let other = self.values.carried.iter().find(|known| known.decision == carried.decision);
        if let Some(other) = other {
            return Err(format!("`{}.{}` says already how it is carried out", other.table, other.decision));
        }
        self.values.carried.push(carried);
        Ok(())
    }
}
