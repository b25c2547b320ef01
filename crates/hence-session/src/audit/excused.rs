//! What an audit excuses: a difference that a personal value makes which nobody can read any more, and no other.

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_ledger::Decision;

use super::{Discrepancy, Finding, Held};
use crate::erased::{Open, known};
use crate::error::SessionError;
use crate::history::History;

impl Held<'_> {
    /// The findings, where those that rest on values which nobody can read any more say so.
    pub(super) fn excused(
        &self,
        history: &History<'_>,
        (mut found, clock): (Vec<Finding>, i64),
    ) -> Result<Vec<Finding>, SessionError> {
        let mut after = None;
        for finding in &mut found {
            let excused = match &finding.what {
                Discrepancy::StepUnfounded(number, change) | Discrepancy::StepMissing(number, change) => {
                    let moment = (self.info, clock);
                    self.course.erased.may_take_place(history, self.rules, moment, (*number, change))?
                }
                what => match &finding.decision {
                    Some((_, fact)) if self.could_rest_on_erased(fact.relation) => {
                        let open = match after.take() {
                            Some(open) => open,
                            None => Open::of(history, self.rules, (self.info, clock), None)?,
                        };
                        let excused = self.may_be(&open, what, fact)?;
                        after = Some(open);
                        excused
                    }
                    _ => false,
                },
            };
            if excused {
                finding.what = Discrepancy::Erased;
            }
        }
        Ok(found)
    }

    fn could_rest_on_erased(&self, relation: Symbol) -> bool {
        self.course.erased.reaches(&self.rules.program, relation)
    }

    /// Whether what is recorded of a decision may be so by some values that can't be read.
    fn may_be(&self, open: &Open<'_>, what: &Discrepancy, fact: &Fact) -> Result<bool, SessionError> {
        match what {
            Discrepancy::Unfounded(recorded) | Discrepancy::Undetermined(recorded) => {
                self.may_explain(open, recorded)
            }
            Discrepancy::Explained(recorded, again) | Discrepancy::ExplainedOtherwise(recorded, again) => {
                Ok(self.may_explain(open, recorded)?
                    || (self.gives(recorded)? && self.may_explain(open, again)?))
            }
            Discrepancy::Missing(_)
            | Discrepancy::Kept(_)
            | Discrepancy::Lapsed(_)
            | Discrepancy::Reason(..) => Ok(open.may_follow(fact)),
            _ => Ok(false),
        }
    }

    fn may_explain(&self, open: &Open<'_>, recorded: &Decision) -> Result<bool, SessionError> {
        let (relation, values) = (recorded.fact.relation, known(&recorded.fact));
        match &recorded.rule {
            Some(rule) => {
                open.may_explain(self.rules, (relation, &values), (rule, recorded.sentence.as_deref()))
            }
            None => Ok(recorded.sentence.is_none() && self.is_salvaged() && open.may_follow(&recorded.fact)),
        }
    }
}
