//! Facts made up for an input: what is wanted in its columns, the others as the nearest fact has them, ids of their own.

use std::cell::RefCell;
use std::rc::Rc;

use hence_core::fact::Fact;
use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Type, Value, Word};

use super::change::Change;
use super::columns::read_columns;
use super::ideas::{TRIED, fact_with};
use super::nearest;
use super::plausible::Habits;
use super::want::Want;
use super::{Asked, Finder, Map};

/// How many values are tried until a fact is a new one.
const RENEWALS: usize = 12;

/// How many rows show that a column is an id, and how many are looked at.
const ROWS: (usize, usize) = (3, 10_000);

/// What made-up facts are like, as the facts show that hold before anything is changed; kept from question to question.
pub(super) struct Templates<'f, 'a> {
    finder: &'f Finder<'a>,
    /// The relation asked for.
    target: RelationId,
    read: RefCell<Map<RelationId, Vec<bool>>>,
    ids: RefCell<Map<RelationId, bool>>,
    like: RefCell<Map<(RelationId, Asked), Option<Fact>>>,
    habits: RefCell<Map<RelationId, Rc<Habits>>>,
}

impl<'f, 'a> Templates<'f, 'a> {
    pub(super) fn new(finder: &'f Finder<'a>, target: RelationId) -> Self {
        Self {
            finder,
            target,
            read: RefCell::default(),
            ids: RefCell::default(),
            like: RefCell::default(),
            habits: RefCell::default(),
        }
    }

    /// For each column of a relation, whether a rule after what is asked for looks at it.
    pub(super) fn read(&self, relation: RelationId) -> Vec<bool> {
        let mut known = self.read.borrow_mut();
        known.entry(relation).or_insert_with(|| read_columns(self.finder, relation, self.target)).clone()
    }

    /// Whether the first column of an input is an id: no two of its facts have the same there, and there are other
    /// columns.
    pub(super) fn has_id(&self, relation: RelationId) -> bool {
        *self.ids.borrow_mut().entry(relation).or_insert_with(|| has_id(self.finder, relation))
    }

    /// What the facts of an input have in common.
    pub(super) fn habits(&self, relation: RelationId) -> Rc<Habits> {
        let mut known = self.habits.borrow_mut();
        Rc::clone(known.entry(relation).or_insert_with(|| Rc::new(Habits::of(self.finder, relation))))
    }

    /// Whether a change asserts a fact that lacks what the others of its relation have in common.
    pub(super) fn is_unlikely(&self, change: &Change) -> bool {
        let Change::Assert(fact, _) = change else { return false };
        let relation = self.finder.context.program.find(fact.relation);
        let row: Vec<Word> = fact.values.iter().map(|value| value.word()).collect();
        relation.is_some_and(|relation| self.habits(relation).are_broken_by(&row))
    }

    /// The fact that comes nearest, else the first, else a plain one.
    pub(super) fn like(&self, relation: RelationId, key: &Asked) -> Option<Fact> {
        let find = || {
            let near = nearest::nearest(&self.finder.context, relation, key, 1).into_iter().next();
            near.or_else(|| first(self.finder, relation)).or_else(|| blank(self.finder, relation))
        };
        self.like.borrow_mut().entry((relation, key.clone())).or_insert_with(find).clone()
    }
}

