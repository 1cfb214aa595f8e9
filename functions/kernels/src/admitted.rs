//! [`Admitted`]: the proof that the cost of a hash is below the ceilings.

mod layers;

use core::fmt;

use saltern_encoded::{Params, Setting, argon2, pbkdf2, scrypt, verify_only};

pub use self::layers::Outer;
pub(crate) use self::layers::inner_text;
use crate::verify_only::work as verify_only_work;

/// The highest cost of one hash. Each bound is on the product that decides memory or time.
///
/// `saltern-policy` owns the values. `policies.json` states them with source, memory and time. The
/// default is zero for each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ceilings {
    /// Binary logarithm of the number of key expansions.
    pub bcrypt_cost: u32,
    /// Memory cost `m`, in KiB.
    pub argon2_memory_kib: u32,
    /// Memory written over all passes, `m·t`, in KiB.
    pub argon2_memory_passes_kib: u64,
    /// Lanes `p`.
    pub argon2_parallelism: u32,
    /// Iterations × output blocks.
    pub pbkdf2_iterations_blocks: u64,
    /// Rounds of sha-crypt, and of every other verify-only scheme that needs little memory.
    pub sha_crypt_rounds: u64,
    /// Memory, `128·N·r`, in bytes. `128·(p + 2)·r` must stay within an eighth of it.
    pub scrypt_memory_bytes: u64,
    /// Work, `N·r·p`.
    pub scrypt_n_r_p: u64,
}

/// A setting whose cost is within the ceilings. A kernel accepts no other type.
///
/// ```compile_fail
/// // The fields are private: only the check makes an `Admitted`.
/// fn forge(setting: saltern_encoded::Setting) -> saltern_kernels::Admitted {
///     saltern_kernels::Admitted { setting }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Admitted {
    setting: Setting,
}

impl Admitted {
    /// Checks a setting before any memory is allocated for it.
    ///
    /// # Errors
    /// [`CostOutOfBounds`] if a cost is over its ceiling, or if both layers of a wrapped hash cost
    /// too much together.
    pub fn new(setting: Setting, ceilings: &Ceilings) -> Result<Self, CostOutOfBounds> {
        bounded_share(&setting, ceilings).ok_or(CostOutOfBounds)?;
        Ok(Self { setting })
    }

    /// Returns the setting.
    #[must_use]
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// Returns the work for an empty password, in the algorithm's own unit. Time is linear in it. A
    /// long password may be more work: see [`work`].
    ///
    /// The units are: key expansions (bcrypt), blocks of 1 KiB written (Argon2), iterations ×
    /// output blocks (PBKDF2), `N·r·p` and the ends (scrypt, yescrypt), compressions or encryptions
    /// (other verify-only schemes). The work of a wrapped hash is its outer layer's.
    #[must_use]
    pub fn work(&self) -> u64 {
        work(&self.setting, 0)
    }

    /// Returns the memory that the hash needs, in bytes; 0 for a few KiB.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        setting_memory_bytes(&self.setting)
    }
}

/// Whether a hash is computed from start to end: no slices of it can be told apart. The readings of a
/// password, and the layers of a wrapped hash, can.
#[must_use]
pub fn runs_whole(setting: &Setting) -> bool {
    match setting {
        Setting::Argon2(setting) => setting.params().parallelism() > 1,
        Setting::Bcrypt(_) | Setting::Pbkdf2(_) => false,
        Setting::Scrypt(setting) => setting.params().p() * setting.params().r() > MOST_P_R_OF_A_LANE,
        Setting::VerifyOnly(setting) => matches!(setting.cost(), verify_only::Cost::Memory { .. }),
        Setting::Wrapped(_) => true,
    }
}

/// Returns the memory that one hash with these parameters needs, in bytes; 0 for a few KiB.
#[must_use]
pub fn memory_bytes(params: Params) -> u64 {
    match params {
        Params::Argon2(params) => u64::from(params.memory_kib()) * 1024,
        Params::Bcrypt(_) | Params::Pbkdf2(_) => 0,
        Params::Scrypt(params) => scrypt_blocks(params.log_n(), params.r())
            .and_then(|blocks| blocks.checked_add(scrypt_other_blocks(params)))
            .and_then(|blocks| blocks.checked_mul(SCRYPT_BLOCK_BYTES))
            .unwrap_or(u64::MAX),
    }
}

