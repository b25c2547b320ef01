//! The first pass: closed sets, parameters and relations as all files declare them.

use std::collections::HashMap;
use std::sync::Arc;

use hence_core::diagnostic::{Code, Diagnostic, nearest};
use hence_core::schema::{ColumnType, Kind, NameSet, Param};
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_syntax as syntax;
use hence_syntax::tree::{
    ColumnDecl, Doc, Expr, ExprKind, File, Ident, Item, ParamDecl, RelationDecl, Rule, TypeDecl, TypeExpr,
};

use super::authors::authors;
use super::codes;
use super::draft::{OLD, missing_recorded};
use super::names::{Entry, Names, Slot, taken};
use super::personal;
use super::values::{error, fit, literal, not_literal, written};

/// The built-in types.
const TYPES: [Type; 7] =
    [Type::Bool, Type::Int, Type::Float, Type::String, Type::Name, Type::Time, Type::Duration];

/// What other languages call our types.
const HABITS: [(&str, &str); 14] = [
    ("number", "int"),
    ("integer", "int"),
    ("i64", "int"),
    ("unsigned", "int"),
    ("double", "float"),
    ("f64", "float"),
    ("symbol", "string"),
    ("str", "string"),
    ("text", "string"),
    ("boolean", "bool"),
    ("atom", "name"),
    ("datetime", "time"),
    ("timestamp", "time"),
    ("interval", "duration"),
];

/// The names that the files declare, in the order of loading, `now` first.
pub(super) fn names(files: &[File], sources: &Sources, out: &mut Vec<Diagnostic>) -> Names {
    let mut names = Names::default();
    names.add_relation(now());
    let mut places = HashMap::new();
    let items = || files.iter().flat_map(|file| &file.items);
    for item in items() {
        if let Item::Type(decl) = item {
            declare_type(decl, &mut names, &mut places, out);
        }
    }
    for item in items() {
        match item {
            Item::Param(decl) => declare_param(decl, &mut names, sources, out),
            Item::Relation(decl) => declare_relation(decl, &mut names, sources, out),
            _ => {}
        }
    }
    names
}

/// `input now(at: time)`, which every rule set has.
fn now() -> Entry {
    let span = Span::default();
    let ty = Some(ColumnType::plain(Type::Time));
    let at = Slot { name: Symbol::new("at"), ty, default: None, origin: span };
    Entry {
        name: Symbol::new("now"),
        kind: Kind::Input,
        columns: vec![at],
        doc: String::from("The time of the run."),
        requires: None,
        authors: None,
        personal: Vec::new(),
        span,
        declared: true,
    }
}

/// An error that shows both places of a name.
fn twice(code: Code, what: &str, name: Ident, first: Span) -> Diagnostic {
    Diagnostic::new(code, format!("duplicate declaration of {what} `{}`", name.name))
        .at(name.span, "declared again here")
        .at(first, "first declared here")
}

fn declare_type(
    decl: &TypeDecl,
    names: &mut Names,
    places: &mut HashMap<Symbol, Span>,
    out: &mut Vec<Diagnostic>,
) {
    if TYPES.iter().any(|ty| ty.keyword() == decl.name.name.as_str()) {
        let message = format!("`{}` is a built-in type", decl.name.name);
        out.push(error(codes::TYPE_TWICE, message, decl.name.span).help("give the set another name"));
        return;
    }
    if let Some(first) = places.insert(decl.name.name, decl.name.span) {
        out.push(twice(codes::TYPE_TWICE, "the type", decl.name, first));
        places.insert(decl.name.name, first);
        return;
    }
    let set = NameSet { name: Some(decl.name.name), members: members(&decl.members, out) };
    names.sets.insert(decl.name.name, Arc::new(set));
}

fn members(written: &[Ident], out: &mut Vec<Diagnostic>) -> Vec<Symbol> {
    let mut members = Vec::new();
    for member in written {
        if members.contains(&member.name) {
            let message = format!("duplicate name `{}` in a set", member.name);
            out.push(error(codes::MEMBER_TWICE, message, member.span).help("remove one of them"));
        } else {
            members.push(member.name);
        }
    }
    members
}

