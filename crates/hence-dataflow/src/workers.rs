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
use hence_core::fault::{self, Fault};
use hence_core::index_vec::Id;
use hence_core::meter::{Bound, Meter};
use hence_core::schema::RelationId;
use hence_core::threads;
use hence_engine::Database;
use timely::dataflow::operators::probe::Handle;
use timely::dataflow::operators::{Exchange, Inspect, Probe};
use timely::worker::Worker;
use timely::{CommunicationConfig, WorkerConfig};

use crate::cell::{Cell, Row};
use crate::connect::{Network, connect};
use crate::control::{Control, told};
use crate::error::{Error, Unable};
use crate::render::{Plan, Told};
use crate::secret::Secret;

/// How long worker 0 waits for others before it looks at the limits.
const PATIENCE: Duration = Duration::from_millis(5);

/// How long a worker of another process does.
const PATIENCE_OF_OTHERS: Duration = Duration::from_millis(50);

/// How many updates are heard before they are summed up.
const MOST_UPDATES: usize = 100_000;

/// How many facts of its own a process brings before it goes on with work.
const FACTS_AT_ONCE: usize = 50_000;

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
    /// What all processes know and nobody else; of one process none is needed.
    pub secret: Option<Secret>,
    /// The most memory of each of them, in bytes, beside the limit that it has by itself.
    pub memory: Option<u64>,
    /// Says who was refused.
    pub tell: fn(&str),
}

impl Workers {
    /// Threads of this process alone.
    pub fn of_one_process(threads: usize) -> Self {
        Self { threads, process: 0, hosts: Vec::new(), secret: None, memory: None, tell: |_| {} }
    }

    fn host(&self, process: usize) -> String {
        self.hosts.get(process).cloned().unwrap_or_default()
    }
}

/// What a process brings by itself.
#[derive(Debug, Default)]
pub struct PartFacts {
    /// Facts, which reach other processes only as far as the work on them is divided.
    pub facts: Database,
    /// Where they come from, for the first process.
    pub told: String,
}

/// Facts of relations that come (1) and go (-1), and what bounds the work on them.
pub(crate) struct Request {
    pub(crate) edits: Vec<(usize, Row, isize)>,
    pub(crate) meter: Meter,
    /// How many facts may be derived.
    pub(crate) facts: u64,
}

/// What changed by a transaction.
pub(crate) type Answer = Result<Vec<(Told, isize)>, Ended>;

/// The limit that ended the workers, and the process that reached it where that isn't the first.
#[derive(Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) bound: Bound,
    pub(crate) process: Option<usize>,
}

/// What the first process hands to its worker 0.
pub(crate) struct Lead {
    pub(crate) own: Own,
    /// What the other processes make the same plan of.
    pub(crate) text: String,
    pub(crate) requests: Receiver<Request>,
    pub(crate) answers: Sender<Answer>,
    /// What each process said of its share.
    pub(crate) shares: Arc<OnceLock<Vec<String>>>,
    /// Set where nobody waits for them any more.
    pub(crate) given_up: Arc<AtomicBool>,
}

/// What a process works on, and what it brings.
pub(crate) struct Own {
    plan: Arc<Plan>,
    facts: Mutex<Option<Database>>,
    told: String,
}

impl Own {
    pub(crate) fn new(plan: Plan, share: PartFacts) -> Self {
        Self { plan: Arc::new(plan), facts: Mutex::new(Some(share.facts)), told: share.told }
    }

    pub(crate) fn plan(&self) -> Arc<Plan> {
        Arc::clone(&self.plan)
    }
}

/// How another process makes what it works on of the text of rules.
pub(crate) type ReadRules = dyn Fn(&str) -> Result<Own, Unable> + Send + Sync;

/// What each process, by its number, says of its share, or why it can't do it.
type Said = (u64, Result<String, Unable>);

