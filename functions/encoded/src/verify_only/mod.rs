//! Algorithms that Saltern verifies and never uses for new hashes.
//!
//! A salt and many rounds do not make a hash strong. For md5-crypt (`$1$`, `$apr1$`), BSDi's DES,
//! phpass over MD5 and Sun's MD5, a guess takes an attacker microseconds. Saltern verifies them
//! without a special setting, and reports with every match that the hash should be replaced.

pub mod des_crypt;
pub mod digest;
pub mod firebase;
pub mod md5_crypt;
pub mod phpass;
pub mod sha1_crypt;
pub mod sha_crypt;
pub mod sun_md5;
pub mod yescrypt;

use crate::{Algorithm, scrypt};

/// The setting of an algorithm that is only verified.
#[derive(Clone, PartialEq, Eq)]
pub enum VerifyOnlySetting {
    /// See [`des_crypt::Setting`].
    DesCrypt(des_crypt::Setting),
    /// See [`digest::Setting`].
    Digest(digest::Setting),
    /// See [`firebase::Setting`].
    Firebase(firebase::Setting),
    /// See [`md5_crypt::Setting`].
    Md5Crypt(md5_crypt::Setting),
    /// See [`phpass::Setting`].
    Phpass(phpass::Setting),
    /// See [`sha1_crypt::Setting`].
    Sha1Crypt(sha1_crypt::Setting),
    /// See [`sha_crypt::Setting`].
    ShaCrypt(sha_crypt::Setting),
    /// See [`sun_md5::Setting`].
    SunMd5(sun_md5::Setting),
    /// See [`yescrypt::Setting`].
    Yescrypt(yescrypt::Setting),
}

impl VerifyOnlySetting {
    /// The algorithm.
    pub const fn algorithm(&self) -> Algorithm {
        match self {
            Self::DesCrypt(_) => Algorithm::DesCrypt,
            Self::Digest(_) => Algorithm::Digest,
            Self::Firebase(_) => Algorithm::Firebase,
            Self::Md5Crypt(_) => Algorithm::Md5Crypt,
            Self::Phpass(setting) => match setting.hash() {
                phpass::Hash::Md5 => Algorithm::PhpassMd5,
                phpass::Hash::Sha512 => Algorithm::PhpassSha512,
            },
            Self::Sha1Crypt(_) => Algorithm::Sha1Crypt,
            Self::ShaCrypt(setting) => match setting.hash() {
                sha_crypt::Hash::Sha256 => Algorithm::Sha256Crypt,
                sha_crypt::Hash::Sha512 => Algorithm::Sha512Crypt,
            },
            Self::SunMd5(_) => Algorithm::SunMd5,
            Self::Yescrypt(_) => Algorithm::Yescrypt,
        }
    }

    /// The cost of computing.
    pub fn cost(&self) -> Cost {
        match self {
            Self::DesCrypt(setting) => Cost::Rounds(u64::from(setting.encryptions())),
            Self::Digest(setting) => Cost::Rounds(u64::from(setting.passes())),
            Self::Firebase(setting) => Cost::scrypt(setting.params()),
            Self::Md5Crypt(_) => Cost::Rounds(u64::from(md5_crypt::ROUNDS)),
            Self::Phpass(setting) => Cost::Rounds(u64::from(setting.rounds())),
            Self::Sha1Crypt(setting) => Cost::Rounds(u64::from(setting.rounds())),
            Self::ShaCrypt(setting) => Cost::Rounds(u64::from(setting.rounds())),
            Self::SunMd5(setting) => Cost::Rounds(u64::from(setting.rounds())),
            Self::Yescrypt(setting) => setting.params().cost(),
        }
    }

    /// The salt, in the bytes that the algorithm takes.
    pub fn salt(&self) -> &[u8] {
        match self {
            Self::DesCrypt(setting) => setting.salt(),
            Self::Digest(setting) => setting.salt(),
            Self::Firebase(setting) => setting.salt(),
            Self::Md5Crypt(setting) => setting.salt(),
            Self::Phpass(setting) => setting.salt(),
            Self::Sha1Crypt(setting) => setting.salt(),
            Self::ShaCrypt(setting) => setting.salt(),
            Self::SunMd5(setting) => setting.salt(),
            Self::Yescrypt(setting) => setting.salt(),
        }
    }

    /// Length of the output, in bytes.
    pub const fn output_bytes(&self) -> usize {
        match self {
            Self::DesCrypt(_) => des_crypt::OUTPUT_BYTES,
            Self::Digest(setting) => setting.hash().output_bytes(),
            Self::Firebase(_) => firebase::OUTPUT_BYTES,
            Self::Md5Crypt(_) | Self::SunMd5(_) => md5_crypt::OUTPUT_BYTES,
            Self::Phpass(setting) => setting.hash().output_bytes(),
            Self::Sha1Crypt(_) => sha1_crypt::OUTPUT_BYTES,
            Self::ShaCrypt(setting) => setting.hash().output_bytes(),
            Self::Yescrypt(_) => yescrypt::OUTPUT_BYTES,
        }
    }
}

/// The cost of computing: the ceiling that bounds it, and the work in which its time is linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cost {
    /// Passes of a digest or of a cipher. Each hashes a password and a few more bytes. Bounded by
    /// `sha_crypt_rounds`.
    Rounds(u64),
    /// scrypt and yescrypt: `128·N·r` bytes of memory, `N·r·p` work. Bounded by the ceilings of
    /// scrypt.
    Memory {
        /// `N·r`, blocks of 128 bytes.
        blocks: u64,
        /// `p·r`, blocks of 128 bytes beside them; yescrypt adds its tables.
        other_blocks: u64,
        /// `N·r·p`; yescrypt adds the work of its time parameter.
        work: u64,
    },
}

impl Cost {
    /// The cost of scrypt. A product that exceeds 64 bits is over every ceiling.
    fn scrypt(params: scrypt::Params) -> Self {
        let blocks = 1_u64.checked_shl(u32::from(params.log_n())).unwrap_or(u64::MAX);
        let blocks = blocks.saturating_mul(u64::from(params.r()));
        let other_blocks = u64::from(params.p()) * u64::from(params.r());
        Self::Memory { blocks, other_blocks, work: blocks.saturating_mul(u64::from(params.p())) }
    }
}