/// The type that is written, a list only of a parameter, or `None` after a diagnostic.
fn resolve_type(
    written: &TypeExpr,
    is_param: bool,
    names: &Names,
    out: &mut Vec<Diagnostic>,
) -> Option<ColumnType> {
    let ident = match written {
        // The parser has reported why there is no name.
        TypeExpr::Set(set, _) if set.is_empty() => return None,
        TypeExpr::Set(set, _) => {
            let set = NameSet { name: None, members: members(set, out) };
            return Some(ColumnType { ty: Type::Name, set: Some(Arc::new(set)) });
        }
        TypeExpr::List(element, span) => {
            if !is_param {
                let message = "a column holds one value, not a list";
                out.push(
                    error(codes::MISPLACED_LIST, message, *span)
                        .help("write a fact for each element, and declare the column as one of them"),
                );
                return None;
            }
            let element = resolve_type(element, false, names, out)?;
            return Some(ColumnType { ty: element.ty.list(), set: element.set });
        }
        TypeExpr::Named(ident) => ident,
    };
    let word = ident.name.as_str();
    if let Some(ty) = TYPES.into_iter().find(|ty| ty.keyword() == word) {
        return Some(ColumnType::plain(ty));
    }
    if let Some(set) = names.sets.get(&ident.name) {
        return Some(ColumnType { ty: Type::Name, set: Some(Arc::clone(set)) });
    }
    out.push(unknown_type(*ident, names));
    None
}

fn unknown_type(ident: Ident, names: &Names) -> Diagnostic {
    let word = ident.name.as_str();
    let known = TYPES.iter().map(|ty| ty.keyword()).chain(names.sets.keys().map(|name| name.as_str()));
    let habit = HABITS.iter().find(|(foreign, _)| *foreign == word.to_lowercase()).map(|(_, ours)| *ours);
    let diagnostic = error(codes::UNKNOWN_TYPE, format!("unknown type `{word}`"), ident.span);
    match habit.or_else(|| nearest(word, known)) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help(
            "a type is `bool`, `int`, `float`, `string`, `name`, `time`, `duration`, a closed set such as \
             `/low | /high`, or the name of one (`type NAME = /low | /high.`)",
        ),
    }
}

fn declare_param(decl: &ParamDecl, names: &mut Names, sources: &Sources, out: &mut Vec<Diagnostic>) {
    if let Some((_, first)) = names.param(decl.name.name) {
        out.push(twice(codes::PARAM_TWICE, "the parameter", decl.name, first.span));
        return;
    }
    match param(decl, names, sources, out) {
        Some(param) => names.add_param(param),
        None => {
            names.broken_params.insert(decl.name.name);
        }
    }
}

fn param(decl: &ParamDecl, names: &Names, sources: &Sources, out: &mut Vec<Diagnostic>) -> Option<Param> {
    let ty = resolve_type(&decl.ty, true, names, out)?;
    if matches!(decl.value.kind, hence_syntax::tree::ExprKind::Error) {
        return None;
    }
    let Some(value) = literal(&decl.value) else {
        out.push(not_literal(&format!("the value of the parameter `{}`", decl.name.name), decl.value.span));
        return None;
    };
    let place = format!("the parameter `{}`", decl.name.name);
    if let Some(fault) = misfit(&decl.value, value, &ty, &place, sources) {
        out.push(fault);
        return None;
    }
    let roles = super::authors::roles(&decl.roles, out);
    let (name, span) = (decl.name.name, decl.name.span);
    Some(Param { name, ty, value, default: value, roles, doc: doc(&decl.doc), span })
}

