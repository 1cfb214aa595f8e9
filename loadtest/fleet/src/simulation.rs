//! An evening in simulated time, with the same [`Platform`] as behind the door.
//!
//! Logins arrive at the rate of the shape, independently of the answers. A throttled login is not
//! repeated, and callers do not give up. Both are tasks of a client, which is not simulated.
//!
//! Above [`Scenario::at_most`] logins only a part is simulated, with the same part of every quota
//! and environment, rounded down. A smaller sample varies more. So the highest concurrency below a
//! quota, and the throttles near it, tend to be too high. A part that is too small for the rounding
//! is rejected.

use core::{cmp::Ordering, mem, time::Duration};
use std::{
    collections::{BinaryHeap, VecDeque},
    time::Instant,
};

use saltern_capacity::{Durations, Limits, name_of};
use saltern_encoded::Params;

use crate::{
    client::Client,
    function::Function,
    latencies::Latencies,
    ledger::{Ended, Ledger, Series},
    moment::Moment,
    platform::{Placed, Platform, Start},
    random::Random,
    shape::Shape,
    spread::Spread,
};
use saltern_program::Failure;

/// The input of a simulation.
#[derive(Clone, Debug)]
pub(crate) struct Scenario<'a> {
    pub(crate) function: &'a Function,
    pub(crate) durations: &'a Durations,
    pub(crate) spread: &'a Spread,
    pub(crate) params: Params,
    pub(crate) shape: &'a Shape,
    pub(crate) client: Client,
    pub(crate) seed: u64,
    /// The largest number of simulated logins. Above it each simulated login stands for several.
    pub(crate) at_most: u64,
}

/// The result of a simulation.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) series: Series,
    /// The times of answered logins, from arrival to answer.
    pub(crate) latencies: Latencies,
    /// Simulated logins, and the throttled ones of them. Each stands for `scale` logins.
    pub(crate) logins: u64,
    pub(crate) throttled_logins: u64,
    /// The mean number of concurrent requests.
    pub(crate) mean_concurrency: f64,
    /// The requests in the busiest seconds. `None` without logins.
    pub(crate) requests: Option<Requests>,
    /// The number of logins for each simulated login.
    pub(crate) scale: u64,
    /// The real time of the simulation.
    pub(crate) took: Duration,
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
/// # Errors [`Failure`] if no duration is known for the parameters, or if the scale leaves no whole
/// backend or too few environments.
pub(crate) fn run(scenario: &Scenario<'_>) -> Result<Outcome, Failure> {
    let began = Instant::now();
    let scale = scale(scenario)?;
    let mut evening = Evening::new(scenario, scale)?;
    let divided = scenario.shape.divided(f64::from(u32::try_from(scale).unwrap_or(u32::MAX)));
    for arrival in divided.arrivals(Random::new(scenario.seed)) {
        evening.until(arrival);
        evening.arrives(arrival);
    }
    Ok(evening.end(scenario.shape, began))
}

/// Returns the number of logins for each simulated login.
fn scale(scenario: &Scenario<'_>) -> Result<u64, Failure> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a shape is bounded and positive"
    )]
    let expected = scenario.shape.expected() as u64;
    let scale = expected.div_ceil(scenario.at_most.max(1)).max(1);
    let backends = u64::try_from(scenario.client.backends).unwrap_or(u64::MAX);
    if scenario.client.batch > 1 && backends < scale {
        return Err(Failure::configuration(format!(
            "each simulated login stands for {scale} logins, so --backends must be {scale} or more: raise it, or simulate a shorter time"
        )));
    }
    let environments = scenario.function.fewest_environments();
    if scale > 1 && environments > 0 && environments / scale < SMALLEST_PART {
        let enough = expected.div_ceil((environments / SMALLEST_PART).max(1));
        return Err(Failure::configuration(format!(
            "each simulated login would stand for {scale} logins, which is too coarse for {environments} environments: simulate a shorter time, or write --at-most {enough}"
        )));
    }
    Ok(scale)
}

