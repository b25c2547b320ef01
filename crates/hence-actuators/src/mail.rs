//! `mail`: a decision becomes a mail in plain text, with signed tokens that answer a review.

use std::error::Error as _;
use std::io::ErrorKind;
use std::time::Duration;

use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::Credentials;
#[cfg(feature = "tls")]
use lettre::transport::smtp::client::{Certificate, CertificateStore, Tls, TlsParameters};
use lettre::transport::smtp::{Error, SmtpTransport};
use lettre::{Message, Transport};

use super::card::{AskFor, cut};
use super::carry::{Carrier, Failed, Fate, Order, Report, within};
use super::mail_settings::{NAME, Security};
#[cfg(feature = "tls")]
use super::tls;

/// How many letters a subject, a sentence and a value may have, and how many columns are told.
const LONGEST: (usize, usize, usize, usize) = (150, 3000, 2000, 30);

/// Sends a mail about each decision to a server that relays it. What the server answers is not read further.
pub struct Mail {
    /// The server and its port.
    pub server: (String, u16),
    /// How the connection is secured; without the feature `tls` not at all.
    pub security: Security,
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
        #[cfg(feature = "tls")]
        let security = self.security;
        within(limit, move || {
            let mut server = SmtpTransport::builder_dangerous(&host).port(port).timeout(Some(limit));
            #[cfg(feature = "tls")]
            {
                server = server.tls(secured(security, host)?);
            }
            if let Some((name, password)) = credentials {
                server = server.credentials(Credentials::new(name, password));
            }
            server.build().send(&message).map(drop).map_err(|error| failed(&error))
        })
    }
}

/// How a connection to the host is secured.
#[cfg(feature = "tls")]
fn secured(security: Security, host: String) -> Result<Tls, Failed> {
    if security == Security::None {
        return Ok(Tls::None);
    }
    let wrong = |error: Error| Failed::new(Fate::Undone, format!("TLS can't be set up: {error}"));
    let mut parameters = TlsParameters::builder(host);
    if let Some(trusted) = tls::trusted()? {
        parameters = parameters.certificate_store(CertificateStore::None);
        for certificate in trusted {
            let certificate = Certificate::from_der(certificate.der().to_vec()).map_err(wrong)?;
            parameters = parameters.add_root_certificate(certificate);
        }
    }
    let parameters = parameters.build().map_err(wrong)?;
    Ok(if security == Security::Implicit { Tls::Wrapper(parameters) } else { Tls::Required(parameters) })
}

fn failed(error: &Error) -> Failed {
    #[cfg(feature = "tls")]
    if error.is_tls() || io(error).is_some_and(|io| io.kind() == ErrorKind::InvalidData) {
        return tls::distrusted(&error.to_string());
    }
    Failed::new(fate(error), error.to_string())
}

fn io(error: &Error) -> Option<&std::io::Error> {
    error.source()?.downcast_ref::<std::io::Error>()
}

/// What an error says of the mail: unless the server refused it or no connection was made, it may have arrived.
fn fate(error: &Error) -> Fate {
    if error.is_permanent() {
        return Fate::Refused;
    }
    if error.is_transient() || io(error).is_some_and(|io| io.kind() == ErrorKind::ConnectionRefused) {
        return Fate::Undone;
    }
    Fate::Unknown
}
