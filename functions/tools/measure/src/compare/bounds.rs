//! The figures with their bounds, and the parameters that they name.

use core::error::Error;

use saltern_encoded::{
    Params,
    argon2::{Params as Argon2Params, Variant, Version},
    bcrypt,
};

use super::{
    contenders::{
        ARGON2_C, BCRYPT_RUST, Hashes, LIBXCRYPT, MOST_OF_BCRYPT_RUST, by_argon2_c, by_bcrypt_rust, by_crate,
        by_libxcrypt, by_limit,
    },
    figure::Bound,
    rounds::Contender,
};
use crate::measure::RANDOM_BLOCKS;

/// A ratio of two contenders of [`kernels`](super::kernels).
pub(crate) struct KernelBound {
    pub(crate) setting: &'static str,
    pub(crate) of: &'static str,
    pub(crate) against: &'static str,
    /// At most so many times the time of a call, or at least so many times the hashes per core.
    pub(crate) must: Bound,
}

pub(crate) const KERNELS: [KernelBound; 25] = [
    time("bcrypt-10", CRATES, LIBXCRYPT, 1.08),
    time("bcrypt-10", "1 lane", LIBXCRYPT, 1.02),
    gain("bcrypt-10", "2 lanes", LIBXCRYPT, 1.8),
    gain("bcrypt-10", "4 lanes", LIBXCRYPT, 3.1),
    gain("bcrypt-10", "8 lanes", LIBXCRYPT, 3.6),
    gain("bcrypt-10", "8 lanes", BCRYPT_RUST, 1.4),
    gain(SHA512, "8 at once by Avx2", ONE_BY_ONE, 1.7),
    gain(SHA512, "8 at once by Avx512", ONE_BY_ONE, 3.5),
    gain(SHA256, "2 at once by ShaNi", ONE_BY_ONE, 1.4),
    gain(SHA256, "16 at once by Avx512", ONE_BY_ONE, 2.4),
    time("argon2id 19 MiB t=2", ONE_HASH, ARGON2_CRATE, 0.50),
    time("argon2id 19 MiB t=2", ONE_HASH, ARGON2_C, 1.00),
    time("argon2id 46 MiB t=1", ONE_HASH, ARGON2_CRATE, 0.33),
    time("argon2id 46 MiB t=1", ONE_HASH, ARGON2_C, 1.00),
    gain("argon2id 46 MiB t=1, all cores busy", "3 lanes", IN_TURN, 1.15),
    gain("argon2id 64 MiB t=3, all cores busy", "3 lanes", IN_TURN, 1.6),
    gain("argon2id 64 MiB t=4, all cores busy", "3 lanes", IN_TURN, 1.6),
    gain("argon2id 64 MiB t=4, all cores busy", "3 lanes", RANDOM_BLOCKS, 0.9),
    gain("argon2id 256 MiB t=1, all cores busy", "3 lanes", IN_TURN, 1.35),
    time("scrypt N=2^14 r=8, all cores busy", "1 lane", SCRYPT_CRATE, 1.0),
    gain("scrypt N=2^14 r=8, all cores busy", "3 lanes", "1 lane", 1.5),
    time("scrypt N=2^17 r=8, all cores busy", "1 lane", SCRYPT_CRATE, 1.0),
    gain("scrypt N=2^17 r=8, all cores busy", "3 lanes", "1 lane", 1.5),
    time("sha256-crypt, 5,000 rounds", ONE_HASH, LIBXCRYPT, 1.0),
    time("sha512-crypt, 5,000 rounds", ONE_HASH, LIBXCRYPT, 1.0),
];

/// Names of settings.
pub(crate) const SHA512: &str = "PBKDF2-SHA512, 50,000 iterations";
pub(crate) const SHA256: &str = "PBKDF2-SHA256, 50,000 iterations";

/// Names of contenders.
pub(crate) const CRATES: &str = "`--kernels crates`";
pub(crate) const ONE_BY_ONE: &str = "one by one";
pub(crate) const ONE_HASH: &str = "one hash";
pub(crate) const ARGON2_CRATE: &str = "the argon2 crate on fresh memory";
pub(crate) const SCRYPT_CRATE: &str = "the scrypt crate on fresh memory";
pub(crate) const IN_TURN: &str = "one after the other";

const fn time(setting: &'static str, of: &'static str, against: &'static str, most: f64) -> KernelBound {
    KernelBound { setting, of, against, must: Bound::AtMost(most) }
}

const fn gain(setting: &'static str, of: &'static str, against: &'static str, least: f64) -> KernelBound {
    KernelBound { setting, of, against, must: Bound::AtLeast(least) }
}

