//! Workers as an engine of a session: each evaluation is a transaction, of which they are told what changed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use hence_core::fault;
use hence_core::meter::{self, Bound, Meter};
use hence_core::schema::RelationId;
use hence_core::threads;
use hence_engine::{Database, Engine, LimitReached, Limits, Model, SemiNaive};
use hence_lang::ir::{Program, RuleId};

use crate::error::{Error, Unable};
use crate::model::Facts;
use crate::render::Plan;
use crate::workers::{Answer, Ended, Lead, Own, PartFacts, Request, Workers, work};

/// An engine whose work is done by workers.
///
/// A program other than the one that they were started with is evaluated here, by the embedded engine: a question, or what
/// follows possibly where an operation has no result.
pub struct Dataflow(Arc<Mutex<State>>);

/// The workers of a [`Dataflow`], for whoever ends them.
pub struct Cluster {
    state: Arc<Mutex<State>>,
    shares: Arc<OnceLock<Vec<String>>>,
    /// Tells them to wait no longer for other processes.
    given_up: Arc<AtomicBool>,
    all: Option<JoinHandle<Result<(), Error>>>,
}

struct State {
    plan: Arc<Plan>,
    facts: Facts,
    /// Gone once the workers are told to end.
    link: Option<(Sender<Request>, Receiver<Answer>)>,
    /// The limit that ended them.
    ended: Option<Bound>,
}

/// Facts that lie with the workers, and what of them is told.
#[derive(Debug, Default)]
pub struct Parts {
    /// What the first process brings.
    pub share: PartFacts,
    /// The relations whose facts are told; of others only how many there are.
    pub outputs: BTreeSet<RelationId>,
}

impl Dataflow {
    /// Starts the workers of the first process on a program; `text` is what other processes make the same program of.
    ///
    /// They begin to work once the workers of all processes are there.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(
        program: Program,
        text: &str,
        workers: Workers,
        limits: &Limits,
    ) -> Result<(Self, Cluster), Error> {
        Self::begin(program, text, workers, limits, None)
    }

    /// The same over facts that lie with the workers.
    ///
    /// # Errors
    /// As [`Dataflow::start`].
    pub fn over_parts(
        program: Program,
        text: &str,
        workers: Workers,
        limits: &Limits,
        parts: Parts,
    ) -> Result<(Self, Cluster), Error> {
        let Parts { share, outputs } = parts;
        Self::begin(program, text, workers, limits, Some((share, outputs)))
    }

    fn begin(
        program: Program,
        text: &str,
        workers: Workers,
        limits: &Limits,
        parts: Option<(PartFacts, BTreeSet<RelationId>)>,
    ) -> Result<(Self, Cluster), Error> {
        let (share, outputs) =
            parts.map_or((PartFacts::default(), None), |(share, outputs)| (share, Some(outputs)));
        let bounds =
            Bounds { iterations: limits.iterations, facts: limits.facts, memory: workers.memory, outputs };
        let plan =
            || Plan::new(program.clone(), (bounds.iterations, bounds.facts)).telling(bounds.outputs.clone());
        let (requests, received) = channel();
        let (answers, told) = channel();
        let (given_up, shares) = (Arc::<AtomicBool>::default(), Arc::default());
        let lead = Lead {
            own: Own::new(plan(), share),
            text: format!("{}\n{text}", bounds.text()),
            requests: received,
            answers,
            shares: Arc::clone(&shares),
            given_up: Arc::clone(&given_up),
        };
        let plan = lead.own.plan();
        let never = |_: &str| Err(unable(String::from("the first process has the rules")));
        let all = threads::begin("workers", move || work(&workers, Some(lead), Arc::new(never)))
            .map_err(|error| Error::Start(error.to_string()))?;
        let facts = Facts::new(&plan.program);
        let state = Arc::new(Mutex::new(State { plan, facts, link: Some((requests, told)), ended: None }));
        Ok((Self(Arc::clone(&state)), Cluster { state, shares, given_up, all: Some(all) }))
    }
}

/// What all processes plan and work under.
struct Bounds {
    iterations: u64,
    facts: u64,
    memory: Option<u64>,
    outputs: Option<BTreeSet<RelationId>>,
}

impl Bounds {
    /// As one line.
    fn text(&self) -> String {
        let memory = self.memory.map_or_else(|| String::from("-"), |bytes| bytes.to_string());
        let outputs = self.outputs.as_ref().map_or_else(
            || String::from("-"),
            |outputs| outputs.iter().map(|id| format!("{},", id.0)).collect(),
        );
        format!("{} {} {memory} {outputs}", self.iterations, self.facts)
    }

