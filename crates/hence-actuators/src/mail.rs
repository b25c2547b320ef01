//! `mail`: a decision becomes a mail in plain text, with signed tokens that answer a review.

use std::error::Error as _;
use std::io::ErrorKind;
use std::time::Duration;

use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::{Error, SmtpTransport};
use lettre::{Message, Transport};

use super::card::{AskFor, cut};
use super::carry::{Carrier, Failed, Fate, Order, Report, within};
use super::mail_settings::NAME;

/// How long is waited beyond the time limit for a server that should have answered.
const GRACE: Duration = Duration::from_secs(1);
/// How many letters a subject, a sentence and a value may have, and how many columns are told.
const LONGEST: (usize, usize, usize, usize) = (150, 3000, 2000, 30);

/// Sends a mail about each decision to a server that relays it. What the server answers is not read further.
pub struct Mail {
    /// The server and its port.
    pub server: (String, u16),
    /// The name and the password that the server asks for.
    pub credentials: Option<(String, String)>,
    /// From whom.
    pub from: String,
    /// To whom.
    pub to: Vec<String>,
    /// The review that an answer is for.
    pub ask: Option<AskFor>,
    /// How long it may take in all.
    pub time_limit: Duration,
}

impl Carrier for Mail {
    fn name(&self) -> &'static str {
        NAME
    }

    fn carry_out(&self, order: &Order<'_>) -> Result<Report, Failed> {
        let (host, port) = &self.server;
        let told = |failed: Failed| Failed {
            message: format!("`{host}:{port}` did not take the mail: {}", failed.message),
            ..failed
        };
        self.send(self.message(order)?).map(|()| Report::default()).map_err(told)
    }
}

impl Mail {
    fn message(&self, order: &Order<'_>) -> Result<Message, Failed> {
        let refused = |why: String| Failed::new(Fate::Refused, why);
        let mailbox = |text: &String| {
            text.parse::<Mailbox>()
                .map_err(|error| refused(format!("`{text}` is no address of mail: {error}")))
        };
        let (subject, ..) = LONGEST;
        let because = order.because.unwrap_or(order.decision.relation.as_str());
        // A line of its own would be a header of its own.
        let line: String =
            because.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let mut message = Message::builder()
            .from(mailbox(&self.from)?)
            .subject(format!("[{}] {}", order.decision.relation, cut(&line, subject)))
            // The same for each attempt, so that a mail that arrives twice is known as one.
            .message_id(Some(format!("<{}.{}@hence>", order.id, order.decision.relation)))
            .header(ContentType::TEXT_PLAIN);
        for to in &self.to {
            message = message.to(mailbox(to)?);
        }
        message.body(self.text(order, because)?).map_err(|error| refused(error.to_string()))
    }

    fn text(&self, order: &Order<'_>, because: &str) -> Result<String, Failed> {
        let (_, sentence, value, columns) = LONGEST;
        let mut text = format!("{}\n\n", cut(because, sentence));
        for (name, shown) in order.columns.iter().zip(&order.decision.values).take(columns) {
            text.push_str(&format!("{name}: {}\n", cut(&shown.text(), value)));
        }
        text.push_str(&format!("\nDecision {} of {}.\n", order.id, order.decision.relation));
        let Some(ask) = &self.ask else { return Ok(text) };
        let [approve, reject] = ask.tokens(order)?;
        text.push_str(&format!(
            "\n{} is asked. To approve:\n\nhence review answer {approve}\n\nTo reject:\n\nhence review answer {reject}\n",
            ask.reviewer
        ));
        Ok(text)
    }

    fn send(&self, message: Message) -> Result<(), Failed> {
        let (host, port) = self.server.clone();
        let limit = self.time_limit;
        let credentials = self.credentials.clone();
        let sent = within(limit.saturating_add(GRACE), move || {
            let mut server = SmtpTransport::builder_dangerous(host).port(port).timeout(Some(limit));
            if let Some((name, password)) = credentials {
                server = server.credentials(Credentials::new(name, password));
            }
            server.build().send(&message)
        });
        match sent {
            None => Err(Failed::new(Fate::Unknown, format!("no answer within {limit:?}"))),
            Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(Failed::new(fate(&error), error.to_string())),
        }
    }
}

/// What an error says of the mail: unless the server refused it or no connection was made, it may have arrived.
fn fate(error: &Error) -> Fate {
    if error.is_permanent() {
        return Fate::Refused;
    }
    let io = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
    if error.is_transient() || io.is_some_and(|io| io.kind() == ErrorKind::ConnectionRefused) {
        return Fate::Undone;
    }
    Fate::Unknown
}
