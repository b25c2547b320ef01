//! HTTP for a session and its runtime: a request becomes a question, its answer becomes JSON. Nothing is decided here,
//! and no engine work runs on the threads of connections.
//!
//! `routes` is the table of all routes, each with the scope that it takes; `call` is a request as routes read it,
//! `question` what is asked, `desk` who answers, `problem` why not. `principal` says who calls: by a token of `tokens`,
//! or one of an issuer by `jwt`. `authzen` and `native` lower requests, `changes` is the stream of transactions, `openapi`
//! describes the table, `meters` counts, `trace` joins the traces of callers, `mcp` speaks the protocol of agents' tools, `hook` that of their hosts, `service` puts it together and `listen` has connections. `page` is what people see.

mod authzen;
mod call;
mod changes;
mod desk;
mod hook;
mod jwt;
mod listen;
mod mcp;
mod meters;
mod native;
mod openapi;
mod page;
mod principal;
mod problem;
mod question;
mod routes;
mod service;
mod tokens;
mod trace;

pub use desk::{AnswerSender, AsOf, Asked, Board, Desk, DeskAnswer, Hooked, Standing, Teller};
pub use jwt::Issuer;
pub use listen::{ListenSettings, Listening, Tls, begin, certificate};
pub use mcp::{Caller, InputLine, Mcp};
pub use openapi::document as openapi;
pub use page::{Filter, Sight};
pub use principal::{Auth, Identity, Scope, Shown};
pub use problem::Problem;
pub use question::{AccessRequest, Free, Page, Question, Review, RuleText, Search, Semantic};
pub use routes::{ROUTES, Route};
pub use tokens::{Token, Tokens, hash};
