use core::fmt;

use saltern_encoded::{Params, Setting, argon2, scrypt, verify_only};

/// The highest cost of one hash. Each bound is on the product that decides memory or time.
///
/// `saltern-policy` owns the values. `policies.json` states them with source, memory and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Memory, `128·N·r`, in bytes. `128·p·r` must stay below an eighth of it.
    pub scrypt_memory_bytes: u64,
    /// Work, `N·r·p`.
    pub scrypt_n_r_p: u64,
}

/// A setting whose cost is within the ceilings. A kernel accepts no other type.
///
/// ```compile_fail
/// // The fields are private: only the check makes an `Admitted`.
/// fn forge(setting: saltern_encoded::Setting) -> saltern_algorithm::Admitted {
///     saltern_algorithm::Admitted { setting, work: 0 }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Admitted {
    setting: Setting,
    work: u64,
}

impl Admitted {
    /// Checks a setting before any memory is allocated for it.
    ///
    /// # Errors
    /// [`CostOutOfBounds`] if a cost is over its ceiling.
    pub fn new(setting: Setting, ceilings: &Ceilings) -> Result<Self, CostOutOfBounds> {
        let work = bounded_work(&setting, ceilings).ok_or(CostOutOfBounds)?;
        Ok(Self { setting, work })
    }

    /// Returns the setting.
    #[must_use]
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// Returns the work in the algorithm's own unit. Time is linear in it.
    ///
    /// The units are: key expansions (bcrypt), blocks of 1 KiB written (Argon2), iterations ×
    /// output blocks (PBKDF2), `N·r·p` (scrypt), rounds (verify-only schemes). The work of a
    /// wrapped hash is the sum of both layers. That is nearly linear: all units except bcrypt's are
    /// of one order.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Returns the work for a password of this length. It grows with the length if every round
    /// reads the password.
    pub(crate) fn work_with(&self, password_bytes: usize) -> u64 {
        match &self.setting {
            Setting::VerifyOnly(setting) => self.work.saturating_mul(setting.length_factor(password_bytes)),
            // The outer layer reads the text of the inner hash, whose length is fixed.
            Setting::Wrapped(setting) => match setting.inner().setting() {
                Setting::VerifyOnly(inner) => {
                    let outer = argon2_work(setting.outer().params());
                    let inner_work = self.work.saturating_sub(outer);
                    outer.saturating_add(inner_work.saturating_mul(inner.length_factor(password_bytes)))
                }
                _ => self.work,
            },
            _ => self.work,
        }
    }

    /// Returns the memory that the hash needs, in bytes; 0 for a few KiB.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        setting_memory_bytes(&self.setting)
    }
}

/// Returns the memory that one hash with these parameters needs, in bytes; 0 for a few KiB.
#[must_use]
pub fn memory_bytes(params: Params) -> u64 {
    match params {
        Params::Argon2(params) => u64::from(params.memory_kib()) * 1024,
        Params::Bcrypt(_) | Params::Pbkdf2(_) => 0,
        Params::Scrypt(params) => scrypt_blocks(params.log_n(), params.r())
            .and_then(|blocks| blocks.checked_add(scrypt_lane_blocks(params)))
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
        verify_only::Cost::Memory { blocks, lane_blocks, .. } => {
            blocks.saturating_add(lane_blocks).saturating_mul(SCRYPT_BLOCK_BYTES)
        }
    }
}

fn bounded_work(setting: &Setting, ceilings: &Ceilings) -> Option<u64> {
    match setting {
        Setting::Argon2(setting) => bounded_argon2_work(setting.params(), ceilings),
        Setting::Bcrypt(setting) => {
            let cost = setting.params().cost();
            (cost <= ceilings.bcrypt_cost).then_some(1 << cost)
        }
        Setting::Pbkdf2(setting) => {
            let blocks = u64::try_from(setting.output_blocks()).ok()?;
            let work = u64::from(setting.params().iterations()).checked_mul(blocks)?;
            (work <= ceilings.pbkdf2_iterations_blocks).then_some(work)
        }
        Setting::Scrypt(setting) => {
            let params = setting.params();
            let blocks = scrypt_blocks(params.log_n(), params.r())?;
            let work = blocks.checked_mul(u64::from(params.p()))?;
            bounded_scrypt_work(blocks, scrypt_lane_blocks(params), work, ceilings)
        }
        Setting::VerifyOnly(setting) => match setting.cost() {
            verify_only::Cost::Rounds(rounds) => (rounds <= ceilings.sha_crypt_rounds).then_some(rounds),
            verify_only::Cost::Memory { blocks, lane_blocks, work } => {
                bounded_scrypt_work(blocks, lane_blocks, work, ceilings)
            }
        },
        // Both layers have a bound, and both take time.
        Setting::Wrapped(setting) => {
            let inner = setting.inner().setting();
            let unit = if let Setting::Bcrypt(_) = inner { BCRYPT_UNIT_IN_OTHERS } else { 1 };
            let below = bounded_work(inner, ceilings)?.checked_mul(unit)?;
            bounded_argon2_work(setting.outer().params(), ceilings)?.checked_add(below)
        }
    }
}

/// Returns `m·t`, in KiB.
fn argon2_work(params: argon2::Params) -> u64 {
    u64::from(params.memory_kib()) * u64::from(params.passes())
}

fn bounded_argon2_work(params: argon2::Params, ceilings: &Ceilings) -> Option<u64> {
    let memory_passes = argon2_work(params);
    let bounded = params.memory_kib() <= ceilings.argon2_memory_kib
        && memory_passes <= ceilings.argon2_memory_passes_kib
        && params.parallelism() <= ceilings.argon2_parallelism;
    bounded.then_some(memory_passes)
}

/// Returns the work `N·r·p` if memory and work are within the ceilings.
fn bounded_scrypt_work(blocks: u64, lane_blocks: u64, work: u64, ceilings: &Ceilings) -> Option<u64> {
    let memory = blocks.checked_mul(SCRYPT_BLOCK_BYTES)?;
    let lanes_memory = lane_blocks.checked_mul(SCRYPT_BLOCK_BYTES)?;
    let bounded = memory <= ceilings.scrypt_memory_bytes
        && lanes_memory <= ceilings.scrypt_memory_bytes / SCRYPT_LANES_SHARE
        && work <= ceilings.scrypt_n_r_p;
    bounded.then_some(work)
}

/// Returns `N·r`; `None` if it overflows.
fn scrypt_blocks(log_n: u8, r: u32) -> Option<u64> {
    1_u64.checked_shl(u32::from(log_n))?.checked_mul(u64::from(r))
}

/// Returns `p·r`, the size of `B` in RFC 7914 §6. It is below 2^30 for every [`Params::Scrypt`].
fn scrypt_lane_blocks(params: scrypt::Params) -> u64 {
    u64::from(params.p()) * u64::from(params.r())
}

/// Weight of a bcrypt unit in the sum of a wrapped hash.
///
/// A key expansion takes some dozens of microseconds; a unit of any other algorithm takes between a
/// tenth of a microsecond and a few. A wrong weight makes an estimate worse, but admits nothing
/// more.
const BCRYPT_UNIT_IN_OTHERS: u64 = 64;

/// The lanes of scrypt get an eighth of its memory ceiling. Only a very small N needs more, and no
/// real hash has one.
const SCRYPT_LANES_SHARE: u64 = 8;

/// One unit of `N·r` is a block of 128 bytes (RFC 7914 §5).
const SCRYPT_BLOCK_BYTES: u64 = 128;

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
