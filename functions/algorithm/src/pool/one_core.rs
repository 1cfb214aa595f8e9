//! The kernels of one worker without its thread and its queue, for measurements.

use saltern_encoded::Setting;

use super::{
    lane::{self, Lane},
    settings::PoolSettings,
};
use crate::{Admitted, OutOfMemory, Output, Password, compute::WholeKernel};

/// Computes hashes on the calling thread as one worker of a pool would.
///
/// Hashes that have lanes run in lanes. The others run one after the other on kept memory.
#[derive(Debug)]
pub struct OneCore {
    settings: PoolSettings,
    whole: WholeKernel,
}

impl OneCore {
    /// Makes the kernels of one worker of a pool with these settings.
    #[must_use]
    pub fn new(settings: &PoolSettings) -> Self {
        Self { settings: settings.clone(), whole: WholeKernel::new(settings.kernels, settings.kept_bytes) }
    }

    /// Returns how many hashes like this one a full worker has in lanes; 1 if it has no lanes.
    #[must_use]
    pub fn lanes(&self, setting: &Setting) -> usize {
        self.settings.lanes(setting.algorithm()).unwrap_or(1)
    }

    /// Computes one hash per password under one setting, [`lanes`](Self::lanes) at a time.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system does not give the memory that a hash needs.
    pub fn compute(
        &mut self,
        admitted: &Admitted,
        passwords: &[Password],
    ) -> Result<Vec<Output>, OutOfMemory> {
        let algorithm = admitted.setting().algorithm();
        let Some(lanes) = self.settings.lanes(algorithm) else {
            return passwords
                .iter()
                .map(|password| self.whole.compute(admitted, password.expose()))
                .collect();
        };
        let mut outputs = Vec::with_capacity(passwords.len());
        for at_once in passwords.chunks(lanes) {
            let starting = at_once.iter().map(|password| Lane::start(admitted, password.expose()));
            let mut lanes: Vec<_> = starting.flatten().collect();
            let work = lanes.first().map_or(0, Lane::remaining);
            lane::advance(algorithm, lanes.iter_mut(), work);
            outputs.extend(lanes.into_iter().map(|lane| lane.finish(admitted)));
        }
        Ok(outputs)
    }
}
