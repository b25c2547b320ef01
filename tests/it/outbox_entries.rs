//! What notes come to: the state of an entry of the outbox, and what is to be done about it next.

use hence_runtime::{EntryNote, LONGEST_PAUSE, Mark, NextStep, OutboxEntry, Policy, Repeat, State};

const SAFE: Policy = Policy { repeat: Repeat::Safe, attempts: 3, pause: 5_000_000 };
const UNSAFE: Policy = Policy { repeat: Repeat::Unsafe, ..SAFE };

/// What comes of notes, each with its attempt, at the times 0, 1, 2, … seconds.
fn entry(notes: &[(u32, Mark)]) -> OutboxEntry {
    let mut entry = OutboxEntry::default();
    for (second, (attempt, mark)) in (0..).zip(notes) {
        let (carrier, detail) = (String::from("command"), String::new());
        entry.take(EntryNote { attempt: *attempt, mark: *mark, carrier, detail, at: second * 1_000_000 });
    }
    entry
}

#[test]
fn what_nobody_noted_is_due() {
    assert_eq!(entry(&[]).step(&SAFE, true, 0), NextStep::Carry(1));
    assert_eq!(entry(&[]).step(&SAFE, false, 0), NextStep::Cancel);
}

#[test]
fn what_was_begun_is_begun_again_unless_that_is_unsafe() {
    let begun = entry(&[(1, Mark::Begun)]);
    assert_eq!(begun.step(&SAFE, true, 0), NextStep::Carry(2));
    assert_eq!(begun.step(&UNSAFE, true, 0), NextStep::Ask);
    assert_eq!(entry(&[(1, Mark::Begun), (1, Mark::Failed)]).state(&UNSAFE), State::Failed);
    assert_eq!(entry(&[(1, Mark::Begun), (1, Mark::Unknown)]).state(&UNSAFE), State::Waiting);
    assert_eq!(entry(&[(1, Mark::Begun), (1, Mark::Retry)]).step(&UNSAFE, true, 0), NextStep::Carry(2));
}

#[test]
fn pauses_grow_and_attempts_end() {
    let once = entry(&[(1, Mark::Begun), (1, Mark::Failed)]);
    assert_eq!(once.step(&SAFE, true, 5_999_999), NextStep::Wait(6_000_000));
    assert_eq!(once.step(&SAFE, true, 6_000_000), NextStep::Carry(2));
    let mut more = [(1, Mark::Begun), (1, Mark::Failed), (2, Mark::Begun), (2, Mark::Failed)].to_vec();
    assert_eq!(entry(&more).step(&SAFE, true, 0), NextStep::Wait(13_000_000));
    more.extend([(3, Mark::Begun), (3, Mark::Failed)]);
    assert_eq!(entry(&more).step(&SAFE, true, i64::MAX), NextStep::GiveUp);
    more.push((3, Mark::Retry));
    assert_eq!(entry(&more).step(&SAFE, true, 0), NextStep::Carry(4));
    let long = Policy { attempts: u32::MAX, ..SAFE };
    let failed = |tried| OutboxEntry { tried, ..entry(&[(1, Mark::Failed)]) };
    assert_eq!(failed(200).next(&long), Some(LONGEST_PAUSE));
    assert_eq!(failed(3).next(&Policy { pause: i64::MAX, ..SAFE }), Some(i64::MAX));
}

#[test]
fn what_was_answered_is_finished_though_the_decision_lapsed() {
    let answered = entry(&[(1, Mark::Begun), (1, Mark::Answered)]);
    assert_eq!(answered.step(&UNSAFE, false, 0), NextStep::Finish);
    assert_eq!(entry(&[(1, Mark::Skipped)]).step(&SAFE, true, 0), NextStep::Done);
}
