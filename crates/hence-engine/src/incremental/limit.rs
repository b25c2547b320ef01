//! The groups of a rule with a limit, kept from change to change.

use crate::exec::delta::{ChangeContext, DerivationSink, Halt};
use crate::incremental::work::{SignedSink, Work};
use crate::plan::head::is_rank;
use crate::plan::head::{plain, unranked};
use hence_lang::builtins::sort_key::SortKey;
use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::value::{Type, Word};
use hence_lang::builtins::expr::ExprKind;
use hence_lang::ir::{Limit, Rule};

/// Keys, then the columns of a head without its rank.
type SortKeys = SmallVec<[SortKey; 6]>;
type Words = SmallVec<[Word; 4]>;

/// The groups of a rule with a limit.
pub(crate) struct LimitedGroups {
    /// Which columns of the head take the rank.
    ranks: Vec<bool>,
    /// The types of the keys and whether each is descending, then those of the head.
    cells: Vec<(Type, bool)>,
    keys: usize,
    width: usize,
    /// Whether a head has only one key, determined by its own columns.
    distinct: bool,
    count: usize,
    adds: bool,
    groups: HashMap<Words, LimitedGroup, ahash::RandomState>,
    touched: Vec<Words>,
}

#[derive(Default)]
struct LimitedGroup {
    /// The matches by key and head, and how many each is.
    heads: BTreeMap<SortKeys, u64>,
    /// The slots of its facts.
    facts: Vec<u32>,
    touched: bool,
}

impl LimitedGroups {
    /// No groups yet.
    pub(crate) fn new(rule: &Rule, limit: &Limit) -> Self {
        let keys = limit.by.iter().map(|(key, descending)| (key.ty, *descending));
        let whole: Vec<_> = unranked(rule, limit).map(|term| &term.kind).collect();
        let mut distinct = true;
        for (key, _) in &limit.by {
            key.for_each_var(&mut |var| distinct &= whole.contains(&&ExprKind::Var(var)));
        }
        Self {
            ranks: plain(rule).map(|term| is_rank(limit, term)).collect(),
            cells: keys.chain(unranked(rule, limit).map(|term| (term.ty, false))).collect(),
            keys: limit.by.len(),
            width: limit.per.len(),
            distinct,
            count: 0,
            adds: true,
            groups: HashMap::with_hasher(ahash::RandomState::with_seeds(1, 2, 3, 4)),
            touched: Vec::new(),
        }
    }

    /// Derives the facts of the groups that changed.
    pub(crate) fn finish(&mut self, head: RelationId, work: &mut Work) -> Result<(), Halt> {
        for words in std::mem::take(&mut self.touched) {
            let group = self.groups.get_mut(&words).or_broken("a group that changed is kept");
            group.touched = false;
            let rows = self.ranks.len();
            let new = first_few(group, self.count, self.keys, self.distinct, &self.ranks);
            let same = new.len() == group.facts.len() * rows
                && (rows > 0 || new.is_empty() == group.facts.is_empty())
                && group
                    .facts
                    .iter()
                    .zip(new.chunks(rows.max(1)))
                    .all(|(slot, row)| work.store.relation(head).row(*slot).is(row));
            if !same || rows == 0 {
                let old = std::mem::take(&mut group.facts);
                old.into_iter().for_each(|slot| work.store.relation_mut(head).count(slot, -1));
                if rows == 0 {
                    let holds = self.count > 0 && !group.heads.is_empty();
                    group.facts = if holds { vec![work.derive(head, &[])?] } else { Vec::new() };
                } else {
                    group.facts =
                        new.chunks(rows).map(|row| work.derive(head, row)).collect::<Result<_, _>>()?;
                }
            }
            if group.heads.is_empty() {
                self.groups.remove(&words);
            }
        }
        Ok(())
    }

    /// Bytes taken, about.
    pub(crate) fn bytes(&self) -> usize {
        let entry = size_of::<SortKeys>() + 16;
        self.groups.values().map(|group| group.heads.len() * entry + 128).sum()
    }
}

/// The first few heads of a group with their ranks, one after the other.
fn first_few(group: &LimitedGroup, count: usize, keys: usize, distinct: bool, ranks: &[bool]) -> Vec<Word> {
    let (mut rank, mut seen) = (0, HashSet::new());
    let mut rows = Vec::with_capacity(count.min(group.heads.len()).saturating_mul(ranks.len()));
    for cells in group.heads.keys() {
        if rank >= count {
            break;
        }
        let head = &cells[keys..];
        if !distinct && !seen.insert(head.iter().map(|cell| cell.word()).collect::<Words>()) {
            continue;
        }
        rank += 1;
        let mut columns = head.iter().map(|cell| cell.word());
        let word = |is_rank: &bool| match is_rank {
            true => Word::from_int(rank as i64),
            false => columns.next().or_broken("a head has a word for each term but the rank"),
        };
        rows.extend(ranks.iter().map(word));
    }
    rows
}

impl DerivationSink for LimitedGroups {
    fn take(&mut self, row: &[Word], _: u32, _: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        let (count, row) = row.split_first().or_broken("a match begins with the count of its limit");
        self.count = usize::try_from(count.as_int()).unwrap_or(0);
        let (key, rest) = row.split_at(self.keys);
        let (words, head) = rest.split_at(self.width);
        let cells = self.cells.iter().zip(key.iter().chain(head));
        let cells: SortKeys =
            cells.map(|((ty, descending), word)| SortKey::new(*ty, *word, *descending)).collect();
        let words = Words::from_slice(words);
        let group = self.groups.entry(words.clone()).or_default();
        if !std::mem::replace(&mut group.touched, true) {
            self.touched.push(words);
        }
        if self.adds {
            *group.heads.entry(cells).or_insert(0) += 1;
        } else {
            let count = group.heads.get_mut(&cells).or_broken("a match that leaves a group came into it");
            *count -= 1;
            if *count == 0 {
                group.heads.remove(&cells);
            }
        }
        Ok(true)
    }
}

impl SignedSink for LimitedGroups {
    fn begin(&mut self, came: bool) -> bool {
        self.adds = came;
        true
    }
}
