//! The shipped rules stand in the one layout.

use std::path::Path;

use hence::session::format::Formatting;

#[test]
fn every_shipped_rule_file_is_laid_out() {
    let mut formatting = Formatting::default();
    formatting.path(&Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")).unwrap();
    assert!(formatting.faults.diagnostics.is_empty(), "{:#?}", formatting.faults.diagnostics);
    assert!(formatting.texts.len() > 15, "the rules are not there");
    let changed: Vec<_> =
        formatting.texts.iter().filter(|text| text.changes()).map(|text| &text.name).collect();
    assert!(changed.is_empty(), "run `hence fmt rules`: {changed:#?}");
}
