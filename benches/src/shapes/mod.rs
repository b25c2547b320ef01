//! Shapes of programs and data that no benchmark above has, hence beside its peers: bodies that close circles, skewed
//! degrees, long and wide rows, texts, many short rounds, relations that depend on each other.

pub mod ascent;
pub mod datafrog;
pub mod generate;
pub mod hence;

use generate::Facts;

use crate::measure::mixed;

/// The shapes, in the order in which they are run.
pub const SHAPES: [&str; 23] = [
    "clique4",
    "path4",
    "diamond",
    "cycle4",
    "cspa",
    "csda",
    "context",
    "borrow",
    "names",
    "wide",
    "groups",
    "university",
    "dense",
    "sparse",
    "deep",
    "steps",
    "virtual",
    "star",
    "movies",
    "best",
    "intervals",
    "reach",
    "moved",
];

/// The rules of a shape; those of `reach` are those of `deep`, over other facts.
pub fn rules_of(shape: &str) -> &str {
    if shape == "reach" { "deep" } else { shape }
}

/// The programs that take part.
pub const PEERS: [&str; 3] = ["hence", "datafrog", "ascent"];

/// How many rows a result has, and a sum over them that is the same in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub rows: u64,
    pub sum: u64,
}

impl Sum {
    /// That of the results of a peer.
    pub fn of<R: Row + Copy>(rows: &[R]) -> Self {
        let mut sum = Self::default();
        rows.iter().for_each(|row| sum.add(row.words()));
        sum
    }

    /// Takes in a row.
    pub fn add(&mut self, row: impl IntoIterator<Item = u64>) {
        self.sum = self.sum.wrapping_add(mixed(row));
        self.rows += 1;
    }
}

/// A row of a peer.
pub trait Row {
    fn words(self) -> impl IntoIterator<Item = u64>;
}

macro_rules! row {
    ($($name:ident: $word:ty),*) => {
        impl Row for ($($word,)*) {
            fn words(self) -> impl IntoIterator<Item = u64> {
                let ($($name,)*) = self;
                [$(u64::from($name)),*]
            }
        }
    };
}

row!(a: u32);
row!(a: u32, b: u32);
row!(a: u32, b: u32, c: u32);
row!(a: u32, b: u32, c: u32, d: u32);
row!(a: u32, b: u32, c: u32, d: u32, e: u32, f: u32, g: u32, h: u32, i: u32, j: u32, k: u32, l: u32);

/// The rows of a relation as numbers of 32 bits; a relation whose name is a word of Rust ends with `_` in the programs.
pub fn rows<const N: usize>(facts: &[Facts], relation: &str) -> impl Iterator<Item = [u32; N]> {
    let relation = relation.trim_end_matches('_');
    let facts = facts.iter().find(|facts| facts.relation == relation);
    let facts = facts.unwrap_or_else(|| panic!("there are no facts of `{relation}`"));
    facts.rows::<N>().map(|row| row.map(|word| u32::try_from(word).unwrap()))
}

/// What is left to do once a program has its input: to derive all results, and then to sum them up.
pub type Ready = Box<dyn FnOnce() -> Box<dyn FnOnce() -> Sum>>;

/// A peer with its input; none where it can't do the shape.
pub fn ready(peer: &str, shape: &str, quick: bool) -> Option<Ready> {
    let facts = generate::facts(shape, quick);
    macro_rules! pick {
        ($module:ident: $($name:ident)*) => {
            match rules_of(shape) {
                $(stringify!($name) => Box::new($module::$name(&facts)) as Ready,)*
                _ => return None,
            }
        };
    }
    Some(match peer {
        "datafrog" => pick!(datafrog: clique4 path4 diamond cycle4 cspa csda dense deep),
        "ascent" => {
            pick!(ascent: clique4 path4 diamond cycle4 cspa csda context borrow names wide groups university dense sparse deep steps star movies intervals moved)
        }
        _ => {
            let threads = if peer == "hence_on_two" { 2 } else { 1 };
            let input = hence::load(shape, &facts);
            Box::new(move || {
                let results = hence::eval(input, threads);
                Box::new(move || hence::sum(&results))
            })
        }
    })
}
