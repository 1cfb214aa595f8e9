//! An evening in simulated time, with the same [`Fleet`] as behind the door.
//!
//! Logins arrive at the rate of the shape, independently of the answers. A throttled login is not
//! repeated, and callers do not give up. Both are tasks of a client, which is not simulated.

use core::{cmp::Reverse, mem, time::Duration};
use std::collections::BinaryHeap;

use fastrand::Rng;
use saltern_capacity::{Durations, name_of};
use saltern_server::Failure;

use crate::{
    arguments::{Client, PlanArguments},
    assumptions::COLD_START,
    fleet::{Fleet, Series},
    latencies::Latencies,
    platform::Environment,
    spread::Spread,
};

/// The result of a simulation.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) series: Series,
    /// The times of answered logins, from arrival to answer.
    pub(crate) latencies: Latencies,
    pub(crate) logins: u64,
    pub(crate) throttled_logins: u64,
    /// The mean number of concurrent requests.
    pub(crate) mean_concurrency: f64,
    /// The requests in the busiest seconds. `None` without logins.
    pub(crate) requests: Option<Requests>,
}

/// The average request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requests {
    pub(crate) logins_each: f64,
    /// The mean of the median durations.
    pub(crate) duration: Duration,
}

/// Runs a simulation.
///
/// # Errors
/// [`Failure`] if no duration is known for the parameters, or if a request would take too long.
pub(crate) fn run(arguments: &PlanArguments, durations: &Durations) -> Result<Outcome, Failure> {
    let shape = arguments.shape();
    let mut evening = Evening::new(arguments, durations)?;
    // Each source of chance has its own fixed seed, so that a plan always gives the same figures.
    for arrival in shape.arrivals(1) {
        evening.until(arrival);
        evening.arrives(arrival);
    }
    evening.until(Duration::MAX);
    Ok(Outcome {
        series: evening.fleet.series(evening.now.max(evening.end)),
        latencies: evening.latencies,
        logins: evening.logins,
        throttled_logins: evening.throttled_logins,
        mean_concurrency: evening.busy_seconds / evening.end.as_secs_f64(),
        requests: in_the_busiest_seconds(&evening.sent),
    })
}

struct Evening {
    fleet: Fleet,
    /// The median seconds of a request, by its number of hashes.
    medians: Vec<f64>,
    client: Client,
    backends: Vec<Backend>,
    events: BinaryHeap<Reverse<(Duration, Event)>>,
    times: Rng,
    choices: Rng,
    latencies: Latencies,
    logins: u64,
    throttled_logins: u64,
    /// The sent requests of each second.
    sent: Vec<Sent>,
    /// The sum of the durations of all requests, as far as they are before the end of the shape.
    busy_seconds: f64,
    /// The time of the last event.
    now: Duration,
    /// The end of the shape.
    end: Duration,
}

/// The batching of a client. A login without other requests in flight is sent at once. Other logins
/// wait in a batch.
#[derive(Clone, Debug, Default)]
struct Backend {
    in_flight: u64,
    /// The arrivals of the logins of the open batch.
    open: Vec<Duration>,
    /// The number of the open batch.
    batch: u64,
}

/// Events at the same time happen in the order of their kinds.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Ends { environment: Environment, run: Duration, backend: usize },
    Leaves { backend: usize, batch: u64 },
}

/// The requests that the backends sent within a second.
#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    requests: f64,
    logins: f64,
    /// The sum of the requests' median durations.
    seconds: f64,
}

impl Evening {
    fn new(arguments: &PlanArguments, durations: &Durations) -> Result<Self, Failure> {
        let function = &arguments.function;
        let hashes = u64::try_from(arguments.client.batch).unwrap_or(u64::MAX);
        let median = |hashes| function.planned(durations, arguments.policy, hashes);
        let medians = (0..=hashes).map(|hashes| median(hashes).map(|planned| planned.duration.as_secs_f64()));
        let medians = medians.collect::<Result<Vec<_>, _>>()?;
        if medians.iter().any(|&seconds| seconds > LONGEST_SECONDS) {
            return Err(Failure::configuration(format!(
                "a request with {} would take longer than {LONGEST_SECONDS} s, the longest deadline of the service: choose cheaper parameters or smaller batches",
                name_of(arguments.policy)
            )));
        }
        Ok(Self {
            fleet: Fleet::new(function),
            medians,
            client: arguments.client,
            backends: vec![Backend::default(); arguments.client.backends],
            events: BinaryHeap::new(),
            times: Rng::with_seed(0),
            choices: Rng::with_seed(3),
            latencies: Latencies::default(),
            logins: 0,
            throttled_logins: 0,
            sent: Vec::new(),
            busy_seconds: 0.0,
            now: Duration::ZERO,
            end: Duration::from_secs_f64(arguments.shape().seconds()),
        })
    }

