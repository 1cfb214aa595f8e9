//! A thread that computes one hash at a time, from start to end: the hashes that have no lanes.

use std::time::Instant;

use super::{
    estimate::Cost,
    schedule::{Job as _, Part, Waiting, Wake},
    shared::Shared,
    submitted::Submitted,
    work::{Done, Dropped},
};
use saltern_kernels::{OutOfMemory, Output, Password, WholeKernel};

/// Works until the pool is closed and its queue is empty.
pub(super) fn run(shared: &Shared, worker: usize, kernel: &mut WholeKernel) {
    loop {
        let mut schedule = shared.lock();
        let now = Instant::now();
        let found = schedule.block_free(worker, now);
        let refusals: Vec<_> = schedule.refusals(found.expired, found.overloaded).collect();
        let other = schedule.wake_for_waiting(now);
        if found.started.is_empty() && refusals.is_empty() {
            if shared.rest(schedule, other, Wake::BlockWorker(worker)) {
                return;
            }
            continue;
        }
        drop(schedule);
        shared.ring(other);
        for (job, dropped) in refusals {
            job.fail(dropped);
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
    let answer = match computed {
        Ok((output, second)) => Ok(Done { output, second, queued: started - since, hashed, lanes: 1 }),
        Err(dropped) => Err(dropped),
    };
    shared.answer(job, answer);
}

/// The parts of a job, which are computed one after the other: one for each reading of the password.
struct Parts<'a> {
    job: &'a Submitted,
    deadline: Instant,
    kernel: &'a mut WholeKernel,
    measured: &'a mut Vec<Part>,
}

impl Parts<'_> {
    fn compute(mut self) -> Result<(Output, Option<Output>), Dropped> {
        let output = self.hash(&self.job.password)?;
        let second = self.job.second.as_ref().map(|second| self.hash(second)).transpose()?;
        Ok((output, second))
    }

    /// Computes a part, unless the job is late or without a caller.
    fn hash(&mut self, password: &Password) -> Result<Output, Dropped> {
        let started = Instant::now();
        if self.job.abandoned() || started > self.deadline {
            return Err(Dropped::DeadlineExceeded);
        }
        let (admitted, password) = (&self.job.admitted, password.expose());
        let computed = self.job.guarded(|| self.kernel.compute(admitted, password))?;
        let computed = computed.map_err(|OutOfMemory| Dropped::NoMemory)?;
        let cost = Cost::of_reading(admitted.setting(), password.len(), self.kernel.kernels());
        let core_time = started.elapsed() * cost.threads;
        self.measured.push(Part { cost, core_time });
        Ok(computed)
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::*;
    use saltern_kernels::{Admitted, Arena, Ceilings, Kernels};

    use crate::{Ticket, Work};

    #[test]
    fn a_hash_whose_caller_leaves_ends_after_the_current_part() {
        let stored = saltern_encoded::parse("$1$salt$......................").unwrap();
        let ceilings = Ceilings { sha_crypt_rounds: 1_000, ..Ceilings::default() };
        let admitted = Admitted::new(stored.setting().clone(), &ceilings).unwrap();
        let (ticket, reply) = Ticket::with_reply();
        let password = Password::new(b"password").unwrap();
        let deadline = Instant::now() + Duration::from_hours(1);
        let job = Submitted::new(
            Work::new(admitted, password.clone(), deadline),
            reply,
            &Arc::default(),
            Kernels::Own,
        );
        let (mut kernel, mut measured) = (WholeKernel::new(Kernels::Own, Arena::new(0)), Vec::new());
        let mut parts = Parts { job: &job, deadline, kernel: &mut kernel, measured: &mut measured };
        assert!(parts.hash(&password).is_ok());
        drop(ticket);
        assert_eq!(parts.hash(&password).unwrap_err(), Dropped::DeadlineExceeded);
        assert_eq!(measured.len(), 1);
    }
}
