//! How decisions are carried out in a run: the carriers that `hence.toml` names, and the requests that packs file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hence_actuators::append::{Append, AppendTarget};
use hence_actuators::card::{AskFor, Card};
use hence_actuators::carry::Carrier;
use hence_actuators::factory_settings;
use hence_actuators::file_requests::{self, FileRequests};
use hence_actuators::mcp::McpActuator;
use hence_actuators::model::{AnswerSchema, Ask, PromptTemplate};
use hence_actuators::plan_settings;
use hence_actuators::run_command::{ExternalProgram, RunCommand};
use hence_actuators::template::Assert;
use hence_actuators::webhook::WebHook;
use hence_core::file::{self, LARGEST_TEXT};
use hence_core::schema::Kind;
use hence_core::symbol::Symbol;
use hence_ledger::Ledger;
use hence_runtime::{Policy, Repeat};
use hence_session::Session;

use super::super::config::carried::{Asked, Buttons, Carried, Means, Secret, Text};
use super::super::{Failure, config, output};

/// What [`Carried::table`] is called where it is that of programs alone.
const RUN_COMMAND: &str = "run_command";
/// The same for all carriers, as messages call a carrier that is a program.
const COMMAND: &str = "command";
/// The file in a ledger's folder whose lock is held while a program carries a decision out.
const LOCK: &str = "carrying";
/// The largest secret, in bytes.
const LARGEST_SECRET: u64 = 64 << 10;
/// Requests are facts of hence's own, so nothing keeps them from being filed but the rules, which another run may mend.
pub(super) const REQUESTS: Policy = Policy { repeat: Repeat::Safe, attempts: 5, pause: 5_000_000 };

/// How the decisions of one relation are carried out.
pub(super) struct Way {
    /// By what.
    pub(super) carrier: Box<dyn Carrier>,
    /// Under which name its answers are asserted.
    pub(super) author: String,
    /// How often it is tried.
    pub(super) policy: Policy,
}

/// How decisions are carried out, by relation.
pub(super) struct Ways(BTreeMap<Symbol, Way>);

impl Ways {
    /// Those of the decisions of a session's rules.
    ///
    /// # Errors
    /// A variable that isn't set, a secret that can't be read.
    pub(super) fn of(session: &Session) -> Result<Self, Failure> {
        let rules = session.rules();
        let lock = session.ledger().and_then(Ledger::folder).map(|folder| folder.join(LOCK));
        let declared = |name: &str, kind: Kind| {
            let id = rules.program.find(Symbol::new(name));
            id.is_some_and(|id| rules.program[id].kind == kind)
        };
        let mut ways = BTreeMap::new();
        for relation in file_requests::RELATIONS {
            // Without the pack that answers it, a request would wait for ever.
            if declared(relation, Kind::Decision) && declared(file_requests::filed_as(relation), Kind::Input)
            {
                let (carrier, author) = (Box::new(FileRequests), String::from(file_requests::NAME));
                ways.insert(Symbol::new(relation), Way { carrier, author, policy: REQUESTS });
            }
        }
        let Some(root) = config::get().root() else { return Ok(Self(ways)) };
        for carried in
            config::get().carried().iter().filter(|known| declared(&known.decision, Kind::Decision))
        {
            let carrier = carrier(carried, root, lock.as_deref())?;
            let author = carried.author.clone().unwrap_or_else(|| carrier.name().to_owned());
            ways.insert(Symbol::new(&carried.decision), Way { carrier, author, policy: carried.policy });
        }
        Ok(Self(ways))
    }

    /// Takes up what earlier runs left half-way, and says what can't be.
    pub(super) fn take_up(&self) {
        for way in self.0.values() {
            if let Err(why) = way.carrier.take_up() {
                output::warning(&why);
            }
        }
    }

    /// How the decisions of a relation are carried out; `None` where they aren't.
    pub(super) fn get(&self, relation: Symbol) -> Option<&Way> {
        self.0.get(&relation)
    }
}

