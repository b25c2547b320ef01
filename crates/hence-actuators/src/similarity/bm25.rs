//! How alike texts are, by BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009).

use std::collections::BTreeMap;

use crate::error::ActuatorError;
use crate::words;
use hence_core::meter;

/// How fast a word that is repeated stops to count, and how much the length of a text does.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// How many different words of a text count.
const MOST_WORDS: usize = 200;

/// Shares are told to the millionth.
const DIGITS: f64 = 1_000_000.0;

/// A share as it is told.
pub(super) fn rounded(share: f64) -> f64 {
    (share * DIGITS).round() / DIGITS
}

/// Texts by their words.
pub(super) struct Index {
    /// The words of each text, by their numbers, with how often each is there.
    texts: Vec<Vec<(usize, f64)>>,
    /// The texts that have a word, with what it counts there.
    postings: Vec<Vec<(usize, f64)>>,
    /// How much a text says of itself: the most that another one can.
    own: Vec<f64>,
}

impl Index {
    pub(super) fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let texts: Vec<Vec<(usize, f64)>> = texts
            .map(|text| {
                let terms = words::terms(text).into_iter().take(MOST_WORDS);
                let number = |(word, times): (String, u32)| {
                    let next = numbers.len();
                    (*numbers.entry(word).or_insert(next), f64::from(times))
                };
                terms.map(number).collect()
            })
            .collect();
        let mut postings = vec![Vec::new(); numbers.len()];
        let length = |text: &[(usize, f64)]| text.iter().map(|(_, times)| times).sum::<f64>();
        let mean = texts.iter().map(|text| length(text)).sum::<f64>() / (texts.len().max(1) as f64);
        for (at, text) in texts.iter().enumerate() {
            let long = 1.0 - B + B * length(text) / mean;
            for (word, times) in text {
                if let Some(list) = postings.get_mut(*word) {
                    list.push((at, times * (K1 + 1.0) / (times + K1 * long)));
                }
            }
        }
        let mut index = Self { own: Vec::new(), texts, postings };
        index.weigh();
        index
    }

    /// Weighs each word by how rare it is, at least 1, so that few texts can be alike, too.
    fn weigh(&mut self) {
        let all = self.texts.len() as f64;
        for list in &mut self.postings {
            let with = list.len() as f64;
            let weight = 1.0 + (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            list.iter_mut().for_each(|(_, counts)| *counts *= weight);
        }
        let mut own = vec![0.0; self.texts.len()];
        for (text, counts) in self.postings.iter().flatten() {
            if let Some(sum) = own.get_mut(*text) {
                *sum += counts;
            }
        }
        self.own = own;
    }

    /// How much of what the text `at` says each text says, from 0 to 1.
    pub(super) fn alike(&self, at: usize) -> Result<Vec<f64>, ActuatorError> {
        meter::check("comparing texts")?;
        let mut sums = vec![0.0; self.texts.len()];
        let lists = self.texts.get(at).into_iter().flatten().filter_map(|(word, _)| self.postings.get(*word));
        for (text, counts) in lists.flatten() {
            if let Some(sum) = sums.get_mut(*text) {
                *sum += counts;
            }
        }
        let own = self.own.get(at).copied().filter(|own| *own > 0.0);
        let share = |sum: f64| own.map_or(0.0, |own| (sum / own).min(1.0));
        Ok(sums.into_iter().map(share).collect())
    }
}
