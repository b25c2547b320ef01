//! The page of all commands and their options, made from what the command line declares.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::{Arg, Command};

/// So many commands take an option before it is described once for all of them.
const SHARED: usize = 4;

/// The page.
pub(super) fn page(root: &Command) -> String {
    let mut root = root.clone();
    root.build();
    let commands = leaves(&root, "hence");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for arg in commands.iter().flat_map(|(_, command)| options(command)) {
        *counts.entry(row(arg)).or_default() += 1;
    }
    let is_shared = |arg: &Arg| counts.get(&row(arg)).is_some_and(|count| *count >= SHARED);
    let mut out = include_str!("commands.md").to_owned();
    out.push_str("\n## Options of several commands\n\n| option | meaning |\n| --- | --- |\n");
    let shared = counts.iter().filter(|(_, count)| **count >= SHARED);
    shared.for_each(|(row, _)| out.push_str(row));
    out.push_str(&row_of("`-q`, `--quiet`", root.get_arguments().find(|arg| arg.get_id() == "quiet")));
    for (name, command) in &commands {
        section(&mut out, name, command, &is_shared);
    }
    // The page of the book has what only some builds have, too.
    if !cfg!(feature = "server") {
        out.push_str(include_str!("server.md"));
    }
    if !cfg!(feature = "dataflow") {
        out.push_str(include_str!("cluster.md"));
    }
    out
}

/// Every command that does something, by what is typed for it.
fn leaves<'a>(command: &'a Command, name: &str) -> Vec<(String, &'a Command)> {
    let subs: Vec<_> = command.get_subcommands().filter(|sub| sub.get_name() != "help").collect();
    if subs.is_empty() {
        return vec![(name.to_owned(), command)];
    }
    // Such as `hence head`, which does something without them too.
    let own = command.is_args_conflicts_with_subcommands_set().then(|| (name.to_owned(), command));
    let below = subs.into_iter().flat_map(|sub| leaves(sub, &format!("{name} {}", sub.get_name())));
    own.into_iter().chain(below).collect()
}

fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    let own = |arg: &&Arg| !arg.is_positional() && !arg.is_hide_set() && !arg.is_global_set();
    command.get_arguments().filter(own).filter(|arg| !["help", "version"].contains(&arg.get_id().as_str()))
}

fn section(out: &mut String, name: &str, command: &Command, is_shared: &dyn Fn(&Arg) -> bool) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let _ = write!(out, "\n## {name}\n\n{about}.\n\n```text\n{usage}\n```\n");
    let own: Vec<&Arg> = options(command).filter(|arg| !is_shared(arg)).collect();
    let positionals: Vec<&Arg> = command.get_positionals().filter(|arg| arg.get_help().is_some()).collect();
    if !own.is_empty() || !positionals.is_empty() {
        out.push_str("\n| option | meaning |\n| --- | --- |\n");
        positionals.iter().chain(&own).for_each(|arg| out.push_str(&row(arg)));
    }
    let shared: Vec<String> = options(command).filter(|arg| is_shared(arg)).map(flag).collect();
    if !shared.is_empty() {
        let _ = write!(out, "\nAlso takes {}.\n", shared.join(", "));
    }
    if let Some(after) = command.get_after_help() {
        let _ = write!(out, "\n```text\n{after}\n```\n");
    }
}

fn row(arg: &Arg) -> String {
    let values: Vec<String> =
        arg.get_value_names().unwrap_or_default().iter().map(|name| format!("<{name}>")).collect();
    let takes = arg.get_action().takes_values() && !arg.is_positional();
    let names = match (takes, arg.is_positional()) {
        (true, _) => format!("{} `{}`", flag(arg), values.join(" ")),
        (_, true) => format!("`{}`", values.join(" ")),
        _ => flag(arg),
    };
    row_of(&names, Some(arg))
}

fn row_of(names: &str, arg: Option<&Arg>) -> String {
    let help = arg.and_then(|arg| arg.get_long_help().or(arg.get_help())).map(ToString::to_string);
    let mut help = help.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let possible =
        arg.map(|arg| if arg.get_action().takes_values() { arg.get_possible_values() } else { Vec::new() });
    let names_of: Vec<String> = possible
        .unwrap_or_default()
        .iter()
        .map(|value| match value.get_help() {
            Some(says) => format!("`{}` ({says})", value.get_name()),
            None => format!("`{}`", value.get_name()),
        })
        .collect();
    if !names_of.is_empty() {
        let _ = write!(help, ": {}", names_of.join("; "));
    }
    let defaults: Vec<String> = arg
        .map(|arg| {
            arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect()
        })
        .unwrap_or_default();
    let shows = |arg: &Arg| arg.get_action().takes_values() && !arg.is_hide_default_value_set();
    if !defaults.is_empty() && arg.is_some_and(shows) {
        let _ = write!(help, " [default: {}]", defaults.join(" "));
    }
    format!("| {} | {} |\n", names.replace('|', "\\|"), help.replace('|', "\\|"))
}

/// The option as it is typed, its short form first.
fn flag(arg: &Arg) -> String {
    let short = arg.get_short().map(|short| format!("`-{short}`"));
    let long = arg.get_long().map(|long| format!("`--{long}`"));
    short.into_iter().chain(long).collect::<Vec<_>>().join(", ")
}
