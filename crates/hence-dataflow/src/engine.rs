//! Workers as an engine of a session: each evaluation is a transaction, of which they are told what changed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use hence_core::fault;
use hence_core::meter::{Bound, Meter};
use hence_core::schema::RelationId;
use hence_engine::{Database, Engine, LimitReached, Limits, Model, SemiNaive};
use hence_lang::ir::{Program, RuleId};

use crate::error::Error;
use crate::model::Facts;
use crate::render::Plan;
use crate::workers::{Answer, Lead, Request, Workers, work};

/// An engine whose work is done by workers.
///
/// A program other than the one that they were started with is evaluated here, by the embedded engine: a question, or what
/// follows possibly where an operation has no result.
pub struct Dataflow(Arc<Mutex<State>>);

/// The workers of a [`Dataflow`], for whoever ends them.
pub struct Cluster {
    state: Arc<Mutex<State>>,
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

impl Dataflow {
    /// Starts the workers of the first process on a program; `text` is what other processes make the same program of.
    ///
    /// They begin to work once the workers of all processes are there.
    #[must_use]
    pub fn start(program: Program, text: &str, workers: Workers, limits: &Limits) -> (Self, Cluster) {
        let plan = Arc::new(Plan::new(program, (limits.iterations, limits.facts)));
        let (requests, received) = channel();
        let (answers, told) = channel();
        let text = format!("{} {}\n{text}", limits.iterations, limits.facts);
        let given_up = Arc::new(AtomicBool::new(false));
        let plan_of_all = Arc::clone(&plan);
        let lead =
            Lead { plan: plan_of_all, text, requests: received, answers, given_up: Arc::clone(&given_up) };
        let never = |_: &str| Err(String::from("the first process has them"));
        let all = std::thread::spawn(move || work(&workers, Some(lead), Arc::new(never)));
        let facts = Facts::new(&plan.program);
        let state = Arc::new(Mutex::new(State { plan, facts, link: Some((requests, told)), ended: None }));
        (Self(Arc::clone(&state)), Cluster { state, given_up, all: Some(all) })
    }
}

/// Works for the first process until that ends; `read` makes the program of what [`Dataflow::start`] was given as text.
///
/// # Errors
/// Workers that can't be started or are lost, and rules that can't be read.
pub fn join(
    workers: &Workers,
    read: impl Fn(&str) -> Result<Program, String> + Send + Sync + 'static,
) -> Result<(), Error> {
    let read = move |told: &str| {
        let (limits, text) = told.split_once('\n').unwrap_or_default();
        let (iterations, most) = limits.split_once(' ').unwrap_or_default();
        let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a limit"));
        Ok(Plan::new(read(text)?, (number(iterations)?, number(most)?)))
    };
    work(workers, None, Arc::new(read))
}

impl Cluster {
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
            (Some(bound), _) => Err(bound),
            (None, Some((requests, answers))) => {
                let request = Request { edits, meter, facts: limits.facts };
                _ = requests.send(request);
                answers.recv().unwrap_or_else(|_| lost())
            }
            (None, None) => lost(),
        };
        let at_work = plan.program.strata.iter().flat_map(|stratum| &stratum.rules).next();
        let changes = answer.map_err(|bound| {
            self.ended = Some(bound);
            reached((bound, at_work.copied().unwrap_or(RuleId(0))))
        })?;
        self.facts.take(changes);
        self.facts.within(&plan, limits).map_err(reached)?;
        Ok(self.facts.model(&plan))
    }
}

#[cold]
fn lost() -> ! {
    fault::contradiction(String::from("a worker was lost"))
}
