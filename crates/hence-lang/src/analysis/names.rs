//! The names of a rule set: relations with what is known of their columns, closed sets, parameters.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use crate::builtins::expr::ParamId;
use crate::builtins::{aggregate, generator, op};
use hence_core::diagnostic::nearest;
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::{
    Authors, Column, ColumnType, Kind, NameSet, Param, Personal, Relation, RelationId, default_text,
};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};

use hence_syntax::tree::{Literal, Rule};

use super::checked::Checked;

/// Words that are never names of relations.
const RESERVED: [&str; 7] = ["true", "false", "not", "and", "or", "in", "if"];

/// A relation as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: Symbol,
    pub(super) kind: Kind,
    pub(super) columns: Vec<Slot>,
    pub(super) doc: String,
    pub(super) requires: Option<Symbol>,
    pub(super) authors: Option<Authors>,
    pub(super) personal: Vec<Personal>,
    /// Its name in the declaration, or in the first head.
    pub(super) span: Span,
    pub(super) declared: bool,
}

/// A column as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) name: Symbol,
    pub(super) ty: Option<ColumnType>,
    /// The value of facts that leave the column out.
    pub(super) default: Option<Value>,
    /// Where the type was declared, or inferred from.
    pub(super) origin: Span,
}

/// All names of a rule set.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub(super) relations: Vec<Entry>,
    by_name: HashMap<Symbol, RelationId>,
    pub(super) params: Vec<Param>,
    params_by_name: HashMap<Symbol, ParamId>,
    /// Where the values of parameters come from that were set, as messages say it.
    pub(super) origins: BTreeMap<Symbol, String>,
    /// Parameters whose declaration was faulty and reported.
    pub(super) broken_params: BTreeSet<Symbol>,
    /// The closed sets that have a name; of a rule set that was checked before, those of its columns and parameters.
    pub(super) sets: BTreeMap<Symbol, Arc<NameSet>>,
    /// The inputs that no rule reads; of a rule set that was checked before, none.
    pub(super) unread: Vec<Symbol>,
}

impl Entry {
    /// The position of the column called `name`.
    pub(super) fn column(&self, name: Symbol) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    fn finish(&self) -> Relation {
        let column = |slot: &Slot| Column {
            name: slot.name,
            ty: slot.ty.clone().unwrap_or(ColumnType::plain(Type::Int)),
            default: slot.default,
        };
        Relation {
            name: self.name,
            kind: self.kind,
            columns: self.columns.iter().map(column).collect(),
            doc: self.doc.clone(),
            requires: self.requires,
            authors: self.authors.clone(),
            personal: self.personal.clone(),
            span: self.span,
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        for (at, slot) in self.columns.iter().enumerate() {
            write!(f, "{}{}", if at > 0 { ", " } else { "" }, slot.name)?;
            if let Some(ty) = &slot.ty {
                write!(f, ": {ty}")?;
            }
            if let Some(default) = slot.default {
                write!(f, " = {}", default_text(default))?;
            }
        }
        f.write_str(")")
    }
}

impl Names {
    /// The names of a rule set that was checked before.
    pub(super) fn of(checked: &Checked) -> Self {
        let mut names = Self::default();
        for relation in &checked.relations {
            let slot = |column: &Column| Slot {
                name: column.name,
                ty: Some(column.ty.clone()),
                default: column.default,
                origin: relation.span,
            };
            names.add_relation(Entry {
                name: relation.name,
                kind: relation.kind,
                columns: relation.columns.iter().map(slot).collect(),
                doc: String::new(),
                requires: relation.requires,
                authors: relation.authors.clone(),
                personal: relation.personal.clone(),
                span: relation.span,
                declared: true,
            });
        }
        checked.params.iter().cloned().for_each(|param| names.add_param(param));
        let columns = checked.relations.iter().flat_map(|relation| &relation.columns);
        let types = columns.map(|column| &column.ty).chain(checked.params.iter().map(|param| &param.ty));
        for set in types.filter_map(|ty| ty.set.as_ref()) {
            names.sets.extend(set.name.map(|name| (name, Arc::clone(set))));
        }
        names
    }

    /// Adds a relation whose name is new.
    pub(super) fn add_relation(&mut self, entry: Entry) -> RelationId {
        let id = RelationId(self.relations.len() as u32);
        self.by_name.insert(entry.name, id);
        self.relations.push(entry);
        id
    }

    /// Adds a parameter whose name is new.
    pub(super) fn add_param(&mut self, param: Param) {
        self.params_by_name.insert(param.name, ParamId(self.params.len() as u32));
        self.params.push(param);
    }

