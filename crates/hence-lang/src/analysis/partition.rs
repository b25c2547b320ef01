//! `@partition(column)`: the inputs whose facts lie in one shard each.

use hence_core::diagnostic::Diagnostic;
use hence_core::schema::Kind;
use hence_syntax::tree::Item;

use super::checked::Partition;
use super::codes::FAULTY_PARTITION;
use super::draft::unknown_column;
use super::names::Names;
use super::values::error;

/// The partitioned inputs.
pub(super) fn declared<'t>(
    items: impl Iterator<Item = &'t Item>,
    names: &Names,
    out: &mut Vec<Diagnostic>,
) -> Vec<Partition> {
    let mut partitions = Vec::new();
    for item in items {
        let Item::Relation(decl) = item else { continue };
        let (Some(named), Some((relation, entry))) = (decl.partition, names.find(decl.name.name)) else {
            continue;
        };
        let span = named.span;
        if decl.kind != Kind::Input {
            let message = format!("`@partition` applies to inputs, and `{}` is derived", entry.name);
            let help = "remove it: where derived facts lie follows from the rules";
            out.push(error(FAULTY_PARTITION, message, span).help(help));
        } else if entry.name.as_str() == "now" {
            let message = "the clock can't be partitioned";
            let help = "remove it: every shard has a clock of its own";
            out.push(error(FAULTY_PARTITION, message, span).help(help));
        } else if let Some(column) = entry.column(named.name) {
            if entry.personal.iter().any(|personal| personal.column == column) {
                let message = format!("the column `{}` holds personal values", named.name);
                let help = "partition by the column that says whose they are, so that they can be erased";
                out.push(error(FAULTY_PARTITION, message, span).help(help));
            }
            partitions.push(Partition { relation, column, span });
        } else {
            out.push(unknown_column(entry, named));
        }
    }
    partitions
}
