//! A thread that computes one hash at a time, from start to end: the hashes that have no lanes.

use std::{thread, time::Instant};

use saltern_encoded::Setting;

use super::{
    estimate::Cost,
    schedule::{Job as _, Part, SLICE, Waiting, Wake},
    shared::Shared,
    submitted::Submitted,
    work::{Done, Dropped},
};
use saltern_kernels::{OutOfMemory, Output, Password, WholeKernel};

/// Works until the pool is closed and its queue is empty.
pub(super) fn run(shared: &Shared, worker: usize, kernel: &mut WholeKernel) {
    loop {
        let mut schedule = shared.lock();
        let found = schedule.block_free(worker, Instant::now());
        let refusals: Vec<_> = schedule.refusals(found.expired, found.overloaded).collect();
        let other = schedule.wake_for_memory();
        let nothing_found = found.started.is_empty() && refusals.is_empty();
        if nothing_found && schedule.workers.closed {
            if !schedule.waits_for_memory() {
                return;
            }
            drop(schedule);
            thread::sleep(SLICE);
            continue;
        }
        if nothing_found {
            shared.ring(other);
            shared.sleep(schedule, Wake::BlockWorker(worker));
            continue;
        }
        drop(schedule);
        shared.ring(other);
        for (job, answer) in refusals {
            job.answer(answer);
        }
        for waiting in found.started {
            compute(shared, worker, waiting, kernel);
        }
    }
}

fn compute(shared: &Shared, worker: usize, waiting: Waiting<Submitted>, kernel: &mut WholeKernel) {
    let Waiting { job, deadline, since, .. } = waiting;
    let started = Instant::now();
    let mut measured = Vec::new();
    let computed = Parts { job: &job, deadline, kernel, measured: &mut measured }.compute();
    let hashed = started.elapsed();
    // The worker is free before the answer is out: the caller may send its next request at once.
    shared.lock().block_done(worker, &measured, Instant::now());
    job.answer(match computed {
        Ok(_) if started + hashed > deadline => Err(Dropped::DeadlineExceeded),
        Ok((output, second)) => Ok(Done { output, second, queued: started - since, hashed, lanes: 1 }),
        Err(dropped) => Err(dropped),
    });
}

/// The parts of a job, which are computed one after the other: both layers of a wrapped hash, for
/// each reading of the password.
struct Parts<'a> {
    job: &'a Submitted,
    deadline: Instant,
    kernel: &'a mut WholeKernel,
    measured: &'a mut Vec<Part>,
}

impl Parts<'_> {
    /// Computes the hash of each reading. The number of parts depends on the setting and on the
    /// number of readings alone.
    fn compute(mut self) -> Result<(Output, Option<Output>), Dropped> {
        let output = self.hash(&self.job.password)?;
        let second = self.job.second.as_ref().map(|second| self.hash(second)).transpose()?;
        Ok((output, second))
    }

    fn hash(&mut self, password: &Password) -> Result<Output, Dropped> {
        let (admitted, password) = (&self.job.admitted, password.expose());
        let Setting::Wrapped(wrapped) = admitted.setting() else {
            return self.part(admitted.setting(), password, |kernel| kernel.last(admitted, password));
        };
        let inner = wrapped.inner().setting();
        let inner = self.part(inner, password, |kernel| kernel.inner(admitted, password))?;
        let input = inner.as_ref().map_or(password, |text| text.as_bytes());
        self.part(admitted.setting(), input, |kernel| kernel.last(admitted, input))
    }

    /// Computes a part, unless the job is late or without a caller.
    fn part<T>(
        &mut self,
        setting: &Setting,
        input: &[u8],
        compute: impl FnOnce(&mut WholeKernel) -> Result<T, OutOfMemory>,
    ) -> Result<T, Dropped> {
        let started = Instant::now();
        if self.job.abandoned() || started > self.deadline {
            return Err(Dropped::DeadlineExceeded);
        }
        let computed = self.job.guarded(|| compute(self.kernel))?.map_err(|OutOfMemory| Dropped::NoMemory)?;
        let cost = Cost::of_layer(setting, input.len(), self.kernel.kernels());
        let core_time = started.elapsed() * cost.threads;
        self.measured.push(Part { cost, core_time });
        Ok(computed)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use saltern_kernels::{Admitted, Arena, Ceilings, Kernels};

    use crate::{Caller, Ticket};

    #[test]
    fn a_hash_whose_caller_leaves_ends_after_the_current_part() {
        let stored = saltern_encoded::parse("$1$salt$......................").unwrap();
        let ceilings = Ceilings { sha_crypt_rounds: 1_000, ..Ceilings::default() };
        let admitted = Admitted::new(stored.setting().clone(), &ceilings).unwrap();
        let (ticket, reply) = Ticket::with_reply();
        let password = Password::new(b"password").unwrap();
        let job = Submitted { admitted, password, second: None, caller: Caller::default(), reply };
        let (mut kernel, mut measured) = (WholeKernel::new(Kernels::Own, Arena::new(0)), Vec::new());
        let deadline = Instant::now() + Duration::from_hours(1);
        let mut parts = Parts { job: &job, deadline, kernel: &mut kernel, measured: &mut measured };
        let during = parts.part(stored.setting(), b"", |_| {
            drop(ticket);
            Ok(())
        });
        let after = parts.part(stored.setting(), b"", |_| Ok(()));
        assert_eq!((during, after), (Ok(()), Err(Dropped::DeadlineExceeded)));
        assert_eq!(measured.len(), 1);
    }
}
