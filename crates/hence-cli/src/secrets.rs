//! What `[redact]` would have kept out, had it been there in time: looked for in rules and in what is recorded.

use std::collections::BTreeMap;
use std::path::Path;

use hence_ledger::{Ledger, LedgerError, When};
use hence_session::{RuleSet, shipped};

use super::diagnostics::count;
use super::{config, open, output};

/// Warns of rule files and of a ledger that hold what a pattern matches.
pub(super) fn warn(rules: Option<&RuleSet>) {
    if config::get().redaction().is_empty() {
        return;
    }
    rules.into_iter().for_each(warn_of_rules);
    let store = config::get().store();
    if store.join("journal").is_dir() {
        warn_recorded(&store);
    }
}

/// Warns of rule files that hold what a pattern matches, since nothing in rules can be replaced. The shipped ones are
/// no secret.
pub(super) fn warn_of_rules(rules: &RuleSet) {
    let redaction = config::get().redaction();
    let shipped = |name: &str| name.strip_prefix("rules/").and_then(shipped::file);
    for (_, source) in rules.sources.iter().filter(|(_, source)| redaction.matches(source.text())) {
        if shipped(source.name()) != Some(source.text()) {
            output::warning(&format!(
                "a pattern of `[redact]` matches the text of {}, and rules are recorded with their \
                decisions: remove it from the rules",
                source.name()
            ));
        }
    }
}

fn warn_recorded(store: &Path) {
    let found = Ledger::open_to_ask(store, &open::options()).and_then(|ledger| recorded(&ledger));
    let shown = store.display();
    match found {
        Ok(found) if found.is_empty() => {}
        Ok(found) => output::warning(&format!(
            "patterns of `[redact]` match recorded data in `{shown}`: {}; recorded data can't be removed, \
            so move the facts to another ledger: `hence export --format jsonl | hence assert - --store DIR`",
            found.join(", ")
        )),
        Err(error) => {
            output::warning(&format!("can't search `{shown}` for matches of `[redact]`: {error}"));
        }
    }
}

/// What was ever recorded and is matched, retracted facts among it: each relation with its number of facts, labels by
/// what they are.
fn recorded(ledger: &Ledger) -> Result<Vec<String>, LedgerError> {
    let redaction = config::get().redaction();
    let archived = ledger.archived().map_or(0, |(last, _)| last);
    let mut facts: BTreeMap<String, usize> = BTreeMap::new();
    for relation in ledger.all_relations().filter(|_| archived > 0) {
        for fact in ledger.facts_at(relation, When::Tx(archived))? {
            if redaction.matches_fact(&fact?.0) {
                *facts.entry(relation.to_string()).or_default() += 1;
            }
        }
    }
    let mut labels = 0;
    for info in ledger.log(archived + 1..=u64::MAX) {
        let info = info?;
        let texts = [Some(&info.author), Some(&info.source), info.note.as_ref()];
        labels += texts.into_iter().flatten().filter(|text| redaction.matches(text)).count();
        for fact in ledger.transaction(info.tx)?.added.iter().filter(|fact| redaction.matches_fact(fact)) {
            *facts.entry(fact.relation.to_string()).or_default() += 1;
        }
    }
    let labels = (labels > 0).then(|| format!("{} as author, source or note", count(labels, "text")));
    let facts =
        facts.into_iter().map(|(relation, number)| format!("{} of `{relation}`", count(number, "fact")));
    Ok(facts.chain(labels).collect())
}
