//! How the decisions of a relation are carried out, as `hence.toml` says it.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use hence_actuators::mail_settings::Security;
use hence_actuators::model::{LanguageModel, Price, PromptTemplate, Shape};
use hence_actuators::template::Template;
use hence_actuators::{factory_settings, mcp_settings, plan_settings, script_settings};
use hence_core::value::Value;
use hence_runtime::{Policy, Repeat};

use super::{Origin, file};

/// How the decisions of a relation are carried out.
#[derive(Clone, Debug)]
pub(in super::super) struct Carried {
    /// The relation.
    pub(in super::super) decision: String,
    /// The table that says it.
    pub(in super::super) table: &'static str,
    /// By what.
    pub(in super::super) means: Means,
    /// How often it is tried.
    pub(in super::super) policy: Policy,
    /// How long one attempt may take.
    pub(in super::super) time_limit: Duration,
    /// The author of what is answered; the carrier's name where there is none.
    pub(in super::super) author: Option<String>,
    /// Where it stands.
    pub(super) origin: Origin,
    /// The place of the relation's name in the file, in bytes.
    pub(super) key: Range<usize>,
}

/// What carries decisions out.
#[derive(Clone, Debug)]
pub(in super::super) enum Means {
    /// A program.
    Command {
        /// As it is written: a path, or a name to be found on the `PATH`.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// The variables that it sees beside those that every program sees.
        env: Vec<String>,
    },
    /// A web hook.
    WebHook {
        /// Where to.
        url: String,
        /// Where the secret of its signature is.
        secret: Option<Secret>,
    },
    /// Lines of a file.
    Lines(PathBuf),
    /// Files in a folder.
    Folder(PathBuf),
    /// Facts.
    Facts(Vec<Template>),
    /// A message with buttons.
    Card {
        /// Where to.
        url: String,
        /// Where the secret of its signature is.
        secret: Option<Secret>,
        /// The review that its buttons answer.
        ask: Option<Buttons>,
    },
    /// A mail.
    #[cfg_attr(not(feature = "mail"), expect(dead_code, reason = "only the carrier reads it all"))]
    Mail {
        /// The server and its port.
        server: (String, u16),
        /// How the connection is secured.
        security: Security,
        /// Who hence is for the server.
        user: Option<String>,
        /// Where the password is.
        secret: Option<Secret>,
        /// From whom.
        from: String,
        /// To whom.
        to: Vec<String>,
        /// The review that an answer is for.
        ask: Option<Buttons>,
    },
    /// A language model.
    Model(Box<Asked>),
    /// Generated tools, in a folder.
    Factory(factory_settings::FactorySettings),
    /// Servers of tools.
    Mcp(mcp_settings::McpSettings),
    /// The changes of plans, in a folder.
    Plan(plan_settings::PlanSettings),
    /// A script in confinement.
    #[cfg_attr(
        not(all(feature = "sandbox", target_os = "linux")),
        expect(dead_code, reason = "only the carrier reads what a script may do")
    )]
    Script {
        /// What runs it, as it is written.
        interpreter: String,
        /// Its text.
        text: script_settings::Text,
        /// Its address space, in MB.
        memory: u64,
        /// Its processor time; the time limit where nothing is said.
        cpu: Option<Duration>,
        /// How many characters it may write.
        output: u64,
        /// The hosts that are asked for it.
        hosts: Vec<String>,
        /// The relations that it may read.
        reads: Vec<String>,
    },
}

impl Means {
    /// How long an attempt may take, where these say so themselves.
    pub(super) fn time_limit(&self) -> Duration {
        match self {
            Self::Plan(plan) => plan.time_limit,
            Self::Mcp(mcp) => mcp.time_limit,
            Self::Factory(tools) => tools.time_limit,
            _ => file::TIME_LIMIT,
        }
    }
}

/// What the buttons of a card are for.
#[derive(Clone, Debug)]
pub(in super::super) struct Buttons {
    /// The columns that make the id of the review.
    pub(in super::super) review: Vec<String>,
    /// Who is asked.
    pub(in super::super) reviewer: String,
    /// Where the key of the tokens is.
    pub(in super::super) secret: Secret,
    /// How long an answer is taken.
    pub(in super::super) lasts: Duration,
}

/// How a language model is asked.
#[derive(Clone, Debug)]
pub(in super::super) struct Asked {
    /// The form of requests and answers.
    pub(in super::super) shape: Shape,
    /// Where to.
    pub(in super::super) url: String,
    /// Where the key is.
    pub(in super::super) key: Option<Secret>,
    /// The model where no category says another.
    pub(in super::super) model: LanguageModel,
    /// The column that names a category.
    pub(in super::super) category: Option<String>,
    /// The models of categories.
    pub(in super::super) models: Vec<(String, LanguageModel)>,
    /// What models cost.
    pub(in super::super) prices: Vec<(String, Price)>,
    /// What the model is.
    pub(in super::super) system: Option<String>,
    /// What is asked.
    pub(in super::super) prompt: Text,
    /// The file that says what the answer must look like.
    pub(in super::super) schema: Option<PathBuf>,
    /// The list in the answer that has things of their own.
    pub(in super::super) each: Option<String>,
    /// The facts of an answer that fits.
    pub(in super::super) facts: Vec<Template>,
    /// The facts of every answer.
    pub(in super::super) usage: Vec<Template>,
}

/// The text of a prompt.
#[derive(Clone, Debug)]
pub(in super::super) enum Text {
    /// In the settings.
    Here(PromptTemplate),
    /// In this file.
    File(PathBuf),
}

/// Where a secret is.
#[derive(Clone, Debug)]
pub(in super::super) enum Secret {
    /// In this variable of the environment.
    Variable(String),
    /// In this file; a line end after it is none of it.
    File(PathBuf),
}

impl fmt::Display for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.means {
            Means::Command { program, args, .. } => {
                f.write_str(program)?;
                args.iter().try_for_each(|arg| write!(f, " {arg}"))?;
            }
            Means::WebHook { url, secret } | Means::Card { url, secret, .. } => {
                write!(f, "{url}{}", if secret.is_some() { ", signed" } else { "" })?;
            }
            Means::Mail { server: (host, port), to, .. } => {
                write!(f, "to {} by {host}:{port}", to.join(", "))?
            }
            Means::Lines(path) | Means::Folder(path) => return write!(f, "{}", path.display()),
            Means::Model(asked) => write!(f, "{} at {}", asked.model.name, asked.url)?,
            Means::Script { interpreter, text: script_settings::Text::Column(column), .. } => {
                write!(f, "{interpreter}, the script in `{column}`")?;
            }
            Means::Script { interpreter, text: script_settings::Text::File(path), .. } => {
                write!(f, "{interpreter} {}", path.display())?;
            }
            Means::Plan(plan) => {
                write!(f, "in {}, tested by {}", plan.folder.display(), plan.tests.join(" "))?
            }
            Means::Factory(tools) => {
                write!(f, "in {}, run by {}", tools.folder.display(), tools.interpreter)?
            }
            Means::Mcp(mcp) => write!(f, "to {}", mcp.servers.display())?,
            Means::Facts(_) => return f.write_str("facts"),
        }
        let micros = i64::try_from(self.time_limit.as_micros()).unwrap_or(i64::MAX);
        write!(f, ", at most {}", Value::Duration(micros))?;
        match self.policy.repeat {
            Repeat::Safe => Ok(()),
            Repeat::Unsafe => f.write_str(", unsafe to repeat"),
        }
    }
}
