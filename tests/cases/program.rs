//! Rule files that are understood: `program/**/NAME.out` holds what the checker made of `NAME.dl` (relations with their
//! types, rules with their variables and what binds them), and the program that engines get.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use hence_core::schema::RelationId;
use hence_core::span::Sources;
use hence_core::value::Value;
use hence_lang::analysis;
use hence_lang::analysis::checked::{Arg, Checked, Literal, Rule};
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::invariants;
use hence_lang::lower::lower;

use crate::corpus::{compare, render};

/// Runs a case.
///
/// # Errors
/// Its faults, or how what was understood differs from what is expected.
pub(crate) fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).unwrap();
    let mut sources = Sources::default();
    let id = sources.add(path.file_name().unwrap().to_string_lossy(), text.as_str());
    let (file, mut faults) = hence_syntax::parse(id, &text);
    let (checked, found) = analysis::check(&[file], &sources, &[]);
    faults.extend(found);
    if !faults.is_empty() {
        return Err(render::diagnostics(&faults, &sources));
    }
    let program = lower(&checked).map_err(|faults| render::diagnostics(&faults, &sources))?;
    match invariants::broken(&program).as_slice() {
        [] => compare(path, &format!("{}\n{program}", understood(&checked))),
        broken => Err(broken.join("\n")),
    }
}

/// Relations with their types, rules with their variables and literals, guards, tests.
fn understood(checked: &Checked) -> String {
    let mut out = String::new();
    for relation in &checked.relations {
        let _ = writeln!(out, "{} {relation}", relation.kind.keyword());
    }
    for rule in &checked.rules {
        let _ = writeln!(out, "{}", show_rule(rule, checked));
    }
    for guard in &checked.requires {
        let name = |id: RelationId| checked.relations[id.0 as usize].name;
        let _ =
            writeln!(out, "{} requires {} {:?}", name(guard.decision), name(guard.relation), guard.columns);
    }
    for test in &checked.tests {
        for step in &test.steps {
            let given: Vec<_> = step.given.iter().map(|given| values_text(&given.values)).collect();
            let _ =
                writeln!(out, "test {} given {} expect {}", test.name, given.join(" "), step.expect.len());
        }
    }
    out
}

fn values_text(values: &[Value]) -> String {
    format!("({})", values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}

fn show_rule(rule: &Rule, checked: &Checked) -> String {
    let variables: Vec<_> = rule.variables.iter().map(|var| format!("{}: {}", var.name, var.ty)).collect();
    let name = |var: VarId| rule.variables[var.0 as usize].name;
    let body: Vec<_> = rule
        .body
        .iter()
        .map(|literal| match literal {
            Literal::Atom { negated, relation, args, .. } => {
                let args: Vec<_> = args.iter().map(|arg| if *arg == Arg::Any { "_" } else { "e" }).collect();
                let sign = if *negated { "!" } else { "" };
                format!("{sign}{}({})", checked.relations[relation.0 as usize].name, args.join(","))
            }
            Literal::Bind { var, .. } => format!("bind {}", name(*var)),
            Literal::Test { .. } => String::from("test"),
            Literal::Aggregate(of) => {
                let inner: Vec<_> =
                    of.variables.iter().map(|var| format!("{}: {}", var.name, var.ty)).collect();
                format!("{} over {} [{}]", of.aggregate.name(), of.body.len(), inner.join(", "))
            }
            Literal::Each { var, bound, .. } => {
                format!("{} {}", if *bound { "among" } else { "each" }, name(*var))
            }
        })
        .collect();
    format!("{} [{}] {}", rule.id, variables.join(", "), body.join("; "))
}