/// Why a value doesn't fit, shown where it is; of a list the element that doesn't.
fn misfit(
    literal: &Expr,
    value: Value,
    ty: &ColumnType,
    place: &str,
    sources: &Sources,
) -> Option<Diagnostic> {
    if let (ExprKind::List(elements), Some(element)) = (&literal.kind, ty.element()) {
        let place = format!("each element of {place}");
        return elements.iter().find_map(|one| {
            let value = syntax::constant(one)?;
            misfit(one, value, &element, &place, sources)
        });
    }
    let fault = fit(value, written(sources, literal.span), ty, place, Some(literal.span)).err()?;
    Some(fault.at(literal.span, format!("found {}", value.ty())))
}

/// A doc comment as one text.
pub(super) fn doc(doc: &Doc) -> String {
    doc.lines.join("\n")
}

fn declare_relation(decl: &RelationDecl, names: &mut Names, sources: &Sources, out: &mut Vec<Diagnostic>) {
    let name = decl.name;
    if let Some(what) = taken(name.name.as_str()) {
        out.push(reserved(name, what));
        return;
    }
    let entry = Entry {
        name: name.name,
        kind: decl.kind,
        columns: columns(decl, names, sources, out),
        doc: doc(&decl.doc),
        requires: decl
            .requires
            .as_ref()
            .and_then(|guard| guard.atoms().next())
            .map(|atom| atom.relation.name),
        authors: None,
        personal: Vec::new(),
        span: name.span,
        declared: true,
    };
    let authors = decl.authors.as_ref().map(|written| authors(written, &entry, out));
    let personal = personal::declared(decl, &entry, out);
    let entry = Entry { authors, personal, ..entry };
    if name.name.as_str() == "now" {
        declare_now(decl, &entry, names, out);
    } else if let Some((_, first)) = names.find(name.name) {
        out.push(twice(codes::RELATION_TWICE, "the relation", name, first.span));
    } else {
        names.add_relation(entry);
    }
}

/// The error for a relation called like something of the language.
fn reserved(name: Ident, what: &str) -> Diagnostic {
    error(codes::RESERVED_NAME, format!("`{}` is {what} and can't name a relation", name.name), name.span)
        .help(format!("give it another name, such as `{}_of`", name.name))
}

fn columns(decl: &RelationDecl, names: &Names, sources: &Sources, out: &mut Vec<Diagnostic>) -> Vec<Slot> {
    let mut columns: Vec<Slot> = Vec::with_capacity(decl.columns.len());
    for column in &decl.columns {
        let name = column.name;
        if let Some(first) = columns.iter().find(|slot| slot.name == name.name) {
            out.push(twice(codes::COLUMN_TWICE, "the column", name, first.origin));
        }
        let ty = resolve_type(&column.ty, false, names, out);
        let default = column.default.as_ref().zip(ty.as_ref());
        let default =
            default.and_then(|(literal, ty)| default_value((decl, column), (literal, ty), sources, out));
        columns.push(Slot { name: name.name, ty, default, origin: name.span });
    }
    columns
}

/// The value of facts that leave a column out, or `None` after a diagnostic.
fn default_value(
    (decl, column): (&RelationDecl, &ColumnDecl),
    (default, ty): (&Expr, &ColumnType),
    sources: &Sources,
    out: &mut Vec<Diagnostic>,
) -> Option<Value> {
    let place = format!("the column `{}` of `{}`", column.name.name, decl.name.name);
    if decl.kind != Kind::Input {
        let message =
            format!("{place} has a default, but facts of a `{}` never omit a column", decl.kind.keyword());
        out.push(
            error(codes::DERIVED_DEFAULT, message, default.span).help("remove it; only inputs have defaults"),
        );
        return None;
    }
    if matches!(default.kind, ExprKind::Error) {
        return None;
    }
    let Some(value) = literal(default) else {
        out.push(not_literal(&format!("the default of {place}"), default.span));
        return None;
    };
    match fit(value, written(sources, default.span), ty, &place, Some(default.span)) {
        Ok(()) => Some(value),
        Err(fault) => {
            out.push(fault.at(default.span, format!("found {}", value.ty())));
            None
        }
    }
}

