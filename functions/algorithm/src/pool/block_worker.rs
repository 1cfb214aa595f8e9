//! A thread that computes one hash at a time, from start to end: the hashes that have no lanes.

use std::{sync::atomic::Ordering, time::Instant};

use super::{
    schedule::{Waiting, Wake},
    shared::Shared,
    submitted::Submitted,
    work::{Done, Dropped},
};
use crate::{OutOfMemory, compute::WholeKernel};

/// Works until the pool is closed and its queue is empty.
pub(super) fn run(shared: &Shared, worker: usize, kernel: &mut WholeKernel) {
    loop {
        let mut schedule = shared.lock();
        let found = schedule.block_free(worker, Instant::now());
        let refusals: Vec<_> = schedule.refusals(found.expired, found.overloaded).collect();
        let nothing_found = found.started.is_empty() && refusals.is_empty();
        if nothing_found && schedule.closed() {
            return;
        }
        if nothing_found {
            let woken = shared.sleep(schedule, Wake::BlockWorker(worker), kernel.give_back_after());
            if !woken {
                kernel.give_back_memory();
                publish_memory(shared, worker, kernel);
            }
            continue;
        }
        drop(schedule);
        for (job, answer) in refusals {
            job.answer(answer);
        }
        for waiting in found.started {
            compute(shared, worker, waiting, kernel);
        }
    }
}

fn compute(shared: &Shared, worker: usize, waiting: Waiting<Submitted>, kernel: &mut WholeKernel) {
    let Waiting { job, cost, deadline, since, .. } = waiting;
    let started = Instant::now();
    let computed = job.guarded(|| kernel.compute(&job.admitted, job.password.expose()));
    let hashed = started.elapsed();
    publish_memory(shared, worker, kernel);
    let measured = matches!(computed, Ok(Ok(_))).then_some((cost, hashed));
    // The worker is free before the answer is out: the caller may send its next request at once.
    shared.lock().block_done(worker, measured);
    job.answer(match computed {
        Ok(Ok(_)) if started + hashed > deadline => Err(Dropped::DeadlineExceeded),
        Ok(Ok(output)) => Ok(Done { output, queued: started - since, hashed, lanes: 1 }),
        Ok(Err(OutOfMemory)) => Err(Dropped::NoMemory),
        Err(fault) => Err(fault),
    });
}

/// Publishes how much memory this worker holds, for metrics.
fn publish_memory(shared: &Shared, worker: usize, kernel: &WholeKernel) {
    shared.arena_bytes[worker].store(kernel.arena_bytes(), Ordering::Relaxed);
}
