//! The events of each second and their cost: the series of the door and of the plan.

use core::time::Duration;
use std::{
    collections::BTreeMap,
    time::{SystemTime, UNIX_EPOCH},
};

use saltern_capacity::{Prices, Usage, billed, gb_seconds};
use saltern_meter::process_time;
use serde::Serialize;

use crate::{
    assumptions::{self, Assumption},
    function::Function,
    moment::Moment,
    platform::{Census, Kind, Placed, Start, Throttle},
};

/// Counts and bills requests.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    function: Function,
    started_at: SystemTime,
    /// The number of requests for each counted request.
    scale: u64,
    seconds: Vec<Second>,
    under_way: u64,
    census: Census,
    usage: Usage,
    throttled: BTreeMap<Throttle, u64>,
    last: Moment,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Second {
    #[serde(rename = "second")]
    pub(crate) number: usize,
    pub(crate) requested: u64,
    pub(crate) answered: u64,
    pub(crate) throttled: u64,
    pub(crate) refused: u64,
    pub(crate) concurrency: u64,
    pub(crate) environments: u64,
    pub(crate) cold_starts: u64,
    pub(crate) provisioned: u64,
    pub(crate) spillover: u64,
    pub(crate) usd: f64,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Series {
    pub(crate) function: Function,
    assumptions: &'static [Assumption],
    started_at_unix_ms: u64,
    pub(crate) seconds: Vec<Second>,
    pub(crate) totals: Totals,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Totals {
    pub(crate) requested: u64,
    pub(crate) answered: u64,
    pub(crate) throttled: BTreeMap<Throttle, u64>,
    pub(crate) refused: u64,
    /// The highest number of concurrent requests.
    pub(crate) concurrency: u64,
    pub(crate) cold_starts: u64,
    pub(crate) spillover: u64,
    pub(crate) usd: f64,
    /// The CPU time of this process.
    pub(crate) cpu_seconds: f64,
}

/// A request that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) placed: Placed,
    /// The time of the handler.
    pub(crate) run: Duration,
    /// Whether the answer was a 503.
    pub(crate) refused: bool,
}

impl Ledger {
    pub(crate) fn new(function: &Function, scale: u64) -> Self {
        Self {
            function: function.clone(),
            started_at: SystemTime::now(),
            scale,
            seconds: vec![Second::default()],
            under_way: 0,
            census: Census::default(),
            usage: Usage::default(),
            throttled: Throttle::ALL.into_iter().map(|throttle| (throttle, 0)).collect(),
            last: Moment::START,
        }
    }

    pub(crate) fn throttled(&mut self, now: Moment, throttle: Throttle) {
        let scale = self.scale;
        let second = self.second(now);
        second.requested += scale;
        second.throttled += scale;
        *self.throttled.entry(throttle).or_default() += scale;
    }

    pub(crate) fn placed(&mut self, now: Moment, placed: &Placed, spills: bool, census: Census) {
        let scale = self.scale;
        self.under_way += scale;
        self.census = census;
        let under_way = self.under_way;
        let second = self.second(now);
        second.requested += scale;
        second.concurrency = second.concurrency.max(under_way);
        second.cold_starts += if placed.start == Start::Cold { scale } else { 0 };
        second.spillover += if spills { scale } else { 0 };
    }

    pub(crate) fn ended(&mut self, now: Moment, ended: &Ended, census: Census) {
        let scale = self.scale;
        self.bill(ended);
        self.under_way = self.under_way.saturating_sub(scale);
        self.census = census;
        let second = self.second(now);
        if ended.refused {
            second.refused += scale;
        } else {
            second.answered += scale;
        }
    }

    pub(crate) fn are_under_way(&self) -> bool {
        self.under_way > 0
    }

    /// Returns the series until now.
    pub(crate) fn series(&self, now: Moment) -> Series {
        let mut until_now = self.clone();
        until_now.second(now);
        let usd = until_now.usd(now);
        if let Some(last) = until_now.seconds.last_mut() {
            last.usd = usd;
        }
        let sum = |count: fn(&Second) -> u64| until_now.seconds.iter().map(count).sum();
        let totals = Totals {
            requested: sum(|second| second.requested),
            answered: sum(|second| second.answered),
            throttled: until_now.throttled,
            refused: sum(|second| second.refused),
            concurrency: until_now.seconds.iter().map(|second| second.concurrency).max().unwrap_or(0),
            cold_starts: sum(|second| second.cold_starts),
            spillover: sum(|second| second.spillover),
            usd,
            cpu_seconds: process_time().as_secs_f64(),
        };
        let started_at = self.started_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        Series {
            function: until_now.function,
            assumptions: &assumptions::ALL,
            started_at_unix_ms: u64::try_from(started_at.as_millis()).unwrap_or(u64::MAX),
            seconds: until_now.seconds,
            totals,
        }
    }

    fn bill(&mut self, ended: &Ended) {
        let memory_mb = self.function.memory_mb;
        #[expect(clippy::cast_precision_loss, reason = "a scale is far below 2^52")]
        let times = self.scale as f64;
        self.usage.requests += self.scale;
        let init = if ended.placed.start == Start::Cold {
            Duration::from_millis(assumptions::INIT_MS)
        } else {
            Duration::ZERO
        };
        match ended.placed.lease.kind {
            Kind::OnDemand => {
                self.usage.on_demand_gb_seconds += times * gb_seconds(memory_mb, billed(init + ended.run));
            }
            Kind::Provisioned => {
                self.usage.provisioned_run_gb_seconds += times * gb_seconds(memory_mb, billed(ended.run));
            }
            // Managed Instances are paid by the hour.
            Kind::Managed => {}
        }
    }

    /// Returns the second of a moment, and closes the seconds before it.
    fn second(&mut self, now: Moment) -> &mut Second {
        self.last = self.last.max(now);
        let at = self.last.second();
        while self.seconds.len() <= at {
            let end =
                Moment::START + Duration::from_secs(u64::try_from(self.seconds.len()).unwrap_or(u64::MAX));
            let usd = self.usd(end);
            let closed = self.seconds.len() - 1;
            self.seconds[closed].usd = usd;
            let next = Second { number: closed + 1, concurrency: self.under_way, ..self.current() };
            self.seconds.push(next);
        }
        let current = self.current();
        let second = &mut self.seconds[at];
        (second.environments, second.provisioned) = (current.environments, current.provisioned);
        second
    }

    fn current(&self) -> Second {
        Second {
            environments: self.census.environments * self.scale,
            provisioned: self.census.provisioned * self.scale,
            ..Second::default()
        }
    }

    /// Returns the cost of everything until a moment.
    fn usd(&self, until: Moment) -> f64 {
        let prices = Prices::listed();
        let mut usage = self.usage;
        if let Some(provisioned) = self.function.provisioned {
            let asked_at = Moment::from_seconds(provisioned.asked_at_seconds);
            let held = until.since(asked_at);
            let held = if held.is_zero() { held } else { held.max(prices.provisioned_billed_at_least()) };
            let each = gb_seconds(self.function.memory_mb, held);
            #[expect(clippy::cast_precision_loss, reason = "environments are far below 2^52")]
            let environments = provisioned.environments as f64;
            usage.provisioned_gb_seconds = environments * each;
        }
        let managed = self.function.managed.map_or(0.0, |managed| {
            prices.managed_usd(managed.ec2_usd_per_hour, managed.environments, until.since(Moment::START))
        });
        prices.usd(self.function.architecture, &usage) + managed
    }
}
