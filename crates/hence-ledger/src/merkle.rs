//! The Merkle tree over transactions, hashed as RFC 6962 says: its root, and proofs of inclusion and consistency.

use sha2::{Digest as _, Sha256};

use super::hash::Hash;

/// What is hashed before a leaf, and before two subtrees.
const LEAF: u8 = 0;
const NODE: u8 = 1;

/// A hash of the tree: SHA-256, so that tools for transparency logs read it.
pub type Node = [u8; 32];

/// The hash of a leaf.
pub fn leaf(data: &[u8]) -> Node {
    Sha256::new().chain_update([LEAF]).chain_update(data).finalize().into()
}

/// The hash over two subtrees.
fn parent(left: &Node, right: &Node) -> Node {
    Sha256::new().chain_update([NODE]).chain_update(left).chain_update(right).finalize().into()
}

/// A tree over leaves, whose hashes it keeps.
#[derive(Clone, Debug, Default)]
pub struct Tree(Vec<Node>);

impl Tree {
    /// A tree over the hashes of its leaves.
    pub fn new(leaves: Vec<Node>) -> Self {
        Self(leaves)
    }

    /// A tree over transactions, of which each leaf is the 32 bytes of the hash.
    pub fn of(transactions: impl IntoIterator<Item = Hash>) -> Self {
        Self(transactions.into_iter().map(|hash| leaf(&hash.0)).collect())
    }

    /// How many leaves it has.
    pub fn size(&self) -> u64 {
        self.0.len() as u64
    }

    /// The root over the first `size` leaves; `None` where there are fewer.
    pub fn root(&self, size: u64) -> Option<Node> {
        Some(root(self.first(size)?))
    }

    /// The path from the leaf at `index`, from 0, to the root over the first `size` leaves.
    pub fn inclusion(&self, index: u64, size: u64) -> Option<Vec<Node>> {
        let (mut leaves, mut at) = (self.first(size)?, usize::try_from(index).ok()?);
        if at >= leaves.len() {
            return None;
        }
        let mut path = Vec::new();
        while leaves.len() > 1 {
            let (left, right) = leaves.split_at_checked(split(leaves.len()))?;
            if at < left.len() {
                path.push(root(right));
                leaves = left;
            } else {
                path.push(root(left));
                (leaves, at) = (right, at - left.len());
            }
        }
        path.reverse();
        Some(path)
    }

    /// That the first `old` leaves of the first `new` ones are the tree of `old` leaves.
    pub fn consistency(&self, old: u64, new: u64) -> Option<Vec<Node>> {
        let (mut leaves, mut at) = (self.first(new)?, usize::try_from(old).ok()?);
        if at > leaves.len() || at == 0 {
            return (at == 0).then(Vec::new);
        }
        let (mut path, mut whole) = (Vec::new(), true);
        while at < leaves.len() {
            let (left, right) = leaves.split_at_checked(split(leaves.len()))?;
            if at <= left.len() {
                path.push(root(right));
                leaves = left;
            } else {
                path.push(root(left));
                (leaves, at, whole) = (right, at - left.len(), false);
            }
        }
        if !whole {
            path.push(root(leaves));
        }
        path.reverse();
        Some(path)
    }

    fn first(&self, size: u64) -> Option<&[Node]> {
        self.0.get(..usize::try_from(size).ok()?)
    }
}

/// The largest power of two below `count`, which is at least 2.
fn split(count: usize) -> usize {
    1 << (usize::BITS - 1 - (count - 1).leading_zeros())
}

/// The root over the hashes of leaves; that of no leaf is the hash of nothing.
fn root(leaves: &[Node]) -> Node {
    // Complete subtrees of growing places, each twice as large as the one after it or larger.
    let mut subtrees: Vec<(u32, Node)> = Vec::new();
    for leaf in leaves {
        let mut whole = (0, *leaf);
        while let Some((_, left)) = subtrees.pop_if(|(height, _)| *height == whole.0) {
            whole = (whole.0 + 1, parent(&left, &whole.1));
        }
        subtrees.push(whole);
    }
    let hashes = subtrees.into_iter().rev().map(|(_, hash)| hash);
    hashes.reduce(|right, left| parent(&left, &right)).unwrap_or_else(|| Sha256::digest([]).into())
}

/// Whether a path leads from a leaf at `index` to the root over `size` leaves.
pub fn includes(leaf: Node, index: u64, size: u64, path: &[Node], root: &Node) -> bool {
    if index >= size {
        return false;
    }
    let (mut at, mut last, mut hash) = (index, size - 1, leaf);
    for step in path {
        if last == 0 {
            return false;
        }
        if at % 2 == 1 || at == last {
            hash = parent(step, &hash);
            while at % 2 == 0 && at > 0 {
                (at, last) = (at / 2, last / 2);
            }
        } else {
            hash = parent(&hash, step);
        }
        (at, last) = (at / 2, last / 2);
    }
    last == 0 && hash == *root
}

/// Whether the tree of `old` leaves with one root is the beginning of that of `new` leaves with the other.
pub fn is_consistent((old, old_root): (u64, &Node), (new, new_root): (u64, &Node), path: &[Node]) -> bool {
    if old > new || (old == 0 && *old_root != root(&[])) {
        return false;
    }
    if old == 0 || old == new {
        return path.is_empty() && (old == 0 || old_root == new_root);
    }
    let (mut at, mut last) = (old - 1, new - 1);
    while at % 2 == 1 {
        (at, last) = (at / 2, last / 2);
    }
    let mut steps = path.iter();
    // An old tree that is complete is itself where the path begins.
    let Some(start) = (if at == 0 { Some(old_root) } else { steps.next() }) else { return false };
    let (mut before, mut after) = (*start, *start);
    for step in steps {
        if last == 0 {
            return false;
        }
        if at % 2 == 1 || at == last {
            (before, after) = (parent(step, &before), parent(step, &after));
            while at % 2 == 0 && at > 0 {
                (at, last) = (at / 2, last / 2);
            }
        } else {
            after = parent(&after, step);
        }
        (at, last) = (at / 2, last / 2);
    }
    last == 0 && before == *old_root && after == *new_root
}
