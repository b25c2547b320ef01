//! Who reads whom, and how.

use std::collections::BTreeMap;

use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;
use hence_lang::ir::{Program, Rule};
use hence_lang::lower::is_made;

/// How a relation reads another one: in any of these ways, perhaps in several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mode {
    /// Some rule asks that a fact matches.
    pub(super) plain: bool,
    /// Some rule asks that no fact matches.
    pub(super) negated: bool,
    /// Some rule aggregates or limits what matches.
    pub(super) grouped: bool,
}

impl Mode {
    /// The words for what is more than a plain read, joined by `, `.
    pub(super) fn words(self) -> String {
        let words = [(self.negated, "not"), (self.grouped, "group")];
        words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect::<Vec<_>>().join(", ")
    }

    fn join(&mut self, other: Self) {
        self.plain |= other.plain;
        self.negated |= other.negated;
        self.grouped |= other.grouped;
    }
}

/// The other end of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// Its name.
    pub(super) name: Symbol,
    /// How it is read, or reads.
    pub(super) mode: Mode,
}

/// All reads of a program.
pub(super) struct Links {
    names: IndexVec<RelationId, Symbol>,
    /// By reader and what it reads.
    reads: BTreeMap<(RelationId, RelationId), Mode>,
    /// The same the other way round.
    readers: BTreeMap<(RelationId, RelationId), Mode>,
}

impl Links {
    pub(super) fn new(program: &Program) -> Self {
        let mut reads: BTreeMap<(RelationId, RelationId), Mode> = BTreeMap::new();
        for rule in program.rules.iter().filter(|rule| !is_made(program, rule.head)) {
            for (read, mode) in reads_of(program, rule) {
                reads.entry((rule.head, read)).or_default().join(mode);
            }
        }
        let readers = reads.iter().map(|((reader, read), mode)| ((*read, *reader), *mode)).collect();
        Self { names: program.relations.iter().map(|relation| relation.name).collect(), reads, readers }
    }

    /// All reads: who is read, by whom, how.
    pub(super) fn all(&self) -> impl Iterator<Item = (RelationId, RelationId, Mode)> + '_ {
        self.readers.iter().map(|((read, reader), mode)| (*read, *reader, *mode))
    }

    /// Whether any rule reads `relation`.
    pub(super) fn is_read(&self, relation: RelationId) -> bool {
        self.readers.range(of(relation)).next().is_some()
    }

    /// What the rules of `relation` read.
    pub(super) fn reads(&self, relation: RelationId) -> Vec<Link> {
        self.ends(&self.reads, relation)
    }

    /// What reads `relation`.
    pub(super) fn readers(&self, relation: RelationId) -> Vec<Link> {
        self.ends(&self.readers, relation)
    }

    fn ends(&self, links: &BTreeMap<(RelationId, RelationId), Mode>, relation: RelationId) -> Vec<Link> {
        let ends = links.range(of(relation));
        ends.map(|((_, end), mode)| Link { name: self.names[*end], mode: *mode }).collect()
    }
}

/// The keys that begin with `relation`.
fn of(relation: RelationId) -> std::ops::RangeInclusive<(RelationId, RelationId)> {
    (relation, RelationId(0))..=(relation, RelationId(u32::MAX))
}

/// What a rule reads. An aggregate in its body reads, as a group, what the body of the aggregate does.
fn reads_of<'p>(program: &'p Program, rule: &'p Rule) -> impl Iterator<Item = (RelationId, Mode)> + 'p {
    let made = |relation: RelationId| is_made(program, relation);
    let inner = rule.reads().filter(move |read| made(*read)).flat_map(move |values| {
        program.rules.iter().filter(move |rule| rule.head == values && rule.is_aggregate())
    });
    [rule].into_iter().chain(inner).flat_map(own_reads).filter(move |(read, _)| !made(*read))
}

fn own_reads(rule: &Rule) -> impl Iterator<Item = (RelationId, Mode)> + '_ {
    let grouped = rule.is_aggregate() || rule.limit.is_some();
    rule.body.iter().filter_map(move |literal| {
        let negated = literal.negated().is_some();
        literal.atom().map(|atom| (atom.relation, Mode { plain: !grouped && !negated, negated, grouped }))
    })
}