/// Returns the memory that a setting needs, in bytes; 0 for a few KiB.
pub(crate) fn setting_memory_bytes(setting: &Setting) -> u64 {
    match setting {
        Setting::Argon2(_) | Setting::Bcrypt(_) | Setting::Pbkdf2(_) | Setting::Scrypt(_) => {
            setting.params().map_or(0, memory_bytes)
        }
        Setting::VerifyOnly(setting) => cost_memory_bytes(setting.cost()),
        // The two layers run one after the other.
        Setting::Wrapped(setting) => {
            let outer = memory_bytes(Params::Argon2(setting.outer().params()));
            outer.max(setting_memory_bytes(setting.inner().setting()))
        }
    }
}

/// Returns the memory that a verify-only hash of this cost needs, in bytes.
pub(crate) fn cost_memory_bytes(cost: verify_only::Cost) -> u64 {
    match cost {
        verify_only::Cost::Rounds(_) => 0,
        verify_only::Cost::Memory { blocks, other_blocks, .. } => {
            blocks.saturating_add(other_blocks).saturating_mul(SCRYPT_BLOCK_BYTES)
        }
    }
}

/// Returns the work of a layer for a password of this length. The outer layer of a wrapped hash
/// reads the text of the inner hash.
#[must_use]
pub fn work(setting: &Setting, password_bytes: usize) -> u64 {
    match setting {
        Setting::Argon2(setting) => argon2_work(setting.params()),
        Setting::Bcrypt(setting) => bcrypt_work(setting.params().cost()),
        Setting::Pbkdf2(setting) => pbkdf2_work(setting),
        Setting::Scrypt(setting) => {
            let params = setting.params();
            crate::scrypt::with_ends(scrypt_work(params), scrypt_other_blocks(params))
        }
        Setting::VerifyOnly(setting) => verify_only_work(setting, password_bytes),
        Setting::Wrapped(setting) => argon2_work(setting.outer().params()),
    }
}

/// Returns the share of the setting's ceiling of work, in units of `1 / WHOLE_CEILING`; `None` if a
/// cost is over a ceiling.
fn bounded_share(setting: &Setting, ceilings: &Ceilings) -> Option<u128> {
    match setting {
        Setting::Argon2(setting) => bounded_argon2_share(setting.params(), ceilings),
        Setting::Bcrypt(setting) => {
            share(bcrypt_work(setting.params().cost()), bcrypt_work(ceilings.bcrypt_cost))
        }
        Setting::Pbkdf2(setting) => share(pbkdf2_work(setting), ceilings.pbkdf2_iterations_blocks),
        Setting::Scrypt(scrypt) => {
            let params = scrypt.params();
            let blocks = scrypt_blocks(params.log_n(), params.r())?;
            let is_whole = runs_whole(setting);
            let work = blocks.checked_mul(u64::from(params.p()))?;
            bounded_scrypt_share(blocks, scrypt_other_blocks(params), work, is_whole, ceilings)
        }
        Setting::VerifyOnly(setting) => match setting.cost() {
            verify_only::Cost::Rounds(rounds) => share(rounds, ceilings.sha_crypt_rounds),
            verify_only::Cost::Memory { blocks, other_blocks, work } => {
                bounded_scrypt_share(blocks, other_blocks, work, true, ceilings)
            }
        },
        Setting::Wrapped(setting) => {
            let inner = setting.inner();
            let layers = bounded_argon2_share(setting.outer().params(), ceilings)?
                + bounded_share(inner.setting(), ceilings)?;
            // A password with a NUL is computed twice.
            let readings = if inner.scheme().reading().may_stop_at_nul { 2 } else { 1 };
            (layers * readings <= MOST_SHARES * WHOLE_CEILING).then_some(layers)
        }
    }
}

/// Returns the share of a ceiling, rounded up; `None` if the work is over the ceiling.
fn share(work: u64, ceiling: u64) -> Option<u128> {
    let share = u128::from(work) * WHOLE_CEILING;
    (work <= ceiling).then(|| share.div_ceil(u128::from(ceiling.max(1))))
}

/// Returns the number of key expansions. The widest cost that is read stays below 64.
fn bcrypt_work(cost: u32) -> u64 {
    1_u64.checked_shl(cost).unwrap_or(u64::MAX)
}

fn pbkdf2_work(setting: &pbkdf2::Setting) -> u64 {
    let blocks = u64::try_from(setting.output_blocks()).unwrap_or(u64::MAX);
    u64::from(setting.params().iterations()).saturating_mul(blocks)
}

fn scrypt_work(params: scrypt::Params) -> u64 {
    let blocks = scrypt_blocks(params.log_n(), params.r()).unwrap_or(u64::MAX);
    blocks.saturating_mul(u64::from(params.p()))
}

/// Returns `m·t`, in KiB.
fn argon2_work(params: argon2::Params) -> u64 {
    u64::from(params.memory_kib()) * u64::from(params.passes())
}

