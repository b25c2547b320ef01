//! Figures for Prometheus: requests by route and status, how long they took, and what waits.

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// The bounds of the buckets, in seconds.
const BUCKETS: [f64; 11] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Served {
    route: &'static str,
    status: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Taken {
    route: &'static str,
}

/// What is counted.
pub(crate) struct Meters {
    registry: Registry,
    served: Family<Served, Counter>,
    taken: Family<Taken, Histogram>,
    waiting: Gauge,
    listeners: Gauge,
    tx: Gauge<u64, AtomicU64>,
}

impl Meters {
    pub(crate) fn new() -> Self {
        let taken = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
        let mut new = Self {
            registry: Registry::with_prefix("hence"),
            served: Family::default(),
            taken,
            waiting: Gauge::default(),
            listeners: Gauge::default(),
            tx: Gauge::default(),
        };
        let registry = &mut new.registry;
        registry.register("requests", "Requests that were answered", new.served.clone());
        registry.register_with_unit(
            "request_duration",
            "How long requests took",
            Unit::Seconds,
            new.taken.clone(),
        );
        registry.register("waiting", "Questions that wait for a worker", new.waiting.clone());
        registry.register("listeners", "Streams of changes that are open", new.listeners.clone());
        registry.register("transaction", "The last transaction", new.tx.clone());
        new
    }

    pub(crate) fn served(&self, route: &'static str, status: u16, took: Duration) {
        self.served.get_or_create(&Served { route, status: u32::from(status) }).inc();
        self.taken.get_or_create(&Taken { route }).observe(took.as_secs_f64());
    }

    /// A listener that is counted for as long as it is there.
    pub(crate) fn listener(&self) -> Listener {
        self.listeners.inc();
        Listener(self.listeners.clone())
    }

    /// All figures as text.
    pub(crate) fn text(&self, waiting: usize, tx: u64) -> Result<String, fmt::Error> {
        self.waiting.set(i64::try_from(waiting).unwrap_or(i64::MAX));
        self.tx.set(tx);
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// A stream of changes that is open.
pub(crate) struct Listener(Gauge);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.dec();
    }
}