struct Evening<'a> {
    platform: Platform,
    ledger: Ledger,
    /// The median seconds of a request, by its number of hashes.
    medians: Vec<f64>,
    spread: &'a Spread,
    cold_start: Duration,
    client: Client,
    backends: Vec<Backend>,
    /// Open batches, in the order of their deadlines.
    leaving: VecDeque<Leaving>,
    running: BinaryHeap<Running>,
    times: Random,
    choices: Random,
    latencies: Latencies,
    logins: u64,
    throttled_logins: u64,
    /// The sent requests of each second.
    sent: Vec<Sent>,
    /// The sum of the durations of all requests.
    concurrency_seconds: f64,
    now: Moment,
    scale: u64,
}

/// The batching of a client. A login without other requests in flight is sent at once. Other logins
/// wait in a batch.
#[derive(Clone, Debug, Default)]
struct Backend {
    in_flight: u64,
    /// The arrivals of the logins of the open batch.
    open: Vec<Moment>,
    /// The number of the open batch.
    batch: u64,
}

struct Leaving {
    at: Moment,
    backend: usize,
    batch: u64,
}

/// The requests that the backends sent within a second.
#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    requests: f64,
    logins: f64,
    /// The sum of the requests' median durations.
    seconds: f64,
}

/// A running request. The greatest one ends first.
struct Running {
    ends: Moment,
    placed: Placed,
    run: Duration,
    backend: usize,
}

impl<'a> Evening<'a> {
    fn new(scenario: &Scenario<'a>, scale: u64) -> Result<Self, Failure> {
        let function = scenario.function;
        let company = function.managed.map_or(1, |managed| managed.requests_at_once);
        let hashes = u64::try_from(scenario.client.batch).unwrap_or(u64::MAX).saturating_mul(company);
        let median = |hashes| function.planned(scenario.durations, scenario.params, hashes, 1);
        let medians = (0..=hashes).map(|hashes| median(hashes).map(|planned| planned.duration.as_secs_f64()));
        let medians = medians.collect::<Result<Vec<_>, _>>()?;
        if medians.iter().any(|&seconds| seconds > LONGEST_SECONDS) {
            return Err(Failure::configuration(format!(
                "a request with {} would take longer than {LONGEST_SECONDS} s, the longest deadline of the service: choose cheaper parameters or smaller batches",
                name_of(scenario.params)
            )));
        }
        let backends = scenario.client.backends.div_ceil(usize::try_from(scale).unwrap_or(usize::MAX));
        Ok(Self {
            platform: Platform::new(function, Limits::documented(), scale),
            ledger: Ledger::new(function, scale),
            medians,
            spread: scenario.spread,
            cold_start: function.cold_start(),
            client: scenario.client,
            backends: vec![Backend::default(); backends.max(1)],
            leaving: VecDeque::new(),
            running: BinaryHeap::new(),
            times: Random::new(scenario.seed ^ 1),
            choices: Random::new(scenario.seed ^ 2),
            latencies: Latencies::default(),
            logins: 0,
            throttled_logins: 0,
            sent: Vec::new(),
            concurrency_seconds: 0.0,
            now: Moment::START,
            scale,
        })
    }

    /// Runs all events until `then`, in their order.
    fn until(&mut self, then: Moment) {
        loop {
            let ends = self.running.peek().map(|running| running.ends).filter(|&ends| ends <= then);
            let leaves = self.leaving.front().map(|leaving| leaving.at).filter(|&at| at <= then);
            match (ends, leaves) {
                (Some(ends), leaves) if leaves.is_none_or(|leaves| ends <= leaves) => self.ends(),
                (_, Some(_)) => self.leaves(),
                (_, None) => return self.pass(then),
            }
        }
    }

    fn arrives(&mut self, now: Moment) {
        self.logins += 1;
        let chosen = if self.backends.len() > 1 { self.choices.below(self.backends.len()) } else { 0 };
        let backend = &mut self.backends[chosen];
        if self.client.batch <= 1 || (backend.in_flight == 0 && backend.open.is_empty()) {
            return self.send(now, chosen, &[now]);
        }
        backend.open.push(now);
        if backend.open.len() == 1 {
            self.leaving.push_back(Leaving {
                at: now + self.client.wait,
                backend: chosen,
                batch: backend.batch,
            });
        }
        if backend.open.len() == self.client.batch {
            self.flush(now, chosen);
        }
    }

