//! Workers in threads and processes: worker 0 of the first process takes transactions in and tells what follows, all
//! others work along until it ends.

use std::cell::RefCell;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use differential_dataflow::input::{Input as _, InputSession};
use differential_dataflow::{AsCollection as _, VecCollection};
use hence_core::fault::OrBroken;
use hence_core::meter::{Bound, Meter};
use timely::dataflow::operators::probe::Handle;
use timely::dataflow::operators::vec::Broadcast;
use timely::dataflow::operators::{Exchange, Input as _, Inspect, Probe};
use timely::worker::Worker;
use timely::{CommunicationConfig, WorkerConfig};

use crate::cell::Row;
use crate::connect::{Network, connect};
use crate::error::Error;
use crate::render::{Plan, Told};

/// How long worker 0 waits for others before it looks at the limits.
const PATIENCE: Duration = Duration::from_millis(5);

/// How many updates are heard before they are summed up.
const MOST_UPDATES: usize = 100_000;

/// A transaction, by its number.
type Epoch = u64;

/// Where workers run.
#[derive(Clone, Debug)]
pub struct Workers {
    /// Threads in each process; the same in all.
    pub threads: usize,
    /// The number of this process, from 0.
    pub process: usize,
    /// The address of each process, `host:port`; of one process none is needed.
    pub hosts: Vec<String>,
}

/// Facts of relations that come (1) and go (-1), and what bounds the work on them.
pub(crate) struct Request {
    pub(crate) edits: Vec<(usize, Row, isize)>,
    pub(crate) meter: Meter,
    /// How many facts may be derived.
    pub(crate) facts: u64,
}

/// What changed by a transaction.
pub(crate) type Answer = Result<Vec<(Told, isize)>, Bound>;

/// What the first process hands to its worker 0.
pub(crate) struct Lead {
    pub(crate) plan: Arc<Plan>,
    /// What the other processes make the same plan of.
    pub(crate) text: String,
    pub(crate) requests: Receiver<Request>,
    pub(crate) answers: Sender<Answer>,
    /// Set where nobody waits for them any more.
    pub(crate) given_up: Arc<AtomicBool>,
}

/// How another process makes a program of the text of rules.
pub(crate) type ReadRules = dyn Fn(&str) -> Result<Plan, String> + Send + Sync;

