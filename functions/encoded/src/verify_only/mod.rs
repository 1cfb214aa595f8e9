//! Algorithms under which no new hashes are made: what other software left behind.

pub mod digest;

/// What has to be computed.
#[derive(Clone, PartialEq, Eq)]
pub enum Setting {
    /// See [`digest::Setting`].
    Digest(digest::Setting),
}

impl Setting {
    /// The algorithm.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        match self {
            Self::Digest(_) => Algorithm::Digest,
        }
    }

    /// What computing costs.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        match self {
            Self::Digest(_) => Cost::Rounds(1),
        }
    }

    /// The salt, in the bytes that the algorithm takes.
    #[must_use]
    pub fn salt(&self) -> &[u8] {
        match self {
            Self::Digest(setting) => setting.salt(),
        }
    }

    /// Length of the output, in bytes.
    #[must_use]
    pub const fn output_bytes(&self) -> usize {
        match self {
            Self::Digest(setting) => setting.hash().output_bytes(),
        }
    }
}

/// An algorithm, whatever its cost. One speed is measured for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// One pass of a digest.
    Digest,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: &'static [Self] = &[Self::Digest];

    /// Its name in logs and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Digest => "digest",
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
