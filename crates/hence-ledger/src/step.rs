//! The steps of a transaction: what effects did to facts because of what followed, one round after the other.

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;

use super::bytes::{Malformed, Reader, put_bytes, put_optional, put_varint};
use super::tuple;

/// One round of effects; the first of a transaction has the number 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EffectRound {
    /// What changed, ascending by fact.
    pub changes: Vec<StepChange>,
}

/// A fact that an effect asserted or retracted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StepChange {
    /// The fact.
    pub fact: Fact,
    /// Whether it was asserted; else it was retracted.
    pub asserted: bool,
    /// The rule whose effect it is.
    pub rule: String,
    /// The rule's sentence.
    pub sentence: Option<String>,
}

/// Appends a count of steps, and each with its changes.
pub(crate) fn encode(steps: &[EffectRound], out: &mut Vec<u8>) {
    put_varint(out, steps.len() as u64);
    let mut encoded = Vec::new();
    for step in steps {
        put_varint(out, step.changes.len() as u64);
        for StepChange { fact, asserted, rule, sentence } in &step.changes {
            put_bytes(out, fact.relation.as_str().as_bytes());
            encoded.clear();
            tuple::encode(&fact.values, &mut encoded);
            put_bytes(out, &encoded);
            out.push(u8::from(*asserted));
            put_bytes(out, rule.as_bytes());
            put_optional(out, sentence.as_deref());
        }
    }
}

/// The steps that [`encode`] wrote.
pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Vec<EffectRound>, Malformed> {
    let mut steps = Vec::new();
    for _ in 0..reader.length()? {
        let mut step = EffectRound::default();
        for _ in 0..reader.length()? {
            let relation = Symbol::new(reader.text()?);
            let fact = Fact { relation, values: tuple::decode(reader.bytes()?)? };
            let (asserted, rule) = (reader.flag()?, reader.text()?.to_owned());
            let sentence = reader.optional()?.map(str::to_owned);
            step.changes.push(StepChange { fact, asserted, rule, sentence });
        }
        steps.push(step);
    }
    Ok(steps)
}

/// The number of the step that asserted `fact`, and the change itself.
pub(crate) fn asserting<'s>(steps: &'s [EffectRound], fact: &Fact) -> Option<(u64, &'s StepChange)> {
    let numbered = (1..).zip(steps);
    let changes = numbered.flat_map(|(number, step)| step.changes.iter().map(move |change| (number, change)));
    changes.into_iter().find(|(_, change)| change.asserted && change.fact == *fact)
}
