//! The settings of a pool, and which algorithms run in lanes.

use std::{num::NonZeroUsize, time::Duration};

use saltern_encoded::Algorithm;
use saltern_kernels::{
    Kernels,
    lanes::{self, MOST_BCRYPT_LANES},
};

use super::{
    argon2_lanes::Argon2Lanes,
    estimate::{Cost, Estimates},
    learner::Learner,
    work::QueueLimits,
};

/// The settings of a pool.
#[derive(Clone, Debug)]
pub struct PoolSettings {
    /// Number of workers: one for each core that the pool may use.
    pub workers: NonZeroUsize,
    /// Number of workers that may hold a hash in memory at the same time. A hash without lanes runs
    /// on one of them.
    pub holders: NonZeroUsize,
    /// Which code computes.
    pub kernels: Kernels,
    /// Bounds on waiting work; `None` if the front door bounds it (a batch on classic Lambda).
    pub queue: Option<QueueLimits>,
    /// bcrypt hashes at once on each worker, 1 to [`MOST_BCRYPT_LANES`]; `None` for as many as the
    /// L1 data cache holds.
    pub bcrypt_lanes: Option<NonZeroUsize>,
    /// Argon2 hashes at once on each worker, as far as `kept_bytes` holds them; `None` if the pool
    /// learns it.
    pub argon2_lanes: Option<Argon2Lanes>,
    /// Memory that the hashes of a core use at once, and that the core may keep between two hashes,
    /// in bytes. A hash that needs more runs alone, and its memory is released right after it.
    pub kept_bytes: u64,
    /// How long a core keeps memory that no hash uses.
    pub kept_for: Duration,
    /// The part of `kept_bytes` that no caller takes alone, so that another finds room for a hash,
    /// in bytes; 0 if the callers do not share memory.
    pub reserved_bytes: u64,
}

impl PoolSettings {
    /// Returns the default settings for so many cores: Saltern's own kernels, the default queue,
    /// and memory for OWASP's largest argon2id.
    #[must_use]
    pub fn new(workers: NonZeroUsize) -> Self {
        Self {
            workers,
            holders: workers,
            kernels: Kernels::default(),
            queue: Some(QueueLimits::default()),
            bcrypt_lanes: None,
            argon2_lanes: None,
            kept_bytes: KEPT_BYTES,
            kept_for: KEPT_FOR,
            reserved_bytes: 0,
        }
    }

    /// Returns the number of lanes of an algorithm on a full worker; `None` if its hashes are
    /// computed whole, not in slices.
    pub(super) fn lanes(&self, algorithm: Algorithm) -> Option<usize> {
        let take_turns = self.holders < self.workers;
        match algorithm {
            _ if self.kernels == Kernels::Crates => None,
            // If the memory does not hold a hash on each core, hashes in memory take turns.
            Algorithm::Argon2d | Algorithm::Argon2i | Algorithm::Argon2id | Algorithm::Scrypt
                if take_turns =>
            {
                None
            }
            Algorithm::Argon2d | Algorithm::Argon2i | Algorithm::Argon2id => {
                Some(self.argon2_lanes.unwrap_or_default().get())
            }
            Algorithm::Bcrypt if self.bcrypt_lanes.is_some() => {
                self.bcrypt_lanes.map(|lanes| lanes.get().min(MOST_BCRYPT_LANES))
            }
            _ => lanes::width(algorithm),
        }
    }

    /// Returns what learns the lanes of Argon2; `None` if they are set, or there are none.
    pub(super) fn learner(&self) -> Option<Learner> {
        let has_lanes = self.argon2_lanes.is_none() && self.lanes(Algorithm::Argon2id).is_some();
        has_lanes.then(|| Learner::new(u32::try_from(self.workers.get()).unwrap_or(u32::MAX)))
    }

    /// Whether hashes of this cost are computed in slices.
    pub(super) fn runs_in_lanes(&self, cost: Cost) -> bool {
        !cost.whole && self.lanes(cost.algorithm).is_some()
    }

    /// Returns estimates without measurements.
    pub(super) fn estimates(&self) -> Estimates {
        let estimates = Estimates::new(|algorithm| self.lanes(algorithm).unwrap_or(1));
        estimates.with_memory(self.kept_bytes).with_reserve(self.reserved_bytes)
    }
}

/// 46 MiB: the largest memory among OWASP's recommendations for argon2id.
const KEPT_BYTES: u64 = 46 << 20;

/// Getting the memory again costs some milliseconds, once.
const KEPT_FOR: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    /// With too little memory for a hash on each core, hashes in memory take turns.
    #[test]
    fn hashes_in_memory_have_lanes_if_each_core_holds_one() {
        let settings = PoolSettings::new(NonZeroUsize::new(2).unwrap());
        assert_eq!(settings.lanes(Algorithm::Argon2id), Some(4));
        assert_eq!(settings.lanes(Algorithm::Scrypt), Some(4));
        let three = PoolSettings { argon2_lanes: "3".parse().ok(), ..settings.clone() };
        assert_eq!(three.lanes(Algorithm::Argon2id), Some(3));
        let crates = PoolSettings { kernels: Kernels::Crates, ..three.clone() };
        assert_eq!([Algorithm::Argon2id, Algorithm::Scrypt].map(|of| crates.lanes(of)), [None; 2]);
        let one_holder = PoolSettings { holders: NonZeroUsize::MIN, ..three };
        assert_eq!([Algorithm::Argon2id, Algorithm::Scrypt].map(|of| one_holder.lanes(of)), [None; 2]);
    }

    #[test]
    fn of_the_verify_only_algorithms_those_in_memory_have_no_lanes() {
        let settings = PoolSettings::new(NonZeroUsize::MIN);
        let crates = PoolSettings { kernels: Kernels::Crates, ..settings.clone() };
        for (algorithm, lanes) in [
            (Algorithm::Sha512Crypt, Some(4)),
            (Algorithm::DesCrypt, Some(4)),
            (Algorithm::Firebase, None),
            (Algorithm::Yescrypt, None),
        ] {
            assert_eq!((settings.lanes(algorithm), crates.lanes(algorithm)), (lanes, None), "{algorithm:?}");
        }
    }
}
