//! What processes tell one another beside what follows: the rules, whether each can do its share, and that all are to end.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hence_core::meter::{self, Bound};
use timely::ExchangeData;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::InputHandle;
use timely::dataflow::operators::vec::Broadcast;
use timely::dataflow::operators::{Input as _, Inspect, Probe};
use timely::worker::Worker;

/// What those that have something to say tell everyone.
pub(crate) fn told<D: ExchangeData + Clone>(worker: &mut Worker, own: Option<D>) -> Vec<D> {
    let heard: Rc<RefCell<Vec<D>>> = Rc::default();
    let sink = Rc::clone(&heard);
    let (mut input, probe) = worker.dataflow::<u64, _, _>(|scope| {
        let (input, stream) = scope.new_input::<Vec<D>>();
        let (probe, _) = stream.broadcast().inspect(move |said| sink.borrow_mut().push(said.clone())).probe();
        (input, probe)
    });
    own.into_iter().for_each(|own| input.send(own));
    input.close();
    worker.step_while(|| !probe.done());
    heard.take()
}

/// That all are to end: the process that has too much memory, by its number from 0, and its limit.
type Signal = Option<(u64, u64)>;

/// A way to tell all processes to end, and to hear it.
pub(crate) struct Control {
    process: u64,
    signals: InputHandle<u64, CapacityContainerBuilder<Vec<Signal>>>,
    over: Rc<Cell<Signal>>,
}

impl Control {
    /// On each worker of each process; `stop` is set on all once one says so.
    pub(crate) fn new(worker: &mut Worker, process: usize, stop: &Arc<AtomicBool>) -> Self {
        let over: Rc<Cell<Signal>> = Rc::default();
        let (sink, stop) = (Rc::clone(&over), Arc::clone(stop));
        let signals = worker.dataflow::<u64, _, _>(|scope| {
            let (signals, stream) = scope.new_input::<Vec<Signal>>();
            stream.broadcast().inspect(move |signal: &Signal| {
                stop.store(true, Ordering::Relaxed);
                sink.set(signal.or(sink.get()));
            });
            signals
        });
        Self { process: process as u64, signals, over }
    }

    /// Has all processes end.
    pub(crate) fn stop(&mut self) {
        self.signals.send(None);
        self.signals.flush();
    }

    /// Has all processes end if this one has too much memory; whether it has.
    pub(crate) fn check_memory(&mut self) -> bool {
        let Err(Bound::Memory(bytes)) = meter::look() else { return false };
        self.signals.send(Some((self.process, bytes)));
        self.signals.flush();
        true
    }

    /// The process that has too much memory, by its number from 0, and its limit.
    pub(crate) fn over(&self) -> Option<(usize, Bound)> {
        let (process, bytes) = self.over.get()?;
        Some((usize::try_from(process).ok()?, Bound::Memory(bytes)))
    }
}
