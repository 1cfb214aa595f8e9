//! The kernels without a worker around them, for `saltern-bench` only: one function an algorithm, and no promise.
//!
//! It takes [`Admitted`] settings like every other road to a kernel.

use core::fmt;

use saltern_encoded::{Setting, pbkdf2::Prf};

use crate::{
    Admitted, Kernels, OutOfMemory, Output,
    arena::Arena,
    argon2::kernel::Path,
    bcrypt::lanes::{Lane, advance},
    kernels::WholeKernel,
    pbkdf2::lanes as pbkdf2_lanes,
};

/// Computes one to eight bcrypt hashes of one cost, all in step.
///
/// # Panics
/// Where a setting is not bcrypt's, or the costs differ.
#[must_use]
pub fn bcrypt(hashes: &[(&Admitted, &[u8])]) -> Vec<Output> {
    let mut lanes: Vec<_> = hashes
        .iter()
        .map(|(admitted, password)| match admitted.setting() {
            Setting::Bcrypt(setting) => Lane::start(setting, password),
            other => panic!("not bcrypt: {other:?}"),
        })
        .collect();
    let steps = lanes.first().map_or(0, |lane| lane.remaining());
    let mut in_step: Vec<&mut Lane> = lanes.iter_mut().map(|lane| &mut **lane).collect();
    advance(&mut in_step, steps);
    lanes
        .into_iter()
        .zip(hashes)
        .map(|(lane, (admitted, _))| {
            let mut output = Output::zeroed(admitted.setting().output_bytes());
            lane.finish(output.as_mut());
            output
        })
        .collect()
}

/// Computes one hash as a worker does that computes hashes whole.
///
/// # Panics
/// Where the system gives no memory.
#[must_use]
pub fn whole(admitted: &Admitted, password: &[u8]) -> Output {
    let computed = WholeKernel::new(Kernels::Own, 0).compute(admitted, password);
    computed.unwrap_or_else(|OutOfMemory| panic!("no memory for a hash"))
}

/// How many bcrypt lanes a worker on this machine keeps, where nobody says otherwise.
#[must_use]
pub fn bcrypt_lanes_that_fit_l1() -> usize {
    crate::bcrypt::lanes::lanes_that_fit_l1()
}

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
        let Setting::Argon2(setting) = admitted.setting() else { return None };
        let mut output = Output::zeroed(setting.output_bytes());
        self.path.compute(setting, password, output.as_mut(), &mut self.arena).ok()?;
        Some(output)
    }
}

/// Computes PBKDF2 hashes of one function and cost, all in step: by one code path, or by the fastest kernels.
///
/// # Panics
/// Where a setting is not PBKDF2's, the costs or functions differ, or they are more than the widest kernel takes.
#[must_use]
pub fn pbkdf2(path: Option<Pbkdf2Path>, hashes: &[(&Admitted, &[u8])]) -> Vec<Output> {
    let mut lanes: Vec<_> = hashes
        .iter()
        .map(|(admitted, password)| match admitted.setting() {
            Setting::Pbkdf2(setting) => pbkdf2_lanes::Lane::start(setting, password),
            other => panic!("not PBKDF2: {other:?}"),
        })
        .collect();
    let steps = lanes.first().map_or(0, |lane| lane.remaining());
    let mut in_step: Vec<&mut pbkdf2_lanes::Lane> = lanes.iter_mut().map(|lane| &mut **lane).collect();
    match path {
        Some(Pbkdf2Path(path)) => pbkdf2_lanes::advance_on(path, &mut in_step, steps),
        None => pbkdf2_lanes::advance(&mut in_step, steps),
    }
    lanes
        .into_iter()
        .zip(hashes)
        .map(|(lane, (admitted, _))| {
            let mut output = Output::zeroed(admitted.setting().output_bytes());
            lane.finish(output.as_mut());
            output
        })
        .collect()
}

/// A code path of PBKDF2.
#[derive(Clone, Copy, Debug)]
pub struct Pbkdf2Path(pbkdf2_lanes::Path);

impl fmt::Display for Pbkdf2Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// The paths for this function that the machine has, each with the numbers of streams that its kernels take.
#[must_use]
pub fn pbkdf2_paths(prf: Prf) -> Vec<(Pbkdf2Path, Vec<usize>)> {
    let paths = pbkdf2_lanes::Path::ALL.into_iter().filter(|path| path.available());
    paths
        .map(|path| (Pbkdf2Path(path), path.streams(prf).collect::<Vec<_>>()))
        .filter(|(_, streams)| !streams.is_empty())
        .collect()
}

/// How many PBKDF2 lanes a worker on this machine keeps.
#[must_use]
pub fn pbkdf2_width(prf: Prf) -> usize {
    pbkdf2_lanes::width(prf)
}
