//! Algorithms under which no new hashes are made: what other software left behind.

pub mod digest;
pub mod firebase;

use crate::scrypt;

/// What has to be computed.
#[derive(Clone, PartialEq, Eq)]
pub enum Setting {
    /// See [`digest::Setting`].
    Digest(digest::Setting),
    /// See [`firebase::Setting`].
    Firebase(firebase::Setting),
}

impl Setting {
    /// The algorithm.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        match self {
            Self::Digest(_) => Algorithm::Digest,
            Self::Firebase(_) => Algorithm::Firebase,
        }
    }

    /// What computing costs.
    #[must_use]
    pub fn cost(&self) -> Cost {
        match self {
            Self::Digest(setting) => Cost::Rounds(u64::from(setting.passes())),
            Self::Firebase(setting) => Cost::scrypt(setting.params()),
        }
    }

    /// The salt, in the bytes that the algorithm takes.
    #[must_use]
    pub fn salt(&self) -> &[u8] {
        match self {
            Self::Digest(setting) => setting.salt(),
            Self::Firebase(setting) => setting.salt(),
        }
    }

    /// Length of the output, in bytes.
    #[must_use]
    pub const fn output_bytes(&self) -> usize {
        match self {
            Self::Digest(setting) => setting.hash().output_bytes(),
            Self::Firebase(_) => firebase::OUTPUT_BYTES,
        }
    }
}

/// An algorithm, whatever its cost. One speed is measured for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// A digest, once or some times over.
    Digest,
    /// scrypt and AES.
    Firebase,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: &'static [Self] = &[Self::Digest, Self::Firebase];

    /// Its name in logs and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Digest => "digest",
            Self::Firebase => "firebase-scrypt",
        }
    }
}

/// What computing costs: which ceiling bounds it, and the work in which its time is linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cost {
    /// Passes of a digest or of a cipher, each over a password and a few bytes more. Bounded by `sha_crypt_rounds`.
    Rounds(u64),
    /// scrypt and its kin: `128·N·r` bytes of memory, `N·r·p` work. Bounded as scrypt is.
    Memory {
        /// `N·r`, blocks of 128 bytes.
        blocks: u64,
        /// `p·r`, blocks of 128 bytes.
        lane_blocks: u64,
        /// `N·r·p`, and for yescrypt what its time parameter adds.
        work: u64,
    },
}

impl Cost {
    /// What scrypt costs. A product that has no 64 bits is over every ceiling.
    fn scrypt(params: scrypt::Params) -> Self {
        let blocks = 1_u64.checked_shl(u32::from(params.log_n())).unwrap_or(u64::MAX);
        let blocks = blocks.saturating_mul(u64::from(params.r()));
        let lane_blocks = u64::from(params.p()) * u64::from(params.r());
        Self::Memory { blocks, lane_blocks, work: blocks.saturating_mul(u64::from(params.p())) }
    }
}