    /// Runs all events until `then`, in their order.
    fn until(&mut self, then: Duration) {
        while self.events.peek().is_some_and(|Reverse((at, _))| *at <= then)
            && let Some(Reverse((at, event))) = self.events.pop()
        {
            self.now = at;
            match event {
                Event::Ends { environment, run, backend } => {
                    self.backends[backend].in_flight -= 1;
                    self.fleet.end(at, environment, run);
                }
                // A full batch was sent before.
                Event::Leaves { backend, batch } if self.backends[backend].batch != batch => {}
                Event::Leaves { backend, .. } => self.flush(at, backend),
            }
        }
    }

    fn arrives(&mut self, now: Duration) {
        self.now = now;
        self.logins += 1;
        let chosen = self.choices.usize(..self.backends.len());
        let backend = &mut self.backends[chosen];
        if self.client.batch <= 1 || (backend.in_flight == 0 && backend.open.is_empty()) {
            return self.send(now, chosen, &[now]);
        }
        backend.open.push(now);
        if backend.open.len() == 1 {
            let leaves = Event::Leaves { backend: chosen, batch: backend.batch };
            self.events.push(Reverse((now + BATCH_WAIT, leaves)));
        }
        if backend.open.len() == self.client.batch {
            self.flush(now, chosen);
        }
    }

    fn flush(&mut self, now: Duration, chosen: usize) {
        let backend = &mut self.backends[chosen];
        backend.batch += 1;
        let logins = mem::take(&mut backend.open);
        self.send(now, chosen, &logins);
        // Reuses the allocation.
        self.backends[chosen].open = logins;
        self.backends[chosen].open.clear();
    }

    fn send(&mut self, now: Duration, backend: usize, logins: &[Duration]) {
        self.count(now, logins.len());
        let Ok(environment) = self.fleet.place(now) else {
            self.throttled_logins += logins.len() as u64;
            return;
        };
        let median = self.medians[logins.len()];
        let run = Duration::from_secs_f64(median * Spread::measured().draw(&mut self.times));
        let is_cold = environment == Environment::Cold;
        let ends = now + if is_cold { COLD_START + run } else { run };
        for &arrived in logins {
            self.latencies.record(ends.saturating_sub(arrived));
        }
        self.busy_seconds += ends.min(self.end).saturating_sub(now).as_secs_f64();
        self.backends[backend].in_flight += 1;
        self.events.push(Reverse((ends, Event::Ends { environment, run, backend })));
    }

    fn count(&mut self, now: Duration, logins: usize) {
        let second = usize::try_from(now.as_secs()).unwrap_or(usize::MAX);
        if self.sent.len() <= second {
            self.sent.resize(second + 1, Sent::default());
        }
        let sent = &mut self.sent[second];
        sent.requests += 1.0;
        sent.logins += f64::from(u32::try_from(logins).unwrap_or(u32::MAX));
        sent.seconds += self.medians[logins];
    }
}

/// Returns the average request in the seconds with at least half as many logins as the busiest
/// second.
fn in_the_busiest_seconds(sent: &[Sent]) -> Option<Requests> {
    let fullest = sent.iter().map(|sent| sent.logins).fold(0.0, f64::max);
    let all =
        sent.iter().filter(|sent| 2.0 * sent.logins >= fullest).fold(Sent::default(), |all, sent| Sent {
            requests: all.requests + sent.requests,
            logins: all.logins + sent.logins,
            seconds: all.seconds + sent.seconds,
        });
    (all.requests > 0.0).then(|| Requests {
        logins_each: all.logins / all.requests,
        duration: Duration::from_secs_f64(all.seconds / all.requests),
    })
}

/// The longest wait of a login for other logins while a request of its backend is in flight
/// (`coalesceWindow` of the Scala client).
pub(crate) const BATCH_WAIT: Duration = Duration::from_millis(2);

/// HTTP contract: `Saltern-Deadline-Ms` is at most a minute.
const LONGEST_SECONDS: f64 = 60.0;

#[cfg(test)]
mod tests;
