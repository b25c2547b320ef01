//! Reads `.facts` files of small ints row by row: every peer loads its facts by these functions.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Calls `take` with each row of `folder/relation.facts`.
pub fn each<const N: usize>(folder: &Path, relation: &str, mut take: impl FnMut([u32; N])) {
    let path = folder.join(format!("{relation}.facts"));
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut input = BufReader::with_capacity(1 << 16, file);
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).unwrap() > 0 {
        let mut row = [0u32; N];
        let mut column = 0;
        for &byte in &line {
            match byte {
                b'0'..=b'9' => row[column] = row[column] * 10 + u32::from(byte - b'0'),
                b'\t' => column += 1,
                _ => {}
            }
        }
        take(row);
        line.clear();
    }
}

/// The rows of a ternary relation.
pub fn triples(folder: &Path, relation: &str) -> Vec<(u32, u32, u32)> {
    let mut rows = Vec::new();
    each(folder, relation, |[a, b, c]| rows.push((a, b, c)));
    rows
}

/// The rows of a binary relation.
pub fn pairs(folder: &Path, relation: &str) -> Vec<(u32, u32)> {
    let mut rows = Vec::new();
    each(folder, relation, |[a, b]| rows.push((a, b)));
    rows
}
