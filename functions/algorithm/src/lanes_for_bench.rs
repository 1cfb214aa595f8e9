//! The kernels without a worker around them, for `saltern-bench` only: one function an algorithm, and no promise.
//!
//! It takes [`Admitted`](crate::Admitted) settings like every other road to a kernel.

use crate::argon2::{arena::Arena, kernel::Path};
use crate::{Admitted, Output};

/// Argon2 on kept memory.
#[derive(Debug)]
pub struct Argon2 {
    path: Path,
    arena: Arena,
}

impl Argon2 {
    /// One for each set of instructions that the machine has, fastest first, with its name.
    #[must_use]
    pub fn paths(keep_bytes: u64) -> Vec<(&'static str, Self)> {
        Path::fastest_first()
            .map(|path| (path.name(), Self { path, arena: Arena::new(keep_bytes) }))
            .collect()
    }

    /// One hash; `None` for another algorithm, or without memory.
    #[must_use]
    pub fn compute(&mut self, admitted: &Admitted, password: &[u8]) -> Option<Output> {
        let saltern_encoded::Setting::Argon2(setting) = admitted.setting() else { return None };
        let mut output = Output::zeroed(setting.output_bytes());
        self.path.compute(setting, password, output.as_mut(), &mut self.arena).ok()?;
        Some(output)
    }
}
