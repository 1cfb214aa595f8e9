use std::num::NonZeroUsize;

use saltern_encoded::{Algorithm, pbkdf2::Prf};

use super::work::QueueLimits;
use crate::{Kernels, bcrypt, pbkdf2};

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
    /// Memory that each worker may keep between two hashes, in bytes. A worker that has used more
    /// gives all of it back right after the hash.
    pub kept_bytes: u64,
}

impl PoolSettings {
    /// Returns the default settings for so many cores: this crate's own kernels, the contract's
    /// queue, and memory for OWASP's largest argon2id.
    #[must_use]
    pub fn new(workers: NonZeroUsize) -> Self {
        Self {
            workers,
            holders: workers,
            kernels: Kernels::default(),
            queue: Some(QueueLimits::default()),
            bcrypt_lanes: None,
            kept_bytes: KEPT_BYTES,
        }
    }

    /// Returns the number of lanes of an algorithm on a full worker; `None` if its hashes are
    /// computed whole, not in slices.
    pub(super) fn lanes(&self, algorithm: Algorithm) -> Option<usize> {
        let prf = match algorithm {
            _ if self.kernels == Kernels::Crates => return None,
            Algorithm::Bcrypt => {
                let asked_for = self.bcrypt_lanes.map(NonZeroUsize::get);
                let lanes = asked_for.unwrap_or_else(bcrypt::lanes::lanes_that_fit_l1);
                return Some(lanes.min(MOST_BCRYPT_LANES));
            }
            Algorithm::Pbkdf2Sha1 => Prf::Sha1,
            Algorithm::Pbkdf2Sha256 => Prf::Sha256,
            Algorithm::Pbkdf2Sha512 => Prf::Sha512,
            _ => return None,
        };
        Some(pbkdf2::lanes::width(prf))
    }
}

/// The most bcrypt hashes that a worker computes at once.
pub const MOST_BCRYPT_LANES: usize = bcrypt::lanes::MAX_LANES;

/// 46 MiB: the largest memory among OWASP's recommendations for argon2id.
const KEPT_BYTES: u64 = 46 << 20;