    /// The relation called `name`.
    pub(super) fn relation(&self, name: Symbol) -> Option<RelationId> {
        self.by_name.get(&name).copied()
    }

    /// The relation with this id.
    pub(super) fn entry(&self, id: RelationId) -> &Entry {
        self.relations.get(id.at()).or_broken(RelationId::INVARIANT)
    }

    /// The relation called `name`, with its id.
    pub(super) fn find(&self, name: Symbol) -> Option<(RelationId, &Entry)> {
        let id = self.relation(name)?;
        Some((id, self.entry(id)))
    }

    /// The parameter called `name`.
    pub(super) fn param(&self, name: Symbol) -> Option<(ParamId, &Param)> {
        let id = *self.params_by_name.get(&name)?;
        Some((id, self.params.get(id.at()).or_broken(ParamId::INVARIANT)))
    }

    /// The parameter called `name`, to be set.
    pub(super) fn param_mut(&mut self, name: Symbol) -> Option<&mut Param> {
        let id = *self.params_by_name.get(&name)?;
        Some(self.params.get_mut(id.at()).or_broken(ParamId::INVARIANT))
    }

    /// The known relation that `name` was probably meant to be.
    pub(super) fn nearest_relation(&self, name: Symbol) -> Option<&'static str> {
        let known = self.relations.iter().map(|entry| entry.name.as_str());
        nearest(name.as_str(), known.filter(|known| *known != name.as_str()))
    }

    /// Notes the inputs that none of `rules` reads.
    pub(super) fn note_unread(&mut self, rules: &[&Rule]) {
        let mut read = BTreeSet::new();
        rules.iter().for_each(|rule| relations(&rule.body, &mut read));
        let inputs = self.relations.iter().filter(|entry| entry.kind == Kind::Input);
        self.unread = inputs.map(|entry| entry.name).filter(|name| !read.contains(name)).collect();
    }

    /// The only input with so many columns that no rule reads; one column fits too much.
    pub(super) fn unread_of(&self, arity: usize) -> Option<Symbol> {
        let fits = |name: &&Symbol| self.find(**name).is_some_and(|(_, entry)| entry.columns.len() == arity);
        let mut fitting = self.unread.iter().filter(fits);
        fitting.next().copied().filter(|_| arity > 1 && fitting.next().is_none())
    }

    /// The known parameter that `name` was probably meant to be.
    pub(super) fn nearest_param(&self, name: Symbol) -> Option<&'static str> {
        let known = self.params.iter().map(|param| &param.name).chain(&self.broken_params);
        nearest(name.as_str(), known.map(|name| name.as_str()))
    }

    /// Which parameters there are, for people.
    pub(super) fn list_params(&self) -> String {
        let mut known: Vec<String> = self.params.iter().map(|param| format!("`{}`", param.name)).collect();
        known.sort_unstable();
        let more = known.len().saturating_sub(LISTED);
        known.truncate(LISTED);
        match (known.len(), more) {
            (0, _) => String::from("these rules have no parameters"),
            (_, 0) => format!("the parameters are {}", known.join(", ")),
            _ => format!("the parameters are {} and {more} more", known.join(", ")),
        }
    }

    /// The relations as they are known at the end.
    pub(super) fn finish(&self) -> Vec<Relation> {
        self.relations.iter().map(Entry::finish).collect()
    }
}

/// The relations that a body reads.
fn relations(body: &[Literal], read: &mut BTreeSet<Symbol>) {
    for literal in body {
        read.extend(literal.atom().map(|atom| atom.relation.name));
        relations(literal.inner(), read);
    }
}

/// What `name` is to the language, if it can't be the name of a relation: `a function`.
pub(super) fn taken(name: &str) -> Option<&'static str> {
    if RESERVED.contains(&name) {
        None // the parser has reported that
    } else if is_function(name) {
        Some("a function")
    } else if is_aggregate(name) {
        Some("an aggregate")
    } else if is_generator(name) {
        Some("a generator")
    } else {
        None
    }
}

/// How many names a help lists.
const LISTED: usize = 8;

/// Whether `name` is a function.
pub(super) fn is_function(name: &str) -> bool {
    op::names().contains(&name) || matches!(name, "if" | "matches" | "format")
}

/// Whether `name` is an aggregate (`min` and `max` are functions too).
pub(super) fn is_aggregate(name: &str) -> bool {
    aggregate::names().contains(&name)
}

/// Whether `name` is a generator.
pub(super) fn is_generator(name: &str) -> bool {
    generator::names().contains(&name)
}
