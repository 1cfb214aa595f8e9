//! Computes one hash from start to end, with the reference crates or with this crate's kernels.

use saltern_encoded::{Setting, wrapped};
use zeroize::Zeroizing;

use crate::{
    Admitted, Kernels, OutOfMemory, Output, admitted::setting_memory_bytes, arena::Arena, argon2, bcrypt,
    pbkdf2, scrypt, stack, verify_only,
};

/// Computes one hash on the calling thread with the reference crates.
///
/// If no crate has the algorithm, this crate's own code computes it. The password is the bytes that
/// the algorithm takes. bcrypt reads its first 72 bytes and a terminating NUL.
///
/// # Errors
/// [`OutOfMemory`] if the system does not give the memory that the algorithm needs.
pub fn compute(admitted: &Admitted, password: &[u8]) -> Result<Output, OutOfMemory> {
    compute_setting(Kernels::Crates, admitted.setting(), password)
}

/// Computes an admitted setting, or the inner setting of an admitted wrapped hash.
///
/// Wipes the stack after it: the crates do not. If this crate's kernel keeps state between two
/// hashes, the reference crate computes instead.
fn compute_setting(kernels: Kernels, setting: &Setting, password: &[u8]) -> Result<Output, OutOfMemory> {
    let computed = compute_on_the_stack(kernels, setting, password);
    stack::wipe();
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

/// Returns the text of the wrapped hash for this password: argon2id takes that text as its
/// password.
///
/// It equals the stored hash that was wrapped if the password is right.
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

/// The kernel of a block worker.
#[derive(Debug)]
pub struct WholeKernel {
    kernels: Kernels,
    arena: Arena,
}

impl WholeKernel {
    /// Makes a kernel that takes its memory from this arena.
    #[must_use]
    pub fn new(kernels: Kernels, arena: Arena) -> Self {
        Self { kernels, arena }
    }

    /// Returns which code computes.
    #[must_use]
    pub fn kernels(&self) -> Kernels {
        self.kernels
    }

    /// Computes a hash, with both layers of a wrapped one.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system does not give the memory that the hash needs.
    pub fn compute(&mut self, admitted: &Admitted, password: &[u8]) -> Result<Output, OutOfMemory> {
        match self.inner(admitted, password)? {
            Some(inner) => self.last(admitted, inner.as_bytes()),
            None => self.last(admitted, password),
        }
    }

    /// Computes the inner layer of a wrapped hash: the input of [`Self::last`]. Returns `None` if
    /// the hash has one layer.
    ///
    /// # Errors
    /// As [`Self::compute`].
    pub fn inner(
        &mut self,
        admitted: &Admitted,
        password: &[u8],
    ) -> Result<Option<Zeroizing<String>>, OutOfMemory> {
        let Setting::Wrapped(setting) = admitted.setting() else { return Ok(None) };
        self.make_room_for(setting.inner().setting());
        inner_hash(self.kernels, setting, password).map(Some)
    }

    /// Computes the outer layer of a wrapped hash, or the only layer of another hash.
    ///
    /// # Errors
    /// As [`Self::compute`].
    pub fn last(&mut self, admitted: &Admitted, input: &[u8]) -> Result<Output, OutOfMemory> {
        match (admitted.setting(), self.kernels) {
            (Setting::Argon2(setting), Kernels::Own) => self.argon2(setting, input),
            (Setting::Scrypt(setting), Kernels::Own) => self.scrypt(setting, input),
            (Setting::Wrapped(setting), Kernels::Own) => self.argon2(setting.outer(), input),
            (Setting::Wrapped(setting), Kernels::Crates) => {
                compute_setting(self.kernels, &Setting::Argon2(setting.outer().clone()), input)
            }
            (setting, _) => {
                self.make_room_for(setting);
                compute_setting(self.kernels, setting, input)
            }
        }
    }

    /// Releases the arena before the setting takes memory elsewhere: the memory budget counts one
    /// hash per worker.
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
        argon2::kernel::compute(setting, password, output.as_mut(), &self.arena)?;
        Ok(output)
    }

    fn scrypt(
        &mut self,
        setting: &saltern_encoded::scrypt::Setting,
        password: &[u8],
    ) -> Result<Output, OutOfMemory> {
        let mut output = Output::zeroed(setting.output_bytes());
        let mut lane = scrypt::lanes::Lane::start(setting, password, &self.arena)?;
        let work = lane.remaining();
        scrypt::lanes::advance(&mut [&mut lane], work);
        lane.finish(output.as_mut());
        Ok(output)
    }
}