fn bounded_argon2_share(params: argon2::Params, ceilings: &Ceilings) -> Option<u128> {
    let bounded = params.memory_kib() <= ceilings.argon2_memory_kib
        && params.parallelism() <= ceilings.argon2_parallelism;
    let most = if params.parallelism() > 1 { MOST_WHOLE_ARGON2_KIB } else { u64::MAX };
    share(argon2_work(params), ceilings.argon2_memory_passes_kib.min(most)).filter(|_| bounded)
}

/// Returns the share of the work `N·r·p` if the memory is within the ceilings.
fn bounded_scrypt_share(
    blocks: u64,
    other_blocks: u64,
    work: u64,
    is_whole: bool,
    ceilings: &Ceilings,
) -> Option<u128> {
    let memory = blocks.checked_mul(SCRYPT_BLOCK_BYTES)?;
    let other_memory = other_blocks.checked_mul(SCRYPT_BLOCK_BYTES)?;
    let bounded = memory <= ceilings.scrypt_memory_bytes
        && other_memory <= ceilings.scrypt_memory_bytes / SCRYPT_OTHER_SHARE;
    let bounded = bounded && !(is_whole && crate::scrypt::with_ends(0, other_blocks) > MOST_WHOLE_ENDS);
    let most = if is_whole { MOST_WHOLE_N_R_P } else { u64::MAX };
    share(work, ceilings.scrypt_n_r_p.min(most)).filter(|_| bounded)
}

/// Returns `N·r`; `None` if it overflows.
fn scrypt_blocks(log_n: u8, r: u32) -> Option<u64> {
    1_u64.checked_shl(u32::from(log_n))?.checked_mul(u64::from(r))
}

/// Returns `(p + 2)·r`: `B` of RFC 7914 §6, and both states of `scryptROMix`. `p·r` is below 2^30
/// for every [`Params::Scrypt`].
fn scrypt_other_blocks(params: scrypt::Params) -> u64 {
    (u64::from(params.p()) + crate::scrypt::STATES as u64) * u64::from(params.r())
}

/// The largest p·r of scrypt in slices. Both ends of a hash compute PBKDF2 over 128·p·r bytes in one
/// piece, and a slice is at least one turn of r: here at most a millisecond. Real hashes have at most
/// p = 16 or r = 32.
const MOST_P_R_OF_A_LANE: u32 = 1 << 10;

/// The most work of a hash that cannot be stopped, whatever the ceilings are (HTTP contract): at most
/// 250 ms of a core of an Intel Xeon with AMX. There this much takes 220 ms, and
/// [`MOST_WHOLE_N_R_P`] of yescrypt 237 ms, by `Server-Timing`.
///
/// Argon2 with p > 1, `m·t` in KiB. argon2-cffi makes 64 MiB, t=3, p=4 by default, and Django 100
/// MiB, t=2, p=8.
const MOST_WHOLE_ARGON2_KIB: u64 = 512 << 10;

/// yescrypt, Firebase's scrypt and scrypt with a large p·r: `N·r·p`. libxcrypt makes N=4096, r=32 by
/// default, and Firebase N=16384, r=8.
const MOST_WHOLE_N_R_P: u64 = 1 << 20;

/// The same, for what both ends take. Real hashes need a hundredth of it.
const MOST_WHOLE_ENDS: u64 = MOST_WHOLE_N_R_P / 8;

/// The most that one operation computes together: all layers and all readings of the password, each
/// as a share of its ceiling (HTTP contract). One layer within its ceiling never
/// exceeds it.
const MOST_SHARES: u128 = 2;

/// The unit of shares. It is fine enough for every ceiling, and the sums stay far below 128 bits.
const WHOLE_CEILING: u128 = 1 << 48;

/// Beside `128·N·r` a hash of scrypt gets an eighth of the memory ceiling. Only a very small N
/// needs more, and no real hash has one.
const SCRYPT_OTHER_SHARE: u64 = 8;

/// One unit of `N·r` is a block of 128 bytes (RFC 7914 §5).
pub const SCRYPT_BLOCK_BYTES: u64 = 128;

/// A cost is over its ceiling. The error carries no value: the caller must not learn about the
/// stored hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostOutOfBounds;

impl fmt::Display for CostOutOfBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the cost is over a ceiling")
    }
}

