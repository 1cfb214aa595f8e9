//! Answers calibrate events, for `saltern-numbers calibrate --on-lambda`: it measures how long a
//! hash takes in this function.
//!
//! A calibrate event is not a request. Only a direct `Invoke` can send it, and it contains no
//! password.

use core::cmp::min;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use saltern_algorithm::{Admitted, OutOfMemory, PoolSettings};
use saltern_meter::{
    Effort, Machine, Measured, Meter, SHORTEST_SAMPLE,
    remote::{Answer, Event, Outcome, Question, Reason, Response},
};
use saltern_policy::{Policies, Refusal};
use serde_json::value::RawValue;
use tokio::{
    sync::Semaphore,
    task::spawn_blocking,
    time::{Instant as TokioInstant, timeout_at},
};

/// Measures hashes below the ceilings of the policy document, with the kernels of the pool.
#[derive(Debug)]
pub(crate) struct Calibrator {
    policies: Policies,
    pool: PoolSettings,
    memory_mb: u64,
    /// Allows one measurement at a time. More would disturb each other, and would need more memory
    /// than the workers leave.
    turn: Arc<Semaphore>,
}

impl Calibrator {
    pub(crate) fn new(policies: Policies, pool: PoolSettings, memory_mb: u64) -> Self {
        Self { policies, pool, memory_mb, turn: Arc::new(Semaphore::new(1)) }
    }

    /// Reads a calibrate event. Returns `None` if the event is something else.
    pub(crate) fn question(event: &RawValue) -> Option<Question> {
        serde_json::from_str(event.get()).ok().map(|event: Event| event.question)
    }

    /// Measures, and answers before the deadline.
    pub(crate) async fn reply(&self, question: Question, not_after: Instant) -> Response {
        let outcome = match self.admit(&question.hash) {
            Err(reason) => Outcome::Refused(reason),
            Ok(admitted) => self.in_turn(admitted, question, not_after).await,
        };
        tracing::info!(measured = matches!(outcome, Outcome::Measured(_)), "a calibrate event was answered");
        Response { answer: Answer { machine: Machine::this(), memory_mb: self.memory_mb, outcome } }
    }

    /// Measures if no other measurement is running.
    async fn in_turn(&self, admitted: Admitted, question: Question, not_after: Instant) -> Outcome {
        let deadline = TokioInstant::from_std(not_after);
        let Ok(turn) = Arc::clone(&self.turn).try_acquire_owned() else {
            // A measurement in the remaining time would be limited by that time. So the caller
            // repeats the event, when the other measurement has ended.
            let _free_or_timeout = timeout_at(deadline, self.turn.acquire()).await;
            return Outcome::Refused(Reason::Busy);
        };
        let meter = Meter::of_worker(&self.pool);
        let measuring = spawn_blocking(move || {
            // A hash cannot be stopped. After the deadline it keeps its turn until it ends; the
            // ceilings bound that time.
            let _turn = turn;
            measure(meter, &admitted, &question, not_after)
        });
        match timeout_at(deadline, measuring).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_panic)) => Outcome::Refused(Reason::Fault),
            Err(_late) => Outcome::Refused(Reason::DeadlineExceeded),
        }
    }

    /// Admits a hash by the same rules as for verifying.
    fn admit(&self, hash: &str) -> Result<Admitted, Reason> {
        match self.policies.admit_stored(hash) {
            Ok(stored) => Ok(stored.admitted().clone()),
            Err(Refusal::CostOutOfBounds) => Err(Reason::CostOutOfBounds),
            Err(_) => Err(Reason::UnsupportedHash),
        }
    }
}

/// Measures with the requested effort, or with less if the time is too short.
fn measure(mut meter: Meter, admitted: &Admitted, question: &Question, not_after: Instant) -> Outcome {
    let mut measure = |effort: &Effort| -> Result<Measured, OutOfMemory> {
        if question.in_lanes { meter.in_lanes(admitted, effort) } else { meter.one(admitted, effort) }
    };
    let measured = measure(&ONCE).and_then(|once| {
        let requested = question.effort();
        let left = not_after.saturating_duration_since(Instant::now()) / SHARE_OF_WHAT_IS_LEFT;
        let fit = samples(left, once.wall_ms.median);
        // The first sample warms up, so fewer than two are useless.
        if fit < 2 {
            return Ok(once);
        }
        let most_samples = min(requested.most_samples, MOST_SAMPLES).max(1);
        let fewest_samples = min(requested.fewest_samples, most_samples);
        measure(&if fewest_samples < fit / MUCH_SLOWER {
            Effort { fewest_samples, most_samples, time: min(requested.time, left) }
        } else {
            Effort { fewest_samples: 1, most_samples, time: left }
        })
    });
    measured.map_or(Outcome::Refused(Reason::OutOfMemory), Outcome::Measured)
}

/// Returns how many samples fit into the time, if a call takes `ms` milliseconds.
fn samples(time: Duration, ms: f64) -> usize {
    let each = Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(Duration::MAX).max(SHORTEST_SAMPLE);
    usize::try_from(time.as_nanos() / each.as_nanos()).unwrap_or(usize::MAX)
}

/// The effort of the first measurement, which estimates the time of a hash.
const ONCE: Effort = Effort { fewest_samples: 1, most_samples: 1, time: Duration::ZERO };

/// Half of the time is for samples. The other half is for samples that take longer than the first.
const SHARE_OF_WHAT_IS_LEFT: u32 = 2;

/// On a busy machine later samples take this many times as long as the first. If the samples that
/// were asked for do not fit even then, only the time limits their number.
const MUCH_SLOWER: usize = 10;

/// The most samples of one event. More samples do not make the result better.
const MOST_SAMPLES: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_samples_fits_into_the_time() {
        let time = Duration::from_millis(200);
        assert_eq!(samples(time, 40.0), 5);
        // Calls of 3 µs are repeated until a sample is a millisecond.
        assert_eq!(samples(time, 0.003), 200);
        assert_eq!(samples(time, 500.0), 0);
        assert_eq!(samples(time, f64::NAN), 0);
    }
}