fn carrier(carried: &Carried, root: &Path, lock: Option<&Path>) -> Result<Box<dyn Carrier>, Failure> {
    let time_limit = carried.time_limit;
    Ok(match &carried.means {
        Means::Command { program, args, env } => {
            if let Some(name) = env.iter().find(|name| std::env::var_os(name).is_none()) {
                return Err(not_set(carried, "env", name));
            }
            // A path with a `/` is seen from the folder of the settings.
            let inside = program.contains('/');
            let program = if inside { root.join(program) } else { PathBuf::from(program) };
            let program = ExternalProgram { program, args: args.clone(), time_limit, env: env.clone() };
            let name = if carried.table == RUN_COMMAND { RUN_COMMAND } else { COMMAND };
            Box::new(RunCommand { name, program, lock: lock.map(Path::to_owned) })
        }
        Means::WebHook { url, secret } => {
            let secret = secret.as_ref().map(|secret| read(carried, secret)).transpose()?;
            Box::new(WebHook { url: url.clone(), secret, time_limit })
        }
        Means::Lines(path) => Box::new(Append { place: AppendTarget::Lines(path.clone()) }),
        Means::Folder(path) => Box::new(Append { place: AppendTarget::Folder(path.clone()) }),
        Means::Card { url, secret, ask } => {
            let secret = secret.as_ref().map(|secret| read(carried, secret)).transpose()?;
            let ask = ask.as_ref().map(|ask| buttons(carried, ask)).transpose()?;
            Box::new(Card { url: url.clone(), secret, ask, time_limit })
        }
        Means::Mail { .. } => mail(carried)?,
        Means::Model(asked) => Box::new(model(carried, asked)?),
        Means::Script { .. } => script(carried)?,
        Means::Mcp(settings) => Box::new(McpActuator { settings: settings.clone() }),
        Means::Plan(settings) => plan(settings)?,
        Means::Factory(settings) => factory(settings)?,
        Means::Facts(templates) => Box::new(Assert { templates: templates.clone() }),
    })
}

fn buttons(carried: &Carried, ask: &Buttons) -> Result<AskFor, Failure> {
    Ok(AskFor {
        review: ask.review.clone(),
        reviewer: ask.reviewer.clone(),
        secret: secret_of(carried, &ask.secret, "reply_env")?,
        lasts: ask.lasts,
    })
}

/// The keys of the tokens on cards.
///
/// # Errors
/// A variable that isn't set, a secret that can't be read.
pub(in super::super) fn reply_keys() -> Result<Vec<Vec<u8>>, Failure> {
    let mut keys = Vec::new();
    for carried in config::get().carried() {
        if let Means::Card { ask: Some(ask), .. } | Means::Mail { ask: Some(ask), .. } = &carried.means {
            keys.push(secret_of(carried, &ask.secret, "reply_env")?);
        }
    }
    Ok(keys)
}

#[cfg(feature = "mail")]
fn mail(carried: &Carried) -> Result<Box<dyn Carrier>, Failure> {
    let Means::Mail { server, security, user, secret, from, to, ask } = &carried.means else {
        return Err(Failure::Usage(format!("`{}` is carried out by no mail", carried.decision)));
    };
    let password = secret.as_ref().map(|secret| read(carried, secret)).transpose()?;
    let password = password.map(String::from_utf8).transpose();
    let password =
        password.map_err(|_| Failure::Usage(format!("the secret of `{}` is not UTF-8", carried.decision)))?;
    Ok(Box::new(hence_actuators::mail::Mail {
        server: server.clone(),
        security: *security,
        credentials: user.clone().zip(password),
        from: from.clone(),
        to: to.clone(),
        ask: ask.as_ref().map(|ask| buttons(carried, ask)).transpose()?,
        time_limit: carried.time_limit,
    }))
}

#[cfg(not(feature = "mail"))]
fn mail(carried: &Carried) -> Result<Box<dyn Carrier>, Failure> {
    let decision = &carried.decision;
    Err(Failure::Usage(format!(
        "`{decision}` can't be carried out: mails need a hence with the feature `mail`"
    )))
}

fn model(carried: &Carried, asked: &Asked) -> Result<Ask, Failure> {
    let wrong = |path: &Path, why: String| {
        Failure::Usage(format!("`{}` of `{}`: {why}", path.display(), carried.decision))
    };
    let text = |path: &Path| {
        let bytes = file::read(path, LARGEST_TEXT).map_err(|error| wrong(path, error.to_string()))?;
        String::from_utf8(bytes).map_err(|_| wrong(path, String::from("it is not UTF-8")))
    };
    let prompt = match &asked.prompt {
        Text::Here(prompt) => prompt.clone(),
        Text::File(path) => PromptTemplate::read(&text(path)?).map_err(|why| wrong(path, why))?,
    };
    let schema = asked.schema.as_ref();
    let schema =
        schema.map(|path| AnswerSchema::read(&text(path)?).map_err(|why| wrong(path, why))).transpose()?;
    let key = asked.key.as_ref().map(|key| read(carried, key)).transpose()?;
    let key = key.map(String::from_utf8).transpose();
    let key = key.map_err(|_| Failure::Usage(format!("the key of `{}` is not UTF-8", carried.decision)))?;
    Ok(Ask {
        shape: asked.shape,
        url: asked.url.clone(),
        key,
        model: asked.model.clone(),
        category: asked.category.clone(),
        models: asked.models.clone(),
        prices: asked.prices.clone(),
        system: asked.system.clone(),
        prompt,
        schema,
        each: asked.each.clone(),
        facts: asked.facts.clone(),
        usage: asked.usage.clone(),
        time_limit: carried.time_limit,
    })
}

