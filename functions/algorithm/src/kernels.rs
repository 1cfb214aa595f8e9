use core::fmt;
use std::time::Duration;

use saltern_encoded::{Setting, wrapped};
use zeroize::{Zeroizing, zeroize_stack};

use crate::{
    Admitted, Output,
    admitted::setting_memory_bytes,
    argon2::{self, arena::Arena},
    bcrypt, pbkdf2, scrypt, verify_only,
};

/// Which code computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kernels {
    /// Our own: many bcrypt and PBKDF2 hashes at once on each core, Argon2 on vectors and kept memory, scrypt on kept memory,
    /// sha-crypt.
    #[default]
    Lanes,
    /// The RustCrypto and `bcrypt` crates, one hash at a time: the reference, and the rollback.
    Crates,
}

impl Kernels {
    /// Every choice.
    pub const ALL: [Self; 2] = [Self::Lanes, Self::Crates];

    /// Its name in settings and logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lanes => "lanes",
            Self::Crates => "crates",
        }
    }
}

/// Computes one hash on the calling thread with the reference crates, from start to end; where there is none, with
/// code of ours.
///
/// The password is the bytes that the algorithm takes; bcrypt reads the first 72 and a terminating NUL.
///
/// # Errors
/// [`OutOfMemory`] where the system does not give the memory that the algorithm wants.
pub fn compute(admitted: &Admitted, password: &[u8]) -> Result<Output, OutOfMemory> {
    compute_setting(Kernels::Crates, admitted.setting(), password)
}

/// Computes a setting that was admitted, by itself or as the inner one of a wrapped hash, and wipes what was left on the
/// stack: the crates do not. Where a kernel of ours has state that is kept between two hashes, the crate computes.
fn compute_setting(kernels: Kernels, setting: &Setting, password: &[u8]) -> Result<Output, OutOfMemory> {
    let computed = compute_on_the_stack(kernels, setting, password);
    zeroize_stack::<STACK_BYTES>();
    computed
}

#[inline(never)]
fn compute_on_the_stack(kernels: Kernels, setting: &Setting, password: &[u8]) -> Result<Output, OutOfMemory> {
    let mut output = Output::zeroed(setting.output_bytes());
    match setting {
        Setting::Argon2(setting) => argon2::reference::compute(setting, password, output.as_mut())?,
        Setting::Bcrypt(setting) => bcrypt::reference::compute(setting, password, output.as_mut()),
        Setting::Pbkdf2(setting) => pbkdf2::reference::compute(setting, password, output.as_mut()),
        Setting::Scrypt(setting) => scrypt::reference::compute(setting, password, output.as_mut())?,
        Setting::VerifyOnly(setting) => verify_only::compute(kernels, setting, password, output.as_mut())?,
        Setting::Wrapped(setting) => {
            let inner = inner_hash(kernels, setting, password)?;
            argon2::reference::compute(setting.outer(), inner.as_bytes(), output.as_mut())?;
        }
    }
    Ok(output)
}

/// The stored hash that was wrapped, if the password is its own: what argon2id takes for a password.
fn inner_hash(
    kernels: Kernels,
    setting: &wrapped::Setting,
    password: &[u8],
) -> Result<Zeroizing<String>, OutOfMemory> {
    let inner = setting.inner();
    let output = compute_setting(kernels, inner.setting(), password)?;
    let hash = inner.with_output(output.expose()).map(|hash| hash.to_string());
    Ok(Zeroizing::new(hash.unwrap_or_default()))
}

/// The system did not give the memory that a hash needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the system gave no memory for the hash")
    }
}

impl core::error::Error for OutOfMemory {}

/// More stack than any crate takes, in bytes: some digests, each with a block and its schedule, or the tables of Blowfish.
const STACK_BYTES: usize = 16 << 10;

/// What a block worker computes with.
#[derive(Debug)]
pub(crate) struct WholeKernel {
    kernels: Kernels,
    arena: Arena,
}

impl WholeKernel {
    /// Keeps at most `keep_bytes` of memory between two hashes.
    pub(crate) fn new(kernels: Kernels, keep_bytes: u64) -> Self {
        Self { kernels, arena: Arena::new(keep_bytes) }
    }

    pub(crate) fn compute(&mut self, admitted: &Admitted, password: &[u8]) -> Result<Output, OutOfMemory> {
        #[cfg(feature = "fault-injection")]
        crate::fault::strike(crate::fault::PANICS, password);
        match admitted.setting() {
            Setting::Argon2(setting) if self.kernels == Kernels::Lanes => self.argon2(setting, password),
            Setting::Scrypt(setting) if self.kernels == Kernels::Lanes => self.scrypt(setting, password),
            Setting::Wrapped(setting) if self.kernels == Kernels::Lanes => {
                self.make_room_for(setting.inner().setting());
                let inner = inner_hash(self.kernels, setting, password)?;
                self.argon2(setting.outer(), inner.as_bytes())
            }
            _ => {
                self.make_room_for(admitted.setting());
                compute_setting(self.kernels, admitted.setting(), password)
            }
        }
    }

    /// Gives back what is kept before memory is taken elsewhere: one hash's memory for each worker is what the budget counts.
    fn make_room_for(&mut self, setting: &Setting) {
        if setting_memory_bytes(setting) > 0 {
            self.arena.release();
        }
    }

    fn argon2(
        &mut self,
        setting: &saltern_encoded::argon2::Setting,
        password: &[u8],
    ) -> Result<Output, OutOfMemory> {
        let mut output = Output::zeroed(setting.output_bytes());
        argon2::kernel::compute(setting, password, output.as_mut(), &mut self.arena)?;
        Ok(output)
    }

    fn scrypt(
        &mut self,
        setting: &saltern_encoded::scrypt::Setting,
        password: &[u8],
    ) -> Result<Output, OutOfMemory> {
        let mut output = Output::zeroed(setting.output_bytes());
        let computed = scrypt::kernel::compute(setting, password, output.as_mut(), &mut self.arena);
        zeroize_stack::<STACK_BYTES>();
        computed.map(|()| output)
    }

    /// How long to wait for the next hash before memory is given back; `None` where none is held.
    pub(crate) fn give_back_after(&self) -> Option<Duration> {
        (self.arena_bytes() > 0).then_some(IDLE)
    }

    /// Memory kept between hashes.
    pub(crate) fn arena_bytes(&self) -> u64 {
        self.arena.resident_bytes()
    }

    /// Gives memory that was kept between hashes back to the system.
    pub(crate) fn give_back_memory(&mut self) {
        self.arena.release();
    }
}

/// A worker that had no hash for so long gives its memory back: getting it again costs one hash some milliseconds.
const IDLE: Duration = Duration::from_secs(10);
