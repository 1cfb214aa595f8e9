//! The kernels of one worker without its thread and its queue, for measurements.

use saltern_encoded::Setting;
use saltern_kernels::{
    Admitted, Arena, OutOfMemory, Output, Password, WholeKernel,
    lanes::{self, Lane},
};

use super::{
    estimate::{Cost, gain_side_by_side},
    settings::PoolSettings,
};

/// Computes hashes on the calling thread as one worker of a pool would.
///
/// Hashes that have lanes run in lanes. The others run one after the other on kept memory.
#[derive(Debug)]
pub struct OneCore {
    settings: PoolSettings,
    arena: Arena,
    whole: WholeKernel,
}

impl OneCore {
    /// Makes the kernels of one worker of a pool with these settings.
    #[must_use]
    pub fn new(settings: &PoolSettings) -> Self {
        let arena = Arena::new(settings.kept_bytes);
        let whole = WholeKernel::new(settings.kernels, arena.clone());
        Self { settings: settings.clone(), arena, whole }
    }

    /// Returns how many hashes like this one a full worker computes side by side; 1 if it has no
    /// lanes, or if they take turns.
    #[must_use]
    pub fn lanes(&self, setting: &Setting) -> usize {
        let cost = Cost::of_reading(setting, 0, self.settings.kernels);
        let width = self.settings.estimates().width_of(cost);
        if gain_side_by_side(cost.algorithm, cost.memory_bytes) { width } else { 1 }
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
        let (first, outer) = admitted.clone().into_layers();
        let outputs = self.compute_layer(&first, passwords)?;
        let Some(outer) = outer else { return Ok(outputs) };
        let texts: Vec<_> = outputs.iter().map(|output| outer.password(output)).collect();
        self.compute_layer(&outer.admitted(), &texts)
    }

    fn compute_layer(
        &mut self,
        admitted: &Admitted,
        passwords: &[Password],
    ) -> Result<Vec<Output>, OutOfMemory> {
        let algorithm = admitted.setting().algorithm();
        if !self.settings.runs_in_lanes(Cost::of_reading(admitted.setting(), 0, self.settings.kernels)) {
            return passwords
                .iter()
                .map(|password| self.whole.compute(admitted, password.expose()))
                .collect();
        }
        let mut outputs = Vec::with_capacity(passwords.len());
        for at_once in passwords.chunks(self.lanes(admitted.setting())) {
            let start = |password: &Password| Lane::start(admitted, password.expose(), &self.arena);
            let starting: Result<Vec<_>, _> = at_once.iter().map(start).collect();
            let mut lanes: Vec<_> = starting?.into_iter().flatten().collect();
            let work = lanes.first().map_or(0, Lane::remaining);
            lanes::advance(algorithm, lanes.iter_mut(), work);
            outputs.extend(lanes.into_iter().map(|lane| lane.finish(admitted)));
        }
        Ok(outputs)
    }
}
