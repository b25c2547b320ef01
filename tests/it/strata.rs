//! Strata: the order of evaluation, and the cycles that have none.

use hence_lang::analysis::strata::strata;

use crate::cases::{check, rendered};

#[test]
fn relations_are_put_in_order_or_their_cycle_is_told() {
    check("strata", |case| match strata(&case.checked) {
        Err(faults) => rendered(&faults, &case.sources),
        Ok(strata) => strata
            .iter()
            .map(|stratum| {
                let name =
                    |id: &hence_core::schema::RelationId| case.checked.relations[id.0 as usize].name.as_str();
                let names: Vec<_> = stratum.relations.iter().map(name).collect();
                format!("{}{}\n", names.join(" "), if stratum.recursive { " (recursive)" } else { "" })
            })
            .collect(),
    });
}
