//! Which rules were compiled: all that decides what follows from facts, but the values of parameters.

use std::fmt::Write as _;

use crate::ir::Program;

/// The same for two programs exactly where they mean the same, relation by relation and rule by rule: the digest of
/// the text form under the default parameters, and of the tables' order, which the text doesn't show.
pub fn fingerprint(program: &Program) -> String {
    let mut plain = program.clone();
    for param in &mut plain.params {
        param.value = param.default;
    }
    let mut text = plain.to_string();
    for relation in &plain.relations {
        let _ = write!(text, "\n{relation}");
    }
    for rule in &plain.rules {
        let _ = write!(text, "\n{}", rule.id);
        for variable in &rule.variables {
            let _ = write!(text, " {}: {}", variable.name, variable.ty.ty);
        }
    }
    let digest = blake3::hash(text.as_bytes()).to_hex();
    digest.get(..32).unwrap_or_default().to_owned()
}
