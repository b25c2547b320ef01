//! `[lints]` of `hence.toml`: what is done about each lint, by its code or name.

use hence_core::diagnostic::{Diagnostic, nearest};
use hence_lang::analysis::lints::levels::{Level, lint, nearest_lint};

use super::super::codes::UNKNOWN_KEY;
use super::super::settings::LINTS;
use super::{DeTable, Reading, found};

impl Reading<'_> {
    /// `missing_docs = "allow"`, `W203 = "deny"`.
    pub(super) fn lints(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            let word = key.get_ref();
            let span = self.span(key.span());
            let Some(code) = lint(word) else {
                let fault = Diagnostic::new(UNKNOWN_KEY, format!("unknown lint `{word}`")).at(span, "");
                self.faults.diagnostics.push(match nearest_lint(word) {
                    Some(near) => fault.help(format!("did you mean `{near}`?")).fix(span, near),
                    None => fault.help("`hence explain` lists the lints: the codes that begin with `W`"),
                });
                continue;
            };
            let origin = self.origin(span);
            match value.get_ref().as_str().and_then(Level::of) {
                Some(level) => {
                    self.values.lints.insert(code, (level, origin));
                }
                None => {
                    let text = value.get_ref().as_str();
                    let given = text.map_or_else(|| found(value.get_ref()), |text| format!("`{text}`"));
                    let near = text.and_then(|text| nearest(text, Level::ALL.map(Level::word)));
                    let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                    let message =
                        format!("`{LINTS}.{word}`: expected `allow`, `warn` or `deny`, found {given}{hint}");
                    self.wrong(value.span(), message);
                }
            }
        }
    }
}
