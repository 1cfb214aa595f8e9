//! The documented rules of Lambda: which request gets an environment, a cold start or a 429.
//!
//! A state machine without clock, thread or randomness. The door drives it in real time,
//! `simulation` in simulated time. Every number comes from [`Limits`] or from
//! [`crate::assumptions`].

#[cfg(test)]
mod tests;

use core::time::Duration;
use std::collections::VecDeque;

use saltern_capacity::Limits;
use serde::Serialize;

use crate::{assumptions, bucket::Bucket, function::Function, moment::Moment};

/// Lambda for one function.
#[derive(Debug)]
pub(crate) struct Platform {
    requests: Bucket,
    pace: Bucket,
    /// The limit of concurrent requests, on demand and on provisioned environments together.
    concurrency: u64,
    on_demand: OnDemand,
    provisioned: Option<Provisioned>,
    managed: Option<Managed>,
    next_environment: u32,
    /// Reclaimed environments, until `take_reclaimed`.
    reclaimed: Vec<u32>,
}

#[derive(Debug, Default)]
struct OnDemand {
    busy: u64,
    /// The last used environment is last.
    idle: VecDeque<(Moment, u32)>,
}

#[derive(Debug)]
struct Provisioned {
    environments: u64,
    ready_at: Moment,
    asked_at: Moment,
    is_ready: bool,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Managed {
    /// The environments by their number of requests, from none.
    by_company: Vec<Vec<u32>>,
    /// The number of requests of each environment, and its place in `by_company`.
    places: Vec<(usize, usize)>,
}

/// A request with its environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) lease: Lease,
    pub(crate) start: Start,
    /// The requests in this environment, including this one. More than one only on Managed
    /// Instances.
    pub(crate) company: u64,
}

/// The kind of start of an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Started for this request.
    Cold,
    /// Provisioned before.
    Provisioned,
    /// Used before.
    Warm,
}

/// An environment in use by a request, until its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lease {
    pub(crate) environment: u32,
    pub(crate) kind: Kind,
}

/// The way an environment is billed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Managed,
    OnDemand,
    Provisioned,
}

/// The reason for a 429.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Throttle {
    /// The concurrent requests have reached the quota.
    Concurrency,
    /// More requests a second than ten times the concurrency.
    RequestRate,
    /// A new environment would exceed the pace of Lambda.
    ScalingRate,
}

impl Throttle {
    pub(crate) const ALL: [Self; 3] = [Self::Concurrency, Self::RequestRate, Self::ScalingRate];

    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Concurrency => "concurrency",
            Self::RequestRate => "request rate",
            Self::ScalingRate => "scaling rate",
        }
    }
}

/// The numbers of environments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Census {
    /// Environments of any kind. Provisioned ones count when they are ready.
    pub(crate) environments: u64,
    /// The provisioned ones of them.
    pub(crate) provisioned: u64,
}

impl Platform {
    /// Returns a platform with every quota and environment divided by `scale`, for simulations in
    /// which a request stands for several. The quotient is rounded down, so a part never stands for
    /// more than the whole.
    pub(crate) fn new(function: &Function, limits: &Limits, scale: u64) -> Self {
        let scaled = |number: u64| number / scale;
        let concurrency = function.reserved.unwrap_or(function.account_concurrency);
        let a_second = Duration::from_secs(1);
        let requests = concurrency * limits.requests_per_second_per_concurrency;
        let mut platform = Self {
            requests: Bucket::new(requests, a_second, scale),
            pace: Bucket::new(limits.environments_per_ten_seconds, 10 * a_second, scale),
            concurrency: scaled(concurrency),
            on_demand: OnDemand::default(),
            provisioned: None,
            managed: None,
            next_environment: 0,
            reclaimed: Vec::new(),
        };
        if let Some(asked) = function.provisioned {
            let per_environment = Duration::from_mins(1)
                / u32::try_from(limits.provisioned_environments_per_minute).unwrap_or(u32::MAX);
            let allocation = per_environment * u32::try_from(asked.environments).unwrap_or(u32::MAX);
            let asked_at = Moment::from_seconds(asked.asked_at_seconds);
            let environments = scaled(asked.environments);
            let free = (0..environments).map(|_| platform.new_environment()).collect();
            let ready_at = asked_at + limits.provisioned_start + allocation;
            platform.provisioned =
                Some(Provisioned { environments, ready_at, asked_at, is_ready: false, free });
        }
        if let Some(managed) = function.managed {
            let all: Vec<u32> =
                (0..scaled(managed.environments)).map(|_| platform.new_environment()).collect();
            let places = (0..all.len()).map(|index| (0, index)).collect();
            let mut by_company =
                vec![Vec::new(); usize::try_from(managed.requests_at_once).unwrap_or(usize::MAX) + 1];
            by_company[0] = all;
            platform.managed = Some(Managed { by_company, places });
        }
        platform
    }

