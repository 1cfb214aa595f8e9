//! Single kernels and code paths without a worker, for comparisons with other code.
//!
//! A server computes by a pool, which chooses the fastest path of the machine. As there, only an
//! [`Admitted`] setting is computed.

use core::fmt;

use saltern_encoded::{Setting, pbkdf2::Prf};

use crate::{
    Admitted, Output,
    arena::Arena,
    argon2::{kernel, lanes as argon2_lanes},
    bcrypt::lanes::{Lane, advance},
    pbkdf2::{choice, lanes as pbkdf2_lanes},
    scrypt::lanes as scrypt_lanes,
};

/// Computes one to eight bcrypt hashes of one cost in step.
///
/// # Panics
/// If a setting is not bcrypt's, or the costs differ.
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
        .map(|(lane, (admitted, _))| written(admitted, |output| lane.finish(output)))
        .collect()
}

/// Argon2 on kept memory, by the fastest instructions of the machine.
#[derive(Debug)]
pub struct Argon2 {
    arena: Arena,
}

impl Argon2 {
    /// Keeps up to so much memory between two hashes.
    #[must_use]
    pub fn new(keep_bytes: u64) -> Self {
        Self { arena: Arena::new(keep_bytes) }
    }

    /// Computes one hash; `None` for another algorithm, or without memory.
    #[must_use]
    pub fn compute(&self, admitted: &Admitted, password: &[u8]) -> Option<Output> {
        let Setting::Argon2(setting) = admitted.setting() else { return None };
        let mut output = Output::zeroed(setting.output_bytes());
        kernel::compute(setting, password, output.as_mut(), &self.arena).ok()?;
        Some(output)
    }

    /// Computes a hash for each password, all side by side; `None` for another algorithm, or
    /// without memory.
    #[must_use]
    pub fn compute_in_lanes(&self, admitted: &Admitted, passwords: &[&[u8]]) -> Option<Vec<Output>> {
        let Setting::Argon2(setting) = admitted.setting() else { return None };
        let start = |password: &&[u8]| argon2_lanes::Lane::start(setting, password, &self.arena).ok();
        let mut lanes: Vec<_> = passwords.iter().map(start).collect::<Option<_>>()?;
        let steps = lanes.first().map_or(0, argon2_lanes::Lane::remaining);
        argon2_lanes::advance(&mut lanes.iter_mut().collect::<Vec<_>>(), steps);
        let finish = |lane: argon2_lanes::Lane| written(admitted, |output| lane.finish(output));
        Some(lanes.into_iter().map(finish).collect())
    }
}

/// Computes PBKDF2 hashes of one function and cost in step, on one code path.
///
/// # Panics
/// If a setting is not PBKDF2's, if the costs or functions differ, or if there are too many hashes.
#[must_use]
pub fn pbkdf2(Pbkdf2Path(path): Pbkdf2Path, hashes: &[(&Admitted, &[u8])]) -> Vec<Output> {
    let mut lanes: Vec<_> = hashes
        .iter()
        .map(|(admitted, password)| match admitted.setting() {
            Setting::Pbkdf2(setting) => pbkdf2_lanes::Lane::start(setting, password),
            other => panic!("not PBKDF2: {other:?}"),
        })
        .collect();
    let steps = lanes.first().map_or(0, |lane| lane.remaining());
    let mut in_step: Vec<&mut pbkdf2_lanes::Lane> = lanes.iter_mut().map(|lane| &mut **lane).collect();
    pbkdf2_lanes::advance_on(path, &mut in_step, steps);
    lanes
        .into_iter()
        .zip(hashes)
        .map(|(lane, (admitted, _))| written(admitted, |output| lane.finish(output)))
        .collect()
}

/// A code path of PBKDF2.
#[derive(Clone, Copy, Debug)]
pub struct Pbkdf2Path(choice::Path);

impl fmt::Display for Pbkdf2Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// Returns the paths of this machine for this function, each with the numbers of streams of its
/// kernels.
#[must_use]
pub fn pbkdf2_paths(prf: Prf) -> Vec<(Pbkdf2Path, Vec<usize>)> {
    let paths = choice::Path::ALL.into_iter().filter(|path| path.available());
    paths
        .map(|path| (Pbkdf2Path(path), path.streams(prf).collect::<Vec<_>>()))
        .filter(|(_, streams)| !streams.is_empty())
        .collect()
}

/// scrypt on kept memory, by the fastest instructions of the machine.
#[derive(Debug)]
pub struct Scrypt {
    arena: Arena,
}

impl Scrypt {
    /// Keeps up to so much memory between two hashes.
    #[must_use]
    pub fn new(keep_bytes: u64) -> Self {
        Self { arena: Arena::new(keep_bytes) }
    }

    /// Computes a hash for each password, all side by side; `None` for another algorithm, or
    /// without memory.
    #[must_use]
    pub fn compute_in_lanes(&self, admitted: &Admitted, passwords: &[&[u8]]) -> Option<Vec<Output>> {
        let Setting::Scrypt(setting) = admitted.setting() else { return None };
        let start = |password: &&[u8]| scrypt_lanes::Lane::start(setting, password, &self.arena).ok();
        let mut lanes: Vec<_> = passwords.iter().map(start).collect::<Option<_>>()?;
        let work = lanes.first().map_or(0, scrypt_lanes::Lane::remaining);
        scrypt_lanes::advance(&mut lanes.iter_mut().collect::<Vec<_>>(), work);
        let finish = |lane: scrypt_lanes::Lane| written(admitted, |output| lane.finish(output));
        Some(lanes.into_iter().map(finish).collect())
    }
}

/// Returns the output of a hash, which `finish` writes.
fn written(admitted: &Admitted, finish: impl FnOnce(&mut [u8])) -> Output {
    let mut output = Output::zeroed(admitted.setting().output_bytes());
    finish(output.as_mut());
    output
}