#[cfg(all(feature = "scan", unix))]
fn plan(settings: &plan_settings::PlanSettings) -> Result<Box<dyn Carrier>, Failure> {
    Ok(Box::new(hence_actuators::plan::PlanCarrier::new(settings.clone())?))
}

#[cfg(not(all(feature = "scan", unix)))]
fn plan(_: &plan_settings::PlanSettings) -> Result<Box<dyn Carrier>, Failure> {
    let message = "plans can't be carried out: that needs Unix and a hence with the feature `scan`: \
         `cargo build --release --features scan`";
    Err(Failure::Usage(String::from(message)))
}

#[cfg(all(feature = "scan", feature = "sandbox", target_os = "linux"))]
fn factory(settings: &factory_settings::FactorySettings) -> Result<Box<dyn Carrier>, Failure> {
    Ok(Box::new(hence_actuators::factory::Factory::new(settings.clone())?))
}

#[cfg(not(all(feature = "scan", feature = "sandbox", target_os = "linux")))]
fn factory(_: &factory_settings::FactorySettings) -> Result<Box<dyn Carrier>, Failure> {
    let message = "tools can't be made: that needs Linux and a hence with the features `scan` and `sandbox`: \
         `cargo build --release --features scan`";
    Err(Failure::Usage(String::from(message)))
}

#[cfg(all(feature = "sandbox", target_os = "linux"))]
fn script(carried: &Carried) -> Result<Box<dyn Carrier>, Failure> {
    use hence_actuators::script::{Allowed, Interpreter, Script};
    let Means::Script { interpreter, text, memory, cpu, output, hosts, reads } = &carried.means else {
        return Err(Failure::Usage(format!("`{}` is carried out by no script", carried.decision)));
    };
    let wrong = |why| Failure::Usage(format!("`interpreter` of `{}`: {why}", carried.decision));
    let allowed = Allowed {
        memory: *memory,
        cpu: cpu.unwrap_or(carried.time_limit),
        output: *output,
        time_limit: carried.time_limit,
        hosts: hosts.clone(),
        reads: reads.clone(),
    };
    let interpreter = Interpreter::find(interpreter).map_err(wrong)?;
    Ok(Box::new(Script { interpreter, text: text.clone(), allowed }))
}

#[cfg(not(all(feature = "sandbox", target_os = "linux")))]
fn script(carried: &Carried) -> Result<Box<dyn Carrier>, Failure> {
    let decision = &carried.decision;
    Err(Failure::Usage(format!(
        "`{decision}` can't be carried out: scripts need Linux and a hence with the feature `sandbox`"
    )))
}

/// A secret, which is not empty.
fn read(carried: &Carried, secret: &Secret) -> Result<Vec<u8>, Failure> {
    secret_of(carried, secret, secret_key(carried))
}

/// The same, whose variable this key names.
fn secret_of(carried: &Carried, secret: &Secret, key: &str) -> Result<Vec<u8>, Failure> {
    let (place, bytes) = match secret {
        Secret::Variable(name) => {
            let value = std::env::var(name).map_err(|_| not_set(carried, key, name))?;
            (format!("variable `{name}`"), value.into_bytes())
        }
        Secret::File(path) => {
            let unread = |error| Failure::Usage(format!("can't read `{}`: {error}", path.display()));
            let mut bytes = file::read(path, LARGEST_SECRET).map_err(unread)?;
            bytes.truncate(bytes.trim_ascii_end().len());
            (format!("file `{}`", path.display()), bytes)
        }
    };
    if bytes.is_empty() {
        return Err(Failure::Usage(format!("the secret of `{}` is empty: {place}", carried.decision)));
    }
    Ok(bytes)
}

fn not_set(carried: &Carried, key: &str, name: &str) -> Failure {
    Failure::Usage(format!(
        "`{key}` of `{}` in `[{}]` names `{name}`, which is not set in the environment of hence",
        carried.decision, carried.table
    ))
}

/// The key that names the variable of a secret.
fn secret_key(carried: &Carried) -> &'static str {
    match carried.means {
        Means::Model(_) => "key_env",
        _ => "secret_env",
    }
}
