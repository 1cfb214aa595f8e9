//! Computes one hash from start to end, with the reference crates or with this crate's kernels.

use saltern_encoded::Setting;

use crate::{
    Admitted, Kernels, OutOfMemory, Output,
    admitted::{inner_text, setting_memory_bytes},
    arena::Arena,
    argon2, bcrypt, pbkdf2, scrypt, stack, verify_only,
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
            let inner = compute_setting(kernels, setting.inner().setting(), password)?;
            let inner = inner_text(setting, &inner);
            argon2::reference::compute(setting.outer(), inner.expose(), output.as_mut())?;
        }
    }
    Ok(output)
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

    /// Computes a hash.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system does not give the memory that the hash needs.
    pub fn compute(&mut self, admitted: &Admitted, password: &[u8]) -> Result<Output, OutOfMemory> {
        match (admitted.setting(), self.kernels) {
            (Setting::Argon2(setting), Kernels::Own) => self.argon2(setting, password),
            (Setting::Scrypt(setting), Kernels::Own) => self.scrypt(setting, password),
            (setting, _) => {
                let _elsewhere = self.arena.lend_elsewhere(setting_memory_bytes(setting));
                compute_setting(self.kernels, setting, password)
            }
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
