//! From trees to a checked program: names, types, safety, strata, `requires`, lints. Nothing here stops at the
//! first fault: everything is collected as diagnostics.

mod advice;
mod aggregated;
mod authors;
mod bind;
mod body;
mod cases;
pub mod checked;
mod clause;
pub mod codes;
mod declare;
mod draft;
mod effects;
mod equations;
mod foreign;
mod ground;
mod guards;
mod head;
mod infer;
pub mod lints;
mod membership;
mod names;
mod operation;
mod partial;
mod partition;
pub mod parts;
pub mod personal;
mod placeholder;
mod prose;
mod query;
mod rename;
mod repeated;
pub mod requires;
mod rules;
mod safety;
mod special;
pub mod strata;
mod typing;
mod uses;
mod values;

use std::collections::BTreeSet;

use hence_core::diagnostic::{self, Diagnostic};
use hence_core::span::Sources;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_syntax::tree::{self, Item};

use checked::Checked;
pub use query::{AtomPattern, QueryRule, TypedFact, check_atom, check_fact, check_facts, check_query};

/// Checks the files of a rule set, in the order of loading; `sets` are the parameters that a run sets.
///
/// All faults of all files are returned, sorted. If there is an error among them, the program holds what could be
/// checked, for further checks and for editors; it is not to be run.
pub fn check(
    files: &[tree::File],
    sources: &Sources,
    sets: &[(Symbol, Value)],
) -> (Checked, Vec<Diagnostic>) {
    check_from(files, sources, sets, &|_| None)
}

/// The same; `origin` says of a parameter where its value comes from, such as `--set`.
pub fn check_from(
    files: &[tree::File],
    sources: &Sources,
    sets: &[(Symbol, Value)],
    origin: &dyn Fn(Symbol) -> Option<String>,
) -> (Checked, Vec<Diagnostic>) {
    let mut out = Vec::new();
    let mut names = declare::names(files, sources, &mut out);
    declare::set(&mut names, sets, origin, &mut out);
    let written: Vec<_> = items(files).filter_map(as_rule).collect();
    let made = effects::own_relations(&written, &mut names, &mut out);
    let rules = effects::in_place(&written, &made);
    names.note_unread(&rules);
    declare::derived(&rules, &mut names, &mut out);
    let mut drafts = rules::drafts(&rules, &names, sources, &mut out);
    infer::columns(&drafts, &mut names, sources);
    let ids = drafts.iter().map(|draft| draft.id).collect();
    let rules: Vec<_> =
        drafts.iter_mut().filter_map(|draft| draft.check(&names, sources, &mut out)).collect();
    infer::report(&drafts, &names, &mut out);
    let partitions = partition::declared(items(files), &names, &mut out);
    let (requires, joint) = guards::check(items(files), &names, sources, &mut out);
    let tests = cases::check(items(files), &names, (&rules, &ids), sources, &mut out);
    rename::offer(files, sources, &mut out);
    // What a clause that can't be read would derive is no fault of the others.
    let unreadable: BTreeSet<Symbol> = files.iter().flat_map(|file| &file.unreadable).copied().collect();
    let excused = |span| unreadable.contains(&Symbol::new(sources.slice(span)));
    out.retain(|fault| {
        ![codes::UNKNOWN_RELATION, codes::UNKNOWN_PARAM].contains(&fault.code)
            || !fault.span().is_some_and(excused)
    });
    diagnostic::sort(&mut out);
    repeated::join(&mut out);
    let effects = effects::finish(&made, &rules);
    let relations = names.finish();
    let params = names.params;
    let mut checked = Checked { relations, params, rules, requires, joint, effects, partitions, tests };
    out.extend(personal::guard(&mut checked));
    diagnostic::sort(&mut out);
    (checked, out)
}

fn items(files: &[tree::File]) -> impl Iterator<Item = &Item> {
    files.iter().flat_map(|file| &file.items)
}

fn as_rule(item: &Item) -> Option<&tree::Rule> {
    match item {
        Item::Rule(rule) => Some(rule),
        _ => None,
    }
}