/// Works until the first process ends.
pub(crate) fn work(workers: &Workers, lead: Option<Lead>, read: Arc<ReadRules>) -> Result<(), Error> {
    let own: Arc<OnceLock<Result<Own, Unable>>> = Arc::default();
    let (mut text, mut shares) = (None, Arc::default());
    let given_up = lead.as_ref().map(|lead| Arc::clone(&lead.given_up)).unwrap_or_default();
    let lead = lead.map(|lead| {
        _ = own.set(Ok(lead.own));
        text = Some(lead.text);
        shares = lead.shares;
        (lead.requests, lead.answers)
    });
    let lead = Mutex::new(lead);
    let all: Arc<OnceLock<Vec<Said>>> = Arc::default();
    let over: Arc<OnceLock<(usize, Bound)>> = Arc::default();
    let (known, said, noted) = (Arc::clone(&own), Arc::clone(&all), Arc::clone(&over));
    let (process, threads) = (workers.process, workers.threads.max(1));
    // Those of workers, and two for each connection, are missed by nobody but whoever waits for them.
    let connections = workers.hosts.len().saturating_sub(1);
    threads::check(threads + 2 * connections).map_err(|error| Error::Start(error.to_string()))?;
    let (builders, others) = network(workers, &given_up)?;
    let guards = timely::execute::execute_from(builders, others, WorkerConfig::default(), move |worker| {
        let text = text.clone().filter(|_| worker.index() == 0);
        let rules = told(worker, text).pop().unwrap_or_default();
        let own = known.get_or_init(|| read(&rules));
        let is_first = worker.index() % threads == 0;
        let word = own.as_ref().map(|own| own.told.clone()).map_err(Clone::clone);
        let mut words = told(worker, is_first.then_some((process as u64, word)));
        words.sort();
        let words = said.get_or_init(|| words);
        let (Ok(own), true) = (own, words.iter().all(|(_, word)| word.is_ok())) else { return };
        _ = shares.set(words.iter().filter_map(|(_, word)| word.clone().ok()).collect());
        let lead = || lead.lock().unwrap_or_else(PoisonError::into_inner).take();
        let lead = if worker.index() == 0 { lead() } else { None };
        if let Some(over) = keep_up(worker, own, process, is_first, lead) {
            _ = noted.set(over);
        }
    })
    .map_err(Error::Start)?;
    // Where a process is lost, the threads of its connection panic, and so does whoever waits for them here.
    let ended = fault::caught(|| Ok::<_, Fault>(guards.join()));
    let ended = ended.unwrap_or_else(|_| vec![Err(String::from("a connection ended"))]);
    if let Some(Err(why)) = own.get() {
        return Err(Error::Own(why.clone()));
    }
    if let Some((process, Err(why))) = all.get().into_iter().flatten().find(|(_, word)| word.is_err()) {
        let process = usize::try_from(*process).unwrap_or_default();
        return Err(Error::Other { number: process + 1, host: workers.host(process), why: why.clone() });
    }
    if let Some((process, bound)) = over.get() {
        return Err(Error::Memory { number: process + 1, host: workers.host(*process), bound: *bound });
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

/// Updates of what worker 0 was told.
type Heard = Rc<RefCell<Vec<(Told, isize)>>>;

/// The inputs of a dataflow, one for each relation, the one that holds one empty row, and how far it has come.
struct Inputs {
    relations: Vec<InputSession<Epoch, Row, isize>>,
    unit: InputSession<Epoch, Row, isize>,
    probe: Handle<Epoch>,
    heard: Heard,
    control: Control,
}

/// Renders the plan; worker 0 of all goes through the transactions. The process that had too much memory, where one had.
fn keep_up(
    worker: &mut Worker,
    own: &Own,
    process: usize,
    is_first: bool,
    lead: Option<(Receiver<Request>, Sender<Answer>)>,
) -> Option<(usize, Bound)> {
    let mut inputs = rendered(worker, &own.plan, process);
    if is_first {
        let facts = own.facts.lock().unwrap_or_else(PoisonError::into_inner).take();
        inputs.bring(worker, &own.plan, facts.unwrap_or_default());
    }
    let Some((requests, answers)) = lead else { return inputs.work_along(worker, is_first) };
    inputs.unit.update(Row::new(), 1);
    for (request, epoch) in requests.into_iter().zip(1..) {
        let answer = inputs.transact(worker, request, epoch);
        let ended = answer.as_ref().err().copied();
        if ended.is_some() {
            own.plan.stop.store(true, Ordering::Relaxed);
            inputs.control.stop();
        }
        if answers.send(answer).is_err() || ended.is_some() {
            return ended.and_then(|ended| Some((ended.process?, ended.bound)));
        }
    }
    None
}

fn rendered(worker: &mut Worker, plan: &Plan, process: usize) -> Inputs {
    let (heard, probe) = (Heard::default(), Handle::new());
    let sink = Rc::clone(&heard);
    let (relations, unit) = worker.dataflow::<Epoch, _, _>(|scope| {
        let (mut relations, mut given) = (Vec::new(), Vec::new());
        for _ in &plan.program.relations {
            let (input, rows) = scope.new_collection::<Row, isize>();
            relations.push(input);
            let rows = spread(rows);
            // Two processes may bring the same fact.
            given.push(if plan.outputs.is_some() { rows.distinct() } else { rows });
        }
        let (unit, one) = scope.new_collection::<Row, isize>();
        let told = plan.render(one.clone(), given, scope);
        let none = one.filter(|_| false).map(|row| Told::Lost(0, row));
        none.concatenate(told)
            .inner
            .exchange(|_| 0)
            .inspect(move |(told, _, times)| sink.borrow_mut().push((told.clone(), *times)))
            .probe_with(&probe);
        (relations, unit)
    });
    Inputs { relations, unit, probe, heard, control: Control::new(worker, process, &plan.stop) }
}

/// Rows that a worker brings, divided among all.
fn spread(rows: VecCollection<'_, Epoch, Row, isize>) -> VecCollection<'_, Epoch, Row, isize> {
    let hash = |row: &Row| {
        let mut state = DefaultHasher::new();
        row.hash(&mut state);
        state.finish()
    };
    rows.inner.exchange(move |(row, _, _)| hash(row)).as_collection()
}

impl Inputs {
    /// Brings the facts that this process has by itself.
    fn bring(&mut self, worker: &mut Worker, plan: &Plan, facts: Database) {
        let mut brought = 0_usize;
        for ((at, rows), input) in facts.relations.into_iter().enumerate().zip(&mut self.relations) {
            let types: Vec<_> = plan.program[RelationId::new(at)].types().collect();
            for row in rows.iter() {
                input.update(types.iter().zip(row).map(|(ty, word)| Cell::new(*ty, *word)).collect(), 1);
                brought += 1;
                if brought.is_multiple_of(FACTS_AT_ONCE) {
                    input.flush();
                    worker.step();
                    self.control.check_memory();
                }
            }
        }
    }

    /// Works for worker 0 of all until that ends.
    fn work_along(self, worker: &mut Worker, is_first: bool) -> Option<(usize, Bound)> {
        let Self { relations, unit, probe, mut control, .. } = self;
        drop((relations, unit));
        let mut is_over = false;
        while is_first && !probe.done() {
            worker.step_or_park(Some(PATIENCE_OF_OTHERS));
            is_over = is_over || control.check_memory();
        }
        control.over()
    }

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
        let own = |bound| Ended { bound, process: None };
        while self.probe.less_than(&epoch) {
            worker.step_or_park(Some(PATIENCE));
            request.meter.look().map_err(own)?;
            if let Some((process, bound)) = self.control.over() {
                return Err(Ended { bound, process: Some(process) });
            }
            let mut heard = self.heard.borrow_mut();
            if heard.len() > most {
                settle(&mut heard);
                let facts: u64 = heard.iter().map(|(told, times)| told.facts(*times)).sum();
                // Facts that move from round to round are there twice for a while.
                if facts > request.facts.saturating_mul(4) {
                    return Err(own(Bound::Facts(request.facts)));
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