/// `now` may be declared again in the very form that it has; the declaration then gives place and doc comment.
fn declare_now(decl: &RelationDecl, entry: &Entry, names: &mut Names, out: &mut Vec<Diagnostic>) {
    let built_in = now();
    let same = entry.kind == built_in.kind
        && entry.columns.len() == 1
        && entry
            .columns
            .iter()
            .zip(&built_in.columns)
            .all(|(a, b)| a.name == b.name && a.ty == b.ty && a.default.is_none())
        && entry.authors.is_none();
    if !same {
        out.push(
            error(codes::NOW_FORM, "`now` is the clock and has a fixed declaration", decl.span)
                .help("write `input now(at: time).` or remove the declaration"),
        );
        return;
    }
    if let Some(known) = names.relations.first_mut()
        && known.span == Span::default()
    {
        let doc = if entry.doc.is_empty() { known.doc.clone() } else { entry.doc.clone() };
        *known = Entry { doc, ..entry.clone() };
    }
}

/// Adds the relations that rules derive without a declaration, their columns called `c1`, `c2`, ….
pub(super) fn derived(rules: &[&Rule], names: &mut Names, out: &mut Vec<Diagnostic>) {
    for rule in rules {
        if names.relation(rule.head.name).is_some() {
            continue;
        }
        if let Some(what) = taken(rule.head.name.as_str()) {
            out.push(reserved(rule.head, what));
            continue;
        }
        if let Some(recorded) = rule.head.name.as_str().strip_prefix(OLD) {
            out.push(missing_recorded(names, rule.head, recorded));
            continue;
        }
        let slot = |at: usize| {
            let name = Symbol::new(&format!("c{}", at + 1));
            Slot { name, ty: None, default: None, origin: rule.head.span }
        };
        names.add_relation(Entry {
            name: rule.head.name,
            kind: Kind::Derived,
            columns: (0..rule.terms.len()).map(slot).collect(),
            doc: String::new(),
            requires: None,
            authors: None,
            personal: Vec::new(),
            span: rule.head.span,
            declared: false,
        });
    }
}

/// Gives parameters the values of a run.
pub(super) fn set(
    names: &mut Names,
    sets: &[(Symbol, Value)],
    origin: &dyn Fn(Symbol) -> Option<String>,
    out: &mut Vec<Diagnostic>,
) {
    for (name, value) in sets {
        names.origins.extend(origin(*name).map(|origin| (*name, origin)));
        match check_set(names, *name, *value, None) {
            Ok(()) => {
                if let Some(param) = names.param_mut(*name) {
                    param.value = *value;
                }
            }
            Err(fault) => out.extend(fault.map(|fault| with_origin(names, *name, fault))),
        }
    }
}

/// A fault of the value of the parameter `name`, with where the value comes from.
pub(super) fn with_origin(names: &Names, name: Symbol, fault: Diagnostic) -> Diagnostic {
    match names.origins.get(&name) {
        Some(origin) => fault.note(format!("the value comes from {origin}")),
        None => fault,
    }
}

/// Whether the parameter `name` may be set to `value`, written as `text`; an empty error was reported where it is declared.
pub(super) fn check_set(
    names: &Names,
    name: Symbol,
    value: Value,
    text: Option<&str>,
) -> Result<(), Option<Diagnostic>> {
    match names.param(name) {
        Some((_, param)) => {
            let fits = fit(value, text, &param.ty, &format!("the parameter `{name}`"), None);
            fits.map_err(Some)
        }
        None if names.broken_params.contains(&name) => Err(None),
        None => {
            let fault = unknown_param(names, name);
            Err(Some(if fault.help.is_empty() { fault.help(names.list_params()) } else { fault }))
        }
    }
}

/// The error for a parameter that is not there, without a place.
pub(super) fn unknown_param(names: &Names, name: Symbol) -> Diagnostic {
    let diagnostic = Diagnostic::new(codes::UNKNOWN_PARAM, format!("unknown parameter `{name}`"));
    match names.nearest_param(name) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}
