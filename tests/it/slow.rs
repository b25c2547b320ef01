//! The suites that take long: short by default, longer with `HENCE_SLOW=1`.

use std::env::{var, var_os};
use std::ops::Range;
use std::time::{Duration, Instant};

/// How many minutes a suite of random seeds takes, where `HENCE_MINUTES` doesn't say.
const MINUTES: u64 = 10;

/// Whether the long suites run.
pub(crate) fn is_slow() -> bool {
    var_os("HENCE_SLOW").is_some()
}

/// `usual`, or `slow` with `HENCE_SLOW`.
pub(crate) fn size<T>(usual: T, slow: T) -> T {
    if is_slow() { slow } else { usual }
}

/// With `HENCE_SLOW` runs seed after seed in batches of `size`, for `HENCE_MINUTES`, from the batch that `HENCE_BATCH` numbers (1).
pub(crate) fn seeds(size: u64, mut run: impl FnMut(Range<u64>)) {
    if !is_slow() {
        return;
    }
    let number = |name, usual| var(name).map_or(usual, |text| text.parse().expect(name));
    let end = Instant::now() + Duration::from_secs(number("HENCE_MINUTES", MINUTES) * 60);
    for batch in number("HENCE_BATCH", 1_u64).. {
        println!("batch {batch}");
        run(batch * size..(batch + 1) * size);
        if Instant::now() > end {
            break;
        }
    }
}