    /// Gives an environment to a request.
    ///
    /// # Errors
    /// The reason, if the request is throttled.
    pub(crate) fn place(&mut self, now: Moment) -> Result<Placed, Throttle> {
        self.advance(now);
        if let Some(managed) = &mut self.managed {
            return managed.place();
        }
        if !self.requests.take(now) {
            return Err(Throttle::RequestRate);
        }
        if let Some(environment) = self.free_provisioned() {
            let lease = Lease { environment, kind: Kind::Provisioned };
            return Ok(Placed { lease, start: Start::Provisioned, company: 1 });
        }
        if self.on_demand.busy >= self.on_demand_concurrency(now) {
            return Err(Throttle::Concurrency);
        }
        let (environment, start) = match self.on_demand.idle.pop_back() {
            Some((_, environment)) => (environment, Start::Warm),
            None if self.pace.take(now) => (self.new_environment(), Start::Cold),
            None => return Err(Throttle::ScalingRate),
        };
        self.on_demand.busy += 1;
        Ok(Placed { lease: Lease { environment, kind: Kind::OnDemand }, start, company: 1 })
    }

    /// Returns an environment for the next request.
    pub(crate) fn release(&mut self, now: Moment, lease: Lease) {
        match (lease.kind, &mut self.managed, &mut self.provisioned) {
            (Kind::OnDemand, ..) => {
                self.on_demand.busy -= 1;
                self.on_demand.idle.push_back((now, lease.environment));
            }
            (Kind::Managed, Some(managed), _) => managed.release(lease.environment),
            (Kind::Provisioned, _, Some(provisioned)) => provisioned.free.push(lease.environment),
            (Kind::Managed | Kind::Provisioned, ..) => {}
        }
    }

    /// Advances the time: provisioned environments become ready, and idle ones are reclaimed.
    pub(crate) fn advance(&mut self, now: Moment) {
        if let Some(provisioned) = &mut self.provisioned {
            provisioned.is_ready |= now >= provisioned.ready_at;
        }
        while let Some(&(since, environment)) = self.on_demand.idle.front()
            && now.since(since) >= IDLE_LIFE
        {
            self.on_demand.idle.pop_front();
            self.reclaimed.push(environment);
        }
    }

    /// Returns the environments reclaimed since the last call.
    pub(crate) fn take_reclaimed(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.reclaimed)
    }

    /// Returns the environments that start before their first request: all provisioned and managed
    /// ones.
    pub(crate) fn started_ahead(&self) -> Vec<u32> {
        let provisioned = self.provisioned.iter().flat_map(|provisioned| provisioned.free.iter());
        let managed = self.managed.iter().flat_map(|managed| managed.by_company[0].iter());
        provisioned.chain(managed).copied().collect()
    }

    pub(crate) fn census(&self) -> Census {
        let ready = self.provisioned.as_ref().filter(|provisioned| provisioned.is_ready);
        let provisioned = ready.map_or(0, |provisioned| provisioned.environments);
        let managed = self.managed.as_ref().map_or(0, |managed| count(managed.places.len()));
        let on_demand = self.on_demand.busy + count(self.on_demand.idle.len());
        Census { environments: provisioned + managed + on_demand, provisioned }
    }

    /// Returns whether a request went to another environment because all provisioned ones were
    /// busy.
    pub(crate) fn spills(&self, placed: &Placed) -> bool {
        placed.lease.kind == Kind::OnDemand
            && self.provisioned.as_ref().is_some_and(|provisioned| provisioned.is_ready)
    }

    fn free_provisioned(&mut self) -> Option<u32> {
        self.provisioned.as_mut().filter(|provisioned| provisioned.is_ready)?.free.pop()
    }

    /// Returns the quota without provisioned concurrency, which counts from its order.
    fn on_demand_concurrency(&self, now: Moment) -> u64 {
        let asked = self.provisioned.as_ref().filter(|provisioned| now >= provisioned.asked_at);
        self.concurrency.saturating_sub(asked.map_or(0, |provisioned| provisioned.environments))
    }

    fn new_environment(&mut self) -> u32 {
        let environment = self.next_environment;
        self.next_environment += 1;
        environment
    }
}

impl Managed {
    /// Chooses the environment with the fewest requests.
    fn place(&mut self) -> Result<Placed, Throttle> {
        let full = self.by_company.len() - 1;
        let fewest = self.by_company[..full].iter().position(|environments| !environments.is_empty());
        let company = fewest.ok_or(Throttle::Concurrency)?;
        let environment = self.by_company[company][0];
        self.move_to(environment, company + 1);
        let lease = Lease { environment, kind: Kind::Managed };
        Ok(Placed { lease, start: Start::Warm, company: count(company + 1) })
    }

    fn release(&mut self, environment: u32) {
        let (company, _) = self.places[index(environment)];
        self.move_to(environment, company - 1);
    }

    fn move_to(&mut self, environment: u32, company: usize) {
        let (from, at) = self.places[index(environment)];
        self.by_company[from].swap_remove(at);
        if let Some(&moved) = self.by_company[from].get(at) {
            self.places[index(moved)] = (from, at);
        }
        self.places[index(environment)] = (company, self.by_company[company].len());
        self.by_company[company].push(environment);
    }
}

const IDLE_LIFE: Duration = Duration::from_mins(assumptions::IDLE_LIFE_MINUTES);

fn index(environment: u32) -> usize {
    usize::try_from(environment).unwrap_or(usize::MAX)
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