/// Works until the first process ends.
pub(crate) fn work(workers: &Workers, lead: Option<Lead>, read: Arc<ReadRules>) -> Result<(), Error> {
    let several = workers.hosts.len() > 1;
    let plan: Arc<OnceLock<Result<Arc<Plan>, String>>> = Arc::default();
    let mut text = None;
    let given_up = lead.as_ref().map(|lead| Arc::clone(&lead.given_up)).unwrap_or_default();
    let lead = lead.map(|lead| {
        _ = plan.set(Ok(Arc::clone(&lead.plan)));
        text = Some(lead.text);
        (lead.requests, lead.answers)
    });
    let lead = Mutex::new(lead);
    let known = Arc::clone(&plan);
    let (builders, others) = network(workers, &given_up)?;
    let guards = timely::execute::execute_from(builders, others, WorkerConfig::default(), move |worker| {
        let told = if several { told_rules(worker, text.as_deref()) } else { String::new() };
        // Whoever has no plan unwinds, so that the others see it.
        let plan =
            known.get_or_init(|| read(&told).map(Arc::new)).as_ref().ok().or_broken("the rules were read");
        let mut own = None;
        if worker.index() == 0 {
            own = lead.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        keep_up(worker, plan, own);
    })
    .map_err(Error::Start)?;
    let ended: Vec<Result<(), String>> = guards.join().into_iter().collect();
    if let Some(Err(why)) = plan.get() {
        return Err(Error::Rules(why.clone()));
    }
    ended.into_iter().try_for_each(|ended| ended.map_err(Error::Lost))
}

/// How the workers of this process reach each other and all others.
fn network(workers: &Workers, given_up: &AtomicBool) -> Result<Network, Error> {
    match (workers.hosts.len(), workers.threads) {
        (0 | 1, 0 | 1) => CommunicationConfig::Thread.try_build().map_err(Error::Start),
        (0 | 1, threads) => CommunicationConfig::Process(threads).try_build().map_err(Error::Start),
        _ => connect(workers, given_up),
    }
}

/// The text that worker 0 has for all.
fn told_rules(worker: &mut Worker, text: Option<&str>) -> String {
    let heard: Rc<RefCell<String>> = Rc::default();
    let sink = Rc::clone(&heard);
    let (mut input, probe) = worker.dataflow::<Epoch, _, _>(|scope| {
        let (input, stream) = scope.new_input::<Vec<String>>();
        let (probe, _) = stream.broadcast().inspect(move |text| sink.borrow_mut().clone_from(text)).probe();
        (input, probe)
    });
    if worker.index() == 0 {
        input.send(text.unwrap_or_default().to_owned());
    }
    input.close();
    worker.step_while(|| !probe.done());
    heard.take()
}

/// Updates of what worker 0 was told.
type Heard = Rc<RefCell<Vec<(Told, isize)>>>;

/// The inputs of a dataflow, one for each relation, the one that holds one empty row, and how far it has come.
struct Inputs {
    relations: Vec<InputSession<Epoch, Row, isize>>,
    unit: InputSession<Epoch, Row, isize>,
    probe: Handle<Epoch>,
    heard: Heard,
}

/// Renders the plan; worker 0 of all goes through the transactions.
fn keep_up(worker: &mut Worker, plan: &Plan, lead: Option<(Receiver<Request>, Sender<Answer>)>) {
    let mut inputs = rendered(worker, plan);
    let Some((requests, answers)) = lead else { return };
    inputs.unit.update(Row::new(), 1);
    for (request, epoch) in requests.into_iter().zip(1..) {
        let answer = inputs.transact(worker, request, epoch);
        let goes_on = answer.is_ok();
        if !goes_on {
            plan.stop.store(true, Ordering::Relaxed);
        }
        if answers.send(answer).is_err() || !goes_on {
            return;
        }
    }
}

fn rendered(worker: &mut Worker, plan: &Plan) -> Inputs {
    let (heard, probe) = (Heard::default(), Handle::new());
    let sink = Rc::clone(&heard);
    worker.dataflow::<Epoch, _, _>(|scope| {
        let (mut relations, mut given) = (Vec::new(), Vec::new());
        for _ in &plan.program.relations {
            let (input, rows) = scope.new_collection::<Row, isize>();
            relations.push(input);
            given.push(spread(rows));
        }
        let (unit, one) = scope.new_collection::<Row, isize>();
        let told = plan.render(one.clone(), given, scope);
        let none = one.filter(|_| false).map(|row| Told::Lost(0, row));
        none.concatenate(told)
            .inner
            .exchange(|_| 0)
            .inspect(move |(told, _, times)| sink.borrow_mut().push((told.clone(), *times)))
            .probe_with(&probe);
        Inputs { relations, unit, probe, heard }
    })
}

/// Rows that worker 0 brings, divided among all.
fn spread(rows: VecCollection<'_, Epoch, Row, isize>) -> VecCollection<'_, Epoch, Row, isize> {
    let hash = |row: &Row| {
        let mut state = DefaultHasher::new();
        row.hash(&mut state);
        state.finish()
    };
    rows.inner.exchange(move |(row, _, _)| hash(row)).as_collection()
}

impl Inputs {
    fn transact(&mut self, worker: &mut Worker, request: Request, epoch: Epoch) -> Answer {
        for (relation, row, times) in request.edits {
            if let Some(input) = self.relations.get_mut(relation) {
                input.update(row, times);
            }
        }
        for input in self.relations.iter_mut().chain([&mut self.unit]) {
            input.advance_to(epoch);
            input.flush();
        }
        let mut most =
            MOST_UPDATES.min(usize::try_from(request.facts.saturating_mul(8)).unwrap_or(usize::MAX));
        while self.probe.less_than(&epoch) {
            worker.step_or_park(Some(PATIENCE));
            request.meter.look()?;
            let mut heard = self.heard.borrow_mut();
            if heard.len() > most {
                settle(&mut heard);
                let facts = heard.iter().filter(|(told, _)| matches!(told, Told::Fact(..))).count();
                // Facts that move from round to round are there twice for a while.
                if facts as u64 > request.facts.saturating_mul(4) {
                    return Err(Bound::Facts(request.facts));
                }
                most = most.max(heard.len().saturating_mul(2));
            }
        }
        let mut heard = std::mem::take(&mut *self.heard.borrow_mut());
        settle(&mut heard);
        Ok(heard)
    }
}

/// Sums up how often each is there.
fn settle(heard: &mut Vec<(Told, isize)>) {
    differential_dataflow::consolidation::consolidate(heard);
}
