//! Guards of decisions: kept through every chain of rules, or the derivation that gets round them.

use hence_lang::analysis::requires::requires;

use crate::cases::{check, rendered};

#[test]
fn a_guard_is_proved_or_the_way_round_it_is_told() {
    check("requires", |case| rendered(&requires(&case.checked), &case.sources));
}
