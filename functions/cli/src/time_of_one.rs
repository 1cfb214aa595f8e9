//! The time of one hash on this machine.

use core::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use saltern_kernels::{Admitted, OutOfMemory, Password};
use saltern_pool::OneCore;

/// Returns the processor time of one hash alone, without the time of other programs: the mean of at
/// least one hash, and of as many as take [`ENOUGH`].
///
/// # Errors
/// [`OutOfMemory`] if the system does not give the memory.
pub(crate) fn time_of_one(core: &mut OneCore, admitted: &Admitted) -> Result<Duration, OutOfMemory> {
    let password = [Password::new(A_PASSWORD).unwrap_or_else(|_too_long| Password::empty())];
    // The first hash does not count: the system hands out fresh memory, which can take ten times as
    // long as the hash.
    black_box(core.compute(admitted, &password)?);
    let (began, mut hashes) = (processor_time(), 0);
    loop {
        black_box(core.compute(admitted, &password)?);
        hashes += 1;
        let took = processor_time().saturating_sub(began);
        if took >= ENOUGH {
            return Ok(took / hashes);
        }
    }
}

/// Returns the processor time of this process: Argon2 may use several threads.
fn processor_time() -> Duration {
    // The clock starts at zero with the process, so the time is never negative.
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

const A_PASSWORD: &[u8] = b"correct horse battery staple";

/// Long enough that the resolution of the clock, a microsecond, does not show. A table can have many
/// kinds of hashes.
const ENOUGH: Duration = Duration::from_millis(5);
