//! The text form of a program: rules under the headings of their strata, the same from run to run. It is for
//! people and tests; variables that `lower` made are written `$1`, so the text is no rule file.

mod expression;
mod rule;

use std::fmt::{self, Display, Formatter};

use super::{GroundFact, Program, Stratum};
pub use expression::ShownExpr;
use hence_core::schema::{Kind, Param, Relation, RelationId};
pub use rule::ShownRule;

/// Writes `items` with `between` between them.
fn list<T: Display>(f: &mut Formatter<'_>, items: impl IntoIterator<Item = T>, between: &str) -> fmt::Result {
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            f.write_str(between)?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

/// The name of a relation.
fn name(program: &Program, relation: RelationId) -> &'static str {
    program[relation].name.as_str()
}

fn declaration(f: &mut Formatter<'_>, relation: &Relation) -> fmt::Result {
    write!(f, "{} {relation}", relation.kind.keyword())?;
    if let Some(required) = relation.requires {
        write!(f, " requires {required}")?;
    }
    f.write_str(".\n")
}

fn param(f: &mut Formatter<'_>, param: &Param) -> fmt::Result {
    write!(f, "param {}: {} = {}.", param.name, param.ty, param.value)?;
    if param.value != param.default {
        write!(f, " # by default {}", param.default)?;
    }
    f.write_str("\n")
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let fed = self.fed();
        let numbered = (0..).map(RelationId).zip(&self.relations);
        let inputs = numbered.filter(|(id, relation)| relation.kind == Kind::Input && !fed.contains(id));
        f.write_str("# inputs\n")?;
        inputs.into_iter().try_for_each(|(_, relation)| declaration(f, relation))?;
        if !self.params.is_empty() {
            f.write_str("\n# parameters\n")?;
            self.params.iter().try_for_each(|one| param(f, one))?;
        }
        if !self.facts.is_empty() {
            f.write_str("\n# facts\n")?;
            self.facts.iter().try_for_each(|one| self.write_fact(f, one))?;
        }
        for (at, stratum) in self.strata.iter().enumerate() {
            writeln!(f, "\n# stratum {}{}", at + 1, if stratum.recursive { ", recursive" } else { "" })?;
            self.write_stratum(f, stratum)?;
        }
        Ok(())
    }
}

impl Program {
    fn write_fact(&self, f: &mut Formatter<'_>, fact: &GroundFact) -> fmt::Result {
        write!(f, "{}(", name(self, fact.relation))?;
        list(f, &fact.values, ", ")?;
        writeln!(f, "). # {}", fact.id)
    }

    fn write_stratum(&self, f: &mut Formatter<'_>, stratum: &Stratum) -> fmt::Result {
        for relation in stratum.relations.iter().map(|relation| &self[*relation]) {
            declaration(f, relation)?;
        }
        for rule in stratum.rules.iter().map(|rule| &self[*rule]) {
            writeln!(f, "{}", ShownRule { program: self, rule })?;
        }
        Ok(())
    }
}