impl core::error::Error for CostOutOfBounds {}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};

    use super::*;

    const CEILINGS: Ceilings = Ceilings {
        bcrypt_cost: 10,
        argon2_memory_kib: 1024,
        argon2_memory_passes_kib: 1024,
        argon2_parallelism: 1,
        pbkdf2_iterations_blocks: 1000,
        sha_crypt_rounds: 5_000,
        scrypt_memory_bytes: 0,
        scrypt_n_r_p: 0,
    };

    fn is_admitted(stored: &str) -> bool {
        Admitted::new(saltern_encoded::parse(stored).unwrap().setting().clone(), &CEILINGS).is_ok()
    }

    /// The readings double the sum under software with C strings.
    #[test]
    fn the_layers_and_readings_of_a_wrapped_hash_have_one_ceiling() {
        let outer = |kib| format!("$argon2id$v=19$m={kib},t=1,p=1${}${}", "A".repeat(22), "A".repeat(43));
        let bcrypt = |cost| format!("$2b${cost}${}", ".".repeat(53));
        let digest = format!("{{SHA}}{}=", "A".repeat(27));
        for (kib, inner, admitted) in [
            (512, bcrypt("09"), true),
            (513, bcrypt("09"), false),
            (8, bcrypt("10"), false),
            (1023, digest.clone(), true),
            (1025, digest, false),
        ] {
            let stored = format!("$saltern-wrap{}${inner}", outer(kib));
            assert_eq!(is_admitted(&stored), admitted, "{stored}");
        }
    }

    /// Whatever the document allows.
    #[test]
    fn what_cannot_be_stopped_has_ceilings_of_its_own() {
        let ceilings = Ceilings {
            argon2_memory_kib: u32::MAX,
            argon2_memory_passes_kib: u64::MAX,
            argon2_parallelism: 255,
            scrypt_memory_bytes: u64::MAX,
            scrypt_n_r_p: u64::MAX,
            ..CEILINGS
        };
        let argon2 = |costs| format!("$argon2id$v=19${costs}${}${}", "A".repeat(22), "A".repeat(43));
        let scrypt = |costs| format!("$scrypt${costs}${}${}", "A".repeat(22), "A".repeat(43));
        let yescrypt = |costs| format!("$y${costs}$........${}", ".".repeat(43));
        for (stored, admitted) in [
            (argon2("m=65536,t=3,p=4"), true),
            (argon2("m=102400,t=2,p=8"), true),
            (argon2("m=262144,t=2,p=2"), true),
            (argon2("m=262144,t=3,p=2"), false),
            (argon2("m=262144,t=3,p=1"), true),
            (yescrypt("j9T"), true),
            (yescrypt("jCT"), true),
            (yescrypt("jDT"), false),
            (scrypt("ln=9,r=8,p=256"), true),
            (scrypt("ln=9,r=8,p=257"), false),
            (scrypt("ln=1,r=4096,p=3"), true),
            (scrypt("ln=1,r=4096,p=4"), false),
            (scrypt("ln=17,r=32,p=1"), true),
        ] {
            let setting = saltern_encoded::parse(&stored).unwrap().setting().clone();
            assert_eq!(Admitted::new(setting, &ceilings).is_ok(), admitted, "{stored}");
        }
    }

    #[test]
    fn one_layer_at_its_ceiling_is_admitted() {
        for stored in [
            format!("$2b$10${}", ".".repeat(53)),
            format!("$6$salt${}", ".".repeat(86)),
            format!("$argon2id$v=19$m=1024,t=1,p=1${}${}", "A".repeat(22), "A".repeat(43)),
        ] {
            assert!(is_admitted(&stored), "{stored}");
        }
        assert!(!is_admitted(&format!("$2b$11${}", ".".repeat(53))));
    }

    /// Every combination of costs and ceilings from both ends of their types and around powers of two,
    /// against products in 128 bits.
    #[test]
    fn a_cost_is_admitted_exactly_if_its_products_are_within_the_ceilings() {
        let (mut admitted, mut refused) = (0, 0);
        let mut check = |setting: &Setting, ceilings: &Ceilings, is_within: bool| {
            let is_admitted = Admitted::new(setting.clone(), ceilings).is_ok();
            assert_eq!(is_admitted, is_within, "{setting:?} {ceilings:?}");
            *(if is_admitted { &mut admitted } else { &mut refused }) += 1;
        };
        for (m, t, p) in product(NUMBERS, NUMBERS, [1, 2, 255, 65_536]) {
            let costs = format!("$argon2id$v=19$m={m},t={t},p={p}${}${}", "A".repeat(22), "A".repeat(43));
            let Ok(encoded) = saltern_encoded::parse(&costs) else { continue };
            for (memory, written, lanes) in product(NUMBERS, CEILINGS_OF_PRODUCTS, [1, 255]) {
                let ceilings = Ceilings {
                    argon2_memory_kib: memory,
                    argon2_memory_passes_kib: written,
                    argon2_parallelism: lanes,
                    ..CEILINGS
                };
                let most = if p > 1 { written.min(MOST_WHOLE_ARGON2_KIB) } else { written };
                let is_within = m <= memory && p <= lanes && u128::from(m) * u128::from(t) <= most.into();
                check(encoded.setting(), &ceilings, is_within);
            }
        }
        let factors = [1_u32, 2, 4, 8, 256, 1_023, 1_024, 1_025, 1 << 20, (1 << 30) - 1];
        for (log_n, r, p) in product([1_u32, 2, 10, 17, 31, 32, 54, 63], factors, factors) {
            let costs = format!("$scrypt$ln={log_n},r={r},p={p}${}${}", "A".repeat(22), "A".repeat(43));
            let Ok(encoded) = saltern_encoded::parse(&costs) else { continue };
            let (n, r, p) = (1_u128 << log_n, u128::from(r), u128::from(p));
            let other = (p + 2) * r;
            for (memory, n_r_p) in
                product(CEILINGS_OF_PRODUCTS, CEILINGS_OF_PRODUCTS, [()]).map(|(a, b, ())| (a, b))
            {
                let ceilings = Ceilings { scrypt_memory_bytes: memory, scrypt_n_r_p: n_r_p, ..CEILINGS };
                let is_sliced = p * r <= MOST_P_R_OF_A_LANE.into();
                let most = if is_sliced { n_r_p } else { n_r_p.min(MOST_WHOLE_N_R_P) };
                let is_within = 128 * n * r <= memory.into()
                    && 128 * other <= (memory / 8).into()
                    && n * r * p <= most.into()
                    && (is_sliced || 6 * other <= MOST_WHOLE_ENDS.into());
                check(encoded.setting(), &ceilings, is_within);
            }
        }
        let prfs = [("", 20), ("-sha256", 32), ("-sha512", 64)];
        for ((prf, block), i, l) in product(prfs, NUMBERS, [16, 20, 21, 32, 33, 64, 65, 256]) {
            let output = BASE64_STANDARD_NO_PAD.encode(vec![0; l]);
            let costs = format!("$pbkdf2{prf}$i={i},l={l}${}${output}", "A".repeat(22));
            let encoded = saltern_encoded::parse(&costs).unwrap();
            for pbkdf2_iterations_blocks in CEILINGS_OF_PRODUCTS {
                let ceilings = Ceilings { pbkdf2_iterations_blocks, ..CEILINGS };
                let is_within = u128::from(i) * l.div_ceil(block) as u128 <= pbkdf2_iterations_blocks.into();
                check(encoded.setting(), &ceilings, is_within);
            }
        }
        for (cost, bcrypt_cost, ()) in product(4..=31, 0..=70, [()]) {
            let encoded = saltern_encoded::parse(&format!("$2b${cost:02}${}", ".".repeat(53))).unwrap();
            check(encoded.setting(), &Ceilings { bcrypt_cost, ..CEILINGS }, cost <= bcrypt_cost);
        }
        for (rounds, sha_crypt_rounds, ()) in product([1_000, 5_000, 999_999_999], CEILINGS_OF_PRODUCTS, [()])
        {
            let encoded =
                saltern_encoded::parse(&format!("$5$rounds={rounds}$salt${}", ".".repeat(43))).unwrap();
            let ceilings = Ceilings { sha_crypt_rounds, ..CEILINGS };
            check(encoded.setting(), &ceilings, rounds <= sha_crypt_rounds);
        }
        assert!(admitted > 10_000 && refused > 10_000, "{admitted} and {refused}");
    }

    fn product<A: Copy, B: Copy, C>(
        first: impl IntoIterator<Item = A>,
        second: impl IntoIterator<Item = B> + Clone,
        third: impl IntoIterator<Item = C> + Clone,
    ) -> impl Iterator<Item = (A, B, C)> {
        first.into_iter().flat_map(move |a| {
            let third = third.clone();
            second.clone().into_iter().flat_map(move |b| third.clone().into_iter().map(move |c| (a, b, c)))
        })
    }

    const NUMBERS: [u32; 13] =
        [1, 2, 7, 8, 9, 16, 1_023, 65_535, 65_536, 65_537, (1 << 31) - 1, 1 << 31, u32::MAX];

    const CEILINGS_OF_PRODUCTS: [u64; 12] = [
        0,
        1,
        8,
        1_000,
        65_536,
        (1 << 32) - 1,
        1 << 32,
        (1 << 32) + 1,
        (1 << 57) - 1,
        1 << 57,
        u64::MAX - 1,
        u64::MAX,
    ];
}
