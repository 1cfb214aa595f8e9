//! Calibrate events: how long hashes take in this function, for `saltern-numbers calibrate --on-lambda`.
//!
//! They are no requests: they come by a direct `Invoke` alone, and no password is in them.

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

/// Answers them within the ceilings of the policies in force, as the workers of the pool compute.
#[derive(Debug)]
pub(crate) struct Calibration {
    policies: Policies,
    pool: PoolSettings,
    memory_mb: u64,
    /// One at a time: more would take each other's time, and more memory than was left beside the workers'.
    turn: Arc<Semaphore>,
}

impl Calibration {
    pub(crate) fn new(policies: Policies, pool: PoolSettings, memory_mb: u64) -> Self {
        Self { policies, pool, memory_mb, turn: Arc::new(Semaphore::new(1)) }
    }

    /// What a calibrate event asks; `None` for whatever else this is.
    pub(crate) fn question(event: &RawValue) -> Option<Question> {
        serde_json::from_str(event.get()).ok().map(|event: Event| event.question)
    }

    /// Measures, and answers before the time is over.
    pub(crate) async fn reply(&self, question: Question, not_after: Instant) -> Response {
        let outcome = match self.admit(&question.hash) {
            Err(reason) => Outcome::Refused(reason),
            Ok(admitted) => self.in_turn(admitted, question, not_after).await,
        };
        tracing::info!(measured = matches!(outcome, Outcome::Measured(_)), "a calibrate event was answered");
        Response { answer: Answer { machine: Machine::this(), memory_mb: self.memory_mb, outcome } }
    }

    /// Measures where nothing else is measured.
    async fn in_turn(&self, admitted: Admitted, question: Question, not_after: Instant) -> Outcome {
        let deadline = TokioInstant::from_std(not_after);
        let Ok(turn) = Arc::clone(&self.turn).try_acquire_owned() else {
            // What is left then would decide, and not the hash. Whoever asks again has all the time.
            let _free_or_late = timeout_at(deadline, self.turn.acquire()).await;
            return Outcome::Refused(Reason::Busy);
        };
        let meter = Meter::of_worker(&self.pool);
        let measuring = spawn_blocking(move || {
            // A hash cannot be stopped: one that nobody waits for any more keeps its turn until it ends by itself, soon, since
            // the ceilings bound it.
            let _turn = turn;
            measure(meter, &admitted, &question, not_after)
        });
        match timeout_at(deadline, measuring).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_panic)) => Outcome::Refused(Reason::Fault),
            Err(_late) => Outcome::Refused(Reason::DeadlineExceeded),
        }
    }

    /// By the same rules as a stored hash that is to be verified.
    fn admit(&self, hash: &str) -> Result<Admitted, Reason> {
        match self.policies.admit_stored(hash) {
            Ok(stored) => Ok(stored.admitted().clone()),
            Err(Refusal::CostOutOfBounds) => Err(Reason::CostOutOfBounds),
            Err(_) => Err(Reason::UnsupportedHash),
        }
    }
}

/// As well as it was asked for, and as the time allows.
fn measure(mut meter: Meter, admitted: &Admitted, question: &Question, not_after: Instant) -> Outcome {
    let mut measure = |effort: &Effort| -> Result<Measured, OutOfMemory> {
        if question.in_lanes { meter.in_lanes(admitted, effort) } else { meter.one(admitted, effort) }
    };
    let measured = measure(&ONCE).and_then(|once| {
        let asked = question.effort();
        let left = not_after.saturating_duration_since(Instant::now()) / SHARE_OF_WHAT_IS_LEFT;
        let fit = samples(left, once.wall_ms.median);
        // One to warm up, and one to keep.
        if fit < 2 {
            return Ok(once);
        }
        let most_samples = min(asked.most_samples, MOST_SAMPLES).max(1);
        let fewest_samples = min(asked.fewest_samples, most_samples);
        measure(&if fewest_samples < fit {
            Effort { fewest_samples, most_samples, time: min(asked.time, left) }
        } else {
            // By the time alone: the first may have been faster than those that follow.
            Effort { fewest_samples: 1, most_samples, time: left }
        })
    });
    measured.map_or(Outcome::Refused(Reason::OutOfMemory), Outcome::Measured)
}

/// How many samples fit into the time, of a call that takes so many milliseconds.
fn samples(time: Duration, ms: f64) -> usize {
    let each = Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(Duration::MAX).max(SHORTEST_SAMPLE);
    usize::try_from(time.as_nanos() / each.as_nanos()).unwrap_or(usize::MAX)
}

/// To see how long it takes at all.
const ONCE: Effort = Effort { fewest_samples: 1, most_samples: 1, time: Duration::ZERO };

/// Half of the time is for samples; the other half is for those that take longer than the first.
const SHARE_OF_WHAT_IS_LEFT: u32 = 2;

/// More tell nothing new, whoever asks.
const MOST_SAMPLES: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_samples_are_wanted_than_fit_into_the_time() {
        let time = Duration::from_millis(200);
        assert_eq!(samples(time, 40.0), 5);
        // Calls of 3 µs are repeated until a sample is a millisecond.
        assert_eq!(samples(time, 0.003), 200);
        assert_eq!(samples(time, 500.0), 0);
        assert_eq!(samples(time, f64::NAN), 0);
    }
}