/// The service under load, beside the limit of other code on the same cores.
pub(crate) struct ServiceBound {
    pub(crate) cost: Cost,
    pub(crate) callers: usize,
    pub(crate) mode: &'static [&'static str],
    /// A bare loop of this contender on each core.
    pub(crate) limit: (&'static str, Make),
    pub(crate) must: Bound,
}

type Make = for<'a> fn(&'a Hashes) -> Result<Contender<'a>, Box<dyn Error>>;

/// Arguments of `saltern serve`. bcrypt-4 is below the floor.
pub(crate) const CRATES_MODE: &[&str] = &["--kernels", "crates", "--accept-weak", "bcrypt"];
pub(crate) const LANES_MODE: &[&str] = &["--kernels", "lanes"];

pub(crate) const SERVICE: [ServiceBound; 5] = [
    // A hash of a millisecond shows the cost of a request best.
    service(BCRYPT_4, 16, CRATES_MODE, ("the raw loop", |hashes| Ok(by_crate(CRATES, hashes))), 0.88),
    service(BCRYPT_10, 64, LANES_MODE, ("libxcrypt's limit", by_libxcrypt), 3.3),
    service(BCRYPT_10, 64, LANES_MODE, ("bcrypt-rust's limit", |own| by_bcrypt_rust(own, MOST_LANES)), 1.4),
    service(ARGON2_64_4, 64, LANES_MODE, ("the C reference's limit", by_argon2_c), 1.6),
    service(ARGON2_64_4, 64, LANES_MODE, ("the limit of memory", by_limit), 0.9),
];

/// At least the lanes of any worker, and what bcrypt-rust computes best at once.
pub(crate) const MOST_LANES: usize = MOST_OF_BCRYPT_RUST;

/// The median time of several callers a core, divided by the time of one caller alone.
pub(crate) const TOGETHER: [(Cost, Bound); 2] =
    [(BCRYPT_10, Bound::AtMost(1.4)), (ARGON2_64_4, Bound::AtMost(2.6))];

/// Callers of argon2id with 64 MiB: their matches with the lanes that the service learns, divided by those
/// with the best fixed lanes.
pub(crate) const LEARNED: (Cost, [usize; 2], Bound) = (ARGON2_64_4, [8, 32], Bound::AtLeast(0.98));

/// Arguments of `saltern serve` for the lanes that are fixed.
pub(crate) const FIXED_LANES: [&[&str]; 3] =
    [&["--argon2-lanes", "1"], &["--argon2-lanes", "2"], &["--argon2-lanes", "4"]];

const fn service(
    cost: Cost,
    callers: usize,
    mode: &'static [&'static str],
    limit: (&'static str, Make),
    least: f64,
) -> ServiceBound {
    ServiceBound { cost, callers, mode, limit, must: Bound::AtLeast(least) }
}

/// Parameters, as the figures name them.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) name: &'static str,
    pub(crate) params: Params,
}

pub(crate) const BCRYPT_4: Cost = bcrypt("bcrypt-4", 4);
pub(crate) const BCRYPT_10: Cost = bcrypt("bcrypt-10", 10);

/// The first two of OWASP's Password Storage Cheat Sheet.
pub(crate) const ARGON2_19: Cost = argon2id("argon2id 19 MiB t=2", 19_456, 2);
pub(crate) const ARGON2_46: Cost = argon2id("argon2id 46 MiB t=1", 47_104, 1);

/// The memory of RFC 9106's second recommendation, and four times that.
pub(crate) const ARGON2_64_3: Cost = argon2id("argon2id 64 MiB t=3", 65_536, 3);
pub(crate) const ARGON2_64_4: Cost = argon2id("argon2id 64 MiB t=4", 65_536, 4);
pub(crate) const ARGON2_256: Cost = argon2id("argon2id 256 MiB t=1", 262_144, 1);

#[expect(clippy::unwrap_used, reason = "a constant that is wrong does not compile")]
const fn bcrypt(name: &'static str, cost: u32) -> Cost {
    Cost { name, params: Params::Bcrypt(bcrypt::Params::new(cost).unwrap()) }
}

#[expect(clippy::unwrap_used, reason = "a constant that is wrong does not compile")]
const fn argon2id(name: &'static str, memory_kib: u32, passes: u32) -> Cost {
    let params = Argon2Params::new(Variant::Id, Version::V19, memory_kib, passes, 1).unwrap();
    Cost { name, params: Params::Argon2(params) }
}