    fn leaves(&mut self) {
        let Some(leaving) = self.leaving.pop_front() else { return };
        // A full batch was sent before.
        if self.backends[leaving.backend].batch == leaving.batch {
            self.pass(leaving.at);
            self.flush(leaving.at, leaving.backend);
        }
    }

    fn flush(&mut self, now: Moment, chosen: usize) {
        let backend = &mut self.backends[chosen];
        backend.batch += 1;
        let logins = mem::take(&mut backend.open);
        self.send(now, chosen, &logins);
        // Reuses the allocation.
        self.backends[chosen].open = logins;
        self.backends[chosen].open.clear();
    }

    fn send(&mut self, now: Moment, backend: usize, logins: &[Moment]) {
        self.count(now, logins.len());
        let placed = match self.platform.place(now) {
            Ok(placed) => placed,
            Err(throttle) => {
                self.throttled_logins += logins.len() as u64;
                return self.ledger.throttled(now, throttle);
            }
        };
        let spills = self.platform.spills(&placed);
        self.ledger.placed(now, &placed, spills, self.platform.census());
        let hashes = logins.len() * usize::try_from(placed.company).unwrap_or(usize::MAX);
        let run = Duration::from_secs_f64(self.medians[hashes] * self.spread.draw(&mut self.times));
        let cold_start = if placed.start == Start::Cold { self.cold_start } else { Duration::ZERO };
        let ends = now + cold_start + run;
        for &arrived in logins {
            self.latencies.record(ends.since(arrived));
        }
        self.backends[backend].in_flight += 1;
        self.running.push(Running { ends, placed, run, backend });
    }

    fn count(&mut self, now: Moment, logins: usize) {
        let second = now.second();
        if self.sent.len() <= second {
            self.sent.resize(second + 1, Sent::default());
        }
        let sent = &mut self.sent[second];
        sent.requests += 1.0;
        sent.logins += f64::from(u32::try_from(logins).unwrap_or(u32::MAX));
        sent.seconds += self.medians[logins];
    }

    fn ends(&mut self) {
        let Some(first) = self.running.peek() else { return };
        self.pass(first.ends);
        let Some(Running { ends, placed, run, backend }) = self.running.pop() else { return };
        self.platform.release(ends, placed.lease);
        self.backends[backend].in_flight -= 1;
        self.ledger.ended(ends, &Ended { placed, run, refused: false }, self.platform.census());
    }

    fn pass(&mut self, now: Moment) {
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 run at once")]
        let running = self.running.len() as f64;
        self.concurrency_seconds += running * now.since(self.now).as_secs_f64();
        self.now = now;
    }

    fn end(mut self, shape: &Shape, began: Instant) -> Outcome {
        let end = Moment::START + Duration::from_secs_f64(shape.seconds());
        self.until(end);
        let mean_concurrency = self.concurrency_seconds / shape.seconds()
            * f64::from(u32::try_from(self.scale).unwrap_or(u32::MAX));
        while !self.running.is_empty() || !self.leaving.is_empty() {
            let next = self.running.peek().map(|running| running.ends);
            self.until(
                self.leaving
                    .front()
                    .map_or(Moment::END, |leaving| leaving.at)
                    .min(next.unwrap_or(Moment::END)),
            );
        }
        Outcome {
            series: self.ledger.series(self.now.max(end)),
            latencies: self.latencies,
            logins: self.logins,
            throttled_logins: self.throttled_logins,
            mean_concurrency,
            requests: in_the_busiest_seconds(&self.sent),
            scale: self.scale,
            took: began.elapsed(),
        }
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

impl PartialEq for Running {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Running {}

impl PartialOrd for Running {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Running {
    fn cmp(&self, other: &Self) -> Ordering {
        // Requests that end together are ordered by their environments.
        (other.ends, other.placed.lease).cmp(&(self.ends, self.placed.lease))
    }
}

/// The smallest number of simulated environments. With fewer the rounding would exceed 2 %.
const SMALLEST_PART: u64 = 50;

/// HTTP contract: `Saltern-Deadline-Ms` is at most a minute.
const LONGEST_SECONDS: f64 = 60.0;

#[cfg(test)]
mod tests;
