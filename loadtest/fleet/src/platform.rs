//! Lambda, as documented: which request gets an environment, which one waits for a cold start, which one gets a 429.
//!
//! A state machine without clock, thread or chance. The door drives it in real time, `simulation` in its own.
//! Every number in it comes from [`Limits`] or from [`crate::assumptions`].

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
    /// Requests at once, on demand and on provisioned environments together.
    concurrency: u64,
    on_demand: OnDemand,
    provisioned: Option<Provisioned>,
    managed: Option<Managed>,
    next_environment: u32,
    /// Environments that have gone, until somebody asks.
    reclaimed: Vec<u32>,
}

#[derive(Debug, Default)]
struct OnDemand {
    busy: u64,
    /// Last used last.
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
    /// By how many requests they have: the environments with none, with one, and so on.
    by_company: Vec<Vec<u32>>,
    /// Of each environment, how many requests it has and where it stands among those with as many.
    places: Vec<(usize, usize)>,
}

/// A request that got its environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) lease: Lease,
    pub(crate) start: Start,
    /// Requests in this environment, this one included. More than one on Managed Instances only.
    pub(crate) company: u64,
}

/// How the environment came to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Started for this request.
    Cold,
    /// Provisioned before.
    Provisioned,
    /// Used before.
    Warm,
}

/// A request's hold on an environment, until it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lease {
    pub(crate) environment: u32,
    pub(crate) kind: Kind,
}

/// What pays for the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Managed,
    OnDemand,
    Provisioned,
}

/// Why a request gets a 429.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Throttle {
    /// As many requests are under way as the quota allows.
    Concurrency,
    /// More requests a second than ten times the concurrency.
    RequestRate,
    /// More environments would have to start than Lambda's pace allows.
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

/// How many there are of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Census {
    /// Environments of any kind, provisioned ones once they are ready.
    pub(crate) environments: u64,
    /// Of these, the provisioned.
    pub(crate) provisioned: u64,
}

impl Platform {
    /// With every quota and environment divided by `scale`, for simulations in which a request stands for so many. What
    /// is left over is cut off, so that no part stands for more than there is.
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

    /// Gives a request its environment, or says why it gets none.
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

    /// Takes the environment back for the next request.
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

    /// Lets time pass: provisioned environments become ready, idle ones go.
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

    /// The environments that have gone since the last time.
    pub(crate) fn take_reclaimed(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.reclaimed)
    }

    /// The environments that wait for their first request: all provisioned or managed ones.
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

    /// Whether provisioned concurrency was there and all of it at work, so that a request went elsewhere.
    pub(crate) fn spills(&self, placed: &Placed) -> bool {
        placed.lease.kind == Kind::OnDemand
            && self.provisioned.as_ref().is_some_and(|provisioned| provisioned.is_ready)
    }

    fn free_provisioned(&mut self) -> Option<u32> {
        self.provisioned.as_mut().filter(|provisioned| provisioned.is_ready)?.free.pop()
    }

    /// What provisioned concurrency takes, it takes from the same quota, from when it is asked for.
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
    /// The environment with the least company takes the request.
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
