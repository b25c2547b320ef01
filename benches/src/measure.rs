//! Times and memory of a process, what it computed, and medians of several runs.

use std::hint::black_box;
use std::time::Instant;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_gettime};
use serde_json::{Value as Json, json};

/// Seconds of one part of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// User and system time of all threads.
    pub cpu: f64,
    pub wall: f64,
}

/// A moment, by both clocks.
pub struct Moment {
    wall: Instant,
    cpu: f64,
}

impl Moment {
    pub fn now() -> Self {
        Self { wall: Instant::now(), cpu: cpu(&getrusage(UsageWho::RUSAGE_SELF).unwrap()) }
    }

    /// What has passed since.
    pub fn elapsed(&self) -> Span {
        let now = Self::now();
        Span { cpu: now.cpu - self.cpu, wall: (now.wall - self.wall).as_secs_f64() }
    }
}

fn cpu(usage: &Usage) -> f64 {
    (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6
}

/// Times of many short pieces of work, in microseconds: by the clock, and by the processor, which what else runs on the
/// machine hardly disturbs.
#[derive(Default)]
pub struct Pieces {
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

impl Pieces {
    pub fn time<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let busy = || clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap();
        let (before, begun) = (busy(), Instant::now());
        let result = black_box(work());
        let (wall, after) = (begun.elapsed(), busy());
        self.wall.push(wall.as_nanos() as f64 / 1e3);
        self.cpu.push((after - before).num_nanoseconds() as f64 / 1e3);
        result
    }

    pub fn len(&self) -> usize {
        self.wall.len()
    }

    pub fn is_empty(&self) -> bool {
        self.wall.is_empty()
    }

    /// Medians and upper ends of both, and the mean by the processor.
    pub fn json(self) -> Json {
        let mean = self.cpu.iter().sum::<f64>() / self.cpu.len().max(1) as f64;
        let (wall, cpu) = (Series::new(self.wall), Series::new(self.cpu));
        json!({
            "cpu": mean, "cpu_median": cpu.median(), "cpu_p99": cpu.quantile(0.99), "cpu_most": cpu.most(), "median": wall.median(),
            "p99": wall.quantile(0.99), "p999": wall.quantile(0.999),
        })
    }
}

/// User and system seconds of the processes that this one has waited for, and the largest of them in KiB.
pub fn of_children() -> (f64, u64) {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    (cpu(&usage), usage.max_rss() as u64)
}

/// The largest resident size of this process since it began, in KiB: as `ru_maxrss`, but without that of the process
/// which started it.
pub fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Begins [`peak_kib`] anew; what it starts from.
pub fn reset_peak_kib() -> u64 {
    // Where the kernel doesn't allow it, the peak is one of the whole process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    peak_kib()
}

/// A word that tells a row from most others.
pub fn mixed(row: impl IntoIterator<Item = u64>) -> u64 {
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(29);
    row.into_iter().fold(0x9e37_79b9_7f4a_7c15, mix)
}

/// How many results there are, and a sum over them that is the same in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Check {
    pub count: u64,
    pub sum: u64,
}

impl Check {
    /// Takes in a row of the result relation numbered `relation`.
    pub fn add(&mut self, relation: u64, a: u32, b: u32) {
        let mut word = (u64::from(a) << 32 | u64::from(b)) ^ relation.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.sum = self.sum.wrapping_add(word ^ (word >> 31));
        self.count += 1;
    }

    /// Takes in a row of any width of the result relation numbered `relation`.
    pub fn add_row(&mut self, relation: u64, row: impl IntoIterator<Item = u64>) {
        let word = mixed(row);
        self.add(relation, (word >> 32) as u32, word as u32);
    }

    /// The check of a relation of pairs and one of triples.
    pub fn of_both(
        pairs: impl IntoIterator<Item = (u32, u32)>,
        triples: impl IntoIterator<Item = (u32, u32, u32)>,
    ) -> Self {
        let mut check = Self::of(pairs);
        triples.into_iter().for_each(|(a, b, c)| check.add(u64::from(c) + 1, a, b));
        check
    }

    /// The check of one relation of triples.
    pub fn of_triples(rows: impl IntoIterator<Item = (u32, u32, u32)>) -> Self {
        let mut check = Self::default();
        rows.into_iter().for_each(|(a, b, c)| check.add(u64::from(c) + 1, a, b));
        check
    }

    /// The check of one relation of pairs.
    pub fn of(rows: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut check = Self::default();
        rows.into_iter().for_each(|(a, b)| check.add(0, a, b));
        check
    }
}

/// What one process measured of itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    /// From files to what the program takes as input.
    pub load: Span,
    /// From that to all results.
    pub eval: Span,
    pub peak_kib: u64,
    pub check: Check,
}

/// Measures a program in two parts; the results are checked after the clocks have stopped.
pub fn measured<I, R>(
    load: impl FnOnce() -> I,
    eval: impl FnOnce(I) -> R,
    check: impl FnOnce(&R) -> Check,
) -> Measured {
    let begun = Moment::now();
    let input = load();
    let load = begun.elapsed();
    let begun = Moment::now();
    let results = black_box(eval(input));
    let (eval, peak_kib) = (begun.elapsed(), peak_kib());
    let check = check(&results);
    // The process ends here: what it takes to give the memory back is measured of nobody.
    std::mem::forget(results);
    Measured { load, eval, peak_kib, check }
}

impl Measured {
    pub fn json(&self) -> Json {
        json!({
            "load_cpu": self.load.cpu, "load_wall": self.load.wall, "eval_cpu": self.eval.cpu,
            "eval_wall": self.eval.wall, "peak_kib": self.peak_kib, "count": self.check.count,
            "sum": self.check.sum.to_string(),
        })
    }

    pub fn from_json(json: &Json) -> Option<Self> {
        let float = |name: &str| json.get(name)?.as_f64();
        let span = |part: &str| {
            Some(Span { cpu: float(&format!("{part}_cpu"))?, wall: float(&format!("{part}_wall"))? })
        };
        let sum = json.get("sum")?.as_str()?.parse().ok()?;
        let check = Check { count: json.get("count")?.as_u64()?, sum };
        Some(Self {
            load: span("load")?,
            eval: span("eval")?,
            peak_kib: json.get("peak_kib")?.as_u64()?,
            check,
        })
    }
}

/// Figures of several runs, ascending.
#[derive(Clone, Debug, Default)]
pub struct Series(Vec<f64>);

impl Series {
    pub fn new(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        Self(figures)
    }

    /// The figure below which a `part` of them lies.
    pub fn quantile(&self, part: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        self.0.get((last as f64 * part).round() as usize).copied().unwrap_or(f64::NAN)
    }

    pub fn median(&self) -> f64 {
        let half = self.0.len() / 2;
        match self.0.len() % 2 {
            0 if half > 0 => (self.0[half - 1] + self.0[half]) / 2.0,
            _ => self.quantile(0.5),
        }
    }

    pub fn least(&self) -> f64 {
        self.quantile(0.0)
    }

    pub fn most(&self) -> f64 {
        self.quantile(1.0)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn json(&self) -> Json {
        json!({"median": self.median(), "least": self.least(), "most": self.most()})
    }
}
