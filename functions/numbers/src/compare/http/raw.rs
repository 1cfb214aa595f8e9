//! Bare loops: a thread for each core that only calls the kernel.

use core::{error::Error, time::Duration};
use std::{thread, time::Instant};

use saltern_algorithm::{Admitted, paths::Argon2};
use saltern_encoded::{Params, Setting, bcrypt};
use saltern_meter::{Meter, thread_time};

use super::super::{
    cores,
    kernels::{
        PASSWORD, admitted,
        bcrypt::{Work, by_lanes},
    },
    peers::{argon2::Argon2C, libxcrypt::Libxcrypt},
};

/// A kernel and its work.
pub(crate) enum Raw {
    Crates(Work),
    Lanes(Vec<Work>),
    Libxcrypt(Work),
    Argon2C(Admitted),
    Argon2Lanes(Admitted),
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

pub(crate) fn crates(params: Params) -> Result<Raw, Box<dyn Error>> {
    Ok(Raw::Crates(Work::new(bcrypt(params)?, 0)?))
}

pub(crate) fn lanes(params: Params) -> Result<Raw, Box<dyn Error>> {
    let params = bcrypt(params)?;
    let lanes = Meter::new().lanes(&Work::new(params, 0)?.admitted);
    let work = (0..u8::try_from(lanes)?).map(|index| Work::new(params, index));
    Ok(Raw::Lanes(work.collect::<Result<_, _>>()?))
}

pub(crate) fn libxcrypt(params: Params) -> Result<Raw, Box<dyn Error>> {
    Ok(Raw::Libxcrypt(Work::new(bcrypt(params)?, 0)?))
}

/// The C reference for Argon2, on kept memory.
pub(crate) fn argon2_c(params: Params) -> Result<Raw, Box<dyn Error>> {
    Ok(Raw::Argon2C(admitted(params)?))
}

/// Saltern's kernel for Argon2 with the lanes of a worker.
pub(crate) fn argon2_lanes(params: Params) -> Result<Raw, Box<dyn Error>> {
    Ok(Raw::Argon2Lanes(admitted(params)?))
}

fn bcrypt(params: Params) -> Result<bcrypt::Params, &'static str> {
    if let Params::Bcrypt(params) = params { Ok(params) } else { Err("not bcrypt") }
}

impl Raw {
    /// Runs the loop on all cores for this time.
    pub(crate) fn run(&self, window: Duration) -> Result<Speed, Box<dyn Error>> {
        let speeds: Option<Vec<Speed>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..cores()).map(|_| scope.spawn(|| self.on_one_core(window))).collect();
            threads.into_iter().map(|thread| thread.join().expect("a loop that ends")).collect()
        });
        let speeds = speeds.ok_or("a library is missing or computes another output")?;
        let rate: f64 = speeds.iter().map(|speed| speed.rate).sum();
        let cpu_seconds: f64 = speeds.iter().map(|speed| speed.rate * speed.cpu_seconds_each).sum();
        Ok(Speed { rate, cpu_seconds_each: cpu_seconds / rate })
    }

    fn on_one_core(&self, window: Duration) -> Option<Speed> {
        let mut call = self.on_this_thread()?;
        let (start, cpu_start) = (Instant::now(), thread_time());
        let mut hashes = 0_u32;
        while start.elapsed() < window {
            hashes += call()?;
        }
        let cpu = thread_time().saturating_sub(cpu_start);
        let hashes = f64::from(hashes);
        Some(Speed {
            rate: hashes / start.elapsed().as_secs_f64(),
            cpu_seconds_each: cpu.as_secs_f64() / hashes,
        })
    }

    /// Returns a call that computes some hashes and returns their number. Its memory exists before
    /// the first call.
    fn on_this_thread(&self) -> Option<Call<'_>> {
        Some(match self {
            Self::Crates(work) => Box::new(|| {
                work.by_crate();
                Some(1)
            }),
            Self::Lanes(work) => Box::new(|| u32::try_from(by_lanes(work).len()).ok()),
            Self::Libxcrypt(work) => {
                let mut libxcrypt = Libxcrypt::open().ok()?;
                Box::new(move || work.by_libxcrypt(&mut libxcrypt).map(|_| 1))
            }
            Self::Argon2C(admitted) => {
                let Setting::Argon2(setting) = admitted.setting() else { return None };
                let mut c = Argon2C::new(usize::try_from(admitted.memory_bytes()).ok()?).ok()?;
                Box::new(move || c.hash(setting, PASSWORD.as_bytes()).map(|_| 1))
            }
            Self::Argon2Lanes(admitted) => {
                let paths = Argon2::paths(admitted.memory_bytes() * LANES.len() as u64);
                let (_, kernel) = paths.into_iter().next()?;
                let call = move || u32::try_from(kernel.compute_in_lanes(admitted, &LANES)?.len()).ok();
                call()?;
                Box::new(call)
            }
        })
    }
}

type Call<'a> = Box<dyn FnMut() -> Option<u32> + 'a>;

/// The passwords of a worker's four lanes.
const LANES: [&[u8]; 4] = [PASSWORD.as_bytes(); 4];
