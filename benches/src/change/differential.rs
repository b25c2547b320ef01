//! The standing rules as a dataflow at work: one worker in this thread, an epoch a change.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use differential_dataflow::input::{Input, InputSession};
use hence::session::CommitRequest;
use hence_core::fact::Fact;
use hence_core::value::{Float, Value};
use timely::communication::Allocator;
use timely::communication::allocator::Thread;
use timely::dataflow::ProbeHandle;
use timely::worker::{Config, Worker};

use super::dataflow::{DECISIONS, Drawn, Epoch, Given, decisions};
use super::{Difference, int, name, numbered};

/// The dataflow and what it has said of the epoch at hand.
pub(super) struct Flow {
    worker: Worker,
    input: InputSession<Epoch, Given, isize>,
    probe: ProbeHandle<Epoch>,
    said: Rc<RefCell<Vec<(Drawn, isize)>>>,
}

impl Flow {
    /// The facts in one epoch; the decisions that follow.
    pub(super) fn new(facts: &[Fact]) -> (Self, Difference) {
        let mut worker = Worker::new(Config::default(), Allocator::Thread(Thread::default()), None);
        let said = Rc::new(RefCell::new(Vec::new()));
        let (told, probe) = (Rc::clone(&said), ProbeHandle::new());
        let input = worker.dataflow(|scope| {
            let (input, facts) = scope.new_collection();
            let told = decisions(&facts).inspect_batch(move |_, rows| {
                told.borrow_mut().extend(rows.iter().map(|(row, _, by)| (*row, *by)));
            });
            told.probe_with(&probe);
            input
        });
        let mut flow = Self { worker, input, probe, said };
        let first = flow.take(&CommitRequest { assertions: facts.to_vec(), ..CommitRequest::default() });
        (flow, first)
    }

    /// An epoch: facts that aren't there yet, and facts that are and go. What has changed when all of it is done.
    pub(super) fn take(&mut self, change: &CommitRequest) -> Difference {
        change.assertions.iter().for_each(|fact| self.input.insert(given(fact)));
        change.retractions.iter().for_each(|fact| self.input.remove(given(fact)));
        let next = self.input.time() + 1;
        self.input.advance_to(next);
        self.input.flush();
        let probe = &self.probe;
        self.worker.step_while(|| probe.less_than(&next));
        let mut sums: HashMap<Drawn, isize> = HashMap::new();
        for (row, by) in self.said.borrow_mut().drain(..) {
            *sums.entry(row).or_default() += by;
        }
        let mut difference = Difference { drawn: Vec::new(), lapsed: Vec::new() };
        for (row, by) in sums {
            match by {
                1 => difference.drawn.push(decision(row)),
                -1 => difference.lapsed.push(decision(row)),
                _ => assert_eq!(by, 0, "{row:?}"),
            }
        }
        difference
    }
}

fn given(fact: &Fact) -> Given {
    let numbers: Vec<i64> = fact.values.iter().map(number).collect();
    let id = |at: usize| numbers[at] as u32;
    match fact.relation.as_str() {
        "tool" => Given::Tool(id(0)),
        "tool_run" => Given::Run(id(0), id(1), id(2), numbers[3] == 1, numbers[4], numbers[5]),
        "failure" => Given::Failure(id(0), id(1)),
        "depends" => Given::Depends(id(0), id(1)),
        "owner" => Given::Owner(id(0), id(1)),
        "trusted" => Given::Trusted(id(0)),
        "banned" => Given::Banned(id(0)),
        "review" => Given::Review(id(0), numbers[1] == 1),
        "budget" => Given::Budget(id(0), numbers[1]),
        "task" => Given::Task(id(0), id(1), id(2), numbers[3]),
        "done" => Given::Done(id(0)),
        "blocked_by" => Given::BlockedBy(id(0), id(1)),
        "incident" => Given::Incident(id(0), id(1), numbers[2]),
        "resolved" => Given::Resolved(id(0)),
        other => panic!("there is no input `{other}`"),
    }
}

/// The int of a value, or that at the end of a string or name.
fn number(value: &Value) -> i64 {
    match value {
        Value::Int(int) => *int,
        Value::Bool(bool) => i64::from(*bool),
        Value::String(text) | Value::Name(text) => {
            text.as_str().rsplit('_').next().and_then(|end| end.parse().ok()).unwrap()
        }
        other => panic!("{other} is no value of the standing base"),
    }
}

fn decision((relation, first, second): Drawn) -> Fact {
    let (id, tool) = (|word: u64| int(word as u32), |word: u64| numbered("tool", word as u32));
    let domain = |word: u64| name(&format!("/domain_{word}"));
    let kind = DECISIONS[usize::from(relation)];
    let values = match kind {
        "refine" | "retire" => vec![tool(first)],
        "run_task" => vec![id(first), tool(second)],
        "ask_person" => vec![id(first)],
        "replace_tool" => vec![tool(first), tool(second)],
        "cut_spending" => vec![domain(first), Value::Int(second as i64)],
        "warn_budget" => vec![domain(first)],
        _ => vec![tool(first), Value::Float(Float::new(f64::from_bits(second)).unwrap())],
    };
    Fact::new(kind, values)
}
