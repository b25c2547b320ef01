//! Lints: what each warns of, and how a comment silences it.

use hence_lang::analysis::lints::lints;

use crate::cases::{check, rendered};

#[test]
fn what_is_probably_not_meant_is_warned_of() {
    check("lints", |case| rendered(&lints(&case.checked, &case.files, &case.sources), &case.sources));
}
