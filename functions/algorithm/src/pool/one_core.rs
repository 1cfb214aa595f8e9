//! The kernels of one worker without its thread and its queue, for whoever measures them.

use saltern_encoded::Setting;

use super::{
    PoolSettings,
    estimate::Kind,
    lane::{self, Lane},
    runs_in_lanes, width,
};
use crate::{Admitted, OutOfMemory, Output, Password, kernels::WholeKernel};

/// Computes on the calling thread what a worker of such a pool computes: hashes that have lanes in step, the others one
/// after the other on kept memory.
#[derive(Debug)]
pub struct OneCore {
    settings: PoolSettings,
    whole: WholeKernel,
}

impl OneCore {
    /// The kernels of a worker of such a pool.
    #[must_use]
    pub fn new(settings: &PoolSettings) -> Self {
        Self { settings: settings.clone(), whole: WholeKernel::new(settings.kernels, settings.kept_bytes) }
    }

    /// Hashes of this kind that a full worker has in lanes; 1 for what is computed whole.
    #[must_use]
    pub fn lanes(&self, setting: &Setting) -> usize {
        width(&self.settings, Kind::of(setting))
    }

    /// Computes one hash for each password, all under one setting, and [`lanes`](Self::lanes) at a time.
    ///
    /// # Errors
    /// [`OutOfMemory`] where the system does not give the memory that a hash wants.
    pub fn compute(
        &mut self,
        admitted: &Admitted,
        passwords: &[Password],
    ) -> Result<Vec<Output>, OutOfMemory> {
        let kind = Kind::of(admitted.setting());
        if !runs_in_lanes(self.settings.kernels, kind) {
            return passwords
                .iter()
                .map(|password| self.whole.compute(admitted, password.expose()))
                .collect();
        }
        let mut outputs = Vec::with_capacity(passwords.len());
        for at_once in passwords.chunks(self.lanes(admitted.setting())) {
            let starting = at_once.iter().map(|password| Lane::start(admitted, password.expose()));
            let mut lanes: Vec<_> = starting.flatten().collect();
            let work = lanes.first().map_or(0, Lane::remaining);
            lane::advance(kind, lanes.iter_mut(), work);
            outputs.extend(lanes.into_iter().map(|lane| {
                let mut output = Output::zeroed(admitted.setting().output_bytes());
                lane.finish(&mut output);
                output
            }));
        }
        Ok(outputs)
    }
}
