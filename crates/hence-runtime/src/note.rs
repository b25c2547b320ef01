//! What the ledger keeps of an entry: one note each time that something becomes of it.

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};

/// The reserved relation of notes.
pub const RELATION: &str = "hence.outbox";

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The carrier is about to start.
    Begun,
    /// The carrier did it, and its answer is recorded with this.
    Answered,
    /// The carrier did it.
    Carried,
    /// The carrier did not do it.
    Failed,
    /// Nobody knows whether the carrier did it.
    Unknown,
    /// It is not tried any more.
    GivenUp,
    /// The decision lapsed.
    Cancelled,
    /// A person has it tried again.
    Retry,
    /// A person has it left.
    Skipped,
}

const WORDS: [(Mark, &str); 9] = [
    (Mark::Begun, "/begun"),
    (Mark::Answered, "/answered"),
    (Mark::Carried, "/carried"),
    (Mark::Failed, "/failed"),
    (Mark::Unknown, "/unknown"),
    (Mark::GivenUp, "/given_up"),
    (Mark::Cancelled, "/cancelled"),
    (Mark::Retry, "/retry"),
    (Mark::Skipped, "/skipped"),
];

impl Mark {
    /// Its name as a value.
    pub fn word(self) -> &'static str {
        WORDS.iter().find(|(mark, _)| *mark == self).map_or("", |(_, word)| word)
    }

    /// Whether nothing follows it but what a person asks for.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Carried | Self::GivenUp | Self::Cancelled | Self::Skipped)
    }
}

/// One thing that became of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryNote {
    /// In which attempt, from 1; 0 before the first.
    pub attempt: u32,
    /// What.
    pub mark: Mark,
    /// Who carries it out.
    pub carrier: String,
    /// What the carrier or the runtime says of it.
    pub detail: String,
    /// The clock of the rules then, in microseconds since the epoch.
    pub at: i64,
}

/// The columns of notes, by name.
pub fn columns() -> [(&'static str, Type); 6] {
    [
        ("id", Type::String),
        ("attempt", Type::Int),
        ("state", Type::Name),
        ("carrier", Type::String),
        ("detail", Type::String),
        ("at", Type::Time),
    ]
}

impl EntryNote {
    /// The note as a fact on the decision with this id.
    pub fn fact(&self, id: &str) -> Fact {
        let text = |text: &str| Value::String(Symbol::new(text));
        let values = [
            text(id),
            Value::Int(i64::from(self.attempt)),
            Value::Name(Symbol::new(self.mark.word())),
            text(&self.carrier),
            text(&self.detail),
            Value::Time(self.at),
        ];
        Fact::new(RELATION, values)
    }

    /// The note that a fact holds, and the id of its decision; `None` where it isn't one.
    pub fn read(fact: &Fact) -> Option<(Symbol, Self)> {
        let [
            Value::String(id),
            Value::Int(attempt),
            Value::Name(word),
            Value::String(carrier),
            Value::String(detail),
            Value::Time(at),
        ] = fact.values.as_slice()
        else {
            return None;
        };
        let (mark, _) = WORDS.iter().find(|(_, known)| *known == word.as_str())?;
        let (carrier, detail) = (carrier.as_str().to_owned(), detail.as_str().to_owned());
        Some((*id, Self { attempt: u32::try_from(*attempt).ok()?, mark: *mark, carrier, detail, at: *at }))
    }
}