    fn read(line: &str) -> Result<Self, String> {
        let mut words = line.split(' ');
        let mut word = || words.next().ok_or_else(|| String::from("the first process said too little"));
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is not a limit"));
        let (iterations, facts) = (number(word()?)?, number(word()?)?);
        let memory = Some(word()?).filter(|memory| *memory != "-").map(number).transpose()?;
        let outputs = Some(word()?).filter(|outputs| *outputs != "-").map(|outputs| {
            let ids = outputs.split(',').filter(|id| !id.is_empty());
            ids.map(|id| id.parse().map(RelationId).map_err(|_| format!("`{id}` is no relation"))).collect()
        });
        Ok(Self { iterations, facts, memory, outputs: outputs.transpose()? })
    }
}

/// Works for the first process until that ends; `read` makes of what [`Dataflow::start`] was given as text the same program,
/// and says what this process brings.
///
/// # Errors
/// Workers that can't be started or are lost, and what `read` says.
pub fn join(
    workers: &Workers,
    read: impl Fn(&str) -> Result<(Program, PartFacts), Unable> + Send + Sync + 'static,
) -> Result<(), Error> {
    let read = move |told: &str| {
        let (bounds, text) = told.split_once('\n').unwrap_or_default();
        let bounds = Bounds::read(bounds).map_err(unable)?;
        bounds.memory.into_iter().for_each(meter::at_most);
        let (program, share) = read(text)?;
        let plan = Plan::new(program, (bounds.iterations, bounds.facts)).telling(bounds.outputs);
        Ok(Own::new(plan, share))
    };
    work(workers, None, Arc::new(read))
}

impl Cluster {
    /// What each process said of its share, once it did: in the order of the hosts.
    pub fn shares(&self) -> &[String] {
        self.shares.get().map_or(&[], Vec::as_slice)
    }

    /// Ends the workers.
    ///
    /// # Errors
    /// Why they ended before.
    pub fn end(mut self) -> Result<(), Error> {
        self.finish()
    }

    fn finish(&mut self) -> Result<(), Error> {
        lock(&self.state).link = None;
        self.given_up.store(true, Ordering::Relaxed);
        let Some(all) = self.all.take() else { return Ok(()) };
        let ended =
            all.join().unwrap_or_else(|_| Err(Error::Lost(String::from("it stopped without a message"))));
        match ended {
            // That other processes never came is no loss where nothing was asked of them.
            Err(Error::GivenUp) => Ok(()),
            ended => ended,
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        _ = self.finish();
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine for Dataflow {
    fn name(&self) -> &'static str {
        "dataflow"
    }

    fn evaluate(&self, program: &Program, input: Database, limits: &Limits) -> Result<Model, LimitReached> {
        let mut state = lock(&self.0);
        if state.plan.program == *program {
            return state.evaluate(&input, limits);
        }
        drop(state);
        SemiNaive.evaluate(program, input, limits)
    }
}

impl State {
    fn evaluate(&mut self, input: &Database, limits: &Limits) -> Result<Model, LimitReached> {
        let plan = Arc::clone(&self.plan);
        let reached = |(bound, rule): (Bound, RuleId)| LimitReached {
            bound,
            rule,
            relation: plan.program.rule(rule).map_or(RelationId(0), |rule| rule.head),
        };
        let edits = self.facts.given(&self.plan.program, input);
        let meter = Meter::new(limits.time);
        let answer = match (self.ended, &self.link) {
            (Some(bound), _) => Err(Ended { bound, process: None }),
            (None, Some((requests, answers))) => {
                let request = Request { edits, meter, facts: limits.facts };
                _ = requests.send(request);
                answers.recv().unwrap_or_else(|_| lost())
            }
            (None, None) => lost(),
        };
        let at_work = plan.program.strata.iter().flat_map(|stratum| &stratum.rules).next();
        let changes = answer.map_err(|Ended { bound, .. }| {
            self.ended = Some(bound);
            reached((bound, at_work.copied().unwrap_or(RuleId(0))))
        })?;
        self.facts.take(changes);
        self.facts.within(&plan, limits).map_err(reached)?;
        Ok(self.facts.model(&plan))
    }
}

fn unable(why: String) -> Unable {
    Unable { why, is_limit: false }
}

#[cold]
fn lost() -> ! {
    fault::contradiction(String::from("a worker was lost"))
}