/// Sets of changes each of which makes a fact of an input that has what is wanted: mostly one assertion, with a
/// retraction where a fact with its id is in the way.
pub(super) fn assertions(
    (finder, templates): (&Finder<'_>, &Templates<'_, '_>),
    relation: RelationId,
    wants: &[Want],
) -> Vec<Vec<Change>> {
    let Some(row) = filled(templates, relation, wants) else { return Vec::new() };
    let Some(stamped) = stamped((finder, templates), relation, (wants, &row)) else { return Vec::new() };
    let Stamped { mut row, wants, mut open } = stamped;
    let wants = wants.as_slice();
    templates.habits(relation).put_in_order(&mut row, wants);
    let fact = fact_with(finder, relation, &row);
    let read = templates.read(relation);
    let mut all = Vec::new();
    for mut fact in variants(finder, relation, &fact, (wants, &read)) {
        let id = templates.has_id(relation);
        if id && wants.first() == Some(&Want::Any) {
            new_id(finder, relation, &mut fact);
            open.iter_mut().take(1).for_each(|open| *open = false);
        }
        renew(finder, relation, &mut fact, wants);
        if finder.holds(&fact) {
            continue;
        }
        let before = conflict(finder, relation, &fact).filter(|_| id);
        let retracted = before.map(Change::Retract);
        all.push(std::iter::once(Change::Assert(fact, open.clone())).chain(retracted).collect());
    }
    all
}

/// A fact whose columns that hence fills in hold what they will hold.
struct Stamped {
    row: Vec<Word>,
    wants: Vec<Want>,
    /// For each column, whether any other value would do as well, or nobody can choose it.
    open: Vec<bool>,
}

/// Fills in the instant, and keeps the author as it is; nothing where another instant is wanted.
fn stamped(
    (finder, templates): (&Finder<'_>, &Templates<'_, '_>),
    relation: RelationId,
    (wants, row): (&[Want], &[Word]),
) -> Option<Stamped> {
    let (mut row, mut pinned) = (row.to_vec(), wants.to_vec());
    let read = templates.read(relation);
    let mut open: Vec<bool> =
        read.iter().zip(wants).map(|(read, want)| !read && *want == Want::Any).collect();
    if let Some((column, now)) = finder.instant(relation) {
        let ty = *finder.context.types(relation).get(column)?;
        if !wants.get(column)?.admits(ty, now) {
            return None;
        }
        (*row.get_mut(column)?, *pinned.get_mut(column)?) = (now, Want::Is(now));
        *open.get_mut(column)? = true;
    }
    if let Some(column) = finder.author_column(relation) {
        *open.get_mut(column)? = *wants.get(column)? == Want::Any;
        *pinned.get_mut(column)? = Want::Is(*row.get(column)?);
    }
    Some(Stamped { row, wants: pinned, open })
}

/// The words of a fact: those wanted, else those of the nearest fact, else plain ones.
fn filled(templates: &Templates<'_, '_>, relation: RelationId, wants: &[Want]) -> Option<Vec<Word>> {
    let key: Asked = wants.iter().map(|want| want.exact()).collect();
    let like = templates.like(relation, &key)?;
    let columns = &templates.finder.context.program[relation].columns;
    let row = wants.iter().zip(&like.values).zip(columns).map(|((want, like), column)| {
        let ty = column.ty.ty;
        let word = if want.admits(ty, like.word()) {
            Some(like.word())
        } else {
            want.value(ty).or_else(|| another(column, *like).map(Value::word))
        };
        word.filter(|word| column.ty.admits(Value::from_word(ty, *word)))
    });
    row.collect()
}

/// The first fact of a relation by its values.
fn first(finder: &Finder<'_>, relation: RelationId) -> Option<Fact> {
    let context = &finder.context;
    let rows = context.store.extent(relation)?.rows.iter();
    let row = rows.min_by(|one, other| context.compare(relation, one, other))?;
    Some(fact_with(finder, relation, row))
}

/// A fact, and the same with another truth or another member of a set in a column that rules look at.
fn variants(
    finder: &Finder<'_>,
    relation: RelationId,
    fact: &Fact,
    (wants, read): (&[Want], &[bool]),
) -> Vec<Fact> {
    let mut all = vec![fact.clone()];
    let columns = &finder.context.program[relation].columns;
    for (at, column) in columns.iter().enumerate() {
        if wants.get(at) != Some(&Want::Any) || read.get(at) != Some(&true) {
            continue;
        }
        let members: Vec<Value> = match (&column.ty.set, column.ty.ty) {
            (Some(set), _) => set.members.iter().map(|name| Value::Name(*name)).collect(),
            (None, Type::Bool) => vec![Value::Bool(true), Value::Bool(false)],
            _ => continue,
        };
        for member in members.into_iter().take(TRIED) {
            let mut other = fact.clone();
            if let Some(slot) = other.values.get_mut(at) {
                *slot = member;
            }
            if !all.contains(&other) {
                all.push(other);
            }
        }
    }
    all
}

/// As [`Templates::has_id`].
fn has_id(finder: &Finder<'_>, relation: RelationId) -> bool {
    let Some(extent) = finder.context.store.extent(relation) else { return false };
    let rows = &extent.rows;
    if rows.arity() < 2 || rows.len() < ROWS.0 {
        return false;
    }
    let mut seen = std::collections::HashSet::new();
    rows.column(0).take(ROWS.1).all(|word| seen.insert(word))
}

/// Another fact with the same id.
pub(super) fn conflict(finder: &Finder<'_>, relation: RelationId, fact: &Fact) -> Option<Fact> {
    let mut key: Vec<Option<Word>> = vec![None; fact.values.len()];
    *key.first_mut()? = fact.values.first().map(|value| value.word());
    let found = finder.context.store.any(relation, &key, usize::MAX)?;
    Some(finder.context.fact(found))
}

/// The same changes with more facts of the same kind, `count` in all.
pub(super) fn several(
    (finder, templates): (&Finder<'_>, &Templates<'_, '_>),
    relation: RelationId,
    wants: &[Want],
    changes: &[Change],
    count: usize,
) -> Vec<Change> {
    let mut all = changes.to_vec();
    let Some(Change::Assert(first, open)) =
        changes.iter().find(|change| matches!(change, Change::Assert(..)))
    else {
        return all;
    };
    let columns = &finder.context.program[relation].columns;
    let mut last = first.clone();
    let free = wants.iter().enumerate().filter(|(_, want)| !matches!(want, Want::Is(_)));
    let free: Vec<usize> = free.map(|(at, _)| at).collect();
    let id =
        templates.has_id(relation) || matches!(first.values.first(), Some(Value::String(_) | Value::Int(_)));
    for _ in 1..count {
        for at in free.iter().copied().filter(|at| *at == 0 && id).chain(free.iter().rev().copied()).take(1) {
            if let (Some(value), Some(column)) = (last.values.get_mut(at), columns.get(at)) {
                *value = next_id(*value).or_else(|| another(column, *value)).unwrap_or(*value);
            }
        }
        if !finder.holds(&last) {
            all.push(Change::Assert(last.clone(), open.clone()));
        }
    }
    all.sort();
    all.dedup();
    all
}

/// The id after one: the next number, or the name with the next number at its end.
fn next_id(value: Value) -> Option<Value> {
    let Value::String(text) = value else { return None };
    next_name(text.as_str(), std::iter::once(text)).map(|text| Value::String(Symbol::new(&text)))
}

/// Gives a fact an id that none has: the next number, or the next name of its kind.
pub(super) fn new_id(finder: &Finder<'_>, relation: RelationId, fact: &mut Fact) {
    let Some(first) = fact.values.first_mut() else { return };
    let Some(extent) = finder.context.store.extent(relation) else { return };
    let ty = first.ty();
    let words = extent.rows.column(0).map(|word| Value::from_word(ty, word));
    let next = match *first {
        Value::Int(_) => {
            let most =
                words.filter_map(|value| if let Value::Int(value) = value { Some(value) } else { None });
            most.max().and_then(|most| most.checked_add(1)).map(Value::Int)
        }
        Value::String(text) => {
            let names = words.filter_map(|value| match value {
                Value::String(text) => Some(text),
                _ => None,
            });
            next_name(text.as_str(), names).map(|text| Value::String(Symbol::new(&text)))
        }
        Value::Name(name) => {
            let names = words.filter_map(|value| match value {
                Value::Name(name) => Some(name),
                _ => None,
            });
            next_name(name.as_str(), names).map(|text| Value::Name(Symbol::new(&text)))
        }
        _ => None,
    };
    if let Some(next) = next {
        *first = next;
    }
}

/// `g17` where there are `g1` to `g16`; `build-2` beside `build`.
fn next_name(like: &str, names: impl Iterator<Item = Symbol>) -> Option<String> {
    let stem = like.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() == like.len() {
        let known: Vec<Symbol> = names.collect();
        let free = |text: &String| known.iter().all(|name| name.as_str() != text);
        return (2..).map(|number| format!("{like}-{number}")).take(RENEWALS).find(free);
    }
    let number = |name: Symbol| name.as_str().strip_prefix(stem)?.parse::<u64>().ok();
    let next = names.filter_map(number).max()?.checked_add(1)?;
    Some(format!("{stem}{next:0width$}", width = like.len() - stem.len()))
}

/// Makes a fact differ from those that hold, in the last column that can: only a new one adds anything.
fn renew(finder: &Finder<'_>, relation: RelationId, fact: &mut Fact, wants: &[Want]) {
    let columns = &finder.context.program[relation].columns;
    let open = (0..wants.len()).rev().filter(|at| wants.get(*at) == Some(&Want::Any));
    for at in open.collect::<Vec<_>>() {
        for _ in 0..RENEWALS {
            if !finder.holds(fact) {
                return;
            }
            let (Some(value), Some(column)) = (fact.values.get_mut(at), columns.get(at)) else { break };
            let Some(other) = another(column, *value) else { break };
            *value = other;
        }
    }
}

/// Another value for a column.
pub(super) fn another(column: &hence_core::schema::Column, value: Value) -> Option<Value> {
    let other = match value {
        Value::Int(number) => Value::Int(number.checked_add(1)?),
        Value::Float(number) => Value::Float(Float::new(number.get() + 1.0)?),
        Value::Time(micros) => Value::Time(micros.checked_add(1_000_000)?),
        Value::Duration(micros) => Value::Duration(micros.checked_add(1_000_000)?),
        Value::String(text) => Value::String(Symbol::new(&format!("{text}+"))),
        Value::Bool(held) => Value::Bool(!held),
        Value::List(_) => return None,
        Value::Name(name) => Value::Name(match &column.ty.set {
            Some(set) => {
                let place = set.members.iter().position(|member| *member == name)?;
                *set.members.get(place + 1).or(set.members.first())?
            }
            None => Symbol::new(&format!("{name}-x")),
        }),
    };
    column.ty.admits(other).then_some(other)
}

/// A fact of a relation that has none: the plainest value in each column.
pub(super) fn blank(finder: &Finder<'_>, relation: RelationId) -> Option<Fact> {
    let found = finder.context.program.relation(relation)?;
    let values = found.columns.iter().map(|column| match (&column.ty.set, column.ty.ty) {
        (Some(set), _) => set.members.first().map(|name| Value::Name(*name)),
        (None, Type::String) => Some(Value::String(Symbol::new("x"))),
        (None, Type::Name) => Some(Value::Name(Symbol::new("/x"))),
        (None, ty) => Some(Value::from_word(ty, Word::from_int(i64::from(ty == Type::Bool)))),
    });
    Some(Fact::new(found.name, values.collect::<Option<Vec<_>>>()?))
}
