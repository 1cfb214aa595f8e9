//! Lambda with its bill: the model behind the door and in simulated time.
//!
//! [`Platform`] decides about each request. A [`Fleet`] also counts the requests, the environments of
//! each second, and the cost. The result is the series.

use core::time::Duration;
use std::{
    collections::BTreeMap,
    time::{SystemTime, UNIX_EPOCH},
};

use rustix::time::{ClockId, clock_gettime};
use saltern_capacity::{Prices, Usage, billed, gb_seconds};
use serde::Serialize;

use crate::{
    assumptions::INIT,
    function::Function,
    limits::Limits,
    number::ratio,
    platform::{Environment, Platform, Throttle},
};

/// The environments of one function, and all requests to it.
#[derive(Clone, Debug)]
pub(crate) struct Fleet {
    function: Function,
    platform: Platform,
    started_at: SystemTime,
    seconds: Vec<Second>,
    under_way: u64,
    usage: Usage,
    /// Without the highest concurrency, the cost and the processor time, which the series adds.
    totals: Totals,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Second {
    #[serde(rename = "second")]
    number: usize,
    /// The highest number of concurrent requests.
    concurrency: u64,
    /// The environments at the end of the second.
    environments: u64,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Series {
    function: Function,
    started_at_unix_ms: u64,
    pub(crate) seconds: Vec<Second>,
    pub(crate) totals: Totals,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Totals {
    pub(crate) requested: u64,
    pub(crate) answered: u64,
    pub(crate) throttled: BTreeMap<Throttle, u64>,
    /// The highest number of concurrent requests.
    pub(crate) concurrency: u64,
    pub(crate) cold_starts: u64,
    pub(crate) spillover: u64,
    pub(crate) usd: f64,
    /// The processor time of this process.
    pub(crate) cpu_seconds: f64,
}

impl Fleet {
    pub(crate) fn new(function: &Function) -> Self {
        Self {
            function: function.clone(),
            platform: Platform::new(function, Limits::documented()),
            started_at: SystemTime::now(),
            seconds: vec![Second::default()],
            under_way: 0,
            usage: Usage::default(),
            totals: Totals::default(),
        }
    }

    /// Gives an environment to a request.
    ///
    /// # Errors
    /// The reason, if the request is throttled.
    pub(crate) fn place(&mut self, now: Duration) -> Result<Environment, Throttle> {
        let placed = self.platform.place(now);
        self.totals.requested += 1;
        match placed {
            Ok(environment) => {
                self.under_way += 1;
                self.totals.cold_starts += u64::from(environment == Environment::Cold);
                let spills = self.function.provisioned > 0 && environment != Environment::Provisioned;
                self.totals.spillover += u64::from(spills);
            }
            Err(throttle) => *self.totals.throttled.entry(throttle).or_default() += 1,
        }
        self.count(now);
        placed
    }

    /// Ends a request, whose handler ran for a time.
    pub(crate) fn end(&mut self, now: Duration, environment: Environment, run: Duration) {
        self.platform.release(now, environment);
        self.under_way -= 1;
        self.totals.answered += 1;
        self.bill(environment, run);
        self.count(now);
    }

    /// Returns the series until now.
    pub(crate) fn series(&self, now: Duration) -> Series {
        let mut until_now = self.clone();
        until_now.count(now);
        let totals = Totals {
            concurrency: until_now.seconds.iter().map(|second| second.concurrency).max().unwrap_or(0),
            usd: self.usd(now),
            cpu_seconds: processor_time().as_secs_f64(),
            ..until_now.totals
        };
        let started_at = self.started_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        Series {
            function: until_now.function,
            started_at_unix_ms: u64::try_from(started_at.as_millis()).unwrap_or(u64::MAX),
            seconds: until_now.seconds,
            totals,
        }
    }

    fn bill(&mut self, environment: Environment, run: Duration) {
        let gb_seconds = |time| gb_seconds(self.function.memory_mb, billed(time));
        self.usage.requests += 1;
        match environment {
            Environment::Cold => self.usage.on_demand_gb_seconds += gb_seconds(INIT + run),
            Environment::Warm => self.usage.on_demand_gb_seconds += gb_seconds(run),
            Environment::Provisioned => self.usage.provisioned_run_gb_seconds += gb_seconds(run),
        }
    }

    /// Counts requests and environments in the second of a time, and in the seconds before it. Behind
    /// the door the clock is read before the lock is taken, so a time may belong to the second before
    /// the last.
    fn count(&mut self, now: Duration) {
        let at = usize::try_from(now.as_secs()).unwrap_or(usize::MAX).max(self.seconds.len() - 1);
        while self.seconds.len() <= at {
            let number = self.seconds.len();
            let end = Duration::from_secs(u64::try_from(number).unwrap_or(u64::MAX));
            let environments = self.platform.environments(end);
            self.seconds.push(Second { number, concurrency: self.under_way, environments });
        }
        let second = &mut self.seconds[at];
        second.concurrency = second.concurrency.max(self.under_way);
        second.environments = self.platform.environments(now);
    }

    /// Returns the cost of everything until a time.
    fn usd(&self, until: Duration) -> f64 {
        // The lead is longer than the shortest billed time of provisioned concurrency.
        let held = Limits::documented().event_lead + until;
        let each = gb_seconds(self.function.memory_mb, held);
        let usage =
            Usage { provisioned_gb_seconds: ratio(self.function.provisioned, 1) * each, ..self.usage };
        Prices::listed().usd(self.function.architecture, &usage)
    }
}

fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}
