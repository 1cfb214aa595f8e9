//! What the machine allows: the rate of its memory, or of its cores' cycles.
//!
//! A limit is measured in the rounds of the hashes that it bounds, on as many cores.

use core::{array, hint::black_box, mem};

use saltern_encoded::{Setting, argon2, bcrypt, pbkdf2, scrypt};
use serde::Serialize;

use super::{
    as_f64, median,
    memory::{huge_pages, prefetch},
    process_time,
};

/// The least work of one hash.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    /// The bytes that it moves between core and memory, in blocks that follow none another.
    Bytes(u64),
    /// Steps that need at least a cycle each, if the hash is computed alone.
    Cycles { step: &'static str, steps: u64 },
}

impl Limit {
    /// Returns the limit of the algorithms that have lanes; `None` for another setting.
    pub(crate) fn of(setting: &Setting) -> Option<Self> {
        match setting {
            Setting::Argon2(own) => Some(Self::argon2(own.params())),
            Setting::Bcrypt(own) => Some(Self::bcrypt(own.params())),
            Setting::Pbkdf2(own) => Some(Self::pbkdf2(own.params(), setting.output_bytes())),
            Setting::Scrypt(own) => Some(Self::scrypt(own.params())),
            Setting::VerifyOnly(_) | Setting::Wrapped(_) => None,
        }
    }

    /// Each block is written once a pass. What it is made of is a random block and, in all passes but
    /// the first, the block that it replaces. The block before it is in the cache.
    fn argon2(params: argon2::Params) -> Self {
        let block_moves = 3 * u64::from(params.passes()) - 1;
        Self::Bytes(block_moves * u64::from(params.memory_kib()) * 1024)
    }

    /// Each block is written once, and as many random blocks are read.
    fn scrypt(params: scrypt::Params) -> Self {
        Self::Bytes(2 * (128 << params.log_n()) * u64::from(params.r()) * u64::from(params.p()))
    }

    /// Rounds of Blowfish: 521 blocks for each key schedule (18 words of P and 1,024 of the S-boxes), of
    /// which there are 2 for each of 2^cost rounds and one more; then 3 blocks, 64 times.
    fn bcrypt(params: bcrypt::Params) -> Self {
        let blocks = (1 + (2 << params.cost())) * 521 + 3 * 64;
        Self::Cycles { step: "round", steps: blocks * 16 }
    }

    /// Compressions of the digest: two for each iteration of each block of output.
    fn pbkdf2(params: pbkdf2::Params, output_bytes: usize) -> Self {
        let blocks = output_bytes.div_ceil(params.prf().block_bytes()) as u64;
        Self::Cycles { step: "compression", steps: 2 * u64::from(params.iterations()) * blocks }
    }

    /// Returns the name of the contender that [`reaches`](Self::reach) the limit.
    #[cfg(feature = "peers")]
    pub(crate) fn contender(self) -> String {
        match self {
            Self::Bytes(bytes) => format!("{RANDOM_BLOCKS}, {} MB", bytes / 1_000_000),
            Self::Cycles { step, .. } => format!("a cycle for each {step}"),
        }
    }

    /// Returns the heading of [`figure`](Self::figure).
    pub(crate) fn heading(self) -> String {
        match self {
            Self::Bytes(_) => "GB/s (of the limit)".to_owned(),
            Self::Cycles { step, .. } => format!("cycles a {step}"),
        }
    }

    /// Returns how near a hash of `hash_ms` is to the limit, which needs `limit_ms`.
    pub(crate) fn figure(self, hash_ms: f64, limit_ms: f64) -> String {
        match self {
            Self::Bytes(bytes) => {
                let gigabytes_per_second = as_f64(bytes) / hash_ms / 1e6;
                format!("{gigabytes_per_second:.1} ({:.0} %)", 100.0 * limit_ms / hash_ms)
            }
            Self::Cycles { .. } => format!("{:.2}", hash_ms / limit_ms),
        }
    }

    /// Measures the work of one hash, which uses so much memory. `None` without the memory.
    pub(crate) fn measured(self, memory_bytes: u64) -> Option<Reached> {
        let part_of = |all: u64, most: u64| (all.min(most), as_f64(all) / as_f64(all.min(most)));
        let (part, times, memory) = match self {
            Self::Bytes(bytes) => {
                let (bytes, times) = part_of(bytes, PART_BYTES);
                let memory_bytes = usize::try_from(memory_bytes.min(MOST_MEMORY_BYTES)).ok()?;
                (Self::Bytes(bytes), times, huge_pages(memory_bytes).ok()?)
            }
            Self::Cycles { step, steps } => {
                let (steps, times) = part_of(steps, PART_CYCLES);
                (Self::Cycles { step, steps }, times, huge_pages(1).ok()?)
            }
        };
        let samples: [f64; SAMPLES] = array::from_fn(|_| {
            let start = process_time();
            part.reach(&memory);
            1e3 * process_time().saturating_sub(start).as_secs_f64()
        });
        Some(Reached { limit: self, ms: times * median(&samples) })
    }

