//! The Mersenne twister as Python's `random` drives it: the facts are those of the generators that the published
//! figures of the peers were taken with.

const N: usize = 624;
const M: usize = 397;

/// MT19937, seeded and asked as `random.Random(seed)` is.
pub struct Random {
    state: [u32; N],
    at: usize,
}

impl Random {
    /// `random.Random(seed)`.
    pub fn new(seed: u32) -> Self {
        let mut state = [0u32; N];
        state[0] = 19_650_218;
        for i in 1..N {
            let last = state[i - 1];
            state[i] = (last ^ (last >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        // One word of key: init_by_array([seed]).
        let mut i = 1;
        for _ in 0..N {
            let last = state[i - 1];
            state[i] = (state[i] ^ (last ^ (last >> 30)).wrapping_mul(1_664_525)).wrapping_add(seed);
            i = following(&mut state, i);
        }
        for _ in 1..N {
            let last = state[i - 1];
            let mixed = state[i] ^ (last ^ (last >> 30)).wrapping_mul(1_566_083_941);
            state[i] = mixed.wrapping_sub(i as u32);
            i = following(&mut state, i);
        }
        state[0] = 0x8000_0000;
        Self { state, at: N }
    }

    fn twist(&mut self) {
        for i in 0..N {
            let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % N] & 0x7fff_ffff);
            let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + M) % N] ^ (y >> 1) ^ odd;
        }
        self.at = 0;
    }

    fn word(&mut self) -> u32 {
        if self.at == N {
            self.twist();
        }
        let mut y = self.state[self.at];
        self.at += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// `random()`: from 0, below 1.
    pub fn unit(&mut self) -> f64 {
        let (high, low) = (self.word() >> 5, self.word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// `randrange(end)`.
    pub fn below(&mut self, end: u32) -> u32 {
        let bits = 32 - end.leading_zeros();
        loop {
            let drawn = self.word() >> (32 - bits);
            if drawn < end {
                return drawn;
            }
        }
    }

    /// `shuffle(list)`.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            let j = self.below(i as u32 + 1) as usize;
            list.swap(i, j);
        }
    }

    /// `sample(range(end), count)` for an `end` up to 21, where Python draws from a pool.
    pub fn sample(&mut self, end: u32, count: u32) -> Vec<u32> {
        let mut pool: Vec<u32> = (0..end).collect();
        let draw = |at: u32| {
            let drawn = self.below(end - at) as usize;
            let value = pool[drawn];
            pool[drawn] = pool[(end - at - 1) as usize];
            value
        };
        (0..count).map(draw).collect()
    }

    /// `expovariate(rate)`.
    pub fn exponential(&mut self, rate: f64) -> f64 {
        -(1.0 - self.unit()).ln() / rate
    }
}

/// The next place of the state while it is seeded, which wraps from the last to the second.
fn following(state: &mut [u32; N], i: usize) -> usize {
    if i + 1 == N {
        state[0] = state[N - 1];
        return 1;
    }
    i + 1
}
