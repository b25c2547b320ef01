//! Random histories against a model: the state, the past, and both after reopening.

use crate::memory;
use crate::slow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_ledger::base::{Base, BaseError, Batch, MemoryBase};
use hence_ledger::disk::MemoryDisk;
use hence_ledger::{Draft, Ledger, OpenOptions, When};

use super::support::{Hooked, Random, draft, fact, small, written};

const RELATIONS: [&str; 3] = ["alpha", "beta", "gamma"];

/// What stood after each transaction.
#[derive(Default)]
struct Model {
    states: Vec<BTreeSet<Fact>>,
    since: BTreeMap<Fact, u64>,
}

impl Model {
    fn apply(&mut self, draft: &Draft) {
        let mut state = self.states.last().cloned().unwrap_or_default();
        let tx = self.states.len() as u64;
        for gone in draft.retractions.iter().filter(|fact| !draft.assertions.contains(fact)) {
            state.remove(gone);
            self.since.remove(gone);
        }
        for come in &draft.assertions {
            if state.insert(come.clone()) {
                self.since.insert(come.clone(), tx);
            }
        }
        self.states.push(state);
    }
}

fn random_fact(random: &mut Random) -> Fact {
    let relation = RELATIONS[random.below(3) as usize];
    let text = match random.below(20) {
        0 => "long ".repeat(100) + &random.below(3).to_string(),
        _ => format!("text {}", random.below(4)),
    };
    fact(relation, random.below(12) as i64 - 6, &text)
}

fn random_draft(random: &mut Random, time: i64) -> Draft {
    let list = |random: &mut Random, most| (0..random.below(most)).map(|_| random_fact(random)).collect();
    let assertions = list(random, 9);
    let mut draft = draft(time, assertions, list(random, 6));
    if draft.assertions.is_empty() && draft.retractions.is_empty() {
        draft.assertions.push(random_fact(random));
    }
    draft
}

fn all_at(ledger: &Ledger, when: When) -> Vec<(Fact, u64)> {
    let mut all = Vec::new();
    for relation in RELATIONS {
        all.extend(ledger.facts_at(Symbol::new(relation), when).unwrap().map(Result::unwrap));
    }
    all
}

fn check(ledger: &Ledger, model: &Model) {
    assert_eq!(ledger.last_tx() + 1, model.states.len() as u64);
    for (tx, state) in model.states.iter().enumerate() {
        let then = all_at(ledger, When::Tx(tx as u64));
        let mut facts: Vec<_> = then.iter().map(|(fact, _)| fact).collect();
        facts.sort();
        assert_eq!(facts, state.iter().collect::<Vec<_>>(), "after transaction {tx}");
    }
    for (fact, tx) in all_at(ledger, When::Now) {
        assert_eq!(model.since.get(&fact), Some(&tx));
        assert_eq!(ledger.assertion(&fact).unwrap().unwrap().tx, tx);
    }
    let count: u64 = ledger.relations().iter().map(|relation| relation.facts).sum();
    assert_eq!(count as usize, model.states.last().unwrap().len());
    assert_eq!(ledger.verify().unwrap().differences, Vec::<String>::new());
}

fn run(dir: &Path, seed: u64, steps: u64) {
    let mut random = Random::new(seed);
    let mut model = Model { states: vec![BTreeSet::new()], ..Model::default() };
    let mut ledger = Ledger::open(dir, &written(seed % 2 == 1)).unwrap();
    for step in 0..steps {
        let draft = random_draft(&mut random, step as i64 * 10);
        let committed = ledger.commit(&draft).unwrap();
        if committed.recorded {
            model.apply(&draft);
        }
        assert_eq!(committed.facts as usize, model.states.last().unwrap().len());
        if random.below(10) == 0 {
            drop(ledger);
            ledger = Ledger::open(dir, &written(seed % 2 == 1)).unwrap();
            assert_eq!(ledger.take_notices(), vec![]);
        }
    }
    check(&ledger, &model);
    drop(ledger);
    std::fs::remove_dir_all(dir.join("base")).unwrap();
    check(&Ledger::open(dir, &small()).unwrap(), &model);
    let reading = OpenOptions { read_only: true, ..small() };
    check(&Ledger::open(dir, &reading).unwrap(), &model);
}

#[test]
fn random_histories_agree_with_a_model_now_then_and_after_reopening() {
    let rounds = slow::size(3, 100);
    for seed in 0..rounds {
        let dir = memory::folder();
        run(dir.path(), seed, 60);
    }
}

/// A base that takes its time for each batch, and sometimes doesn't take it.
fn slow(seed: u64) -> Box<dyn Base> {
    let random = Mutex::new(Random::new(seed));
    let before = move |_: &Batch| {
        let (wait, fails) = {
            let mut random = random.lock().unwrap();
            (random.below(3), seed % 3 == 2 && random.below(6) == 0)
        };
        std::thread::sleep(Duration::from_millis(wait));
        if fails { Err(BaseError::Medium(String::from("not now"))) } else { Ok(()) }
    };
    Box::new(Hooked { base: Arc::new(MemoryBase::default()), before })
}

#[test]
fn while_another_thread_writes_the_base_everything_is_seen() {
    let rounds = slow::size(6, 300);
    for seed in 0..rounds {
        let mut random = Random::new(seed);
        let mut model = Model { states: vec![BTreeSet::new()], ..Model::default() };
        let mut ledger = Ledger::on(Arc::new(MemoryDisk::default()), slow(seed), &written(true)).unwrap();
        for step in 0..80 {
            let draft = Draft { deferred: random.below(3) == 0, ..random_draft(&mut random, step * 10) };
            if ledger.commit(&draft).unwrap().recorded {
                model.apply(&draft);
            }
            let now: BTreeSet<Fact> = all_at(&ledger, When::Now).into_iter().map(|(fact, _)| fact).collect();
            let wrong: Vec<_> = now.symmetric_difference(model.states.last().unwrap()).collect();
            assert_eq!(wrong, Vec::<&Fact>::new(), "seed {seed}, step {step}");
        }
        check(&ledger, &model);
        ledger.make_durable().unwrap();
        let failed = ledger.close();
        assert!(seed % 3 == 2 || failed.is_empty(), "{failed:?}");
    }
}
