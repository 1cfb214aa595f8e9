//! The bare loops: a thread for each core, and nothing around the kernel.

use core::{error::Error, time::Duration};
use std::{thread, time::Instant};

use saltern_encoded::bcrypt;

use crate::{
    kernels::bcrypt::{Work, by_lanes},
    libxcrypt::Libxcrypt,
};

use super::lanes_a_core;

/// One kernel and its work.
pub(crate) struct Raw {
    kernel: Kernel,
    work: Vec<Work>,
}

#[derive(Clone, Copy)]
enum Kernel {
    Crates,
    Lanes,
    Libxcrypt,
}

pub(crate) fn crates(cost: u32) -> Result<Raw, Box<dyn Error>> {
    Raw::new(Kernel::Crates, cost, 1)
}

pub(crate) fn lanes(cost: u32) -> Result<Raw, Box<dyn Error>> {
    Raw::new(Kernel::Lanes, cost, lanes_a_core())
}

pub(crate) fn libxcrypt(cost: u32) -> Result<Raw, Box<dyn Error>> {
    Raw::new(Kernel::Libxcrypt, cost, 1)
}

impl Raw {
    fn new(kernel: Kernel, cost: u32, at_once: usize) -> Result<Self, Box<dyn Error>> {
        let params = bcrypt::Params::new(cost).ok_or("bcrypt has no such cost")?;
        let work =
            (0..u8::try_from(at_once)?).map(|index| Work::new(params, index)).collect::<Result<_, _>>()?;
        Ok(Self { kernel, work })
    }

    /// Hashes a second of all cores together, for so long.
    pub(crate) fn hashes_a_second(&self, window: Duration) -> Result<f64, Box<dyn Error>> {
        let cores = thread::available_parallelism()?.get();
        thread::scope(|scope| {
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(|| self.on_one_core(window))).collect();
            threads.into_iter().map(|thread| thread.join().expect("a loop that ends")).sum::<Option<f64>>()
        })
        .ok_or_else(|| "libxcrypt is missing or computes another hash".into())
    }

    fn on_one_core(&self, window: Duration) -> Option<f64> {
        let mut libxcrypt = match self.kernel {
            Kernel::Libxcrypt => Some(Libxcrypt::open().ok()?),
            Kernel::Crates | Kernel::Lanes => None,
        };
        let start = Instant::now();
        let mut hashes = 0_u32;
        while start.elapsed() < window {
            match (&mut libxcrypt, self.kernel) {
                (Some(libxcrypt), _) => drop(self.work[0].by_libxcrypt(libxcrypt)?),
                (None, Kernel::Lanes) => drop(by_lanes(&self.work)),
                (None, _) => drop(self.work[0].by_crate()),
            }
            hashes += u32::try_from(self.work.len()).ok()?;
        }
        Some(f64::from(hashes) / start.elapsed().as_secs_f64())
    }
}
