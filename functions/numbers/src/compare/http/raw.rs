//! Bare loops: a thread for each core that only calls the kernel.

use core::{error::Error, time::Duration};
use std::{thread, time::Instant};

use saltern_encoded::bcrypt;
use saltern_meter::{Meter, thread_time};

use super::{
    super::{
        kernels::bcrypt::{Work, by_lanes},
        peers::libxcrypt::Libxcrypt,
    },
    cores,
};

/// A kernel and its work.
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

/// The speed of a loop.
#[derive(Clone, Copy)]
pub(crate) struct Speed {
    /// Hashes a second of wall time.
    pub(crate) rate: f64,
    /// CPU time for each hash.
    pub(crate) cpu_seconds_each: f64,
}

impl Speed {
    pub(crate) fn mean(self, other: Self) -> Self {
        Self {
            rate: f64::midpoint(self.rate, other.rate),
            cpu_seconds_each: f64::midpoint(self.cpu_seconds_each, other.cpu_seconds_each),
        }
    }
}

pub(crate) fn crates(cost: u32) -> Result<Raw, Box<dyn Error>> {
    Raw::new(Kernel::Crates, cost, 1)
}

pub(crate) fn lanes(cost: u32) -> Result<Raw, Box<dyn Error>> {
    let one = Raw::new(Kernel::Lanes, cost, 1)?;
    Raw::new(Kernel::Lanes, cost, Meter::new().lanes(&one.work[0].admitted))
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

    /// Runs the loop on all cores for this time.
    pub(crate) fn run(&self, window: Duration) -> Result<Speed, Box<dyn Error>> {
        let speeds: Option<Vec<Speed>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..cores()).map(|_| scope.spawn(|| self.on_one_core(window))).collect();
            threads.into_iter().map(|thread| thread.join().expect("a loop that ends")).collect()
        });
        let speeds = speeds.ok_or("libxcrypt is missing or computes another output")?;
        let rate: f64 = speeds.iter().map(|speed| speed.rate).sum();
        let cpu_seconds: f64 = speeds.iter().map(|speed| speed.rate * speed.cpu_seconds_each).sum();
        Ok(Speed { rate, cpu_seconds_each: cpu_seconds / rate })
    }

    fn on_one_core(&self, window: Duration) -> Option<Speed> {
        let mut libxcrypt = match self.kernel {
            Kernel::Libxcrypt => Some(Libxcrypt::open().ok()?),
            Kernel::Crates | Kernel::Lanes => None,
        };
        let (start, cpu_start) = (Instant::now(), thread_time());
        let mut hashes = 0_u32;
        while start.elapsed() < window {
            match (&mut libxcrypt, self.kernel) {
                (Some(libxcrypt), _) => drop(self.work[0].by_libxcrypt(libxcrypt)?),
                (None, Kernel::Lanes) => drop(by_lanes(&self.work)),
                (None, _) => drop(self.work[0].by_crate()),
            }
            hashes += u32::try_from(self.work.len()).ok()?;
        }
        let cpu = thread_time().saturating_sub(cpu_start);
        let hashes = f64::from(hashes);
        Some(Speed {
            rate: hashes / start.elapsed().as_secs_f64(),
            cpu_seconds_each: cpu.as_secs_f64() / hashes,
        })
    }
}