    /// Does the work as fast as the machine can. `memory` is that of the hash.
    pub(crate) fn reach(self, memory: &[u8]) {
        match self {
            Self::Bytes(bytes) => read_random_blocks(memory, bytes),
            Self::Cycles { steps, .. } => run_cycles(steps),
        }
    }
}

/// A limit, measured on this machine.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Reached {
    #[serde(skip)]
    limit: Limit,
    /// The time of the least work of one hash, in milliseconds.
    ms: f64,
}

impl Reached {
    /// Returns the heading of [`figure`](Self::figure).
    pub(crate) fn heading(self) -> String {
        self.limit.heading()
    }

    /// Returns how near a hash of `hash_ms` is to the limit.
    pub(crate) fn figure(self, hash_ms: f64) -> String {
        self.limit.figure(hash_ms, self.ms)
    }
}

/// Reads blocks of a kilobyte, as Argon2's are. Their places do not depend on what was read, so they are
/// fetched before they are read.
#[allow(clippy::cast_possible_truncation, reason = "random bits, and fewer blocks than fit 32 bits")]
fn read_random_blocks(memory: &[u8], bytes: u64) {
    let (blocks, _) = memory.as_chunks::<BLOCK_BYTES>();
    let mut random = 1_u64;
    let mut next = || {
        // xorshift64 (Marsaglia 2003).
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let block = &blocks[random as usize % blocks.len()];
        prefetch(block);
        block
    };
    let mut ahead = [(); FETCHED_AHEAD].map(|()| next());
    let mut sum = 0_u64;
    for oldest in (0..FETCHED_AHEAD).cycle().take(bytes as usize / BLOCK_BYTES) {
        let (words, _) = mem::replace(&mut ahead[oldest], next()).as_chunks::<8>();
        sum = words.iter().fold(sum, |sum, word| sum.wrapping_add(u64::from_ne_bytes(*word)));
    }
    black_box(sum);
}

/// A rotation and an addition that wait for each other take a cycle each, on all processors of the
/// last ten years.
fn run_cycles(cycles: u64) {
    let end = (0..cycles / 2).fold(black_box(1_u64), |x, _| x.rotate_left(1).wrapping_add(ODD));
    black_box(end);
}

/// The name of the contender whose limit is memory.
#[cfg(feature = "peers")]
pub(crate) const RANDOM_BLOCKS: &str = "random blocks";

const BLOCK_BYTES: usize = 1024;

/// What is measured of the work of a hash: some milliseconds.
const PART_BYTES: u64 = 128 << 20;
const PART_CYCLES: u64 = 30_000_000;
const SAMPLES: usize = 3;

/// More memory has the same rate, because no cache is as large.
const MOST_MEMORY_BYTES: u64 = 256 << 20;

/// So dozens of cache lines are on their way at any time.
const FETCHED_AHEAD: usize = 4;

/// Any number by which the compiler cannot shorten the loop.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_a_hash_are_those_of_its_specification() {
        let argon2id =
            |passes| argon2::Params::new(argon2::Variant::Id, argon2::Version::V19, 65_536, passes, 1);
        assert!(matches!(Limit::argon2(argon2id(4).unwrap()), Limit::Bytes(738_197_504)));
        assert!(matches!(Limit::argon2(argon2id(1).unwrap()), Limit::Bytes(134_217_728)));
        assert!(matches!(Limit::scrypt(scrypt::Params::new(14, 8, 1).unwrap()), Limit::Bytes(33_554_432)));
        let pbkdf2 = pbkdf2::Params::new(pbkdf2::Prf::Sha256, 1000).unwrap();
        assert!(matches!(Limit::pbkdf2(pbkdf2, 33), Limit::Cycles { steps: 4000, .. }));
        let bcrypt = Limit::bcrypt(bcrypt::Params::new(10).unwrap());
        assert!(matches!(bcrypt, Limit::Cycles { steps: 17_083_536, .. }), "{bcrypt:?}");
    }

    #[test]
    fn a_part_stands_for_the_work() {
        // Other programs only make a measurement longer.
        let least = |limit: Limit, bytes| {
            let times = (0..10).map(|_| limit.measured(bytes).unwrap().ms);
            times.fold(f64::INFINITY, f64::min)
        };
        let cycles = |steps| least(Limit::Cycles { step: "round", steps }, 0);
        let ratio = cycles(100 * PART_CYCLES) / cycles(PART_CYCLES);
        assert!((50.0..200.0).contains(&ratio), "{ratio}");
        let bytes = |bytes| least(Limit::Bytes(bytes), 4 << 20);
        let ratio = bytes(100 * PART_BYTES) / bytes(PART_BYTES);
        assert!((50.0..200.0).contains(&ratio), "{ratio}");
    }
}
